"""Columns read as a whole: the sum settles what a digit leaves open, and a wrong sum is told from a misread digit."""

import numpy as np
import pytest

from scorer.vision.pads.columns import Column, alone, decode
from scorer.vision.pads.numbers import TEXTS

Cell = dict[str, float]
SEEN = 0.98


def column(*cells: str | Cell) -> Column:
    return decode(chances(*cells))


def chances(*cells: str | Cell) -> np.ndarray:  # type: ignore[type-arg]
    """What the network says: a text it is sure of, or several with their chances."""
    table = np.full((len(cells), len(TEXTS)), (1 - SEEN) / len(TEXTS))
    for i, cell in enumerate(cells):
        for text, chance in (cell if isinstance(cell, dict) else {cell: SEEN}).items():
            table[i, TEXTS.index(text)] = chance
    return table / table.sum(axis=1, keepdims=True)


def test_a_clear_column() -> None:
    seen = column("3", "12", "", "-", "15")
    assert seen.texts == ("3", "12", "", "-", "15")
    assert min(seen.confidence) > 0.99
    assert seen.sure > 0.98
    assert seen.wrong_sum < 0.01


@pytest.mark.parametrize(("total", "read"), [("16", "1"), ("22", "7")])
def test_the_sum_settles_a_digit(total: str, read: str) -> None:
    cells = ("5", {"1": 0.45, "7": 0.5}, "10", total)
    assert alone(chances(*cells))[1] == "7"
    seen = column(*cells)
    assert seen.texts[1] == read
    assert seen.confidence[1] > 0.95


def test_a_doubtful_total_is_settled_by_the_rows() -> None:
    assert column("5", "7", "10", {"27": 0.6, "22": 0.3}).texts[-1] == "22"


def test_a_wrong_sum_is_told() -> None:
    seen = column("5", "7", "10", "32")
    assert seen.texts == ("5", "7", "10", "32")
    assert seen.adds_up == 22
    assert seen.wrong_sum > 0.9


def test_a_misread_digit_is_likelier_where_the_network_hesitates() -> None:
    seen = column("5", {"7": 0.8, "1": 0.19}, "10", "16")
    assert seen.texts[1] == "1"
    assert seen.wrong_sum < 0.2
    assert seen.others[1] == "7"


def test_an_unsettled_column_is_not_sure() -> None:
    seen = column("5", {"7": 0.5, "1": 0.5}, {"10": 0.5, "16": 0.5}, "22")
    assert seen.sure < 0.9
    assert min(seen.confidence) < 0.9


def test_without_a_total_cells_stand_alone() -> None:
    seen = column("5", {"7": 0.7, "1": 0.3}, "")
    assert seen.texts == ("5", "7", "")
    assert seen.wrong_sum == 0
    assert seen.others[1] == "1"
