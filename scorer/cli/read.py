"""`scorer read`: photo to kingdom notation."""

import json
from pathlib import Path

import click

from scorer.cli.options import languages, profile_option, report, told
from scorer.errors import ScorerError
from scorer.inputs import read_photos, taught_by
from scorer.names import shown
from scorer.output import write_bytes
from scorer.pad import territory_sums
from scorer.rules import score
from scorer.rules.catalogue import RULE_SETS
from scorer.texts import translator
from scorer.vision.annotate import annotate as draw
from scorer.vision.annotate import encode
from scorer.vision.reading import as_json, as_text


@click.command()
@click.argument("photos", metavar="PHOTO...", nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the notation to this file.")
@click.option("--json", "as_json_", is_flag=True, help="Print one JSON object per photo.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a reading is doubtful.")
@click.option("--same", "as_one", is_flag=True, help="All photos show the same kingdoms: read them as one.")
@click.option("--rules", type=click.Choice(list(RULE_SETS)), help="Rule set; by default what fits best.")
@click.option(
    "--annotate", type=click.Path(path_type=Path), help="Draw what was seen on the photo (.jpg, .png, .webp)."
)
@profile_option
@languages
def read(
    photos: tuple[str, ...],
    output: Path | None,
    as_json_: bool,
    strict: bool,
    as_one: bool,
    rules: str | None,
    annotate: Path | None,
    profile: str | None,
    lang: str | None,
) -> None:
    """Reads the kingdoms of photos: edit what it writes, then score it.

    \b
    Examples:
      scorer read table.jpg
      scorer read table.jpg -o table.kingdom --annotate seen.jpg
      scorer read --same glare.jpg again.jpg
      scorer read *.jpg --json
    """
    if annotate and len(photos) > 1 and not as_one:
        raise click.UsageError("--annotate draws one photo: name only one")
    say = translator(lang)
    exit_code = 0
    texts: list[str] = []
    with told(profile or "", as_json_):
        taught = taught_by(profile)
    for source, result in read_photos(photos, rules, taught, as_one):
        try:
            if isinstance(result, ScorerError):
                raise result
            if annotate:
                players = score([kingdom.kingdom for kingdom in result.kingdoms]).players
                write_bytes(annotate, encode(draw(result, map(territory_sums, players)), annotate))
        except ScorerError as error:
            exit_code = max(exit_code, error.exit_code)
            report(error, source, as_json_)
            continue
        if as_json_:
            click.echo(json.dumps(as_json(result), ensure_ascii=False))
        texts.append(as_text(result))
        for remark in (*result.notes, *(doubt.text for kingdom in result.kingdoms for doubt in kingdom.doubts)):
            click.echo(f"{shown(source)}: {say(remark)}", err=True)
        exit_code = max(exit_code, int(strict and result.doubtful))
    if output and texts:
        with told(str(output), as_json_):
            write_bytes(output, "---\n".join(texts).encode())
    elif texts and not as_json_:
        click.echo("---\n".join(texts), nl=False)
    raise SystemExit(exit_code)
