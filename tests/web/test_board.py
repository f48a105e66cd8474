"""Corrections of a board, one by one."""

import pytest

from scorer.errors import UsageError
from scorer.rules import Doubt, Kingdom
from scorer.rules.message import msg
from scorer.rules.notation import square_text
from scorer.web.board import MAX_SIDE, Board, as_data, blank, change, from_data, nothing
from scorer.web.perspective import grid_to_photo
from scorer.web.settle import AnotherKingdom, settle

CORNERS = ((100.0, 100.0), (300.0, 110.0), (310.0, 320.0), (90.0, 300.0))


def board(*rows: str, doubts: tuple[Doubt, ...] = (), corners: tuple[tuple[float, float], ...] = ()) -> Board:
    return Board(Kingdom.parse("\n".join(rows)), doubts, "photo" if corners else None, corners)


def doubt(row: int, column: int, read: str = "w0", other: str = "w1") -> Doubt:
    text = msg("square {row},{column} read as {read} may be {other}", row=row, column=column, read=read, other=other)
    return Doubt("reading", text, (row, column), read, (other,), 0.5, needed=False)


def cells(made: Board) -> list[str]:
    return [" ".join(map(square_text, row)) for row in made.kingdom.rows]


@pytest.mark.parametrize(
    ("before", "wanted", "after"),
    [
        ("w1", {"do": "terrain", "value": "forest"}, "f0"),
        ("w1", {"do": "terrain", "value": "wheat"}, "w1"),
        ("w1+knight", {"do": "terrain", "value": "lake"}, "l0+knight"),
        ("w1+knight", {"do": "terrain", "value": "empty"}, "."),
        ("w1", {"do": "terrain", "value": "castle"}, "C"),
        ("w1", {"do": "terrain", "value": "unknown"}, "?"),
        ("?", {"do": "terrain", "value": "town"}, "t"),
        ("m0", {"do": "crowns", "value": 3}, "m3"),
        ("m?", {"do": "crowns", "value": 0}, "m0"),
        ("g0", {"do": "building", "value": "statue"}, "t:statue"),
        ("t:statue~", {"do": "building", "value": "church"}, "t:church"),
        ("t:statue", {"do": "building", "value": ""}, "t"),
        ("t:statue", {"do": "turned", "value": True}, "t:statue~"),
        ("t", {"do": "turned", "value": True}, "t"),
        ("g0", {"do": "knight", "value": 2}, "g0+knight*2"),
        ("t:statue+tower", {"do": "tower", "value": 0}, "t:statue"),
        ("w0", {"do": "resource", "value": "wheat"}, "w0+wheat"),
        ("w0", {"do": "court", "value": "king~"}, "w0+court:king~"),
        ("w0+court:king", {"do": "court", "value": ""}, "w0"),
        ("w0", {"do": "cell", "value": "s2"}, "s2"),
    ],
)
def test_setting_one_thing(before: str, wanted: dict[str, object], after: str) -> None:
    assert cells(change(board(f"C {before}"), {"at": [0, 1], **wanted})) == [f"C {after}"]


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"do": "explode"},
        {"do": "terrain", "at": [0, 1], "value": "sea"},
        {"do": "terrain", "at": [0, 2], "value": "lake"},
        {"do": "terrain", "at": [-1, 0], "value": "lake"},
        {"do": "terrain", "at": "0,1", "value": "lake"},
        {"do": "crowns", "at": [0, 1], "value": 4},
        {"do": "crowns", "at": [0, 1], "value": "1"},
        {"do": "crowns", "at": [0, 0], "value": 1},
        {"do": "knight", "at": [0, 1], "value": -1},
        {"do": "knight", "at": [0, 1], "value": True},
        {"do": "building", "at": [0, 1], "value": "casino"},
        {"do": "court", "at": [0, 1], "value": "jester"},
        {"do": "cell", "at": [0, 1], "value": "w1 w1"},
        {"do": "coins", "value": 10_000},
        {"do": "grow", "side": "north"},
        {"do": "blank", "value": MAX_SIDE + 1},
    ],
)
def test_what_makes_no_sense_is_refused(wanted: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        change(board("C w0"), wanted)


def test_setting_or_confirming_a_square_settles_its_doubt() -> None:
    unsure = board("C w0 w0", doubts=(doubt(0, 1), doubt(0, 2)))
    assert [d.square for d in change(unsure, {"do": "crowns", "at": [0, 1], "value": 1}).doubts] == [(0, 2)]
    confirmed = change(unsure, {"do": "confirm", "at": [0, 2]})
    assert [d.square for d in confirmed.doubts] == [(0, 1)]
    assert cells(confirmed) == cells(unsure)


def test_what_was_seen_beside_the_kingdom_is_confirmed() -> None:
    beside = Doubt("beside", msg("coins beside the kingdom: {count}", count=3), read="coins: 3", needed=False)
    unsure = board("C w0 w0", doubts=(doubt(0, 1), beside))
    assert [d.code for d in change(unsure, {"do": "settle", "value": 1}).doubts] == ["reading"]
    assert change(unsure, {"do": "settle", "value": 7}) == unsure


def test_numbers_beside_the_kingdom() -> None:
    assert change(board("C w0"), {"do": "coins", "value": 11}).kingdom.coins == 11


def test_rows_and_columns_move_what_lies_on_them() -> None:
    start = board("C w1", "f0 .", doubts=(doubt(0, 1), doubt(1, 0)), corners=CORNERS)
    grown = change(start, {"do": "grow", "side": "top"})
    assert cells(grown) == [". .", "C w1", "f0 ."]
    assert [d.square for d in grown.doubts] == [(1, 1), (2, 0)]
    assert cells(change(start, {"do": "grow", "side": "right"})) == ["C w1 .", "f0 . ."]
    shrunk = change(start, {"do": "shrink", "side": "bottom"})
    assert cells(shrunk) == ["C w1"]
    assert [d.square for d in shrunk.doubts] == [(0, 1)]


@pytest.mark.parametrize("side", ["top", "bottom", "left", "right"])
def test_a_row_more_and_less_leaves_the_grid_where_it_was(side: str) -> None:
    start = board("C w1", "f0 .", corners=CORNERS)
    grown = change(start, {"do": "grow", "side": side})
    before, after = (
        grid_to_photo(CORNERS, 2, 2),
        grid_to_photo(grown.corners, grown.kingdom.height, grown.kingdom.width),
    )
    shift = (int(side == "left"), int(side == "top"))
    for point in ((0, 0), (1, 1), (2, 2)):
        assert after(point[0] + shift[0], point[1] + shift[1]) == pytest.approx(before(*point), abs=0.3)
    back = change(grown, {"do": "shrink", "side": side})
    assert cells(back) == cells(start)
    assert [x for corner in back.corners for x in corner] == pytest.approx([x for c in CORNERS for x in c], abs=0.5)


def test_the_projection_takes_corners_to_corners() -> None:
    project = grid_to_photo(CORNERS, 3, 4)
    for corner, at in zip(CORNERS, ((0, 0), (4, 0), (4, 3), (0, 3)), strict=True):
        assert project(*at) == pytest.approx(corner)


def test_a_board_keeps_between_one_and_the_most_lines() -> None:
    with pytest.raises(UsageError):
        change(board("C w0"), {"do": "shrink", "side": "top"})
    wide = blank(MAX_SIDE)
    with pytest.raises(UsageError):
        change(wide, {"do": "grow", "side": "left"})


def test_turning_four_times_comes_back() -> None:
    start = board("C w1 l0", "f0 . m2", doubts=(doubt(0, 1),), corners=CORNERS)
    turned = change(start, {"do": "turn"})
    assert cells(turned) == ["f0 C", ". w1", "m2 l0"]
    assert turned.doubts[0].square == (1, 1)
    # The photo under a square stays the same.
    assert turned.corners[1] == CORNERS[0]
    for _ in range(3):
        turned = change(turned, {"do": "turn"})
    assert turned == start


def test_blank_and_nothing() -> None:
    assert blank(7).kingdom.castle == (3, 3)
    assert not nothing().laid
    assert blank().laid


def test_what_is_kept_comes_back() -> None:
    start = board("coins: 3", "", "C w?+knight t:statue~", doubts=(doubt(0, 1, "w0", "w1+knight"),), corners=CORNERS)
    assert from_data(as_data(start)) == start


@pytest.mark.parametrize("data", [{}, {"kingdom": 3}, {"kingdom": "C w9x"}, {"corners": [[1, 2]]}, {"doubts": [{}]}])
def test_a_strangers_board_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        from_data({**as_data(blank()), **data} if data else {})


def test_a_second_photo_settles_what_it_is_sure_of() -> None:
    first = board("C w0 l0 f0", "g0 g0 l1 f0", doubts=(doubt(0, 1), doubt(1, 2, "l1", "l0")))
    second = board("C w1 l0 f0", "g0 g0 l0 f0", doubts=(doubt(1, 2, "l0", "l1"),))
    settled = settle(first, second)
    assert cells(settled) == ["C w1 l0 f0", "g0 g0 l1 f0"]
    assert [d.square for d in settled.doubts] == [(1, 2)]


def test_a_second_photo_from_another_side() -> None:
    first = board("C w0 l0 f0", "g0 g0 l1 f0", doubts=(doubt(0, 1),))
    second = change(change(board("C w1 l0 f0", "g0 g0 l1 f0"), {"do": "turn"}), {"do": "turn"})
    assert cells(settle(first, second)) == ["C w1 l0 f0", "g0 g0 l1 f0"]


def test_where_two_sure_photos_differ_is_a_new_doubt() -> None:
    settled = settle(board("C w0 l0 f0", "g0 g0 l1 f0"), board("C w0 l0 f0", "g0 g1 l1 f0"))
    assert [(d.square, d.read, d.alternatives) for d in settled.doubts] == [((1, 1), "g0", ("g1",))]


def test_another_kingdom_settles_nothing() -> None:
    first = board("C w0 l0 f0", "g0 g0 l1 f0", doubts=(doubt(0, 1),))
    for other in (board("C m0 s0 s0", "w0 w0 w0 w0"), board("C w0 l0 f0")):
        with pytest.raises(AnotherKingdom):
            settle(first, other)
