"""How well photos are read: single squares, held-out boards, whole photos and rendered scenes, and how fast.

    python -m benchmarks.read --data FOLDER            the whole table
    python -m benchmarks.read --data FOLDER --quick    a tenth of the rendered scenes

Nothing measured here was trained or tuned on: games 5 and 6 of the boards, the test sittings of the squares,
`photos/`, Queendomino pictures 16 and 18, and scenes of seeds and material that training never sees.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pillow

from benchmarks.locate import wilson
from models.train.classify_crops import MARGIN as STORED_MARGIN
from models.train.classify_crops import SIZE as STORED_SIZE
from models.train.classify_crops import squares
from scorer.errors import NoKingdom
from scorer.render import MixedTiles, PhotographedTables, PhotographedTiles, Recipe, render
from scorer.render.sources import DrawnTiles
from scorer.render.splits import labels
from scorer.rules import score
from scorer.rules.kingdom import Kingdom
from scorer.rules.notation import parse_square, square_text
from scorer.vision.classify import LABELS, MARGIN, SIZE, classify
from scorer.vision.reading import ReadKingdom, read_photo

SCENE_SEED = 4_000_000
SCENES = 300
NO_KINGDOM = ("odrevet_camera_0.jpg",)
"""Dominoes without a castle: no kingdom to read."""

Grid = list[list[str]]


@dataclass
class Tally:
    """Counts over photos of one kind."""

    name: str
    kingdoms: int = 0
    exact: int = 0
    doubtful: int = 0
    silent: int = 0
    squares: int = 0
    right: int = 0
    confidence: list[float] = field(default_factory=list)
    correct: list[bool] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def row(self) -> str:
        return (
            f"| {self.name} | {wilson(self.right, self.squares)} | {wilson(self.exact, self.kingdoms)} "
            f"| {self.doubtful} | {self.silent} |"
        )


def ground(cell: str) -> str:
    """Terrain and crowns of a cell, without what stands on it."""
    square = parse_square(cell)
    if square.terrain is None:
        return cell[0]
    return square_text(parse_square(f"{square.terrain[0]}{square.crowns or 0}"))


def total(grid: Grid) -> int:
    rows = tuple(tuple(parse_square(cell) for cell in row) for row in grid)
    return score([Kingdom(rows, rules="queendomino", queen="no")]).players[0].total


def compare(tally: Tally, name: str, truth: Grid, seen: ReadKingdom | None, hidden: set[tuple[int, int]]) -> None:
    """Counts one kingdom; squares in `hidden` may be wrong if they are doubted."""
    tally.kingdoms += 1
    places = [(r, c) for r in range(len(truth)) for c in range(len(truth[0]))]
    tally.squares += len(places)
    if seen is None or (seen.rows, seen.columns) != (len(truth), len(truth[0])):
        tally.silent += seen is not None and not seen.doubts
        tally.failures.append(f"{name}: {'not found' if seen is None else f'{seen.rows}x{seen.columns}'}")
        return
    doubted = {doubt.square for doubt in seen.doubts}
    wrong = []
    for r, c in places:
        same = ground(seen.grid[r][c]) == ground(truth[r][c])
        tally.confidence.append(seen.confidence[r][c])
        tally.correct.append(same)
        if same:
            tally.right += 1
        elif (r, c) not in hidden or (r, c) not in doubted:
            wrong.append(f"{r},{c} {truth[r][c]} read {seen.grid[r][c]} ({seen.confidence[r][c]:.2f})")
    tally.exact += not wrong
    tally.doubtful += bool(seen.doubts)
    if wrong:
        read = [[ground(cell) for cell in row] for row in seen.grid]
        tally.silent += not seen.doubts and total(read) != total([[ground(cell) for cell in row] for row in truth])
        tally.failures.append(f"{name}: {'; '.join(wrong)}")


def read(source: Path | bytes) -> list[ReadKingdom]:
    try:
        return list(read_photo(source).kingdoms)
    except NoKingdom:
        return []


def single_squares(data: Path) -> tuple[int, int]:
    """Terrain and crowns together right, by the network alone."""
    right = count = 0
    inner = round(STORED_SIZE * (1 + 2 * MARGIN) / (1 + 2 * STORED_MARGIN))
    cut = (STORED_SIZE - inner) // 2
    names = [label["label"] for label in labels(data, "squares", "test").values()]
    sittings: dict[str, list[str]] = {}
    for label in labels(data, "squares", "test").values():
        sittings.setdefault(label["sitting"], []).append(label["label"])
    for crops, cells in zip(squares(data, "test"), sittings.values(), strict=True):
        shown = [cv2.resize(image[cut : cut + inner, cut : cut + inner], (SIZE, SIZE)) for image in crops.images]
        seen = classify(np.stack(shown)).argmax(axis=1)
        right += sum(LABELS[int(i)] == cell for i, cell in zip(seen, cells, strict=True))
        count += len(cells)
    assert count == len(names)
    return right, count


def boards(data: Path) -> Iterator[Tally]:
    for folder in ("boards", "boards_loose"):
        tally = Tally(f"held-out {folder}")
        for name, label in labels(data, folder, "test").items():
            hidden = {tuple(place["cell"]) for place in label.get("hidden_by_castle") or []}
            seen = read(data / folder / name)
            compare(tally, name, label["grid"], seen[0] if seen else None, hidden)
        yield tally


def photos(data: Path) -> Tally:
    tally = Tally("photos, Queendomino 16 and 18")
    for name, label in json.loads((data / "photos.json").read_text()).items():
        if name not in NO_KINGDOM:
            seen = read(data / "photos" / name)
            compare(tally, name, label["kingdoms"][0]["grid"], seen[0] if seen else None, set())
    queendomino = json.loads((data / "queendomino" / "photos.json").read_text())
    for name in ("16.jpg", "18.jpg"):
        seen = read(data / "queendomino" / "photos" / name)
        compare(tally, f"queendomino {name}", queendomino[name]["grid"], seen[0] if seen else None, set())
    return tally


def scenes(data: Path, count: int) -> Tally:
    tally = Tally("rendered and composed scenes")
    sources = MixedTiles([(DrawnTiles(), 1.0), (PhotographedTiles(data, "test"), 1.0)])
    recipe = Recipe(
        photo_sizes=((1600, 1200), (1200, 1600)),
        kingdoms=(1, 1),
        rules=("kingdomino", "queendomino"),
        pieces=0.0,
        tiles=sources,
        tables=PhotographedTables(data, "test"),
    )
    for seed in range(SCENE_SEED, SCENE_SEED + count):
        scene = render(seed, recipe=recipe)
        _, jpeg = cv2.imencode(".jpg", scene.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
        seen = read(jpeg.tobytes())
        truth = [list(row) for row in scene.kingdoms[0].grid]
        compare(tally, f"scene {seed}", truth, seen[0] if seen else None, set())
    return tally


def calibration_error(confidence: list[float], correct: list[bool], bins: int = 15) -> float:
    """Expected calibration error over equally filled bins."""
    order = np.argsort(confidence)
    sure, right = np.array(confidence)[order], np.array(correct, float)[order]
    parts = np.array_split(np.arange(len(sure)), bins)
    return float(sum(len(p) * abs(sure[p].mean() - right[p].mean()) for p in parts if len(p)) / len(sure))


def speed(data: Path) -> str:
    """A whole reading against plain Pillow decoding of the same 12-megapixel file."""
    recipe = Recipe(photo_sizes=((4032, 3024),), kingdoms=(1, 1), sizes=(7,), filled=(1.0, 1.0), tilt=(5.0, 15.0))
    _, jpeg = cv2.imencode(".jpg", render(SCENE_SEED, recipe=recipe).image[..., ::-1])
    file = jpeg.tobytes()
    read_photo(file)
    plain, whole = [], []
    stages: dict[str, list[float]] = {}
    for _ in range(7):
        start = time.perf_counter()
        Pillow.open(io.BytesIO(file)).convert("RGB").load()
        middle = time.perf_counter()
        reading = read_photo(file)
        plain.append(middle - start)
        whole.append(time.perf_counter() - middle)
        for stage, taken in reading.timings_ms.items():
            stages.setdefault(stage, []).append(taken)
    times = ", ".join(f"{stage} {np.median(taken):.0f}" for stage, taken in stages.items())
    return f"{np.median(whole) / np.median(plain):.2f} x plain decoding ({np.median(plain) * 1000:.0f} ms); {times} ms"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("SCORER_DATA"))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.data is None:
        parser.error("name the folder of photographs with --data or SCORER_DATA")
    cv2.setNumThreads(1)
    print(f"single squares of held-out sittings: {wilson(*single_squares(Path(options.data)))}")
    data = Path(options.data)
    tallies = [*boards(data), photos(data), scenes(data, SCENES // 10 if options.quick else SCENES)]
    print("| photos | squares right | kingdoms exactly right | doubtful | wrong score without a doubt |")
    print("| --- | --- | --- | --- | --- |")
    for tally in tallies:
        print(tally.row())
    confidence = [value for tally in tallies for value in tally.confidence]
    correct = [value for tally in tallies for value in tally.correct]
    print(f"expected calibration error: {calibration_error(confidence, correct):.4f} over {len(correct)} squares")
    print(f"whole reading: {speed(data)}")
    for tally in tallies:
        for failure in tally.failures:
            print(f"  {tally.name}: {failure}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
