"""Several games added up: a Dynasty of three, or a tournament's table."""

from collections.abc import Sequence
from dataclasses import dataclass

from .ranking import rank_by
from .score import Score


@dataclass(frozen=True)
class Standing:
    """One player over all games. Who shares a victory has won that game too."""

    player: str
    games: int
    total: int
    wins: int
    largest_territory: int
    """The largest single territory of any game."""

    @property
    def average(self) -> float:
        return self.total / self.games


@dataclass(frozen=True)
class Series:
    """The table of a series, first to last, and what decided the first place."""

    standings: tuple[Standing, ...]
    ranking: list[list[str]]
    decided_by: str


def series(games: Sequence[Score], criteria: Sequence[str] = ("total", "wins")) -> Series:
    """Adds games up. Dynasty: totals added, then games won, then a shared victory.

    A tournament may rank by other criteria, each a field of `Standing`, for instance
    `("wins", "total", "largest_territory")`.
    """
    if not games:
        raise ValueError("a series needs at least one game")
    names = dict.fromkeys(player.player for game in games for player in game.players)
    standings = {name: _standing(name, games) for name in names}
    keys = {name: tuple(getattr(standing, c) for c in criteria) for name, standing in standings.items()}
    places, decided_by = rank_by(keys, criteria)
    return Series(tuple(standings[name] for place in places for name in place), places, decided_by)


def _standing(name: str, games: Sequence[Score]) -> Standing:
    own = [player for game in games for player in game.players if player.player == name]
    return Standing(
        player=name,
        games=len(own),
        total=sum(player.total for player in own),
        wins=sum(name in game.winners for game in games),
        largest_territory=max(player.largest_territory for player in own),
    )
