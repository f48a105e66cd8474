"""The command line: it parses, calls the library and prints; it knows nothing that the library does not."""

import errno
import os
import sys
from importlib import import_module
from typing import Any

import click

from scorer import __version__
from scorer.errors import UsageError

INTERRUPTED = 130
COMMANDS = {
    "read": ("scorer.cli.read", "read"),
    "score": ("scorer.cli.score", "score"),
    "batch": ("scorer.cli.batch", "batch"),
    "pad": ("scorer.cli.pad", "pad"),
    "tax": ("scorer.cli.play", "tax"),
    "price": ("scorer.cli.play", "price"),
    "serve": ("scorer.cli.serve", "serve"),
    "calibrate": ("scorer.cli.calibrate", "calibrate"),
    "check": ("scorer.cli.check", "check"),
}


class LazyGroup(click.Group):
    """Imports a command only when it is called, so that scoring a file does not load what photos need."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(module), name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except OSError as error:
            if error.errno == errno.EPIPE:  # whoever reads has seen enough
                raise
            # What cannot be written now must not be tried again at the end of the program.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            click.echo(f"{error.filename or 'the result'}: {error.strerror or error}", err=True)
            ctx.exit(UsageError.exit_code)


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from scorer.vision.models import ids

        click.echo(f"scorer {__version__} ({ids()})")
        ctx.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show versions.")
def main() -> None:
    """Scores Kingdomino and Queendomino kingdoms.

    \b
    Examples:
      scorer score samples/kingdoms/example-71.kingdom
      scorer score --explain samples/kingdoms/royal-wedding.kingdom
      scorer tax samples/kingdoms/example-71.kingdom 0,4
      scorer price 3 --queen
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter gets a question mark, not a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
