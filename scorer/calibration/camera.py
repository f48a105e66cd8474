"""Lens distortion, measured with a printed chequered board, taken out of photos of the same camera.

The lens is taken to be round and centred: phones turn their photos, and nothing else of a lens survives that. Two
terms are enough for their lenses (Brown, "Close-range camera calibration", 1971).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.errors import UnreadableInput
from scorer.vision.load import Photo
from scorer.vision.rectify import Floats, Image

SQUARES = (6, 9)
"""Columns and rows of the board: upright paper filled."""
MARK_SHARE = 0.75
"""Side of a mark in its square."""
DICTIONARY = cv2.aruco.DICT_4X4_100
LEAST_PHOTOS = 3
LEAST_CORNERS = 12
"""Of the forty inner corners of a board: fewer say little about a lens."""
MOST_OFF = 3.0
"""Root mean square, in pixels of a photo of 2400: more means that the board was bent or the photos blurred."""
COARSE = 32
"""Distortion is smooth: worked out for one pixel in so many, along each side, and interpolated."""


@dataclass(frozen=True)
class Lens:
    """focal: in longest sides of the photo; k1, k2: radial distortion; plain, error: root mean square distance of the
    board's corners from where a straight and this lens put them, in thousandths of the longest side."""

    focal: float
    k1: float
    k2: float
    plain: float
    error: float

    def __post_init__(self) -> None:
        if not (0.3 <= self.focal <= 20 and abs(self.k1) <= 2 and abs(self.k2) <= 10):
            raise ValueError("no camera has such a lens")

    @property
    def helps(self) -> bool:
        return self.error < self.plain

    def matrices(self, width: int, height: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Camera matrix and coefficients for a picture of a size, as OpenCV takes them."""
        side = self.focal * max(width, height)
        matrix = np.array([[side, 0, (width - 1) / 2], [0, side, (height - 1) / 2], [0, 0, 1]])
        return matrix, np.array([self.k1, self.k2, 0, 0])


@dataclass(frozen=True, eq=False)
class Straightened(Photo):
    """A photo without the distortion of its lens. Its points are those of the photo as it was taken."""

    lens: Lens | None = None

    def to_photo(self, points: NDArray[np.floating]) -> NDArray[np.float64]:
        assert self.lens
        matrix, terms = self.lens.matrices(*self.image.shape[1::-1])
        flat = np.asarray(points, np.float64).reshape(-1, 2)
        rays = np.c_[(flat - matrix[:2, 2]) / matrix[0, 0], np.ones(len(flat))]
        bent = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), matrix, terms)[0]
        return super().to_photo(np.asarray(bent, np.float64).reshape(np.shape(points)))

    def from_photo(self, points: NDArray[np.floating]) -> NDArray[np.float32]:
        assert self.lens
        matrix, terms = self.lens.matrices(*self.image.shape[1::-1])
        bent = np.asarray(super().from_photo(points), np.float64)
        return np.asarray(cv2.undistortPoints(bent.reshape(-1, 1, 2), matrix, terms, P=matrix), np.float32).reshape(
            bent.shape
        )


def straighten(photo: Photo, lens: Lens) -> Photo:
    """The photo as a lens without distortion would have taken it.

    Every pixel is one of the photo: distortion is so smooth that neighbours stay neighbours, but for a step of one
    pixel now and then, and mixing them would take twice the time.
    """
    height, width = photo.image.shape[:2]
    across_down, nothing = _map(width, height, lens), np.empty(0, np.uint16)
    image = cv2.remap(photo.image, across_down, nothing, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return Straightened(
        np.asarray(image, np.uint8), photo.width, photo.height, photo.scale, photo.kind, photo.notes, photo.camera, lens
    )


@lru_cache(maxsize=2)
def _map(width: int, height: int, lens: Lens) -> NDArray[np.int16]:
    """Which pixel each one of the straightened picture is, (height, width, 2)."""
    matrix, terms = lens.matrices(width, height)
    columns, rows = -(-width // COARSE) + 1, -(-height // COARSE) + 1
    x, y = np.meshgrid(np.arange(columns) * COARSE, np.arange(rows) * COARSE)
    rays = np.stack([(x - matrix[0, 2]) / matrix[0, 0], (y - matrix[1, 2]) / matrix[0, 0], np.ones(x.shape)], -1)
    bent = cv2.projectPoints(rays.reshape(-1, 3), np.zeros(3), np.zeros(3), matrix, terms)[0]
    coarse = bent.reshape(rows, columns, 2).astype(np.float32)
    grow = np.array([[COARSE, 0, 0], [0, COARSE, 0]], np.float32)
    maps = cv2.warpAffine(coarse, grow, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.round(maps), np.int16)


def board() -> cv2.aruco.CharucoBoard:
    return cv2.aruco.CharucoBoard(SQUARES, 1.0, MARK_SHARE, cv2.aruco.getPredefinedDictionary(DICTIONARY))


def corners_of(image: Image) -> tuple[Floats, Floats]:
    """The board's inner corners in a picture: on the board (N, 2), in squares, and in the picture (N, 2), in pixels."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    chequered = board()
    found, ids, _, _ = cv2.aruco.CharucoDetector(chequered).detectBoard(grey)
    if ids is None or len(ids) < LEAST_CORNERS:
        return np.empty((0, 2), np.float32), np.empty((0, 2), np.float32)
    known = np.asarray(chequered.getChessboardCorners(), np.float32)[np.ravel(ids)][:, :2]
    return known, np.asarray(found, np.float32).reshape(-1, 2)


def measure(photos: Sequence[Photo], name: str) -> Lens:
    """The lens of the camera that took photos of the board; raises UnreadableInput where they do not tell."""
    views = [(known, seen, photo) for photo in photos for known, seen in [corners_of(photo.image)] if len(known)]
    if len(views) < LEAST_PHOTOS:
        raise UnreadableInput(
            f"{name}: the board was seen in {len(views)} photos, and {LEAST_PHOTOS} are needed. "
            "Photograph it flat, from different sides, up to the edges of the picture."
        )
    side = max(views[0][2].image.shape[:2])
    known = [np.c_[on_board, np.zeros(len(on_board))].astype(np.float32) for on_board, _, _ in views]
    seen = []
    for _, corners, photo in views:
        height, width = photo.image.shape[:2]
        scale = side / max(width, height)
        # Centred, turned photos are alike: the middle of all is that of a square of the longest side.
        seen.append(((corners - [(width - 1) / 2, (height - 1) / 2]) * scale + (side - 1) / 2).astype(np.float32))
    start = np.array([[side, 0, (side - 1) / 2], [0, side, (side - 1) / 2], [0, 0, 1]], np.float64)
    fixed = (
        cv2.CALIB_USE_INTRINSIC_GUESS
        | cv2.CALIB_FIX_PRINCIPAL_POINT
        | cv2.CALIB_FIX_ASPECT_RATIO
        | cv2.CALIB_ZERO_TANGENT_DIST
        | cv2.CALIB_FIX_K3
    )
    flat = fixed | cv2.CALIB_FIX_K1 | cv2.CALIB_FIX_K2
    plain, *_ = cv2.calibrateCamera(known, seen, (side, side), start.copy(), np.zeros(5), flags=flat)
    error, matrix, terms, *_ = cv2.calibrateCamera(known, seen, (side, side), start.copy(), np.zeros(5), flags=fixed)
    terms = np.ravel(terms)
    try:
        lens = Lens(
            round(float(matrix[0, 0]) / side, 5),
            round(float(terms[0]), 5),
            round(float(terms[1]), 5),
            round(1000 * plain / side, 4),
            round(1000 * error / side, 4),
        )
    except ValueError:
        lens = None
    if lens is None or error > MOST_OFF * side / 2400:
        raise UnreadableInput(f"{name}: the board's corners do not fit any lens. Lay it flat and take sharp photos.")
    return lens
