"""`scorer check`: whether the installation works."""

import click

from scorer.installation import checks


@click.command()
def check() -> None:
    """Checks the installation: versions, models and their checksums, a built-in photo read end to end.

    \b
    Examples:
      scorer check
    """
    worst = 0
    for one in checks():
        click.echo(f"{'ok  ' if not one.exit_code else 'FAIL'} {one.name}: {one.found}")
        worst = max(worst, one.exit_code)
    raise SystemExit(worst)
