"""Photos with known kingdoms that reading is measured on, and tuned on: the two never meet.

"test": games 5 and 6 of the boards, `photos/`, Queendomino pictures 16 and 18, and the rendered scenes that locating is
tested on. "validation": scenes of other seeds, with tiles of sittings that neither training nor tests see.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from benchmarks.scenes import BARE_SEED, FIRST_SEED, half_seen, kept, scene_recipe
from scorer.render import PhotographedTables, PhotographedTiles, Recipe, VariedTables, bare_tables
from scorer.render.splits import Part, labels
from scorer.vision.rectify import frame

VALIDATION_SEED = 5_000_000
LARGE_SEED = 4_000_000
NO_KINGDOM = ("odrevet_camera_0.jpg",)
"""Dominoes without a castle: no kingdom to read."""
QUEENDOMINO = ("16.jpg", "18.jpg")

Grid = tuple[tuple[str, ...], ...]
Place = tuple[int, int]


@dataclass(frozen=True)
class Known:
    """A kingdom as it lies there. corners (4, 2) in photo pixels, None where nobody measured them; hidden: squares that
    cannot be seen whole; castle3d: one stands on the starting tile; colour: of the castle, where known."""

    grid: Grid
    corners: NDArray[np.float32] | None
    hidden: frozenset[Place] = frozenset()
    castle3d: bool = False
    colour: str = ""


@dataclass(frozen=True)
class Case:
    """One photo and every kingdom in it."""

    name: str
    photo: Path | bytes
    kingdoms: tuple[Known, ...]


def _grid(rows: list[list[str]]) -> Grid:
    return tuple(map(tuple, rows))


def boards(data: Path, folder: str, part: Part = "test") -> Iterator[Case]:
    for name, label in labels(data, folder, part).items():
        with Pillow.open(data / folder / name) as picture:
            width, height = picture.size
        hidden = frozenset((r, c) for r, c in (place["cell"] for place in label.get("hidden_by_castle") or []))
        known = Known(_grid(label["grid"]), frame(width, height), hidden, bool(label.get("castle3d")))
        yield Case(f"{folder}/{name}", data / folder / name, (known,))


def photos(data: Path) -> Iterator[Case]:
    for name, label in json.loads((data / "photos.json").read_text()).items():
        if name not in NO_KINGDOM:
            known = [Known(_grid(k["grid"]), np.array(k["corners"], np.float32)) for k in label["kingdoms"]]
            yield Case(name, data / "photos" / name, tuple(known))
    queendomino = json.loads((data / "queendomino" / "photos.json").read_text())
    for name in QUEENDOMINO:
        known = [Known(_grid(queendomino[name]["grid"]), None)]
        yield Case(f"queendomino {name}", data / "queendomino" / "photos" / name, tuple(known))


def scenes(data: Path, part: Part, count: int, keep: Path) -> Iterator[Case]:
    """Rendered and composed scenes: those that locating is tested on, or as many others for tuning."""
    first = FIRST_SEED if part == "test" else VALIDATION_SEED
    for number in range(count):
        yield _kept(f"{part} scene {number}", first + number, _recipe(number, data, part), keep)


def bare(data: Path, part: Part, count: int, keep: Path) -> Iterator[Case]:
    """Tables and clutter without any kingdom."""
    first = BARE_SEED if part == "test" else VALIDATION_SEED + BARE_SEED
    for number in range(count):
        yield _kept(f"{part} table {number}", first + number, bare_tables(_recipe(number, data, part)), keep)


def _recipe(number: int, data: Path, part: Part) -> Recipe:
    recipe, _ = scene_recipe(number, data, touching=False)
    if part != "test":
        if isinstance(recipe.tiles, PhotographedTiles):
            recipe = replace(recipe, tiles=PhotographedTiles(data, part))
        if isinstance(recipe.tables, PhotographedTables):
            # Surfaces are too few to keep a third part of them apart: those of training, in other colours and mixed.
            recipe = replace(recipe, tables=VariedTables(PhotographedTables(data, "train")))
    return recipe


def large_scenes(count: int, keep: Path) -> Iterator[Case]:
    """12-megapixel photos of full 7x7 kingdoms, for times."""
    recipe = Recipe(
        photo_sizes=((4032, 3024),),
        kingdoms=(1, 1),
        rules=("kingdomino", "queendomino"),
        sizes=(7,),
        filled=(1.0, 1.0),
        tilt=(5.0, 15.0),
        square_pixels=(300.0, 400.0),
        pieces=0.0,
    )
    for seed in range(LARGE_SEED, LARGE_SEED + count):
        yield _kept(f"large scene {seed}", seed, recipe, keep)


def _kept(name: str, seed: int, recipe: Recipe, keep: Path) -> Case:
    photo, kingdoms = kept(seed, recipe, keep)
    known = (Known(k.grid, k.corners, half_seen(k), k.castle_stands, k.castle_colour) for k in kingdoms)
    return Case(name, photo, tuple(known))
