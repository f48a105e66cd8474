"""Second look: one kingdom straightened by its rough lattice, every place of it judged at close range.

The straightened kingdom is 32 pixels a square, so a network that answers once for every place can say whether a
tile of this kingdom lies there and where exactly its corners are; the lattice is fitted anew to that, and the look
repeated until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision import models
from scorer.vision.lattice import LEAST_SQUARES, fit_homography
from scorer.vision.rectify import Floats, Image, Matrix, Pyramid, places, project, side

SQUARE = 32
"""Pixels a square in the straightened picture."""
RING = 1
"""Places looked at around the kingdom on every side, to find what the first look missed."""
LARGEST = 9
"""No kingdom is wider than nine squares."""
WIDEST_VIEW = 20
"""A lattice may hold several kingdoms, but one wider than this is a chequered cloth."""
ROUNDS = 3
SURE = 0.5
MIRRORS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
CORNERS_OF = {(1, 1): [0, 1, 2, 3], (1, -1): [1, 0, 3, 2], (-1, 1): [3, 2, 1, 0], (-1, -1): [2, 3, 0, 1]}
"""Which corner each corner of a mirrored square is."""


@dataclass(frozen=True)
class Look:
    """Answers for R x C places: tile and castle (R, C) in 0..1, tile_corners and place_corners (R, C, 4, 2) in the
    grid units of the homography looked through."""

    tile: Floats
    castle: Floats
    tile_corners: Floats
    place_corners: Floats


@dataclass(frozen=True)
class Straightened:
    """homography from grid units to photo pixels, its origin at the top-left occupied place's corner; tile and castle
    (rows, columns) in 0..1; quads (rows, columns, 4, 2) in photo pixels, where tiles really lie."""

    homography: Matrix
    tile: Floats
    castle: Floats
    quads: Floats


def view(pyramid: Pyramid, homography: Matrix, rows: int, columns: int) -> Image:
    """The straightened kingdom with its ring, ((rows + 2) * 32, (columns + 2) * 32, 3)."""
    to_grid = np.array([[1 / SQUARE, 0, -RING], [0, 1 / SQUARE, -RING], [0, 0, 1.0]])
    detail = side(homography, columns / 2, rows / 2) / SQUARE
    return pyramid.view(homography @ to_grid, (columns + 2 * RING) * SQUARE, (rows + 2 * RING) * SQUARE, detail)


def look(pyramid: Pyramid, homography: Matrix, rows: int, columns: int) -> Look:
    """Judges rows x columns places and the ring around them; the answer has the ring's places too."""
    answer = _answer(view(pyramid, homography, rows, columns))
    tall, wide = answer.shape[1:]
    ideal = places(tall, wide) - RING
    corners = answer[2:].transpose(1, 2, 0).reshape(tall, wide, 2, 4, 2)
    sure = np.exp(-np.logaddexp(0, -answer[:2]))
    middle = project(ideal.mean(2), homography)
    height, width = pyramid.image.shape[:2]
    in_photo = (middle >= 0).all(-1) & (middle[..., 0] < width) & (middle[..., 1] < height)
    return Look(
        sure[0] * in_photo,
        sure[1] * in_photo,
        (ideal + corners[:, :, 0]).astype(np.float32),
        (ideal + corners[:, :, 1]).astype(np.float32),
    )


def _answer(picture: Image) -> Floats:
    """The network's answer (18, R, C) for a picture, averaged over the picture and its mirror images.

    Its own mistakes differ from one to the other, so the mean is surer than each.
    """
    batch = np.empty((4, 3, *picture.shape[:2]), np.float32)
    for index, (flip_y, flip_x) in enumerate(MIRRORS):
        batch[index] = picture[::flip_y, ::flip_x].transpose(2, 0, 1)
    answers: Floats = models.load("straighten").run(None, {"image": batch})[0]
    total: Floats = np.zeros(answers.shape[1:], np.float32)
    for answer, (flip_y, flip_x) in zip(answers, MIRRORS, strict=True):
        back = answer[:, ::flip_y, ::flip_x]
        corners = back[2:].reshape(2, 4, 2, *back.shape[1:])[:, CORNERS_OF[flip_y, flip_x]]
        total[:2] += back[:2] / 4
        total[2:] += (corners * np.array([flip_x, flip_y], np.float32)[:, None, None]).reshape(16, *back.shape[1:]) / 4
    return total


def straighten(pyramid: Pyramid, homography: Matrix, rows: int, columns: int) -> list[Straightened]:
    """The kingdoms on a rough lattice: mostly one, none when there is no kingdom after all."""
    if max(rows, columns) > WIDEST_VIEW:
        return []
    seen = look(pyramid, homography, rows, columns)
    kingdoms = []
    for group in _groups(seen.tile > SURE):
        if group.sum() >= LEAST_SQUARES:
            moved, (tall, wide) = _fitted(seen, group, homography), _box(group)[2:]
            kingdom = _settle(pyramid, moved, tall, wide)
            if kingdom is not None:
                kingdoms.append(kingdom)
    return kingdoms


def _settle(pyramid: Pyramid, homography: Matrix, rows: int, columns: int) -> Straightened | None:
    """Looks and fits until the kingdom stays the same."""
    for _ in range(ROUNDS):
        seen = look(pyramid, homography, rows, columns)
        groups = _groups(seen.tile > SURE)
        if not groups:
            return None
        mine = max(groups, key=lambda group: int(group.sum()))
        top, left, tall, wide = _box(mine)
        looked, better = homography, _fitted(seen, mine, homography)
        if (top, left, tall, wide) == (RING, RING, rows, columns):
            break
        if max(tall, wide) > WIDEST_VIEW:
            return None
        homography, rows, columns = better, tall, wide
    if max(tall, wide) > LARGEST:
        return None
    box = (slice(top, top + tall), slice(left, left + wide))
    own = mine[box]
    quads = project(places(tall, wide), better)
    quads[own] = project(seen.tile_corners[box][own], looked)
    tile = np.where(own, seen.tile[box], np.minimum(seen.tile[box], 1 - SURE)).astype(np.float32)
    return Straightened(better, tile, (seen.castle[box] * own).astype(np.float32), quads)


def _fitted(seen: Look, mine: NDArray[np.bool_], homography: Matrix) -> Matrix:
    """The homography moved to where the network sees the places of the tiles, its origin at their bounding box."""
    ideal = places(*mine.shape) - RING
    seen_at = project(seen.place_corners[mine].reshape(-1, 2), homography)
    top, left, _, _ = _box(mine)
    shift = np.array([[1, 0, left - RING], [0, 1, top - RING], [0, 0, 1.0]])
    return np.asarray(fit_homography(ideal[mine].reshape(-1, 2), seen_at) @ shift)


def _box(group: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """Top, left, rows and columns of the bounding box."""
    rows, columns = np.nonzero(group)
    top, left = int(rows.min()), int(columns.min())
    return top, left, int(rows.max()) - top + 1, int(columns.max()) - left + 1


def _groups(occupied: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """The groups of places joined side by side: what lies apart is another kingdom or a loose domino."""
    count, labels = cv2.connectedComponents(occupied.astype(np.uint8), connectivity=4)
    return [labels == number for number in range(1, count)]
