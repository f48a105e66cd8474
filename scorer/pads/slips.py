"""The usual slips of people who count a kingdom: each a small function that gives the number they would get.

A slip changes one row of the pad by some points. `SLIPS` is in the order of how likely people make them; whoever looks
for the reason of a wrong number tries them all.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from scorer.rules.catalogue import Building
from scorer.rules.estate import Estate
from scorer.rules.kingdom import Kingdom, Place, beside
from scorer.rules.message import Message, Term, msg
from scorer.rules.play import Rules
from scorer.rules.rows import COINS_PER_POINT, worth
from scorer.rules.territory import Territory

MAX_SPLIT_EVERY_WAY = 12
"""A territory of so many squares is split in every way that leaves two connected parts (at most some two thousand);
a larger one only along straight lines and at single squares that hold it together."""


class Slip(NamedTuple):
    """A row, by how much it comes out wrong, and why."""

    row: str
    difference: int
    reason: Message


@dataclass(frozen=True)
class Count:
    """A kingdom as its owner should have counted it; `queen`: the row where she stands, "" if she does not."""

    kingdom: Kingdom
    rules: Rules
    hosts_queen: bool
    queen: str = ""

    @cached_property
    def estate(self) -> Estate:
        """With the territories as they lie, the Queen nowhere."""
        return Estate(self.kingdom, self.rules, queen=False)

    @property
    def territories(self) -> list[Territory]:
        return self.estate.territories

    def crowns(self, territory: Territory) -> int:
        """Crowns that count for a territory, the Queen's included if she stands there."""
        return territory.crowns + (territory == self.queens)

    @cached_property
    def queens(self) -> Territory | None:
        """The territory she stands on."""
        size = self.estate.largest_territory
        fitting = [t for t in self.territories if t.terrain == self.queen and t.size == size]
        seen = [t for t in fitting if any(self.kingdom.at(place).queen for place in t.squares)]
        return next(iter(seen or fitting), None)

    def row_of(self, building_row: str) -> str:
        """The pad row that a building counts in: the XXL pad adds them all up in one."""
        return building_row if building_row in self.rules.pad else "buildings_total"


def queen_forgotten(count: Count) -> Iterator[Slip]:
    if count.queens:
        text = msg("the Queen was forgotten: {size} squares, one crown more", size=count.queens.size)
        yield Slip(count.queen, -count.queens.size, text)


def queen_elsewhere(count: Count) -> Iterator[Slip]:
    # She must stand on the largest territory. Put elsewhere she is missing there and too much here.
    for territory in count.territories:
        if territory != count.queens and count.hosts_queen:
            gone = count.queens.size if count.queens and count.queens.terrain == territory.terrain else 0
            text = msg("the Queen was put on a territory of {size} squares", size=territory.size)
            yield Slip(territory.terrain, territory.size - gone, text)
    if count.queens:
        text = msg("the Queen was put on another territory")
        yield Slip(count.queen, -count.queens.size, text)


def queen_of_somebody_else(count: Count) -> Iterator[Slip]:
    if not count.hosts_queen and "queen" in count.rules.parts:
        for territory in count.territories:
            if territory.size == count.estate.largest_territory:
                yield Slip(territory.terrain, territory.size, msg("the Queen was counted, but is not in this kingdom"))


def coins_not_divided(count: Count) -> Iterator[Slip]:
    row = "coins" if "coins" in count.rules.pad else "wealth"
    purse, account = count.kingdom.coins or 0, count.kingdom.account or 0
    right = (purse + account) // COINS_PER_POINT
    yield Slip(row, purse + account - right, msg("the coins were not divided by 3"))
    yield Slip(row, -(-(purse + account) // COINS_PER_POINT) - right, msg("the coins were rounded up"))
    if account:
        yield Slip(row, purse // COINS_PER_POINT - right, msg("the bank account was forgotten"))
        apart = purse // COINS_PER_POINT + account // COINS_PER_POINT
        yield Slip(row, apart - right, msg("purse and bank account were divided one by one"))


def _same_terrain(count: Count) -> Iterator[tuple[Territory, Territory]]:
    for one, other in combinations(count.territories, 2):
        if one.terrain == other.terrain:
            yield one, other


def _joined(count: Count, one: Territory, other: Territory) -> int:
    """By how much two territories are worth more as one."""
    crowns = count.crowns(one), count.crowns(other)
    return one.size * crowns[1] + other.size * crowns[0]


def _corner_to_corner(one: Territory, other: Territory) -> bool:
    return any(abs(r - s) == 1 and abs(c - d) == 1 for r, c in one.squares for s, d in other.squares)


def diagonal(count: Count) -> Iterator[Slip]:
    text = msg("territories that only touch at a corner were counted as one")
    for one, other in _same_terrain(count):
        if _corner_to_corner(one, other):
            yield Slip(one.terrain, _joined(count, one, other), text)
    for terrain in count.rules.terrains:
        groups = _diagonal_groups([t for t in count.territories if t.terrain == terrain])
        every = sum(
            sum(t.size for t in group) * sum(map(count.crowns, group)) - sum(t.size * count.crowns(t) for t in group)
            for group in groups
        )
        yield Slip(terrain, every, text)


def _diagonal_groups(territories: list[Territory]) -> list[list[Territory]]:
    """Territories that hang together by their corners."""
    groups: list[list[Territory]] = []
    for territory in territories:
        touching = [group for group in groups if any(_corner_to_corner(territory, other) for other in group)]
        groups = [group for group in groups if group not in touching]
        groups.append([territory, *(other for group in touching for other in group)])
    return groups


def two_as_one(count: Count) -> Iterator[Slip]:
    for one, other in _same_terrain(count):
        text = msg("two territories ({size} and {other} squares) were counted as one", size=one.size, other=other.size)
        yield Slip(one.terrain, _joined(count, one, other), text)


def one_as_two(count: Count) -> Iterator[Slip]:
    for territory in count.territories:
        crowns = count.crowns(territory)
        text = msg("a territory of {size} squares was counted as two", size=territory.size)
        for part in _parts(territory):
            inside = sum(count.kingdom.at(place).uncovered for place in part)
            rest = territory.size - len(part)
            # The Queen adds her crown to the part where she was put.
            for queen in (0, 1) if crowns > territory.crowns else (0,):
                points = len(part) * (inside + queen) + rest * (crowns - inside - queen)
                yield Slip(territory.terrain, points - territory.size * crowns, text)


def _parts(territory: Territory) -> Iterator[frozenset[Place]]:
    """One of two connected parts of a territory, in every way or, of a large one, in the likeliest ways."""
    squares = frozenset(territory.squares)
    if len(squares) <= MAX_SPLIT_EVERY_WAY:
        candidates: Iterator[frozenset[Place]] = _connected_with(territory.squares[0], squares)
    else:
        candidates = _straight_cuts(squares)
    for part in candidates:
        if part != squares and _is_connected(squares - part):
            yield part


def _connected_with(start: Place, squares: frozenset[Place]) -> Iterator[frozenset[Place]]:
    """Every connected part that holds a square, each once."""
    stack: list[tuple[frozenset[Place], frozenset[Place]]] = [(frozenset([start]), frozenset())]
    while stack:
        part, excluded = stack.pop()
        yield part
        edge = {n for place in part for n in beside(place) if n in squares} - part - excluded
        for place in sorted(edge):
            stack.append((part | {place}, excluded))
            excluded = excluded | {place}


def _straight_cuts(squares: frozenset[Place]) -> Iterator[frozenset[Place]]:
    for axis in (0, 1):
        for border in {place[axis] for place in squares}:
            yield frozenset(place for place in squares if place[axis] < border) or squares
    for place in squares:
        yield frozenset([place])
        rest = squares - {place}
        group = _group(next(iter(rest)), rest)
        yield group
        yield group | {place}


def _group(start: Place, squares: frozenset[Place]) -> frozenset[Place]:
    found, edge = {start}, [start]
    while edge:
        for place in beside(edge.pop()):
            if place in squares and place not in found:
                found.add(place)
                edge.append(place)
    return frozenset(found)


def _is_connected(squares: frozenset[Place]) -> bool:
    return _group(next(iter(squares)), squares) == squares


def crownless_counted(count: Count) -> Iterator[Slip]:
    for terrain in count.rules.terrains:
        bare = [t.size for t in count.territories if t.terrain == terrain and not count.crowns(t)]
        for size in (*bare, sum(bare)):
            yield Slip(terrain, size, msg("a territory without a crown was counted: {size} squares", size=size))


def territory_forgotten(count: Count) -> Iterator[Slip]:
    for territory in count.territories:
        text = msg("a territory of {size} squares was forgotten", size=territory.size)
        yield Slip(territory.terrain, -territory.size * count.crowns(territory), text)


def covered_crown_counted(count: Count) -> Iterator[Slip]:
    text = msg("a crown that is covered was counted")
    for territory in count.territories:
        squares = [count.kingdom.at(place) for place in territory.squares]
        covered = sum((square.crowns or 0) + square.built_crowns - square.uncovered for square in squares)
        for crowns in range(1, covered + 1):
            yield Slip(territory.terrain, crowns * territory.size, text)


def _standing(count: Count) -> list[Building]:
    """Buildings that score on the pad."""
    return [building for _, building, turned in count.estate.buildings if building.row and not turned]


def church_counts_buildings(count: Count) -> Iterator[Slip]:
    churches = [building for building in _standing(count) if building.row == "church"]
    text = msg("the Church counted buildings instead of towns")
    built = len(count.estate.buildings)
    # With or without tiles that are turned over, with or without the Church itself.
    for counted in range(built - sum(turned for *_, turned in count.estate.buildings) - 1, built + 1):
        points = sum(church.points * counted - worth(count.estate, church)[0] for church in churches)
        yield Slip(count.row_of("church"), points, text)


def squares_instead_of_territories(count: Count) -> Iterator[Slip]:
    for building in _standing(count):
        if building.per_territory:
            squares = sum(t.size for t in count.territories if t.terrain == building.per_territory)
            text = msg("{building}: squares were counted instead of territories", building=Term(building.name))
            right = worth(count.estate, building)[0]
            yield Slip(count.row_of(building.row), building.points * squares - right, text)


def guard_forgotten(count: Count) -> Iterator[Slip]:
    # Knights of the guard and towers beside the kingdom count like those in it.
    for row, owned, text in (
        ("knights", count.kingdom.guard or 0, msg("the knights of the guard were forgotten")),
        ("towers", count.kingdom.towers or 0, msg("the towers beside the kingdom were forgotten")),
    ):
        tiles = sum(building.row == row for building in _standing(count))
        yield Slip(count.row_of(row), -owned * tiles, text)


def scored_once(count: Count) -> Iterator[Slip]:
    # Every building tile scores on its own: two Sawmills score twice.
    tiles = Counter(building.id for building in _standing(count))
    for building in {building.id: building for building in _standing(count)}.values():
        number, points = tiles[building.id], worth(count.estate, building)[0]
        text = msg("{building} was scored once, but there are {count}", building=Term(building.name), count=number)
        yield Slip(count.row_of(building.row), -points * (number - 1), text)


def building_forgotten(count: Count) -> Iterator[Slip]:
    for building in _standing(count):
        text = msg("{building} was forgotten", building=Term(building.name))
        yield Slip(count.row_of(building.row), -worth(count.estate, building)[0], text)


def turned_building_counted(count: Count) -> Iterator[Slip]:
    for _, building, turned in count.estate.buildings:
        if building.row and turned:
            text = msg("{building} was counted, but is turned over", building=Term(building.name))
            yield Slip(count.row_of(building.row), worth(count.estate, building)[0], text)


SLIPS: tuple[Callable[[Count], Iterator[Slip]], ...] = (
    queen_forgotten,
    queen_elsewhere,
    queen_of_somebody_else,
    coins_not_divided,
    diagonal,
    crownless_counted,
    church_counts_buildings,
    guard_forgotten,
    scored_once,
    two_as_one,
    one_as_two,
    territory_forgotten,
    building_forgotten,
    squares_instead_of_territories,
    covered_crown_counted,
    turned_building_counted,
)


def slips(count: Count) -> list[Slip]:
    """Every slip that would change a number of this kingdom's pad."""
    found = dict.fromkeys(
        (slip.row, slip.difference, slip.reason.template, tuple(slip.reason.values.items()))
        for make in SLIPS
        for slip in make(count)
        if slip.difference and slip.row in count.rules.pad
    )
    return [Slip(row, difference, Message(text, dict(values))) for row, difference, text, values in found]
