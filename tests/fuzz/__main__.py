"""Coverage-guided fuzzing of all parsers, or of those named: `python -m tests.fuzz [NAME...]`.

Needs atheris (`pip install atheris`, Linux and macOS). Inputs that broke something are kept in the folder of --finds;
each belongs into `tests/fuzz/finds` once it is understood.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
"""Where small files cost nothing, on Linux."""
DIGEST = 40
"""Letters of the checksum that libFuzzer names a find by."""


def main() -> None:
    from tests.fuzz.targets import TARGETS

    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *TARGETS], help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=300, help="for each parser  [300]")
    parser.add_argument("--finds", type=Path, default=Path("fuzz-finds"), help="[fuzz-finds]")
    asked = parser.parse_args()
    asked.finds.mkdir(parents=True, exist_ok=True)
    print("parser | inputs | a second | finds\n--- | --: | --: | --:")
    found = 0
    for name in asked.names or TARGETS:
        inputs, rate = fuzz(name, asked.seconds, asked.finds)
        new = len([path for path in asked.finds.glob(f"{name}-*-*") if len(path.name.rpartition("-")[2]) == DIGEST])
        found += new
        print(f"{name} | {inputs:,} | {rate:,.0f} | {new}", flush=True)
    raise SystemExit(found > 0)


def fuzz(name: str, seconds: int, finds: Path) -> tuple[int, float]:
    """How many inputs were tried in all and in a second; a find ends the run."""
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
