"""Straight views of what lies crooked in a photo.

Points are (x, y) in photo pixels, whole numbers at the middle of a pixel; grid points are (column, row), whole
numbers at the corners of places.  A homography is a 3x3 float64 array.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.quality import calmed

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
Matrix = NDArray[np.float64]

UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)
"""Corners of a square: top-left, top-right, bottom-right, bottom-left."""


def frame(width: float, height: float) -> Floats:
    """The corners (4, 2) of an upright rectangle at the origin, in the order of UNIT."""
    return np.asarray(UNIT * (width, height), np.float32)


def clockwise(corners: Floats) -> Floats:
    """Four corners (4, 2) in the order of UNIT, the one nearest to the top left first."""
    away = corners - corners.mean(axis=0)
    ordered = corners[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    return np.roll(ordered, -int(ordered.sum(axis=1).argmin()), axis=0)


def whole_factor(detail: float) -> int:
    """The largest power of two, from 1, that is not above `detail`."""
    factor = 1
    while factor * 2 <= detail:
        factor *= 2
    return factor


def project(points: NDArray[np.floating], homography: Matrix) -> Floats:
    """points (..., 2) through a homography, float32 of the same shape."""
    flat = np.asarray(points, np.float64).reshape(-1, 2)
    moved = flat @ homography[:, :2].T + homography[:, 2]
    moved = moved[:, :2] / moved[:, 2:]
    return moved.reshape(points.shape).astype(np.float32)


def places(rows: int, columns: int) -> Matrix:
    """The corners of all places of a grid, (rows, columns, 4, 2), in grid units."""
    at = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1)
    return at[:, :, None] + UNIT


@dataclass(frozen=True)
class Pyramid:
    """A photo at its own size, smoothed if it is noisy, and averaged down by whole factors, made when first asked for.

    Sampling a photo far below its resolution would pick single pixels and flicker; averaging first avoids it.
    """

    image: Image
    levels: dict[int, Image]

    @classmethod
    def of(cls, image: Image | Pyramid) -> Pyramid:
        return image if isinstance(image, Pyramid) else cls(image, {1: calmed(image)})

    def level(self, factor: int) -> Image:
        """The photo averaged down ``factor`` times along each side, factor a power of two."""
        if factor not in self.levels:
            # Halves of halves: OpenCV is fastest at that, and what is asked for next is mostly there already.
            image = self.level(factor // 2)
            height, width = image.shape[:2]
            even = image[: height - height % 2 or None, : width - width % 2 or None]
            size = (max(1, width // 2), max(1, height // 2))
            self.levels[factor] = np.asarray(cv2.resize(even, size, interpolation=cv2.INTER_AREA), np.uint8)
        return self.levels[factor]

    def view(self, homography: Matrix, width: int, height: int, detail: float) -> Image:
        """The straight picture (height, width, 3) whose pixel edges ``homography`` maps to photo pixels.

        ``detail``: photo pixels for one pixel of the picture, which chooses the level to sample.
        """
        factor = whole_factor(detail)
        source = self.level(factor)
        to_level = np.array([[1 / factor, 0, 0.5 / factor - 0.5], [0, 1 / factor, 0.5 / factor - 0.5], [0, 0, 1]])
        middle_of_pixel = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1.0]])
        matrix = to_level @ homography @ middle_of_pixel
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpPerspective(source, matrix, (width, height), flags=flags), np.uint8)


def side(homography: Matrix, column: float, row: float) -> float:
    """The width in pixels of a square of the grid around a point of it."""
    corner = project(np.array([[column, row], [column + 0.5, row], [column, row + 0.5]]), homography)
    (ax, ay), (bx, by) = 2 * (corner[1] - corner[0]), 2 * (corner[2] - corner[0])
    return math.sqrt(abs(float(ax * by - ay * bx)))


def quad_views(pyramid: Pyramid, quads: Floats, size: int, margin: float) -> Image:
    """Straight pictures of quads (N, 4, 2), each with ``margin`` of its side around it: (N, size, size, 3) uint8.

    All are sampled in one call; what lies outside the photo is black.
    """
    count = len(quads)
    edge = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=-1)
    detail = float(np.median(edge)) * (1 + 2 * margin) / size if count else 1.0
    factor = whole_factor(detail)
    source = pyramid.level(factor)
    along = ((np.arange(size) + 0.5) / size * (1 + 2 * margin) - margin).astype(np.float32)
    x, y = np.meshgrid(along, along)
    maps = np.empty((2, count, size, size), np.float32)
    for index, quad in enumerate(quads):
        matrix = cv2.getPerspectiveTransform(UNIT.astype(np.float32), quad.astype(np.float32))
        w = matrix[2, 0] * x + matrix[2, 1] * y + 1
        maps[0, index] = (matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2]) / w
        maps[1, index] = (matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2]) / w
    maps = ((maps + 0.5) / factor - 0.5).astype(np.float32)
    # OpenCV's remap takes no picture above 32767 pixels high: a hundred crops at a time stay below.
    crops = np.empty((count, size, size, 3), np.uint8)
    for begin in range(0, count, 128):
        across, down = maps[:, begin : begin + 128].reshape(2, -1, size)
        part = cv2.remap(source, across, down, cv2.INTER_LINEAR)
        crops[begin : begin + 128] = part.reshape(-1, size, size, 3)
    return crops
