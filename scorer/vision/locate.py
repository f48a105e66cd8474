"""Finds every kingdom in a photo: where its grid lies and which places of it hold a tile.

spot        a network marks the squares of tiles anywhere in the photo, made small
grow, fit   neighbouring squares are joined to patches, each with one lattice (a homography)
straighten  a second network looks at each patch straightened, corrects the lattice and judges every place
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.vision.classify import EMPTY, LABELS, MARGIN, SIZE, classify
from scorer.vision.lattice import LEAST_SQUARES, grow
from scorer.vision.rectify import Floats, Image, Matrix, Pyramid, project, quad_views
from scorer.vision.spot import Squares, spot
from scorer.vision.straighten import Straightened, straighten

ROUNDS = 3
OVERLAP = 0.4
"""Of two lattices that share this part of the smaller one's tiles, the smaller is dropped."""
COVERED = 0.7
"""A patch whose squares lie to this part on tiles already located is not looked at again."""
LEAST_SCORE = 0.8
"""Lattices whose tiles are less sure than this on average are no kingdoms."""
LEAST_WITHOUT_CASTLE = 7
"""So many tiles in which no castle is seen are a kingdom; fewer are loose dominoes, cards or the backs of a row."""
PLAIN_SCORE = 0.97
"""Lattices with a castle, surer than this and with more tiles than are shown otherwise are believed at once."""
ASKED = 12
"""So many tiles of a lattice are shown to the classifier before it is believed."""
MOST_EMPTY = 0.15
"""So likely they may look like no tile, on average: of validation kingdoms one in two hundred reaches 0.07."""


@dataclass(frozen=True)
class Lattice:
    """One kingdom's grid in a photo; rows run down the photo, as it is shown.

    homography  3x3 float64, grid units (column, row) to photo pixels, (0, 0) the outer top-left corner
    corners     (4, 2) float32 outer corners, top-left, top-right, bottom-right, bottom-left
    quads       (rows, columns, 4, 2) float32 corners of each place; where a tile lies, of the tile itself
    occupied    (rows, columns) float32 in 0..1, how sure it is that a tile of this kingdom lies there
    castle      (row, column) of the starting tile, or None where none was seen
    score       0..1, the mean of ``occupied`` over the tiles
    """

    homography: Matrix
    rows: int
    columns: int
    corners: Floats
    quads: Floats
    occupied: Floats
    castle: tuple[int, int] | None
    score: float


def locate(image: Image | Pyramid) -> list[Lattice]:
    """All kingdoms in a photo (H, W, 3) uint8 RGB, the largest in the photo first.

    Who goes on to take crops from the photo can hand in its Pyramid, to shrink it only once.
    """
    pyramid = Pyramid.of(image)
    squares = spot(pyramid)
    found: list[Lattice] = []
    # Growing may run from one kingdom into the next; what is left over after a round is grown again.
    for _ in range(ROUNDS):
        new = _kingdoms_on(pyramid, squares, found)
        found += new
        if not new:
            break
        covered = np.any([_lie_on(squares.centre, lattice) for lattice in found], axis=0)
        squares = squares.chosen(np.nonzero(~covered)[0])
    return _distinct(found)


def _kingdoms_on(pyramid: Pyramid, squares: Squares, before: list[Lattice]) -> list[Lattice]:
    found: list[Lattice] = []
    for patch in sorted(grow(squares), key=lambda patch: -len(patch.index)):
        if any(_lie_on(squares.centre[patch.index], lattice).mean() > COVERED for lattice in found):
            continue
        columns, rows = (int(value) for value in patch.place.max(0) + 1)
        taken = [lattice.quads[lattice.occupied > 0.5].mean(1) for lattice in [*before, *found]]
        for seen in straighten(pyramid, patch.homography, rows, columns, np.concatenate([np.zeros((0, 2)), *taken])):
            lattice = _lattice(seen)
            least = LEAST_SQUARES if lattice.castle else LEAST_WITHOUT_CASTLE
            tiles = int((seen.tile > 0.5).sum())
            enough = lattice.score >= LEAST_SCORE and tiles >= least
            plain = lattice.castle is not None and lattice.score >= PLAIN_SCORE and tiles > ASKED
            if enough and (plain or _pictured(pyramid, lattice)):
                found.append(lattice)
    return found


def _pictured(pyramid: Pyramid, lattice: Lattice) -> bool:
    """Whether some of the tiles look like tiles to the network that reads them: a chequered cloth has the grid only."""
    quads = lattice.quads[lattice.occupied > 0.5]
    some = quads[np.linspace(0, len(quads) - 1, min(len(quads), ASKED)).astype(int)]
    empty = np.exp(classify(quad_views(pyramid, some, SIZE, MARGIN))[:, LABELS.index(EMPTY)])
    return float(empty.mean()) <= MOST_EMPTY


def crops(image: Image | Pyramid, lattice: Lattice, size: int = SIZE, margin: float = MARGIN) -> Image:
    """Straight pictures of all places in reading order, (rows * columns, size, size, 3) uint8.

    Each shows its place and ``margin`` of a square around it on every side.
    """
    return quad_views(Pyramid.of(image), lattice.quads.reshape(-1, 4, 2), size, margin)


def _lattice(seen: Straightened) -> Lattice:
    rows, columns = seen.tile.shape
    outer = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]])
    best = np.unravel_index(int(seen.castle.argmax()), seen.castle.shape)
    castle = (int(best[0]), int(best[1])) if seen.castle[best] > 0.5 else None
    return Lattice(
        seen.homography,
        rows,
        columns,
        project(outer, seen.homography),
        seen.quads,
        seen.tile,
        castle,
        float(seen.tile[seen.tile > 0.5].mean()),
    )


def _distinct(found: list[Lattice]) -> list[Lattice]:
    """Drops lattices that lie on tiles of a larger one."""
    kept: list[Lattice] = []
    for lattice in sorted(found, key=lambda one: (-int((one.occupied > 0.5).sum()), -one.score)):
        centres = lattice.quads[lattice.occupied > 0.5].mean(1)
        if all(_lie_on(centres, other).mean() < OVERLAP for other in kept):
            kept.append(lattice)
    return sorted(kept, key=lambda one: -_area(one.corners))


def _lie_on(points: NDArray[np.floating], lattice: Lattice) -> NDArray[np.bool_]:
    """Whether points (N, 2) lie on tiles of a lattice, (N,)."""
    at = np.floor(project(points, np.linalg.inv(lattice.homography).astype(np.float64))).astype(int)
    inside = (at >= 0).all(1) & (at[:, 0] < lattice.columns) & (at[:, 1] < lattice.rows)
    on = np.zeros(len(points), bool)
    on[inside] = lattice.occupied[at[inside, 1], at[inside, 0]] > 0.5
    return on


def _area(corners: Floats) -> float:
    x, y = corners[:, 0], corners[:, 1]
    return float(abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2)
