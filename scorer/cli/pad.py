"""`scorer pad check`, `pad read` and `pad print`."""

import json
from pathlib import Path

import click

from scorer.cli.options import Stated, languages, player_options, report, stated_by_options
from scorer.errors import ScorerError, UsageError
from scorer.inputs import is_photo, read_input
from scorer.output import write_bytes
from scorer.pad import remarks
from scorer.pads.check import as_json, check_pad
from scorer.pads.files import Pad, parse_pad, row_named, to_csv, to_json
from scorer.pads.sheet import MAX_COLUMNS, Sheet, unnamed
from scorer.pads.words import check_table, findings, remarks_on
from scorer.rules import Doubt, Score
from scorer.rules import score as score_table
from scorer.rules.catalogue import EXPANSIONS, QUESTS, RULE_SETS
from scorer.rules.kingdom import Kingdom
from scorer.rules.play import DEFAULT_RULES, rules_named, rules_of
from scorer.source import read_bytes
from scorer.texts import preferred_language, translator

rule_sets = click.option("--rules", type=click.Choice(list(RULE_SETS)), help="Rule set, instead of the files' own.")
expansion_options = click.option(
    "--expansion", "expansions", type=click.Choice(list(EXPANSIONS)), multiple=True, help="Add an expansion."
)
quest_options = click.option(
    "--quest", "quests", type=click.Choice(list(QUESTS)), multiple=True, metavar="ID", help="Quest in play."
)
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
@rule_sets
@expansion_options
@quest_options
@player_options
@row_options
@languages
def check(
    pad_file: str,
    inputs: tuple[str, ...],
    as_json_: bool,
    rules: str | None,
    expansions: tuple[str, ...],
    quests: tuple[str, ...],
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
    exit_code = 0
    kingdoms: list[Kingdom] = []
    doubts: list[tuple[Doubt, ...]] = []
    for source in inputs:
        try:
            for kingdom, doubtful in read_input(source, rules):
                kingdoms.append(kingdom)
                doubts.append(doubtful)
        except ScorerError as error:
            exit_code = max(exit_code, error.exit_code)
            report(error, source, as_json_)
    try:
        table = stated_by_options(kingdoms, rules, expansions, quests, stated)
        expected = (*rules_of(table).pad, "total") if table else ()
        written = read_pad(pad_file, expected, rows)
        if exit_code:
            raise SystemExit(exit_code)
        result = score_table(table, doubts=doubts)
        checked = check_pad(written, result)
    except UsageError as error:
        raise click.UsageError(str(error)) from None
    except ScorerError as error:
        report(error, pad_file, as_json_)
        raise SystemExit(max(exit_code, error.exit_code)) from None
    if as_json_:
        click.echo(json.dumps(as_json(checked), ensure_ascii=False))
    else:
        click.echo(check_table(checked, say))
        for line in findings(checked, say):
            click.echo(line)
        for line in (*remarks(result, say), *remarks_on(written, say)):
            click.echo(line, err=True)
    raise SystemExit(int(not checked.right or result.unknown))


def read_pad(source: str, expected: tuple[str, ...], rows: str | None) -> Pad:
    """A pad file, or a photo of a pad."""
    data = read_bytes(source)
    if not is_photo(data):
        return parse_pad(data, source, expected)
    # Checking a file must not load what only photos need.
    from scorer.vision.pads.reading import read_pad_photo

    return read_pad_photo(data, name=source, rows=_row_ids(rows)).pad


def _row_ids(rows: str | None) -> tuple[str, ...] | None:
    if rows is None:
        return None
    named = [(name, row_named(name)) for name in rows.split(",")]
    for name, row in named:
        if row is None:
            raise UsageError(f"--rows: {name.strip()!r} is no row of a pad; write its id, for instance coins or wheat")
    return tuple(row for _, row in named if row is not None)


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
    try:
        seen = read_pad_photo(photo, rows=_row_ids(rows)).pad
        text = json.dumps(to_json(seen), ensure_ascii=False) + "\n" if as_json_ else to_csv(seen)
        if output:
            write_bytes(output, text.encode())
    except UsageError as error:
        raise click.UsageError(str(error)) from None
    except ScorerError as error:
        report(error, photo, as_json_)
        raise SystemExit(error.exit_code) from None
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
@rule_sets
@expansion_options
@quest_options
@click.option("--bonus", "bonuses", type=click.Choice([q.id for q in QUESTS.values() if q.bonus]), multiple=True)
@languages
def print_(
    inputs: tuple[str, ...],
    output: Path,
    paper: str,
    per_sheet: str,
    columns: int | None,
    rules: str | None,
    expansions: tuple[str, ...],
    quests: tuple[str, ...],
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
    result: Score | None = None
    try:
        kingdoms = [kingdom for source in inputs for kingdom, _ in read_input(source, rules)]
        if kingdoms:
            table = stated_by_options(kingdoms, rules, expansions, quests, Stated())
            result = score_table(table)
            played = rules_of(table)
            rules, quests, bonuses = played.id, played.quests, played.bonuses
            expansions = next((kingdom.expansions for kingdom in table if kingdom.expansions is not None), ())
            columns = max(columns or 0, len(table))
        sheet = sheet_for(rules, columns, expansions, quests, bonuses, (lang or preferred_language()) in RIGHT_TO_LEFT)
        write_bytes(output, pad_pdf(sheet, say, paper=paper, per_sheet=int(per_sheet), filled=result))
    except (UsageError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    except ScorerError as error:
        report(error, str(output), as_json=False)
        raise SystemExit(error.exit_code) from None


def sheet_for(
    rules: str | None,
    columns: int | None,
    expansions: tuple[str, ...],
    quests: tuple[str, ...],
    bonuses: tuple[str, ...],
    mirrored: bool,
) -> Sheet:
    """The pad to print; quests that are not named yet get numbers."""
    wanted = rules_named(rules or DEFAULT_RULES, expansions).quest_count
    return Sheet(rules or DEFAULT_RULES, columns or 4, expansions, quests or unnamed(wanted), bonuses, mirrored)
