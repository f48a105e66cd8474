"""Ruled lines in a straightened table, told from writing, and where exactly they cross on bent paper."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.rectify import Floats

ROW = 40
"""Pixels of a row in a straightened table."""
DARK = 0.10
"""Ink from here on may be a line."""
ACROSS, DOWN = 1.2, 1.6
"""Pieces of a line are at least so many rows long: wider than a dash, higher than a digit that touches a line."""
GAP = 5
"""Pixels that may be missing within a piece."""

Mask = NDArray[np.uint8]


def pieces(mask: Mask) -> tuple[Mask, Mask]:
    """The pieces of lines across and down in a mask of what is dark."""
    return _long(mask, (1, round(ACROSS * ROW))), _long(mask, (round(DOWN * ROW), 1))


def _long(mask: Mask, shape: tuple[int, int]) -> Mask:
    """What of a mask is at least so long in one direction, not counting gaps of a few pixels."""
    along = np.ones([min(side, GAP) for side in shape], np.uint8)
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, along)
    return np.asarray(cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones(shape, np.uint8)), np.uint8)


def crossings(across: Mask, down: Mask, xs: Sequence[float], ys: Sequence[float], reach: int) -> Floats:
    """Where lines cross, (rows, columns, 2), each looked for within `reach` of where straight lines would cross."""
    points = np.zeros((len(ys), len(xs), 2), np.float32)
    for (i, y), (j, x) in itertools.product(enumerate(ys), enumerate(xs)):
        points[i, j] = (_near(down.T, x, y, reach), _near(across, y, x, reach))
    return points


def _near(seen: Mask, place: float, middle: float, reach: int) -> float:
    """The middle of the line near row `place`, looked at around column `middle`; `place` where none is seen."""
    top = max(0, round(place) - reach)
    part = seen[top : round(place) + reach + 1, max(0, round(middle) - ROW // 2) : round(middle) + ROW // 2]
    weight = part.sum(axis=1).astype(np.float64) ** 2
    if not weight.sum():
        return place
    return top + float((weight * np.arange(len(weight))).sum() / weight.sum())
