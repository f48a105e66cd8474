"""All benchmarks: one table of every figure with its bar and the other methods beside, and RESULTS.md.

    benchmarks/run                          everything; takes more than an hour
    benchmarks/run --jobs 2                 the same, two at a time: times are ratios of CPU time, and stay
    benchmarks/run --only locate read       some of them; the others stay as they were measured last
    benchmarks/run --share 0.1              a tenth of what is rendered
    benchmarks/run --quick                  the short form for CI: about a minute, writes nothing, judges accuracies
    benchmarks/run --write                  measures nothing, writes the table anew

What was measured is kept in `benchmarks/results/`, one file each, with date, machine and models; RESULTS.md and the
table in README.md are composed from these files, between marks; all other text there is written by hand. The short
form ends with exit code 1 when an accuracy is below its bar and, where the bar is not reached yet, below the floor
that `benchmarks/floors.json` keeps (`--quick --floors` sets the floors from what it measures).
"""

from __future__ import annotations

import datetime
import importlib
import json
import os
import platform
import re
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks.figures import VERDICT, Figure, Form, NotMeasured
from benchmarks.measure import arguments
from scorer.output import write_bytes
from scorer.vision.models import CHECKSUMS, ids

HERE = Path(__file__).parent
KEPT = HERE / "results"
RESULTS = HERE / "RESULTS.md"
README = HERE.parent / "README.md"
BROKEN = "broke off with"
FLOORS = HERE / "floors.json"
READING = ("buildings", "classify", "context", "locate", "straighten", "whole")


@dataclass(frozen=True)
class Benchmark:
    """title: of its part of the table; models: whose change makes it out of date; beside: the benchmark in whose rows
    its figures stand as those of other methods."""

    title: str
    models: tuple[str, ...] = ()
    beside: str = ""


BENCHMARKS = {
    "rules": Benchmark("Rules"),
    "tiling": Benchmark("Tiling"),
    "locate": Benchmark("Locating", ("classify", "locate", "straighten")),
    "locate_classical": Benchmark("Locating, classical", beside="locate"),
    "read": Benchmark("Reading", READING),
    "read_students": Benchmark("Reading, student projects", beside="read"),
    "pieces": Benchmark("Buildings and pieces", READING),
    "pad": Benchmark("Pads", ("digits",)),
    "batch": Benchmark("Folders", READING),
    "calibrate": Benchmark("Teaching", ("buildings", "classify")),
    "web": Benchmark("The page", READING),
}
"""Each is a module with a function `figures(form)`."""

HEADLINES = {
    "read": (
        "held-out boards: kingdoms exactly right",
        "held-out boards_loose: kingdoms exactly right",
        "photos: kingdoms exactly right",
        "photos: squares right",
        "scenes: kingdoms exactly right",
        "wrong score without a doubt",
        "expected calibration error",
        "whole reading / plain decoding, 12 megapixels, CPU",
    ),
    "locate": (
        "real photos: right rows and columns",
        "scenes, kingdoms apart: exactly right",
        "textures with a false alarm",
    ),
    "pieces": (
        "real squares with what stands on them: right or flagged",
        "real squares with what stands on them: right",
    ),
    "pad": ("slips found", "photos: cells right", "photos: columns right"),
    "rules": ("scoring a 7x7 with its explanation / labelling its terrains with SciPy",),
    "batch": ("good and hostile files: results, named failures, no traceback",),
    "calibrate": ("mine and swamp taught: right",),
    "web": ("tap to new score, less an empty request",),
}
"""What the README shows."""


@dataclass(frozen=True)
class Kept:
    """What a benchmark measured, when, where and how much of it."""

    measured: str
    machine: str
    share: float
    models: dict[str, str]
    figures: tuple[Figure, ...]
    missing: tuple[str, ...] = ()

    def said(self, name: str) -> str:
        old = [model for model in BENCHMARKS[name].models if self.models.get(model) != CHECKSUMS[model][:8]]
        parts = [f"Measured on {self.measured}, {self.machine}."]
        if self.models:
            parts.append("Models " + ", ".join(f"`{model}` {digest}" for model, digest in self.models.items()) + ".")
        if self.share != 1:
            parts.append(f"{self.share:g} of what is rendered.")
        if old:
            parts.append(f"Since then {' and '.join(old)} changed.")
        parts += [f"Not measured: {reason}." for reason in self.missing]
        return " ".join(parts)


def machine() -> str:
    """Cores, load and Python: what times depend on."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    system = f"{platform.system()} on {platform.machine()}"
    return f"{os.cpu_count()} cores{load}, {system}, Python {platform.python_version()}"


def measure(name: str, form: Form) -> Kept:
    """Runs a benchmark; what its surroundings lack is listed as missing."""
    known, models, missing = [], {model: CHECKSUMS[model][:8] for model in BENCHMARKS[name].models}, []
    start, place = time.perf_counter(), machine()
    try:
        for figure in importlib.import_module(f"benchmarks.{name}").figures(form):
            known.append(figure)
            print(figure, flush=True)
    except NotMeasured as reason:
        missing.append(str(reason))
    except ModuleNotFoundError as error:
        missing.append(f"needs {error.name}")
    except (Exception, KeyboardInterrupt) as error:
        # What was measured is kept, and the others are measured all the same.
        traceback.print_exc()
        missing.append(f"{BROKEN} {error!r}")
    print(f"({name}: {time.perf_counter() - start:.0f} s)", *(f"not measured: {why}" for why in missing), flush=True)
    return Kept(f"{datetime.date.today()}", place, form.share, models, tuple(known), tuple(missing))


def measure_all(names: Sequence[str], form: Form, jobs: int) -> Iterator[tuple[str, Kept]]:
    """Some benchmarks, so many at a time, each in a process of its own where there are several."""
    if jobs == 1:
        yield from ((name, measure(name, form)) for name in names)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        yield from zip(names, pool.map(measure, names, [form] * len(names)), strict=True)


def write(path: Path, text: str) -> None:
    write_bytes(path, text.encode())


def keep(name: str, measured: Kept) -> None:
    write(KEPT / f"{name}.json", json.dumps(asdict(measured), indent=1, ensure_ascii=False) + "\n")


def kept() -> dict[str, Kept]:
    """Everything that was measured, by benchmark, in the order of the table."""
    found = {}
    for name in BENCHMARKS:
        path = KEPT / f"{name}.json"
        if path.exists():
            form = json.loads(path.read_text("utf-8"))
            figures = tuple(Figure(**figure) for figure in form.pop("figures"))
            found[name] = Kept(**form | {"figures": figures, "missing": tuple(form["missing"])})
    return found


Rows = list[tuple[str, ...]]


def table(rows: Rows) -> str:
    """The first row is the heading."""
    cells = [rows[0], ("---",) * len(rows[0]), *(tuple(cell.replace("|", "/") for cell in row) for row in rows[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def columns(rows: Rows) -> str:
    """The same for a terminal."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def others(everything: dict[str, Kept], name: str) -> dict[str, str]:
    """What other methods reach, by figure."""
    beside = [kept for other, kept in everything.items() if BENCHMARKS[other].beside == name]
    return {figure.what: figure.measured for kept in beside for figure in kept.figures}


def all_rows(everything: dict[str, Kept]) -> Rows:
    """All figures that were asked for."""
    rows: Rows = [("part", "figure", "measured", "other methods", "bar", "")]
    for name, measured in everything.items():
        if not BENCHMARKS[name].beside:
            other = others(everything, name)
            rows += [
                (BENCHMARKS[name].title, f.what, f.measured, other.get(f.what, ""), f.bar, VERDICT[f.met])
                for f in measured.figures
                if f.bar
            ]
    return rows


def whole_table(everything: dict[str, Kept]) -> str:
    rows = all_rows(everything)
    met = sum(row[-1] == VERDICT[True] for row in rows)
    return f"{met} of {len(rows) - 1} bars are met. Models: {ids()}.\n\n{table(rows)}"


def part_table(everything: dict[str, Kept], name: str) -> str:
    """All that a benchmark measured."""
    measured, other = everything[name], others(everything, name)
    beside = [kept.said(n) for n, kept in everything.items() if BENCHMARKS[n].beside == name]
    rows: Rows = [("figure", "measured", "other methods", "bar", "")]
    rows += [(f.what, f.measured, other.get(f.what, ""), f.bar, VERDICT[f.met]) for f in measured.figures]
    if not other:
        rows = [row[:2] + row[3:] for row in rows]
    said = [measured.said(name), *(f"Other methods: {text}" for text in beside)]
    return "\n\n".join([*said, table(rows)])


def headline_table(everything: dict[str, Kept]) -> str:
    rows: Rows = [("what", "measured", "other methods", "bar", "")]
    for name, chosen in HEADLINES.items():
        figures = {figure.what: figure for figure in everything[name].figures} if name in everything else {}
        other = others(everything, name)
        for what in chosen:
            if what in figures:
                f = figures[what]
                title = f"{BENCHMARKS[name].title}: {what}"
                # Of other methods only the counts: their intervals are in RESULTS.md.
                counts = re.sub(r" = [^;]*", "", other.get(what, ""))
                rows.append((title, f.measured, counts, f.bar, VERDICT[f.met] if f.met else f"**{VERDICT[f.met]}**"))
    return table(rows)


def put(text: str, mark: str, content: str) -> str:
    """The text with new content between the marks of a part; unchanged where it has no such marks."""
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    return re.sub(f"{begin}.*?{end}", lambda _: f"{begin}{content}\n{end}", text, flags=re.DOTALL)


def compose(everything: dict[str, Kept]) -> None:
    """Writes RESULTS.md and the README's table anew."""
    text = put(RESULTS.read_text("utf-8"), "figures", whole_table(everything))
    for name in everything:
        if not BENCHMARKS[name].beside:
            text = put(text, name, part_table(everything, name))
    write(RESULTS, text)
    write(README, put(README.read_text("utf-8"), "figures", headline_table(everything)))


def key(name: str, figure: Figure) -> str:
    return f"{name}: {figure.what}"


def below(everything: dict[str, Kept], floors: dict[str, float]) -> list[str]:
    """The accuracies that miss their bar and their floor, if they have one."""
    found = []
    for name, measured in everything.items():
        for figure in measured.figures:
            if figure.met is False and figure.good is not None:
                floor = floors.get(key(name, figure))
                if floor is None or figure.good < floor:
                    found.append(f"{key(name, figure)}: {figure.measured}, bar {figure.bar}, floor {floor or 'none'}")
    return found


def floors_of(everything: dict[str, Kept]) -> dict[str, float]:
    """Where the bar is missed now, what is reached, less a picture: other machines round differently."""
    return {
        key(name, figure): round(figure.good - figure.slack, 4)
        for name, measured in everything.items()
        for figure in measured.figures
        if figure.met is False and figure.good is not None
    }


def main() -> int:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(BENCHMARKS))
    parser.add_argument("--share", type=float, default=1.0, help="part of what is rendered")
    parser.add_argument("--jobs", type=int, default=1, help="benchmarks that run at the same time")
    parser.add_argument("--quick", action="store_true", help="the short form for CI")
    parser.add_argument("--floors", action="store_true", help="with --quick: set the floors")
    parser.add_argument("--write", action="store_true", help="measure nothing, write the tables anew")
    options = parser.parse_args()
    now: dict[str, Kept] = {}
    # The short form is not about other methods.
    chosen = options.only or [name for name in BENCHMARKS if not (options.quick and BENCHMARKS[name].beside)]
    form = Form(options.data, 0.0 if options.quick else options.share, options.quick)
    for name, measured in measure_all([] if options.write else chosen, form, options.jobs):
        now[name] = measured
        if not options.quick and now[name].figures:
            keep(name, now[name])
    broken = any(why.startswith(BROKEN) for measured in now.values() for why in measured.missing)
    if options.quick:
        print(f"\n{columns(all_rows(now))}")
        floors = json.loads(FLOORS.read_text("utf-8"))
        if options.floors:
            floors = {name: floor for name, floor in floors.items() if name.split(":")[0] not in now} | floors_of(now)
            write(FLOORS, json.dumps(floors, indent=1) + "\n")
        failed = below(now, floors)
        print(*(f"too low: {line}" for line in failed), sep="\n", file=sys.stderr)
        return int(broken or bool(failed))
    everything = kept()
    compose(everything)
    print(f"\n{columns(all_rows(everything))}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
