"""Our own drawings of Queendomino's building tiles: a picture, and the symbols that decide their points."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from scorer.render.art import DARK, WHITE, _house, crown
from scorer.render.canvas import Canvas, Colour, Image, blend, regular, shade
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


def _picture(c: Canvas, name: str, style: Style, rng: Rng) -> None:
    """A drawing that hints at the building; the symbols carry the meaning."""
    stone: Colour = blend((206, 196, 178), style.ground["t"], 0.06)
    roof: Colour = (170, 74, 50)
    x, y = 0.5 + float(rng.uniform(-0.04, 0.04)), 0.48 + float(rng.uniform(-0.03, 0.03))
    line = 0.012 * style.stroke
    if name in ("guardtower", "queens_tower", "fortified_castle", "travelling_castle", "statue", "church"):
        towers = {"fortified_castle": 2, "travelling_castle": 3, "church": 1}.get(name, 1)
        for k in range(towers):
            tx = x + 0.2 * (k - (towers - 1) / 2)
            ty = y + 0.05 * (k % 2)
            wide = 0.09 if name != "statue" else 0.05
            c.polygon(
                [
                    (tx - wide, ty + 0.24),
                    (tx - 0.8 * wide, ty - 0.14),
                    (tx + 0.8 * wide, ty - 0.14),
                    (tx + wide, ty + 0.24),
                ],
                stone,
            )
            c.polygon(
                [(tx, ty + 0.24), (tx, ty - 0.14), (tx + 0.8 * wide, ty - 0.14), (tx + wide, ty + 0.24)],
                shade(stone, 0.82),
            )
            top = shade((70, 110, 80), 1.0) if name == "queens_tower" else roof
            if name == "statue":
                c.disc(tx, ty - 0.2, 0.07, (214, 180, 70))
                c.polygon(
                    [
                        (tx - 0.12, ty + 0.3),
                        (tx - 0.12, ty + 0.2),
                        (tx + 0.12, ty + 0.2),
                        (tx + 0.12, ty + 0.3),
                    ],
                    shade(stone, 0.7),
                )
            elif name in ("guardtower", "fortified_castle"):
                for m in range(3):
                    mx = tx - wide + 0.08 * m
                    c.polygon(
                        [(mx, ty - 0.14), (mx, ty - 0.2), (mx + 0.05, ty - 0.2), (mx + 0.05, ty - 0.14)],
                        stone,
                    )
            else:
                c.polygon([(tx - 1.4 * wide, ty - 0.12), (tx, ty - 0.32), (tx + 1.4 * wide, ty - 0.12)], top)
            c.disc(tx, ty + 0.02, 0.02, DARK)
        if name == "travelling_castle":
            for k in (-1, 0, 1):
                c.line([(x + 0.16 * k, y + 0.24), (x + 0.26 * k, y + 0.38)], (120, 74, 44), 0.04)
        return
    if name in ("safe_of_knights", "safe_of_towers"):
        c.ellipse(x, y, 0.22, 0.16, roof)
        c.polygon([(x - 0.22, y), (x + 0.22, y), (x + 0.22, y + 0.18), (x - 0.22, y + 0.18)], stone)
        c.polygon(
            [(x + 0.02, y + 0.04), (x + 0.16, y + 0.04), (x + 0.16, y + 0.18), (x + 0.02, y + 0.18)],
            (90, 60, 40),
        )
        for _ in range(6):
            c.disc(x + float(rng.uniform(-0.2, 0)), y + float(rng.uniform(0.14, 0.2)), 0.022, (244, 200, 60))
        return
    if name == "training_camp":
        for k in range(9):
            a = np.pi * (1.05 + 0.9 * k / 8)
            px, py = x + 0.3 * np.cos(a), y + 0.1 + 0.22 * np.sin(a)
            c.line([(px, py), (px, py - 0.12)], (110, 72, 44), 0.05)
        for k in range(4):
            tx, ty = x - 0.14 + 0.09 * k, y - 0.02 + 0.03 * (k % 2)
            c.disc(tx, ty, 0.045, WHITE)
            c.disc(tx, ty, 0.025, (180, 60, 50))
        for k in range(3):
            c.disc(x - 0.22 + 0.11 * k, y + 0.18, 0.025, (236, 196, 150))
            c.polygon(regular(5, x - 0.22 + 0.11 * k, y + 0.25, 0.045, rng, 0.1), (80, 130, 200))
        return
    if name in ("small_tavern", "big_tavern"):
        big = 0.17 if name == "big_tavern" else 0.13
        if name == "small_tavern":
            _house(c, x + 0.08, y - 0.02, 0.46, roof, stone, style)
        c.ellipse(x - 0.08, y + 0.08, big, 1.1 * big, (136, 84, 48))
        for k in (-1, 0, 1):
            c.line(
                [(x - 0.08 - big, y + 0.08 + 0.08 * k), (x - 0.08 + big, y + 0.08 + 0.08 * k)],
                (84, 52, 32),
                line,
            )
        return
    if name == "magic_school":
        c.ellipse(x, y + 0.2, 0.24, 0.08, (110, 90, 70))
        c.polygon([(x - 0.12, y + 0.2), (x - 0.12, y - 0.02), (x + 0.14, y - 0.02), (x + 0.14, y + 0.2)], stone)
        c.polygon(
            [
                (x - 0.24, y + 0.03),
                (x + 0.06, y - 0.36),
                (x + 0.2, y - 0.3),
                (x + 0.1, y - 0.22),
                (x + 0.24, y + 0.03),
            ],
            (60, 44, 44),
        )
        c.line([(x - 0.18, y), (x + 0.2, y)], (190, 50, 40), 0.06)
        return
    _house(c, x, y, 0.5, roof, stone, style, turn=float(rng.uniform(-0.15, 0.15)))
    if name == "weaving_shop":
        c.ellipse(x + 0.02, y + 0.05, 0.15, 0.16, (110, 66, 40), width=0.03)
        for k in range(4):
            a = k * np.pi / 4
            c.line(
                [
                    (x + 0.02 - 0.15 * np.cos(a), y + 0.05 - 0.16 * np.sin(a)),
                    (x + 0.02 + 0.15 * np.cos(a), y + 0.05 + 0.16 * np.sin(a)),
                ],
                (110, 66, 40),
                0.016,
            )
    elif name == "foundry":
        c.polygon([(x - 0.28, y + 0.2), (x - 0.24, y - 0.3), (x - 0.14, y - 0.3), (x - 0.1, y + 0.2)], (90, 84, 84))
        c.disc(x - 0.16, y - 0.36, 0.06, (130, 126, 124))
        c.disc(x - 0.18, y + 0.1, 0.05, (250, 140, 40))
    elif name == "sawmill":
        for k in range(3):
            c.line([(x - 0.3, y + 0.22 + 0.05 * k), (x + 0.1, y + 0.28 + 0.05 * k)], (150, 100, 56), 0.045)
        c.disc(x + 0.26, y + 0.16, 0.1, (190, 190, 196))
        c.disc(x + 0.26, y + 0.16, 0.03, DARK)


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
    _picture(c, picture or name, style, rng)
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
