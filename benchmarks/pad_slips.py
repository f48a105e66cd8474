"""Pads with one slip each, made without the code that looks for slips: kingdoms as plain dictionaries of squares."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scorer.pads.files import Pad
from scorer.render.lay import lay_kingdom, shuffled
from scorer.rules import Kingdom, Score, score
from scorer.rules.catalogue import BUILDINGS, TERRAINS

Place = tuple[int, int]
Grid = dict[Place, tuple[str, int]]
"""Letter of the terrain and crowns that count, of every square with a terrain."""
Rows = dict[str, int]
ROW = {terrain[0]: terrain for terrain in TERRAINS}


@dataclass(frozen=True)
class Case:
    """A kingdom with a right count, and what the slips need to know of it."""

    score: Score
    grid: Grid
    buildings: list[str]
    coins: int
    guard: int
    placed: int
    queen: bool

    @property
    def rows(self) -> Rows:
        return dict(self.score.players[0].rows)


def random_case(rng: random.Random) -> Case:
    """A legal Queendomino kingdom with buildings, knights, towers and coins as at the end of a game."""
    generator = np.random.default_rng(rng.randrange(2**32))
    laid = lay_kingdom(shuffled("queendomino", generator), rng.choice([5, 5, 7]), 24, generator)
    cells = laid.cells()
    names = [name for name, building in BUILDINGS.items() for _ in range(building.copies)]
    rng.shuffle(names)
    # People build what goes together: two of a kind are not rare.
    if rng.random() < 0.6:
        names.insert(0, rng.choice([name for name in names if BUILDINGS[name].copies > 1]))
    built = []
    placed = 0
    for place, cell in cells.items():
        if cell == "t" and names and rng.random() < 0.6:
            built.append(names.pop(0))
            cells[place] = f"t:{built[-1]}"
        if cell != "C" and placed < 4 and rng.random() < 0.1:
            cells[place] += "+knight"
            placed += 1
    coins, guard, towers, queen = rng.randint(0, 20), rng.randint(0, 3), rng.randint(0, 4), rng.random() < 0.6
    lines = [" ".join(cells.get((r, c), ".") for c in range(laid.columns)) for r in range(laid.rows)]
    head = f"player: White\ncoins: {coins}\nguard: {guard}\ntowers: {towers}\nqueen: {'yes' if queen else 'no'}\n\n"
    kingdom = Kingdom.parse(head + "\n".join(lines) + "\n")
    grid: Grid = {}
    for place, cell in cells.items():
        if cell != "C":
            bare = cell.split("+")[0]
            crowns = bare.count("queens_tower") if bare[0] == "t" else int(bare[1:] or 0)
            grid[place] = (bare[0], crowns)
    return Case(score([kingdom]), grid, built, coins, guard, placed, queen)


def groups(grid: Grid, diagonal: bool = False) -> list[list[Place]]:
    """Squares of one terrain that hang together."""
    left, found = set(grid), []
    while left:
        start = left.pop()
        group, edge = [start], [start]
        while edge:
            r, c = edge.pop()
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    near = (r + dr, c + dc)
                    if near in left and (diagonal or not dr or not dc) and grid[near][0] == grid[start][0]:
                        left.remove(near)
                        group.append(near)
                        edge.append(near)
        found.append(group)
    return found


def points(grid: Grid, group: list[Place], more: int = 0) -> int:
    return len(group) * (sum(grid[place][1] for place in group) + more)


def row(grid: Grid, group: list[Place]) -> str:
    return ROW[grid[group[0]][0]]


def queens_group(case: Case) -> list[Place] | None:
    stands = next((t for t in case.score.players[0].territories if t.queen), None)
    return next((g for g in groups(case.grid) if stands and stands.squares[0] in g), None)


Change = dict[str, int] | None
"""Points by which rows come out wrong; None where the slip cannot be made."""


def queen_forgotten(case: Case, rng: random.Random) -> Change:
    hers = queens_group(case)
    return hers and {row(case.grid, hers): -len(hers)}  # type: ignore[return-value]


def queen_misplaced(case: Case, rng: random.Random) -> Change:
    hers = queens_group(case)
    others = [group for group in groups(case.grid) if hers and len(group) < len(hers)]
    if hers is None or not others:
        return None
    other = rng.choice(others)
    change = {row(case.grid, hers): -len(hers)}
    name = row(case.grid, other)
    change[name] = change.get(name, 0) + len(other)
    return change


def coins_undivided(case: Case, rng: random.Random) -> Change:
    return {"coins": case.coins - case.coins // 3}


def _bare(case: Case) -> list[list[Place]]:
    """Territories where the Queen does not stand: with her two slips would mix."""
    hers = queens_group(case)
    return [group for group in groups(case.grid) if hers is None or set(group) != set(hers)]


def two_as_one(case: Case, rng: random.Random) -> Change:
    pairs = [
        (a, b)
        for i, a in enumerate(_bare(case))
        for b in _bare(case)[i + 1 :]
        if case.grid[a[0]][0] == case.grid[b[0]][0]
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    return {row(case.grid, a): points(case.grid, a + b) - points(case.grid, a) - points(case.grid, b)}


def one_as_two(case: Case, rng: random.Random) -> Change:
    """A territory cut along an edge of a random tree that spans it."""
    large = [group for group in _bare(case) if len(group) > 1 and points(case.grid, group)]
    if not large:
        return None
    group = rng.choice(large)
    tree = [(group[0], group[0])]
    reached, free = [group[0]], set(group[1:])
    while free:
        r, c = rng.choice(reached)
        near = [n for n in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)) if n in free]
        if near:
            place = rng.choice(near)
            free.remove(place)
            reached.append(place)
            tree.append((place, (r, c)))
    cut = rng.choice(tree[1:])[0]
    part = {cut}
    for place, parent in tree:
        if parent in part:
            part.add(place)
    rest = [place for place in group if place not in part]
    return {row(case.grid, group): points(case.grid, list(part)) + points(case.grid, rest) - points(case.grid, group)}


def diagonal_joined(case: Case, rng: random.Random) -> Change:
    hers = queens_group(case)
    wide = [
        group
        for group in groups(case.grid, diagonal=True)
        if not any(set(other) == set(group) for other in groups(case.grid)) and not (hers and hers[0] in group)
    ]
    if not wide:
        return None
    group = rng.choice(wide)
    parts = [part for part in groups(case.grid) if part[0] in group]
    return {row(case.grid, group): points(case.grid, group) - sum(points(case.grid, part) for part in parts)}


def crownless(case: Case, rng: random.Random) -> Change:
    bare = [group for group in _bare(case) if not points(case.grid, group)]
    if not bare:
        return None
    group = rng.choice(bare)
    return {row(case.grid, group): len(group)}


def church(case: Case, rng: random.Random) -> Change:
    churches = case.buildings.count("church")
    if not churches:
        return None
    return {"church": churches * 2 * len(case.buildings) - case.rows["church"]}


def guard(case: Case, rng: random.Random) -> Change:
    return {"knights": case.buildings.count("training_camp") * case.placed - case.rows["knights"]}


def once(case: Case, rng: random.Random) -> Change:
    twice = sorted({name for name in case.buildings if case.buildings.count(name) > 1 and BUILDINGS[name].row})
    if not twice:
        return None
    building = BUILDINGS[rng.choice(twice)]
    tiles = case.buildings.count(building.id)
    terrain = building.per_territory[:1]
    territories = sum(case.grid[group[0]][0] == terrain for group in groups(case.grid))
    each = building.points * territories or building.flat or case.rows[building.row] // tiles
    return {building.row: -each * (tiles - 1)}


def swapped(case: Case, rng: random.Random) -> Change:
    a, b = rng.sample(list(case.rows), 2)
    difference = case.rows[b] - case.rows[a]
    return {a: difference, b: -difference}


def adding(case: Case, rng: random.Random) -> Change:
    return {"total": rng.choice([-20, -10, -9, -2, -1, 1, 2, 9, 10, 20])}


SLIPS: dict[str, tuple[Callable[[Case, random.Random], Change], str]] = {
    "Queen forgotten": (queen_forgotten, "the Queen was forgotten"),
    "Queen on the wrong territory": (queen_misplaced, "the Queen was put"),
    "coins not divided": (coins_undivided, "not divided by 3"),
    "two territories as one": (two_as_one, "were counted as one"),
    "one territory as two": (one_as_two, "was counted as two"),
    "diagonal as connected": (diagonal_joined, "touch at a corner"),
    "crownless territory counted": (crownless, "without a crown"),
    "Church counts buildings": (church, "counted buildings instead"),
    "guard forgotten": (guard, "knights of the guard"),
    "building scored once": (once, "was scored once"),
    "rows swapped": (swapped, "swapped with"),
    "adding error": (adding, "adding error"),
}
"""Each slip with what its reason says."""


def slipped(kind: str, rng: random.Random) -> tuple[Case, Pad, set[str]] | None:
    """A kingdom, its pad with a slip of a kind, and the rows that changed; None if it changes nothing."""
    case = random_case(rng)
    change = SLIPS[kind][0](case, rng)
    changed = {name for name, difference in (change or {}).items() if difference}
    if not changed or change is None:
        return None
    written: dict[str, int | None] = {}
    for name, value in case.rows.items():
        written[name] = value + change.get(name, 0)
    total = sum(value or 0 for value in written.values()) + change.get("total", 0)
    written["total"] = total
    if any(value is not None and value < 0 for value in written.values()):
        return None
    return case, Pad({"White": written}), changed
