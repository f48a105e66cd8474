"""Branch and bound over the pieces of a table; `scorer.rules.tiling` explains the whole."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from math import inf

from .cover import CASTLE, EMPTY, TOLERANCE, Kind, Label, Piece, Table, TimeUp, reduce_costs
from .kingdom import Place

# Budgets above the least conceivable cost, in the unit of the costs: 0, then each 1 more than 1.15 times
# the one before. Doubling overshoots: a budget of twice the answer was seen to cost a hundred times the nodes.
FIRST_BUDGET = 1.0
BUDGET_GROWTH = 1.15
# Any tolls give a valid floor, so a few rounds will do; steps are of the size of another reading's cost.
TOLL_ROUNDS = 8
TOLL_STEP = 3.0


class Search:
    """Branch and bound over the pieces within one budget."""

    def __init__(self, table: Table, budget: float) -> None:
        self.table = table
        self.limit = budget + TOLERANCE
        self.found: list[Piece] | None = None
        self.excess = inf
        pieces, self.complete = table.pieces(budget)
        self.spent, self.pieces, self.reduced = reduce_costs(table, pieces, budget)
        self.all = (1 << len(self.pieces)) - 1
        self.cover = [0] * table.items
        self.reading: dict[tuple[int, Label], int] = {}
        # users[kind, n]: the pieces that take at least n of this kind.
        self.users: dict[tuple[Kind, int], int] = {}
        for i, piece in enumerate(self.pieces):
            table.check_time()
            bit = 1 << i
            for item in piece.items:
                self.cover[item] |= bit
            for spot, label in zip(piece.spots, piece.labels, strict=True):
                self.reading[spot, label] = self.reading.get((spot, label), 0) | bit
            for kind, amount in piece.needs.items():
                for least in range(1, amount + 1):
                    self.users[kind, least] = self.users.get((kind, least), 0) | bit
        # offer[spot, terrain]: the pieces that show this terrain (or the castle) at the spot.
        self.offer: dict[tuple[int, str], int] = {}
        for (spot, label), mask in self.reading.items():
            self.offer[spot, label[0]] = self.offer.get((spot, label[0]), 0) | mask
        self.clash: dict[int, int] = {}
        self.left = table.box.stock()
        self.laid: list[Label] = [""] * len(table.spots)
        self.mate: list[int] = list(range(len(table.spots)))
        self.chosen: list[Piece] = []

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
            ((mask & -mask), spot, mask) for (spot, label), mask in self.reading.items() if label != unlike[spot]
        ]
        for _, spot, mask in sorted(readings):
            free = self.all & ~barred
            self._descend(free & (mask | ~self.cover[spot]), items)
            barred |= mask

    def least_other(self, spot: int, label: Label) -> float:
        """The least that a piece costs which reads the spot otherwise."""
        others = self.cover[spot] & ~self.reading.get((spot, label), 0)
        return self.reduced[(others & -others).bit_length() - 1] if others else inf

    def run_without(self, spot: int, label: Label, most: float) -> bool:
        """Find the cheapest of at most this excess that reads a spot otherwise."""
        self.found, self.limit = None, most + TOLERANCE
        self._descend(self.all & ~self.reading.get((spot, label), 0), list(range(self.table.items)))
        return self.found is not None

    def labels(self) -> list[Label]:
        labels = [""] * len(self.table.spots)
        for piece in self.found or ():
            for spot, label in zip(piece.spots, piece.labels, strict=True):
                labels[spot] = label
        return labels

    def dominoes(self) -> list[tuple[int, Place, Place]]:
        """The kingdom and the two places of each domino found."""
        spots = self.table.spots
        pairs = [(piece.kingdom, *piece.spots) for piece in self.found or () if len(piece.spots) == 2]
        return [(k, spots[one][1], spots[other][1]) for k, one, other in pairs]

    def _descend(self, free: int, items: list[int]) -> None:
        self.table.check_time()
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
        spent = self.spent[piece.kingdom]
        self.spent[piece.kingdom] = spent + self.reduced[number]
        self.chosen.append(piece)
        for spot, label in zip(piece.spots, piece.labels, strict=True):
            self.laid[spot] = label
            self.mate[spot] = piece.spots[0] + piece.spots[-1] - spot
        if not self.table.ordered or self._connectable(piece, free):
            self._descend(free, [item for item in items if item not in piece.items])
        for spot in piece.spots:
            self.laid[spot] = ""
        self.chosen.pop()
        self.spent[piece.kingdom] = spent
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

    def _connectable(self, piece: Piece, free: int) -> bool:
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
                    if free & (self.offer.get((other, terrain), 0) | self.offer.get((other, CASTLE), 0)):
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


def deepen(
    table: Table, start: float, unlike: Sequence[Label] | None = None, most: float = inf
) -> tuple[Search | None, bool]:
    """Search with a growing budget, up to `most`; the search that found a layout, and whether the answer is proven."""
    search = None
    step = 0.0
    most = min(most, table.worst())
    try:
        while True:
            search = Search(table, min(start + step, most))
            search.run(unlike)
            if search.found is not None:
                return search, True
            if start + step >= most:
                return None, True
            step = table.worst() if search.complete else FIRST_BUDGET + BUDGET_GROWTH * step
    except TimeUp:
        return (search if search is not None and search.found is not None else None), False


def share_dominoes(table: Table) -> bool:
    """Raise tolls until the kingdoms, each solved alone, no longer claim the same dominoes.

    This is Lagrangian relaxation: the sum of what the kingdoms cost alone with tolls, less the rebate, is a
    floor for the table. Keeps the tolls with the highest floor; False if some kingdom is impossible alone.
    """
    alone = [
        Table([costs], table.box, deadline=table.deadline, ordered=table.ordered, max_size=table.max_size)
        for costs in table.kingdoms
    ]
    stock = table.box.stock()
    tolls: dict[Kind, float] = {}
    floors = [0.0] * len(alone)
    highest = -inf
    for turn in range(TOLL_ROUNDS):
        claims: Counter[Kind] = Counter()
        for k, kingdom in enumerate(alone):
            kingdom.tolls = tolls
            search, proven = deepen(kingdom, floors[k])
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
        tolls = {kind: max(0.0, tolls.get(kind, 0.0) + step * over) for kind, over in excesses.items()}
    return True
