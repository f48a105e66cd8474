"""Finds every kingdom in a photo: where its grid lies and which places of it hold a tile.

spot        a network marks the squares of tiles anywhere in the photo, made small
grow, fit   neighbouring squares are joined to patches, each with one lattice (a homography)
straighten  a second network looks at each patch straightened, corrects the lattice and judges every place
settle      where kingdoms touch, each tile goes to the one on whose lattice it lies better
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from scorer.vision.classify import EMPTY, LABELS, MARGIN, SIZE, WIDE_MARGIN, WIDE_SIZE, classify_wider
from scorer.vision.lattice import LEAST_SQUARES, grow
from scorer.vision.layable import LARGEST
from scorer.vision.rectify import Floats, Image, Matrix, Pyramid, project, quad_views
from scorer.vision.spot import Squares, spot
from scorer.vision.straighten import NOWHERE, RING, Straightened, centres, look, settle, straighten

ROUNDS = 4
OVERLAP = 0.4
"""Of two lattices that share this part of the smaller one's tiles, the smaller is dropped."""
IN_LINE, LONG_EDGE = 0.08, 4
"""Two lattices are one if every tile of one lies within so many squares of its place on the other and they touch, along
so many tiles where both seem to have a castle: of 197 pairs in validation scenes that are two kingdoms none does."""
COVERED = 0.7
"""A patch whose squares lie to this part on tiles already located is not looked at again."""
LEAST_SCORE, LEAST_SCORE_WITHOUT_CASTLE = 0.8, 0.9
"""Lattices whose tiles are less sure than this on average are no kingdoms, the more so if no castle is seen."""
LEAST_WITHOUT_CASTLE = 7
"""So many tiles in which no castle is seen are a kingdom; fewer are loose dominoes, cards or the backs of a row."""
PLAIN_SCORE, PLAIN_TILES = 0.97, 13
"""Lattices with a castle, as sure as this and with so many tiles are believed unless they are bricks..."""
LEAST_PLANE = 7
"""...and with so many they show how the table lies before the camera."""
ASKED, ASKED_OF_PLAIN = 24, 9
"""So many of their tiles are shown to the network that reads squares: if all of nine or more look alike, they are
bricks."""
LEAST_KNOWN = 0.54
"""How much likelier tiles that are not plain must be what they are taken for than none at all, on average: a chequered
cloth and the backs of a row of dominoes look like tiles, but like no tile in particular."""


@dataclass(frozen=True)
class Lattice:
    """One kingdom's grid in a photo; rows run down the photo, as it is shown.

    homography  3x3 float64, grid units (column, row) to photo pixels, (0, 0) the outer top-left corner
    corners     (4, 2) float32 outer corners, top-left, top-right, bottom-right, bottom-left
    quads       (rows, columns, 4, 2) float32 corners of each place; where a tile lies, of the tile itself
    occupied    (rows, columns) float32 in 0..1, how sure it is that a tile of this kingdom lies there
    castle      (row, column) of the starting tile, or None where none was seen
    score       0..1, the mean of ``occupied`` over the tiles
    beyond      0..1, how likely one more tile lies beside them, outside the grid
    """

    homography: Matrix
    rows: int
    columns: int
    corners: Floats
    quads: Floats
    occupied: Floats
    castle: tuple[int, int] | None
    score: float
    beyond: float = 0.0


def locate(image: Image | Pyramid) -> list[Lattice]:
    """All kingdoms in a photo (H, W, 3) uint8 RGB, the largest in the photo first.

    Who goes on to take crops from the photo can hand in its Pyramid, to shrink it only once.
    """
    pyramid = Pyramid.of(image)
    squares = spot(pyramid)
    found = _among(pyramid, squares)
    # Chequers as wide as a hand pass for squares so near that no finer size was looked at.
    if not found and len(closer := spot(pyramid, closely=True)) > len(squares):
        found = _among(pyramid, closer)
    return found


def _among(pyramid: Pyramid, squares: Squares) -> list[Lattice]:
    """The kingdoms that spotted squares belong to."""
    found: list[Lattice] = []
    plane: Matrix | None = None
    # Growing may run from one kingdom into the next; what is left over after a round is grown again.
    for _ in range(ROUNDS):
        new = _kingdoms_on(pyramid, squares, found, plane)
        if not new and plane is not None:  # that of a small kingdom may be far off elsewhere
            new = _kingdoms_on(pyramid, squares, found, None)
        if not new:
            break
        found = _settled(pyramid, _joined(pyramid, _distinct(found + new)))
        plane = _plane(found)
        covered = np.any([_lie_on(squares.centre, lattice) for lattice in found], axis=0)
        squares = squares.chosen(np.nonzero(~covered)[0])
    return found


def _kingdoms_on(pyramid: Pyramid, squares: Squares, before: list[Lattice], plane: Matrix | None) -> list[Lattice]:
    """The kingdoms that squares lie on, all of them once the plane of the table is known, until then the first that
    shows it."""
    found: list[Lattice] = []
    for patch in sorted(grow(squares, plane), key=lambda patch: -len(patch.index)):
        if plane is None and _plane(found) is not None:
            break
        if any(_lie_on(squares.centre[patch.index], lattice).mean() > COVERED for lattice in found):
            continue
        columns, rows = (int(value) for value in patch.place.max(0) + 1)
        taken = np.concatenate([NOWHERE, *map(_centres, before + found)])
        for seen in straighten(pyramid, patch.homography, rows, columns, taken):
            lattice = _lattice(seen)
            least, sure = (
                (LEAST_SQUARES, LEAST_SCORE) if lattice.castle else (LEAST_WITHOUT_CASTLE, LEAST_SCORE_WITHOUT_CASTLE)
            )
            enough = lattice.score >= sure and _tiles(lattice) >= least
            if enough and _pictured(pyramid, lattice):
                found.append(lattice)
    return found


def _plain(lattice: Lattice) -> bool:
    return lattice.castle is not None and lattice.score >= PLAIN_SCORE and _tiles(lattice) >= PLAIN_TILES


def _plane(found: list[Lattice]) -> Matrix | None:
    """How the table lies before the camera, by the largest kingdom that is beyond doubt."""
    sure = (one for one in found if one.castle is not None and one.score >= PLAIN_SCORE and _tiles(one) >= LEAST_PLANE)
    largest = max(sure, key=_tiles, default=None)
    return None if largest is None else largest.homography


def _pictured(pyramid: Pyramid, lattice: Lattice) -> bool:
    """Whether the tiles look like tiles to the network that reads them: a chequered cloth has the grid only, and the
    bricks of a wall are all of one kind."""
    quads = lattice.quads[lattice.occupied > 0.5]
    plain = _plain(lattice)
    most = ASKED_OF_PLAIN if plain else ASKED
    some = quads[np.linspace(0, len(quads) - 1, min(len(quads), most)).astype(int)]
    likely = np.exp(classify_wider(quad_views(pyramid, some, WIDE_SIZE, WIDE_MARGIN)))
    if len(some) >= ASKED_OF_PLAIN and len(set(likely.argmax(axis=1).tolist())) == 1:
        return False
    return plain or bool((likely.max(axis=1) - likely[:, LABELS.index(EMPTY)]).mean() >= LEAST_KNOWN)


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
        seen.beyond,
    )


def _distinct(found: list[Lattice]) -> list[Lattice]:
    """Drops lattices that lie on tiles of a larger one."""
    kept: list[Lattice] = []
    for lattice in sorted(found, key=lambda one: (-_tiles(one), -one.score)):
        if all(_lie_on(_centres(lattice), other).mean() < OVERLAP for other in kept):
            kept.append(lattice)
    return sorted(kept, key=lambda one: -_area(one.corners))


def _joined(pyramid: Pyramid, found: list[Lattice]) -> list[Lattice]:
    """Lattices that go on in each other looked at as one: a kingdom was parted at what is no castle."""
    for one, other in combinations(sorted(found, key=lambda lattice: -_tiles(lattice)), 2):
        at = project(_centres(other), np.linalg.inv(one.homography).astype(np.float64))
        place = np.floor(at).astype(int)
        own = np.argwhere(one.occupied > 0.5)[:, ::-1]
        along = int((np.abs(place[:, None] - own).sum(-1) == 1).any(1).sum())
        first, last = np.minimum(place.min(0), own.min(0)), np.maximum(place.max(0), own.max(0))
        columns, rows = (int(length) for length in last - first + 1)
        castles = (one.castle is not None) + (other.castle is not None)
        if (
            along >= (LONG_EDGE if castles == 2 else 1)
            and np.abs(at - place - 0.5).max() < IN_LINE
            and max(rows, columns) <= LARGEST
        ):
            shift = np.array([[1, 0, first[0]], [0, 1, first[1]], [0, 0, 1.0]])
            rest = [lattice for lattice in found if lattice is not one and lattice is not other]
            others = np.concatenate([NOWHERE, *map(_centres, rest)])
            whole = settle(pyramid, one.homography @ shift, rows, columns, others, parting=False)
            if whole is not None:
                return _joined(pyramid, [*rest, _lattice(whole)])
    return found


def _settled(pyramid: Pyramid, found: list[Lattice]) -> list[Lattice]:
    """Kingdoms that touch looked at again, each without the tiles that another one has the better claim to."""
    tiles = [_centres(lattice) for lattice in found]
    pairs = list(permutations(range(len(found)), 2))
    near = [
        _at(tiles[a], found[b], np.zeros((found[b].rows + 2 * RING, found[b].columns + 2 * RING))) for a, b in pairs
    ]
    if not any(np.isfinite(reached).any() for reached in near):
        return found
    claims = [look(pyramid, lattice.homography, lattice.rows, lattice.columns).tile for lattice in found]
    lost = [np.zeros(len(own), bool) for own in tiles]
    for a, b in pairs:
        lost[a] |= _at(tiles[a], found[b], claims[b]) > _at(tiles[a], found[a], claims[a])
    if not any(gone.any() for gone in lost):
        return found
    kept = [own[~gone] for own, gone in zip(tiles, lost, strict=True)]
    settled = list(found)
    for index, lattice in enumerate(found):
        others = np.concatenate([*kept[:index], tiles[index][lost[index]], *kept[index + 1 :]])
        settled[index] = _again(pyramid, lattice, others)
    # What was left to another kingdom and not taken by it is free again.
    for index, lattice in enumerate(found):
        claimed = [_lie_on(tiles[index], other) for other in (*settled[:index], *settled[index + 1 :])]
        if (lost[index] & ~np.any(claimed, axis=0)).any():
            others = np.concatenate([_centres(other) for other in (*settled[:index], *settled[index + 1 :])])
            settled[index] = _again(pyramid, lattice, others)
    return settled


def _again(pyramid: Pyramid, lattice: Lattice, others: Floats) -> Lattice:
    """A kingdom looked at again, with the tiles of others known."""
    seen = settle(pyramid, lattice.homography, lattice.rows, lattice.columns, others)
    return lattice if seen is None else _lattice(seen)


def _tiles(lattice: Lattice) -> int:
    return int((lattice.occupied > 0.5).sum())


def _centres(lattice: Lattice) -> Floats:
    """Centres of the tiles in photo pixels, (N, 2)."""
    return centres(lattice.quads, lattice.occupied)


def _lie_on(points: NDArray[np.floating], lattice: Lattice) -> NDArray[np.bool_]:
    """Whether points (N, 2) lie on tiles of a lattice, (N,)."""
    return _at(points, lattice, lattice.occupied) > 0.5


def _at(points: NDArray[np.floating], lattice: Lattice, values: NDArray[np.floating]) -> NDArray[np.floating]:
    """The values (rows, columns), or with a ring around, of the places that points (N, 2) lie on; -inf outside."""
    ring = (values.shape[0] - lattice.rows) // 2
    column, row = np.floor(project(points, np.linalg.inv(lattice.homography).astype(np.float64))).astype(int).T + ring
    inside = (row >= 0) & (column >= 0) & (row < values.shape[0]) & (column < values.shape[1])
    found = np.full(len(points), -np.inf)
    found[inside] = values[row[inside], column[inside]]
    return found


def _area(corners: Floats) -> float:
    x, y = corners[:, 0], corners[:, 1]
    return float(abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2)
