"""Pads on paper: a PDF with marks in the corners of each pad, so that a photo of it is straightened exactly."""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from math import inf
from typing import NamedTuple

from fpdf import FPDF
from fpdf.bidi import BidiParagraph

from scorer.pad import heading, row_name
from scorer.pads.sheet import MARK, MARK_IDS, Box, Sheet
from scorer.rules.catalogue import RULE_SETS
from scorer.rules.message import Term
from scorer.rules.score import Score
from scorer.texts import Translate

PAPERS: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height in millimetres."""
GRIDS = {1: (1, 1), 2: (2, 1), 4: (2, 2)}
"""Pads per sheet: how many beside and below each other, the paper turned if that makes them larger."""
MARGIN = 10.0
"""Printers leave about 5 mm white; marks need white around them too."""
SPACE = 8.0
MAX_ROW = 14.0
"""Higher rows are not easier to write in."""
THIN, THICK = 0.25, 0.6
LABEL_SIZE, NUMBER_SIZE = 0.5, 0.6
"""Letters, in heights of a row."""
POINTS_PER_MM = 72 / 25.4
FONT = "DejaVu"
RIGHT_TO_LEFT = ("he",)
DATE = datetime(2000, 1, 1, tzinfo=UTC)
"""Equal pads are equal files."""


class Place(NamedTuple):
    """Where a pad lies on the paper: its top left corner and the height of a row, in millimetres."""

    x: float
    y: float
    row: float


def pad_pdf(
    sheet: Sheet, say: Translate, *, paper: str = "a4", per_sheet: int = 1, filled: Score | None = None
) -> bytes:
    """A page of equal pads, blank or filled from a score."""
    (width, height), places = arrange(sheet, paper, per_sheet)
    pdf = FPDF(unit="mm", format=(width, height))
    pdf.set_creation_date(DATE)
    pdf.set_auto_page_break(False)
    pdf.add_font(FONT, fname=str(files("scorer.pads") / "fonts" / "DejaVuSans-subset.ttf"))
    pdf.set_title(say(Term(RULE_SETS[sheet.rules].name)))
    pdf.add_page()
    for place in places:
        _Drawing(pdf, place).pad(sheet, say, filled)
    return bytes(pdf.output())


def arrange(sheet: Sheet, paper: str, per_sheet: int) -> tuple[tuple[float, float], list[Place]]:
    """The paper, upright or turned as makes the pads larger, and where they lie on it."""
    across, down = GRIDS[per_sheet]
    best: tuple[float, tuple[float, float]] = (-inf, (0.0, 0.0))
    for size in (PAPERS[paper], PAPERS[paper][::-1]):
        width = (size[0] - 2 * MARGIN + SPACE) / across - SPACE
        height = (size[1] - 2 * MARGIN + SPACE) / down - SPACE
        best = max(best, (min(width / sheet.width, height / sheet.height), size))
    row, size = min(best[0], MAX_ROW), best[1]
    step = row * sheet.width + SPACE, row * sheet.height + SPACE
    left, top = (size[0] - across * step[0] + SPACE) / 2, MARGIN
    return size, [Place(left + i * step[0], top + j * step[1], row) for j in range(down) for i in range(across)]


class _Drawing:
    """One pad, drawn in heights of its rows."""

    def __init__(self, pdf: FPDF, place: Place) -> None:
        self.pdf, self.place = pdf, place

    def pad(self, sheet: Sheet, say: Translate, filled: Score | None) -> None:
        for box, mark in zip(sheet.mark_boxes(), sheet.mark_ids(), strict=True):
            self._mark(box, mark)
        self._text(say(Term(RULE_SETS[sheet.rules].name)), (MARK, 0, sheet.width - MARK, MARK), LABEL_SIZE, "C")
        columns = _columns(sheet, filled)
        for line, row in enumerate(("", *sheet.rows)):
            label = sheet.box(line, 0)
            self._cell(label)
            self._text(row_name(row, say) if row else "", label, LABEL_SIZE, "R" if sheet.mirrored else "L")
            for column in range(1, sheet.columns + 1):
                box = sheet.box(line, column)
                self._cell(box)
                if column <= len(columns):
                    self._text(columns[column - 1][line], box, NUMBER_SIZE if line else LABEL_SIZE, "C")
        left, top, right, bottom = 0.0, sheet.box(0, 0)[1], sheet.width, sheet.box(len(sheet.rows), 0)[3]
        for box in ((left, top, right, bottom), (left, top, right, top + 1), (left, bottom - 1, right, bottom)):
            self._cell(box, THICK)

    def _mm(self, box: Box) -> tuple[float, float, float, float]:
        x, y, row = self.place
        return x + box[0] * row, y + box[1] * row, (box[2] - box[0]) * row, (box[3] - box[1]) * row

    def _cell(self, box: Box, line: float = THIN) -> None:
        self.pdf.set_line_width(line)
        self.pdf.rect(*self._mm(box))

    def _mark(self, box: Box, mark: int) -> None:
        """Black modules side by side; drawn as one shape, so that no viewer shows seams between them."""
        x, y, side, _ = self._mm(box)
        bits = mark_bits(mark)
        module = side / len(bits)
        self.pdf.set_fill_color(0)
        self.pdf.rect(x, y, side, side, style="F")
        self.pdf.set_fill_color(255)
        for i, row in enumerate(bits):
            for j, white in enumerate(row):
                if white:
                    self.pdf.rect(x + j * module, y + i * module, module, module, style="F")

    def _text(self, text: str, box: Box, size: float, align: str) -> None:
        """One line of text, shrunk to fit."""
        if not text:
            return
        x, y, width, height = self._mm(box)
        shown = BidiParagraph(text).get_reordered_string()
        inset = 0.15 * self.place.row
        points = size * self.place.row * POINTS_PER_MM
        self.pdf.set_font(FONT, size=points)
        room = width - 2 * inset
        needed = self.pdf.get_string_width(shown)
        if needed > room:
            self.pdf.set_font(FONT, size=points * room / needed)
        self.pdf.set_xy(x + inset, y)
        self.pdf.c_margin = 0
        self.pdf.cell(room, height, shown, align=align)


def _columns(sheet: Sheet, filled: Score | None) -> list[list[str]]:
    """What stands in each player's column, from his name down to the total."""
    if filled is None:
        return []
    numbers = [{**player.rows, "total": player.total} for player in filled.players]
    return [
        [heading(player, filled), *(str(points[row]) for row in sheet.rows)]
        for player, points in zip(filled.players, numbers, strict=True)
    ]


def mark_bits(mark: int) -> Sequence[Sequence[bool]]:
    """The modules of a mark, border included: true is white."""
    import cv2

    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_1000)
    assert len(dictionary.bytesList) == MARK_IDS
    side = dictionary.markerSize + 2
    return [[bool(value) for value in row] for row in cv2.aruco.generateImageMarker(dictionary, mark, side)]
