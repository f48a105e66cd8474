"""The colour of the light from a card or from tiles."""

import numpy as np
import pytest

from scorer.calibration.colour import Balance, from_card, from_squares, mean_colours
from scorer.errors import UnreadableInput


def table(card: tuple[int, int, int] | None, light: Balance | None = None) -> np.ndarray:
    """Wood with grain, tiles with noise, and perhaps a card on it."""
    rng = np.random.default_rng(0)
    image = np.full((360, 480, 3), (120, 80, 50), np.float64) + rng.normal(0, 14, (360, 480, 1))
    image[40:200, 40:200] = rng.uniform(20, 220, (160, 160, 3))
    if card:
        image[120:300, 260:420] = np.array(card) + rng.normal(0, 1.5, (180, 160, 1))
    plain = np.clip(image, 0, 255).astype(np.uint8)
    return light.apply(plain) if light else plain


@pytest.mark.parametrize(("card", "colour"), [("paper", (205, 205, 205)), ("grey", (110, 110, 110))])
def test_a_card_looks_neutral_after_it(card: str, colour: tuple[int, int, int]) -> None:
    seen = table(colour, Balance(1.2, 1.0, 0.55))
    fixed = from_card(seen, card).apply(seen)[150:270, 290:390].reshape(-1, 3).mean(0)
    assert np.ptp(seen[150:270, 290:390].reshape(-1, 3).mean(0)) > 30
    assert np.ptp(fixed) < 4


def test_a_table_without_paper_is_refused() -> None:
    with pytest.raises(UnreadableInput, match=r"^oak\.jpg: no sheet of paper found"):
        from_card(table(None), "paper", "oak.jpg")


def test_tiles_tell_the_light() -> None:
    rng = np.random.default_rng(1)
    squares = rng.uniform(40, 180, (12, 20, 20, 3)).astype(np.uint8)
    lamp = Balance(0.9, 0.7, 0.4)
    found = from_squares(lamp.apply(squares), mean_colours(squares))
    assert (found.red, found.green, found.blue) == pytest.approx((1 / 0.9, 1 / 0.7, 1 / 0.4), rel=0.05)


def test_light_beyond_correction_is_refused() -> None:
    squares = np.full((8, 4, 4, 3), 3, np.uint8)
    with pytest.raises(UnreadableInput, match="too dark"):
        from_squares(squares, np.full((8, 3), 0.5, np.float32))


def test_no_correction_changes_nothing() -> None:
    image = table((200, 200, 200))
    np.testing.assert_array_equal(Balance(1.0, 1.0, 1.0).apply(image), image)
