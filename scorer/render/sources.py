"""Where the faces of tiles come from: our own drawings, or photographed ones from a data folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from scorer.render import art, buildings, court
from scorer.render.canvas import Image
from scorer.render.style import Style, draw_style

Rng = np.random.Generator


class Edition(Protocol):
    """The tiles of one copy of the game. Pictures are RGB uint8."""

    @property
    def style(self) -> Style: ...

    def domino(self, left: str, right: str, size: int, rng: Rng) -> Image:
        """(size, 2 * size, 3)"""
        ...

    def castle(self, colour: str, size: int, rng: Rng) -> Image:
        """(size, size, 3)"""
        ...

    def building(self, name: str, grey: bool, size: int, rng: Rng) -> Image:
        """(size, size, 3)"""
        ...

    def court(self, name: str, size: int, rng: Rng) -> Image:
        """A tile of The Court by its id, "" for one turned over, or a resource by its name: (size, size, 3)."""
        ...


class TileSource(Protocol):
    """Gives the edition that one table is played with."""

    def edition(self, rng: Rng) -> Edition: ...


@dataclass(frozen=True)
class DrawnEdition:
    """Our own art in one style."""

    style: Style

    def domino(self, left: str, right: str, size: int, rng: Rng) -> Image:
        return art.domino(left, right, size, self.style, rng)

    def castle(self, colour: str, size: int, rng: Rng) -> Image:
        return art.castle_tile(colour, size, self.style, rng)

    def building(self, name: str, grey: bool, size: int, rng: Rng) -> Image:
        return buildings.building_tile(name, grey, size, self.style, rng)

    def court(self, name: str, size: int, rng: Rng) -> Image:
        if not name:
            return court.back_tile(size, self.style, rng)
        for drawn, draw in (
            (court.CHARACTERS, court.character_tile),
            (court.BUILDINGS, court.building_tile),
            (court.RESOURCES.values(), court.resource_disc),
        ):
            if name in drawn:
                return draw(name, size, self.style, rng)
        raise KeyError(name)


@dataclass(frozen=True)
class DrawnTiles:
    """Our own art; `variety` 0 is the house style, 1 strong variation."""

    variety: float = 1.0

    def edition(self, rng: Rng) -> Edition:
        return DrawnEdition(draw_style(rng, variety=self.variety))


@dataclass(frozen=True)
class MixedTiles:
    """One of several sources for each table, by weight."""

    sources: Sequence[tuple[TileSource, float]]

    def edition(self, rng: Rng) -> Edition:
        weights = np.array([w for _, w in self.sources])
        return self.sources[int(rng.choice(len(self.sources), p=weights / weights.sum()))][0].edition(rng)
