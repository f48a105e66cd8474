"""Cuts out the squares of whole photos that ``models.train.context`` learns to read together.

    python -m models.train.context_sets --data FOLDER --out FOLDER --from 20000 --to 23000

Each file holds what `scorer.vision.context` is shown of one photo, and the terrains that lie there. Rendered photos
have seeds that the network for single squares was not trained on; photographed squares and boards are those it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.classify_crops import CASTLE, HIDDEN, UNKNOWN, Crops, as_shown, boards, crop_recipe, squares, target
from models.train.locate_render import parse
from scorer.render import DrawnTiles, Recipe, Scene, render
from scorer.render.splits import Part, labels
from scorer.vision.classify import WIDE_MARGIN, WIDE_SIZE, answers, inner
from scorer.vision.context import SHOWN, shown
from scorer.vision.rectify import Floats, Image, Pyramid, quad_views

OFF = 0.025
"""How far, in squares, corners are moved at random, as the locator's are off."""
SCENES_A_FILE = 25


@dataclass(frozen=True)
class Company:
    """The squares of one photo: shown float32 (N, F) as `scorer.vision.context` has them, said (N, terrains) what the
    network for single squares says, terrain int8 (N,) what they are, or UNKNOWN."""

    shown: Floats
    said: Floats
    terrain: NDArray[np.int8]


def company(crops: Image, terrain: NDArray[np.int8]) -> Company:
    said = answers(crops)
    return Company(shown(inner(crops), *(said[name] for name in SHOWN)), said["terrain"], terrain)


def of_scene(scene: Scene, rng: np.random.Generator) -> Company | None:
    """All places of all kingdoms of a photo, tiles where they lie, roughly."""
    pyramid = Pyramid.of(scene.image)
    crops, terrains = [], []
    for kingdom in scene.kingdoms:
        tiles = np.where(np.isnan(kingdom.tile_quads), kingdom.quads, kingdom.tile_quads).reshape(-1, 4, 2)
        side = np.sqrt([max(1.0, abs(cv2.contourArea(quad.astype(np.float32)))) for quad in tiles])
        tiles = tiles + rng.normal(0, OFF, tiles.shape) * side[:, None, None]
        terrain = np.array([target(cell)[0] for row in kingdom.grid for cell in row], np.int8)
        terrain[(kingdom.hidden.reshape(-1) > HIDDEN) & (terrain != CASTLE)] = UNKNOWN
        crops.append(quad_views(pyramid, tiles.astype(np.float32), WIDE_SIZE, WIDE_MARGIN))
        terrains.append(terrain)
    return company(np.concatenate(crops), np.concatenate(terrains)) if crops else None


def photographed(data: Path, part: Part) -> Iterator[Company]:
    """The single squares of each photo together, and every board."""
    kept: dict[str, list[str]] = {}
    for label in labels(data, "squares", part).values():
        kept.setdefault(label["sitting"], []).append(label["photo"])
    for crops, photos in zip(squares(data, part), kept.values(), strict=True):
        for photo in dict.fromkeys(photos):
            yield _company_of(crops, np.array([one == photo for one in photos]))
    for crops in boards(data, part):
        yield _company_of(crops, np.ones(len(crops.images), bool))


def _company_of(crops: Crops, which: NDArray[np.bool_]) -> Company:
    return company(as_shown(crops.images[which]), crops.targets[which, 0])


def recipe(seed: int, data: Path) -> Recipe:
    """One or two kingdoms, most of drawn tiles: their colours differ from edition to edition, so that a square alone
    does not tell its terrain."""
    count = 1 + seed % 5 // 3
    recipe = replace(
        crop_recipe(seed, data),
        photo_sizes=((1200, 900), (900, 1200)),
        kingdoms=(count, count),
        distance=(0.34, 2.0),
        sizes=(3, 5, 5, 7, 9),
        square_pixels=(44.0, 220.0),
        pieces=0.6,
        clutter=(0.0, 0.4),
    )
    return recipe if seed % 4 == 0 else replace(recipe, tiles=DrawnTiles())


def save(path: Path, sets: list[Company]) -> None:
    new = path.with_suffix(".new.npz")
    ends = np.cumsum([len(one.terrain) for one in sets])
    fields = {name: np.concatenate([getattr(one, name) for one in sets]) for name in ("shown", "said", "terrain")}
    np.savez(new, ends=ends, **fields)
    new.replace(path)


def load(path: Path) -> list[Company]:
    with np.load(path) as stored:
        parts = [np.split(stored[name], stored["ends"][:-1]) for name in ("shown", "said", "terrain")]
    return [Company(*one) for one in zip(*parts, strict=True)]


def main() -> None:
    options = parse(__doc__, 20000, 23000)
    for part in ("train", "validation"):
        path = options.out / f"real-{part}.npz"
        if not path.exists():
            save(path, list(photographed(options.data, part)))
    for first in range(options.first, options.last, SCENES_A_FILE):
        path = options.out / f"scenes-{first:06d}.npz"
        if path.exists():
            continue
        scenes = [
            (seed, render(seed, recipe=recipe(seed, options.data))) for seed in range(first, first + SCENES_A_FILE)
        ]
        sets = [of_scene(scene, np.random.default_rng((seed, 13))) for seed, scene in scenes]
        save(path, [one for one in sets if one is not None])


if __name__ == "__main__":
    main()
