"""An estate: one kingdom surveyed for scoring, each thing counted once."""

from collections.abc import Sequence
from typing import NamedTuple

from .catalogue import BUILDINGS, Building
from .kingdom import Kingdom, Place, Square
from .message import Message
from .play import Rules
from .territory import Territory, territories


class Item(NamedTuple):
    """One reason for points: the row of the pad, the sentence, and the squares it is about."""

    row: str
    points: int
    reason: Message
    squares: tuple[Place, ...] = ()

    @property
    def text(self) -> str:
        return str(self.reason)


class Estate:
    """What a kingdom owns. `queen`: the owner hosts the Queen at the end."""

    def __init__(self, kingdom: Kingdom, rules: Rules, queen: bool) -> None:
        self.kingdom = kingdom
        self.rules = rules
        self.furnished: list[tuple[Place, Square]] = [
            (place, square) for place, square in kingdom.squares() if square.parts
        ]
        self.buildings: list[tuple[Place, Building, bool]] = [
            (place, BUILDINGS[square.building], square.turned)
            for place, square in self.furnished
            if square.building in BUILDINGS
        ]
        """All building tiles: where, which, and whether it is turned over."""
        self.territories: list[Territory] = territories(kingdom, rules.terrains)
        self.largest_territory = max((territory.size for territory in self.territories), default=0)
        self.queen_choices: list[str] = []
        if queen:
            self._place_queen()

    def _place_queen(self) -> None:
        # Her host puts her on his largest territory, towns included, as one more crown; of several equally
        # large ones on the one where she was seen, else the first.
        largest = [i for i, t in enumerate(self.territories) if t.size == self.largest_territory]
        seen = [i for i in largest if any(self.kingdom.at(place).queen for place in self.territories[i].squares)]
        if len(largest) > 1 and not seen:
            rows = {self.territories[i].terrain for i in largest}
            self.queen_choices = [terrain for terrain in self.rules.terrains if terrain in rows]
        # A kingdom without any territory gives her nowhere to stand.
        for i in (seen or largest)[:1]:
            bare = self.territories[i]
            crowns = bare.crowns + 1
            self.territories[i] = bare._replace(crowns=crowns, queen=True, points=bare.size * crowns)

    @property
    def crowns(self) -> int:
        """Uncovered crowns of the whole kingdom; the Queen is none of them."""
        return sum(territory.crowns - territory.queen for territory in self.territories)

    @property
    def towers(self) -> int:
        """All towers owned, on squares or beside the kingdom; a fallen tower is none, unless so ruled."""
        return towers_owned(self.kingdom, self.rules)

    @property
    def knights(self) -> int:
        """All knights owned, placed or in the guard, and Court warriors; none of the cemetery."""
        return (self.kingdom.guard or 0) + sum(square.knight + square.warriors for _, square in self.furnished)

    def crowned(self, squares: Sequence[Square]) -> int:
        """Uncovered crowns on some squares."""
        return sum(square.uncovered for square in squares)


def towers_owned(kingdom: Kingdom, rules: Rules) -> int:
    fallen = "fallen-towers-count" in rules.rulings
    return (kingdom.towers or 0) + sum(
        square.tower + (square.fallen if fallen else 0) for _, square in kingdom.squares()
    )
