"""A game: the rules of its table, its seats, and the score that follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from scorer.errors import UsageError
from scorer.rules import Kingdom, Score
from scorer.rules import score as score_table
from scorer.rules.catalogue import EXPANSIONS, QUESTS, RULE_SETS, RULINGS
from scorer.rules.kingdom import NAME
from scorer.rules.message import msg
from scorer.rules.notation import BONUSES
from scorer.rules.play import Rules, rules_named
from scorer.web.board import Board

MAX_SEATS = 8
MAX_NAME = 40
"""Characters of a name: enough for two people of a team, few enough for a pad's column."""
MAX_TITLE = 80
SIZES = (5, 7, 9)
COLOURS = ("blue", "green", "yellow", "red", "orange", "purple", "white", "black")
"""Castles of both boxes, and two more for eight players."""


@dataclass(frozen=True)
class Settings:
    """What a table plays by."""

    rules: str = "kingdomino"
    size: int | None = None
    expansions: tuple[str, ...] = ()
    quests: tuple[str, ...] = ()
    bonuses: tuple[str, ...] = ()
    rulings: tuple[str, ...] = ()
    court: int | None = None
    title: str = ""

    @property
    def in_force(self) -> Rules:
        return rules_named(self.rules, self.expansions, self.rulings, self.quests, self.bonuses, self.court, self.size)


@dataclass(frozen=True)
class Queen:
    """What the table says about her: the number of her host's seat, and whether she was abducted from there."""

    host: int
    abducted: bool = False


@dataclass(frozen=True)
class Seat:
    """One scoring party: a player, or a team with one kingdom."""

    members: tuple[str, ...]
    colour: str
    board: Board
    can_undo: bool = False
    can_redo: bool = False

    @property
    def name(self) -> str:
        return " & ".join(self.members)


@dataclass(frozen=True)
class Game:
    uid: str
    created: str
    changed: str
    version: int
    settings: Settings
    seats: tuple[Seat, ...]
    queen: Queen | None = None
    series: int | None = None
    share: str | None = None

    @property
    def laid(self) -> list[int]:
        """Numbers of the seats that have a kingdom."""
        return [number for number, seat in enumerate(self.seats) if seat.board.laid]


def table(game: Game) -> list[Kingdom]:
    """The kingdoms that were laid, with everything the table states."""
    settings = game.settings
    shared: dict[str, Any] = {
        "rules": settings.rules,
        "size": settings.size,
        "expansions": settings.expansions or None,
        "quests": settings.quests or None,
        "bonuses": settings.bonuses or None,
        "rulings": settings.rulings or None,
        "court": settings.court,
    }
    kingdoms = []
    for number in game.laid:
        seat = game.seats[number]
        kingdom = replace(seat.board.kingdom, player=seat.name, **shared)
        kingdoms.append(kingdom if game.queen is None else _hosting(kingdom, game.queen, number))
    return kingdoms


def _hosting(kingdom: Kingdom, queen: Queen, seat: int) -> Kingdom:
    """With or without the Queen as the table says, wherever a figure of her was seen."""
    if seat == queen.host and not queen.abducted:
        return replace(kingdom, queen="yes")
    rows = tuple(tuple(replace(square, queen=0) for square in row) for row in kingdom.rows)
    return replace(kingdom, rows=rows, queen="abducted" if seat == queen.host else "no")


def score(game: Game) -> Score | None:
    """The table's score; None before the first kingdom."""
    kingdoms = table(game)
    if not kingdoms:
        return None
    doubts = [game.seats[number].board.doubts for number in game.laid]
    return score_table(kingdoms, doubts=doubts, whole=len(kingdoms) == len(game.seats))


# What comes in from forms and backups


def settings_from(data: Mapping[str, Any]) -> Settings:
    """Settings out of untrusted data; raises ValueError."""
    size, court = data.get("size"), data.get("court")
    return Settings(
        rules=_known([data.get("rules")], RULE_SETS)[0],
        size=None if size in (None, "", 0) else int(_known([str(size)], map(str, SIZES))[0]),
        expansions=_known(data.get("expansions", ()), EXPANSIONS),
        quests=_known(data.get("quests", ()), QUESTS),
        bonuses=_known(data.get("bonuses", ()), BONUSES),
        rulings=_known(data.get("rulings", ()), RULINGS),
        court=None if court in (None, "") else int(_known([str(court)], ("0", "1", "2"))[0]),
        title=str(data.get("title", "")).strip()[:MAX_TITLE],
    )


def settings_data(settings: Settings) -> dict[str, Any]:
    return asdict(settings)


def members_from(names: Sequence[Any]) -> tuple[str, ...]:
    """One name, or two of a team; raises UsageError."""
    members = tuple(name for name in (str(name).strip()[:MAX_NAME] for name in names) if name)
    if not 1 <= len(members) <= 2 or not all(NAME.fullmatch(name) for name in members):
        raise UsageError(msg("a seat needs a name, or two of a team"))
    return members


def colour_from(colour: Any) -> str:
    return _known([colour], COLOURS)[0]


def _known(names: Any, known: Any) -> tuple[str, ...]:
    chosen, allowed = list(names), list(known)
    if any(name not in allowed for name in chosen):
        raise ValueError(f"unknown: {', '.join(str(name)[:MAX_NAME] for name in chosen if name not in allowed)}")
    # In the order of the catalogue, each once.
    return tuple(name for name in allowed if name in chosen)
