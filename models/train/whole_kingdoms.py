"""Makes the straight pictures of kingdoms that ``models.train.whole`` trains on.

    python -m models.train.whole_kingdoms --data FOLDER --out FOLDER --from 300000 --to 304000

Rendered scenes show pieces as they stand, with their shadows and behind one another. Real squares of one sitting are
laid side by side, with photographed pieces and tiles on them; real boards are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train import buildings_tiles
from models.train.classify_compose import Composer, town_among
from models.train.classify_crops import (
    ASKED,
    CASTLE,
    EMPTY,
    FOUND_BY_FOOT,
    HIDDEN,
    SIZE,
    UNKNOWN,
    AlikeTables,
    Crops,
    Targets,
    count_feet,
    squares,
    target,
)
from models.train.locate_render import parse, tables
from scorer.render import (
    DrawnTiles,
    MixedTables,
    MixedTiles,
    PhotographedTables,
    PhotographedTiles,
    Recipe,
    Scene,
    render,
)
from scorer.render.splits import Part, labels
from scorer.rules.catalogue import TERRAINS
from scorer.rules.notation import parse_square
from scorer.vision.pieces import SIGNS
from scorer.vision.rectify import Image, Matrix, Pyramid, frame
from scorer.vision.whole import straight

SQUARE, BORDER = 65, 0.6
"""Pixels of a square in a stored picture, and squares around the kingdom: room to shift, turn and zoom it."""
FEET = ("knight", "tower", "queen", "giant", *FOUND_BY_FOOT)
"""Kinds of pieces whose feet the network is asked for while it trains."""
SCENES_A_FILE = 50
TOWNS, FURNISHED = 0.2, 0.5
"""Parts of a mosaic's squares that towns are laid over, and that something is laid or stood on."""
RULES = ("queendomino", "royal-wedding", "xxxl")


@dataclass(frozen=True)
class Pictured:
    """image uint8 (H, W, 3) RGB with SQUARE and BORDER; targets int8 (rows, columns, len(ASKED) + len(SIGNS)), those of
    `classify` and those of `buildings`; feet float32 (n, 3): number of the kind in FEET and where it stands in grid
    units, or None where nobody knows."""

    image: Image
    targets: NDArray[np.int8]
    feet: NDArray[np.float32] | None


def of_scene(scene: Scene) -> Iterator[Pictured]:
    """Every kingdom of a rendered photo."""
    pyramid = Pyramid.of(scene.image)
    for kingdom in scene.kingdoms:
        rows, columns = kingdom.hidden.shape
        homography = _homography(kingdom.corners, rows, columns)
        found = np.stack([target(cell) for row in kingdom.grid for cell in row])
        places = kingdom.quads.reshape(-1, 4, 2)
        count_feet(found, places, scene.pieces, list(FOUND_BY_FOOT))
        empty = found[:, 0] == EMPTY
        lying = found[empty]
        count_feet(lying, places[empty], scene.pieces, ["knight", "tower", "queen"])
        found[empty] = lying
        unseen = (kingdom.hidden.reshape(-1) > HIDDEN) & (found[:, 0] != CASTLE)
        found[unseen, :2] = UNKNOWN
        pieces = [piece for piece in scene.pieces if piece.kind in FEET]
        feet = [(FEET.index(piece.kind), *_grid(piece.foot, homography)) for piece in pieces]
        printed = np.stack([_signs(cell) for row in kingdom.grid for cell in row])
        yield Pictured(
            straight(pyramid, homography, rows, columns, SQUARE, BORDER),
            np.hstack([found, printed]).reshape(rows, columns, -1),
            np.array(feet, np.float32).reshape(-1, 3),
        )


def _signs(cell: str) -> Targets:
    """What is printed on a square's building, if there is one."""
    square = parse_square(cell)
    if square.building is None:
        return np.full(len(SIGNS), UNKNOWN, np.int8)
    return buildings_tiles.target(square.building, square.building, square.turned)


def _unprinted(found: Targets) -> Targets:
    """Targets (rows, columns, len(ASKED)) of squares with buildings of which nobody noted the signs."""
    return np.dstack([found, np.full((*found.shape[:2], len(SIGNS)), UNKNOWN, np.int8)])


def _homography(corners: NDArray[np.float32], rows: int, columns: int) -> Matrix:
    return np.asarray(cv2.getPerspectiveTransform(frame(columns, rows), corners), np.float64)


def _grid(point: NDArray[np.float32], homography: Matrix) -> tuple[float, float]:
    x, y, w = np.linalg.inv(homography) @ (float(point[0]), float(point[1]), 1.0)
    return float(x / w), float(y / w)


def boards(data: Path, part: Part) -> Iterator[Pictured]:
    """Boards that fill their frame; what a castle hides is not asked for."""
    for name in ("boards", "boards_loose"):
        for file, label in labels(data, name, part).items():
            image = np.ascontiguousarray(cv2.imread(str(data / name / file))[..., ::-1])
            rows, columns = len(label["grid"]), len(label["grid"][0])
            border = image.shape[0]
            wide = cv2.copyMakeBorder(image, border, border, border, border, cv2.BORDER_REFLECT_101)
            corners = frame(image.shape[1], image.shape[0]) + border - 0.5
            found = np.stack([[target(cell) for cell in row] for row in label["grid"]])
            found[found[..., 0] == CASTLE, ASKED.index("castle")] = bool(label.get("castle3d"))
            for hidden in label.get("hidden_by_castle") or []:
                found[tuple(hidden["cell"])] = UNKNOWN
            homography = _homography(np.asarray(corners, np.float32), rows, columns)
            shown = straight(Pyramid.of(wide), homography, rows, columns, SQUARE, BORDER)
            yield Pictured(shown, _unprinted(found), None)


def mosaics(data: Path, part: Part, count: int, seed: int = 23) -> Iterator[Pictured]:
    """Kingdoms nobody laid: real squares of one sitting, or real dominoes', side by side, tables around and between,
    and photographed pieces and tiles laid on them."""
    rng = np.random.default_rng(seed)
    sittings = [crops for crops in squares(data, part) if len(crops.targets) >= 12]
    composer = Composer(data, rng)
    grounds = tables(data)
    size = np.sqrt([len(crops.targets) for crops in sittings])
    for _ in range(count):
        crops = sittings[int(rng.choice(len(sittings), p=size / size.sum()))]
        yield _mosaic(crops, grounds.table(512, rng), composer, rng)


def _mosaic(crops: Crops, table: Image, composer: Composer, rng: np.random.Generator) -> Pictured:
    rows, columns = int(rng.integers(4, 8)), int(rng.integers(4, 8))
    edge = SQUARE
    ground = cv2.resize(table, (SQUARE * (columns + 2), SQUARE * (rows + 2)))
    off = (SIZE - SQUARE) // 2
    found = np.stack([target(".")] * (rows * columns)).reshape(rows, columns, -1)
    full = rng.uniform(0.6, 1.0)
    for r in range(rows):
        for c in range(columns):
            if rng.random() > full:
                continue
            k = int(rng.integers(len(crops.targets)))
            inner = crops.images[k][off : off + SQUARE, off : off + SQUARE]
            y, x = edge + r * SQUARE, edge + c * SQUARE
            ground[y : y + SQUARE, x : x + SQUARE] = np.rot90(inner, int(rng.integers(4)))
            found[r, c] = crops.targets[k]
    windows = [(r, c) for r in range(rows) for c in range(columns)]
    for r, c in rng.permutation(windows):
        y, x = edge + r * SQUARE - off, edge + c * SQUARE - off
        window = ground[y : y + SIZE, x : x + SIZE]
        if found[r, c, 0] < TERRAINS.index("town") and rng.random() < TOWNS:
            window[:], found[r, c] = town_among(window, composer.another_edition(), rng), target("t0")
        if rng.random() < FURNISHED:
            window[:], found[r, c] = composer.furnish(window, found[r, c])
    cut = edge - round(SQUARE * BORDER)
    shown = np.ascontiguousarray(ground[cut : ground.shape[0] - cut, cut : ground.shape[1] - cut])
    return Pictured(shown, _unprinted(found), None)


def recipe(seed: int, data: Path) -> Recipe:
    """One kingdom with pieces, near enough to be read, on any table."""
    rng = np.random.default_rng((seed, 19))
    return Recipe(
        photo_sizes=((1600, 1200), (1200, 1600)),
        kingdoms=(1, 1),
        rules=RULES if rng.random() < 0.9 else ("kingdomino",),
        sizes=(5, 5, 5, 7, 7, 9),
        pieces=1.0,
        court=0.6,
        square_pixels=(44.0, 300.0),
        standing_castle=0.4,
        tiles=MixedTiles([(DrawnTiles(), 1.0), (PhotographedTiles(data), 1.0)]),
        tables=MixedTables(((PhotographedTables(data), 0.4), (tables(data), 0.45), (AlikeTables(), 0.15))),
    )


def save(path: Path, pictures: list[Pictured]) -> None:
    """As JPEG: a picture is half a megabyte otherwise."""
    stored = {}
    for k, one in enumerate(pictures):
        _, stored[f"image_{k}"] = cv2.imencode(".jpg", one.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 96])
        stored[f"targets_{k}"] = one.targets
        if one.feet is not None:
            stored[f"feet_{k}"] = one.feet
    new = path.with_suffix(".new.npz")
    np.savez(new, count=len(pictures), **stored)
    new.replace(path)


def load(path: Path) -> list[Pictured]:
    with np.load(path) as stored:
        return [
            Pictured(
                np.ascontiguousarray(cv2.imdecode(stored[f"image_{k}"], cv2.IMREAD_COLOR)[..., ::-1]),
                stored[f"targets_{k}"],
                stored.get(f"feet_{k}"),
            )
            for k in range(int(stored["count"]))
        ]


def main() -> None:
    options = parse(__doc__, 300_000, 304_000, mosaics=900)
    for name, made in (
        ("boards", boards(options.data, "train")),
        ("mosaics", mosaics(options.data, "train", options.mosaics)),
    ):
        path = options.out / f"{name}.npz"
        if options.mosaics and not path.exists():
            save(path, list(made))
    for first in range(options.first, options.last, SCENES_A_FILE):
        path = options.out / f"scenes-{first:06d}.npz"
        if not path.exists():
            seeds = range(first, first + SCENES_A_FILE)
            scenes = (render(seed, recipe=recipe(seed, options.data)) for seed in seeds)
            save(path, [one for scene in scenes for one in of_scene(scene)])


if __name__ == "__main__":
    main()
