"""Our own printed pad, found by the marks in its corners: they say what it is and where every cell lies."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scorer.pads.sheet import CORNERS, Box, Sheet
from scorer.vision.pads.cells import Quads, ink
from scorer.vision.pads.lines import DARK, ROW, crossings, pieces
from scorer.vision.rectify import Floats, Image, Matrix, project

LONGEST = 1300
"""Marks are first looked for in a photo of this size, which takes a third of the time; then in all of it."""
MAX_OF_A_CORNER = 4
"""Marks of one corner that are tried: as many pads are printed on a sheet at most."""
CAREFUL, BOLD = 0.6, 1.0
"""Share of the bits that the dictionary can correct which are corrected."""
EDGE = ROW
"""Pixels around the straightened pad."""
BENT = 12
"""Pixels of a straightened pad that bent paper moves its lines at most."""
CROOKED = 0.12
"""Rows that a mark may be off its place: more than paper bends, less than the next pad is away."""


@dataclass(frozen=True)
class Marked:
    """A pad in a photo; `homography` takes the plan of the sheet there, `size` is its area in pixels."""

    sheet: Sheet
    homography: Matrix
    size: float

    def cells(self, image: Image) -> Quads:
        """The cells for numbers, moved to where their lines are seen: paper bends between its marks."""
        xs = sorted({x for column in range(1, self.sheet.columns + 1) for x in self.sheet.box(1, column)[::2]})
        ys = [self.sheet.box(line, 0)[3] for line in range(len(self.sheet.rows) + 1)]
        plan = np.array([[ROW, 0, EDGE], [0, ROW, EDGE], [0, 0, 1]], np.float64)
        height, width = image.shape[:2]
        factor = min(1.0, ROW / float(np.sqrt(self.size / (self.sheet.width * self.sheet.height))))
        small = cv2.resize(image, (round(width * factor), round(height * factor)), interpolation=cv2.INTER_AREA)
        shrink = np.array([[factor, 0, factor / 2 - 0.5], [0, factor, factor / 2 - 0.5], [0, 0, 1]])
        straighten = plan @ np.linalg.inv(shrink @ self.homography)
        size = round(self.sheet.width * ROW) + 2 * EDGE, round(self.sheet.height * ROW) + 2 * EDGE
        straight = cv2.warpPerspective(ink(np.asarray(small, np.uint8)), straighten, size)
        across, down = pieces((straight > DARK).astype(np.uint8))
        points = crossings(across, down, [x * ROW + EDGE for x in xs], [y * ROW + EDGE for y in ys], BENT)
        seen = project((points - EDGE) / ROW, self.homography)
        left = [xs.index(self.sheet.box(1, column)[0]) for column in range(1, self.sheet.columns + 1)]
        right = [i + 1 for i in left]
        corners = [seen[:-1, left], seen[:-1, right], seen[1:, right], seen[1:, left]]
        return np.stack(corners, axis=2)


@dataclass(frozen=True)
class Marks:
    """Whole pads, the largest first, and how many marks there are that belong to none."""

    pads: tuple[Marked, ...]
    spare: int


def find_marks(image: Image) -> Marks:
    """The pads whose four marks are seen in an RGB photo."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    factor = LONGEST / max(grey.shape)
    if factor < 1:
        small = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        found = _pads(_detected(np.asarray(small, np.uint8), grey.shape, CAREFUL))
        if found.pads or not found.spare:
            return found
    found = _pads(_detected(np.asarray(grey, np.uint8), grey.shape, CAREFUL))
    if found.pads or not found.spare:
        return found
    # In a blurred photo more must be guessed; what the four marks spell together tells a wrong guess.
    return replace(found, pads=_pads(_detected(np.asarray(grey, np.uint8), grey.shape, BOLD)).pads)


@functools.cache
def _detector(correction: float) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    parameters.errorCorrectionRate = correction
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_1000), parameters)


def _detected(grey: Image, whole: tuple[int, ...], correction: float) -> list[tuple[int, Floats]]:
    """Marks with their corners (4, 2) in pixels of the whole photo."""
    corners, ids, _ = _detector(correction).detectMarkers(grey)
    ratio = np.array([whole[1] / grey.shape[1], whole[0] / grey.shape[0]])
    if ids is None:
        return []
    return [
        (int(mark), ((quad.reshape(4, 2) + 0.5) * ratio - 0.5).astype(np.float32))
        for mark, quad in zip(ids.ravel(), corners, strict=True)
    ]


def _pads(marks: list[tuple[int, Floats]]) -> Marks:
    by_corner = [[mark for mark in marks if mark[0] % len(CORNERS) == i][:MAX_OF_A_CORNER] for i in range(len(CORNERS))]
    pads: list[Marked] = []
    for four in itertools.product(*by_corner):
        sheet = Sheet.of_marks(tuple(mark for mark, _ in four))
        homography = None if sheet is None else _fit(sheet, np.stack([quad for _, quad in four]))
        if sheet is not None and homography is not None:
            outline = project(np.array(_corners((0, 0, sheet.width, sheet.height)), np.float32), homography)
            pads.append(Marked(sheet, homography, float(abs(cv2.contourArea(outline)))))
    return Marks(tuple(sorted(pads, key=lambda pad: -pad.size)), len(marks) - len(CORNERS) * len(pads))


def _corners(box: Box) -> list[tuple[float, float]]:
    left, top, right, bottom = box
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _fit(sheet: Sheet, seen: Floats) -> Matrix | None:
    """From the plan of the pad to the photo, if the marks seen (4, 4, 2) stand as they should."""
    planned = np.array([_corners(box) for box in sheet.mark_boxes()], np.float32)
    homography, _ = cv2.findHomography(planned.reshape(-1, 2), seen.reshape(-1, 2))
    if homography is None:
        return None
    back, _ = cv2.findHomography(seen.reshape(-1, 2), planned.reshape(-1, 2))
    if back is None or np.abs(project(seen, np.asarray(back)) - planned).max() > CROOKED:
        return None
    return np.asarray(homography)
