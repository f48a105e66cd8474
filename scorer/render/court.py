"""Our own drawings of The Court: character tiles, building tiles, resource discs."""

from __future__ import annotations

import numpy as np

from scorer.render.art import crown
from scorer.render.buildings import sign
from scorer.render.canvas import DARK, WHITE, Canvas, Colour, Image, blend, regular, shade
from scorer.render.style import Style
from scorer.render.terrains import house

Rng = np.random.Generator

INK: Colour = (70, 10, 24)
RESOURCES = {"w": "wheat", "f": "wood", "l": "fish", "g": "sheep"}
_DISC: dict[str, Colour] = {
    "wheat": (240, 196, 60),
    "wood": (70, 112, 44),
    "fish": (50, 140, 190),
    "sheep": (176, 196, 90),
}
# Base points, what the bonus counts ("" for none), the colours of the dress: upper, lower.
CHARACTERS: dict[str, tuple[str, str, Colour, Colour]] = {
    "farmer": ("3", "wheat", (240, 236, 226), (150, 140, 90)),
    "lumberjack": ("3", "wood", (96, 78, 70), (190, 150, 90)),
    "fisherman": ("3", "fish", (120, 100, 70), (30, 70, 150)),
    "shepherdess": ("3", "sheep", (150, 130, 90), (236, 234, 226)),
    "merchant": ("2", "any", (214, 50, 30), (240, 180, 40)),
    "captain": ("1", "swords", (120, 130, 150), (210, 50, 40)),
    "light_archer": ("4", "", (190, 200, 212), (200, 60, 50)),
    "heavy_archer": ("4", "", (130, 156, 176), (120, 146, 166)),
    "axe_warrior": ("3", "", (120, 140, 160), (240, 150, 40)),
    "sword_warrior": ("3", "", (130, 150, 170), (200, 60, 40)),
    "king": ("", "crown", (60, 70, 130), (200, 40, 40)),
    "queen": ("2", "figure", (180, 40, 70), (150, 30, 60)),
}
WARRIORS = ("captain", "light_archer", "heavy_archer", "axe_warrior", "sword_warrior")
BUILDINGS: dict[str, tuple[str, int]] = {
    "wheat1": ("w", 1),
    "forest1": ("f", 1),
    "lake1": ("l", 1),
    "grassland1": ("g", 1),
    "grassland2": ("g", 2),
    "swamp1": ("s", 1),
    "swamp2": ("s", 2),
}


def _emblem(c: Canvas, what: str, x: float, y: float, size: float, style: Style) -> None:
    """A small sign for what a bonus counts or a disc shows."""
    if what in _DISC:
        c.disc(x, y, 0.5 * size, _DISC[what])
        s = 0.3 * size
        if what == "wheat":
            for k in (-1, 0, 1):
                c.line([(x - 0.6 * s, y + s), (x + 0.5 * s + 0.4 * k * s, y - s)], (150, 100, 30), 0.12 * size)
        elif what == "wood":
            c.line([(x - s, y + 0.5 * s), (x + s, y - 0.5 * s)], (120, 76, 40), 0.3 * size)
            c.disc(x + s, y - 0.5 * s, 0.14 * size, (214, 170, 110))
        elif what == "fish":
            c.ellipse(x, y, s, 0.5 * s, (150, 190, 210))
            c.polygon([(x + 0.7 * s, y), (x + 1.3 * s, y - 0.5 * s), (x + 1.3 * s, y + 0.5 * s)], (150, 190, 210))
        else:
            c.ellipse(x, y, s, 0.7 * s, WHITE)
            c.disc(x - s, y - 0.2 * s, 0.12 * size, DARK)
    elif what == "any":
        for k, kind in enumerate(_DISC):
            _emblem(
                c, kind, x + 0.28 * size * (2 * (k % 2) - 1), y + 0.28 * size * (2 * (k // 2) - 1), 0.55 * size, style
            )
    elif what == "swords":
        for side in (-1, 1):
            c.line(
                [(x - 0.45 * side * size, y - 0.45 * size), (x + 0.35 * side * size, y + 0.4 * size)], INK, 0.1 * size
            )
    elif what == "crown":
        crown(c, x, y, size, style)
    elif what == "figure":
        c.disc(x, y - 0.22 * size, 0.24 * size, INK)
        c.ellipse(x, y + 0.3 * size, 0.4 * size, 0.26 * size, INK)


def character_tile(name: str, size: int, style: Style, rng: Rng) -> Image:
    """A character of The Court on white: RGB uint8 (size, size, 3)."""
    base, bonus, upper, lower = CHARACTERS[name]
    c = Canvas(size, blend(WHITE, (236, 226, 200), float(rng.uniform(0, 0.6))))
    c.line([(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99)], (60, 56, 54), 0.02, closed=True)
    x, y = 0.5 + float(rng.uniform(-0.05, 0.05)), 0.5 + float(rng.uniform(-0.04, 0.04))
    wide = float(rng.uniform(0.14, 0.24))
    c.polygon([(x - wide, y + 0.34), (x - 0.7 * wide, y - 0.1), (x + 0.7 * wide, y - 0.1), (x + wide, y + 0.34)], lower)
    c.polygon([(x - wide, y + 0.1), (x - 0.8 * wide, y - 0.16), (x + 0.8 * wide, y - 0.16), (x + wide, y + 0.1)], upper)
    c.disc(x, y - 0.24, 0.09, (236, 196, 164))
    c.disc(x, y - 0.29, 0.08, shade(upper, 0.7))
    tool = float(rng.uniform(-0.3, 0.3))
    c.line([(x + wide, y + 0.25), (x + wide + tool * 0.5, y - 0.35)], (120, 84, 50), 0.03 * style.stroke)
    _emblem(c, "figure", 0.13, 0.14, 0.15, style)
    if name in WARRIORS:
        _emblem(c, "swords", 0.85, 0.15, 0.16, style)
    c.text(0.13, 0.87, base, INK, 0.13, bold=0.03)
    if bonus:
        c.text(0.66, 0.87, "+1/" if name == "king" else "+2/" if base == "2" else "+3/", INK, 0.1, bold=0.025)
        _emblem(c, bonus, 0.86, 0.86, 0.15, style)
    return c.pixels


def building_tile(name: str, size: int, style: Style, rng: Rng) -> Image:
    """A Court building on its terrain's ground, with its crowns: RGB uint8 (size, size, 3)."""
    terrain, crowns = BUILDINGS[name]
    c = Canvas(size, blend(style.ground[terrain], WHITE, float(rng.uniform(0.1, 0.45))))
    c.line(
        [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98)], shade(style.ground[terrain], 0.6), 0.04, closed=True
    )
    roof = ((170, 74, 50), (96, 66, 44), (80, 90, 120), (150, 130, 60))[int(rng.integers(4))]
    house(c, 0.5, 0.6, float(rng.uniform(0.5, 0.75)), roof, (206, 190, 160), style, turn=float(rng.uniform(-0.2, 0.2)))
    for k in range(crowns):
        crown(c, 0.2 + 0.3 * k, 0.18, 0.24, style)
    return c.pixels


def back_tile(size: int, style: Style, rng: Rng) -> Image:
    """A Court tile turned over: RGB uint8 (size, size, 3)."""
    ground: Colour = ((96, 30, 40), (70, 70, 78), (60, 80, 60), (200, 190, 170))[int(rng.integers(4))]
    c = Canvas(size, ground)
    c.line([(0.06, 0.06), (0.94, 0.06), (0.94, 0.94), (0.06, 0.94)], shade(ground, 1.4), 0.03, closed=True)
    crown(c, 0.5, 0.45, 0.4, style)
    sign(c, "knight", 0.5, 0.75, 0.2, shade(ground, 1.5))
    return c.pixels


def resource_disc(name: str, size: int, style: Style, rng: Rng) -> Image:
    """The face of a resource, to be cut round: RGB uint8 (size, size, 3)."""
    c = Canvas(size, shade(_DISC[name], float(rng.uniform(0.85, 1.15))))
    c.polygon(regular(24, 0.5, 0.5, 0.48, rng, 0.0), shade(_DISC[name], float(rng.uniform(0.85, 1.2))))
    _emblem(c, name, 0.5, 0.5, float(rng.uniform(0.75, 0.95)), style)
    return c.pixels
