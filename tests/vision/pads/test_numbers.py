"""The chance of every text is that of all the ways to spell it."""

import itertools

import numpy as np
import pytest

from scorer.vision.pads import numbers
from scorer.vision.pads.numbers import SYMBOLS, TEXTS, chances


def spelled(path: tuple[int, ...]) -> str:
    kept = [symbol for symbol, _ in itertools.groupby(path)]
    return "".join(SYMBOLS[symbol] for symbol in kept)


def test_chances_are_sums_over_all_spellings() -> None:
    rng = np.random.default_rng(0)
    places = rng.random((2, 5, len(SYMBOLS))) ** 3
    places /= places.sum(axis=2, keepdims=True)
    wanted = np.zeros(len(TEXTS))
    for path in itertools.product(range(len(SYMBOLS)), repeat=5):
        if (text := spelled(path)) in TEXTS:
            wanted[TEXTS.index(text)] += np.prod([places[0, i, symbol] for i, symbol in enumerate(path)])
    assert np.allclose(chances(places)[0], wanted / wanted.sum())


def test_the_same_digit_twice_needs_a_gap() -> None:
    places = np.full((2, 4, len(SYMBOLS)), 1e-9)
    for i, symbol in enumerate("1 1 "):
        places[0, i, SYMBOLS.index(symbol.strip())] = 1
    for i, symbol in enumerate("111 "):
        places[1, i, SYMBOLS.index(symbol.strip())] = 1
    assert [TEXTS[int(i)] for i in chances(places).argmax(axis=1)] == ["11", "1"]


def test_unsure_cells_are_looked_at_in_other_sizes_and_slants(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def glance(cells: np.ndarray) -> np.ndarray:
        shown.append(len(cells))
        sure = np.where(cells.any(axis=(1, 2)), 0.6 if len(shown) == 1 else 0.9, 1.0)
        return np.stack([1 - sure, sure], axis=1)

    monkeypatch.setattr(numbers, "_glance", glance)
    cells = np.zeros((3, 32, 64), np.uint8)
    cells[1, 8:24, 20:40] = 255
    seen = numbers.read_cells(cells)
    assert shown == [3, *[1] * len(numbers.VIEWS)]
    assert seen[:, 1].tolist() == pytest.approx([1.0, 0.8, 1.0])
