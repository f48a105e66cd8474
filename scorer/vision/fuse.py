"""Several photos of one kingdom made one: what glare or a castle hides in one photo, another shows.

The grids of two photos differ by a quarter turn and a shift (a photo may cut a row off). Tried are all of them; the one
under which both photos agree best is taken, and what they say is put together place by place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scorer.vision.classify import EMPTY, LABELS
from scorer.vision.rectify import Floats
from scorer.vision.seen import Seen

MOST_SHIFT = 2
"""Rows or columns that one photo may lack."""
LEAST_SHARED = 0.5
"""Part of the smaller grid that both photos must show."""
LEAST_AGREEMENT = 0.5
"""Nats a shared place by which two photos of one kingdom must agree better than photos of any two."""
WORST = -7.0
"""One photo says no less of a label than this: what it cannot see it must not forbid."""
BEYOND = 0.02
"""How likely a place that only one photo shows holds a tile, as seen from the other."""


@dataclass(frozen=True)
class Alignment:
    """Turned by `turn` quarters (as np.rot90 counts), the other grid's first place lies at (row, column) of this one.
    agreement: nats a place by which this is likelier than chance."""

    turn: int
    row: int
    column: int
    agreement: float


def align(one: Floats, other: Floats) -> Alignment | None:
    """How `other` lies on `one`, log-probabilities (rows, columns, labels) each; None if they show two kingdoms."""
    best: Alignment | None = None
    for turn in range(4):
        turned = np.rot90(other, turn)
        for row in range(-MOST_SHIFT, MOST_SHIFT + 1 + max(0, one.shape[0] - turned.shape[0])):
            for column in range(-MOST_SHIFT, MOST_SHIFT + 1 + max(0, one.shape[1] - turned.shape[1])):
                agreement = _agreement(one, turned, row, column)
                if agreement is not None and (best is None or agreement > best.agreement):
                    best = Alignment(turn, row, column, agreement)
    return best if best and best.agreement >= LEAST_AGREEMENT else None


def _overlap(one: Floats, other: Floats, row: int, column: int) -> tuple[slice, slice, slice, slice]:
    """Rows and columns of `one`, then of `other`, that both show."""
    top, left = max(0, row), max(0, column)
    bottom, right = min(one.shape[0], row + other.shape[0]), min(one.shape[1], column + other.shape[1])
    return (
        slice(top, max(top, bottom)),
        slice(left, max(left, right)),
        slice(top - row, max(top, bottom) - row),
        slice(left - column, max(left, right) - column),
    )


def _agreement(one: Floats, other: Floats, row: int, column: int) -> float | None:
    """Nats a place of either grid by which the two agree better than two chance kingdoms would."""
    rows, columns, other_rows, other_columns = _overlap(one, other, row, column)
    here, there = one[rows, columns], other[other_rows, other_columns]
    shared = here.shape[0] * here.shape[1]
    if shared < LEAST_SHARED * min(one.shape[0] * one.shape[1], other.shape[0] * other.shape[1]):
        return None
    usual = _usual(one, other)
    both = np.logaddexp.reduce(here + there - usual, axis=2).sum()
    empty = LABELS.index(EMPTY)
    alone = 0.0
    for whole, inside in ((one, (rows, columns)), (other, (other_rows, other_columns))):
        outside = np.ones(whole.shape[:2], bool)
        outside[inside] = False
        lies = np.exp(whole[outside][:, empty])
        alone += float(np.log(lies + (1 - lies) * BEYOND).sum())
    places: int = one.shape[0] * one.shape[1] + other.shape[0] * other.shape[1] - shared
    return (float(both) + alone) / places


def _usual(one: Floats, other: Floats) -> Floats:
    """Log of how often each label is seen at all."""
    share = np.concatenate([np.exp(one).reshape(-1, len(LABELS)), np.exp(other).reshape(-1, len(LABELS))])
    return np.asarray(np.log(share.mean(axis=0) + 1e-3), np.float32)


def fuse(photos: list[tuple[Seen, ...]]) -> tuple[tuple[Seen, ...], int]:
    """The kingdoms of the photo that shows most of them, with what the other photos say of the same ones put in; and
    how many kingdoms of the other photos were not recognised."""
    base = max(photos, key=lambda kingdoms: sum(seen.likely.shape[0] * seen.likely.shape[1] for seen in kingdoms))
    result = list(base)
    strangers = 0
    for kingdoms in photos:
        if kingdoms is base:
            continue
        for seen in kingdoms:
            found = [(align(known.likely, seen.likely), i) for i, known in enumerate(base)]
            matches = [(match, i) for match, i in found if match]
            if not matches:
                strangers += 1
                continue
            match, i = max(matches, key=lambda pair: pair[0].agreement)
            result[i] = replace(result[i], likely=_sum(result[i].likely, seen.likely, match))
    return tuple(result), strangers


def _sum(one: Floats, other: Floats, match: Alignment) -> Floats:
    turned = np.rot90(other, match.turn)
    rows, columns, other_rows, other_columns = _overlap(one, turned, match.row, match.column)
    joint = one.copy()
    joint[rows, columns] = np.maximum(joint[rows, columns], WORST) + np.maximum(
        turned[other_rows, other_columns], WORST
    )
    joint -= np.logaddexp.reduce(joint, axis=2, keepdims=True)
    return np.asarray(joint, np.float32)
