"""`scorer serve`: the local web page."""

from pathlib import Path

import click

from scorer.cli.options import told

DEFAULT_PORT = 8737


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0: any free one.")
@click.option("--lan", is_flag=True, help="Open it for phones in the same network, by a random token in the address.")
@click.option(
    "--data", type=click.Path(dir_okay=False, path_type=Path), help="File that keeps everything, instead of the usual."
)
def serve(port: int, lan: bool, data: Path | None) -> None:
    """Opens the page for the table: photograph, correct, score, keep.

    \b
    Examples:
      scorer serve
      scorer serve --lan
      scorer serve --port 9000 --data club.sqlite
    """
    from scorer.web.server import run

    with told():
        run(port, lan, data)
