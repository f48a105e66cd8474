"""The rendered scenes that locating and reading are tested on: seeds from one million up, which training never sees.

Rendered photos are kept as files, so that a second measurement need not render them again.
"""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.measure import jpeg
from scorer.render import DrawnTables, DrawnTiles, PhotographedTables, PhotographedTiles, Recipe, TrueKingdom, render
from scorer.render.splits import Part

KEEP = Path("build/scenes")

FIRST_SEED = 1_000_000
BARE_SEED = 2_000_000
"""Of tables without a kingdom."""
TILTS = ((0.0, 15.0), (15.0, 30.0), (30.0, 45.0))
SIZES = (3, 5, 5, 7, 7, 9)
CLUTTERS = ((0.0, 0.3), (0.3, 0.7), (0.7, 1.0))
COUNTS = (1, 2, 3, 4)
COVERED = 0.05
"""Share of a tile covered by what stands before it or lies on it from which it cannot be seen whole: a crown is no
larger."""
UNSEEN = 0.9
"""Share covered from which nobody can tell that a tile lies there."""


def scene_recipe(number: int, data: Path | None, touching: bool, part: Part = "test") -> tuple[Recipe, dict[str, str]]:
    """The recipe of the n-th scene, going evenly through tilt, size, clutter and number of kingdoms."""
    tilt = TILTS[number % 3]
    size = SIZES[number // 3 % 6]
    clutter = CLUTTERS[number // 18 % 3]
    count = COUNTS[number // 54 % 4] if not touching else 2 + number % 3
    recipe = Recipe(
        photo_sizes=((2400, 1800), (1800, 2400), (2400, 1350)),
        kingdoms=(count, count),
        sizes=(size,),
        tilt=tilt,
        clutter=clutter,
        distance=(0.0, 0.05) if touching else (0.34, 2.0),
        square_pixels=(64.0, 375.0),
    )
    rng = np.random.default_rng((number, 11))
    real_tiles, real_table = rng.random() < 0.6, rng.random() < 0.5
    if data is not None:
        recipe = replace(
            recipe,
            tiles=PhotographedTiles(data, part) if real_tiles else DrawnTiles(),
            tables=PhotographedTables(data, part) if real_table else DrawnTables(),
        )
    groups = {
        "tilt": f"{tilt[0]:.0f}-{tilt[1]:.0f}",
        "size": str(size),
        "clutter": f"{clutter[0]}-{clutter[1]}",
        "kingdoms": str(count),
        "tiles": "photographed" if real_tiles else "drawn",
    }
    return recipe, groups


def half_seen(kingdom: TrueKingdom) -> frozenset[tuple[int, int]]:
    """The squares that cannot be seen whole, as the labels of real boards name those behind a castle."""
    return frozenset((int(r), int(c)) for r, c in np.argwhere(kingdom.hidden > COVERED))


def kept(seed: int, recipe: Recipe, keep: Path = KEEP) -> tuple[bytes, tuple[TrueKingdom, ...]]:
    """The photo of a seed, as a JPEG file, and its kingdoms: rendered unless it was kept; another recipe is another
    file."""
    digest = hashlib.sha256(repr((seed, recipe)).encode()).hexdigest()[:16]
    path = keep / f"{digest}.scene"
    if not path.exists():
        scene = render(seed, recipe=recipe)
        keep.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_bytes(pickle.dumps((jpeg(scene.image), scene.kingdoms)))
        new.replace(path)
    photo, kingdoms = pickle.loads(path.read_bytes())
    return photo, kingdoms
