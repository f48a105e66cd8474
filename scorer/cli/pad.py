"""`scorer pad check`, `pad read` and `pad print`."""

import json
from pathlib import Path

import click

from scorer.cli.options import languages, read_inputs, table_and_player_options, table_options, told
from scorer.inputs import read_pad
from scorer.output import write_bytes
from scorer.pad import remarks
from scorer.pads.check import as_json, check_pad
from scorer.pads.files import rows_named, to_csv, to_json
from scorer.pads.sheet import MAX_COLUMNS, blank_sheet, sheet_of
from scorer.pads.words import check_table, findings, remarks_on
from scorer.rules import score as score_table
from scorer.rules.catalogue import QUESTS
from scorer.rules.play import rules_of
from scorer.stated import Stated
from scorer.texts import preferred_language, translator

row_options = click.option(
    "--rows", metavar="ID,ID...", help="Rows of a ruled sheet from top to bottom, without the total; see the manual."
)


@click.group()
def pad() -> None:
    """Score pads: check, read from a photo, print.

    \b
    Examples:
      scorer pad check pad.csv samples/kingdoms/four-players.kingdom
      scorer pad read sheet.jpg -o pad.csv
      scorer pad print -o pad.pdf
    """


@pad.command()
@click.argument("pad_file", metavar="PAD")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("--json", "as_json_", is_flag=True, help="Print the check as JSON.")
@table_and_player_options
@row_options
@languages
def check(
    pad_file: str,
    inputs: tuple[str, ...],
    as_json_: bool,
    stated: Stated,
    rows: str | None,
    lang: str | None,
) -> None:
    """Compares a pad (CSV, JSON or a photo) with what the kingdoms are worth, row by row.

    \b
    Examples:
      scorer pad check pad.csv samples/kingdoms/four-players.kingdom
      scorer pad check sheet.jpg white.jpg red.jpg --coins White=11
      scorer pad check pad.json table.kingdom --json
    """
    say = translator(lang)
    kingdoms, doubts, exit_code = read_inputs(inputs, stated.rules, say, as_json_)
    with told(pad_file, as_json_):
        table = stated.of(kingdoms)
        expected = (*rules_of(table).pad, "total") if table else ()
        written = read_pad(pad_file, expected, rows_named(rows) if rows else None)
        if exit_code:
            raise SystemExit(exit_code)
        result = score_table(table, doubts=doubts)
        checked = check_pad(written, result)
    if as_json_:
        click.echo(json.dumps(as_json(checked), ensure_ascii=False))
    else:
        click.echo(check_table(checked, say))
        for line in findings(checked, say):
            click.echo(line)
        for line in (*remarks(result, say), *remarks_on(written, say)):
            click.echo(line, err=True)
    raise SystemExit(int(not checked.right or result.unknown))


@pad.command()
@click.argument("photo")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the pad to this file.")
@click.option("--json", "as_json_", is_flag=True, help="Print the pad as JSON, with its doubts.")
@click.option("--strict", is_flag=True, help="Exit with 1 when the reading is doubtful.")
@row_options
@languages
def read(photo: str, output: Path | None, as_json_: bool, strict: bool, rows: str | None, lang: str | None) -> None:
    """Reads a photographed pad: our own printed one, or a ruled sheet laid out as the book's pad.

    \b
    Examples:
      scorer pad read sheet.jpg
      scorer pad read sheet.jpg -o pad.csv
      scorer pad read sheet.jpg --json
    """
    from scorer.vision.pads.reading import read_pad_photo

    say = translator(lang)
    with told(photo, as_json_):
        seen = read_pad_photo(photo, rows=rows_named(rows) if rows else None).pad
        text = json.dumps(to_json(seen), ensure_ascii=False) + "\n" if as_json_ else to_csv(seen)
        if output:
            write_bytes(output, text.encode())
    if not output:
        click.echo(text, nl=False)
    for line in remarks_on(seen, say):
        click.echo(line, err=True)
    raise SystemExit(int(strict and bool(seen.doubts)))


@pad.command("print")
@click.argument("inputs", metavar="[INPUT]...", nargs=-1)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("pad.pdf"), help="Default: pad.pdf.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", help="Default: a4.")
@click.option("--per-sheet", type=click.Choice(["1", "2", "4"]), default="1", help="Pads on a sheet of paper.")
@click.option("--columns", type=click.IntRange(1, MAX_COLUMNS), help="Players; by default 4, or as many as there are.")
@table_options
@click.option("--bonus", "bonuses", type=click.Choice([q.id for q in QUESTS.values() if q.bonus]), multiple=True)
@languages
def print_(
    inputs: tuple[str, ...],
    output: Path,
    paper: str,
    per_sheet: str,
    columns: int | None,
    stated: Stated,
    bonuses: tuple[str, ...],
    lang: str | None,
) -> None:
    """Prints a pad as PDF: blank, or filled from kingdoms. Marks in its corners help to read it from a photo.

    \b
    Examples:
      scorer pad print -o pad.pdf
      scorer pad print --rules xxxl --per-sheet 2 --paper letter --lang fr
      scorer pad print samples/kingdoms/four-players.kingdom -o game.pdf
    """
    from scorer.pads.print import RIGHT_TO_LEFT, pad_pdf

    say = translator(lang)
    kingdoms, _, exit_code = read_inputs(inputs, stated.rules, say)
    if exit_code:
        raise SystemExit(exit_code)
    with told():
        table = stated.of(kingdoms)
        mirrored = (lang or preferred_language()) in RIGHT_TO_LEFT
        if table:
            sheet = sheet_of(table, columns, mirrored)
        else:
            sheet = blank_sheet(stated.rules, columns, stated.expansions, stated.quests, bonuses, mirrored)
        filled = score_table(table) if table else None
        write_bytes(output, pad_pdf(sheet, say, paper=paper, per_sheet=int(per_sheet), filled=filled))
