"""Territories: maximal groups of same-terrain squares joined side by side."""

from typing import NamedTuple

from .catalogue import Terrain
from .kingdom import Kingdom, Place


class Territory(NamedTuple):
    """A territory as it scores; `crowns` includes the Queen where she stands on it."""

    terrain: Terrain
    size: int
    crowns: int
    queen: bool
    points: int
    squares: tuple[Place, ...]


def territories(kingdom: Kingdom, terrains: tuple[Terrain, ...]) -> list[Territory]:
    """All territories of the given terrains, in the reading order of their first squares.

    A territory is a maximal group of same-terrain squares joined side by side, not diagonally; the castle
    joins nothing. It scores its squares times its uncovered crowns.
    """
    open_squares = {
        place: square.terrain
        for place, square in kingdom.squares()
        if square.terrain is not None and square.terrain in terrains
    }
    rows = kingdom.rows
    found = []
    while open_squares:
        start = next(iter(open_squares))
        terrain = open_squares.pop(start)
        group = [start]
        for r, c in group:
            for neighbour in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)):
                if open_squares.get(neighbour) == terrain:
                    del open_squares[neighbour]
                    group.append(neighbour)
        group.sort()
        size = len(group)
        crowns = sum([rows[r][c].uncovered for r, c in group])
        found.append(Territory(terrain, size, crowns, False, size * crowns, tuple(group)))
    return found
