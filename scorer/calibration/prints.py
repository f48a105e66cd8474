"""Knows printed pictures again: two photos of one print agree in many details, those of two prints in hardly any.

A lesson moves what the networks say of all squares that look a little like those taught. Here a square that may be
misread is compared with the taught ones detail by detail (Lowe, "Distinctive image features from scale-invariant
keypoints", 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.calibration.anchors import Answers, Network
from scorer.vision.pieces import softmax
from scorer.vision.rectify import Floats, Image

SIZE = 144
"""Pixels of a crop in which details are looked for."""
MOST, CONTRAST = 150, 0.01
EDGE = 0.43
"""Details farther from the middle than this part of the crop belong to what lies around."""
CLEARER = 0.8
"""How far the likest detail of the other picture must be, against the second."""
OFF = 4.0
"""Pixels by which details may miss their places."""
SCALES = (0.75, 1.33)
NEAREST = 48
"""Taught squares that a square is compared with: the embedding of new art says little of which are most like it."""
SURE = 0.97
"""What is read with more confidence is compared only if a taught square that shows something else is..."""
LIKE, LESS = 0.35, 0.2
"""...so much like it, and hardly less than those that show what is read; a square is 1 like itself."""
KNEW = 0.9
"""Confidence with which the network knew a square before any lesson."""
SAME: dict[Network, tuple[int, int, int]] = {"classify": (5, 8, 12), "buildings": (20, 20, 20)}
"""Details that agree in two photos of one print; pictures of two may have a crown or a shield in common. First where
what is read is doubtful, then where it is only since the lessons, then where it is sure."""
DETAIL, CHANCE = 0.8, 3
"""Nats that a detail that agrees speaks for what the taught square shows, beyond those that agree by chance: several
prints outvote a slip."""
HEADS: dict[Network, tuple[str, ...]] = {
    "classify": ("terrain",),
    "buildings": ("side", "shield", "cross", "per", "crown", "label", "picture"),
}
"""What a print decides: not crowns, as squares of one drawing have one or two."""


@dataclass(frozen=True, eq=False)
class Details:
    """Where the details of a picture are (N, 2), and what each looks like (N, 128), unit vectors."""

    places: Floats
    marks: Floats


@dataclass(frozen=True, eq=False)
class Prints:
    """Taught squares to be known again.

    views (K, D): how the network sees them, zero where one is set aside; right: what each answers, by head; picture:
    the crop of one of them, uint8
    """

    network: Network
    views: Floats
    right: Sequence[dict[str, int]]
    picture: Callable[[int], Image]
    looked_at: dict[int, Details] = field(default_factory=dict)

    def known(self, views: Floats, crops: Image, before: Answers, said: Answers) -> Answers:
        """What is said of squares, before the lessons and after, corrected where a print is known again."""
        heads = [head for head in HEADS[self.network] if head in said]
        knew, sure = (
            np.min([softmax(answers[head]).max(1) for head in heads], axis=0) >= least
            for answers, least in ((before, KNEW), (said, SURE))
        )
        least = np.select([sure, knew], SAME[self.network][:0:-1], SAME[self.network][0])
        likeness = views @ self.views.T / np.square(views).sum(1, keepdims=True).clip(1e-6)
        likeness[:, ~self.views.any(1)] = -np.inf
        other = self._other({head: said[head].argmax(1) for head in heads}, len(views))
        best, agreed = (np.where(which, likeness, -1).max(1, initial=-1) for which in (other, ~other))
        compared = (best > -1) & (~sure | ((best >= LIKE) & (best >= agreed - LESS)))
        said = said | {head: said[head].copy() for head in heads}
        for number in np.flatnonzero(compared):
            seen, near = details(crops[number]), np.argsort(-likeness[number])[:NEAREST]
            taught = [int(k) for k in near if likeness[number, k] > -np.inf]
            rivals = [k for k in taught if other[number, k] and likeness[number, k] >= LIKE]
            if sure[number] and not any(agreeing(seen, self._details(k), least[number]) for k in rivals):
                continue
            for k in taught:
                evidence = DETAIL * max(0, agreeing(seen, self._details(k), least[number]) - CHANCE)
                for head, answer in self._answers(k).items():
                    said[head][number, answer] += evidence
        return said

    def _answers(self, taught: int) -> dict[str, int]:
        """What a taught square decides."""
        return {head: answer for head, answer in self.right[taught].items() if head in HEADS[self.network]}

    def _other(self, read: dict[str, NDArray[np.int64]], count: int) -> NDArray[np.bool_]:
        """Whether a taught square shows something else than what is read, (squares, taught)."""
        other = np.zeros((count, len(self.right)), bool)
        for taught in range(len(self.right)):
            for head, answer in self._answers(taught).items():
                other[:, taught] |= read[head] != answer
        return other

    def _details(self, taught: int) -> Details:
        if taught not in self.looked_at:
            self.looked_at[taught] = details(self.picture(taught))
        return self.looked_at[taught]


def details(crop: Image) -> Details:
    """The details of a square crop, whatever its light."""
    grey = cv2.createCLAHE(3.0, (4, 4)).apply(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY))
    finder = cv2.SIFT.create(nfeatures=MOST, contrastThreshold=CONTRAST)
    points, marks = finder.detectAndCompute(cv2.resize(grey, (SIZE, SIZE), interpolation=cv2.INTER_CUBIC), None)
    if marks is None:
        return Details(np.empty((0, 2), np.float32), np.empty((0, 128), np.float32))
    places = np.array([point.pt for point in points], np.float32)
    inside = np.abs(places - SIZE / 2).max(1) < EDGE * SIZE
    # Square roots of shares compare better (Arandjelović and Zisserman, "Three things everyone should know", 2012).
    marks = np.sqrt(marks / np.maximum(marks.sum(1, keepdims=True), 1e-6))
    return Details(places[inside], marks[inside])


def agreeing(one: Details, other: Details, least: int = 3) -> int:
    """How many details of one picture are where they should be on the other, moved, turned and resized as a whole; none
    if that is less than `least`."""
    if len(one.places) < least or len(other.places) < least:
        return 0
    far = 1 - one.marks @ other.marks.T
    nearest = np.partition(far, 1, axis=1)
    clear = np.flatnonzero(nearest[:, 0] < CLEARER * nearest[:, 1])
    if len(clear) < least:
        return 0
    matrix, kept = cv2.estimateAffinePartial2D(
        one.places[clear], other.places[far[clear].argmin(1)], ransacReprojThreshold=OFF, maxIters=200
    )
    if matrix is None or not SCALES[0] < np.hypot(*matrix[0, :2]) < SCALES[1] or kept.sum() < least:
        return 0
    return int(kept.sum())
