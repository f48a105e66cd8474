"""A whole run: find, read what is new, put the results together."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorer.batch import record
from scorer.batch.corrections import correction
from scorer.batch.engine import Engine, Progress, read_all
from scorer.batch.find import Found, find, named
from scorer.batch.games import Form, games_of, play
from scorer.batch.names import json_line, picture_path, text, with_suffix
from scorer.batch.place import claimed
from scorer.batch.record import Origin
from scorer.batch.report import write_report
from scorer.batch.results import Tally, write_games, write_results, write_tables
from scorer.batch.sheet import Seat, read_sheets
from scorer.batch.task import Task, failed_line, models_key
from scorer.errors import UnreadableInput
from scorer.output import write_bytes
from scorer.texts import preferred_language

PICTURES, NOTATIONS = "pictures", "doubtful"


@dataclass(frozen=True)
class Options:
    """What to read, where to write. `retry`: read those photos again that failed before; `language`: of the report;
    `profile`: what to read with, by name or file."""

    folder: Path
    out: Path
    patterns: tuple[str, ...] = ()
    rules: str | None = None
    engine: Engine = field(default_factory=Engine)
    retry: bool = False
    language: str | None = None
    profile: str | None = None


@dataclass(frozen=True)
class Summary:
    """What came out, by photos. `read`: those that this run had to read; all others were known."""

    ok: int
    doubtful: int
    failed: int
    kingdoms: int
    read: int

    @property
    def photos(self) -> int:
        return self.ok + self.doubtful + self.failed


def run(options: Options, progress: Progress | None = None) -> Summary:
    """Reads a folder. What was finished is kept whatever happens; the same call goes on from there."""
    folder, out = options.folder.resolve(), options.out.resolve()
    progress = progress or Progress()
    with claimed(folder, out):
        photos, sheets = find(folder, options.patterns, leave_out=out)
        seats = read_sheets(folder, sheets)
        photos = _with_missing(photos, seats)
        if not photos:
            raise UnreadableInput(f"{options.folder}: there is no photo below this folder")
        failures = {photo.source: failed_line(photo.source, named(photo)) for photo in photos if photo.trouble}
        readable = [photo for photo in photos if not photo.trouble]
        profile = _kept_profile(out, options.profile)
        tasks = _tasks(folder, out, options.rules, profile, readable, seats)
        waiting = [t for photo, t in zip(readable, tasks, strict=True) if not _known(photo, t, options.retry)]
        if waiting:
            progress.start(len(readable), len(readable) - len(waiting))
            try:
                failures |= read_all(waiting, options.engine, progress)
            finally:
                progress.finish()
        tally = _write_all(out, photos, failures, tasks, seats, options.language or preferred_language())
    count = tally.photos
    return Summary(count["ok"], count["doubtful"], count["failed"], tally.found, len(waiting))


def _with_missing(photos: Sequence[Found], seats: Sequence[Seat]) -> list[Found]:
    """The photos, and those that a sheet names though they are not there."""
    there = {photo.source for photo in photos}
    missing = {seat.source: seat.sheet for seat in seats if seat.source not in there}
    not_there = (
        Found(name, trouble=f"{sheet} names it, but it is not among the photos") for name, sheet in missing.items()
    )
    return sorted([*photos, *not_there], key=lambda photo: os.fsencode(photo.source))


def _kept_profile(out: Path, name: str | None) -> str | None:
    """Lays a profile among the records, where workers find it; returns its path below the output folder."""
    if name is None:
        return None
    from scorer.calibration.profile import to_bytes
    from scorer.calibration.store import applied

    data = to_bytes(applied(name).profile)
    path = f"{record.FOLDER}/profile-{hashlib.sha256(data).hexdigest()[:16]}.json"
    write_bytes(out / path, data, out / record.NEW)
    return path


def _tasks(
    folder: Path,
    out: Path,
    rules: str | None,
    profile: str | None,
    photos: Sequence[Found],
    seats: Sequence[Seat],
) -> list[Task]:
    stated: dict[str, dict[int, dict[str, Any]]] = {}
    for seat in seats:
        stated.setdefault(seat.source, {})[seat.kingdom] = seat.stated()
    taken = {photo.source for photo in photos}
    taken |= {photo.source.rpartition("/")[0] for photo in photos}
    models = models_key()
    tasks = []
    for photo in photos:
        notation = with_suffix(f"{NOTATIONS}/{photo.source}", ".kingdom")
        tasks.append(
            Task(
                folder=str(folder),
                out=str(out),
                source=photo.source,
                picture=f"{PICTURES}/{picture_path(photo.source, taken)}",
                notation=notation,
                rules=rules,
                profile=profile,
                stated=stated.get(photo.source, {}),
                correction=correction(out / notation),
                models=models,
            )
        )
    return tasks


def _known(photo: Found, task: Task, retry: bool) -> bool:
    """Whether nothing needs to be done for a photo."""
    out = Path(task.out)
    kept = record.load(out, photo.source)
    origin = Origin(task.terms, photo.size, photo.mtime_ns, "")
    if not record.is_fresh(out, photo.source, Path(task.folder, photo.source), origin, kept):
        return False
    assert kept is not None
    if kept.status == "failed":
        return not retry
    if kept.thumbnail and not (out / task.picture).exists():
        return False
    return kept.status == "ok" or task.correction is not None or (out / task.notation).exists()


def _write_all(
    out: Path,
    photos: Sequence[Found],
    failures: Mapping[str, str],
    tasks: Sequence[Task],
    seats: Sequence[Seat],
    language: str,
) -> Tally:
    """Puts the results together from the records, and from `failures` for photos that have none."""
    played = [play(out, game, lambda seat: _result(out, seat, failures)) for game in games_of(seats)]
    by_games = {place: form for game in played for place, form in game.results.items()}
    of_photo: dict[str, list[Seat]] = {}
    for seat in seats:
        of_photo.setdefault(seat.source, []).append(seat)

    def lines(source: str) -> Sequence[str]:
        if source in failures:
            return [failures[source]]
        return _lines(out, source, of_photo.get(source, ()), by_games)

    tally = write_results(out, (lines(photo.source) for photo in photos))
    by_name = {text(task.source): task for task in tasks}
    write_tables(out, tally, by_name)
    write_games(out, played)
    write_report(out, tally, played, by_name, language)
    return tally


def _result(out: Path, seat: Seat, failures: Mapping[str, str]) -> Form | None:
    """The result of a kingdom that a sheet names, as it was read."""
    kept = None if seat.source in failures else record.load(out, seat.source)
    if kept is None or kept.status == "failed" or seat.kingdom > len(kept.lines):
        return None
    form: Form = json.loads(kept.lines[seat.kingdom - 1])
    return form


def _lines(out: Path, source: str, seats: Iterable[Seat], by_games: Mapping[tuple[str, int], Form]) -> Sequence[str]:
    """The results of a photo: as its record says, or as the games that its kingdoms are in."""
    kept = record.load(out, source)
    if kept is None:
        return [failed_line(source, "its record is gone: run the same command again")]
    lines = list(kept.lines)
    if kept.status == "failed":
        return lines
    for seat in seats:
        if seat.kingdom > len(kept.lines):
            message = f"{seat.sheet} names kingdom {seat.kingdom}, but {len(kept.lines)} were found"
            lines.append(failed_line(source, message, kingdom=seat.kingdom))
        elif form := by_games.get((source, seat.kingdom)):
            lines[seat.kingdom - 1] = json_line(form)
    return lines
