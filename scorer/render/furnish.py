"""Puts buildings, meeples and the expansions' pieces on a kingdom's squares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.render import court, pieces
from scorer.render.buildings import COPIES, SYMBOLS
from scorer.render.camera import Floats
from scorer.render.lay import Place
from scorer.render.layout import SetKingdom
from scorer.render.recipe import Recipe
from scorer.render.sources import Edition
from scorer.render.stage import Slab, Solid, box_corners
from scorer.rules.notation import parse_square, square_text

Rng = np.random.Generator
Footprint = NDArray[np.float32]
"""Corners (n, 2) of the convex part of the table that a thing stands or lies on."""

TRIES = 12
"""How often a spot is sought for one more thing on a square before there is no room for it."""


@dataclass
class Supply:
    """What the box still holds for the kingdoms of one table; `tiles` counts those laid."""

    buildings: dict[str, int] = field(default_factory=lambda: {name: COPIES.get(name, 2) for name in SYMBOLS})
    knights: int = 22
    towers: int = 15
    queen: bool = True
    court: list[str] = field(default_factory=lambda: [*court.CHARACTERS, *court.BUILDINGS])
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


def furnish(
    made: BuiltKingdom,
    recipe: Recipe,
    rules: str,
    kingdom: SetKingdom,
    edition: Edition,
    supply: Supply,
    face_size: int,
    rng: Rng,
) -> None:
    """Puts buildings on towns, towers on buildings, knights and the Queen on squares, and in XXXL giants, fallen towers
    and The Court; cells become the notation of what stands there."""
    square = _Furnishing(made, kingdom, edition, supply, face_size, rng)
    built, staffed = rng.uniform(0.2, 1.0), rng.uniform(0.0, 0.35)
    invited = rng.random() < 0.4
    grand = rules == "xxxl"
    held = grand and rng.random() < recipe.court
    for place, cell in sorted(made.cells.items()):
        if cell == "C":
            continue
        crowned = cell[1:] in ("1", "2", "3")
        text, level = cell, made.height
        if cell == "t" and any(supply.buildings.values()) and rng.random() < built:
            text, level = square.building(place)
            text += square.meeples(place, "tower", int(rng.choice(4, p=(0.6, 0.25, 0.1, 0.05))), level)
        else:
            if held and not crowned:
                text, level = square.court(place, cell)
            if rng.random() < staffed:
                text += square.meeples(place, "knight", 1 if rng.random() < 0.92 else 2, level)
        if grand and crowned and rng.random() < 0.06:
            text += square.meeples(place, "fallen", 1, level)
        if invited and supply.queen and rng.random() < 0.06:
            supply.queen = not square.stand(place, pieces.queen, 0.1, level)
            text += "" if supply.queen else "+queen"
        elif grand and crowned and rng.random() < 0.08 and square.stand(place, pieces.giant, 0.15, level):
            text += "+giant"
        if rng.random() < 0.015:  # left where it claimed its domino; no piece of a kingdom
            square.stand(place, pieces.king, 0.2, level)
        made.cells[place] = square_text(parse_square(text))


@dataclass
class _Furnishing:
    """Lays and stands things on the squares of one kingdom; every method returns what the notation says of them."""

    made: BuiltKingdom
    kingdom: SetKingdom
    edition: Edition
    supply: Supply
    face_size: int
    rng: Rng
    standing: list[Footprint] = field(init=False)  # where nothing else may stand

    def __post_init__(self) -> None:
        self.standing = [_footprint(solid) for solid in self.made.solids]

    def _lay(
        self, place: Place, face: np.ndarray, side: float, spread: float, rounding: float, owner: int | None
    ) -> float:
        at = self.made.tiles[place].mean(axis=0) + self.rng.normal(0, spread, 2)
        turn = self.kingdom.turn + float(self.rng.integers(4)) * np.pi / 2 + float(self.rng.normal(0, 0.06))
        low, style = self.made.height, self.edition.style
        corners = box_corners(float(at[0]), float(at[1]), side, side, turn)
        self.made.above.append(Slab(corners, low, 1.7 * low, face, style.edge, rounding, owner=owner))
        return 1.7 * low

    def building(self, place: Place) -> tuple[str, float]:
        rng, stock = self.rng, self.supply.buildings
        names = [name for name, copies in stock.items() if copies]
        name = names[int(rng.integers(len(names)))]
        stock[name] -= 1
        grey = bool(rng.random() < 0.12)
        face = self.edition.building(name, grey, self.face_size, rng)
        level = self._lay(place, face, float(rng.uniform(0.86, 0.98)), 0.03, self.edition.style.corner, None)
        return f"t:{name}" + ("~" if grey else ""), level

    def stand(self, place: Place, make: Callable[[Floats, Rng], Solid], spread: float, level: float) -> bool:
        """Stands a piece where no other one stands; False where there is no room."""
        for tried in range(TRIES):
            # Never beyond the square's edge: whose it would be nobody could tell.
            offset = np.clip(self.rng.normal(0, spread * (1 + tried / TRIES), 2), -0.36, 0.36)
            piece = make(np.append(self.made.tiles[place].mean(axis=0) + offset, level), self.rng)
            ground = _footprint(piece)
            if not any(cv2.intersectConvexConvex(ground, other)[0] > 0 for other in self.standing):
                self.standing.append(ground)
                self.made.solids.append(piece)
                return True
        return False

    def meeples(self, place: Place, name: str, count: int, level: float) -> str:
        def fallen(foot: Floats, rng: Rng) -> Solid:
            return pieces.tower(foot, rng, lying=True)

        kind = "knights" if name == "knight" else "towers"
        make = {"knight": pieces.knight, "tower": pieces.tower, "fallen": fallen}[name]
        left = getattr(self.supply, kind)
        spread = 0.2 if kind == "towers" else 0.16
        count = sum(self.stand(place, make, spread, level) for _ in range(min(count, left)))
        setattr(self.supply, kind, left - count)
        return "" if not count else f"+{name}" if count == 1 else f"+{name}*{count}"

    def court(self, place: Place, cell: str) -> tuple[str, float]:
        """A resource, a character, a building of The Court or nothing."""
        rng, level = self.rng, self.made.height
        if cell[0] in court.RESOURCES and rng.random() < 0.4:
            name = court.RESOURCES[cell[0]]
            side = float(rng.uniform(0.24, 0.36))
            self._lay(place, self.edition.court(name, self.face_size, rng), side, 0.15, 0.5 * side, 0)
            self.standing.append(self.made.above[-1].corners.astype(np.float32))
            return f"{cell}+{name}", level
        fitting = [
            name for name in self.supply.court if name in court.CHARACTERS or court.BUILDINGS[name][0] == cell[0]
        ]
        if not fitting or rng.random() > 0.35:
            return cell, level
        name = fitting[int(rng.integers(len(fitting)))]
        self.supply.court.remove(name)
        turned = bool(rng.random() < 0.1)
        face = self.edition.court("" if turned else name, self.face_size, rng)
        level = self._lay(place, face, float(rng.uniform(0.55, 0.92)), 0.03, self.edition.style.corner, 0)
        return f"{cell}+court:{name}" + ("~" if turned else ""), level


def _footprint(solid: Solid) -> Footprint:
    points = np.concatenate([face.points for face in solid])[:, :2]
    return np.asarray(cv2.convexHull(points.astype(np.float32))[:, 0])
