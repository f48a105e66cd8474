"""The kingdom as a value: squares with what lies and stands on them, and what its owner has beside it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from .catalogue import BUILDINGS, CHARACTERS, COURT_BUILDINGS, Building, Terrain

if TYPE_CHECKING:
    from typing import Self

Place = tuple[int, int]
"""Row and column of a square, counted from 0 at the top left."""

UNKNOWN = "?"
NAME = re.compile(r"(?! |.* $|(?:.* )?#)[^\x00-\x1f\x7f-\x9f]+")
"""A player's name: no control characters, no blank at its ends, nothing that starts a comment."""
MEEPLES = ("knight", "tower", "fallen", "queen", "giant")


def beside(place: Place) -> tuple[Place, Place, Place, Place]:
    """The four places side by side with one."""
    r, c = place
    return (r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)


class CourtTile(NamedTuple):
    """A character or building of The Court; `turned` over it counts for nothing."""

    id: str
    turned: bool = False


@dataclass(frozen=True)
class Square:
    """One place of the grid. Neither terrain, castle nor unknown: an empty place."""

    terrain: Terrain | None = None
    crowns: int | None = 0
    """Crowns printed on the domino; None when not known."""
    castle: bool = False
    unknown: bool = False
    building: str | None = None
    """Building id on a town square, or `?`."""
    turned: bool = False
    """The building lies grey side up and does not count."""
    knight: int = 0
    tower: int = 0
    fallen: int = 0
    queen: int = 0
    giant: int = 0
    resources: tuple[str, ...] = ()
    court: tuple[CourtTile, ...] = ()

    @cached_property
    def laid(self) -> bool:
        """A tile lies here: a terrain or the castle."""
        return self.terrain is not None or self.castle

    @cached_property
    def doubtful(self) -> bool:
        """Something about this square is not known."""
        return self.unknown or self.crowns is None or self.building == UNKNOWN

    @cached_property
    def standing_building(self) -> Building | None:
        """The building that counts: red side up and known."""
        return None if self.turned or self.building is None else BUILDINGS.get(self.building)

    @cached_property
    def face_up(self) -> tuple[str, ...]:
        """Ids of the Court tiles that count."""
        return tuple(tile.id for tile in self.court if not tile.turned)

    @cached_property
    def characters(self) -> tuple[str, ...]:
        return tuple(tile for tile in self.face_up if tile in CHARACTERS)

    @cached_property
    def warriors(self) -> int:
        return sum(CHARACTERS[tile].warrior for tile in self.characters)

    @cached_property
    def built_crowns(self) -> int:
        """Crowns of the building or Court building that stands here."""
        building = self.standing_building
        court = sum(COURT_BUILDINGS[tile].crowns for tile in self.face_up if tile in COURT_BUILDINGS)
        return court + (building.crowns if building else 0)

    @cached_property
    def covers(self) -> int:
        """Giants and fallen towers: each covers one crown of its square."""
        return self.giant + self.fallen

    @cached_property
    def uncovered(self) -> int:
        """Crowns that count, printed and built, less the covered ones."""
        return max(0, (self.crowns or 0) + self.built_crowns - self.covers)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The parts of a rule set that what stands here belongs to; empty for a bare square."""
        used = {
            "buildings": self.building,
            "knights": self.knight,
            "towers": self.tower,
            "queen": self.queen,
            "giants": self.giant,
            "events": self.fallen,
            "court": self.resources or self.court,
        }
        return frozenset(part for part, there in used.items() if there)


EMPTY = Square()


@dataclass(frozen=True)
class Kingdom:
    """One party's kingdom at the end of the game. None means: not stated."""

    rows: tuple[tuple[Square, ...], ...]
    rules: str | None = None
    expansions: tuple[str, ...] | None = None
    player: str | None = None
    size: int | None = None
    rulings: tuple[str, ...] | None = None
    coins: int | None = None
    account: int | None = None
    guard: int | None = None
    towers: int | None = None
    cemetery: int | None = None
    queen: str | None = None
    quests: tuple[str, ...] | None = None
    bonuses: tuple[str, ...] | None = None
    court: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if not self.rows or not self.rows[0] or any(len(row) != len(self.rows[0]) for row in self.rows):
            raise ValueError("a kingdom needs rows of equal length, at least one square")
        if self.player is not None and not NAME.fullmatch(self.player):
            raise ValueError(f"{self.player!r} cannot be a player's name")

    def __str__(self) -> str:
        from .notation import to_text

        return to_text([self])

    @classmethod
    def parse(cls, text: str, source: str = "") -> "Self":
        """The one kingdom written in `text`; `notation.parse` reads several."""
        from .notation import parse

        kingdoms = parse(text, source)
        if len(kingdoms) != 1:
            raise ValueError(f"the text holds {len(kingdoms)} kingdoms, not one: use scorer.rules.notation.parse")
        return kingdoms[0]  # type: ignore[return-value]

    @cached_property
    def name(self) -> str:
        """The player as printed: by default the name of the file, without what no player's name can hold."""
        if self.player:
            return self.player
        letters = (letter if letter.isprintable() else " " for letter in PurePath(self.source).stem)
        name = " ".join("".join(letters).split())
        return name if NAME.fullmatch(name) else name.replace("#", "").strip() or "Player"

    @cached_property
    def height(self) -> int:
        return len(self.rows)

    @cached_property
    def width(self) -> int:
        return len(self.rows[0])

    def squares(self) -> Iterator[tuple[Place, Square]]:
        """Every place in reading order."""
        for r, row in enumerate(self.rows):
            for c, square in enumerate(row):
                yield (r, c), square

    def at(self, place: Place) -> Square:
        """The square at a place; outside the grid nothing is laid."""
        r, c = place
        return self.rows[r][c] if 0 <= r < self.height and 0 <= c < self.width else EMPTY

    def around(self, place: Place) -> tuple[Square, ...]:
        """The eight squares that surround a place."""
        r, c = place
        return tuple(self.at((r + dr, c + dc)) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc)

    def with_square(self, place: Place, square: Square) -> "Kingdom":
        rows = [list(row) for row in self.rows]
        rows[place[0]][place[1]] = square
        return replace(self, rows=tuple(map(tuple, rows)))

    @cached_property
    def castles(self) -> tuple[Place, ...]:
        return tuple(place for place, square in self.squares() if square.castle)

    @cached_property
    def castle(self) -> Place | None:
        """Where the castle stands; None without one or with several, as then nobody can say."""
        return self.castles[0] if len(self.castles) == 1 else None

    @cached_property
    def bounds(self) -> tuple[int, int, int, int] | None:
        """First and last row, first and last column of what was laid."""
        laid = [place for place, square in self.squares() if square.laid]
        if not laid:
            return None
        rows, columns = zip(*laid, strict=True)
        return min(rows), max(rows), min(columns), max(columns)

    @cached_property
    def extent(self) -> int:
        """The longer side of the bounding box."""
        if self.bounds is None:
            return 0
        top, bottom, left, right = self.bounds
        return max(bottom - top, right - left) + 1
