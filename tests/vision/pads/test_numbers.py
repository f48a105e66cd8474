"""The chance of every text is that of all the ways to spell it."""

import itertools

import numpy as np

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
