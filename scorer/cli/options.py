"""What several commands share: options that beat header lines, and how an error is told."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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


def stated_by_options(
    kingdoms: Sequence[Kingdom],
    rules: str | None,
    expansions: Sequence[str],
    quests: Sequence[str],
    numbers: Mapping[str, Sequence[str]],
    queen: str | None,
) -> list[Kingdom]:
    """The kingdoms with what the options state in place of what their headers do."""
    shared: dict[str, Any] = {"rules": rules, "expansions": tuple(expansions), "quests": tuple(quests)}
    stated = {key: value for key, value in shared.items() if value}
    table = [replace(kingdom, **stated) for kingdom in named(kingdoms)]
    for key, values in numbers.items():
        for value in values:
            name, separator, number = value.rpartition("=")
            i = _player(table, name if separator else None, f"--{key} {value}")
            if not (number.isascii() and number.isdigit() and int(number) <= MAX_NUMBER):
                raise UsageError(f"--{key} {value}: {number!r} is not a number from 0 to {MAX_NUMBER}")
            table[i] = replace(table[i], **{key: int(number)})  # type: ignore[arg-type]
    if queen is not None:
        host = _player(table, queen, f"--queen {queen}")
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
