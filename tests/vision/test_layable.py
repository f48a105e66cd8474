"""Judging the places of a kingdom together: a castle and whole dominoes, in one piece."""

from __future__ import annotations

import numpy as np
import pytest

from scorer.vision.layable import covered, groups, likeliest

SURE = 6.0


def mask(*lines: str) -> np.ndarray:
    return np.array([[cell != "." for cell in line] for line in lines])


def logits(*lines: str) -> tuple[np.ndarray, np.ndarray]:
    """Log-odds of tile and castle: ``#`` a sure tile, ``C`` the castle, ``.`` surely empty, ``+`` a tile but hardly,
    ``-`` empty but hardly."""
    odds = {"#": SURE, "C": SURE, ".": -SURE, "+": 0.5, "-": -0.5}
    tile = np.array([[odds[cell] for cell in line] for line in lines])
    castle = np.array([[SURE if cell == "C" else -SURE for cell in line] for line in lines])
    return tile, castle


@pytest.mark.parametrize(
    ("lines", "right"),
    [
        (("#C#", "##."), True),
        (("##", "##"), True),
        (("#.#", "###", "#.#"), False),
        ((".#.", "###", ".#."), False),
    ],
)
def test_dominoes_cover_all_places_but_one(lines: tuple[str, ...], right: bool):
    assert covered(mask(*lines)) == right


def test_a_hole_hardly_seen_is_filled_when_a_domino_lacks_its_half():
    tile, castle = logits("##C", "#-#", "###")
    assert likeliest(tile > 0, tile, castle).all()


def test_a_square_hardly_seen_is_dropped_when_it_has_no_partner():
    tile, castle = logits("#C#.", "#.#+", "##..")
    (group,) = groups(tile > 0)
    assert (likeliest(group, tile, castle) == mask("#C#.", "#.#.", "##..")).all()


def test_a_kingdom_that_dominoes_cover_stays_as_seen_though_some_places_are_unsure():
    tile, castle = logits("#C-", "+#+", "-.-")
    (group,) = groups(tile > 0)
    assert (likeliest(group, tile, castle) == group).all()


def test_sure_squares_stay_even_when_no_castle_is_among_them():
    tile, _ = logits("####", "####")
    assert likeliest(tile > 0, tile, np.full_like(tile, -SURE)).all()


def test_a_castle_seen_on_the_wrong_square_drops_no_sure_tile():
    tile, castle = logits("###", "#C#", "###")
    castle = np.roll(castle, 1, axis=1)
    assert likeliest(tile > 0, tile, castle).all()


def test_places_of_another_group_are_left_to_it():
    tile, castle = logits("#C#.#", "#..##")
    first = max(groups(tile > 0), key=lambda group: int(group[0, 0]))
    assert not likeliest(first, tile, castle)[:, 4].any()
