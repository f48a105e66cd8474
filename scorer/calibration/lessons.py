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

REACH = 1000.0
"""Variance of the prior: how far, in squared nats, a lesson may go for a square just like its examples."""
ANCHOR_WEIGHT = 0.25
"""What an anchor counts beside an example."""
STEPS = 120
TRIMMED = 0.05
"""An example that the others make less likely than this is taken for a slip..."""
SUPPORT = 3
"""...if there are as many of its kind. Fewer are believed: it may be all there is of new art."""
FOLDS = 5
UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class Examples:
    """Squares of which the answer to one question is known.

    views (N, D), said (N, answers): how the network sees them and what it says; right (N,): the answer; groups (N,):
    those that are left out together when they test each other.
    """

    views: Floats
    said: Floats
    right: Numbers
    groups: Numbers

    def part(self, which: NDArray[np.bool_]) -> Examples:
        return Examples(self.views[which], self.said[which], self.right[which], self.groups[which])

    def likely(self, lesson: Floats) -> Floats:
        """Probability of each right answer after a lesson."""
        after = softmax(self.said + self.views @ lesson)
        return np.asarray(after[np.arange(len(self.right)), self.right], np.float32)

    def wrong(self, after: Floats) -> int:
        """How many are misread."""
        return int((after.argmax(1) != self.right).sum())


@dataclass(frozen=True, eq=False)
class Studied:
    """The lesson (D, answers) of examples; which of them were believed (N,); what is said of each (N, answers) after
    the lesson of those in other groups."""

    lesson: Floats
    believed: NDArray[np.bool_]
    after: Floats


def study(examples: Examples, held: Anchors, head: str) -> Studied:
    """What examples teach one head, slips among them left aside."""
    kept = believed(examples, held, head)
    after = examples.said.copy()
    for fold in folds(examples.groups):
        after[fold] += examples.views[fold] @ _fit(examples.part(kept & ~fold), held, head)
    return Studied(_fit(examples.part(kept), held, head), kept, after)


def believed(examples: Examples, held: Anchors, head: str) -> NDArray[np.bool_]:
    """Which examples are no slips, judged by the others: twice, as slips mislead the judges."""
    kept = np.ones(len(examples.right), bool)
    rare = np.bincount(examples.right)[examples.right] < SUPPORT
    folds = np.random.default_rng(0).permutation(len(kept)) % FOLDS
    for _ in range(2):
        likely = np.ones(len(kept))
        for fold in range(min(FOLDS, len(kept))):
            judged = folds == fold
            lesson = _fit(examples.part(kept & ~judged), held, head)
            likely[judged] = examples.part(judged).likely(lesson)
        kept = rare | (likely >= TRIMMED)
    return kept


def folds(groups: Numbers) -> Sequence[NDArray[np.bool_]]:
    numbers = np.unique(groups, return_inverse=True)[1] % FOLDS
    return [numbers == fold for fold in range(min(FOLDS, int(numbers.max(initial=-1)) + 1))]


def _fit(examples: Examples, held: Anchors, head: str) -> Floats:
    """Softmax regression by steps of Newton's size under a bound of the curvature that holds everywhere (Böhning,
    "Multinomial logistic regression algorithm", 1992), with Nesterov's momentum."""
    said = np.concatenate([examples.said, held.said[head]]).astype(np.float64)
    views = np.concatenate([examples.views, held.views]).astype(np.float64)
    target = softmax(said)
    target[: len(examples.right)] = np.eye(said.shape[1])[examples.right]
    weight = np.full(len(said), ANCHOR_WEIGHT)
    weight[: len(examples.right)] = 1.0
    size = views.shape[1]
    step = np.linalg.inv(0.5 * (views.T * weight) @ views + np.eye(size) / REACH)
    lesson = ahead = np.zeros((size, said.shape[1]))
    for number in range(STEPS):
        residual = weight[:, None] * (softmax(said + views @ ahead) - target)
        following = ahead - step @ (views.T @ residual + ahead / REACH)
        ahead = following + number / (number + 3) * (following - lesson)
        lesson = following
    return lesson.astype(np.float32)
