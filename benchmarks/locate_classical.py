"""Locating without networks, as a yardstick: what differs from the table is a kingdom, its edges give the grid.

The table's colour is the median of the frame's border; what differs from it or is strongly coloured is foreground.
Each large blob is straightened by its outline (four corners where it has four, else the smallest rectangle around
it), the width of a square is the period of the edges' profile along each axis (autocorrelation), and a place holds
a tile where most of it is foreground.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figure, Form
from scorer.vision.locate import Lattice
from scorer.vision.rectify import clockwise, frame, places, project

LONG_SIDE = 800
LEAST_AREA = 0.01
STRAIGHT = 360
"""Side of the straightened blob in pixels."""
COUNTS = range(2, 10)


def locate_classically(image: NDArray[np.uint8]) -> list[Lattice]:
    """Kingdoms in a photo (H, W, 3) uint8 RGB."""
    scale = LONG_SIDE / max(image.shape[:2])
    small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    mask = foreground(small)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        if cv2.contourArea(contour) > LEAST_AREA * mask.size:
            lattice = _lattice_of(small, mask, contour, scale)
            if lattice is not None:
                found.append(lattice)
    return sorted(found, key=lambda one: -float((one.occupied > 0.5).sum()))


def foreground(small: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """255 where the picture differs from its border, in Lab; closed over gaps between dominoes."""
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.5), cv2.COLOR_RGB2LAB).astype(np.float32)
    edge = np.concatenate(
        [lab[:8].reshape(-1, 3), lab[-8:].reshape(-1, 3), lab[:, :8].reshape(-1, 3), lab[:, -8:].reshape(-1, 3)]
    )
    away = np.linalg.norm((lab - np.median(edge, axis=0)) * [0.5, 1, 1], axis=2)
    level, _ = cv2.threshold(away.clip(0, 255).astype(np.uint8), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    mask = ((away > max(12.0, 0.8 * level)) * 255).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8)), np.uint8)


def _lattice_of(
    small: NDArray[np.uint8], mask: NDArray[np.uint8], contour: NDArray[np.int32], scale: float
) -> Lattice | None:
    corners = _outline(contour)
    to_box = cv2.getPerspectiveTransform(corners, frame(STRAIGHT, STRAIGHT))
    flat = cv2.warpPerspective(small, to_box, (STRAIGHT, STRAIGHT))
    own = cv2.warpPerspective(mask, to_box, (STRAIGHT, STRAIGHT)) > 127
    grey = cv2.cvtColor(flat, cv2.COLOR_RGB2GRAY).astype(np.float32)
    columns = _count(np.abs(cv2.Sobel(grey, cv2.CV_32F, 1, 0)).mean(0))
    rows = _count(np.abs(cv2.Sobel(grey, cv2.CV_32F, 0, 1)).mean(1))
    if columns is None or rows is None:
        return None
    occupied = np.array(
        [
            [
                own[
                    r * STRAIGHT // rows : (r + 1) * STRAIGHT // rows,
                    c * STRAIGHT // columns : (c + 1) * STRAIGHT // columns,
                ].mean()
                for c in range(columns)
            ]
            for r in range(rows)
        ],
        np.float32,
    )
    if (occupied > 0.5).sum() < 4:
        return None
    to_photo = (
        np.diag([1 / scale, 1 / scale, 1.0])
        @ np.linalg.inv(to_box)
        @ np.diag([STRAIGHT / columns, STRAIGHT / rows, 1.0])
    )
    to_photo /= to_photo[2, 2]
    quads = project(places(rows, columns), to_photo)
    return Lattice(to_photo, rows, columns, project(frame(columns, rows), to_photo), quads, occupied, None, 1.0)


def _outline(contour: NDArray[np.int32]) -> NDArray[np.float32]:
    """Four corners (4, 2), the one nearest the top-left first, clockwise."""
    hull = cv2.convexHull(contour)
    four = cv2.approxPolyDP(hull, 0.06 * cv2.arcLength(hull, True), True)
    fits = len(four) == 4 and cv2.contourArea(four) > 0.85 * cv2.contourArea(hull)
    corners = four.reshape(4, 2).astype(np.float32) if fits else cv2.boxPoints(cv2.minAreaRect(contour))
    return clockwise(corners)


def _count(profile: NDArray[np.float32]) -> int | None:
    """How many squares fit: the number whose evenly spaced lines catch most of the edges."""
    smooth = cv2.GaussianBlur(profile.reshape(1, -1), (0, 0), 2).ravel()
    smooth = (smooth - smooth.mean()) / (smooth.std() + 1e-6)
    scores = {}
    for count in COUNTS:
        lines = np.linspace(0, len(smooth) - 1, count + 1)[1:-1]
        caught = np.mean([smooth[max(0, int(line) - 4) : int(line) + 5].max() for line in lines])
        between = lines[:-1] + np.diff(lines) / 2 if count > 2 else lines + len(smooth) / 4
        missed = np.mean([smooth[max(0, int(line) - 4) : int(line) + 5].max() for line in between])
        scores[count] = caught - missed
    best = max(scores, key=lambda count: scores[count])
    return best if scores[best] > 0.3 else None


SHARE = 0.1
"""Of the scenes that the networks are measured on: enough to place the method."""


def figures(form: Form) -> Iterator[Figure]:
    from benchmarks import locate

    parts = [part for part in locate.PARTS if part != "time"]
    yield from locate.figures(replace(form, share=SHARE * form.share), "classical", parts)
