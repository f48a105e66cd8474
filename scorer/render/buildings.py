"""Our own drawings of Queendomino's building tiles: a picture, and the symbols that decide their points."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from scorer.render.art import crown
from scorer.render.building_pictures import draw_picture
from scorer.render.canvas import DARK, WHITE, Canvas, Colour, Image, blend, shade
from scorer.render.style import Style

Rng = np.random.Generator


@dataclass(frozen=True)
class Symbols:
    """What is printed on a building's face."""

    shield: int = 0  # number on the shield, 0 for none
    terrain: str = ""  # letter of the terrain whose cross stands behind the number
    per: str = ""  # "tower" or "knight" behind the number
    crowns: int = 0
    label: str = ""  # the Safes' coin label: "tower" or "knight"
    gives: tuple[str, ...] = ()  # printed on the grey side: what one gets at once


SYMBOLS: dict[str, Symbols] = {
    "bakery": Symbols(2, "w"),
    "sawmill": Symbols(2, "f"),
    "fishmonger": Symbols(2, "l"),
    "weaving_shop": Symbols(2, "g"),
    "magic_school": Symbols(2, "s", gives=("knight", "tower")),
    "foundry": Symbols(2, "m"),
    "church": Symbols(2, "t"),
    "safe_of_knights": Symbols(2, label="knight"),
    "safe_of_towers": Symbols(2, label="tower", gives=("tower",)),
    "small_tavern": Symbols(3, gives=("knight", "knight")),
    "big_tavern": Symbols(2, gives=("knight", "knight", "knight")),
    "guardtower": Symbols(3),
    "fortified_castle": Symbols(3, gives=("tower", "tower")),
    "travelling_castle": Symbols(1, per="tower", gives=("tower",)),
    "training_camp": Symbols(1, per="knight", gives=("knight",)),
    "statue": Symbols(5),
    "queens_tower": Symbols(0, crowns=1),
}
COPIES: dict[str, int] = {
    "safe_of_knights": 1,
    "safe_of_towers": 1,
    "big_tavern": 1,
    "fortified_castle": 1,
    "statue": 3,
    "queens_tower": 3,
}  # all others: two


def sign(c: Canvas, what: str, x: float, y: float, height: float, colour: Colour) -> None:
    """The flat silhouette of a knight or a tower."""
    h = height
    if what == "tower":
        c.polygon(
            [
                (x - 0.36 * h, y - 0.5 * h),
                (x - 0.18 * h, y - 0.5 * h),
                (x - 0.18 * h, y - 0.38 * h),
                (x - 0.08 * h, y - 0.38 * h),
                (x - 0.08 * h, y - 0.5 * h),
                (x + 0.08 * h, y - 0.5 * h),
                (x + 0.08 * h, y - 0.38 * h),
                (x + 0.18 * h, y - 0.38 * h),
                (x + 0.18 * h, y - 0.5 * h),
                (x + 0.36 * h, y - 0.5 * h),
                (x + 0.3 * h, y - 0.2 * h),
                (x + 0.2 * h, y - 0.12 * h),
                (x + 0.24 * h, y + 0.5 * h),
                (x - 0.24 * h, y + 0.5 * h),
                (x - 0.2 * h, y - 0.12 * h),
                (x - 0.3 * h, y - 0.2 * h),
            ],
            colour,
        )
        return
    c.disc(x, y - 0.32 * h, 0.18 * h, colour)
    c.polygon(
        [
            (x - 0.12 * h, y - 0.2 * h),
            (x - 0.38 * h, y),
            (x - 0.3 * h, y + 0.22 * h),
            (x - 0.2 * h, y + 0.14 * h),
            (x - 0.28 * h, y + 0.5 * h),
            (x - 0.04 * h, y + 0.5 * h),
            (x, y + 0.3 * h),
            (x + 0.06 * h, y + 0.5 * h),
            (x + 0.3 * h, y + 0.5 * h),
            (x + 0.2 * h, y + 0.1 * h),
            (x + 0.4 * h, y + 0.12 * h),
            (x + 0.4 * h, y - 0.1 * h),
            (x + 0.12 * h, y - 0.2 * h),
        ],
        colour,
    )


def cross(c: Canvas, x: float, y: float, size: float, colour: Colour, bars: float = 0.26) -> None:
    """The coloured cross that stands for a terrain's territories."""
    for width, paint in ((bars + 0.1, WHITE), (bars, colour)):
        reach = 0.5 * size if paint == WHITE else 0.44 * size
        c.line([(x - reach, y - reach), (x + reach, y + reach)], paint, width * size)
        c.line([(x - reach, y + reach), (x + reach, y - reach)], paint, width * size)


FONTS = (
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX | cv2.FONT_ITALIC,
)


def shield(c: Canvas, x: float, y: float, size: float, number: int, rng: Rng) -> None:
    """The white shield with the points."""
    shape = np.array(
        [
            (-0.5, -0.5),
            (0, -0.42),
            (0.5, -0.5),
            (0.5, 0.12),
            (0.3, 0.42),
            (0, 0.6),
            (-0.3, 0.42),
            (-0.5, 0.12),
        ]
    )
    shape = shape * (1, float(rng.uniform(0.95, 1.2)))
    c.polygon(shape * 1.12 * size + (x, y), WHITE)
    c.polygon(shape * size + (x, y), DARK)
    c.polygon(shape * float(rng.uniform(0.8, 0.9)) * size + (x, y), WHITE)
    font = FONTS[int(rng.integers(len(FONTS)))]
    height = float(rng.uniform(0.46, 0.64)) * size
    c.text(x, y - 0.02 * size, str(number), DARK, height, bold=float(rng.uniform(0.07, 0.14)) * size, font=font)


def building_tile(
    name: str, grey: bool, size: int, style: Style, rng: Rng, *, picture: str | None = None, variety: float = 1.0
) -> Image:
    """One face of a building tile: RGB uint8 (size, size, 3); red side, or the grey one that does not count.

    `picture` draws another building's picture beside this one's symbols; `variety` moves and resizes the symbols.
    """
    symbols = SYMBOLS[name]
    ground: Colour = blend((196, 186, 176), style.ground["t"], 0.04) if grey else style.ground["t"]
    c = Canvas(size, ground)
    for x, y in rng.uniform(0.04, 0.96, (round(34 * style.density), 2)):
        c.ellipse(float(x), float(y), 0.018, 0.007, shade(ground, float(rng.choice((0.84, 1.12)))))
    draw_picture(c, picture or name, style, rng)
    if grey and name != "queens_tower":
        # The grey side shows the picture smaller and paler.
        c.pixels = (0.55 * c.pixels + 0.45 * np.asarray(ground)).astype(np.uint8)

    def near(value: float, by: float) -> float:
        return value + variety * float(rng.uniform(-by, by))

    tone = round(near(64, 20))
    signs: Colour = (tone + 6, tone, tone - 4)
    y, wide = near(0.82, 0.03), near(0.17, 0.025)
    first = near(0.66, 0.03)
    slash = bool(rng.random() < 0.5)
    if symbols.terrain:
        shield(c, first, y, wide, symbols.shield, rng)
        colour = style.sign[symbols.terrain]
        colour = blend(colour, (180, 150, 110), 0.35) if grey and slash else colour
        if slash:
            c.line([(first + 0.095, y + 0.07), (first + 0.135, y - 0.07)], WHITE, 0.015)
        at = first + (0.2 if slash else near(0.155, 0.025))
        cross(c, at, near(y, 0.01), near(0.15, 0.02), colour, near(0.26, 0.06))
    elif symbols.per:
        shield(c, first, y, wide, symbols.shield, rng)
        c.line([(first + 0.095, y + 0.07), (first + 0.135, y - 0.07)], WHITE, 0.015)
        sign(c, symbols.per, first + 0.215, y, near(0.17, 0.02), signs)
    elif symbols.shield:
        shield(c, near(0.82, 0.03), y, wide, symbols.shield, rng)
    if symbols.label:
        c.polygon([(0.07, 0.75), (0.49, 0.74), (0.5, 0.92), (0.06, 0.93)], WHITE)
        c.line([(0.1, 0.84), (0.18, 0.84)], DARK, 0.02)
        c.line([(0.14, 0.8), (0.14, 0.88)], DARK, 0.02)
        c.disc(0.26, 0.84, near(0.055, 0.01), (186, 104, 60))
        c.line([(0.335, 0.9), (0.365, 0.78)], DARK, 0.014)
        sign(c, symbols.label, 0.43, 0.835, near(0.14, 0.015), signs)
    for k in range(symbols.crowns):
        crown(c, near(0.78, 0.04) - 0.26 * k, near(0.17, 0.03), near(0.25, 0.04), style)
    if grey:
        for k, what in enumerate(symbols.gives):
            sign(c, what, 0.13 + 0.13 * k, near(0.17, 0.02), near(0.17, 0.02), signs)
    return c.pixels
