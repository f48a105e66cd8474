"""Builds a kingdom on the table: dominoes, starting tile and castle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scorer.render import pieces
from scorer.render.camera import Floats
from scorer.render.canvas import Image
from scorer.render.furnish import BuiltKingdom, Supply, furnish
from scorer.render.lay import LaidKingdom, Place
from scorer.render.layout import SetKingdom
from scorer.render.recipe import Recipe
from scorer.render.sources import Edition
from scorer.render.stage import Slab, box_corners

Rng = np.random.Generator


def build(
    recipe: Recipe, rules: str, kingdom: SetKingdom, edition: Edition, supply: Supply, face_size: int, rng: Rng
) -> BuiltKingdom:
    """Lays a kingdom's tiles, a little crooked, and what stands on them; faces are drawn `face_size` pixels wide."""
    laid, style = kingdom.laid, edition.style
    gap = float(rng.uniform(*recipe.gap))
    crooked = float(np.radians(rng.uniform(*recipe.crooked)))
    wander = _drift(laid, float(rng.uniform(*recipe.drift)), rng)
    made = BuiltKingdom(laid.cells(), {}, {}, [], [], [], style.thickness, False)

    def tile(places: tuple[Place, ...], face: Image) -> None:
        middle = np.mean([(c + 0.5, r + 0.5) for r, c in places], axis=0)
        middle = middle + wander(middle) + np.clip(rng.normal(0, 0.35 * gap + 0.004, 2), -0.1, 0.1)
        lean = float(np.clip(rng.normal(0, crooked), -0.12, 0.12))
        ahead = np.array([1.0, 0.0])
        if len(places) == 2:
            ahead = np.array([places[1][1] - places[0][1], places[1][0] - places[0][0]], np.float64)
        facing = float(np.arctan2(ahead[1], ahead[0])) + lean
        long = len(places) - gap
        corners = box_corners(float(middle[0]), float(middle[1]), long, 1 - gap, facing)
        if len(places) == 1:
            corners = np.roll(corners, int(rng.integers(4)), axis=0)
        supply.tiles += 1
        for place in places:
            made.owners[place] = supply.tiles
        made.slabs.append(
            Slab(kingdom.table(corners), 0, style.thickness, face, style.edge, style.corner, owner=supply.tiles)
        )
        forward = np.array([np.cos(facing), np.sin(facing)])
        for k, place in enumerate(places):
            at = middle + forward * (long / len(places)) * (k - (len(places) - 1) / 2)
            wide, deep = (long / len(places), 1 - gap) if abs(ahead[0]) else (1 - gap, long / len(places))
            made.tiles[place] = kingdom.table(box_corners(float(at[0]), float(at[1]), wide, deep, lean))

    for domino in laid.dominoes:
        tile(domino.places, edition.domino(*domino.cells, face_size, rng))
    castle = recipe.castleless == 0 or rng.random() >= recipe.castleless
    if castle:
        tile((laid.castle,), edition.castle(kingdom.colour, face_size, rng))
    else:
        del made.cells[laid.castle]
    if castle and rng.random() < recipe.standing_castle:
        made.castle_stands = True
        foot = np.append(made.tiles[laid.castle].mean(axis=0) + rng.normal(0, 0.06, 2), style.thickness)
        made.solids.append(pieces.castle(foot, kingdom.colour, style, kingdom.turn + float(rng.normal(0, 0.3)), rng))
    if rules != "kingdomino" and rng.random() < recipe.pieces:
        furnish(made, recipe, rules, kingdom, edition, supply, face_size, rng)
    return made


def _drift(laid: LaidKingdom, amount: float, rng: Rng) -> Callable[[Floats], Floats]:
    """A smooth wandering of rows and columns: lattice point to offset."""
    waves = rng.uniform(0, 2 * np.pi, (2, 2))
    pace = rng.uniform(0.3, 1.0, (2, 2))

    def offset(point: Floats) -> Floats:
        return np.asarray(amount * np.sin(pace * point[None, :] + waves).sum(axis=1) / 2)

    return offset
