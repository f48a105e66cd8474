"""Reads all squares of a kingdom from one straight picture of it.

A crop of one square shows a knight's foot without its body, which leans over the square behind. Here the network sees
every piece in full, and what stands around it.
"""

from __future__ import annotations

import numpy as np

from scorer.vision import models
from scorer.vision.pieces import HEADS, PARTS, split
from scorer.vision.rectify import Floats, Image, Matrix, Pyramid, side

SQUARE, BORDER = 64, 0.5
"""Pixels of a square in the picture, and the part of a square shown around the kingdom."""
ANSWERS = ("terrain", "crowns", "pieces", "signs")


def straight(
    pyramid: Pyramid, homography: Matrix, rows: int, columns: int, square: int = SQUARE, border: float = BORDER
) -> Image:
    """The kingdom and its border as one picture uint8 (H, W, 3) RGB; `homography`: grid to photo."""
    to_grid = np.array([[1 / square, 0, -border], [0, 1 / square, -border], [0, 0, 1]])
    width, height = (round(square * (count + 2 * border)) for count in (columns, rows))
    return pyramid.view(homography @ to_grid, width, height, side(homography, columns / 2, rows / 2) / square)


def answers(pyramid: Pyramid, homography: Matrix, rows: int, columns: int) -> dict[str, Floats]:
    """Logits (rows * columns, answers) of what each place shows, in reading order, by head as those of `classify`
    and `buildings`. Where something stands on any, the mean over the kingdom and its mirror image, in which nobody asks
    for what is printed."""
    picture = straight(pyramid, homography, rows, columns)
    said = _said(picture)
    likely = split(said["pieces"], HEADS)
    if min(likely[name][:, 0].min() for name in ("building", *PARTS)) < 0.5:
        mirrored = _said(picture[:, ::-1])
        back = np.arange(rows * columns).reshape(rows, columns)[:, ::-1].ravel()
        for name in ("terrain", "crowns", "pieces"):
            said[name] = np.asarray((said[name] + mirrored[name][back]) / 2, np.float32)
    return said


def _said(picture: Image) -> dict[str, Floats]:
    shown = np.ascontiguousarray(picture.transpose(2, 0, 1)[None], np.float32)
    return dict(zip(ANSWERS, models.load("whole").run(list(ANSWERS), {"kingdom": shown}), strict=True))
