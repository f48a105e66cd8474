"""Squares of one kingdom are seen in one light: what a doubtful one looks most like there speaks for what it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scorer.calibration.prints import SURE
from scorer.vision.pieces import softmax
from scorer.vision.rectify import Floats

LEAST = 4
"""Squares that are worth comparing."""
NEAR = 0.1
"""How fast likeness falls, in usual distances between two squares."""
STRANGE = 0.1
"""How likely anything is that none of the likest squares shows."""
ALONE = 0.005
"""Weight that strangers have: a square as far from all others as is usual hardly heeds them."""
ROUNDS = 3
"""What a square has learnt from one it tells the next."""


def doubtful(logits: Floats) -> NDArray[np.bool_]:
    return np.asarray(softmax(logits).max(1) < SURE)


def alike(views: Floats, logits: Floats) -> Floats:
    """What is said of the squares of one kingdom, views (N, D) and logits (N, answers), the doubtful ones corrected by
    those they look like."""
    unsure = doubtful(logits)
    if len(views) < LEAST or not unsure.any():
        return logits
    far = np.square(views[:, None] - views[None]).sum(-1)
    weight = np.exp(-far / (NEAR * np.median(far[~np.eye(len(far), dtype=bool)])))
    np.fill_diagonal(weight, 0)
    weight /= weight.sum(1, keepdims=True) + ALONE
    own = np.log(softmax(logits) + 1e-9)
    said = own
    for _ in range(ROUNDS):
        said = own + np.log(weight @ softmax(said) + STRANGE)
    return np.asarray(np.where(unsure[:, None], said, logits), np.float32)
