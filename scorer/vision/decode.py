"""From likely squares to the most likely kingdoms that the box can lay.

Each place by itself may be misread; together they must split into dominoes of the box, have one castle and be laid
by the connection rule. The rules core's exact tiling finds the cheapest such kingdoms, by negative log-probability,
and the runner-up tells how far the next reading is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorer.rules.play import rules_named
from scorer.rules.tiling import Costs, Layout, cheapest
from scorer.vision.classify import LABELS
from scorer.vision.rectify import Floats

KEPT = 12.0
"""Labels this much less likely than the best of a place, in nats, are not tried."""
SECONDS = 1.0
"""The most time for one table; what is not proven by then is a doubt."""
BOX_PATIENCE = 4.0
"""A larger box is believed only where it explains the squares by so many nats better."""
GUESSED = ("kingdomino", "queendomino", "royal-wedding", "xxxl")
"""Rule sets tried when none is named, the smaller box first."""


@dataclass(frozen=True)
class Decoded:
    """labels: rows of labels for each kingdom; other: the runner-up's, if there is one; gap: how much less likely it
    is, in nats; by_box: whether the box can lay what was read; rules: the rule set whose box it was."""

    labels: tuple[tuple[tuple[str, ...], ...], ...]
    other: tuple[tuple[tuple[str, ...], ...], ...] | None
    gap: float
    by_box: bool
    rules: str


def decode(kingdoms: Sequence[Floats], rules: str | None = None) -> Decoded:
    """The kingdoms of one table from log-probabilities (rows, columns, len(LABELS)) each."""
    costs = [_costs(likely) for likely in kingdoms]
    floor = sum(min(of_place.values()) for kingdom in costs for of_place in kingdom.values())
    best: tuple[float, str] | None = None
    for name in (rules,) if rules else GUESSED:
        found = cheapest(costs, rules_named(name).box, runner_up=False, seconds=SECONDS).best
        if found is not None and (best is None or found.cost < best[0] - BOX_PATIENCE):
            best = found.cost, name
            if found.cost <= floor + BOX_PATIENCE:
                break
    if best is None:
        return Decoded(tuple(_alone(likely) for likely in kingdoms), None, 0.0, False, rules or GUESSED[0])
    solution = cheapest(costs, rules_named(best[1]).box, seconds=SECONDS)
    assert solution.best is not None
    if solution.runner_up is not None:
        gap = solution.runner_up.cost - solution.best.cost
    else:
        gap = math.inf if solution.runner_up_proven else 0.0
    other = _labels(solution.runner_up, kingdoms) if solution.runner_up else None
    return Decoded(_labels(solution.best, kingdoms), other, gap, solution.proven, best[1])


def _costs(likely: Floats) -> Costs:
    rows, columns, _ = likely.shape
    costs: dict[tuple[int, int], dict[str, float]] = {}
    for r in range(rows):
        for c in range(columns):
            values = likely[r, c]
            most = values.max()
            costs[r, c] = {LABELS[i]: float(-values[i]) for i in np.flatnonzero(values >= most - KEPT)}
    return costs


def _alone(likely: Floats) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(LABELS[int(i)] for i in row) for row in likely.argmax(axis=2))


def _labels(layout: Layout, kingdoms: Sequence[Floats]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    return tuple(
        tuple(tuple(labels[r, c] for c in range(likely.shape[1])) for r in range(likely.shape[0]))
        for labels, likely in zip(layout.kingdoms, kingdoms, strict=True)
    )
