"""Where the kingdoms of one table lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scorer.render.camera import Floats
from scorer.render.lay import Domino, LaidKingdom, lay_kingdom, shuffled
from scorer.render.recipe import Recipe
from scorer.render.style import CASTLE_COLOURS

Rng = np.random.Generator


@dataclass(frozen=True)
class SetKingdom:
    """A kingdom on the table, and the frame of its lattice there."""

    laid: LaidKingdom
    origin: Floats  # table point of the bounding box's upper left corner
    turn: float
    colour: str

    def table(self, points: Floats) -> Floats:
        """Table points (n, 2) of lattice points (column, row)."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.asarray(points @ np.array([[c, s], [-s, c]]) + self.origin)

    def lattice(self, points: Floats) -> Floats:
        """Lattice points (column, row), float64 (n, 2), of table points: the inverse of `table`."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.asarray((points - self.origin) @ np.array([[c, -s], [s, c]]))

    def outline(self) -> Floats:
        rows, columns = self.laid.rows, self.laid.columns
        return self.table(np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], np.float64))


def lay_table(recipe: Recipe, rules: str, rng: Rng) -> list[SetKingdom]:
    """Lays the kingdoms of one table from one box, side by side at the recipe's distances."""
    count = int(rng.integers(recipe.kingdoms[0], recipe.kingdoms[1] + 1))
    stock: list[Domino] = shuffled(rules, rng)
    colours = rng.permutation(CASTLE_COLOURS)
    size = int(rng.choice(recipe.sizes))
    main_turn = float(rng.normal(0, 0.06)) if rng.random() < recipe.aligned else float(rng.uniform(0, 2 * np.pi))
    nested = recipe.nested > 0 and rng.random() < recipe.nested
    apart = tile_distance if nested else box_distance
    sets: list[SetKingdom] = []
    for k in range(count):
        wanted = round((size * size - 1) // 2 * float(rng.uniform(*recipe.filled)))
        share = [stock.pop() for _ in range(min(len(stock) // (count - k), size * size))]
        laid = lay_kingdom(share, size, max(3, wanted), rng, compact=float(rng.uniform(0, 2.5)))
        turn = main_turn + (0 if k == 0 else float(rng.normal(0, 0.12)))
        if k and rng.random() < 0.2:
            turn = float(rng.uniform(0, 2 * np.pi))
        distance = float(rng.uniform(*recipe.distance))
        sets.append(_beside(sets, laid, turn, str(colours[k]), distance, rng, apart))
    return sets


def _beside(
    sets: list[SetKingdom],
    laid: LaidKingdom,
    turn: float,
    colour: str,
    distance: float,
    rng: Rng,
    apart: Callable[[SetKingdom, SetKingdom], float],
) -> SetKingdom:
    """Places a kingdom in a random direction, `distance` from the nearest of the others as `apart` measures it."""
    middle = np.zeros(2)
    if not sets:
        return _placed(laid, middle, turn, colour)
    anchor = sets[int(rng.integers(len(sets)))].outline().mean(axis=0)
    # Mostly beside or below, seldom diagonally: tables of players look like that.
    angle = float(rng.integers(4)) * np.pi / 2 + sets[0].turn + float(rng.normal(0, 0.15))
    direction = np.array([np.cos(angle), np.sin(angle)])
    aside = np.array([-direction[1], direction[0]]) * float(rng.normal(0, 0.8))

    def near(reach: float) -> float:
        there = _placed(laid, anchor + aside + reach * direction, turn, colour)
        return min(apart(there, other) for other in sets)

    low, high = 0.0, 60.0
    for _ in range(26):
        reach = (low + high) / 2
        if near(reach) >= max(distance, 1e-4):
            high = reach
        else:
            low = reach
    return _placed(laid, anchor + aside + high * direction, turn, colour)


def _placed(laid: LaidKingdom, middle: Floats, turn: float, colour: str) -> SetKingdom:
    bare = SetKingdom(laid, np.zeros(2), turn, colour)
    return replace(bare, origin=middle - bare.outline().mean(axis=0))


def quad_distance(a: Floats, b: Floats) -> float:
    """The distance between two convex quadrilaterals (4, 2), 0 where they overlap."""
    area, _ = cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))
    if area > 0:
        return 0.0
    best = np.inf
    for points, others in ((a, b), (b, a)):
        start, edge = others, np.roll(others, -1, axis=0) - others
        offset = points[:, None] - start[None]
        along = np.clip((offset * edge).sum(-1) / (edge**2).sum(-1), 0, 1)
        best = min(best, float(np.linalg.norm(offset - along[..., None] * edge, axis=-1).min()))
    return best


def box_distance(a: SetKingdom, b: SetKingdom) -> float:
    """The distance between the bounding boxes of two kingdoms, in squares."""
    return quad_distance(a.outline(), b.outline())


def tile_distance(a: SetKingdom, b: SetKingdom) -> float:
    """The distance between the tiles of two kingdoms, in squares, exact to a few hundredths; 0 where they overlap."""
    return min(_to_tiles(a, b), _to_tiles(b, a))


def _to_tiles(points_of: SetKingdom, tiles_of: SetKingdom) -> float:
    rim = np.array([(x, y) for x in (0, 0.25, 0.5, 0.75, 1) for y in (0, 0.25, 0.5, 0.75, 1)])
    corners = np.array([(c, r) for r, c in points_of.laid.cells()], np.float64)
    points = tiles_of.lattice(points_of.table((corners[:, None] + rim).reshape(-1, 2)))
    middles = np.array([(c + 0.5, r + 0.5) for r, c in tiles_of.laid.cells()])
    beyond = np.maximum(np.abs(points[:, None] - middles) - 0.5, 0)
    return float(np.hypot(beyond[..., 0], beyond[..., 1]).min())
