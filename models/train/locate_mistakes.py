"""Finds what the straightener should learn from in the training scenes: what the spotter takes for a kingdom and is
none, and kingdoms whose places were judged badly.

python -m models.train.locate_mistakes --scenes FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from models.train.locate_scenes import KnownKingdom, Mistakes, load, mistakes_file
from models.train.locate_targets import grid_homography, tiles_of
from scorer.vision.lattice import grow
from scorer.vision.rectify import Pyramid
from scorer.vision.spot import spot
from scorer.vision.straighten import OUTSIDE, look

MOST = 20.0
"""Nats that a kingdom counts at most: beyond, something else is wrong with it."""


def cost(pyramid: Pyramid, kingdom: KnownKingdom) -> float:
    """What the straightener's word on the places of a kingdom, around it, and on its castle costs, in nats."""
    seen = look(pyramid, grid_homography(kingdom), *kingdom.castle.shape)
    lies = np.pad(~np.isnan(kingdom.tile_quads).any((-1, -2)), 1)
    asked = (seen.tile > -OUTSIDE) & ~np.pad(kingdom.hidden, 1)
    tiles = np.logaddexp(0, np.where(lies, -seen.tile, seen.tile))[asked].sum()
    castle = np.logaddexp(0, -seen.castle)[asked & np.pad(kingdom.castle, 1)].sum()
    return min(MOST, float(tiles + castle))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=Path, required=True)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for path in sorted(options.scenes.glob("*.npz")):
        if mistakes_file(path).exists():
            continue
        scene = load(path)
        centres = tiles_of(scene, np.eye(3)).quads.mean(1)
        pyramid = Pyramid.of(scene.image)
        squares = spot(pyramid)
        wrong = []
        for patch in grow(squares):
            away = np.linalg.norm(squares.centre[patch.index][:, None] - centres[None], axis=2)
            on_tiles = (away < 0.8 * squares.side[patch.index][:, None]).any(1)
            if on_tiles.mean() < 0.3:
                wrong.append(patch.homography)
        costs = [cost(pyramid, kingdom) for kingdom in scene.kingdoms]
        Mistakes(np.array(wrong).reshape(-1, 3, 3), np.array(costs)).save(path)


if __name__ == "__main__":
    main()
