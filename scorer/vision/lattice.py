"""From single squares to lattices: which squares are neighbours, and the one grid they all lie on."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.rectify import Matrix, project
from scorer.vision.spot import Squares

REACH = 0.38
"""How far, in squares, a neighbour may lie from where it is expected: dominoes lie crookedly and with gaps."""
SIDE_RATIO = 1.5
"""Neighbouring squares may differ in width by this factor (perspective, and the network's error)."""
PLANE_RATIO = 1.3
"""Squares on the plane of a kingdom may differ from its own in width by this factor."""
TURN = 0.42
"""Neighbouring squares may be turned against each other by this angle (radians) at most."""
STRAY = 0.25
"""How far, in squares, a square may lie from where the lattice grown so far expects it: one that lies further belongs
to another kingdom that touches this one."""
ENOUGH = 4
"""So many squares give a first idea of the lattice."""
LEAST_SQUARES = 4
"""Fewer squares on one lattice are loose dominoes, no kingdom."""
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
JUMPS = ((2, 0), (-2, 0), (0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""Places beside a neighbour: a castle that hides its tile parts what belongs together."""
JUMP_REACH = 0.25
"""How far, in squares, what lies beyond a neighbour may be from where it is expected: told on a known plane only."""


@dataclass(frozen=True)
class Patch:
    """Squares on one lattice: index into the spotted squares (N,), place (N, 2) as (column, row) from 0 and the
    homography from grid units to photo pixels."""

    index: NDArray[np.intp]
    place: NDArray[np.intp]
    homography: Matrix


def grow(squares: Squares, plane: Matrix | None = None) -> list[Patch]:
    """Joins squares side by side, the surest neighbours first, into patches of at least LEAST_SQUARES squares.

    ``plane`` is the homography of a lattice on the same table: on it all squares are alike, so that little is left to
    be told from the squares themselves.
    """
    free = np.ones(len(squares), bool)
    if plane is not None:
        squares = levelled(squares, plane)
        free = np.abs(np.log(squares.side)) < np.log(PLANE_RATIO)
        squares = replace(squares, side=np.ones(len(squares)))
    centre = squares.centre[:, 0] + 1j * squares.centre[:, 1]
    patches = []
    for seed in range(len(squares)):
        if not free[seed]:
            continue
        place = _grow_from(seed, squares, centre, free, jumping=plane is not None)
        if len(place) < LEAST_SQUARES:
            continue
        index = np.array(list(place), np.intp)
        at = np.array(list(place.values()), np.intp)
        patches.append(_fit(squares, index, at - at.min(0), plane))
    return patches


def levelled(squares: Squares, plane: Matrix) -> Squares:
    """The squares as they lie on the table, in the grid units of a lattice there; steps are at right angles, 1 long."""
    to_plane = np.asarray(np.linalg.inv(plane))
    steps = np.stack([squares.steps.real, squares.steps.imag], -1) / 2
    ends = [project(squares.centre[:, None] + side * steps, to_plane).astype(np.float64) for side in (-1, 1)]
    lie = ends[1] - ends[0]
    across, down = (lie[:, k, 0] + 1j * lie[:, k, 1] for k in (0, 1))
    # The fourth power of a direction does not change under quarter turns.
    turn = np.exp(1j * np.angle((across / np.abs(across)) ** 4 + (down / np.abs(down)) ** 4) / 4)
    side = np.sqrt(np.abs((across.conj() * down).imag))
    centre = project(squares.centre, to_plane).astype(np.float64)
    return replace(squares, centre=centre, steps=np.stack([turn, 1j * turn], -1), side=side)


def _grow_from(
    seed: int, squares: Squares, centre: NDArray[np.complex128], free: NDArray[np.bool_], jumping: bool
) -> dict[int, tuple[int, int]]:
    """Best-first search over neighbours that lie on one lattice, with ``jumping`` those next but one after all others;
    marks what it takes as no longer free."""
    place: dict[int, tuple[int, int]] = {}
    taken: set[tuple[int, int]] = set()
    lattice: Matrix | None = None
    fit_again = ENOUGH
    first, second = squares.steps[seed]
    if abs(first.real) < abs(second.real):
        first, second = second, first
    basis = _oriented(squares.steps[seed], first, _right_handed(first, second))
    queue: list[tuple[float, int, tuple[int, int], complex, complex]] = [(0.0, seed, (0, 0), *basis)]
    while queue:
        _, here, (column, row), along, down = heapq.heappop(queue)
        if not free[here] or (column, row) in taken:
            continue
        if lattice is not None:
            expected = project(np.array([[column + 0.5, row + 0.5]]), lattice)[0]
            if np.linalg.norm(expected - squares.centre[here]) > STRAY * squares.side[here]:
                continue
        if len(place) >= fit_again:
            index, at = np.array(list(place)), np.array(list(place.values()))
            lattice = fit_homography(at + 0.5, squares.centre[index], affine=len(place) < 3 * ENOUGH, rounds=0)
            fit_again = len(place) * 5 // 4
        free[here] = False
        place[here] = (column, row)
        taken.add((column, row))
        for dx, dy in STEPS + JUMPS if jumping else STEPS:
            if (column + dx, row + dy) in taken:
                continue
            reach, later = (REACH, 0) if (dx, dy) in STEPS else (JUMP_REACH, 2)
            away = np.abs(centre - (centre[here] + along * dx + down * dy)) / squares.side[here]
            for other in np.nonzero(free & (away < reach))[0]:
                turned = _oriented(squares.steps[other], along, down)
                back = abs(centre[other] - (turned[0] * dx + turned[1] * dy) - centre[here]) / squares.side[other]
                if back < reach and _akin(squares, here, int(other), (along, down), turned):
                    error = float(away[other] + back) + later
                    heapq.heappush(queue, (error, int(other), (column + dx, row + dy), *turned))
    return place


def _right_handed(along: complex, down: complex) -> complex:
    return down if (along.conjugate() * down).imag > 0 else -down


def _oriented(steps: NDArray[np.complex128], along: complex, down: complex) -> tuple[complex, complex]:
    """The two steps, swapped and turned around as needed to be nearest to ``along`` and ``down``."""
    a, b = complex(steps[0]), complex(steps[1])
    if abs((a.conjugate() * along).real) * abs(b) < abs((b.conjugate() * along).real) * abs(a):
        a, b = b, a
    return (
        a if (a.conjugate() * along).real > 0 else -a,
        b if (b.conjugate() * down).real > 0 else -b,
    )


def _akin(
    squares: Squares, here: int, other: int, mine: tuple[complex, complex], theirs: tuple[complex, complex]
) -> bool:
    ratio = squares.side[here] / squares.side[other]
    if not 1 / SIDE_RATIO < ratio < SIDE_RATIO:
        return False
    turn = np.angle(np.array(theirs) / np.array(mine))
    return bool(np.abs(turn).max() <= TURN)


def _fit(squares: Squares, index: NDArray[np.intp], place: NDArray[np.intp], plane: Matrix | None) -> Patch:
    """The homography through centres and, with their steps, the midpoints of edges; turned upright."""
    first = fit_homography(place + 0.5, squares.centre[index], affine=True)
    along, down = (first[0, 0] + 1j * first[1, 0]), (first[0, 1] + 1j * first[1, 1])
    grid, photo = [place + 0.5], [squares.centre[index]]
    for number, square in enumerate(index):
        a, b = _oriented(squares.steps[square], along, down)
        for step, shift in ((a, (0.5, 0.0)), (-a, (-0.5, 0.0)), (b, (0.0, 0.5)), (-b, (0.0, -0.5))):
            grid.append((place[number] + 0.5 + shift)[None])
            photo.append(squares.centre[square][None] + np.array([[step.real, step.imag]]) / 2)
    homography = fit_homography(np.concatenate(grid), np.concatenate(photo), affine=plane is not None)
    if plane is not None:
        homography = plane @ homography
    turned, homography = upright(place, homography)
    return Patch(index, turned, homography)


def fit_homography(
    grid: NDArray[np.floating], photo: NDArray[np.floating], affine: bool = False, rounds: int = 3
) -> Matrix:
    """Least squares from grid (N, 2) to photo (N, 2), fitted again without outliers so often; affine on request."""
    grid, photo = np.asarray(grid, np.float64), np.asarray(photo, np.float64)
    if affine:
        ones = np.column_stack([grid, np.ones(len(grid))])
        solved = np.linalg.lstsq(ones, photo, rcond=None)[0]
        return np.vstack([solved.T, [0, 0, 1]])
    found, _ = cv2.findHomography(grid, photo, 0)
    if found is None:
        return fit_homography(grid, photo, affine=True)
    homography = np.asarray(found, np.float64)
    for _ in range(rounds):
        off = np.linalg.norm(project(grid, homography) - photo, axis=1)
        good = off <= 3 * np.median(off) + 1e-6
        if good.sum() < 8:
            break
        again, _ = cv2.findHomography(grid[good], photo[good], 0)
        if again is None:
            break
        homography = np.asarray(again, np.float64)
    return np.asarray(homography / homography[2, 2])


def upright(place: NDArray[np.intp], homography: Matrix) -> tuple[NDArray[np.intp], Matrix]:
    """Turns places (N, 2) and homography by quarters until rows run down the photo and columns to the right; few
    squares in a row may have been fitted by a mirror image, which is mirrored back."""
    columns, rows = (int(value) for value in place.max(0) + 1)
    middle = np.array([columns / 2, rows / 2])
    here, right, down = project(middle + np.array([[0, 0], [0.5, 0], [0, 0.5]]), homography).astype(np.float64)
    if np.linalg.det(np.stack([right - here, down - here])) < 0:
        place = np.stack([columns - 1 - place[:, 0], place[:, 1]], -1)
        homography = homography @ np.array([[-1, 0, columns], [0, 1, 0], [0, 0, 1.0]])
    ends = project(np.stack([middle - np.array([0.5, 0]), middle + np.array([0.5, 0])]), homography)
    x, y = ends[1] - ends[0]
    turns = (0 if x > 0 else 2) if abs(x) >= abs(y) else (1 if y > 0 else 3)
    for _ in range(turns):
        # A quarter turn clockwise: what was the left column becomes the top row.
        place = np.stack([rows - 1 - place[:, 1], place[:, 0]], -1)
        homography = homography @ np.array([[0, 1, 0], [-1, 0, rows], [0, 0, 1.0]])
        columns, rows = rows, columns
    return place, homography
