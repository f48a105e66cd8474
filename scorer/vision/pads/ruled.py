"""Any ruled sheet laid out as the book's pad, found by its lines: labels on the left, a column for each player."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.pads.cells import Quads, ink
from scorer.vision.pads.lines import DARK, ROW, crossings, pieces
from scorer.vision.rectify import Floats, Image, clockwise, frame, project

LONGEST = 1000
"""Lines are looked for in a photo of this size; a row is then some fifty pixels high."""
SMALLEST = 0.06
"""Share of the photo that a table covers at least."""
CANDIDATES = 3
REACH = 5
"""Pixels that a line may be off, because paper bends."""
INSIDE = 0.25
"""Rows from its edges that the inside of a cell begins: further than a bent line comes."""
WHOLE = 0.7
"""Share of a line that must be seen."""
LINES = range(14, 19)
"""Horizontal bands: 13 to 16 rows and the total, with or without a line for names."""
COLUMNS = range(2, 8)
"""Vertical bands: the labels and 1 to 6 players."""


@dataclass(frozen=True)
class Ruled:
    """A ruled table in a photo: corners of all its cells, and how much is written in each, 0..1.

    quads: (bands, bands, 4, 2) with the labels' column first; written: float32 (bands, bands).
    """

    quads: Quads
    written: Floats
    drawn: float
    """How much of its lines was seen, 0..1."""
    sideways: bool = False

    def turned(self) -> Ruled:
        """The same table, read upside down."""
        quads = np.ascontiguousarray(self.quads[::-1, ::-1, [2, 3, 0, 1]])
        return replace(self, quads=quads, written=self.written[::-1, ::-1])


def find_table(image: Image) -> Ruled | None:
    """The largest ruled table of an RGB photo that may be a pad."""
    factor = min(1.0, LONGEST / max(image.shape))
    small = np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)
    dark = ink(small)
    mask = (dark > DARK).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    area = stats[1:, cv2.CC_STAT_WIDTH] * stats[1:, cv2.CC_STAT_HEIGHT]
    tables = []
    for label in (1 + np.argsort(-area))[: min(CANDIDATES, count - 1)]:
        if area[label - 1] >= SMALLEST * mask.size:
            component = labels == label
            outline = _outline(component)
            table = None if outline is None else _table(np.where(component, dark, 0), dark, outline)
            tables += [] if table is None else [table]
    if not tables:
        return None
    best = max(tables, key=lambda table: table.drawn)
    return replace(best, quads=((best.quads + 0.5) / factor - 0.5).astype(np.float32))


def _outline(component: NDArray[np.bool_]) -> Floats | None:
    """The four corners of a component, the one nearest to the top left first, clockwise."""
    points = cv2.findNonZero(component.astype(np.uint8))
    hull = cv2.convexHull(points)
    length = cv2.arcLength(hull, True)
    for tolerance in np.linspace(0.01, 0.08, 15):
        quad = cv2.approxPolyDP(hull, tolerance * length, True)
        if len(quad) == 4:
            return clockwise(quad.reshape(4, 2).astype(np.float32))
        if len(quad) < 4:
            break
    return None


def _table(component: Floats, dark: Floats, outline: Floats) -> Ruled | None:
    """The table that the lines of a component make; what is written in it is in `dark`."""
    wide = float(np.linalg.norm(outline[1] - outline[0]) + np.linalg.norm(outline[2] - outline[3]))
    high = float(np.linalg.norm(outline[3] - outline[0]) + np.linalg.norm(outline[2] - outline[1]))
    height = ROW * 16
    width = int(np.clip(height * wide / max(high, 1.0), 4 * ROW, 60 * ROW))
    edge = ROW // 2
    homography = np.asarray(cv2.getPerspectiveTransform(outline, frame(width, height) + edge), np.float64)
    size = width + 2 * edge, height + 2 * edge
    lines, straight = (
        np.asarray(cv2.warpPerspective(part, homography, size), np.float32) for part in (component, dark)
    )
    mask = (lines > DARK).astype(np.uint8)
    across, down = pieces(mask)
    ys, rows_drawn = _lines(across[:, edge : edge + width], axis=0)
    xs, columns_drawn = _lines(down[edge : edge + height], axis=1)
    bands = len(ys) - 1, len(xs) - 1
    drawn = min(rows_drawn, columns_drawn)
    if bands[0] in COLUMNS and bands[1] in LINES:
        return Ruled(np.zeros((*bands, 4, 2), np.float32), np.zeros(bands, np.float32), drawn, sideways=True)
    if bands[0] not in LINES or bands[1] not in COLUMNS:
        return None
    points = crossings(across, down, xs, ys, REACH)
    written = np.array(
        [[_written(straight, points[i, j], points[i + 1, j + 1]) for j in range(bands[1])] for i in range(bands[0])],
        np.float32,
    )
    seen = project(points, np.asarray(np.linalg.inv(homography), np.float64))
    corners = np.stack([seen[:-1, :-1], seen[:-1, 1:], seen[1:, 1:], seen[1:, :-1]], axis=2)
    return Ruled(corners, written, drawn)


def _lines(seen: NDArray[np.uint8], axis: int) -> tuple[list[int], float]:
    """Where lines run through the whole table, by row (axis 0) or column (axis 1); how much of them is seen."""
    reach = (2 * REACH + 1, 1) if axis == 0 else (1, 2 * REACH + 1)
    share = np.asarray(cv2.dilate(seen, np.ones(reach, np.uint8)), np.float32).mean(axis=1 - axis)
    exact = np.convolve(seen.mean(axis=1 - axis), np.ones(2 * REACH + 1), "same")
    found = []
    places = np.flatnonzero(share >= WHOLE)
    for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
        if len(run):
            found.append(int(run[exact[run] >= exact[run].max() * 0.999].mean().round()))
    return found, float(share[found].mean()) if found else 0.0


def _written(straight: Floats, low: Floats, high: Floats) -> float:
    """How much of the inside of a cell is ink."""
    left, top = np.ceil(low + INSIDE * ROW).astype(int)
    right, bottom = np.floor(high - INSIDE * ROW).astype(int)
    inside = straight[top:bottom, left:right]
    return float((inside > DARK).mean()) if inside.size else 0.0
