"""The pieces that can lie on the places of some kingdoms, and what a cover with them costs at least.

A *piece* is a domino of the box on two neighbouring places, a castle, or nothing on an empty place. Every
place is covered by exactly one piece and every kingdom has exactly one castle.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf, isfinite

from .clock import LastResort, run_out, tick
from .kingdom import Place, beside

Label = str
Costs = Mapping[Place, Mapping[Label, float]]
Kind = tuple[Label, Label]

CASTLE: Label = "C"
EMPTY: Label = "."
TOWN = "t"

# Costs closer than this are equal: sums of the same numbers in another order differ in the last digits.
TOLERANCE = 1e-9
# Dropping pieces lets places pay more, which drops further pieces. Stopping early is safe.
REDUCE_ROUNDS = 4

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


class TimeUp(Exception):
    """The deadline of a table has passed."""


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    kingdom: int
    spots: tuple[int, ...]
    labels: tuple[Label, ...]
    # The spots, and for a castle also the item that stands for "this kingdom has its castle".
    items: tuple[int, ...]
    needs: Mapping[Kind, int]
    excess: float
    # The excess and the tolls on what it takes from the box.
    dues: float


class Table:
    """All places of all kingdoms in one list of spots, with what each label costs above the cheapest."""

    def __init__(
        self,
        kingdoms: Sequence[Costs],
        box: Box,
        *,
        deadline: float,
        ordered: bool = True,
        max_size: int | None = None,
    ) -> None:
        self.box = box
        self.max_size = max_size
        self.ordered = ordered
        self.deadline = deadline
        self.last_resort = LastResort(deadline)
        self.kingdoms = kingdoms
        self.spots = [(k, place) for k, costs in enumerate(kingdoms) for place in sorted(costs)]
        index = {spot: i for i, spot in enumerate(self.spots)}
        self.beside = [[index[k, near] for near in beside(place) if (k, near) in index] for k, place in self.spots]
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

    def worst(self) -> float:
        """More than this no layout costs, tolls included."""
        stock = self.box.stock()
        tolls = sum(toll * stock[kind] for kind, toll in self.tolls.items())
        return sum(ranked[-1][0] for ranked in self.excess if ranked) + tolls

    def excess_of(self, labels: Sequence[Label]) -> float:
        """What labels of all spots cost above the cheapest ones."""
        return sum(
            next(cost for cost, known in ranked if known == label)
            for ranked, label in zip(self.excess, labels, strict=True)
        )

    def limit(self, kingdom: int, budget: float) -> float:
        """What is left of the budget for this kingdom when the others cost what they must."""
        return budget + self.rebate - sum(self.floors) + self.floors[kingdom] + TOLERANCE

    def pieces(self, budget: float) -> tuple[list[Piece], bool]:
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
                    pieces.append(Piece(k, (spot,), (label,), items, {}, excess, excess))
                elif label == EMPTY:
                    pieces.append(Piece(k, (spot,), (label,), (spot,), {}, excess, excess))
                else:
                    for other in self.beside[spot]:
                        if other < spot:
                            continue
                        for more, second in shortlists[other]:
                            if excess + more > limits[k]:
                                complete = False
                                break
                            if second != CASTLE and second != EMPTY:
                                pair, total = (spot, other), excess + more
                                for needs in self.box.needs(label, second):
                                    due = total + self.toll(needs)
                                    pieces.append(Piece(k, pair, (label, second), pair, needs, total, due))
        return pieces, complete

    def toll(self, needs: Mapping[Kind, int]) -> float:
        if not self.tolls:
            return 0.0
        return sum(amount * self.tolls.get(kind, 0.0) for kind, amount in needs.items())

    def check_time(self) -> None:
        if self.last_resort.passed():
            run_out(self.deadline)
        if tick() > self.deadline:
            raise TimeUp


def prices(table: Table, pieces: Sequence[Piece], costs: Sequence[float]) -> list[float] | None:
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
        while True:
            before = mate[via]
            mate[via], mate[spot] = spot, via
            if via == root:
                break
            spot, via = before, came[before]
    return price


def reduce_costs(table: Table, pieces: list[Piece], budget: float) -> tuple[list[float], list[Piece], list[float]]:
    """Let spots and castles pay what they must, and drop the pieces that do not fit in the rest.

    Returns what each kingdom paid, and the remaining pieces with their reduced costs, cheapest first.
    """
    paid = [0.0] * len(table.kingdoms)
    costs = [piece.dues for piece in pieces]
    for _ in range(REDUCE_ROUNDS):
        table.check_time()
        duals = prices(table, pieces, costs)
        if duals is None:
            return paid, [], []
        castles = [inf] * len(paid)
        for i, piece in enumerate(pieces):
            costs[i] -= sum(duals[spot] for spot in piece.spots)
            if piece.labels[0] == CASTLE:
                castles[piece.kingdom] = min(castles[piece.kingdom], costs[i])
        for price, (k, _place) in zip(duals, table.spots, strict=True):
            paid[k] += price
        for k, price in enumerate(castles):
            paid[k] += price
        for i, piece in enumerate(pieces):
            if piece.labels[0] == CASTLE:
                costs[i] -= castles[piece.kingdom]
        links = _links(table, pieces, costs)
        rest = [table.limit(k, budget) - paid[k] for k in range(len(paid))]
        kept = [i for i, p in enumerate(pieces) if costs[i] + links[i] <= rest[p.kingdom]]
        if len(kept) == len(pieces):
            break
        pieces, costs = [pieces[i] for i in kept], [costs[i] for i in kept]
    order = sorted(range(len(pieces)), key=costs.__getitem__)
    return paid, [pieces[i] for i in order], [costs[i] for i in order]


def _links(table: Table, pieces: list[Piece], costs: list[float]) -> list[float]:
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
