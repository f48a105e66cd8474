"""Kingdoms laid at random keep the rules that players keep."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from scorer.render.lay import BOXES, STEPS, box, lay_kingdom, shuffled


@pytest.mark.parametrize("rules", BOXES)
@pytest.mark.parametrize("size", [5, 7, 9])
def test_random_kingdoms_are_legal(rules, size):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        laid = lay_kingdom(shuffled(rules, rng), size, 40, rng, compact=seed % 4)
        assert laid.rows <= size
        assert laid.columns <= size
        cells = {laid.castle: "C"}
        for domino in laid.dominoes:
            (r0, c0), (r1, c1) = domino.places
            assert abs(r0 - r1) + abs(c0 - c1) == 1
            touching = False
            for (r, c), cell in zip(domino.places, domino.cells, strict=True):
                assert (r, c) not in cells
                around = [cells.get((r + dr, c + dc)) for dr, dc in STEPS]
                touching |= any(n is not None and (n == "C" or n[0] == cell[0]) for n in around)
            assert touching
            cells.update(zip(domino.places, domino.cells, strict=True))
        rows, columns = {r for r, _ in cells}, {c for _, c in cells}
        assert (min(rows), max(rows), min(columns), max(columns)) == (0, laid.rows - 1, 0, laid.columns - 1)
        assert cells == laid.cells()


def test_kingdoms_of_one_table_share_one_box():
    rng = np.random.default_rng(3)
    stock = shuffled("kingdomino", rng)
    used: Counter[tuple[str, str]] = Counter()
    for _ in range(4):
        used.update(domino.cells for domino in lay_kingdom(stock, 5, 12, rng).dominoes)
    assert not used - Counter(box("kingdomino"))


def test_the_boxes_are_complete():
    assert [len(box(rules)) for rules in ("kingdomino", "queendomino", "royal-wedding", "xxxl")] == [48, 48, 96, 120]
