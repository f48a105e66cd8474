"""Renders the scenes that ``models.train.locate`` trains on.

    python -m models.train.locate_render --data FOLDER --out FOLDER --from 0 --to 3000

Seeds below one million are for training; ``benchmarks/locate.py`` tests on seeds above.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from models.train.locate_scenes import KnownKingdom, KnownScene, save
from scorer.render import (
    ChequeredTables,
    DrawnTables,
    DrawnTiles,
    MixedTables,
    PhotographedTables,
    PhotographedTiles,
    Recipe,
    Scene,
    VariedTables,
    render,
)

SIZES = ((1600, 1200), (1200, 1600), (1600, 900), (1400, 1400))

HIDDEN = 0.9
"""Share of a tile that is covered or outside the photo from which on nobody can tell that it lies there."""


def tables(data: Path) -> MixedTables:
    """Photographed and drawn ones, most of them in other colours, mixed or chequered: nobody's table is among those we
    have."""
    known = MixedTables(((PhotographedTables(data), 0.7), (DrawnTables(), 0.3)))
    return MixedTables(((known, 0.3), (VariedTables(known), 0.45), (ChequeredTables(known), 0.25)))


def recipe_for(seed: int, data: Path | None) -> Recipe:
    """What to render for a seed: drawn and photographed tiles and tables, apart and touching, one to four kingdoms."""
    rng = np.random.default_rng((seed, 7))
    recipe = Recipe(
        photo_sizes=SIZES,
        sizes=(3, 4, 5, 5, 7, 7, 9),
        square_pixels=(36.0, 280.0),
        margin=(-0.05, 0.12),
        standing_castle=0.5,
    )
    count = int(rng.choice([0, 1, 2, 3, 4], p=[0.05, 0.35, 0.3, 0.15, 0.15]))
    distance = (0.0, 0.3) if rng.random() < 0.5 else (0.34, 2.0)
    recipe = replace(recipe, kingdoms=(count, count), distance=distance)
    if data is not None:
        tiles = PhotographedTiles(data) if rng.random() < 0.6 else DrawnTiles()
        recipe = replace(recipe, tiles=tiles, tables=tables(data))
    return recipe


def known(scene: Scene) -> KnownScene:
    kingdoms = []
    for kingdom in scene.kingdoms:
        grid = np.array([[cell[0] for cell in line] for line in kingdom.grid])
        castle = grid == "C"
        hidden = (kingdom.hidden > HIDDEN) & ~(castle & kingdom.castle_stands)
        kingdoms.append(KnownKingdom(kingdom.quads, kingdom.tile_quads, castle, hidden))
    return KnownScene(scene.image, tuple(kingdoms))


def parse(documentation: str | None, first: int, last: int, **more: int) -> argparse.Namespace:
    """What is told to everything that renders scenes to train on: folders, seeds, and other numbers by name."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--from", dest="first", type=int, default=first)
    parser.add_argument("--to", dest="last", type=int, default=last)
    for name, value in more.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.out.mkdir(parents=True, exist_ok=True)
    return options


def main() -> None:
    options = parse(__doc__, 0, 3000)
    for seed in range(options.first, options.last):
        path = options.out / f"{seed:06d}.npz"
        if not path.exists():
            save(path, known(render(seed, recipe=recipe_for(seed, options.data))))


if __name__ == "__main__":
    main()
