"""What several commands share: options that beat header lines, and how an error is told."""

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import click

from scorer.errors import ScorerError, UsageError
from scorer.rules.kingdom import Kingdom
from scorer.rules.notation import MAX_NUMBER
from scorer.rules.score import named
from scorer.texts import LANGUAGES

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

languages: Decorator = click.option(
    "--lang", type=click.Choice(LANGUAGES), help="Language; by default that of the locale."
)


profile_option: Decorator = click.option(
    "--profile", metavar="NAME", help="Read with this profile, a name or a file; see `scorer calibrate`."
)


def report(error: ScorerError, source: str, as_json: bool) -> None:
    """One line for a bad input: JSON among the results, or plain words beside them."""
    if as_json:
        form = {"format": "error/1", "source": source, "code": error.exit_code, "message": str(error)}
        click.echo(json.dumps(form, ensure_ascii=False))
    else:
        click.echo(str(error), err=True)


def per_player(name: str, text: str) -> Decorator:
    """An option that takes a number, for one of several players as PLAYER=N."""
    return click.option(f"--{name}", multiple=True, metavar="[PLAYER=]N", help=text)


@dataclass(frozen=True)
class Stated:
    """What options say about the players, in place of what header lines do: numbers as [PLAYER=]N, the Queen's host."""

    coins: tuple[str, ...] = ()
    guard: tuple[str, ...] = ()
    towers: tuple[str, ...] = ()
    queen: str | None = None


def player_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of Stated; the command gets them as one value, ``stated``."""

    @functools.wraps(command)
    def gather(**values: Any) -> Any:
        stated = Stated(*(values.pop(field.name) for field in fields(Stated)))
        return command(stated=stated, **values)

    queen = click.option("--queen", metavar="PLAYER", help="Who hosts the Queen.")
    towers = per_player("towers", "Towers beyond those on squares.")
    guard = per_player("guard", "Knights not placed.")
    coins = per_player("coins", "Coins at the end.")
    return coins(guard(towers(queen(gather))))


def stated_by_options(
    kingdoms: Sequence[Kingdom], rules: str | None, expansions: Sequence[str], quests: Sequence[str], stated: Stated
) -> list[Kingdom]:
    """The kingdoms with what the options state in place of what their headers do."""
    shared: dict[str, Any] = {"rules": rules, "expansions": tuple(expansions), "quests": tuple(quests)}
    table = [replace(kingdom, **{key: value for key, value in shared.items() if value}) for kingdom in named(kingdoms)]
    numbers = {"coins": stated.coins, "guard": stated.guard, "towers": stated.towers}
    for key, values in numbers.items():
        for value in values:
            name, separator, number = value.rpartition("=")
            i = _player(table, name if separator else None, f"--{key} {value}")
            if not (number.isascii() and number.isdigit() and int(number) <= MAX_NUMBER):
                raise UsageError(f"--{key} {value}: {number!r} is not a number from 0 to {MAX_NUMBER}")
            table[i] = replace(table[i], **{key: int(number)})  # type: ignore[arg-type]
    if stated.queen is not None:
        host = _player(table, stated.queen, f"--queen {stated.queen}")
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
