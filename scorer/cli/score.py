"""`scorer score`: the filled pad, the winner and why."""

import json

import click

from scorer.cli.ask import ask_about, at_terminal
from scorer.cli.options import languages, profile_option, read_inputs, table_and_player_options, told
from scorer.pad import explanation, pad_csv, pad_text, remarks, verdict
from scorer.rules import as_json
from scorer.rules import score as score_table
from scorer.stated import Stated
from scorer.texts import translator


@click.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("--json", "as_json_", is_flag=True, help="Print the result as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the pad as CSV.")
@click.option("--explain", is_flag=True, help="List every territory and building with its sum.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a kingdom is impossible or its reading doubtful.")
@table_and_player_options
@profile_option
@languages
def score(
    inputs: tuple[str, ...],
    as_json_: bool,
    as_csv: bool,
    explain: bool,
    strict: bool,
    stated: Stated,
    profile: str | None,
    lang: str | None,
) -> None:
    """Scores the kingdoms of one table: one photo or file per player, or one with several.

    \b
    Examples:
      scorer score samples/kingdoms/example-71.kingdom --explain
      scorer score white.kingdom red.kingdom --coins White=11 --queen Red
      scorer score table.kingdom --json
      scorer score table.kingdom --csv > pad.csv
    """
    if as_json_ and as_csv:
        raise click.UsageError("--json and --csv are two forms of the result: choose one")
    say = translator(lang)
    kingdoms, doubts, exit_code = read_inputs(inputs, stated.rules, say, as_json_, profile)
    if any(doubts) and at_terminal():
        kingdoms, doubts = ask_about(kingdoms, doubts, say)
    if kingdoms:
        with told(as_json=as_json_):
            kingdoms = stated.of(kingdoms)
        result = score_table(kingdoms, doubts=doubts, whole=exit_code == 0)
        if as_json_:
            click.echo(json.dumps(as_json(result), ensure_ascii=False))
        elif as_csv:
            click.echo(pad_csv(result), nl=False)
        else:
            click.echo(pad_text(result, say))
            click.echo(verdict(result, say))
            if explain:
                click.echo("\n" + "\n".join(line for player in result.players for line in explanation(player, say)))
        if not as_json_:
            for remark in remarks(result, say):
                click.echo(remark, err=True)
        exit_code = max(exit_code, int(result.unknown or (strict and (result.impossible or any(doubts)))))
    raise SystemExit(exit_code)
