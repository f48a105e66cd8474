"""The cheapest kingdoms that a box of dominoes can lay, and why a kingdom cannot be laid.

Given what every place of one or several kingdoms may show and what each of these readings costs,
`cheapest` finds the layout of least total cost that obeys the rules, and the runner-up: the next layout
that reads differently. `tile` asks the same of kingdoms that are known, and says what stands in the way.
Both are exact; when the time is up, the best layout so far comes back as not proven.

The solver is a branch and bound over an exact cover, written for this problem: integer or constraint
programming would need a dependency that the rules do without.

- *Budgets.* Only pieces within a budget above "every place reads its cheapest label" take part; the budget
  starts at zero and grows. A kingdom that was read correctly is settled by the first, tiny round.
- *Prices.* Without copies the cheapest cover is a bipartite matching (a domino lies on a black and a white
  place of the chessboard). Its dual prices give the bound, and every piece gets a reduced cost: those beyond
  the budget, alone or with the neighbour they need by the connection rule, are dropped for good.
- *Sets as integers.* Pieces are numbered by reduced cost, so a set of pieces is one int, and the cheapest
  piece left for a place is its lowest bit. The sum of these over either colour bounds what is still to pay.
- *Order of laying.* The connection rule is symmetric, so dominoes can be laid one after another if and only
  if the graph "side by side with equal terrain, or beside the castle" is connected. A group of dominoes that
  can no longer grow and has no castle is cut off as soon as it arises.
- *Runner-up.* One search for each other reading of a place, so that the many tilings of the best labels are
  never walked through.
- *Tables.* Kingdoms are solved alone first. Tolls on the dominoes that several claim (Lagrangian relaxation)
  turn what they cost alone into a floor for the table.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import inf

from .clock import now
from .cover import CASTLE, EMPTY, TOLERANCE, TOWN, Box, Costs, Kind, Label, Table, TimeUp, prices
from .kingdom import Place, beside
from .laying import Search, deepen, share_dominoes

__all__ = [
    "CASTLE",
    "EMPTY",
    "Box",
    "Costs",
    "Kind",
    "Label",
    "Layout",
    "Obstacle",
    "Place",
    "Solution",
    "Tiling",
    "Why",
    "alternatives",
    "cheapest",
    "tile",
    "too_few_squares",
]


@dataclass(frozen=True)
class Layout:
    """Kingdoms with their labels, and the dominoes of each in an order in which they can be laid (those last that
    the connection rule forbids, where it was left aside)."""

    kingdoms: tuple[Mapping[Place, Label], ...]
    dominoes: tuple[tuple[tuple[Place, Place], ...], ...]
    cost: float


@dataclass(frozen=True)
class Solution:
    """The cheapest layout and the next one that reads differently; None where there is none (or none yet)."""

    best: Layout | None
    runner_up: Layout | None
    proven: bool
    runner_up_proven: bool


class Why(Enum):
    """Why a kingdom cannot be laid."""

    CASTLE = "it has not exactly one castle"
    SHAPE = "its squares cannot be split into 2x1 pieces"
    BOX = "no split into dominoes uses only those of the box"
    TABLE = "each kingdom alone is possible, but together they need more of a domino than the box holds"
    ORDER = "its dominoes cannot be laid one after another by the connection rule"
    UNPROVEN = "the time was up before it was decided"


@dataclass(frozen=True)
class Obstacle:
    """What stands in the way, in which kingdom (None: in the table as a whole) and, if it can be told, where."""

    why: Why
    kingdom: int | None = None
    place: Place | None = None


@dataclass(frozen=True)
class Tiling:
    """A layout of the given kingdoms, or else every obstacle found."""

    layout: Layout | None
    obstacles: tuple[Obstacle, ...]


def cheapest(
    kingdoms: Sequence[Costs],
    box: Box,
    *,
    runner_up: bool = True,
    seconds: float = 1.0,
    max_size: int | None = None,
    ordered: bool = True,
    most: float = inf,
) -> Solution:
    """The cheapest kingdoms that the box can lay together, and the runner-up.

    A label that a place does not list (or that costs infinity) is impossible there. `max_size` limits the
    bounding box of what is laid; without `ordered` the connection rule is left aside; `most` is what a layout may
    cost above "every place reads its cheapest label", the runner-up above the best.
    """
    table = Table(kingdoms, box, max_size=max_size, ordered=ordered, deadline=now() + seconds)
    best, proven = _solve(table, most)
    if best is None:
        return Solution(None, None, proven, proven)
    if not runner_up or not proven:
        return Solution(_layout(best), None, proven, False)
    second, second_proven = deepen(table, best.excess, best.labels(), best.excess + most)
    return Solution(_layout(best), _layout(second) if second else None, True, second_proven)


def alternatives(
    kingdom: Costs, box: Box, best: Layout, within: float, *, seconds: float = 1.0, ordered: bool = True
) -> tuple[dict[Place, Layout], bool]:
    """For each place the cheapest layout that reads it otherwise than the best, as far as it costs at most `within`
    more; and whether the time sufficed to look at all places."""
    table = Table([kingdom], box, ordered=ordered, deadline=now() + seconds)
    labels = [best.kingdoms[0][place] for _, place in table.spots]
    excess = table.excess_of(labels)
    found: dict[Place, Layout] = {}
    try:
        search = Search(table, excess + within)
        # The cheapest first: what they change in passing is at hand for the other places.
        for spot in sorted(range(len(labels)), key=lambda spot: search.least_other(spot, labels[spot])):
            place = table.spots[spot][1]
            seen = [layout for layout in found.values() if layout.kingdoms[0][place] != labels[spot]]
            known = min(seen, key=lambda layout: layout.cost, default=None)
            most = known.cost - best.cost - 2 * TOLERANCE if known else within
            if search.run_without(spot, labels[spot], excess + most):
                found[place] = _layout(search)
            elif known:
                found[place] = known
    except TimeUp:
        return found, False
    return found, True


def tile(kingdoms: Sequence[Mapping[Place, Label | Collection[Label]]], box: Box, *, seconds: float = 1.0) -> Tiling:
    """Whether the box can lay these kingdoms together; a place may show one label or one of several."""
    deadline = now() + seconds
    known: list[Costs] = [
        {p: dict.fromkeys([shown] if isinstance(shown, str) else shown, 0.0) for p, shown in kingdom.items()}
        for kingdom in kingdoms
    ]
    table = Table(known, box, deadline=deadline)
    found, proven = _solve(table)
    if found is not None:
        return Tiling(_layout(found), ())
    if not proven:
        return Tiling(None, (Obstacle(Why.UNPROVEN),))
    try:
        return Tiling(None, _obstacles(known, box, deadline))
    except TimeUp:
        return Tiling(None, (Obstacle(Why.UNPROVEN),))


def too_few_squares(kingdoms: Sequence[Mapping[Place, Collection[Label]]], box: Box) -> Label | None:
    """A label that these kingdoms show for certain more often than the box can, by counting alone."""
    needed = Counter(label for kingdom in kingdoms for shown in kingdom.values() if len(shown) == 1 for label in shown)
    held: Counter[Label] = Counter()
    for kind, copies in box.dominoes.items():
        for label in kind:
            held[label] += copies
    beyond = {label: count - held[label] for label, count in needed.items() if label not in (CASTLE, EMPTY)}
    for jokers, labels in (
        (box.joker_towns, [label for label in beyond if label[0] == TOWN]),
        (box.joker_others, [label for label in beyond if label[0] != TOWN]),
    ):
        over = [label for label in labels if beyond[label] > 0]
        if sum(beyond[label] for label in over) > jokers:
            return max(over, key=lambda label: beyond[label])
    return None


def _solve(table: Table, most: float = inf) -> tuple[Search | None, bool]:
    if len(table.kingdoms) > 1 and not share_dominoes(table):
        return None, True
    return deepen(table, max(0.0, sum(table.floors) - table.rebate), most=most)


def _obstacles(kingdoms: Sequence[Costs], box: Box, deadline: float) -> tuple[Obstacle, ...]:
    each = [_obstacle(kingdom, box, deadline) for kingdom in kingdoms]
    alone = tuple(replace(obstacle, kingdom=k) for k, obstacle in enumerate(each) if obstacle is not None)
    if alone:
        return alone
    split = _sure(_solve(Table(kingdoms, box, ordered=False, deadline=deadline)))
    return (Obstacle(Why.TABLE if split is None else Why.ORDER),)


def _obstacle(kingdom: Costs, box: Box, deadline: float) -> Obstacle | None:
    """What makes this kingdom impossible, be it alone on the table."""
    castles = [place for place, labels in kingdom.items() if CASTLE in labels]
    if not castles or sum(kingdom[place].keys() == {CASTLE} for place in castles) > 1:
        return Obstacle(Why.CASTLE)
    if not any(_splits(kingdom, castle, deadline) for castle in castles):
        return Obstacle(Why.SHAPE, place=_lonely(Table([_shape(kingdom)], _BLANKS, deadline=deadline)))
    split = _sure(deepen(Table([kingdom], box, ordered=False, deadline=deadline), 0.0))
    if split is None:
        return Obstacle(Why.BOX, place=_lonely(Table([kingdom], box, deadline=deadline)))
    if _sure(deepen(Table([kingdom], box, deadline=deadline), 0.0)) is not None:
        return None
    layout = _layout(split)
    reached = _laying_order(layout.kingdoms[0], layout.dominoes[0])
    stranded = (one for one, other in layout.dominoes[0] if (one, other) not in reached)
    return Obstacle(Why.ORDER, place=next(stranded))


def _sure(answer: tuple[Search | None, bool]) -> Search | None:
    search, proven = answer
    if not proven:
        raise TimeUp
    return search


# Every domino there could be, if the two sides of each were blank.
_BLANK: Label = "blank"
_BLANKS = Box({(_BLANK, _BLANK): 10**6})


def _shape(kingdom: Costs) -> Costs:
    return {
        place: {label if label in (CASTLE, EMPTY) else _BLANK: 0.0 for label in labels}
        for place, labels in kingdom.items()
    }


def _splits(kingdom: Costs, castle: Place, deadline: float) -> bool:
    """Whether the kingdom with its castle here splits into 2x1 pieces, whatever they show."""
    shape = {
        place: {CASTLE: 0.0} if place == castle else {x: 0.0 for x in labels if x != CASTLE}
        for place, labels in _shape(kingdom).items()
    }
    table = Table([shape], _BLANKS, deadline=deadline)
    pieces, _ = table.pieces(0.0)
    return prices(table, pieces, [0.0] * len(pieces)) is not None


def _lonely(table: Table) -> Place | None:
    """A place that no piece covers, if there is one."""
    pieces, _ = table.pieces(0.0)
    covered = {spot for piece in pieces for spot in piece.spots}
    return next((place for spot, (_, place) in enumerate(table.spots) if spot not in covered), None)


def _layout(search: Search) -> Layout:
    table = search.table
    kingdoms: tuple[dict[Place, Label], ...] = tuple({} for _ in table.kingdoms)
    cost = 0.0
    for (k, place), label in zip(table.spots, search.labels(), strict=True):
        kingdoms[k][place] = label
        cost += table.kingdoms[k][place][label]
    dominoes: list[list[tuple[Place, Place]]] = [[] for _ in kingdoms]
    for k, one, other in search.dominoes():
        dominoes[k].append((one, other))
    ordered = [tuple(dict.fromkeys((*_laying_order(*of), *of[1]))) for of in zip(kingdoms, dominoes, strict=True)]
    return Layout(kingdoms, tuple(ordered), cost)


def _laying_order(
    kingdom: Mapping[Place, Label], dominoes: Sequence[tuple[Place, Place]]
) -> tuple[tuple[Place, Place], ...]:
    """The dominoes that can be laid one after another from the castle on, in such an order."""
    domino_at = {place: domino for domino in dominoes for place in domino}
    order: dict[tuple[Place, Place], None] = {}
    reached = [place for place, label in kingdom.items() if label == CASTLE]
    for place in reached:
        for near in beside(place):
            domino = domino_at.get(near)
            if domino and domino not in order and kingdom[place][0] in (CASTLE, kingdom[near][0]):
                order[domino] = None
                reached += domino
    return tuple(order)
