"""Lays random legal kingdoms from the dominoes of a box, as players do."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

Place = tuple[int, int]  # row, column
STEPS: tuple[Place, ...] = ((0, 1), (1, 0), (0, -1), (-1, 0))

# Which boxes' dominoes a rule set is played with.
BOXES: dict[str, tuple[str, ...]] = {
    "kingdomino": ("kingdomino",),
    "queendomino": ("queendomino",),
    "royal-wedding": ("kingdomino", "queendomino"),
    "xxxl": ("kingdomino", "queendomino", "age-of-giants", "fantastic-era"),
}

Domino = tuple[str, str]

# Fifteen towns and nine other kinds: which ones is known of no source, so these are ours.
FANTASTIC_ERA: tuple[Domino, ...] = (
    *3 * (("t", "t"),),
    *(("t", cell) for cell in ("w1", "f1", "l1", "g1", "g2", "s1", "s2", "m1", "m2")),
)


@dataclass(frozen=True)
class LaidDomino:
    """A domino on the table: what it shows and the two places it covers."""

    cells: Domino
    places: tuple[Place, Place]


@dataclass(frozen=True)
class LaidKingdom:
    """Places count from the upper left of the bounding box; `castle` is the place of the starting tile."""

    rows: int
    columns: int
    castle: Place
    dominoes: tuple[LaidDomino, ...]

    def cells(self) -> dict[Place, str]:
        found = {self.castle: "C"}
        for domino in self.dominoes:
            found.update(zip(domino.places, domino.cells, strict=True))
        return found


@cache
def box(rules: str) -> tuple[Domino, ...]:
    """Every domino of the rule set's boxes, towns as "t"."""
    text = resources.files("scorer.rules").joinpath("data/dominoes.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    printed = tuple((_cell(r["left"]), _cell(r["right"])) for r in rows if r["box"] in BOXES[rules])
    return printed + (FANTASTIC_ERA if "fantastic-era" in BOXES[rules] else ())


def _cell(text: str) -> str:
    return "t" if text in ("t", "t0") else text


def shuffled(rules: str, rng: np.random.Generator) -> list[Domino]:
    """The box in random order, to be shared by the kingdoms of one table."""
    dominoes = box(rules)
    return [dominoes[k] for k in rng.permutation(len(dominoes))]


def lay_kingdom(
    stock: list[Domino], size: int, count: int, rng: np.random.Generator, *, compact: float = 1.0
) -> LaidKingdom:
    """Lays up to `count` dominoes taken from the end of `stock` (they are removed from it).

    Each domino touches the castle or, with at least one side, an equal terrain of an earlier one; the bounding
    box stays within size x size; a domino that fits nowhere is discarded. `compact` 0 spreads, 3 keeps together.
    """
    cells: dict[Place, str] = {(0, 0): "C"}
    laid: list[LaidDomino] = []
    while stock and len(laid) < count:
        domino = stock.pop()
        choices = list(_choices(cells, domino, size))
        if not choices:
            continue
        weights = np.exp([compact * _neighbours(cells, places) for places in choices])
        places = choices[int(rng.choice(len(choices), p=weights / weights.sum()))]
        cells.update(zip(places, domino, strict=True))
        laid.append(LaidDomino(domino, places))
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    rows, columns = max(r for r, _ in cells) - top + 1, max(c for _, c in cells) - left + 1

    def moved(place: Place) -> Place:
        return place[0] - top, place[1] - left

    return LaidKingdom(
        rows,
        columns,
        moved((0, 0)),
        tuple(LaidDomino(d.cells, (moved(d.places[0]), moved(d.places[1]))) for d in laid),
    )


def _choices(cells: dict[Place, str], domino: Domino, size: int) -> Iterator[tuple[Place, Place]]:
    rows, columns = [r for r, _ in cells], [c for _, c in cells]
    low_r, high_r = max(rows) - size + 1, min(rows) + size - 1
    low_c, high_c = max(columns) - size + 1, min(columns) + size - 1
    seen = set()
    for (r, c), terrain in cells.items():
        for dr, dc in STEPS:
            touching = (r + dr, c + dc)
            if touching in cells or not (low_r <= touching[0] <= high_r and low_c <= touching[1] <= high_c):
                continue
            for half in (0, 1):
                if terrain != "C" and terrain[0] != domino[half][0]:
                    continue
                for er, ec in STEPS:
                    other = (touching[0] + er, touching[1] + ec)
                    if other in cells or not (low_r <= other[0] <= high_r and low_c <= other[1] <= high_c):
                        continue
                    places = (touching, other) if half == 0 else (other, touching)
                    if places not in seen:
                        seen.add(places)
                        yield places


def _neighbours(cells: dict[Place, str], places: tuple[Place, Place]) -> int:
    return sum((r + dr, c + dc) in cells for r, c in places for dr, dc in STEPS)
