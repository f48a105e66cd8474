"""Photos of pads for the tests: printed or ruled, written on with OpenCV's strokes, laid crooked on a grey table."""

from __future__ import annotations

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray

from scorer.pads.print import arrange, pad_pdf
from scorer.pads.sheet import Sheet
from scorer.texts import translator

Image = NDArray[np.uint8]
ROW = 60
"""Pixels of a row."""
INK = (40, 40, 110)


def printed(sheet: Sheet, columns: list[list[str]], per_sheet: int = 1) -> Image:
    """The page of a printed pad; `columns` is what stands in them from the first row to the total."""
    _, places = arrange(sheet, "a4", per_sheet)
    page = pypdfium2.PdfDocument(pad_pdf(sheet, translator("en"), per_sheet=per_sheet))[0]
    pixels = ROW / places[0].row
    image = np.ascontiguousarray(page.render(scale=pixels * 25.4 / 72).to_numpy()[..., :3])
    for c, column in enumerate(columns):
        for line, text in enumerate(column):
            left, top, right, bottom = (side * ROW for side in sheet.box(line + 1, c + 1))
            x, y = places[0].x * pixels, places[0].y * pixels
            write(image, text, (left + right) / 2 + x, (top + bottom) / 2 + y)
    return image


def ruled(columns: list[list[str]], header: bool = False, labels: bool = True) -> Image:
    """A sheet with lines only: labels on the left, a column for each player."""
    lines = len(columns[0]) + header
    xs = [ROW * (1 + x) for x in (0, 3, *(3 + 2 * (i + 1) for i in range(len(columns))))]
    ys = [ROW * (1 + y) for y in range(lines + 1)]
    image = np.full((ys[-1] + ROW, xs[-1] + ROW, 3), 245, np.uint8)
    for y in ys:
        cv2.line(image, (xs[0], y), (xs[-1], y), (60, 60, 60), 3, cv2.LINE_AA)
    for x in xs:
        cv2.line(image, (x, ys[0]), (x, ys[-1]), (60, 60, 60), 3, cv2.LINE_AA)
    for line in range(header, lines):
        if labels:
            cv2.putText(image, "label", (xs[0] + 12, ys[line] + 40), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (0, 0, 0), 2)
        for c, column in enumerate(columns):
            write(image, column[line - header], (xs[c + 1] + xs[c + 2]) / 2, ys[line] + ROW / 2)
    return image


def write(image: Image, text: str, x: float, y: float) -> None:
    """A number around a point."""
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.4, 4)
    at = (round(x - width / 2), round(y + height / 2))
    cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 1.4, INK, 4, cv2.LINE_AA)


def photo(paper: Image, turn: float = 3.0, lean: float = 0.06) -> Image:
    """The paper seen at an angle; `turn` in degrees."""
    rows, columns = paper.shape[:2]
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float64)
    angle = np.radians(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    seen = (corners - corners.mean(axis=0)) @ spin.T * np.array([[1 - lean], [1], [1 + lean], [1]])
    seen -= seen.min(axis=0) - 40
    size = tuple(int(v) for v in seen.max(axis=0) + 40)
    homography = cv2.getPerspectiveTransform(corners.astype(np.float32), seen.astype(np.float32))
    return np.asarray(cv2.warpPerspective(paper, homography, size, borderValue=(120, 110, 100)), np.uint8)


def jpeg(image: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes())
