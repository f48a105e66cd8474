"""Pads read end to end: what is written comes out, what cannot be read is refused, nothing is invented."""

import numpy as np
import pytest

from scorer.errors import NoPad, UnreadableInput
from scorer.pads.files import to_csv
from scorer.pads.sheet import Sheet
from scorer.vision.pads.reading import _ruled, read_pad_photo
from scorer.vision.pads.ruled import Ruled

from .photos import jpeg, photo, printed, ruled

WHITE = ["3", "3", "3", "6", "16", "1", "12", "0", "6", "8", "3", "-", "10", "71"]
RED = ["2", "4", "0", "5", "20", "", "7", "5", "8", "", "4", "2", "5", "62"]


def numbers(column: list[str]) -> list[int | None]:
    return [None if text == "" else 0 if text == "-" else int(text) for text in column]


@pytest.mark.parametrize("turn", [3, 183])
def test_our_printed_pad(turn: int) -> None:
    reading = read_pad_photo(jpeg(photo(printed(Sheet(columns=3), [WHITE, RED]), turn)))
    assert list(reading.pad.players) == ["1", "2"]
    assert [list(column.values()) for column in reading.pad.players.values()] == [numbers(WHITE), numbers(RED)]
    assert to_csv(reading.pad).startswith("row,1,2\ncoins,3,2\nwheat,3,4\n")


@pytest.mark.parametrize("header", [False, True])
def test_a_ruled_sheet(header: bool) -> None:
    reading = read_pad_photo(jpeg(photo(ruled([WHITE, RED], header))))
    assert [list(column.values()) for column in reading.pad.players.values()] == [numbers(WHITE), numbers(RED)]


@pytest.mark.parametrize(("first", "rows"), [(0.0, {14}), (0.2, {14, 15})])
def test_a_line_for_names_is_not_tried_as_a_row(first: float, rows: set[int]) -> None:
    """What is scribbled there could be any number that makes a sum fit."""
    written = np.full((15, 3), 0.2, np.float32)
    written[0, 0] = first
    table = Ruled(np.zeros((15, 3, 4, 2), np.float32), written, 1.0)
    assert {len(layout) for layout in _ruled(table, "sheet", None).layouts} == rows


def test_a_wrong_sum_is_told() -> None:
    wrong = [*WHITE[:-1], "99"]
    reading = read_pad_photo(jpeg(photo(printed(Sheet(columns=1), [wrong]))))
    assert reading.pad.players["1"]["total"] == 99
    assert [str(note) for note in reading.pad.notes] == [
        "column 1: the rows add up to 71, written is 99; probably added wrongly"
    ]


@pytest.mark.parametrize("paper", [printed(Sheet(), []), ruled([[""] * 14] * 3)])
def test_a_blank_pad_is_refused(paper: object) -> None:
    with pytest.raises(NoPad, match="blank"):
        read_pad_photo(jpeg(photo(paper)))  # type: ignore[arg-type]


@pytest.mark.parametrize("total", ["71", "99"])
def test_a_ruled_sheet_upside_down_is_refused(total: str) -> None:
    """Even where no column adds up."""
    with pytest.raises(NoPad, match="upside down"):
        read_pad_photo(jpeg(photo(ruled([[*WHITE[:-1], total], [*RED[:-1], total]]), turn=181)))


def test_what_is_no_photo() -> None:
    with pytest.raises(UnreadableInput):
        read_pad_photo(b"no photo", name="sheet.jpg")
