"""Asking about doubts on a terminal: whoever sits at the table knows better than any photo."""

import sys
from collections.abc import Sequence

import click

from scorer.rules.doubt import Doubt, settled
from scorer.rules.kingdom import Kingdom
from scorer.rules.message import msg
from scorer.texts import Translate


def at_terminal() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_about(
    kingdoms: Sequence[Kingdom], doubts: Sequence[tuple[Doubt, ...]], say: Translate
) -> tuple[list[Kingdom], list[tuple[Doubt, ...]]]:
    """The kingdoms as the user knows them to be, and the doubts that nobody settled."""
    count = sum(map(len, doubts))
    if not click.confirm(say(msg("{count} doubtful: look at them one by one?", count=count)), default=True, err=True):
        return list(kingdoms), list(doubts)
    known = []
    for kingdom, of_kingdom in zip(kingdoms, doubts, strict=True):
        for doubt in of_kingdom:
            kingdom = _ask(kingdom, doubt, say) if doubt.read else kingdom
        known.append(kingdom)
    return known, [tuple(doubt for doubt in of_kingdom if not doubt.read) for of_kingdom in doubts]


def _ask(kingdom: Kingdom, doubt: Doubt, say: Translate) -> Kingdom:
    """The kingdom after one question; an empty answer keeps what was read."""
    question = f"{kingdom.name}: {say(doubt.text)}"
    while True:
        answer = click.prompt(question, default=doubt.read, err=True)
        try:
            return settled(kingdom, doubt, answer)
        except ValueError as error:
            click.echo(str(error), err=True)
