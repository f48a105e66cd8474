"""What several commands share: their options, their inputs, and how an error is told."""

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import click

from scorer.errors import ScorerError
from scorer.inputs import read_table
from scorer.names import shown, text
from scorer.rules.catalogue import EXPANSIONS, QUESTS, RULE_SETS
from scorer.rules.doubt import Doubt
from scorer.rules.kingdom import Kingdom
from scorer.stated import Stated
from scorer.texts import LANGUAGES, Translate

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

languages: Decorator = click.option(
    "--lang", type=click.Choice(LANGUAGES), help="Language; by default that of the locale."
)
profile_option: Decorator = click.option(
    "--profile", metavar="NAME", help="Read with this profile, a name or a file; see `scorer calibrate`."
)

_TABLE = (
    click.option("--rules", type=click.Choice(list(RULE_SETS)), help="Rule set, instead of the files' own."),
    click.option(
        "--expansion", "expansions", type=click.Choice(list(EXPANSIONS)), multiple=True, help="Add an expansion."
    ),
    click.option(
        "--quest", "quests", type=click.Choice(list(QUESTS)), multiple=True, metavar="ID", help="Quest in play."
    ),
)
_PLAYERS = (
    click.option("--coins", multiple=True, metavar="[PLAYER=]N", help="Coins at the end."),
    click.option("--guard", multiple=True, metavar="[PLAYER=]N", help="Knights not placed."),
    click.option("--towers", multiple=True, metavar="[PLAYER=]N", help="Towers beyond those on squares."),
    click.option("--queen", metavar="PLAYER", help="Who hosts the Queen."),
)


def _stating(*options: Decorator) -> Decorator:
    """Options that the command gets as one value, ``stated``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def gather(**values: Any) -> Any:
            stated = {field.name: values.pop(field.name) for field in fields(Stated) if field.name in values}
            return command(stated=Stated(**stated), **values)

        made: Callable[..., Any] = gather
        for option in reversed(options):
            made = option(made)
        return made

    return decorate


table_options = _stating(*_TABLE)
table_and_player_options = _stating(*_TABLE, *_PLAYERS)


def report(error: ScorerError, source: str, as_json: bool) -> None:
    """One line for a bad input: JSON among the results, or plain words beside them."""
    if as_json:
        form = {"format": "error/1", "source": text(source), "code": error.exit_code, "message": str(error)}
        click.echo(json.dumps(form, ensure_ascii=False))
    else:
        click.echo(str(error), err=True)


@contextmanager
def told(source: str = "", as_json: bool = False) -> Iterator[None]:
    """Ends the command with one line for what goes wrong, and its exit code."""
    try:
        yield
    except ScorerError as error:
        report(error, source, as_json)
        raise SystemExit(error.exit_code) from None


def read_inputs(
    inputs: Sequence[str], rules: str | None, say: Translate, as_json: bool = False, profile: str | None = None
) -> tuple[list[Kingdom], list[tuple[Doubt, ...]], int]:
    """The kingdoms of all inputs, what is doubtful about each, and the exit code; what is to be said is told."""
    kingdoms: list[Kingdom] = []
    doubts: list[tuple[Doubt, ...]] = []
    exit_code = 0
    for source, found in zip(inputs, read_table(inputs, rules, profile), strict=True):
        if isinstance(found, ScorerError):
            exit_code = max(exit_code, found.exit_code)
            report(found, source, as_json)
            continue
        for note in found.notes:
            click.echo(f"{shown(source)}: {say(note)}", err=True)
        kingdoms += found.kingdoms
        doubts += found.doubts
    return kingdoms, doubts, exit_code
