"""What many games tell: wins, averages, best kingdoms, points per terrain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.rules import Score
from scorer.rules.catalogue import TERRAINS
from scorer.rules.ranking import rank_by
from scorer.web.game import Game
from scorer.web.store import Summary

BEST_LISTED = 5
CRITERIA = {"dynasty": ("total", "wins"), "tournament": ("wins", "total", "largest_territory")}
"""What a series is ranked by: a Dynasty adds totals up, then counts games won."""


@dataclass(frozen=True)
class Entry:
    """One player's part in one finished game; who plays in a team has the team's points."""

    player: str
    uid: str
    created: str
    party: str
    total: int
    won: bool
    largest_territory: int
    rows: Mapping[str, int]


def outcome(game: Game, result: Score | None) -> dict[str, Any]:
    """What is kept of a score for lists and charts, by seat."""
    players: list[dict[str, Any] | None] = [None] * len(game.seats)
    for seat, player in zip(game.laid, result.players if result else (), strict=True):
        assert result is not None
        players[seat] = {
            "total": player.total,
            "rows": player.rows,
            "won": len(result.players) > 1 and player.player in result.winners,
            "largest_territory": player.largest_territory,
        }
    return {"whole": len(game.laid) == len(game.seats), "players": players}


def entries(games: Sequence[Summary]) -> list[Entry]:
    """Every player of every finished game, the latest game first."""
    return [
        Entry(name, game.uid, game.created, " & ".join(members), **played)
        for game in games
        if game.result and game.result["whole"]
        for (members, _), played in zip(game.seats, game.result["players"], strict=True)
        for name in members
    ]


@dataclass(frozen=True)
class Standing:
    """One player over several games."""

    player: str
    games: int
    wins: int
    total: int
    best: int
    largest_territory: int

    @property
    def average(self) -> float:
        return round(self.total / self.games, 1)


def standings(played: Sequence[Entry], criteria: Sequence[str] = ("wins", "total")) -> list[Standing]:
    """The players, the first first; players are told apart by their names."""
    table = {}
    for name in dict.fromkeys(entry.player for entry in played):
        own = [entry for entry in played if entry.player == name]
        table[name] = Standing(
            name,
            len(own),
            sum(entry.won for entry in own),
            sum(entry.total for entry in own),
            max(entry.total for entry in own),
            max(entry.largest_territory for entry in own),
        )
    if not table:
        return []
    keys = {name: tuple(getattr(standing, one) for one in criteria) for name, standing in table.items()}
    return [table[name] for place in rank_by(keys, criteria).places for name in place]


def parties(played: Sequence[Entry]) -> list[Entry]:
    """Each kingdom once, also where two players share it."""
    return list({(entry.uid, entry.party): entry for entry in played}.values())


def best(played: Sequence[Entry]) -> list[Entry]:
    return sorted(parties(played), key=lambda entry: -entry.total)[:BEST_LISTED]


def terrain_averages(played: Sequence[Entry]) -> dict[str, float]:
    """Average points per terrain, of the terrains that were played with."""
    kingdoms = parties(played)
    averages: dict[str, float] = {}
    for terrain in TERRAINS:
        points = [entry.rows[terrain] for entry in kingdoms if terrain in entry.rows]
        if points:
            averages[terrain] = round(sum(points) / len(points), 1)
    return averages
