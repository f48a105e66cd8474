"""From likely squares to the most likely kingdoms that the box can lay.

Each place by itself may be misread; together they must split into dominoes of the box and have one castle. The rules
core's exact tiling finds the cheapest such kingdoms, by negative log-probability. The connection rule is left aside:
of the kingdoms on real tables one in six breaks it.

The box may overrule the network only where the network itself hesitates: a label KEPT nats below the likeliest is not
tried, and a kingdom MOST nats below the likeliest labels is not believed. What then cannot be laid (house tiles,
another box, a misread grid) stays as the network read it, and says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorer.rules.catalogue import RULE_SETS
from scorer.rules.clock import now
from scorer.rules.message import Message, Term, msg
from scorer.rules.play import rules_named
from scorer.rules.tiling import Box, Costs, Layout, Place, alternatives, cheapest
from scorer.vision.classify import CASTLE, EMPTY, LABELS
from scorer.vision.rectify import Floats

KEPT = 7.0
"""Labels this much less likely than the best of a place, in nats, are not tried."""
BELIEF = 0.99
"""How sure it is, before anything is seen, that a kingdom was laid with dominoes of a known box."""
MOST = math.log(BELIEF / (1 - BELIEF))
"""The likeliest kingdom of the box may be this much less likely than the likeliest labels, in nats: beyond, it is
likelier that the box did not lay it."""
GAP = 4.6
"""How far below the best other kingdoms are looked for, in nats: one in a hundred."""
SECONDS = 0.25
"""The most time for one table, shared by its searches: about that of loading and locating."""
BOX_PATIENCE = 4.0
"""A larger box is believed only where it explains the squares by so many nats better."""
GUESSED = ("kingdomino", "queendomino", "royal-wedding")
"""Rule sets tried when none is named, the smaller box first. That of xxxl has dominoes nobody listed, and could
explain anything: it must be named, or show in a kingdom wider than SEVEN."""
SEVEN = 7

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class DecodedKingdom:
    """labels: what each place shows; plain: the same with every place read by itself; other: the next best of each
    place; confidence: (rows, columns) float32 in 0..1; sure: how likely all of it is right; by_box: whether the box can
    lay the labels; odd: places that the box would read differently where it was not believed, and why it was not."""

    labels: Rows
    plain: Rows
    other: Rows
    confidence: Floats
    sure: float
    by_box: bool
    odd: frozenset[Place] = frozenset()
    why_odd: Message | None = None


@dataclass(frozen=True)
class Decoded:
    """kingdoms: in the order given; rules: the rule set whose box it was; notes: what was unusual, in words."""

    kingdoms: tuple[DecodedKingdom, ...]
    rules: str
    notes: tuple[Message, ...] = ()


@dataclass
class _Search:
    """The costs of a table's kingdoms, and the time left to think about them."""

    costs: list[Costs]
    deadline: float

    def alone(self, box: Box) -> list[Layout | None]:
        return [self.solve([costs], box, MOST) for costs in self.costs]

    def solve(self, costs: Sequence[Costs], box: Box, most: float) -> Layout | None:
        """The cheapest layout, if it costs at most so much more than labels with one castle in each kingdom."""
        most += sum(_floor(of_one) - _least(of_one) for of_one in costs)
        found = cheapest(costs, box, runner_up=False, ordered=False, most=most, seconds=self.left)
        return found.best if found.proven else None

    @property
    def left(self) -> float:
        return self.deadline - now()


def decode(kingdoms: Sequence[Floats], rules: str | None = None) -> Decoded:
    """The kingdoms of one table from log-probabilities (rows, columns, len(LABELS)) each."""
    search = _Search([_costs(likely, KEPT) for likely in kingdoms], now() + SECONDS)
    name, layouts = _best_box(search, (rules,) if rules else _guesses(kingdoms))
    box = rules_named(name).box
    notes = []
    why_not = _why_not(search, name, kingdoms, named=rules is not None) if None in layouts else None
    layouts, shared = _together(search, layouts, box)
    if not shared:
        notes.append(
            msg("the kingdoms together need a domino more often than the box holds it: each was read alone")
            if search.left > 0
            else msg("whether one box can lay all kingdoms was not decided in time: each was read alone")
        )
    if not rules and not any(layouts):
        name = _rules_of_labels(kingdoms)
    decoded = tuple(
        _kingdom(search, likely, costs, layout, box) if layout else _unlaid(search, likely, box, why_not)
        for likely, costs, layout in zip(kingdoms, search.costs, layouts, strict=True)
    )
    return Decoded(decoded, name, tuple(notes))


def _guesses(kingdoms: Sequence[Floats]) -> tuple[str, ...]:
    return ("xxxl",) if any(_extent(likely) > SEVEN for likely in kingdoms) else GUESSED


def _extent(likely: Floats) -> int:
    """The longer side of what seems to be laid."""
    laid = np.argwhere(likely.argmax(axis=2) != LABELS.index(EMPTY))
    return int(np.ptp(laid, axis=0).max()) + 1 if len(laid) else 0


def _best_box(search: _Search, names: Sequence[str]) -> tuple[str, list[Layout | None]]:
    """The rule set whose box explains the kingdoms best, and what each of them is then."""
    best, chosen = math.inf, (names[0], list[Layout | None]([None] * len(search.costs)))
    for name in names:
        layouts = search.alone(rules_named(name).box)
        excess = sum(
            layout.cost - _floor(costs) if layout else 2 * MOST
            for layout, costs in zip(layouts, search.costs, strict=True)
        )
        if excess < best - BOX_PATIENCE:
            best, chosen = excess, (name, layouts)
        if best <= BOX_PATIENCE:
            break
    return chosen


def _together(search: _Search, layouts: list[Layout | None], box: Box) -> tuple[list[Layout | None], bool]:
    """What the kingdoms are when they share one box, and whether they can."""
    laid = [i for i, layout in enumerate(layouts) if layout]
    used = Counter(kind for layout in layouts if layout for kind in _dominoes(layout))
    if box.jokers or all(count <= box.dominoes[kind] for kind, count in used.items()):
        return layouts, True
    joint = search.solve([search.costs[i] for i in laid], box, MOST)
    if joint is None:
        return layouts, False
    result = list(layouts)
    for i, labels, dominoes in zip(laid, joint.kingdoms, joint.dominoes, strict=True):
        cost = sum(search.costs[i][place][label] for place, label in labels.items())
        result[i] = Layout((labels,), (dominoes,), cost)
    return result, True


def _dominoes(layout: Layout) -> list[tuple[str, str]]:
    pairs = [(labels[a], labels[b]) for labels, of in zip(layout.kingdoms, layout.dominoes, strict=True) for a, b in of]
    return [(a, b) if a <= b else (b, a) for a, b in pairs]


def _why_not(search: _Search, name: str, kingdoms: Sequence[Floats], *, named: bool) -> Message:
    if search.left <= 0:
        return msg("whether the box can lay this was not decided in time: squares were read one by one")
    if named:
        other, layouts = _best_box(search, _guesses(kingdoms))
        if None not in layouts:
            return msg(
                "the dominoes of {rules} cannot make what was seen, those of {other} can: squares were read one by one",
                rules=Term(RULE_SETS[name].name),
                other=Term(RULE_SETS[other].name),
            )
    return msg("what was read cannot be laid with the dominoes of the box: squares were read one by one")


def _rules_of_labels(kingdoms: Sequence[Floats]) -> str:
    towns = any("t0" in row for likely in kingdoms for row in _alone(likely))
    return "queendomino" if towns else GUESSED[0]


def _unlaid(search: _Search, likely: Floats, box: Box, why: Message | None) -> DecodedKingdom:
    """A kingdom that the box cannot lay, as the network sees it."""
    plain = _alone(likely)
    other = _rows(np.vectorize(LABELS.__getitem__)(np.argsort(-likely, axis=2)[:, :, 1]))
    confidence = np.exp(likely.max(axis=2))
    odd = _odd(search, likely, plain, box)
    return DecodedKingdom(plain, plain, other, confidence, float(confidence.prod()), False, odd, why)


def _kingdom(search: _Search, likely: Floats, costs: Costs, layout: Layout, box: Box) -> DecodedKingdom:
    plain = _alone(likely)
    order = np.argsort(-likely, axis=2)
    labels = _grid(layout.kingdoms[0], likely)
    # The box had to overrule the network by so many nats: as much less is it believed.
    believed = 1 / (1 + (1 - BELIEF) / BELIEF * math.exp(layout.cost - _floor(costs)))
    found, whole = alternatives(costs, box, layout, GAP, ordered=False, seconds=search.left)
    others = [list(row) for row in labels]
    confidence = np.empty(likely.shape[:2], np.float32)
    for r, c in costs:
        label = labels[r][c]
        alone = math.exp(likely[r, c, LABELS.index(label)])
        others[r][c] = next(LABELS[i] for i in order[r, c] if LABELS[i] != label)
        if (r, c) in found:
            others[r][c] = found[r, c].kingdoms[0][r, c]
            by_box = 1 / (1 + math.exp(layout.cost - found[r, c].cost))
        else:
            # What was not searched is no surer than the network.
            by_box = max(alone, 1 / (1 + math.exp(-GAP))) if whole else alone
        confidence[r, c] = believed * by_box + (1 - believed) * alone
    apart = {tuple(sorted(other.kingdoms[0].items())): math.exp(layout.cost - other.cost) for other in found.values()}
    by_itself = math.exp(sum(likely[r, c, LABELS.index(labels[r][c])] for r, c in costs))
    sure = believed / (1 + sum(apart.values())) + (1 - believed) * by_itself
    return DecodedKingdom(labels, plain, _rows(others), confidence, sure if whole else by_itself, True)


def _odd(search: _Search, likely: Floats, plain: Rows, box: Box) -> frozenset[Place]:
    """Where the box would read a kingdom differently that it cannot lay as it was read; the least sure place if it
    cannot say."""
    wide = _costs(likely, math.inf)
    found = replace(search, deadline=now() + SECONDS).solve([wide], box, 10 * MOST)
    if found is None:
        return frozenset({min(wide, key=lambda place: likely[place].max())})
    return frozenset(place for place, label in found.kingdoms[0].items() if label != plain[place[0]][place[1]])


def _least(costs: Costs) -> float:
    return sum(min(of_place.values()) for of_place in costs.values())


def _floor(costs: Costs) -> float:
    """What the likeliest labels with one castle cost: that a kingdom has one is no matter of the box."""
    seats = [of[CASTLE] - _land(of) for of in costs.values() if CASTLE in of]
    return sum(map(_land, costs.values())) + min(seats) if seats else _least(costs)


def _land(of_place: Mapping[str, float]) -> float:
    return min((cost for label, cost in of_place.items() if label != CASTLE), default=KEPT)


def _costs(likely: Floats, kept: float) -> Costs:
    rows, columns, _ = likely.shape
    costs: dict[Place, dict[str, float]] = {}
    for r in range(rows):
        for c in range(columns):
            values = likely[r, c]
            costs[r, c] = {LABELS[i]: float(-values[i]) for i in np.flatnonzero(values >= values.max() - kept)}
    return costs


def _alone(likely: Floats) -> Rows:
    return tuple(tuple(LABELS[int(i)] for i in row) for row in likely.argmax(axis=2))


def _grid(labels: Mapping[Place, str], likely: Floats) -> Rows:
    return tuple(tuple(labels[r, c] for c in range(likely.shape[1])) for r in range(likely.shape[0]))


def _rows(cells: Sequence[Sequence[str]]) -> Rows:
    return tuple(tuple(map(str, row)) for row in cells)
