"""A column read as a whole: its rows must add up to its total, unless its writer added wrongly.

Rows are independent but for their sum, so the chance of every sum can be carried from row to row (a sum-product over
partial sums); the total, and how people go wrong when adding, weigh the sums at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.vision.pads.numbers import TEXTS, Chances

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

ADDED_RIGHTLY = 0.93
"""How often people add a column rightly."""
NEAR = 30
"""Wrong sums are off by at most so much, each as likely as the other."""
FAR = 1e-6
"""Chance of any other wrong total."""
NO_TOTAL = 0.01
"""Chance that no total was written."""
BLUNDER = 1e-4
"""Chance that a cell says any one of the likeliest texts, whatever the network thinks of it."""
KEPT = 12
"""Texts of a cell that are considered."""
SUMS = 1000
"""No column adds up to as much."""

RARE = ((50, 0.3), (99, 0.1))
"""Rows above so many points are so much rarer than smaller ones: it takes a 7x7 and a lucky hand."""

VALUES = np.array([int(text) if text.isdigit() else 0 for text in TEXTS])


@dataclass(frozen=True)
class Column:
    """What a column says. Lists run from the first row to the total.

    texts, confidence, others: each cell's text, its chance, and the likeliest other text; `sure`: the chance that all
    of it is right; `wrong_sum`: the chance that its writer added wrongly, given what was read.
    """

    texts: tuple[str, ...]
    confidence: tuple[float, ...]
    others: tuple[str, ...]
    sure: float
    wrong_sum: float

    @property
    def adds_up(self) -> int:
        return sum(int(text) for text in self.texts[:-1] if text.isdigit())


EXPECTED = np.prod([np.where(points < VALUES, share, 1.0) for points, share in RARE], axis=0)
"""How likely a row is to say each text, before looking."""


def _believed(chances: Chances) -> Chances:
    """Chances of texts (cells, len(TEXTS)) as far as they matter: only the likeliest, and none of them nought."""
    order = np.argsort(-chances, axis=1, kind="stable")[:, :KEPT]  # ties fall alike on every processor
    kept = np.zeros_like(chances)
    np.put_along_axis(kept, order, np.take_along_axis(chances, order, axis=1) + BLUNDER, axis=1)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def alone(chances: Chances) -> tuple[str, ...]:
    """Every cell by itself, the sum not asked."""
    return tuple(TEXTS[int(i)] for i in chances.argmax(axis=1))


def decode(chances: Chances) -> Column:
    """The likeliest column; `chances` (cells, len(TEXTS)), last the total."""
    cells = _believed(np.concatenate([chances[:-1] * EXPECTED, chances[-1:]]))
    rows, total = cells[:-1], cells[-1]
    *choices, totals = [np.flatnonzero(cell) for cell in cells]
    given = _given_sum(totals) * total[totals]
    before = _forward(rows, choices)
    after = _backward(rows, choices, given.sum(axis=1))
    whole = float(before[-1] @ after[-1])
    each = np.zeros_like(cells)
    for i, row in enumerate(rows):
        each[i] = _each(row, choices[i], before[i], after[i + 1]) / whole
    each[-1, totals] = (before[-1] @ given) / whole
    picked, chance = _likeliest(rows, choices, given)
    picked[-1] = int(totals[picked[-1]])
    sums = VALUES[totals]
    rightly = float((before[-1][sums] * given[sums, np.arange(len(totals))]).sum()) / whole
    sure = each[np.arange(len(picked)), picked]
    each[np.arange(len(picked)), picked] = -1
    return Column(
        tuple(TEXTS[i] for i in picked),
        tuple(float(value) for value in sure),
        tuple(TEXTS[int(i)] for i in each.argmax(axis=1)),
        chance / whole,
        1 - rightly if TEXTS[picked[-1]].isdigit() else 0.0,
    )


def _given_sum(totals: Places) -> Numbers:
    """(SUMS, totals): the chance that somebody writes each of these totals, if his rows add up to a sum."""
    off = np.abs(VALUES[totals][None, :] - np.arange(SUMS)[:, None])
    wrote = np.where(off == 0, ADDED_RIGHTLY, np.where(off <= NEAR, (1 - ADDED_RIGHTLY) / (2 * NEAR), FAR))
    wrote[:, totals == TEXTS.index("")] = NO_TOTAL
    return np.asarray(wrote)


def _forward(rows: Chances, choices: list[Places]) -> list[Numbers]:
    """before[i][s]: the chance that the first i rows add up to s."""
    state = np.zeros(SUMS)
    state[0] = 1
    states = [state]
    for row, choice in zip(rows, choices, strict=True):
        new = np.zeros(SUMS)
        for text in choice:
            new[VALUES[text] :] += row[text] * state[: SUMS - VALUES[text]]
        state = new
        states.append(state)
    return states


def _backward(rows: Chances, choices: list[Places], end: Numbers) -> list[Numbers]:
    """after[i][s]: the weight of all ways to go on from a sum s after i rows."""
    states = [end]
    for row, choice in zip(rows[::-1], choices[::-1], strict=True):
        new = np.zeros(SUMS)
        for text in choice:
            new[: SUMS - VALUES[text]] += row[text] * states[0][VALUES[text] :]
        states.insert(0, new)
    return states


def _each(row: Numbers, choice: Places, before: Numbers, after: Numbers) -> Numbers:
    """The weight of every text of one row, whatever the others say (len(TEXTS),)."""
    weight = np.zeros(len(TEXTS))
    for text in choice:
        weight[text] = row[text] * (before[: SUMS - VALUES[text]] @ after[VALUES[text] :])
    return weight


def _likeliest(rows: Chances, choices: list[Places], given: Chances) -> tuple[list[int], float]:
    """The likeliest texts of the rows, the place of the total's, and their joint weight (Viterbi over partial sums)."""
    best = np.zeros(SUMS)
    best[0] = 1
    came: list[Places] = []
    for row, choice in zip(rows, choices, strict=True):
        new, through = np.zeros(SUMS), np.zeros(SUMS, np.int64)
        for text in choice:
            value = VALUES[text]
            grown = row[text] * best[: SUMS - value]
            better = grown > new[value:]
            new[value:][better] = grown[better]
            through[value:][better] = text
        best = new
        came.append(through)
    joint = best[:, None] * given
    total, text = np.unravel_index(int(joint.argmax()), joint.shape)
    picked = [int(text)]
    place = int(total)
    for through in reversed(came):
        picked.insert(0, int(through[place]))
        place -= int(VALUES[picked[0]])
    return picked, float(joint.max())
