"""The cost of the rules core, as ratios measured in one run.

- Scoring a 7x7 kingdom with its explanation, against `scipy.ndimage.label` on its seven terrains.
- `scorer score FILE` from start to finish, against `python -c "import click"`.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from scipy import ndimage

from scorer.rules import Kingdom, parse
from scorer.rules.catalogue import TERRAINS
from scorer.rules.play import rules_of
from scorer.rules.score import score_kingdom

SAMPLES = Path(__file__).parent.parent / "samples" / "kingdoms"
MAX_SCORING = 3.0
MAX_START = 4.0


def seconds(task: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        task()
    return (time.perf_counter() - start) / repeats


def ratio(task: Callable[[], object], unit: Callable[[], object], repeats: int, rounds: int) -> tuple[float, float]:
    """Median of `task` in units of `unit`, measured in turns, and the median seconds of `task`."""
    pairs = [(seconds(task, repeats), seconds(unit, repeats)) for _ in range(rounds)]
    return median(a / b for a, b in pairs), median(a for a, _ in pairs)


def label_terrains(grid: np.ndarray) -> None:
    for number in range(len(TERRAINS)):
        ndimage.label(grid == number)


def scoring() -> tuple[float, float]:
    kingdom: Kingdom = parse((SAMPLES / "two-players-7x7.kingdom").read_text())[0]
    rules = rules_of([kingdom])
    grid = np.array([[TERRAINS.index(s.terrain) if s.terrain else -1 for s in row] for row in kingdom.rows])

    def task() -> None:
        for item in score_kingdom(kingdom, rules, queen=True).explanation:
            _ = item.text

    return ratio(task, lambda: label_terrains(grid), repeats=200, rounds=15)


def start_up() -> tuple[float, float]:
    def run(*arguments: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True)

    file = str(SAMPLES / "example-71.kingdom")
    command = run("-c", "from scorer.cli import main; main()", "score", file)
    return ratio(command, run("-c", "import click"), repeats=1, rounds=15)


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    rows = [
        ("score a 7x7 with its explanation / label 7 terrains", *scoring(), MAX_SCORING),
        ("scorer score FILE / python -c 'import click'", *start_up(), MAX_START),
    ]
    for name, times, taken, bar in rows:
        print(f"{name:<55} {times:5.2f}  (bar {bar:.1f}; {taken * 1000:.2f} ms)")
    return int(any(times > bar for _, times, _, bar in rows))


if __name__ == "__main__":
    sys.exit(main())
