"""The cost of the rules core, as ratios measured in one run.

- Scoring a 7x7 kingdom with its explanation, against `scipy.ndimage.label` on its seven terrains.
- `scorer score FILE` from start to finish, against `python -c "import click"`.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
from scipy import ndimage

from benchmarks.figures import Figure, Form, at_most
from benchmarks.measure import arguments, scorer, seconds
from scorer.rules import Kingdom, parse
from scorer.rules.catalogue import TERRAINS
from scorer.rules.play import rules_of
from scorer.rules.score import score_kingdom

SAMPLES = Path(__file__).parent.parent / "samples" / "kingdoms"
ROUNDS = 15
MAX_SCORING = 3.0
MAX_START = 4.0


def often(task: Callable[[], object], repeats: int) -> float:
    """Seconds of one of many runs."""

    def run() -> None:
        for _ in range(repeats):
            task()

    return seconds(run) / repeats


def ratio(task: Callable[[], object], unit: Callable[[], object], repeats: int, rounds: int) -> tuple[float, float]:
    """Median of `task` in units of `unit`, measured in turns, and the median seconds of `task`."""
    pairs = [(often(task, repeats), often(unit, repeats)) for _ in range(rounds)]
    return median(a / b for a, b in pairs), median(a for a, _ in pairs)


def label_terrains(grid: np.ndarray) -> None:
    for number in range(len(TERRAINS)):
        ndimage.label(grid == number)


def scoring(rounds: int) -> tuple[float, float]:
    kingdom: Kingdom = parse((SAMPLES / "two-players-7x7.kingdom").read_text())[0]
    rules = rules_of([kingdom])
    grid = np.array([[TERRAINS.index(s.terrain) if s.terrain else -1 for s in row] for row in kingdom.rows])

    def task() -> None:
        for item in score_kingdom(kingdom, rules, queen=True).explanation:
            _ = item.text

    return ratio(task, lambda: label_terrains(grid), repeats=200, rounds=rounds)


def start_up(rounds: int) -> tuple[float, float]:
    def run(*command: str) -> Callable[[], object]:
        return lambda: subprocess.run(command, check=True, capture_output=True)

    command = run(*scorer("score", str(SAMPLES / "example-71.kingdom")))
    return ratio(command, run(sys.executable, "-c", "import click"), repeats=1, rounds=rounds)


def figures(form: Form) -> Iterator[Figure]:
    rounds = form.part(ROUNDS, least=5)
    for what, measure, bar in (
        ("scoring a 7x7 with its explanation / labelling its terrains with SciPy", scoring, MAX_SCORING),
        ('`scorer score FILE` / `python -c "import click"`', start_up, MAX_START),
    ):
        times, taken = measure(rounds)
        yield at_most(what, times, bar, note=f" ({1000 * taken:.2f} ms)")


def main() -> None:
    arguments(__doc__).parse_args()
    print(*figures(Form(None)), sep="\n")


if __name__ == "__main__":
    main()
