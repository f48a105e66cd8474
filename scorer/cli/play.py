"""`scorer tax` and `scorer price`: for use during play."""

import re

import click

from scorer.cli.options import languages, told
from scorer.inputs import read_kingdoms
from scorer.rules import turn
from scorer.rules.message import msg
from scorer.rules.play import rules_of
from scorer.texts import translator


def _square(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,2}),([0-9]{1,2})", text)
    if not match:
        raise click.UsageError(f"{text!r} is no square: write row,column counted from 0, for instance 2,3")
    return int(match[1]), int(match[2])


@click.command()
@click.argument("file")
@click.argument("squares", metavar="SQUARE [SQUARE]", nargs=-1, required=True)
@click.option("--player", help="Whose kingdom, where the file holds several.")
@languages
def tax(file: str, squares: tuple[str, ...], player: str | None, lang: str | None) -> None:
    """Coins that a knight on a square (row,column from 0) collects now, Safes included.

    \b
    Examples:
      scorer tax samples/kingdoms/example-71.kingdom 0,4
      scorer tax table.kingdom 2,3 2,4 --player White
    """
    say = translator(lang)
    places = [_square(square) for square in squares]
    with told():
        kingdoms = read_kingdoms(file)
    chosen = [kingdom for kingdom in kingdoms if player in (None, kingdom.name)]
    if len(chosen) != 1:
        names = ", ".join(kingdom.name for kingdom in kingdoms)
        raise click.UsageError(f"--player: say whose kingdom it is; there are {names}")
    try:
        collected = turn.tax(chosen[0], places, rules_of(kingdoms))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(collected.coins)
    for line in (*collected.reasons, *collected.doubts):
        click.echo("  " + say(line), err=True)
    raise SystemExit(int(bool(collected.doubts)))


@click.command()
@click.argument("place", metavar="PRICE|dragon")
@click.option("--queen", is_flag=True, help="The buyer hosts the Queen.")
@click.option("--sales", is_flag=True, help="The event Sales is on (XXXL).")
@click.option("--away", is_flag=True, help="The dragon has left its cave.")
@click.option("--fairies", is_flag=True, help="It is the fairies' round (XXXL).")
@languages
def price(place: str, queen: bool, sales: bool, away: bool, fairies: bool, lang: str | None) -> None:
    """What a building costs now, by the price of its place on the builders' board; or the dragon.

    \b
    Examples:
      scorer price 4
      scorer price 4 --queen --sales
      scorer price dragon --away
    """
    if place == "dragon":
        coins = turn.dragon_price(in_cave=not away, hosts_queen=queen, fairies=fairies)
        if coins is None:
            click.echo(translator(lang)(msg("the dragon is not to be had")), err=True)
            raise SystemExit(1)
    elif place.isascii() and place.isdigit() and len(place) <= 2:
        coins = turn.building_price(int(place), hosts_queen=queen, sales=sales)
    else:
        raise click.UsageError(f"{place!r} is no price: write the number on the builders' board, or dragon")
    click.echo(coins)
