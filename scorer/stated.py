"""What is stated about a table in place of what the headers of its kingdoms say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scorer.errors import UsageError
from scorer.rules.kingdom import Kingdom
from scorer.rules.notation import MAX_NUMBER
from scorer.rules.score import named


@dataclass(frozen=True)
class Stated:
    """Rule set, expansions and quests of the table; numbers of a player as [PLAYER=]N; who hosts the Queen."""

    rules: str | None = None
    expansions: tuple[str, ...] = ()
    quests: tuple[str, ...] = ()
    coins: tuple[str, ...] = ()
    guard: tuple[str, ...] = ()
    towers: tuple[str, ...] = ()
    queen: str | None = None

    def of(self, kingdoms: Sequence[Kingdom]) -> list[Kingdom]:
        """The kingdoms as stated; raises UsageError where a player or a number is not to be had."""
        shared: dict[str, Any] = {"rules": self.rules, "expansions": self.expansions, "quests": self.quests}
        shared = {key: value for key, value in shared.items() if value}
        table = [replace(kingdom, **shared) for kingdom in named(kingdoms)]
        for key, values in (("coins", self.coins), ("guard", self.guard), ("towers", self.towers)):
            for value in values:
                name, separator, number = value.rpartition("=")
                i = _player(table, name if separator else None, f"--{key} {value}")
                if not re.fullmatch("[0-9]{1,4}", number):
                    raise UsageError(f"--{key} {value}: {number!r} is not a number from 0 to {MAX_NUMBER}")
                table[i] = replace(table[i], **{key: int(number)})  # type: ignore[arg-type]
        if self.queen is not None:
            host = _player(table, self.queen, f"--queen {self.queen}")
            table = [_hosting(kingdom, i == host) for i, kingdom in enumerate(table)]
        return table


def _hosting(kingdom: Kingdom, host: bool) -> Kingdom:
    """The kingdom with or without the Queen, wherever a figure of her was seen."""
    if host:
        return replace(kingdom, queen="yes")
    rows = tuple(tuple(replace(square, queen=0) for square in row) for row in kingdom.rows)
    return replace(kingdom, queen="no", rows=rows)


def _player(kingdoms: Sequence[Kingdom], name: str | None, option: str) -> int:
    if name is None and len(kingdoms) == 1:
        return 0
    names = [kingdom.name for kingdom in kingdoms]
    if name is None:
        raise UsageError(f"{option}: say which player, for instance {names[0]}=...")
    matches = [i for i, other in enumerate(names) if other == name] or [
        i for i, other in enumerate(names) if other.casefold() == name.casefold()
    ]
    if not matches:
        raise UsageError(f"{option}: there is no player {name!r}; there are {', '.join(names)}")
    return matches[0]
