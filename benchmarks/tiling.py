"""Times the tiling solver on random legal kingdoms: `python benchmarks/tiling.py [kingdoms per row]`."""

import csv
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from math import exp, log
from pathlib import Path
from time import process_time

from scorer.rules import tiling
from scorer.rules.tiling import CASTLE, EMPTY, Box, Label, Place, cheapest

LISTS = Path(tiling.__file__).parent / "data" / "dominoes.csv"


def read_dominoes(*boxes: str) -> list[tuple[Label, Label]]:
    with LISTS.open(newline="") as lines:
        return [(row["left"], row["right"]) for row in csv.DictReader(lines) if row["box"] in boxes]


def box_of(dominoes: list[tuple[Label, Label]]) -> Box:
    return Box(Counter((a, b) if a <= b else (b, a) for a, b in dominoes))


def beside(place: Place) -> list[Place]:
    r, c = place
    return [(r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)]


def lay(dominoes: list[tuple[Label, Label]], size: int, rng: random.Random) -> dict[Place, Label]:
    """Lay the dominoes one after another by the rules; one that fits nowhere is discarded.

    Returns every place of the size x size window, empty places included.
    """
    kingdom: dict[Place, Label] = {(0, 0): CASTLE}
    for faces in dominoes:
        rows, columns = [r for r, _ in kingdom], [c for _, c in kingdom]
        options = []
        for r in range(max(rows) - size + 1, min(rows) + size):
            for c in range(max(columns) - size + 1, min(columns) + size):
                for other in ((r, c + 1), (r + 1, c)):
                    for one, two in (faces, faces[::-1]):
                        placed = {(r, c): one, other: two}
                        if kingdom.keys() & placed.keys() or not fits(kingdom, placed, size):
                            continue
                        touching = sum(near in kingdom for place in placed for near in beside(place))
                        if any(
                            kingdom.get(near, EMPTY)[0] in (CASTLE, label[0])
                            for place, label in placed.items()
                            for near in beside(place)
                        ):
                            options.append((touching + 2.5 * rng.random(), rng.random(), placed))
        if options:
            kingdom |= max(options)[2]
    top, left = min(r for r, _ in kingdom), min(c for _, c in kingdom)
    return {(r, c): kingdom.get((r + top, c + left), EMPTY) for r in range(size) for c in range(size)}


def fits(kingdom: Mapping[Place, Label], placed: Mapping[Place, Label], size: int) -> bool:
    for axis in (0, 1):
        lines = [place[axis] for place in (*kingdom, *placed)]
        if max(lines) - min(lines) >= size:
            return False
    return True


def blur(
    kingdom: Mapping[Place, Label], labels: list[Label], wrong: float, rng: random.Random
) -> dict[Place, dict[Label, float]]:
    """Noisy log-probabilities of every label at every place, with about `wrong` places misread.

    Most places are clear; at a doubtful one the truth is no likelier than a few others, more often than not
    others of the same terrain or "nothing lies here".
    """
    doubtful = 2 * wrong / len(kingdom)
    costs = {}
    for place, truth in kingdom.items():
        doubt = rng.random() < doubtful
        scores = {}
        for label in labels:
            score = rng.gauss(0, 1.5)
            if label == truth:
                score += rng.gauss(4.5, 1.0) if doubt else rng.gauss(12, 2)
            elif label[0] == truth[0] or label == EMPTY:
                score += rng.gauss(3.0, 1.0)
            scores[label] = score
        total = log(sum(exp(score) for score in scores.values()))
        costs[place] = {label: total - score for label, score in scores.items()}
    return costs


def misread(kingdom: Mapping[Place, Label], costs: Mapping[Place, Mapping[Label, float]]) -> int:
    return sum(min(costs[place], key=costs[place].__getitem__) != label for place, label in kingdom.items())


if __name__ == "__main__":
    rng = random.Random(1)
    for boxes, size, n in ((["kingdomino"], 5, 12), (["kingdomino", "queendomino"], 7, 24)):
        dominoes = read_dominoes(*boxes)
        labels = sorted({x for d in dominoes for x in d} | {CASTLE, EMPTY})
        tot = holes = 0
        for i in range(100):
            rng.shuffle(dominoes)
            k = lay(dominoes[:n], size, rng)
            holes += sum(v == EMPTY for v in k.values())
            tot += misread(k, blur(k, labels, 2, rng))
            if i < 2:
                print(*[" ".join(f"{k[r,c]:2}" for c in range(size)) for r in range(size)], "", sep="\n")
        print(boxes, holes / 100, tot / 100)
