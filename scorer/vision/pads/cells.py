"""Cells of a photographed sheet: ink told from paper, whatever the light, and every cell cut out straight."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.rectify import Floats, Image, frame

HEIGHT, WIDTH = 32, 64
"""What the network sees of a cell, in pixels."""
OUTSET = 0.08
"""Cells are cut this much larger on every side, in heights: people write over the lines."""
ROW = 40.0
"""Pixels a row is reduced to before its ink is looked for; a pen is then some three pixels wide."""
PAPER = 4
"""The paper's colour is estimated at this fraction of the size..."""
PAPER_REACH = 7
"""...as the brightest within so many pixels: wider than pens and lines, narrower than shadows."""
FAINT = 0.04
"""Paper is never even: darker by less than this share is not ink."""

Quads = Floats
"""(lines, columns, 4, 2): corners of every cell in pixels, top left, top right, bottom right, bottom left."""


def ink(image: Image) -> Floats:
    """How much darker than the paper around it every pixel is, in any colour: float32 (rows, columns), 0..1."""
    rows, columns = image.shape[:2]
    small = cv2.resize(image, (max(1, columns // PAPER), max(1, rows // PAPER)), interpolation=cv2.INTER_AREA)
    paper = cv2.dilate(small, np.ones((PAPER_REACH, PAPER_REACH), np.uint8))
    paper = cv2.erode(paper, np.ones((PAPER_REACH, PAPER_REACH), np.uint8))
    paper = cv2.GaussianBlur(paper, (0, 0), PAPER_REACH / 2)
    bright = cv2.resize(paper, (columns, rows), interpolation=cv2.INTER_LINEAR)
    share = cv2.divide(image, np.maximum(bright, 1), scale=255.0)
    return np.asarray(np.clip(1 - FAINT - share.min(axis=2).astype(np.float32) / 255.0, 0, 1))


def cut(image: Image, quads: Quads) -> NDArray[np.uint8]:
    """The ink of every cell as the network sees it, uint8 (lines, columns, HEIGHT, WIDTH), 255 black."""
    lines, columns = quads.shape[:2]
    sides = np.linalg.norm(quads[:, :, 3] - quads[:, :, 0], axis=-1)
    low = np.maximum(np.floor(quads.reshape(-1, 2).min(axis=0) - sides.max()), 0).astype(int)
    high = np.ceil(quads.reshape(-1, 2).max(axis=0) + sides.max()).astype(int)
    part = image[low[1] : high[1] + 1, low[0] : high[0] + 1]
    factor = min(1.0, ROW / float(np.median(sides)))
    size = max(1, round(part.shape[1] * factor)), max(1, round(part.shape[0] * factor))
    seen = ink(np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8))
    inside = ((quads - low + 0.5) * (np.array(size) / part.shape[1::-1]) - 0.5).astype(np.float32)
    cells = np.zeros((lines, columns, HEIGHT, WIDTH), np.uint8)
    for line in range(lines):
        for column in range(columns):
            cells[line, column] = _cell(seen, inside[line, column])
    return cells


def _cell(seen: Floats, quad: Floats) -> NDArray[np.uint8]:
    """One cell at its own proportions: narrow ones between white, of wide ones the window with the most ink."""
    wide = np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])
    high = np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])
    inner = HEIGHT / (1 + 2 * OUTSET)
    margin = OUTSET * inner
    right, bottom = inner * float(wide) / max(float(high), 1e-6), inner
    target = frame(right, bottom) + np.float32(margin - 0.5)
    width = min(round(right + 2 * margin), 8 * WIDTH)
    straight = cv2.warpPerspective(seen, cv2.getPerspectiveTransform(quad, target), (max(width, 1), HEIGHT))
    if width < WIDTH:
        left = (WIDTH - width) // 2
        straight = cv2.copyMakeBorder(straight, 0, 0, left, WIDTH - width - left, cv2.BORDER_CONSTANT, value=0.0)
    elif width > WIDTH:
        # The lines at both ends are no writing.
        columns = straight.sum(axis=0)
        columns[: round(3 * margin)] = columns[width - round(3 * margin) :] = 0
        weight = np.convolve(columns, np.ones(WIDTH), "valid")
        best = np.flatnonzero(weight >= weight.max() - 1e-3)
        start = int(best[len(best) // 2])
        straight = straight[:, start : start + WIDTH]
    return np.asarray(np.clip(255 * straight, 0, 255), np.uint8)
