"""`scorer calibrate`: teaches the reader this user's own copy and table."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from scorer.calibration import store
from scorer.calibration.profile import MAX_LENSES, from_bytes, summary, to_bytes
from scorer.calibration.words import about_colours, about_lenses, about_profile, about_trials
from scorer.cli.options import languages, told
from scorer.errors import UsageError
from scorer.inputs import read_kingdoms
from scorer.output import write_bytes
from scorer.pads.print import PAPERS
from scorer.rules.message import msg
from scorer.source import read_bytes
from scorer.texts import translator

DEFAULT = "mine"
"""The profile that is taught when none is named."""

profile_option = click.option(
    "--profile", "name", default=DEFAULT, show_default=True, metavar="NAME", help="Profile to add to, made if needed."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


@click.group()
def calibrate() -> None:
    """Teaches the reader your own copy of the game, your light and your camera.

    \b
    Examples:
      scorer read table.jpg -o table.kingdom      (correct it in an editor)
      scorer calibrate teach table.jpg table.kingdom
      scorer calibrate test
      scorer read other.jpg --profile mine
    """


@calibrate.command()
@click.argument("photo")
@click.argument("kingdom", required=False)
@profile_option
@languages
def teach(photo: str, kingdom: str | None, name: str, lang: str | None) -> None:
    """Adds the squares of PHOTO, whose right notation is KINGDOM, to a profile.

    Without KINGDOM the file of the same name that ends in .kingdom is taken, or else what is read beyond doubt.

    \b
    Examples:
      scorer calibrate teach table.jpg table.kingdom
      scorer calibrate teach table.jpg --profile kitchen
    """
    from scorer.calibration.teaching import teach as add
    from scorer.vision.reading import read_photo

    say = translator(lang)
    with told():
        profile = store.load_or_new(name)
        reading = read_photo(photo)
        beside = Path(photo).with_suffix(".kingdom")
        if kingdom or beside.is_file():
            kingdoms = read_kingdoms(kingdom or str(beside))
        elif reading.doubtful:
            raise UsageError(f"{photo}: its reading is doubtful. Correct what `scorer read` writes and name the file.")
        else:
            kingdoms = [seen.kingdom for seen in reading.kingdoms]
        new = add(profile, reading, kingdoms)
        path = store.save(new)
    click.echo(say(msg("{path}: {count} squares taught", path=str(path), count=len(new.examples))))
    for line in about_trials(new):
        click.echo(say(line))


@calibrate.command()
@click.argument("photo")
@click.argument("kingdom", required=False)
@click.option(
    "--card",
    type=click.Choice(["paper", "grey", "tiles"]),
    default="paper",
    show_default=True,
    help="What the photo shows: a sheet of paper, a grey card, or only the tiles themselves.",
)
@profile_option
@languages
def colour(photo: str, kingdom: str | None, card: Any, name: str, lang: str | None) -> None:
    """Takes the colour of the light from PHOTO; with --card tiles, KINGDOM is its right notation.

    \b
    Examples:
      scorer calibrate colour paper.jpg
      scorer calibrate colour table.jpg table.kingdom --card tiles
    """
    from scorer.calibration.colour import from_card
    from scorer.calibration.teaching import learn, tile_balance
    from scorer.vision.load import load_photo
    from scorer.vision.reading import read_photo

    say = translator(lang)
    with told():
        profile = store.load_or_new(name)
        if card == "tiles":
            reading = read_photo(photo)
            found = read_kingdoms(kingdom) if kingdom else [seen.kingdom for seen in reading.kingdoms]
            balance = tile_balance(reading, found)
        else:
            balance = from_card(load_photo(photo).image, card, photo)
        new = learn(replace(profile, balance=balance))
        path = store.save(new)
    click.echo(f"{path}: {say(about_colours(new))}")


@calibrate.command()
@click.argument("photos", metavar="PHOTO...", nargs=-1, required=True)
@profile_option
@languages
def camera(photos: tuple[str, ...], name: str, lang: str | None) -> None:
    """Measures the lens of a camera from photos of the board that `scorer calibrate print` prints.

    Five photos from different sides, the board near the edges in some of them, are good; three are needed.

    \b
    Example:
      scorer calibrate camera board1.jpg board2.jpg board3.jpg board4.jpg board5.jpg
    """
    from scorer.calibration.camera import measure
    from scorer.vision.load import load_photo

    say = translator(lang)
    with told():
        profile = store.load_or_new(name)
        loaded = [load_photo(photo) for photo in photos]
        cameras = {photo.camera for photo in loaded}
        if len(cameras) > 1:
            raise UsageError(f"the photos are of different cameras or lenses: {', '.join(sorted(cameras))}")
        lens = measure(loaded, ", ".join(photos))
        lenses = {**profile.lenses, loaded[0].camera: lens}
        if len(lenses) > MAX_LENSES:
            raise UsageError(f"a profile holds at most {MAX_LENSES} lenses: start a new one")
        new = replace(profile, lenses=lenses)
        path = store.save(new)
    click.echo(f"{path}: {say(about_lenses(new)[-1])}")


@calibrate.command("print")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("board.pdf"), show_default=True)
@click.option("--paper", type=click.Choice(list(PAPERS)), default="a4", show_default=True)
def print_(output: Path, paper: str) -> None:
    """Writes the board for `scorer calibrate camera` as PDF. Print it, and lay it flat.

    \b
    Example:
      scorer calibrate print -o board.pdf
    """
    from scorer.calibration.board import board_pdf

    with told():
        write_bytes(output, board_pdf(paper))


@calibrate.command()
@click.argument("name", default=DEFAULT)
@json_option
@languages
def test(name: str, as_json: bool, lang: str | None) -> None:
    """Tests a profile on what it was taught: every photo, or square, is read by what the others teach.

    \b
    Examples:
      scorer calibrate test
      scorer calibrate test kitchen --json
    """
    from scorer.calibration.teaching import learn

    say = translator(lang)
    with told():
        profile = learn(store.load(name))
        if name in store.names()[0]:
            store.save(profile)
    if as_json:
        click.echo(json.dumps(summary(profile), ensure_ascii=False))
        return
    for line in about_trials(profile) or [msg("nothing was taught yet")]:
        click.echo(say(line))


@calibrate.command("list")
@json_option
def list_(as_json: bool) -> None:
    """Lists your own profiles, then those that ship for editions of the game."""
    with told():
        own, shipped = store.names()
        for name in (*own, *shipped):
            profile = store.load(name)
            if as_json:
                click.echo(json.dumps(summary(profile), ensure_ascii=False))
            else:
                click.echo(f"{name}: {profile.about}" if profile.about else name)


@calibrate.command()
@click.argument("name", default=DEFAULT)
@json_option
@languages
def show(name: str, as_json: bool, lang: str | None) -> None:
    """Shows what a profile learnt, and how much that helps."""
    say = translator(lang)
    with told():
        profile = store.load(name)
    if as_json:
        click.echo(json.dumps(summary(profile), ensure_ascii=False))
        return
    click.echo(f"{name}: {profile.about}" if profile.about else name)
    for line in about_profile(profile):
        click.echo(say(line))


@calibrate.command()
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
def export(name: str, file: Path) -> None:
    """Writes a profile to FILE, to keep it or to give it away. It holds pictures of your squares.

    \b
    Example:
      scorer calibrate export mine kitchen.json
    """
    with told():
        write_bytes(file, to_bytes(store.load(name)))


@calibrate.command("import")
@click.argument("file")
@click.option("--name", help="Call it this, instead of by its own name.")
@click.option("--replace", "over", is_flag=True, help="Replace the profile of that name.")
def import_(file: str, name: str | None, over: bool) -> None:
    """Takes a profile from FILE, after checking everything in it.

    \b
    Example:
      scorer calibrate import kitchen.json
    """
    with told():
        profile = from_bytes(read_bytes(file), file)
        profile = replace(profile, name=store.checked_name(name or profile.name))
        if profile.name in store.names()[0] and not over:
            raise UsageError(f"there is a profile {profile.name!r}: use --name or --replace")
        # What a stranger's file claims to have learnt is not believed: it is learnt anew from its squares.
        from scorer.calibration.teaching import learn

        click.echo(str(store.save(learn(replace(profile, learnt=None)))))


@calibrate.command()
@click.argument("name")
def delete(name: str) -> None:
    """Deletes one of your own profiles."""
    with told():
        store.delete(name)
