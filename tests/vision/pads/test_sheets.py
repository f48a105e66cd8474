"""Finding pads: by marks however the sheet lies, by lines where it is upright, and nothing where there is nothing."""

import cv2
import numpy as np
import pytest

from scorer.errors import NoPad
from scorer.pads.sheet import Sheet, unnamed
from scorer.rules.play import rules_named
from scorer.vision.load import load_photo
from scorer.vision.pads.cells import HEIGHT, WIDTH, cut
from scorer.vision.pads.marks import find_marks
from scorer.vision.pads.reading import find_sheet
from scorer.vision.pads.ruled import find_table

from .photos import ROW, Image, jpeg, photo, printed, ruled

BOOK = rules_named("queendomino").pad
ROWS = [str(i) for i in range(14)]


def find(image: Image, rows: tuple[str, ...] | None = None):  # type: ignore[no-untyped-def]
    return find_sheet(load_photo(jpeg(image)), "sheet.jpg", rows)


@pytest.mark.parametrize("turn", [0, 4, 90, 176, 270])
@pytest.mark.parametrize("sheet", [Sheet(), Sheet("xxxl", 6, quests=unnamed(4), mirrored=True), Sheet("kingdomino", 1)])
def test_our_pad_is_found_however_it_lies(sheet: Sheet, turn: int) -> None:
    image = photo(printed(sheet, []), turn)
    (pad,) = find_marks(image).pads
    assert pad.sheet == sheet
    assert pad.cells(image).shape == (len(sheet.rows), sheet.columns, 4, 2)


def test_cells_are_where_they_were_printed() -> None:
    sheet = Sheet(columns=2)
    paper = printed(sheet, [])
    (pad,) = find_marks(paper).pads
    quads = pad.cells(paper)
    assert np.allclose(quads[1:, :, 0] - quads[:-1, :, 0], [0, ROW], atol=1)
    # Dark lines along the edges, nothing written within.
    cells = cut(paper, quads)
    assert cells.shape == (14, 2, HEIGHT, WIDTH)
    assert cells[:, :, :5].max(axis=2).mean() > 100
    assert cells[:, :, 8:-8, 8:-8].max() < 30


def test_of_several_pads_the_largest_is_read_and_said() -> None:
    found = find(photo(printed(Sheet(columns=3), [], per_sheet=2)))
    assert found.quads.shape[:2] == (14, 3)
    assert str(found.notes[0]) == "there are 2 pads in the photo: the largest was read"


@pytest.mark.parametrize("corner", [0, 1, 2, 3])
def test_a_pad_without_one_of_its_marks_is_refused(corner: int) -> None:
    paper = printed(Sheet(), [])
    height, width = paper.shape[:2]
    torn = paper.copy()
    rows = slice(0, height // 6) if corner < 2 else slice(height * 2 // 3, height)
    torn[rows, slice(0, width // 2) if corner in (0, 3) else slice(width // 2, width)] = 120
    with pytest.raises(NoPad, match="only 3 of the 4 marks"):
        find(photo(torn))


@pytest.mark.parametrize("columns", [1, 2, 6])
@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("rows", [13, 14])
def test_ruled_sheets_are_found_by_their_lines(rows: int, header: bool, columns: int) -> None:
    found = find(photo(ruled([[str(i) for i in range(rows + 1)]] * columns, header)))
    assert found.quads.shape[:2] == (rows + 1 + header, columns)
    assert found.layouts[0] == (*BOOK, *["other"] * (rows - 13), "total")


def test_other_layouts_need_names() -> None:
    sheet = photo(ruled([[*ROWS, "0", "0"]]))
    with pytest.raises(NoPad, match="16 lines, not 13 or 14 rows"):
        find(sheet)
    names = (*BOOK, "resources", "wealth")
    assert find(sheet, names).layouts == ((*names, "total"),)
    with pytest.raises(NoPad, match="not 3"):
        find(sheet, BOOK[:3])


def test_a_sheet_of_which_half_is_missing_is_refused() -> None:
    paper = ruled([ROWS] * 3)
    with pytest.raises(NoPad):
        find(photo(paper[: paper.shape[0] // 2]))


def test_a_sheet_on_its_side_is_refused() -> None:
    with pytest.raises(NoPad, match="lies on its side"):
        find(photo(ruled([ROWS] * 3), turn=90))


@pytest.mark.parametrize("picture", ["even", "noise", "stripes", "board"])
def test_what_is_no_pad_is_no_pad(picture: str) -> None:
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:900, 0:1200]
    grey = {
        "even": np.full_like(x, 128),
        "noise": rng.integers(0, 255, x.shape),
        "stripes": 255 * (x // 30 % 2),
        "board": 255 * ((x // 100 + y // 100) % 2),
    }[picture]
    image = np.repeat(grey.astype(np.uint8)[..., None], 3, axis=2)
    assert find_table(image) is None
    with pytest.raises(NoPad, match="no score pad found"):
        find(image)


def test_bent_paper_is_followed_between_the_marks() -> None:
    paper = printed(Sheet(columns=4), [])
    y, x = np.mgrid[0 : paper.shape[0], 0 : paper.shape[1]].astype(np.float32)
    bent = cv2.remap(paper, x, y + 0.2 * ROW * np.sin(np.pi * x / paper.shape[1]), cv2.INTER_LINEAR)
    straight, found = find_marks(paper).pads[0].cells(paper), find_marks(bent).pads[0].cells(bent)
    rise = 0.2 * ROW * np.sin(np.pi * straight[..., 0] / paper.shape[1])
    assert np.abs(straight[..., 1] - rise - found[..., 1]).max() < 0.06 * ROW
