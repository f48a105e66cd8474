"""The chequered board that a lens is measured with, as a PDF to print."""

from __future__ import annotations

import cv2
import numpy as np
from fpdf import FPDF

from scorer.calibration.camera import MARK_SHARE, SQUARES, board
from scorer.pads.print import DATE, MARGIN, PAPERS


def board_pdf(paper: str = "a4") -> bytes:
    """The board as large as the paper allows; its size does not matter, only that it lies flat."""
    width, height = PAPERS[paper]
    columns, rows = SQUARES
    side = min((width - 2 * MARGIN) / columns, (height - 2 * MARGIN) / rows)
    left, top = (width - columns * side) / 2, (height - rows * side) / 2
    pdf = FPDF(unit="mm", format=(width, height))
    pdf.set_creation_date(DATE)
    pdf.set_auto_page_break(False)
    pdf.set_title("scorer calibrate camera")
    pdf.add_page()
    pdf.set_fill_color(0)
    chequered = board()
    dictionary = chequered.getDictionary()
    marks = iter(np.ravel(chequered.getIds()).tolist())
    modules = dictionary.markerSize + 2
    for row in range(rows):
        for column in range(columns):
            x, y = left + column * side, top + row * side
            if (row + column) % 2 == 0:
                pdf.rect(x, y, side, side, style="F")
                continue
            bits = cv2.aruco.generateImageMarker(dictionary, next(marks), modules)
            inset, module = side * (1 - MARK_SHARE) / 2, side * MARK_SHARE / modules
            for i, line in enumerate(bits):
                for start, end in _runs([not value for value in line]):
                    # A hair wider than it is, or viewers show seams between the lines.
                    at = x + inset + start * module, y + inset + i * module
                    pdf.rect(*at, (end - start) * module, module * 1.02, style="F")
    return bytes(pdf.output())


def _runs(black: list[bool]) -> list[tuple[int, int]]:
    """Where black begins and ends along a line."""
    edges = [i for i, (a, b) in enumerate(zip([False, *black], [*black, False], strict=True)) if a != b]
    return list(zip(edges[::2], edges[1::2], strict=True))
