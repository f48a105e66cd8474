"""Our own drawings of the seven terrains, without crowns."""

from __future__ import annotations

import numpy as np

from scorer.render.canvas import DARK, WHITE, Canvas, Colour, Point, blend, regular, shade
from scorer.render.style import Style

Rng = np.random.Generator


def _scatter(rng: Rng, count: float | np.integer, margin: float = 0.08) -> list[Point]:
    number = max(0, round(count))
    return [(float(x), float(y)) for x, y in rng.uniform(margin, 1 - margin, (number, 2))]


def house(
    c: Canvas, x: float, y: float, size: float, roof: Colour, wall: Colour, style: Style, *, turn: float = 0.0
) -> None:
    """A little house in a slanted view: one wall, one gable, a two-sided roof."""
    cos, sin = np.cos(turn), np.sin(turn)

    def at(*points: Point) -> list[Point]:
        return [(x + size * (px * cos - py * sin), y + size * (px * sin + py * cos)) for px, py in points]

    line = 0.012 * style.stroke
    c.polygon(at((-0.5, 0.0), (0.1, 0.15), (0.1, 0.5), (-0.5, 0.3)), wall)
    c.polygon(at((0.1, 0.15), (0.32, -0.2), (0.5, 0.0), (0.5, 0.3), (0.1, 0.5)), shade(wall, 0.8))
    c.polygon(at((-0.55, 0.04), (-0.3, -0.42), (0.33, -0.26), (0.12, 0.2)), roof)
    c.polygon(at((0.33, -0.26), (0.12, 0.2), (0.2, 0.18), (0.34, -0.08), (0.5, 0.06), (0.54, 0.0)), shade(roof, 0.7))
    c.line(at((-0.55, 0.04), (-0.3, -0.42), (0.33, -0.26), (0.12, 0.2)), shade(roof, 0.55), line, closed=True)
    c.line(at((-0.4, 0.06), (-0.15, -0.38)), shade(roof, 0.8), line)
    c.line(at((-0.15, 0.13), (0.08, -0.33)), shade(roof, 0.8), line)
    c.polygon(at((-0.25, 0.2), (-0.1, 0.24), (-0.1, 0.42), (-0.25, 0.37)), style.outline)


def wheat(c: Canvas, crowns: int, style: Style, rng: Rng) -> None:
    ground = style.ground["w"]
    if style.fields:
        slope = float(rng.uniform(-0.06, 0.06))
        for x, y in _scatter(rng, 34 * style.density, 0.04):
            tall = float(rng.uniform(0.05, 0.09))
            colour = shade(ground, float(rng.choice((0.8, 0.88, 1.1))))
            c.line([(x, y), (x + slope, y - tall)], colour, 0.012 * style.stroke)
            c.ellipse(x + slope, y - tall, 0.009, 0.024, colour, turn=10)
    for x, y in _scatter(rng, rng.integers(0, 4), 0.15):
        span = float(rng.uniform(0.015, 0.035))
        c.line([(x - span, y - span), (x, y), (x + span, y - span)], DARK, 0.01 * style.stroke)
    if not crowns:
        return
    x, y = rng.uniform(0.42, 0.6), rng.uniform(0.5, 0.62)
    c.ellipse(x + 0.06, y + 0.14, 0.2, 0.07, shade(ground, 0.75))
    brown = blend(style.outline, (150, 96, 50), 0.6)
    c.polygon([(x - 0.13, y + 0.17), (x - 0.07, y - 0.1), (x + 0.07, y - 0.1), (x + 0.13, y + 0.17)], brown)
    c.polygon([(x - 0.1, y - 0.08), (x, y - 0.2), (x + 0.1, y - 0.08)], shade(brown, 0.65))
    turn = float(rng.uniform(0, np.pi / 2))
    for k in range(4):
        dx, dy = np.cos(turn + k * np.pi / 2), np.sin(turn + k * np.pi / 2)
        ox, oy = x, y - 0.06
        wide = 0.035
        blade = [
            (ox + 0.05 * dx - wide * dy, oy + 0.05 * dy + wide * dx),
            (ox + 0.3 * dx - wide * dy, oy + 0.3 * dy + wide * dx),
            (ox + 0.3 * dx + wide * dy, oy + 0.3 * dy - wide * dx),
            (ox + 0.05 * dx + wide * dy, oy + 0.05 * dy - wide * dx),
        ]
        c.polygon(blade, WHITE)
        c.line(blade, style.outline, 0.01 * style.stroke, closed=True)
        for step in (0.1, 0.17, 0.24):
            c.line(
                [
                    (ox + step * dx - wide * dy, oy + step * dy + wide * dx),
                    (ox + step * dx + wide * dy, oy + step * dy - wide * dx),
                ],
                style.outline,
                0.01 * style.stroke,
            )
        c.line([(ox, oy), (ox + 0.31 * dx, oy + 0.31 * dy)], style.outline, 0.012 * style.stroke)


def forest(c: Canvas, crowns: int, style: Style, rng: Rng) -> None:
    ground = style.ground["f"]
    leaf = blend(ground, (40, 96, 40), 0.75)
    c.polygon([(0, 0), (1, 0), (1, 1), (0, 1)], blend(ground, (120, 116, 50), 0.25))
    trees = []
    steps = max(3, round(3.4 + style.density))
    for row in range(steps):
        for column in range(steps):
            x = (column + 0.5 + rng.uniform(-0.3, 0.3)) / steps
            y = (row + 0.5 + rng.uniform(-0.3, 0.3)) / steps
            if crowns and abs(x - 0.5) < 0.26 and abs(y - 0.52) < 0.24:
                continue
            if rng.random() < 0.86:
                trees.append((float(x), float(y)))
    trees.sort(key=lambda p: p[1])
    radius = 0.46 / steps * float(rng.uniform(0.9, 1.2))
    for x, y in trees:
        c.ellipse(x + 0.015, y + radius * 0.8, radius, radius * 0.45, shade(ground, 0.45))
    pointed = rng.random() < 0.25
    for x, y in trees:
        green = shade(leaf, float(rng.uniform(0.7, 1.05)))
        if pointed and rng.random() < 0.6:
            c.polygon([(x - radius, y + radius), (x, y - 1.4 * radius), (x + radius, y + radius)], green)
            c.polygon([(x, y + radius), (x, y - 1.4 * radius), (x + radius, y + radius)], shade(green, 0.7))
            continue
        c.disc(x, y, radius, shade(green, 0.62))
        c.disc(x - 0.12 * radius, y - 0.15 * radius, radius * 0.8, green)
        c.disc(x - 0.3 * radius, y - 0.35 * radius, radius * 0.4, shade(green, 1.35))
    if crowns:
        c.ellipse(0.53, 0.66, 0.26, 0.1, blend(ground, (150, 130, 90), 0.6))
        c.polygon(regular(9, 0.6, 0.64, 0.1, rng, 0.3), (206, 196, 180))
        house(c, 0.5, 0.5, 0.42, (104, 66, 44), (150, 110, 70), style, turn=float(rng.uniform(-0.4, 0.4)))


def lake(c: Canvas, crowns: int, style: Style, rng: Rng) -> None:
    ground = style.ground["l"]
    light = blend(ground, (160, 215, 250), 0.35)
    waves = rng.random() < 0.6
    for x, y in _scatter(rng, (14 if waves else 3) * style.density):
        span = float(rng.uniform(0.03, 0.07))
        t = np.linspace(-1, 1, 9)
        c.line(
            np.stack([x + span * t, y - 0.014 * np.cos(2 * np.pi * t)], 1),
            light if rng.random() < 0.7 else shade(ground, 0.8),
            0.009 * style.stroke,
        )
    what = rng.random()
    if crowns:
        x, y = 0.48, 0.54
        wood = (170, 74, 36)
        c.ellipse(x + 0.03, y + 0.16, 0.27, 0.09, shade(ground, 0.7))
        c.polygon([(x - 0.28, y + 0.1), (x + 0.3, y + 0.06), (x + 0.33, y + 0.15), (x - 0.2, y + 0.22)], wood)
        for k in range(5):
            px = x - 0.22 + 0.11 * k
            c.line([(px, y + 0.1), (px, y + 0.25)], shade(wood, 0.6), 0.02)
        house(c, x, y - 0.03, 0.46, (222, 184, 70), (150, 90, 50), style, turn=float(rng.uniform(-0.3, 0.3)))
        c.ellipse(x + 0.02, y + 0.33, 0.1, 0.03, wood)
    elif what < 0.25:
        x, y = rng.uniform(0.3, 0.7, 2)
        c.ellipse(x, y, 0.11, 0.035, (150, 84, 44), turn=float(rng.uniform(-40, 40)))
        c.ellipse(x, y, 0.07, 0.018, (92, 50, 28))
    elif what < 0.4:
        t = np.linspace(0, 2 * np.pi, 24)
        x, y = rng.uniform(0.35, 0.65, 2)
        c.line(np.stack([x + 0.05 * t - 0.16, y + 0.1 * np.sin(1.5 * t)], 1), shade(ground, 0.72), 0.07)
    for x, y in _scatter(rng, rng.integers(0, 6)):
        c.disc(x, y, 0.008, (230, 190, 90))


def grassland(c: Canvas, crowns: int, style: Style, rng: Rng) -> None:
    ground = style.ground["g"]
    for x, y in _scatter(rng, 16 * style.density):
        colour = shade(ground, float(rng.choice((0.82, 1.15))))
        c.line([(x - 0.015, y - 0.03), (x, y), (x + 0.018, y - 0.035)], colour, 0.01 * style.stroke)
    sheep = rng.integers(2, 14) * style.density
    for x, y in _scatter(rng, sheep):
        if crowns and abs(x - 0.5) < 0.27 and abs(y - 0.55) < 0.25:
            continue
        r = float(rng.uniform(0.012, 0.03))
        c.ellipse(x + 0.006, y + 0.012, r, 0.6 * r, shade(ground, 0.65))
        c.ellipse(x, y, r, 0.75 * r, WHITE)
        if rng.random() < 0.4:
            c.disc(x + r, y - 0.004, 0.4 * r, DARK)
    for x, y in _scatter(rng, rng.integers(0, 10)):
        c.disc(x, y, 0.007, (244, 232, 90))
    if crowns:
        c.ellipse(0.5, 0.74, 0.29, 0.08, shade(ground, 0.72))
        house(c, 0.5, 0.56, 0.56, (178, 46, 36), (236, 220, 200), style, turn=float(rng.uniform(-0.35, 0.35)))
        for x in np.arange(0.2, 0.85, 0.08):
            c.line([(x, 0.86), (x, 0.92)], style.outline, 0.014)
        c.line([(0.2, 0.88), (0.84, 0.89)], style.outline, 0.01)


def swamp(c: Canvas, crowns: int, style: Style, rng: Rng) -> None:
    ground = style.ground["s"]
    brown = blend(ground, (96, 66, 44), 0.6)
    for x, y in _scatter(rng, 7 * style.density, 0.1):
        wide, flat = float(rng.uniform(0.08, 0.24)), float(rng.uniform(0.02, 0.05))
        c.ellipse(
            x,
            y,
            wide,
            flat,
            blend(ground, brown, float(rng.uniform(0.25, 0.8))),
            turn=float(rng.normal(0, 8)),
        )
        c.ellipse(x + 0.02, y + flat * 0.4, wide * 0.7, flat * 0.5, blend(ground, (190, 190, 180), 0.3))
    for x, y in _scatter(rng, 12 * style.density):
        lean = float(rng.uniform(-0.03, 0.03))
        c.line([(x, y), (x + lean, y - float(rng.uniform(0.04, 0.1)))], shade(brown, 0.6), 0.01 * style.stroke)
    for x, y in _scatter(rng, rng.integers(0, 3), 0.2):
        t = np.linspace(0, np.pi, 8)
        c.line(np.stack([x + 0.09 * np.cos(t), y - 0.07 * np.sin(t)], 1), shade(brown, 0.5), 0.022 * style.stroke)
    if crowns:
        c.polygon([(0.28, 0.6), (0.5, 0.24), (0.74, 0.6)], blend(brown, (110, 84, 60), 0.5))
        c.polygon([(0.5, 0.24), (0.74, 0.6), (0.56, 0.6)], shade(brown, 0.7))
        hull = [(0.18, 0.56), (0.3, 0.72), (0.68, 0.74), (0.84, 0.56), (0.68, 0.63), (0.32, 0.62)]
        c.polygon(hull, (140, 66, 38))
        c.line(hull, style.outline, 0.012 * style.stroke, closed=True)
        for x in (0.36, 0.46, 0.56, 0.65):
            c.disc(x, 0.58, 0.035, (120, 150, 60) if rng.random() < 0.6 else (190, 196, 210))
            c.disc(x, 0.62, 0.03, (160, 60, 44))


def mine(c: Canvas, crowns: int, style: Style, rng: Rng) -> None:
    ground = style.ground["m"]
    gold = blend((200, 158, 92), ground, float(rng.uniform(0, 0.25)))
    for x, y in _scatter(rng, rng.integers(4, 12) * style.density):
        r = float(rng.uniform(0.015, 0.04))
        c.polygon(regular(6, x, y, r, rng, 0.3), gold if rng.random() < 0.7 else shade(ground, 1.7))
    heap = 3 + 2 * crowns
    for k in range(heap):
        x = 0.5 + float(rng.uniform(-0.2, 0.2))
        y = 0.42 + 0.3 * k / heap + float(rng.uniform(-0.04, 0.04))
        r = float(rng.uniform(0.1, 0.17))
        rock = regular(8, x, y, r, rng, 0.18)
        c.polygon(rock, shade(gold, float(rng.uniform(0.7, 1.0))))
        c.polygon(rock * 0.6 + np.array([x - 0.02, y - 0.03]) * 0.4, shade(gold, 1.12))
        c.line(rock, shade(gold, 0.45), 0.01 * style.stroke, closed=True)
    for k in range(crowns):
        x, y = 0.5 + 0.19 * (k - (crowns - 1) / 2), 0.66
        c.polygon(
            [(x - 0.07, y + 0.09), (x - 0.055, y - 0.09), (x + 0.055, y - 0.09), (x + 0.07, y + 0.09)],
            (134, 42, 26),
        )
        c.polygon(
            [(x - 0.04, y + 0.09), (x - 0.035, y - 0.04), (x + 0.035, y - 0.04), (x + 0.04, y + 0.09)],
            (24, 12, 8),
        )
    for x, y in _scatter(rng, (2 + 4 * crowns) * style.density, 0.15):
        c.disc(x, y, float(rng.uniform(0.006, 0.016)), (252, 222, 96))


def town(c: Canvas, crowns: int, style: Style, rng: Rng) -> None:
    """An unbuilt construction square: scaffolding of one of four kinds, and small marks in its corners."""
    ground = style.ground["t"]
    for x, y in _scatter(rng, 26 * style.density):
        c.ellipse(x, y, 0.018, 0.007, shade(ground, float(rng.choice((0.8, 1.16)))))
    wood = blend(style.outline, (110, 50, 30), 0.6)
    width = 0.022 * style.stroke
    kind = int(rng.integers(4))
    if kind == 0:
        for k in range(3):
            y = 0.4 + 0.15 * k
            c.polygon([(0.3, y), (0.72, y + 0.05), (0.74, y + 0.13), (0.3, y + 0.08)], (214, 196, 170))
            c.line([(0.22, y + 0.1), (0.8, y + 0.15)], wood, width * 1.3)
        c.line([(0.45, 0.2), (0.45, 0.45)], wood, width)
        c.line([(0.65, 0.2), (0.65, 0.48)], wood, width)
        c.line([(0.42, 0.28), (0.7, 0.3)], wood, width)
    elif kind == 1:
        front = [(0.3, 0.42), (0.58, 0.5), (0.58, 0.75), (0.3, 0.66)]
        back = [(x + 0.18, y - 0.1) for x, y in front]
        c.line(front, wood, width, closed=True)
        c.line(back, wood, width, closed=True)
        for a, b in zip(front, back, strict=True):
            c.line([a, b], wood, width)
        c.line([front[0], front[2]], wood, width)
    elif kind == 2:
        c.polygon([(0.28, 0.3), (0.5, 0.2), (0.78, 0.26), (0.72, 0.42), (0.3, 0.42)], (228, 220, 208))
        c.polygon([(0.62, 0.23), (0.78, 0.26), (0.72, 0.42), (0.6, 0.42)], (226, 150, 120))
        for x in (0.31, 0.5, 0.71):
            c.line([(x, 0.42), (x, 0.78)], wood, width)
        c.polygon([(0.3, 0.7), (0.6, 0.66), (0.72, 0.78), (0.36, 0.84)], shade(wood, 0.8))
    else:
        c.line([(0.36, 0.82), (0.5, 0.22)], wood, width * 1.4)
        c.line([(0.5, 0.22), (0.76, 0.34)], wood, width)
        c.line([(0.76, 0.34), (0.76, 0.55)], style.outline, 0.01)
        c.polygon(regular(7, 0.76, 0.62, 0.08, rng, 0.15), (196, 186, 170))
        c.polygon(regular(7, 0.3, 0.7, 0.1, rng, 0.2), (206, 190, 160))
    for x, y in _scatter(rng, rng.integers(1, 4), 0.25):
        c.disc(x, y, 0.022, (240, 200, 160))
        c.disc(x, y + 0.03, 0.026, (230, 170, 50))
    _stakes(c, wood, style, int(rng.integers(3)))


def _stakes(c: Canvas, wood: Colour, style: Style, look: int) -> None:
    """The marks in the four corners by which an unbuilt square is known: pegs, twigs or angles."""
    width = 0.014 * style.stroke
    for x in (0.1, 0.9):
        for y in (0.1, 0.9):
            if look == 0:
                dx, dy = (0.06 if x < 0.5 else -0.06), (0.06 if y < 0.5 else -0.06)
                c.line([(x + dx, y), (x, y), (x, y + dy)], wood, width)
                c.disc(x, y, 0.016, shade(wood, 0.8))
                continue
            c.line([(x, y - 0.04), (x, y + 0.04)], wood, width)
            c.line([(x - 0.04, y + 0.04), (x + 0.03, y + 0.04)], shade(wood, 1.3), 0.6 * width)
            if look == 1:
                c.line([(x - 0.03, y - 0.04), (x, y), (x + 0.03, y - 0.02)], wood, width)
            else:
                c.line([(x - 0.03, y), (x + 0.03, y)], wood, width)


DRAW = {"w": wheat, "f": forest, "l": lake, "g": grassland, "s": swamp, "m": mine, "t": town}
