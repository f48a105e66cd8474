"""Second look: one kingdom straightened by its rough lattice, every place of it judged at close range.

The straightened kingdom is 32 pixels a square, so a network that answers once for every place can say whether a
tile of this kingdom lies there and where exactly its corners are; the lattice is fitted anew to that, and the look
repeated until nothing changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.vision import models
from scorer.vision.lattice import fit_homography
from scorer.vision.rectify import Floats, Image, Matrix, Pyramid, places, project, side

SQUARE = 32
"""Pixels a square in the straightened picture."""
RING = 1
"""Places looked at around the kingdom on every side, to find what the first look missed."""
LARGEST = 11
"""No kingdom is wider than nine squares; a lattice that grows beyond this many is nonsense."""
ROUNDS = 4
LEAST_ROUNDS = 2
SURE = 0.5


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
    picture = view(pyramid, homography, rows, columns)
    batch = np.ascontiguousarray(picture.transpose(2, 0, 1)[None], np.float32)
    answer: Floats = models.load("straighten").run(None, {"image": batch})[0][0]
    tall, wide = answer.shape[1:]
    ideal = places(tall, wide) - RING
    corners = answer[2:].transpose(1, 2, 0).reshape(tall, wide, 2, 4, 2)
    sure = 1 / (1 + np.exp(-answer[:2]))
    middle = project(ideal.mean(2), homography)
    height, width = pyramid.image.shape[:2]
    in_photo = (middle >= 0).all(-1) & (middle[..., 0] < width) & (middle[..., 1] < height)
    return Look(
        sure[0] * in_photo,
        sure[1] * in_photo,
        (ideal + corners[:, :, 0]).astype(np.float32),
        (ideal + corners[:, :, 1]).astype(np.float32),
    )


def straighten(pyramid: Pyramid, homography: Matrix, rows: int, columns: int) -> Straightened | None:
    """Looks, fits and looks again; None when there is no kingdom after all."""
    for number in range(ROUNDS):
        looked = homography
        seen = look(pyramid, homography, rows, columns)
        mine = _largest_group(seen.tile > SURE)
        if not mine.any():
            return None
        at_rows, at_columns = np.nonzero(mine)
        top, left = int(at_rows.min()), int(at_columns.min())
        tall, wide = int(at_rows.max()) - top + 1, int(at_columns.max()) - left + 1
        if max(tall, wide) > LARGEST:
            return None
        shift = np.array([[1, 0, left - RING], [0, 1, top - RING], [0, 0, 1.0]])
        same = (tall, wide, top, left) == (rows, columns, RING, RING)
        better = _fitted(seen, mine, homography) @ shift
        if same and number + 1 >= LEAST_ROUNDS:
            break
        homography, rows, columns = better, tall, wide
    box = (slice(top, top + tall), slice(left, left + wide))
    quads = project(places(tall, wide), better)
    own = mine[box]
    quads[own] = project(seen.tile_corners[box][own], looked)
    tile = np.where(own, seen.tile[box], np.minimum(seen.tile[box], 1 - SURE)).astype(np.float32)
    return Straightened(better, tile, (seen.castle[box] * own).astype(np.float32), quads)


def _fitted(seen: Look, mine: NDArray[np.bool_], homography: Matrix) -> Matrix:
    """The homography moved so that the grid goes where the network sees the places of the tiles."""
    ideal = places(*mine.shape) - RING
    return fit_homography(ideal[mine].reshape(-1, 2), project(seen.place_corners[mine].reshape(-1, 2), homography))


def _largest_group(occupied: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of the places joined side by side, the largest group: what lies apart is another kingdom or a loose domino."""
    best = np.zeros_like(occupied)
    left = occupied.copy()
    while left.any():
        group = np.zeros_like(occupied)
        group[tuple(np.argwhere(left)[0])] = True
        while True:
            wider = group.copy()
            wider[1:] |= group[:-1]
            wider[:-1] |= group[1:]
            wider[:, 1:] |= group[:, :-1]
            wider[:, :-1] |= group[:, 1:]
            wider &= occupied
            if (wider == group).all():
                break
            group = wider
        left &= ~group
        if group.sum() > best.sum():
            best = group
    return best
