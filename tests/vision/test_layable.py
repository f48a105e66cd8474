"""Judging the places of a kingdom together: a castle and whole dominoes, in one piece."""

from __future__ import annotations

import numpy as np
import pytest

from scorer.vision.layable import UNSEEN_CASTLE, covered, groups, likeliest, parted

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


def test_a_stray_place_joins_over_the_missed_half_of_its_domino():
    tile, castle = logits("#C#..", "##.-#")
    group = mask("###..", "##...")
    assert (likeliest(group, tile, castle) == group).all(), "two steps away it could be anything"
    tile, castle = logits("#C#-#", "##...")
    assert (likeliest(mask("###..", "##..."), tile, castle) == mask("#####", "##...")).all()


def test_a_stray_place_is_left_where_no_domino_joins_it():
    tile, castle = logits("#C#.#", "##...")
    group = mask("###..", "##...")
    assert (likeliest(group, tile, castle) == group).all()


def test_places_of_another_group_are_left_to_it():
    tile, castle = logits("#C#.#", "#..##")
    first = max(groups(tile > 0), key=lambda group: int(group[0, 0]))
    assert not likeliest(first, tile, castle)[:, 4].any()


def corners(lines: tuple[str, ...], gap_before: int = 9, gap: float = 0.1) -> np.ndarray:
    """Corners of tiles edge to edge, but for a gap before one of the columns."""
    rows, columns = np.indices((len(lines), len(lines[0])))
    at = np.stack([columns + gap * (columns >= gap_before), rows], -1)[:, :, None]
    return at + np.array([[0, 0], [1, 0], [1, 1], [0, 1]])


def castles(lines: tuple[str, ...], second: float) -> np.ndarray:
    """Log-odds of castles: ``C`` a sure one, ``c`` the second."""
    odds = {"C": SURE, "c": second}
    return np.array([[odds.get(cell, -SURE) for cell in line] for line in lines])


def parts_of(lines: tuple[str, ...], second: float, gap_before: int = 9, gap: float = 0.1) -> list[list[list[bool]]]:
    """The parts of squares that are sure to be tiles."""
    group = mask(*lines)
    tile = np.where(group, SURE, -SURE)
    return [part.tolist() for part in parted(group, tile, castles(lines, second), corners(lines, gap_before, gap))]


def sizes(parts: list[list[list[bool]]]) -> list[int]:
    return [sum(map(sum, part)) for part in parts]


SIX = ("#C##c#",)
SEVEN = ("#C###c#",)
DOUBTFUL = -1.0


def test_two_castles_part_a_group_where_its_edges_gape():
    assert parts_of(SIX, SURE, gap_before=3) == [[[True] * 3 + [False] * 3], [[False] * 3 + [True] * 3]]


def test_a_doubtful_second_castle_parts_only_what_is_no_single_kingdom():
    assert len(parts_of(SIX, DOUBTFUL, gap_before=3, gap=0.02)) == 2
    assert len(parts_of(SEVEN, DOUBTFUL, gap_before=3, gap=0.02)) == 1
    # Four squares, a castle in each half: no single kingdom, and no two either.
    assert len(parts_of(("C##c",), DOUBTFUL, gap_before=2, gap=0.02)) == 1


def test_what_lies_on_one_lattice_is_one_kingdom():
    assert len(parts_of(SIX, SURE)) == 1
    assert len(parts_of(SEVEN, SURE, gap_before=4)) == 2


def test_what_is_too_wide_for_one_kingdom_is_parted_at_the_likeliest_second_castle():
    ten = ("#C######c#",)
    unseen = UNSEEN_CASTLE / 2
    assert sizes(parts_of(ten, unseen, gap_before=7, gap=0.2)) == [7, 3]
    assert len(parts_of(SIX, unseen, gap_before=3, gap=0.02)) == 1
    assert len(parts_of(ten, 2 * UNSEEN_CASTLE)) == 1


def test_kingdoms_are_parted_so_that_dominoes_cover_both():
    # The seventh square is nearer to the other castle, and beyond the gap.
    assert sizes(parts_of(("#C######c#",), SURE, gap_before=7, gap=0.2)) == [7, 3]
