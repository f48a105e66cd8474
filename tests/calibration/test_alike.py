"""Doubtful squares go by those of their kingdom that they look like; sure ones stay as they are."""

import numpy as np

from scorer.calibration.alike import alike, doubtful
from scorer.vision.rectify import Floats

SIZE, ANSWERS = 16, 4


def kingdom(seed: int, doubts: int) -> tuple[Floats, Floats, np.ndarray]:
    """Squares of three kinds that look alike, the first of them read with doubt and wrongly."""
    rng = np.random.default_rng(seed)
    kinds = np.arange(24) % 3
    views = rng.normal(0, 1, (3, SIZE))[kinds] + rng.normal(0, 0.2, (24, SIZE))
    views /= np.linalg.norm(views, axis=1, keepdims=True)
    logits = 8 * np.eye(ANSWERS)[kinds]
    logits[:doubts] = 0.5 * np.eye(ANSWERS)[3]
    return views.astype(np.float32), logits.astype(np.float32), kinds


def test_doubtful_squares_go_by_those_they_look_like() -> None:
    views, logits, kinds = kingdom(0, 6)
    assert doubtful(logits).sum() == 6
    read = alike(views, logits)
    assert (read.argmax(1) == kinds).all()
    assert (read[6:] == logits[6:]).all()


def test_a_doubtful_square_like_no_other_stays_in_doubt() -> None:
    views, logits, _ = kingdom(1, 1)
    views[0] = -views[1:].mean(0) / np.linalg.norm(views[1:].mean(0))
    logits[0] = [0, 0, 0, 1.5]
    assert alike(views, logits)[0].argmax() == 3


def test_few_squares_are_not_compared() -> None:
    views, logits, _ = kingdom(2, 3)
    assert (alike(views[:3], logits[:3]) == logits[:3]).all()
