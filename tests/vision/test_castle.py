"""Kingdoms go to the seats whose colour their castles show."""

import numpy as np
import pytest

from scorer.render.style import draw_style
from scorer.vision.castle import COLOURS, colour_shares, colours_apart, owners

PAINT = draw_style(np.random.default_rng(0), variety=0).castle
STONE = (150, 140, 125)


def castle(colour: str, part: float = 0.3) -> np.ndarray:
    """A stone square with a yellow crown on it, a part of it painted."""
    square = np.full((60, 60, 3), STONE, np.uint8)
    square[20:40, 20:40] = (246, 208, 60)
    square[: int(60 * part)] = PAINT[colour]
    return square


@pytest.mark.parametrize("colour", COLOURS)
def test_shares(colour: str) -> None:
    shares = colour_shares(castle(colour, 1.0))
    assert shares[colour] == pytest.approx(1)
    assert sum(shares.values()) == pytest.approx(1)


def test_what_all_castles_show_decides_nothing() -> None:
    seats = ["yellow", "blue", "black", "red"]
    kingdoms = [colour_shares(castle(colour)) for colour in ("red", "black", "yellow", "blue")]
    assert owners(kingdoms, seats) == [3, 2, 0, 1]


def test_a_kingdom_without_a_castle_gets_what_is_left() -> None:
    kingdoms = [None, colour_shares(castle("red")), colour_shares(castle("blue"))]
    assert owners(kingdoms, ["red", "green", "blue"]) == [1, 0, 2]


def test_more_kingdoms_than_seats_and_fewer() -> None:
    three = [colour_shares(castle(colour)) for colour in ("green", "red", "blue")]
    assert owners(three, ["blue", "red"]) == [None, 1, 0]
    assert owners(three[:1], ["blue", "green"]) == [1]


def test_castles_of_one_photo_are_told_apart() -> None:
    colours = ["green", "red", "blue", "yellow"]
    assert colours_apart([castle(colour) for colour in colours]) == colours
    assert colours_apart([castle("blue"), castle("blue")]) == [None, None]
    assert colours_apart([castle("blue")]) == [None]
    assert colours_apart([]) == []
