"""The results, put together from the records in the order of the photos' names."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorer.batch import record
from scorer.batch.games import Form, Played, place_of, tournament
from scorer.batch.names import cell, json_line, text
from scorer.batch.task import Task
from scorer.output import new_file, write_bytes
from scorer.pad import ROW_NAMES

FIRST = ("format", "status", "source", "kingdom", "player", "game", "event", "place", "rules", "total")
LAST = (
    *("largest_territory", "crowns", "hosts_queen", "corrected", "columns", "confidence", "doubts", "problems"),
    *("model_id", "model_sha256", "picture", "message"),
)
DOUBTFUL = ("source", "kingdom", "player", "total", "confidence", "why", "picture", "notation")
FAILED = ("source", "kingdom", "code", "message")
GAMES = ("game", "event", "complete", "place", "player", "total", "decided_by", "source", "kingdom")
TOURNAMENT = ("event", "place", "player", "games", "wins", "total", "average", "largest_territory")


@dataclass
class Tally:
    """Sums over all results."""

    photos: Counter[str] = field(default_factory=Counter)
    kingdoms: Counter[str] = field(default_factory=Counter)
    rows: set[str] = field(default_factory=set)
    totals: Counter[int] = field(default_factory=Counter)
    terrains: Counter[str] = field(default_factory=Counter)
    confidence: list[int] = field(default_factory=lambda: [0] * 101)
    """Kingdoms by their least certain square, in hundredths."""

    @property
    def found(self) -> int:
        """Kingdoms with a result."""
        return self.kingdoms["ok"] + self.kingdoms["doubtful"]

    def add(self, forms: Sequence[Form]) -> None:
        """Counts the results of one photo."""
        self.photos[record.worst([form["status"] for form in forms])] += 1
        for form in forms:
            self.kingdoms[form["status"]] += 1
            if form["status"] == "failed":
                continue
            self.rows |= form["rows"].keys()
            self.totals[form["total"]] += 1
            for territory in form["territories"]:
                self.terrains[territory["terrain"]] += territory["points"]
            if (least := least_confidence(form)) is not None:
                self.confidence[int(100 * least)] += 1


def least_confidence(form: Form) -> float | None:
    """How sure the least certain square of a kingdom is."""
    if not form.get("confidence"):
        return None
    return float(min(value for row in form["confidence"] for value in row))


def write_results(out: Path, photos: Iterable[Sequence[str]]) -> Tally:
    """Writes `results.jsonl` from the lines of each photo."""
    tally = Tally()
    with new_file(out / "results.jsonl", out / record.NEW) as file:
        for lines in photos:
            file.write("".join(f"{line}\n" for line in lines).encode())
            tally.add([json.loads(line) for line in lines])
    return tally


def read_results(out: Path) -> Iterator[Form]:
    """The results as they were written, one after another."""
    with (out / "results.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write_tables(out: Path, tally: Tally, tasks: Mapping[str, Task]) -> None:
    """`results.csv`, `doubtful.csv` and `failed.csv` from `results.jsonl`; `tasks` by the photos' names as text."""
    rows = [row for row in ROW_NAMES if row in tally.rows]
    rows += sorted(tally.rows - set(rows))
    with ExitStack() as files:
        results, doubtful, failed = (
            _Table(out / name, columns, files)
            for name, columns in (
                ("results.csv", (*FIRST, *rows, *LAST)),
                ("doubtful.csv", DOUBTFUL),
                ("failed.csv", FAILED),
            )
        )
        for form in read_results(out):
            results.write(_flat(form))
            if form["status"] == "doubtful":
                notation = text(tasks[form["source"]].notation)
                doubtful.write({**_flat(form), "why": why(form), "notation": notation})
            elif form["status"] == "failed":
                failed.write(form)


class _Table:
    """A CSV file that grows line by line and appears when it is whole."""

    def __init__(self, path: Path, columns: Sequence[str], files: ExitStack) -> None:
        self.columns = columns
        self.file = files.enter_context(new_file(path, path.parent / record.NEW))
        self.write(dict(zip(columns, columns, strict=True)))

    def write(self, values: Mapping[str, Any]) -> None:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow([cell(values.get(column)) for column in self.columns])
        self.file.write(out.getvalue().encode())


def _flat(form: Form) -> Form:
    """A result without its nested parts: numbers of doubts and problems, the least confidence, the pad rows by id."""
    model = form.get("model") or {}
    return {
        **form,
        **form.get("rows", {}),
        "confidence": least_confidence(form),
        "doubts": len(form.get("doubts", ())),
        "problems": len(form.get("problems", ())),
        "model_id": model.get("id"),
        "model_sha256": model.get("sha256"),
    }


def why(form: Form) -> str:
    """Everything that makes a result doubtful, in one line."""
    return "; ".join([*(doubt["why"] for doubt in form["doubts"]), *(p["message"] for p in form["problems"])])


def write_games(out: Path, games: Sequence[Played]) -> None:
    """`games.jsonl`, `games.csv` and `tournament.csv`; none of them where no sheet names a game."""
    if not games:
        for name in ("games.jsonl", "games.csv", "tournament.csv"):
            (out / name).unlink(missing_ok=True)
        return
    lines = "".join(json_line(game.form) + "\n" for game in games)
    write_bytes(out / "games.jsonl", lines.encode(), out / record.NEW)
    with ExitStack() as files:
        table = _Table(out / "games.csv", GAMES, files)
        for game in games:
            for form in sorted(game.results.values(), key=lambda form: int(form["place"])):
                table.write({**game.form, "decided_by": game.form["score"]["decided_by"], **form})
        table = _Table(out / "tournament.csv", TOURNAMENT, files)
        for event, result in tournament(games).items():
            for standing in result.standings:
                place, average = place_of(standing.player, result.ranking), f"{standing.average:.1f}"
                table.write({**vars(standing), "event": event, "place": place, "average": average})
