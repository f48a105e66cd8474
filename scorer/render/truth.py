"""What a perfect reader would report of a rendered scene."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.render.camera import Floats
from scorer.render.furnish import BuiltKingdom
from scorer.render.layout import SetKingdom
from scorer.render.stage import Stage


@dataclass(frozen=True)
class TrueKingdom:
    """What a perfect reader would report: pixels are the photo's, the grid's first row is its uppermost."""

    grid: tuple[tuple[str, ...], ...]  # notation cells, row-major in the bounding box
    quads: NDArray[np.float32]  # (rows, columns, 4, 2): TL TR BR BL of every place of the ideal lattice
    tile_quads: NDArray[np.float32]  # same shape: where the tile really lies; nan for empty places
    corners: NDArray[np.float32]  # (4, 2): outer corners of the bounding box
    castle_colour: str
    castle_stands: bool  # a 3D castle hides its square and part of those behind
    hidden: NDArray[np.float32]  # (rows, columns): share of each tile that is covered or outside; nan for empty places


@dataclass(frozen=True)
class TruePiece:
    """A piece that stands or lies anywhere: knight, tower, queen, king, giant, dragon, castle, coin1, coin3, coin9."""

    kind: str
    foot: NDArray[np.float32]  # (2,): pixel at which it touches what it stands on


def truth(stage: Stage, kingdom: SetKingdom, made: BuiltKingdom) -> TrueKingdom:
    """What can be known of a kingdom once the whole scene stands on the stage."""
    camera = stage.camera
    rows, columns = kingdom.laid.rows, kingdom.laid.columns
    row, column = np.mgrid[0:rows, 0:columns]
    steps = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float64)
    ideal = np.stack([column, row], -1)[:, :, None, :] + steps
    places = sorted(made.tiles)
    fit = _similarity(
        np.array([(c + 0.5, r + 0.5) for r, c in places], np.float64),
        np.array([made.tiles[p].mean(axis=0) for p in places]),
    )
    lattice = ideal.reshape(-1, 2) @ fit[:, :2].T + fit[:, 2]

    def photo(points: Floats) -> Floats:
        return camera.project(np.column_stack([points, np.full(len(points), made.height)]))

    quads = photo(lattice).reshape(rows, columns, 4, 2)
    tiles = np.full((rows, columns, 4, 2), np.nan)
    grid = np.full((rows, columns), ".", object)
    hidden = np.full((rows, columns), np.nan)
    for (r, c), corners in made.tiles.items():
        tiles[r, c] = photo(corners)
        grid[r, c] = made.cells[(r, c)]
        hidden[r, c] = stage.hidden(corners, made.height, made.owners[(r, c)])
    turn = _quarters(quads)
    grid, hidden = np.rot90(grid, turn), np.rot90(hidden, turn)
    quads, tiles = (np.roll(np.rot90(found, turn), -turn, axis=2) for found in (quads, tiles))
    corners = np.array([quads[0, 0, 0], quads[0, -1, 1], quads[-1, -1, 2], quads[-1, 0, 3]])
    return TrueKingdom(
        tuple(tuple(str(cell) for cell in line) for line in grid),
        quads.astype(np.float32),
        tiles.astype(np.float32),
        corners.astype(np.float32),
        kingdom.colour,
        made.castle_stands,
        hidden.astype(np.float32),
    )


def _quarters(quads: Floats) -> int:
    """By how many quarters to turn the grid (as np.rot90 counts) so that its rows run to the right in the photo."""
    across = (quads[:, :, 1] - quads[:, :, 0] + quads[:, :, 2] - quads[:, :, 3]).mean(axis=(0, 1))
    # A row that runs downwards (one quarter) starts, upright, at the old lower left corner.
    return -(round(float(np.arctan2(across[1], across[0])) / (np.pi / 2)) % 4)


def _similarity(source: Floats, target: Floats) -> Floats:
    """The least-squares turn, scale and shift of points (n, 2): float64 (2, 3)."""
    n = len(source)
    lhs = np.zeros((2 * n, 4))
    lhs[:n] = np.column_stack([source[:, 0], -source[:, 1], np.ones(n), np.zeros(n)])
    lhs[n:] = np.column_stack([source[:, 1], source[:, 0], np.zeros(n), np.ones(n)])
    a, b, dx, dy = np.linalg.lstsq(lhs, np.concatenate([target[:, 0], target[:, 1]]), rcond=None)[0]
    return np.array([[a, -b, dx], [b, a, dy]])
