"""Cuts the square crops that ``models.train.classify`` trains on.

    python -m models.train.classify_crops --data FOLDER --out FOLDER --from 0 --to 1600

Scenes are rendered from drawn and photographed tiles on drawn and photographed tables, so that a crop shows what the
reader will meet: crooked tiles, neighbours, shadows, pieces, castles in front, and empty places of every kind of
table. Real squares and boards are added as they are. Seeds below one million are for training.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.locate_render import recipe_for
from scorer.render import Scene, render
from scorer.render.splits import Part, labels, split
from scorer.rules.catalogue import TERRAINS
from scorer.rules.notation import parse_square
from scorer.vision.rectify import Pyramid, quad_views

SIZE = 104
"""Pixels of a stored crop: what is shown to the network with room to shift, turn and zoom it."""
MARGIN = 0.3
"""Squares around the place that a stored crop shows."""
CASTLE, EMPTY = len(TERRAINS), len(TERRAINS) + 1
NO_CROWNS = -1
"""Crowns are not asked of towns, castles and empty places."""
SCENES_A_FILE = 25
OUTSIDE = 0.25
"""Share of the places around a kingdom's grid that are kept as empty ones."""


@dataclass(frozen=True)
class Crops:
    """images uint8 (N, SIZE, SIZE, 3) RGB; terrain int64 (N), the index in TERRAINS, CASTLE or EMPTY; crowns int64."""

    images: NDArray[np.uint8]
    terrain: NDArray[np.int64]
    crowns: NDArray[np.int64]

    def save(self, path: Path) -> None:
        new = path.with_suffix(".new.npz")
        np.savez(new, images=self.images, terrain=self.terrain, crowns=self.crowns)
        new.replace(path)

    @classmethod
    def load(cls, path: Path) -> Crops:
        with np.load(path) as stored:
            return cls(stored["images"], stored["terrain"], stored["crowns"])

    @classmethod
    def join(cls, parts: list[Crops]) -> Crops:
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("images", "terrain", "crowns")))


def target(cell: str) -> tuple[int, int]:
    """Terrain and crowns of a notation cell, as the network is asked for them."""
    square = parse_square(cell)
    if square.terrain is None:
        return (CASTLE if square.castle else EMPTY), NO_CROWNS
    crowns = NO_CROWNS if square.terrain == "town" or square.crowns is None else square.crowns
    return TERRAINS.index(square.terrain), crowns


def of_cells(images: NDArray[np.uint8], cells: list[str]) -> Crops:
    terrain, crowns = zip(*map(target, cells), strict=True)
    return Crops(images, np.array(terrain, np.int64), np.array(crowns, np.int64))


def of_scene(scene: Scene, rng: np.random.Generator) -> Iterator[Crops]:
    """All places of every kingdom, tiles where they really lie, and some places around its grid."""
    pyramid = Pyramid.of(scene.image)
    for kingdom in scene.kingdoms:
        tiles = np.where(np.isnan(kingdom.tile_quads), kingdom.quads, kingdom.tile_quads).reshape(-1, 4, 2)
        cells = [cell for row in kingdom.grid for cell in row]
        keep = _inside(tiles, scene.image.shape)
        if keep.any():
            images = quad_views(pyramid, tiles[keep], SIZE, MARGIN)
            yield of_cells(images, [cell for cell, kept in zip(cells, keep, strict=True) if kept])
        if len(scene.kingdoms) == 1:
            around = _around(kingdom.quads)
            around = around[_inside(around, scene.image.shape) & (rng.random(len(around)) < OUTSIDE)]
            if len(around):
                yield of_cells(quad_views(pyramid, around, SIZE, MARGIN), ["."] * len(around))


def _inside(quads: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    return ((quads > -2) & (quads < np.array([shape[1], shape[0]]) + 2)).all(axis=(1, 2))


def _around(quads: NDArray[np.float32]) -> NDArray[np.float32]:
    """The places one beyond the grid on each side, by mirroring its outermost ones."""
    top, bottom = quads[0, :, [3, 2, 1, 0]].swapaxes(0, 1), quads[-1, :, [3, 2, 1, 0]].swapaxes(0, 1)
    above = np.stack(
        [2 * quads[0, :, 0] - quads[0, :, 3], 2 * quads[0, :, 1] - quads[0, :, 2], top[:, 3], top[:, 2]], 1
    )
    below = np.stack(
        [bottom[:, 0], bottom[:, 1], 2 * quads[-1, :, 2] - quads[-1, :, 1], 2 * quads[-1, :, 3] - quads[-1, :, 0]], 1
    )
    return np.concatenate([above, below]).astype(np.float32)


def boards(data: Path, part: Part) -> Iterator[Crops]:
    """The squares of boards that fill their frame; what a castle hides is left out."""
    for name in ("boards", "boards_loose"):
        for file, label in labels(data, name, part).items():
            image = cv2.imread(str(data / name / file))[..., ::-1]
            hidden = {tuple(h["cell"]) for h in label.get("hidden_by_castle") or []}
            rows, columns = len(label["grid"]), len(label["grid"][0])
            scale = np.array([image.shape[1] / columns, image.shape[0] / rows], np.float32)
            unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
            places = [(r, c) for r in range(rows) for c in range(columns) if (r, c) not in hidden]
            quads = np.array([(unit + np.array([c, r])) * scale for r, c in places], np.float32) - 0.5
            border = 80
            wide = cv2.copyMakeBorder(image, border, border, border, border, cv2.BORDER_REPLICATE)
            images = quad_views(Pyramid.of(np.ascontiguousarray(wide)), quads + border, SIZE, MARGIN)
            yield of_cells(images, [label["grid"][r][c] for r, c in places])


def squares(data: Path, part: Part) -> Iterator[Crops]:
    """Single squares, each laid among eight others of its sitting for a margin."""
    border = round(SIZE * MARGIN / (1 + 2 * MARGIN))
    inner = SIZE - 2 * border
    sittings: dict[str, list[tuple[str, NDArray[np.uint8]]]] = {}
    for file, label in labels(data, "squares", part).items():
        image = cv2.resize(cv2.imread(str(data / "squares" / file))[..., ::-1], (inner, inner))
        sittings.setdefault(label["sitting"], []).append((label["label"], np.asarray(image, np.uint8)))
    rng = np.random.default_rng(5)
    for known in sittings.values():
        images = []
        for _, image in known:
            near = [np.rot90(known[int(rng.integers(len(known)))][1], int(rng.integers(4))) for _ in range(9)]
            near[4] = image
            mosaic = np.vstack([np.hstack(near[row : row + 3]) for row in (0, 3, 6)])
            images.append(mosaic[inner - border : 2 * inner + border, inner - border : 2 * inner + border])
        yield of_cells(np.stack(images), [cell for cell, _ in known])


def surfaces(data: Path, part: Part) -> Iterator[Crops]:
    """Pictures of tables, floors and cloth: empty places."""
    images = [
        cv2.resize(cv2.imread(str(data / "textures" / name))[..., ::-1], (SIZE, SIZE))
        for name in sorted(split("textures").groups[part])
    ]
    if images:
        yield of_cells(np.stack(images), ["."] * len(images))


def real(data: Path, part: Part) -> Crops:
    return Crops.join([*squares(data, part), *boards(data, part), *surfaces(data, part)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--to", dest="last", type=int, default=1600)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    for part in ("train", "validation"):
        path = options.out / f"real-{part}.npz"
        if not path.exists():
            real(options.data, part).save(path)
    for first in range(options.first, options.last, SCENES_A_FILE):
        path = options.out / f"scenes-{first:06d}.npz"
        if path.exists():
            continue
        parts = []
        for seed in range(first, min(first + SCENES_A_FILE, options.last)):
            recipe = replace(recipe_for(seed, options.data), kingdoms=(1, 1), square_pixels=(36.0, 220.0))
            parts += of_scene(render(seed, recipe=recipe), np.random.default_rng((seed, 11)))
        Crops.join(parts).save(path)


if __name__ == "__main__":
    main()
