"""`scorer read`: photo to kingdom notation."""

import json
from collections.abc import Iterator
from pathlib import Path

import click

from scorer.cli.options import profile_option, report
from scorer.errors import ScorerError
from scorer.output import write_bytes
from scorer.rules import score
from scorer.rules.catalogue import RULE_SETS
from scorer.vision.annotate import annotate as draw
from scorer.vision.annotate import encode
from scorer.vision.reading import Reading, as_json, as_text, read_photo, read_together, same, sight
from scorer.vision.taught import Taught


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
def read(
    photos: tuple[str, ...],
    output: Path | None,
    as_json_: bool,
    strict: bool,
    as_one: bool,
    rules: str | None,
    annotate: Path | None,
    profile: str | None,
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
    exit_code = 0
    texts: list[str] = []
    taught = _taught(profile, as_json_)
    readings = _read_as_one(photos, rules, taught) if as_one else _read_each(photos, rules, taught)
    for source, result in readings:
        try:
            if isinstance(result, ScorerError):
                raise result
            if annotate:
                write_bytes(annotate, encode(draw(result, _outlines(result)), annotate))
        except ScorerError as error:
            exit_code = max(exit_code, error.exit_code)
            report(error, source, as_json_)
            continue
        if as_json_:
            click.echo(json.dumps(as_json(result), ensure_ascii=False))
        texts.append(as_text(result))
        for remark in (*result.notes, *(doubt.why for kingdom in result.kingdoms for doubt in kingdom.doubts)):
            click.echo(f"{source}: {remark}", err=True)
        exit_code = max(exit_code, int(strict and result.doubtful))
    if output and texts:
        try:
            write_bytes(output, "---\n".join(texts).encode())
        except ScorerError as error:
            report(error, str(output), as_json_)
            exit_code = max(exit_code, error.exit_code)
    elif texts and not as_json_:
        click.echo("---\n".join(texts), nl=False)
    raise SystemExit(exit_code)


def _taught(name: str | None, as_json_: bool) -> Taught | None:
    """The profile to read with."""
    if name is None:
        return None
    from scorer.calibration.store import applied

    try:
        return applied(name)
    except ScorerError as error:
        report(error, name, as_json_)
        raise SystemExit(error.exit_code) from None


def _read_each(
    photos: tuple[str, ...], rules: str | None, profile: Taught | None
) -> Iterator[tuple[str, Reading | ScorerError]]:
    for source in photos:
        try:
            yield source, read_photo(source, rules=rules, profile=profile)
        except ScorerError as error:
            yield source, error


def _read_as_one(
    photos: tuple[str, ...], rules: str | None, profile: Taught | None
) -> Iterator[tuple[str, Reading | ScorerError]]:
    """One reading of all photos that can be read; those that cannot are told."""
    sights = []
    for source in photos:
        try:
            sights.append(sight(source, profile=profile))
        except ScorerError as error:
            yield source, error
    if sights:
        (reading,) = read_together([same(sights)], rules)
        yield reading.photo, reading


def _outlines(reading: Reading) -> list[list[tuple[tuple[tuple[int, int], ...], str]]]:
    """Every territory of the kingdoms with its sum."""
    result = score([kingdom.kingdom for kingdom in reading.kingdoms])
    return [
        [(t.squares, f"{t.size} x {t.crowns} = {t.points}") for t in player.territories] for player in result.players
    ]
