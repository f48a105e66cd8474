"""Builds a kingdom on the table: tiles, castle, buildings and pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from scorer.render import pieces
from scorer.render.buildings import COPIES, SYMBOLS
from scorer.render.camera import Floats
from scorer.render.canvas import Image
from scorer.render.lay import LaidKingdom, Place
from scorer.render.layout import SetKingdom
from scorer.render.recipe import Recipe
from scorer.render.sources import Edition
from scorer.render.stage import Slab, Solid, box_corners

Rng = np.random.Generator


@dataclass
class Supply:
    """What the box still holds for the kingdoms of one table; `tiles` counts those laid."""

    buildings: dict[str, int] = field(default_factory=lambda: {name: COPIES.get(name, 2) for name in SYMBOLS})
    knights: int = 22
    towers: int = 15
    queen: bool = True
    tiles: int = 0


@dataclass
class BuiltKingdom:
    """What was built for one kingdom, and where its tiles really lie (table points, in grid order)."""

    cells: dict[Place, str]
    tiles: dict[Place, Floats]
    owners: dict[Place, int]  # number of the tile that covers a place
    slabs: list[Slab]
    above: list[Slab]
    solids: list[Solid]
    height: float
    castle_stands: bool


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
    tile((laid.castle,), edition.castle(kingdom.colour, face_size, rng))
    if rng.random() < recipe.standing_castle:
        made.castle_stands = True
        foot = np.append(made.tiles[laid.castle].mean(axis=0) + rng.normal(0, 0.06, 2), style.thickness)
        made.solids.append(pieces.castle(foot, kingdom.colour, style, kingdom.turn + float(rng.normal(0, 0.3)), rng))
    if rules != "kingdomino" and rng.random() < recipe.pieces:
        _furnish(made, rules, kingdom, edition, supply, face_size, rng)
    return made


def _drift(laid: LaidKingdom, amount: float, rng: Rng) -> Callable[[Floats], Floats]:
    """A smooth wandering of rows and columns: lattice point to offset."""
    waves = rng.uniform(0, 2 * np.pi, (2, 2))
    pace = rng.uniform(0.3, 1.0, (2, 2))

    def offset(point: Floats) -> Floats:
        return np.asarray(amount * np.sin(pace * point[None, :] + waves).sum(axis=1) / 2)

    return offset


def _furnish(
    made: BuiltKingdom,
    rules: str,
    kingdom: SetKingdom,
    edition: Edition,
    supply: Supply,
    face_size: int,
    rng: Rng,
) -> None:
    """Puts buildings on towns, towers on buildings, knights and the Queen on squares, as notation says it."""
    high = made.height
    built, staffed = rng.uniform(0.2, 1.0), rng.uniform(0.0, 0.35)
    invited = rng.random() < 0.4
    for place, cell in sorted(made.cells.items()):
        if cell in ("C", "."):
            continue
        corners = made.tiles[place]
        middle, level = corners.mean(axis=0), high
        text = cell
        names = [name for name, copies in supply.buildings.items() if copies]
        if cell == "t" and names and rng.random() < built:
            name = names[int(rng.integers(len(names)))]
            supply.buildings[name] -= 1
            grey = bool(rng.random() < 0.12)
            side = float(rng.uniform(0.86, 0.98))
            turn = kingdom.turn + float(rng.integers(4)) * np.pi / 2 + float(rng.normal(0, 0.06))
            at = middle + rng.normal(0, 0.03, 2)
            made.above.append(
                Slab(
                    box_corners(float(at[0]), float(at[1]), side, side, turn),
                    high,
                    high + 0.7 * made.height,
                    edition.building(name, grey, face_size, rng),
                    edition.style.edge,
                    edition.style.corner,
                    owner=None,
                )
            )
            level += 0.7 * made.height
            text = f"t:{name}" + ("~" if grey else "")
            towers = int(rng.choice(4, p=(0.6, 0.25, 0.1, 0.05)))
            towers = min(towers, supply.towers)
            supply.towers -= towers
            if towers:
                text += "+tower" if towers == 1 else f"+tower*{towers}"
                for _ in range(towers):
                    foot = np.append(middle + rng.normal(0, 0.2, 2), level)
                    made.solids.append(pieces.tower(foot, rng))
        elif rng.random() < staffed and supply.knights:
            supply.knights -= 1
            text += "+knight"
            made.solids.append(pieces.knight(np.append(middle + rng.normal(0, 0.16, 2), level), rng))
        if invited and supply.queen and rng.random() < 0.06:
            supply.queen = False
            text += "+queen"
            made.solids.append(pieces.queen(np.append(middle + rng.normal(0, 0.1, 2), level), rng))
        elif rules == "xxxl" and cell[1:] in ("1", "2", "3") and rng.random() < 0.08:
            text += "+giant"
            made.solids.append(pieces.giant(np.append(middle + rng.normal(0, 0.15, 2), level), rng))
        made.cells[place] = text
