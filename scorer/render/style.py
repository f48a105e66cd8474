"""The look of one printed copy of the game: palette, density of the drawing, crowns, castle."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np

from scorer.render.canvas import Colour

CASTLE_COLOURS = ("blue", "green", "red", "yellow", "orange", "purple", "white", "black")

_TERRAIN: dict[str, tuple[Colour, Colour]] = {
    "w": ((238, 188, 34), (242, 196, 40)),
    "f": ((58, 74, 30), (30, 84, 40)),
    "l": ((26, 106, 190), (40, 120, 210)),
    "g": ((120, 172, 44), (130, 196, 50)),
    "s": ((160, 128, 100), (120, 84, 54)),
    "m": ((42, 32, 28), (30, 28, 28)),
    "t": ((206, 84, 46), (206, 50, 36)),
}
"""Ground of a square, and sign on a building."""
_CASTLE: dict[str, Colour] = {
    "blue": (70, 130, 190),
    "green": (60, 120, 50),
    "red": (176, 44, 58),
    "yellow": (214, 190, 60),
    "orange": (220, 120, 40),
    "purple": (116, 70, 150),
    "white": (226, 224, 218),
    "black": (60, 58, 60),
}


@dataclass(frozen=True)
class Style:
    """One edition's look; every drawing function takes one."""

    ground: dict[str, Colour]
    castle: dict[str, Colour]
    sign: dict[str, Colour]
    density: float  # 0.4 sparse to 1.6 crowded
    stroke: float  # line width factor
    outline: Colour
    crown_size: float  # width of a crown in squares
    crown_badge: int  # 0 white rim, 1 dark disc, 2 dark rounded bar
    crown_fill: Colour
    border: float  # raggedness of the line between two terrains
    castle_look: int  # 0 paving, 1 plain with castle, 2 wooden frame, 3 courtyard
    mottle: float
    edge: Colour  # cardboard core seen from the side
    thickness: float  # of a domino, in squares
    corner: float  # rounding radius of a domino's corners, in squares
    fields: bool  # wheat drawn with stalks, or plain with birds


def _jitter(colour: Colour, rng: np.random.Generator, amount: float) -> Colour:
    hue, saturation, value = colorsys.rgb_to_hsv(*(c / 255 for c in colour))
    hue = (hue + rng.normal(0, 0.018 * amount)) % 1
    saturation = float(np.clip(saturation * (1 + rng.normal(0, 0.14 * amount)), 0, 1))
    value = float(np.clip(value * (1 + rng.normal(0, 0.13 * amount)), 0.05, 1))
    r, g, b = (round(255 * c) for c in colorsys.hsv_to_rgb(hue, saturation, value))
    return r, g, b


def draw_style(rng: np.random.Generator, *, variety: float = 1.0) -> Style:
    """A random edition; variety 0 is the house style of the shipped samples, 1 is strong variation."""

    def vary(low: float, usual: float, high: float) -> float:
        return usual + variety * (float(rng.triangular(low, usual, high)) - usual)

    return Style(
        ground={k: _jitter(c, rng, variety) for k, (c, _) in _TERRAIN.items()},
        castle={k: _jitter(c, rng, 0.6 * variety) for k, c in _CASTLE.items()},
        sign={k: _jitter(c, rng, 0.5 * variety) for k, (_, c) in _TERRAIN.items()},
        density=vary(0.4, 1.0, 1.7),
        stroke=vary(0.6, 1.0, 1.7),
        outline=_jitter((70, 44, 24), rng, variety),
        crown_size=vary(0.2, 0.26, 0.34),
        crown_badge=int(rng.choice(3, p=(0.6, 0.2, 0.2))) if variety else 0,
        crown_fill=_jitter((246, 208, 60), rng, 0.7 * variety),
        border=vary(0.0, 0.5, 1.2),
        castle_look=int(rng.integers(5)) if variety else 1,
        mottle=vary(0.0, 0.04, 0.1),
        edge=_jitter((198, 186, 166), rng, variety) if rng.random() < 0.7 or not variety else (52, 46, 42),
        thickness=vary(0.03, 0.08, 0.14),
        corner=vary(0.0, 0.03, 0.07),
        fields=bool(rng.random() < 0.4) if variety else True,
    )
