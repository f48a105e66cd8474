"""Our own drawings of squares, crowns, dominoes and castle tiles."""

from __future__ import annotations

import cv2
import numpy as np

from scorer.render.canvas import DARK, WHITE, Canvas, Colour, Image, blend, mottle, regular, shade
from scorer.render.style import Style
from scorer.render.terrains import DRAW

Rng = np.random.Generator


_CROWN = np.array(
    [
        (0.06, 1.0),
        (0.0, 0.32),
        (0.12, 0.3),
        (0.26, 0.62),
        (0.3, 0.12),
        (0.4, 0.08),
        (0.5, 0.52),
        (0.6, 0.08),
        (0.7, 0.12),
        (0.74, 0.62),
        (0.88, 0.3),
        (1.0, 0.32),
        (0.94, 1.0),
    ]
)


def crown(c: Canvas, x: float, y: float, width: float, style: Style) -> None:
    """One crown centred on (x, y), with a light rim as printed on the dominoes."""
    shape = (_CROWN - 0.5) * (width, 0.72 * width) + (x, y)
    c.line(shape, DARK, 0.30 * width, closed=True)
    c.line(shape, WHITE, 0.22 * width, closed=True)
    c.polygon(shape, style.crown_fill)
    c.line(shape, (120, 92, 40), 0.06 * width, closed=True)
    for px in (-0.3, 0.0, 0.3):
        c.disc(x + px * width, y + 0.18 * width, 0.05 * width, (214, 120, 50))


def crowns_on(c: Canvas, crowns: int, style: Style, *, right: bool) -> None:
    """Puts the crowns where a domino has them: in a row from its outer upper corner."""
    width = style.crown_size if crowns < 3 else min(style.crown_size, 0.27)
    step = 1.12 * width
    y = 0.5 * width + 0.05
    if style.crown_badge == 1:
        for k in range(crowns):
            x = 0.05 + width / 2 + k * step
            c.disc(1 - x if right else x, y, 0.6 * width, (58, 44, 36))
    elif style.crown_badge == 2 and crowns:
        x0, x1 = 0.03 + 0.1 * width, 0.05 + width + (crowns - 1) * step
        ends = [(1 - x0, y), (1 - x1, y)] if right else [(x0 + 0.3 * width, y), (x1 - 0.2 * width, y)]
        c.line(ends, (58, 44, 36), 1.05 * width)
    for k in range(crowns):
        x = 0.06 + width / 2 + k * step
        crown(c, 1 - x if right else x, y, width * (0.7 if style.crown_badge else 0.86), style)


def square(cell: str, size: int, style: Style, rng: Rng, *, right: bool = False) -> Image:
    """One terrain square such as "w0" or "m3": RGB uint8 (size, size, 3)."""
    terrain, crowns = cell[0], int(cell[1:] or 0)
    c = Canvas(size, style.ground[terrain])
    if style.mottle:
        c.pixels = mottle(c.pixels, rng, cells=5, strength=style.mottle)
    DRAW[terrain](c, crowns, style, rng)
    crowns_on(c, crowns, style, right=right)
    return c.pixels


def domino(left: str, right: str, size: int, style: Style, rng: Rng) -> Image:
    """A whole domino: RGB uint8 (size, 2 * size, 3)."""
    c = Canvas(size, (0, 0, 0), aspect=2.0)
    c.pixels[:, :size] = square(left, size, style, rng)
    c.pixels[:, size:] = square(right, size, style, rng, right=True)
    t = np.linspace(-0.02, 1.02, 22)
    wobble = 1 + 0.018 * style.border * rng.standard_normal(22)
    if left[0] != right[0]:
        c.line(np.stack([wobble, t], 1), style.outline, 0.022 * (0.5 + style.border))
    elif rng.random() < 0.5:
        faint = shade(style.ground[left[0]], 0.6)
        for y, x in zip(t[::2], wobble[::2], strict=True):
            c.disc(float(x), float(y), 0.014, faint)
    return c.pixels


def castle_tile(colour: str, size: int, style: Style, rng: Rng) -> Image:
    """A starting tile of one of several editions' looks: RGB uint8 (size, size, 3)."""
    paint = style.castle[colour]
    stone: Colour = blend((188, 172, 150), paint, 0.06)
    c = Canvas(size, stone)
    look = style.castle_look
    if look in (0, 4):
        c = Canvas(size, shade(stone, 1.1))
        steps = int(rng.integers(9, 15))
        emblem = look == 0
        outline = ((_CROWN - 0.5) * (0.78, 0.6) + 0.5).astype(np.float32)
        for row in range(steps):
            for column in range(steps):
                x = (column + 0.5 + rng.uniform(-0.18, 0.18)) / steps
                y = (row + 0.5 + rng.uniform(-0.18, 0.18)) / steps
                inside = emblem and cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0
                colour_here = paint if inside else shade(stone, float(rng.uniform(0.62, 0.92)))
                c.polygon(regular(6, x, y, 0.46 / steps, rng, 0.12), colour_here)
        c.line([(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98)], paint, 0.05, closed=True)
        if not emblem:
            _keep(c, paint, style)
    elif look == 1:
        c.line([(0.03, 0.03), (0.97, 0.03), (0.97, 0.97), (0.03, 0.97)], shade(paint, 0.9), 0.03, closed=True)
        _keep(c, paint, style)
    elif look == 2:
        wood = blend((120, 130, 130), paint, 0.3)
        c.polygon([(0, 0), (1, 0), (1, 1), (0, 1)], blend((150, 190, 60), stone, 0.3))
        c.polygon([(0.14, 0.14), (0.86, 0.14), (0.86, 0.86), (0.14, 0.86)], (96, 90, 78))
        for a in (0.12, 0.88):
            c.line([(0.05, a), (0.95, a)], wood, 0.07)
            c.line([(a, 0.05), (a, 0.95)], wood, 0.07)
    else:
        c.polygon([(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)], shade(paint, 1.1))
        c.polygon([(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)], shade(stone, 1.05))
        for x in (0.16, 0.84):
            for y in (0.16, 0.84):
                c.disc(x, y, 0.13, shade(stone, 0.7))
                c.disc(x, y, 0.09, paint)
        crown(c, 0.5, 0.5, 0.34, style)
    return c.pixels


def _keep(c: Canvas, paint: Colour, style: Style) -> None:
    """A castle seen from the front, with two towers and a gate."""
    wall: Colour = blend(paint, (236, 230, 216), 0.25)
    for x in (0.2, 0.62):
        c.polygon([(x, 0.82), (x, 0.3), (x + 0.18, 0.3), (x + 0.18, 0.82)], shade(wall, 0.9))
        c.polygon([(x - 0.03, 0.3), (x + 0.09, 0.1), (x + 0.21, 0.3)], shade(paint, 0.75))
        for k in range(2):
            c.polygon(
                [
                    (x + 0.05, 0.4 + 0.15 * k),
                    (x + 0.12, 0.4 + 0.15 * k),
                    (x + 0.12, 0.48 + 0.15 * k),
                    (x + 0.05, 0.48 + 0.15 * k),
                ],
                DARK,
            )
    c.polygon([(0.34, 0.82), (0.34, 0.46), (0.66, 0.46), (0.66, 0.82)], wall)
    for x in (0.36, 0.46, 0.56):
        c.polygon([(x, 0.47), (x, 0.4), (x + 0.06, 0.4), (x + 0.06, 0.47)], wall)
    c.ellipse(0.5, 0.72, 0.08, 0.12, style.outline)
    c.polygon([(0.42, 0.72), (0.58, 0.72), (0.58, 0.83), (0.42, 0.83)], style.outline)


def domino_back(number: str, size: int, style: Style, rng: Rng) -> Image:
    """The back of a domino with its number on paving: RGB uint8 (size, 2 * size, 3)."""
    c = Canvas(size, (84, 76, 70), aspect=2.0)
    for row in range(5):
        for column in range(10):
            x, y = (column + 0.5 + rng.uniform(-0.2, 0.2)) / 5, (row + 0.5 + rng.uniform(-0.2, 0.2)) / 5
            c.polygon(regular(7, x, y, 0.095, rng, 0.12), shade((150, 138, 122), float(rng.uniform(0.5, 0.95))))
    c.ellipse(1.0, 0.5, 0.32, 0.3, (70, 64, 66))
    c.text(1.0, 0.5, number, (226, 226, 232), 0.28, bold=0.04)
    return c.pixels
