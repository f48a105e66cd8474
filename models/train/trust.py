"""Fits how far each witness of a reading is believed, and writes it into the package.

    python -m models.train.trust --data FOLDER

The numbers of `scorer/vision/trust.json` are those under which the true squares of the validation photos are likeliest:
rendered scenes with tiles of validation sittings, and the single squares of these sittings. Run it after every
training of a network.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np

from benchmarks.read import aligned, ground, pairs, shown_squares
from benchmarks.read_cases import scenes
from benchmarks.scenes import KEEP
from scorer.errors import NoKingdom
from scorer.vision import models
from scorer.vision.classify import LABELS, answers
from scorer.vision.reading import sight
from scorer.vision.seen import Seen
from scorer.vision.trust import FILE, Trust, trust

SCENES = 216
ROUNDS = 4
"""Each number is chosen in turn, the others held, so many times over."""
RANGES = {"terrain": (0.4, 4.0), "crowns": (0.4, 4.0), "tile": (0.05, 2.0), "castle": (0.0, 6.0), "context": (0.0, 4.0)}

Witnesses = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def collect(data: Path, count: int, keep: Path) -> tuple[Witnesses, np.ndarray]:
    """What every witness says of every place that was read, and the label that it truly shows."""
    parts: list[tuple[np.ndarray, ...]] = []
    true: list[int] = []
    for case in scenes(data, "validation", count, keep):
        try:
            seen = [_lying(kingdom) for kingdom in sight(case.photo).kingdoms]
        except NoKingdom:
            continue
        for i, j in pairs(case.kingdoms, seen):
            place, outside = aligned(case.kingdoms[i], seen[j])
            said = seen[j].witnesses
            labels = {(int(y), int(x)): "." for y, x in np.argwhere(outside)}
            for r, row in enumerate(case.kingdoms[i].grid):
                labels |= {(y, x): ground(row[c]) for c, (y, x) in enumerate(place[r].tolist()) if y >= 0}
            chosen = [y * seen[j].columns + x for y, x in labels]
            parts.append(tuple(witness[chosen] for witness in said))
            true += [LABELS.index("t0" if label == "t" else label) for label in labels.values()]
    for images, cells in shown_squares(data, "validation"):
        said = answers(images)
        alone = np.full(len(cells), 0.5), np.full(len(cells), np.nan), np.zeros_like(said["terrain"])
        parts.append((said["terrain"], said["crowns"], *alone))
        true += [LABELS.index(cell) for cell in cells]
    terrain, crowns, tile, castle, context = (np.concatenate(values) for values in zip(*parts, strict=True))
    return (terrain, crowns, tile, castle, context), np.array(true)


def _lying(seen: Seen) -> SimpleNamespace:
    at = seen.lattice
    corners, quads = seen.photo.to_photo(at.corners), seen.photo.to_photo(at.quads)
    return SimpleNamespace(corners=corners, quads=quads, rows=at.rows, columns=at.columns, witnesses=seen.witnesses)


def loss(numbers: Trust, witnesses: Witnesses, true: np.ndarray) -> float:
    """Mean negative log-likelihood of the true labels."""
    return float(-numbers.joint(*witnesses)[np.arange(len(true)), true].mean())


def fit(witnesses: Witnesses, true: np.ndarray) -> Trust:
    numbers = replace(trust(), model=models.CHECKSUMS["classify"][:8])
    for _ in range(ROUNDS):
        for name, (least, most) in RANGES.items():
            for _ in range(3):
                tried = np.linspace(least, most, 13)
                losses = [loss(replace(numbers, **{name: float(value)}), witnesses, true) for value in tried]
                best = int(np.argmin(losses))
                least, most = tried[max(0, best - 1)], tried[min(12, best + 1)]
            numbers = replace(numbers, **{name: round(float(tried[best]), 3)})
    return numbers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--keep", type=Path, default=KEEP, help="where rendered photos are kept")
    parser.add_argument("--scenes", type=int, default=SCENES)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    witnesses, true = collect(options.data, options.scenes, options.keep)
    before = loss(trust(), witnesses, true)
    numbers = fit(witnesses, true)
    FILE.write_text(json.dumps(asdict(numbers), indent=1) + "\n", encoding="utf-8")
    print(f"{len(true)} places: loss {before:.4f} -> {loss(numbers, witnesses, true):.4f}; {numbers}")


if __name__ == "__main__":
    main()
