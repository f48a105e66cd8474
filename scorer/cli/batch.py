"""`scorer batch`: every photo below a folder."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from scorer.batch import Engine, Limits, Options, Progress, run
from scorer.cli import INTERRUPTED
from scorer.cli.options import languages, profile_option, told
from scorer.rules.catalogue import RULE_SETS
from scorer.rules.message import msg
from scorer.texts import Translate, translator

LINE_SECONDS = 10.0
"""Where there is no terminal, a line at most so often."""


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder to write to: new, empty or resumed."
)
@click.option("--rules", type=click.Choice(list(RULE_SETS)), help="Rule set; by default what fits best.")
@click.option("--pattern", "patterns", multiple=True, metavar="GLOB", help="Only photos whose name or path matches.")
@click.option("--jobs", type=click.IntRange(1, 999), help="Worker processes; by default one for each core.")
@click.option("--engine", type=click.Choice(["processes", "dask"]), default="processes", help="Where the work is done.")
@click.option("--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler, for --engine dask.")
@click.option(
    "--time-limit", type=click.FloatRange(min=1), default=Limits.seconds, show_default=True, help="Seconds for a photo."
)
@click.option(
    "--memory-limit",
    type=click.IntRange(100),
    default=Limits.megabytes,
    show_default=True,
    help="Megabytes for a photo.",
)
@click.option("--retry", is_flag=True, help="Try photos again that failed before.")
@click.option("--strict", is_flag=True, help="Exit with 1 when anything is doubtful or failed.")
@profile_option
@languages
def batch(
    folder: Path,
    out: Path,
    rules: str | None,
    patterns: tuple[str, ...],
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    time_limit: float,
    memory_limit: int,
    retry: bool,
    strict: bool,
    profile: str | None,
    lang: str | None,
) -> None:
    """Reads and scores every photo below a folder. Stop it at any time: the same command goes on from there.

    \b
    Examples:
      scorer batch photos --out results
      scorer batch photos --out results --pattern '*.heic' --rules kingdomino
      scorer batch /shared/photos --out /shared/results --engine dask --scheduler tcp://host:8786
    """
    if (engine == "dask") != (scheduler is not None):
        raise click.UsageError("--engine dask and --scheduler ADDRESS go together")
    say = translator(lang)
    work = Engine(jobs or 0, scheduler, Limits(time_limit, memory_limit))
    progress = Bar(say) if sys.stderr.isatty() else Lines(say)
    try:
        with told():
            summary = run(Options(folder, out, patterns, rules, work, retry, lang, profile), progress)
    except KeyboardInterrupt:
        click.echo(say(msg("interrupted; what was finished is kept: the same command goes on from there")), err=True)
        raise SystemExit(INTERRUPTED) from None
    counts = {"photos": summary.photos, "ok": summary.ok, "doubtful": summary.doubtful, "failed": summary.failed}
    click.echo(say(msg("photos: {photos} (ok: {ok}, doubtful: {doubtful}, failed: {failed})", **counts)))
    click.echo(say(msg("kingdoms: {kingdoms}; photos read now: {read}", kingdoms=summary.kingdoms, read=summary.read)))
    click.echo(out / "report.html")
    raise SystemExit(int(strict and summary.ok < summary.photos))


class Lines(Progress):
    """Progress as plain lines, for logs."""

    def __init__(self, say: Translate) -> None:
        self.say = say
        self.photos = self.known = self.finished = 0
        self.started = self.told = time.monotonic()

    def start(self, photos: int, known: int) -> None:
        self.photos, self.known = photos, known
        self.started = self.told = time.monotonic()

    def done(self, status: str) -> None:
        self.finished += 1
        now = time.monotonic()
        if now - self.told >= LINE_SECONDS or self.known + self.finished == self.photos:
            self.told = now
            click.echo(self._text(), err=True)

    @property
    def rate(self) -> float:
        """Photos a second."""
        return self.finished / max(time.monotonic() - self.started, 0.001)

    def _text(self) -> str:
        done, rate = self.known + self.finished, self.rate
        clock = "?"
        if rate:
            left = round((self.photos - done) / rate)
            clock = f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"
        facts = {"done": done, "photos": self.photos, "rate": f"{rate:.1f}", "left": clock}
        return self.say(msg("{done} of {photos} photos, {rate} a second, {left} left", **facts))


class Bar(Lines):
    """Progress as a bar on a terminal."""

    bar: Any = None

    def start(self, photos: int, known: int) -> None:
        super().start(photos, known)
        self.bar = click.progressbar(
            length=photos, file=sys.stderr, show_percent=False, show_eta=False, item_show_func=lambda _: self._text()
        )
        self.bar.__enter__()
        self.bar.update(known)

    def done(self, status: str) -> None:
        self.finished += 1
        self.bar.update(1, status)

    def finish(self) -> None:
        self.bar.__exit__(None, None, None)
