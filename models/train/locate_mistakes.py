"""Finds what the spotter takes for a kingdom in the training scenes and is none, for the straightener to learn from.

python -m models.train.locate_mistakes --scenes FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from models.train.locate_scenes import load, mistakes_file
from models.train.locate_targets import tiles_of
from scorer.vision.lattice import grow
from scorer.vision.rectify import Pyramid
from scorer.vision.spot import spot


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
        squares = spot(Pyramid.of(scene.image))
        wrong = []
        for patch in grow(squares):
            away = np.linalg.norm(squares.centre[patch.index][:, None] - centres[None], axis=2)
            on_tiles = (away < 0.8 * squares.side[patch.index][:, None]).any(1)
            if on_tiles.mean() < 0.3:
                wrong.append(patch.homography)
        np.save(mistakes_file(path), np.array(wrong).reshape(-1, 3, 3))


if __name__ == "__main__":
    main()
