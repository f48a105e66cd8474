"""What examples teach: corrections to the answers of a network, no larger than the examples support.

A network's answers are linear in its embedding. A lesson adds another linear term to those of one head: the likeliest
one for the examples by softmax regression, with a prior that holds it at zero. Examples that are read right already
change next to nothing; anchors, squares on which the answers must stay as they are, keep what was known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.calibration.anchors import Anchors
from scorer.vision.pieces import softmax
from scorer.vision.rectify import Floats

Numbers = NDArray[np.int64]

REACH = 400.0
"""Variance of the prior: how far, in squared nats, a lesson may go for a square just like its examples."""
ANCHOR_WEIGHT = 0.2
"""What an anchor counts beside an example."""
STEPS = 120
TRIMMED, DENIED = 0.05, 0.9
"""An example that the others make less likely than this is taken for a slip if they make something else as likely as
that: of new art they know little..."""
SUPPORT = 3
"""...and if there are as many of its kind. Fewer are believed: it may be all there is of new art."""
FOLDS = 5
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Examples:
    """N squares of which the answer to one question is known, and varied copies of some.

    views (M, D), said (M, answers): how the network sees the squares, then the copies, and what it says; right (N,):
    the answer; groups (N,): squares that are left out together when they test each other; squares (M,): of which
    square each row is a view
    """

    views: Floats
    said: Floats
    right: Numbers
    groups: Numbers
    squares: Numbers

    def part(self, known: NDArray[np.bool_]) -> Examples:
        """Some of the squares, with their copies."""
        rows = known[self.squares]
        number = np.cumsum(known) - 1
        return Examples(
            self.views[rows], self.said[rows], self.right[known], self.groups[known], number[self.squares[rows]]
        )

    def after(self, lesson: Floats) -> Floats:
        """What is said of each square after a lesson."""
        count = len(self.right)
        return np.asarray(self.said[:count] + self.views[:count] @ lesson, np.float32)

    def wrong(self, after: Floats) -> int:
        """How many squares are misread."""
        return int((after.argmax(1) != self.right).sum())


@dataclass(frozen=True, eq=False)
class Studied:
    """The lesson (D, answers) of examples; which of them were believed (N,); what is said of each (N, answers) after
    the lesson of those in other groups."""

    lesson: Floats
    believed: NDArray[np.bool_]
    after: Floats


def study(examples: Examples, held: Anchors, head: str) -> Studied:
    """What examples teach one head, slips among them left aside; nothing where all are read right."""
    plain = examples.said[: len(examples.right)]
    if not examples.wrong(plain):
        nothing = np.zeros((examples.views.shape[1], plain.shape[1]), np.float32)
        return Studied(nothing, np.ones(len(plain), bool), plain)
    kept = believed(examples, held, head)
    after = plain.copy()
    for fold in folds(examples.groups):
        after[fold] = examples.after(_fit(examples.part(kept & ~fold), held, head))[fold]
    return Studied(_fit(examples.part(kept), held, head), kept, after)


def believed(examples: Examples, held: Anchors, head: str) -> NDArray[np.bool_]:
    """Which examples are no slips, judged by the others: twice, as slips mislead the judges."""
    kept = np.ones(len(examples.right), bool)
    rare = np.bincount(examples.right)[examples.right] < SUPPORT
    folds = np.random.default_rng(0).permutation(len(kept)) % FOLDS
    for _ in range(2):
        slip = np.zeros(len(kept), bool)
        for fold in range(min(FOLDS, len(kept))):
            judged = folds == fold
            after = softmax(examples.after(_fit(examples.part(kept & ~judged), held, head)))
            denied = (after.max(1) >= DENIED) & (after[np.arange(len(kept)), examples.right] < TRIMMED)
            slip[judged] = denied[judged]
        kept = rare | ~slip
    return kept


def folds(groups: Numbers) -> Sequence[NDArray[np.bool_]]:
    numbers = np.unique(groups, return_inverse=True)[1] % FOLDS
    return [numbers == fold for fold in range(min(FOLDS, int(numbers.max(initial=-1)) + 1))]


def _fit(examples: Examples, held: Anchors, head: str) -> Floats:
    """Softmax regression by steps of Newton's size under a bound of the curvature that holds everywhere (Böhning,
    "Multinomial logistic regression algorithm", 1992), with Nesterov's momentum."""
    said = np.concatenate([examples.said, held.said[head]])
    views = np.concatenate([examples.views, held.views])
    target = softmax(said)
    target[: len(examples.said)] = np.eye(said.shape[1])[examples.right[examples.squares]]
    weight = np.full(len(said), ANCHOR_WEIGHT, np.float32)
    weight[: len(examples.said)] = 1.0
    size = views.shape[1]
    curved = 0.5 * (views.T * weight) @ views + np.eye(size) / REACH
    step = np.linalg.inv(curved).astype(np.float32)
    lesson = ahead = np.zeros((size, said.shape[1]), np.float32)
    for number in range(STEPS):
        residual = weight[:, None] * (softmax(said + views @ ahead) - target)
        following = ahead - step @ (views.T @ residual + ahead / REACH)
        ahead = following + number / (number + 3) * (following - lesson)
        lesson = following
    return lesson
