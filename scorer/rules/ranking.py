"""Who wins and why: the total, then the tie-breaks of the rule set, then a shared victory."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol


class Ranked(Protocol):
    """What a tie-break can look at."""

    @property
    def player(self) -> str: ...
    @property
    def total(self) -> int: ...
    @property
    def wins_queen_ties(self) -> bool: ...
    @property
    def largest_territory(self) -> int: ...
    @property
    def crowns(self) -> int: ...


class Ranking(NamedTuple):
    """Players from first to last, those who share a place together; what decided the first place."""

    places: list[list[str]]
    decided_by: str


# How each criterion of a rule set measures a player; more is better.
MEASURES: dict[str, Callable[[Ranked], int]] = {
    "total": lambda player: player.total,
    "queen": lambda player: player.wins_queen_ties,
    "largest_territory": lambda player: player.largest_territory,
    "crowns": lambda player: player.crowns,
}


def rank(players: Sequence[Ranked], tie_break: Sequence[str]) -> Ranking:
    """Highest total wins; then each tie-break in turn; who is equal in all of them shares the place."""
    criteria = ("total", *tie_break)
    return rank_by({player.player: tuple(MEASURES[name](player) for name in criteria) for player in players}, criteria)


def rank_by(keys: Mapping[str, tuple[int, ...]], criteria: Sequence[str]) -> Ranking:
    """Players in the order of their keys, highest first; `criteria` names the parts of a key."""
    ordered = sorted(set(keys.values()), reverse=True)
    places = [[name for name, key in keys.items() if key == place] for place in ordered]
    return Ranking(places, _decided_by(list(keys.values()), criteria))


def _decided_by(keys: list[tuple[int, ...]], criteria: Sequence[str]) -> str:
    for i, name in enumerate(criteria):
        best = max(key[i] for key in keys)
        keys = [key for key in keys if key[i] == best]
        if len(keys) == 1:
            return name
    return "shared"
