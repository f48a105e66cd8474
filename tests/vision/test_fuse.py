"""Several photos of one kingdom: how their grids lie on each other, and what they say together."""

from dataclasses import make_dataclass
from typing import Any

import numpy as np
import pytest

from scorer.vision.classify import LABELS
from scorer.vision.fuse import align, fuse

GRID = [["w0", "w0", "l1", "."], ["f0", "C", "l0", "g2"], ["f1", "m2", "s0", "g0"]]
OTHER = [["s0", "s0", "w0", "w0"], ["f1", "C", "w0", "."], ["l0", "l0", "g1", "g0"]]


def likely(grid: list[list[str]], sure: float = 0.95) -> np.ndarray:
    rest = (1 - sure) / (len(LABELS) - 1)
    values = np.full((len(grid), len(grid[0]), len(LABELS)), np.log(rest), np.float32)
    for r, row in enumerate(grid):
        for c, cell in enumerate(row):
            values[r, c, LABELS.index(cell)] = np.log(sure)
    return values


@pytest.mark.parametrize("turn", range(4))
def test_quarter_turns_are_found(turn: int) -> None:
    match = align(likely(GRID), np.rot90(likely(GRID), turn))
    assert match is not None
    assert (match.turn, match.row, match.column) == (-turn % 4, 0, 0)


def test_a_row_that_one_photo_lacks() -> None:
    match = align(likely(GRID), likely(GRID[1:]))
    assert match is not None
    assert (match.turn, match.row, match.column) == (0, 1, 0)
    match = align(likely(GRID[1:]), likely(GRID))
    assert match is not None
    assert (match.turn, match.row, match.column) == (0, -1, 0)


def test_another_kingdom_is_not_taken_for_this_one() -> None:
    assert align(likely(GRID), likely(OTHER)) is None


def seen(values: np.ndarray) -> Any:
    return make_dataclass("Seen", ["likely"])(values)


def test_what_one_photo_hides_another_shows() -> None:
    blind = likely(GRID)
    blind[2, 1] = np.log(1 / len(LABELS))
    wrong = np.rot90(likely(GRID), 1)
    (kingdom,), strangers = fuse([(seen(blind),), (seen(wrong),)])
    assert strangers == 0
    assert LABELS[int(kingdom.likely[2, 1].argmax())] == "m2"
    assert np.exp(kingdom.likely).sum(axis=2) == pytest.approx(1, abs=1e-4)
    # Two photos that agree are surer than one.
    assert kingdom.likely[0, 0].max() > likely(GRID)[0, 0].max()


def test_strangers_are_counted_and_left_out() -> None:
    kingdoms, strangers = fuse([(seen(likely(GRID)),), (seen(likely(OTHER)),)])
    assert strangers == 1
    assert kingdoms[0].likely.tolist() == likely(GRID).tolist()


def test_several_kingdoms_each_find_their_own() -> None:
    weak = [(seen(likely(GRID, 0.6)), seen(likely(OTHER, 0.6)))]
    turned = (seen(np.rot90(likely(OTHER), 2)), seen(np.rot90(likely(GRID), 1)))
    kingdoms, strangers = fuse([*weak, turned])
    assert strangers == 0
    for kingdom, grid in zip(kingdoms, (GRID, OTHER), strict=True):
        assert [[LABELS[int(i)] for i in row] for row in kingdom.likely.argmax(axis=2)] == grid
        assert np.exp(kingdom.likely.max(axis=2)).min() > 0.95
