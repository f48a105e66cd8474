"""Fuzzes all parsers, or those named: `python -m tests.fuzz [NAME...]`.

Guided by coverage, for which it needs atheris (`pip install atheris`, Linux and macOS); with --plain COUNT by chance
alone, the same inputs every time. Inputs that broke something are kept in the folder of --finds; each belongs into
`tests/fuzz/finds` once it is understood.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from tests.fuzz.targets import MEMORY, TARGETS, run


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *TARGETS], help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=300, help="for each parser  [300]")
    parser.add_argument("--plain", type=int, metavar="COUNT", help="so many inputs for each parser, without atheris")
    parser.add_argument("--finds", type=Path, default=Path("fuzz-finds"), help="[fuzz-finds]")
    asked = parser.parse_args()
    asked.finds.mkdir(parents=True, exist_ok=True)
    print("| parser | inputs | a second | finds |\n| --- | --: | --: | --: |")
    found = 0
    for name in asked.names or TARGETS:
        if asked.plain:
            inputs, rate = plain(name, asked.plain, asked.finds)
        else:
            inputs, rate = guided(name, asked.seconds, asked.finds)
        kept = re.compile(rf"{name}-(crash|oom|timeout)-[0-9a-f]+")
        new = sum(kept.fullmatch(path.name) is not None for path in asked.finds.iterdir())
        found += new
        print(f"| {name} | {inputs:,} | {rate:,.0f} | {new} |", flush=True)
    raise SystemExit(found > 0)


def plain(name: str, count: int, finds: Path) -> tuple[int, float]:
    """How many inputs were tried, and how many in a second of the processor."""
    start = time.process_time()
    for data in islice(TARGETS[name].damaged(f"{name} plain"), count):
        try:
            run(TARGETS[name], data)
        except Exception:
            (finds / f"{name}-crash-{hashlib.sha1(data).hexdigest()}").write_bytes(data)
    return count, count / (time.process_time() - start)


def guided(name: str, seconds: int, finds: Path) -> tuple[int, float]:
    """How many inputs were tried, and how many in a second on the clock; a find ends the run."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as scratch:
        corpus = Path(scratch) / "corpus"
        corpus.mkdir()
        options = [f"-max_total_time={seconds}", f"-artifact_prefix={finds.resolve()}/{name}-", "-print_final_stats=1"]
        call = [sys.executable, "-m", "tests.fuzz.guided", name, str(corpus), *options]
        log = finds / f"{name}.log"
        with log.open("wb") as file:
            subprocess.call(call, stdout=file, stderr=subprocess.STDOUT)
    said = log.read_text("utf-8", "replace")
    counts = re.findall(r"stat::(?:number_of_executed_units|average_exec_per_sec): *(\d+)", said)
    if not counts:
        raise SystemExit(f"{name} did not run: see {log}")
    return int(counts[0]), float(counts[1])


if __name__ == "__main__":
    main()
