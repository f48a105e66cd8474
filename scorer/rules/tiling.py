"""The cheapest kingdoms that a box of dominoes can lay.

Given what every place of one or several kingdoms may show and what each of these readings costs,
`cheapest` finds the layout of least total cost that obeys the rules, and the runner-up: the next layout
that reads differently. `tile` asks the same of kingdoms that are known, and says why one is impossible.

**The solver** is a branch and bound over an exact cover. A *piece* is something that can lie on the table:
a domino of the box on two neighbouring places, a castle, or nothing on an empty place. Every place is
covered by exactly one piece, every kingdom has exactly one castle, and no kind of domino is used more often
than the box holds it. What makes it fast:

- *Deepening.* Only pieces within a budget above "every place reads its cheapest label" take part; the budget
  starts at zero and doubles. A kingdom that was read correctly is settled by the first, tiny round.
- *Prices.* Each place takes the least extra cost that any of its pieces forces (dual ascent on the covering
  program). What remains is a reduced cost per piece, and every piece beyond the budget is dropped for good.
- *Sets as integers.* Pieces are numbered by reduced cost, so a set of pieces is one int, and the cheapest
  piece left for a place is its lowest bit. A domino covers one black and one white place of a chessboard,
  so the sum of those lowest costs over either colour bounds what is still to be paid.
- *Order of laying.* The connection rule is symmetric, so dominoes can be laid one after another if and only
  if the graph "side by side with equal terrain, or beside the castle" is connected. A group of dominoes that
  can no longer grow and has no castle is cut off as soon as it arises.
- *Tables.* Kingdoms are solved alone first; what each costs alone is a floor for the table.

The answer is exact. When the time is up, the best layout so far comes back as not proven.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush
from math import inf, isfinite
from time import perf_counter

Label = str
Place = tuple[int, int]
Costs = Mapping[Place, Mapping[Label, float]]
Kind = tuple[Label, Label]

CASTLE: Label = "C"
EMPTY: Label = "."
TOWN = "t"

# Costs closer than this are equal: sums of the same numbers in another order differ in the last digits.
TOLERANCE = 1e-9
# The first budget after "exactly the cheapest labels", in the unit of the costs; it doubles from there.
FIRST_BUDGET = 1.0
BUDGET_GROWTH = 1.15
REDUCE_ROUNDS = 4
TOLL_ROUNDS = 8
TOLL_STEP = 3.0

_JOKER: Kind = ("joker", "")
_JOKER_TOWN: Kind = ("joker", "town")
_JOKER_OTHER: Kind = ("joker", "other")


@dataclass(frozen=True)
class Box:
    """The dominoes in use: how many of each kind (a sorted pair of labels), and those nobody listed."""

    dominoes: Mapping[Kind, int]
    jokers: int = 0
    joker_towns: int = 0
    joker_others: int = 0

    def needs(self, one: Label, other: Label) -> Iterator[Mapping[Kind, int]]:
        """What a domino with these two squares takes from the box, one way after the other."""
        kind = (one, other) if one <= other else (other, one)
        if self.dominoes.get(kind, 0) > 0:
            yield {kind: 1}
        towns = (one[0] == TOWN) + (other[0] == TOWN)
        if self.jokers > 0 and towns <= self.joker_towns and 2 - towns <= self.joker_others:
            yield {_JOKER: 1, _JOKER_TOWN: towns, _JOKER_OTHER: 2 - towns}

    def stock(self) -> dict[Kind, int]:
        return {
            **self.dominoes,
            _JOKER: self.jokers,
            _JOKER_TOWN: self.joker_towns,
            _JOKER_OTHER: self.joker_others,
        }


@dataclass(frozen=True)
class Layout:
    """Kingdoms with their labels, and the dominoes of each in an order in which they can be laid."""

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


class _TimeUp(Exception):
    pass


@dataclass(frozen=True, eq=False, slots=True)
class _Piece:
    kingdom: int
    spots: tuple[int, ...]
    labels: tuple[Label, ...]
    # The spots, and for a castle also the item that stands for "this kingdom has its castle".
    items: tuple[int, ...]
    needs: Mapping[Kind, int]
    excess: float
    # The excess and the tolls on what it takes from the box.
    dues: float


class _Table:
    """All places of all kingdoms in one list of spots, with what each label costs above the cheapest."""

    def __init__(
        self, kingdoms: Sequence[Costs], box: Box, max_size: int | None, ordered: bool, deadline: float
    ) -> None:
        self.box = box
        self.max_size = max_size
        self.ordered = ordered
        self.deadline = deadline
        self.kingdoms = kingdoms
        self.spots = [(k, place) for k, costs in enumerate(kingdoms) for place in sorted(costs)]
        index = {spot: i for i, spot in enumerate(self.spots)}
        self.beside = [
            [
                index[k, place]
                for place in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c))
                if (k, place) in index
            ]
            for k, (r, c) in self.spots
        ]
        self.excess: list[list[tuple[float, Label]]] = []
        for k, place in self.spots:
            ranked = sorted((cost, label) for label, cost in kingdoms[k][place].items() if isfinite(cost))
            self.excess.append([(cost - ranked[0][0], label) for cost, label in ranked])
        self.items = len(self.spots) + len(kingdoms)
        # Items of one side never share a piece: black places, white places, the castle.
        self.side = [3 * k + (r + c) % 2 for k, (r, c) in self.spots]
        self.side += [3 * k + 2 for k in range(len(kingdoms))]
        # What each kingdom costs at least above its cheapest labels.
        self.floors = [0.0] * len(kingdoms)
        # A toll makes a domino dear that several kingdoms claim. Whoever stays within the stock pays at most
        # the rebate in tolls, so costs with tolls less the rebate are never above the costs without.
        self.tolls: Mapping[Kind, float] = {}
        self.rebate = 0.0
        self.worst = sum(ranked[-1][0] for ranked in self.excess if ranked)

    def limit(self, kingdom: int, budget: float) -> float:
        """What is left of the budget for this kingdom when the others cost what they must."""
        return budget + self.rebate - sum(self.floors) + self.floors[kingdom] + TOLERANCE

    def pieces(self, budget: float) -> tuple[list[_Piece], bool]:
        """The pieces within the budget, and whether that is all there are."""
        limits = [self.limit(k, budget) for k in range(len(self.kingdoms))]
        shortlists = [
            [entry for entry in ranked if entry[0] <= limits[k]]
            for ranked, (k, _) in zip(self.excess, self.spots, strict=True)
        ]
        complete = all(len(s) == len(e) for s, e in zip(shortlists, self.excess, strict=True))
        pieces = []
        for spot, (k, _) in enumerate(self.spots):
            self.check_time()
            for excess, label in shortlists[spot]:
                if label == CASTLE:
                    items = (spot, len(self.spots) + k)
                    pieces.append(_Piece(k, (spot,), (label,), items, {}, excess, excess))
                elif label == EMPTY:
                    pieces.append(_Piece(k, (spot,), (label,), (spot,), {}, excess, excess))
                else:
                    for other in self.beside[spot]:
                        if other < spot:
                            continue
                        for more, second in shortlists[other]:
                            if excess + more > limits[k]:
                                complete = False
                                break
                            if second != CASTLE and second != EMPTY:
                                pair = (spot, other)
                                total = excess + more
                                pieces += [
                                    _Piece(k, pair, (label, second), pair, needs, total, total + self.toll(needs))
                                    for needs in self.box.needs(label, second)
                                ]
        return pieces, complete

    def toll(self, needs: Mapping[Kind, int]) -> float:
        if not self.tolls:
            return 0.0
        return sum(amount * self.tolls.get(kind, 0.0) for kind, amount in needs.items())

    def check_time(self) -> None:
        if perf_counter() > self.deadline:
            raise _TimeUp


def _prices(table: _Table, pieces: Sequence[_Piece], costs: Sequence[float]) -> list[float] | None:
    """What each spot has to pay: the most in sum that no piece undercuts. None if the spots have no cover.

    This is the dual of the cheapest cover without regard to copies. Dominoes join a black and a white place,
    so that is a bipartite matching in which a spot may also stay alone (castle, empty). Solved by shortest
    augmenting paths (Edmonds and Karp, 1972), one for each spot that is not covered yet.
    """
    alone = [inf] * len(table.spots)
    joint: list[dict[int, float]] = [{} for _ in table.spots]
    for piece, cost in zip(pieces, costs, strict=True):
        one, other = piece.spots[0], piece.spots[-1]
        if one == other:
            alone[one] = min(alone[one], cost)
        else:
            joint[one][other] = joint[other][one] = min(joint[one].get(other, inf), cost)
    price = [0.0] * len(table.spots)
    # The spot itself where it stays alone, -1 where it is not covered yet.
    mate = [-1] * len(table.spots)
    for root in sorted(range(len(table.spots)), key=table.side.__getitem__):
        if mate[root] >= 0:
            continue
        table.check_time()
        same, opposite, came = {root: 0.0}, dict[int, float](), dict[int, int]()
        heap: list[tuple[float, int, int]] = []
        grown = root
        while True:
            here = same[grown] - price[grown]
            heappush(heap, (here + alone[grown], grown, grown))
            for spot, cost in joint[grown].items():
                if spot not in opposite:
                    heappush(heap, (here + cost - price[spot], spot, grown))
            while heap[0][1] in opposite:
                heappop(heap)
            length, spot, via = heappop(heap)
            if length == inf:
                return None
            if spot == via:
                break
            opposite[spot], came[spot] = length, via
            if mate[spot] in (-1, spot):
                break
            grown = mate[spot]
            same[grown] = length
        for end, distance in same.items():
            price[end] += length - distance
        for end, distance in opposite.items():
            price[end] -= length - distance
        if spot == via:
            spot, mate[via] = mate[via], via
            via = came.get(spot, root)
        while mate[root] != root:
            before = mate[via]
            mate[via], mate[spot] = spot, via
            if via == root:
                break
            spot, via = before, came[before]
    return price


def _reduce(table: _Table, pieces: list[_Piece], budget: float) -> tuple[list[float], list[_Piece], list[float]]:
    """Let spots and castles pay what they must, and drop the pieces that do not fit in the rest.

    Returns what each kingdom paid, and the remaining pieces with their reduced costs, cheapest first.
    """
    paid = [0.0] * len(table.kingdoms)
    costs = [piece.dues for piece in pieces]
    for _ in range(REDUCE_ROUNDS):
        prices = _prices(table, pieces, costs)
        if prices is None:
            return paid, [], []
        castles = [inf] * len(paid)
        for i, piece in enumerate(pieces):
            costs[i] -= sum(prices[spot] for spot in piece.spots)
            if piece.labels[0] == CASTLE:
                castles[piece.kingdom] = min(castles[piece.kingdom], costs[i])
        for price, (k, _place) in zip(prices, table.spots, strict=True):
            paid[k] += price
        for k, price in enumerate(castles):
            paid[k] += price
        costs = [c - castles[p.kingdom] if p.labels[0] == CASTLE else c for p, c in zip(pieces, costs, strict=True)]
        links = _links(table, pieces, costs)
        rest = [table.limit(k, budget) - paid[k] for k in range(len(paid))]
        kept = [i for i, p in enumerate(pieces) if costs[i] + links[i] <= rest[p.kingdom]]
        if len(kept) == len(pieces):
            break
        pieces, costs = [pieces[i] for i in kept], [costs[i] for i in kept]
    order = sorted(range(len(pieces)), key=costs.__getitem__)
    return paid, [pieces[i] for i in order], [costs[i] for i in order]


def _links(table: _Table, pieces: list[_Piece], costs: list[float]) -> list[float]:
    """What each piece costs beyond itself because a domino needs the castle or its own terrain beside it."""
    if not table.ordered:
        return [0.0] * len(pieces)
    offer: dict[tuple[int, str], float] = {}
    for piece, cost in zip(pieces, costs, strict=True):
        for spot, label in zip(piece.spots, piece.labels, strict=True):
            offer[spot, label[0]] = min(cost, offer.get((spot, label[0]), inf))
    return [
        min(
            (
                offer.get((near, terrain), inf)
                for spot, label in zip(piece.spots, piece.labels, strict=True)
                for near in table.beside[spot]
                if near not in piece.spots
                for terrain in (label[0], CASTLE)
            ),
            default=inf,
        )
        if len(piece.spots) == 2
        else 0.0
        for piece in pieces
    ]


class _Search:
    """Branch and bound over the pieces within one budget."""

    def __init__(self, table: _Table, budget: float) -> None:
        self.table = table
        self.limit = budget + TOLERANCE
        self.nodes = 0
        self.found: list[_Piece] | None = None
        self.excess = inf
        pieces, self.complete = table.pieces(budget)
        self.spent, self.pieces, self.reduced = _reduce(table, pieces, budget)
        self.all = (1 << len(self.pieces)) - 1
        self.cover = [0] * table.items
        self.reading: dict[tuple[int, Label], int] = {}
        # welcome[spot, terrain]: pieces that would let a domino of this terrain beside the spot be laid.
        self.users: dict[tuple[Kind, int], int] = {}
        for i, piece in enumerate(self.pieces):
            bit = 1 << i
            for item in piece.items:
                self.cover[item] |= bit
            for spot, label in zip(piece.spots, piece.labels, strict=True):
                self.reading[spot, label] = self.reading.get((spot, label), 0) | bit
            for kind, amount in piece.needs.items():
                for least in range(1, amount + 1):
                    self.users[kind, least] = self.users.get((kind, least), 0) | bit
        self.welcome: dict[tuple[int, str], int] = {}
        for (spot, label), mask in self.reading.items():
            self.welcome[spot, label[0]] = self.welcome.get((spot, label[0]), 0) | mask
        self.clash: dict[int, int] = {}
        self.left = table.box.stock()
        self.laid: list[Label] = [""] * len(table.spots)
        self.mate: list[int] = list(range(len(table.spots)))
        self.chosen: list[_Piece] = []

    def run(self, unlike: Sequence[Label] | None) -> None:
        """Find the cheapest within the budget, if asked one that reads differently from these labels.

        Then there is one search for each other reading of a spot; a reading once searched is barred from
        the later ones.
        """
        items = list(range(self.table.items))
        if unlike is None:
            self._descend(self.all, items)
            return
        barred = 0
        readings = [
            ((mask & -mask), spot, mask)
            for (spot, label), mask in self.reading.items()
            if label != unlike[spot]
        ]
        for _, spot, mask in sorted(readings):
            free = self.all & ~barred
            self._descend(free & (mask | ~self.cover[spot]), items)
            barred |= mask

    def labels(self) -> list[Label]:
        labels = [""] * len(self.table.spots)
        for piece in self.found or ():
            for spot, label in zip(piece.spots, piece.labels, strict=True):
                labels[spot] = label
        return labels

    def layout(self) -> Layout:
        table = self.table
        kingdoms: tuple[dict[Place, Label], ...] = tuple({} for _ in table.kingdoms)
        for (k, place), label in zip(table.spots, self.labels(), strict=True):
            kingdoms[k][place] = label
        dominoes: list[list[tuple[Place, Place]]] = [[] for _ in kingdoms]
        for piece in self.found or ():
            if len(piece.spots) == 2:
                one, other = piece.spots
                dominoes[piece.kingdom].append((table.spots[one][1], table.spots[other][1]))
        cost = sum(table.kingdoms[k][p][x] for k, kingdom in enumerate(kingdoms) for p, x in kingdom.items())
        order = tuple(_laying_order(*pair) for pair in zip(kingdoms, dominoes, strict=True))
        return Layout(kingdoms, order, cost)

    def _descend(self, free: int, items: list[int]) -> None:
        self.table.check_time()
        self.nodes += 1
        cover, reduced, side = self.cover, self.reduced, self.table.side
        dues = [0.0] * (3 * len(self.spent))
        fewest, pick, dearest = len(reduced) + 1, -1, 0.0
        for item in items:
            choices = free & cover[item]
            if not choices:
                return
            count = choices.bit_count()
            if count < fewest:
                fewest, pick = count, item
            due = reduced[(choices & -choices).bit_length() - 1]
            if due > dearest:
                dearest = due
            dues[side[item]] += due
        floors = self.table.floors
        bound = slack = 0.0
        for k, spent in enumerate(self.spent):
            least = max(floors[k], spent + max(dues[3 * k : 3 * k + 3]))
            bound += least
            slack = max(slack, least - spent - min(dues[3 * k], dues[3 * k + 1]))
        bound -= self.table.rebate
        if bound > self.limit:
            return
        if pick < 0:
            # With a rebate tolls only sharpen the bound; without, they are part of what is asked for.
            excess = max(bound, sum(piece.excess for piece in self.chosen))
            if excess <= self.limit:
                self.found, self.excess, self.limit = list(self.chosen), excess, excess - TOLERANCE
            return
        # Whoever takes a piece pays at least its cost instead of the least for its place.
        free &= (1 << bisect_right(reduced, self.limit - bound + slack + dearest)) - 1
        choices = free & cover[pick]
        while choices:
            low = choices & -choices
            choices ^= low
            self._choose(low.bit_length() - 1, free, items)

    def _choose(self, number: int, free: int, items: list[int]) -> None:
        piece = self.pieces[number]
        free &= ~self._clash(number)
        for kind, amount in piece.needs.items():
            self.left[kind] -= amount
            for least in (1, 2):
                if self.left[kind] < least:
                    free &= ~self.users.get((kind, least), 0)
        self.spent[piece.kingdom] += self.reduced[number]
        self.chosen.append(piece)
        for spot, label in zip(piece.spots, piece.labels, strict=True):
            self.laid[spot] = label
            self.mate[spot] = piece.spots[0] + piece.spots[-1] - spot
        if not self.table.ordered or self._connectable(piece, free):
            self._descend(free, [item for item in items if item not in piece.items])
        for spot in piece.spots:
            self.laid[spot] = ""
        self.chosen.pop()
        self.spent[piece.kingdom] -= self.reduced[number]
        for kind, amount in piece.needs.items():
            self.left[kind] += amount

    def _clash(self, number: int) -> int:
        """The pieces that cannot lie on the table together with this one (itself among them)."""
        known = self.clash.get(number)
        if known is not None:
            return known
        piece, table = self.pieces[number], self.table
        clash = 0
        for item in piece.items:
            clash |= self.cover[item]
        if table.max_size is not None and piece.labels[0] != EMPTY:
            for spot in piece.spots:
                r, c = table.spots[spot][1]
                for far, (k, (row, column)) in enumerate(table.spots):
                    if k == piece.kingdom and max(abs(row - r), abs(column - c)) >= table.max_size:
                        clash |= self.cover[far] & ~self.reading.get((far, EMPTY), 0)
        self.clash[number] = clash
        return clash

    def _connectable(self, piece: _Piece, free: int) -> bool:
        """Whether every group of dominoes at this piece has, or can still get, a way to the castle."""
        if piece.labels[0] == CASTLE:
            return True
        seen: set[int] = set()
        for spot in piece.spots:
            for start in (spot, *self.table.beside[spot]):
                if (
                    start not in seen
                    and self.laid[start] not in ("", EMPTY, CASTLE)
                    and self._stranded(start, free, seen)
                ):
                    return False
        return True

    def _stranded(self, start: int, free: int, seen: set[int]) -> bool:
        group = [start, self.mate[start]]
        members = set(group)
        stranded = True
        while group and stranded:
            spot = group.pop()
            terrain = self.laid[spot][0]
            for other in self.table.beside[spot]:
                label = self.laid[other]
                if not label:
                    here = free & self.cover[other]
                    if here & (
                        self.welcome.get((other, terrain), 0) | self.welcome.get((other, CASTLE), 0)
                    ):
                        stranded = False
                        break
                elif label == CASTLE:
                    stranded = False
                    break
                elif label[0] == terrain and other not in members:
                    members |= {other, self.mate[other]}
                    group += [other, self.mate[other]]
        seen |= members
        return stranded


def _neighbours(place: Place) -> tuple[Place, Place, Place, Place]:
    row, column = place
    return (row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)


def _laying_order(
    kingdom: Mapping[Place, Label], dominoes: Sequence[tuple[Place, Place]]
) -> tuple[tuple[Place, Place], ...]:
    """The dominoes that can be laid one after another from the castle on, in such an order."""
    domino_at = {place: domino for domino in dominoes for place in domino}
    order: dict[tuple[Place, Place], None] = {}
    reached = [place for place, label in kingdom.items() if label == CASTLE]
    for place in reached:
        for near in _neighbours(place):
            domino = domino_at.get(near)
            if domino and domino not in order and kingdom[place][0] in (CASTLE, kingdom[near][0]):
                order[domino] = None
                reached += domino
    return tuple(order)


def _deepen(table: _Table, start: float, unlike: Sequence[Label] | None = None) -> tuple[_Search | None, bool]:
    """Search with a growing budget; the search that found a layout, and whether the answer is proven."""
    search = None
    step = 0.0
    try:
        while True:
            search = _Search(table, start + step)
            search.run(unlike)
            if search.found is not None:
                return search, True
            if start + step >= table.worst:
                return None, True
            step = table.worst if search.complete else FIRST_BUDGET + BUDGET_GROWTH * step
    except _TimeUp:
        return (search if search is not None and search.found is not None else None), False


def _share(table: _Table) -> bool:
    """Raise tolls until the kingdoms, each solved alone, no longer claim the same dominoes.

    This is Lagrangian relaxation: the sum of what the kingdoms cost alone with tolls, less the rebate, is a
    floor for the table. Keeps the tolls with the highest floor; False if some kingdom is impossible alone.
    """
    alone = [_Table([costs], table.box, table.max_size, table.ordered, table.deadline) for costs in table.kingdoms]
    stock = table.box.stock()
    tolls: dict[Kind, float] = {}
    floors = [0.0] * len(alone)
    highest = -inf
    for turn in range(TOLL_ROUNDS):
        claims: Counter[Kind] = Counter()
        for k, kingdom in enumerate(alone):
            kingdom.tolls = tolls
            search, proven = _deepen(kingdom, floors[k])
            if search is None:
                return not proven
            if not proven:
                return True
            floors[k] = search.excess
            for piece in search.found or ():
                claims.update(piece.needs)
        rebate = sum(toll * stock[kind] for kind, toll in tolls.items())
        if sum(floors) - rebate > highest:
            highest = sum(floors) - rebate
            table.floors, table.tolls, table.rebate = list(floors), tolls, rebate
        excesses = {kind: claims[kind] - stock[kind] for kind in claims.keys() | tolls.keys()}
        if all(over <= 0 for over in excesses.values()):
            break
        step = TOLL_STEP / (1 + turn)
        tolls = {
            kind: max(0.0, tolls.get(kind, 0.0) + step * over) for kind, over in excesses.items()
        }
        tolls = {kind: toll for kind, toll in tolls.items() if toll > 0}
    return True


def cheapest(
    kingdoms: Sequence[Costs],
    box: Box,
    *,
    runner_up: bool = True,
    seconds: float = 1.0,
    max_size: int | None = None,
) -> Solution:
    """The cheapest kingdoms that the box can lay together, and the runner-up."""
    deadline = perf_counter() + seconds
    table = _Table(kingdoms, box, max_size, True, deadline)
    if len(kingdoms) > 1 and not _share(table):
        return Solution(None, None, True, True)
    best, proven = _deepen(table, max(0.0, sum(table.floors) - table.rebate))
    if best is None:
        return Solution(None, None, proven, proven)
    if not runner_up or not proven:
        return Solution(best.layout(), None, proven, False)
    labels = best.labels()
    second, second_proven = _deepen(table, best.excess, labels)
    return Solution(best.layout(), second.layout() if second else None, True, second_proven)
