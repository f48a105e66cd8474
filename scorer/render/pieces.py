"""Wooden and cardboard pieces that stand on squares or beside them: castles, knights, towers, kings, the Queen, giants,
the dragon, coins."""

from __future__ import annotations

import numpy as np

from scorer.render.camera import Floats
from scorer.render.canvas import Colour, palette, shade
from scorer.render.stage import Face, Solid, box_corners, cone, extrude, prism
from scorer.render.style import Style

Rng = np.random.Generator


def _outline(points: str) -> Floats:
    """Points (n, 2) of an outline as it is written down: x y, x y ..."""
    return np.array([[float(number) for number in point.split()] for point in points.split(",")])


KNIGHT = _outline(
    "-0.5 0, -0.1 0, 0 0.2, 0.12 0, 0.5 0, 0.36 0.4, 0.62 0.46, 0.62 0.66, 0.28 0.74, 0.22 0.98, 0 1.06, -0.22 0.98, "
    "-0.26 0.74, -0.6 0.62, -0.5 0.4, -0.34 0.44"
)
TOWER = _outline(
    "-0.42 0, 0.42 0, 0.34 0.14, 0.26 0.62, 0.44 0.72, 0.44 1, 0.2 1, 0.2 0.9, 0.1 0.9, 0.1 1, -0.1 1, -0.1 0.9, "
    "-0.2 0.9, -0.2 1, -0.44 1, -0.44 0.72, -0.26 0.62, -0.34 0.14"
)
KING = _outline(
    "-0.46 0, 0.46 0, 0.34 0.5, 0.52 0.6, 0.4 0.72, 0.2 0.7, 0.22 0.86, 0.3 1.06, 0.1 0.98, 0 1.1, -0.1 0.98, "
    "-0.3 1.06, -0.22 0.86, -0.2 0.7, -0.4 0.72, -0.52 0.6, -0.34 0.5"
)
QUEEN = _outline(
    "-0.4 0, 0.4 0, 0.3 0.3, 0.2 0.6, 0.16 0.72, 0.18 0.9, 0.1 1, -0.1 1, -0.18 0.9, -0.16 0.72, -0.2 0.6, -0.3 0.3"
)
GIANT = _outline(
    "-0.5 0, -0.12 0, 0 0.25, 0.12 0, 0.5 0, 0.44 0.5, 0.7 0.5, 0.6 0.8, 0.3 0.86, 0.24 1.08, -0.24 1.08, -0.3 0.86, "
    "-0.6 0.8, -0.7 0.5, -0.44 0.5"
)

KING_COLOURS = palette("228 226 220, 196 44 36, 232 112 40, 108 66 150, 40 90 170, 60 140 70, 230 190 50, 226 120 160")


class Piece(list[Face]):
    """A solid that a reader names and counts, and where on the table it stands (x, y, height)."""

    def __init__(self, kind: str, foot: Floats, faces: Solid) -> None:
        super().__init__(faces)
        self.kind = kind
        self.foot = foot


def _figure(
    kind: str,
    outline: Floats,
    foot: Floats,
    size: tuple[float, float],
    turn: float,
    thickness: float,
    colour: Colour,
    lying: bool,
) -> Piece:
    """A wooden figure, cut out of a board."""
    return Piece(kind, foot, extrude(outline * size, foot, turn=turn, thickness=thickness, colour=colour, lying=lying))


def _within(rng: Rng, low: float, high: float) -> float:
    return float(rng.uniform(low, high))


def _chance(rng: Rng, share: float) -> bool:
    return bool(rng.random() < share)


def knight(foot: Floats, rng: Rng) -> Piece:
    tone = int(rng.integers(22, 52))
    high = _within(rng, 0.34, 0.46)
    turn, lying = _within(rng, -0.8, 0.8), _chance(rng, 0.35)
    return _figure("knight", KNIGHT, foot, (0.6 * high, high), turn, 0.16, (tone, tone, tone + 4), lying)


def tower(foot: Floats, rng: Rng, *, lying: bool | None = None) -> Piece:
    tone = int(rng.integers(132, 186))
    high = _within(rng, 0.42, 0.56)
    flat = _chance(rng, 0.25) if lying is None else lying
    return _figure("tower", TOWER, foot, (0.62 * high, high), _within(rng, -1.5, 1.5), 0.2, (tone, tone, tone), flat)


def king(foot: Floats, rng: Rng) -> Piece:
    colour = KING_COLOURS[int(rng.integers(len(KING_COLOURS)))]
    high = _within(rng, 0.45, 0.78)
    turn, lying = _within(rng, -1.0, 1.0), _chance(rng, 0.2)
    return _figure("king", KING, foot, (0.6 * high, high), turn, 0.2, colour, lying)


def giant(foot: Floats, rng: Rng) -> Piece:
    high, turn = _within(rng, 0.45, 0.6), _within(rng, -0.8, 0.8)
    colour = ((206, 60, 50), (120, 70, 150), (60, 150, 150))[int(rng.integers(3))]
    return _figure("giant", GIANT, foot, (0.55 * high, high), turn, 0.2, colour, _chance(rng, 0.5))


def queen(foot: Floats, rng: Rng) -> Piece:
    """A flat cardboard figure: grey rim, white and orange gown, red crown."""
    height = float(rng.uniform(0.75, 1.0))
    turn = float(rng.uniform(-0.5, 0.5))
    lying = bool(rng.random() < 0.35)
    size = (0.78 * height, height)
    figure = _figure("queen", QUEEN, foot, size, turn, 0.06, (128, 128, 136), lying)
    parts: list[tuple[list[tuple[float, float]], Colour]] = [
        ([(-0.32, 0.05), (0.32, 0.05), (0.12, 0.66), (-0.12, 0.66)], (226, 130, 40)),
        ([(-0.2, 0.05), (0.2, 0.05), (0.08, 0.66), (-0.08, 0.66)], (240, 236, 226)),
        ([(-0.13, 0.66), (0.13, 0.66), (0.13, 0.84), (-0.13, 0.84)], (40, 32, 32)),
        ([(-0.07, 0.66), (0.07, 0.66), (0.07, 0.82), (-0.07, 0.82)], (240, 206, 180)),
        ([(-0.11, 0.84), (0.11, 0.84), (0.13, 0.95), (-0.13, 0.95)], (206, 50, 40)),
    ]
    c, s = np.cos(turn), np.sin(turn)
    across = np.array([c, s, 0.0])
    up = np.array([0.0, 0.0, 1.0])
    lift = np.array([-s, c, 0.0]) * 0.031
    if lying:
        up, lift = -np.array([-s, c, 0.0]), np.array([0.0, 0.0, 0.061])
    for step, (shape, colour) in enumerate(parts):
        flat = np.array(shape) * size - (0, 0.5 * height if lying else 0)
        figure.append(Face(foot + flat[:, :1] * across + flat[:, 1:] * up + lift * (1 + 0.01 * step), colour))
    return figure


def disc(foot: Floats, radius: float, thickness: float, colour: Colour) -> Solid:
    angle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    outline = foot[:2] + radius * np.stack([np.cos(angle), np.sin(angle)], 1)
    solid = prism(outline, float(foot[2]), float(foot[2]) + thickness, shade(colour, 0.75), top=colour)
    inner = foot[:2] + 0.82 * radius * np.stack([np.cos(angle), np.sin(angle)], 1)
    top = np.column_stack([inner, np.full(len(inner), foot[2] + thickness + 0.001)])
    return [*solid, Face(top, shade(colour, 1.12))]


def coin(foot: Floats, rng: Rng) -> Piece:
    kind, colour, radius = (
        ("coin1", (176, 108, 72), 0.22),
        ("coin3", (176, 178, 180), 0.27),
        ("coin9", (222, 182, 50), 0.33),
    )[int(rng.integers(3))]
    return Piece(kind, foot, disc(foot, radius * float(rng.uniform(0.9, 1.2)), 0.05, colour))


def dragon(foot: Floats, rng: Rng) -> Piece:
    """A blue wooden board, the beast printed on it in red."""
    width, height = float(rng.uniform(0.75, 0.95)), float(rng.uniform(0.55, 0.7))
    turn, lying = float(rng.uniform(-1.0, 1.0)), bool(rng.random() < 0.6)
    board = [(-0.46, 0), (0.46, 0), (0.5, 0.9), (0.3, 0.86), (0.1, 0.8), (-0.3, 0.82), (-0.5, 0.96)]
    beast = [(-0.4, 0.7), (-0.2, 0.62), (0, 0.7), (0.1, 0.5), (0.3, 0.8), (0.42, 0.76), (0.3, 0.3), (0.2, 0.12)]
    beast += [(-0.1, 0.3), (-0.2, 0.1), (-0.26, 0.42), (-0.44, 0.56)]
    solid = extrude(
        np.array(board) * (width, height), foot, turn=turn, thickness=0.2, colour=(46, 150, 226), lying=lying
    )
    # The print lies on the front face: what carries the board's outline there carries the beast's.
    front = solid[-1].points
    carry = np.linalg.lstsq(np.column_stack([board, np.ones(len(board))]), front, rcond=None)[0]
    lift = 0.01 * (front - solid[0].points)[0]
    solid.append(Face(np.column_stack([beast, np.ones(len(beast))]) @ carry + lift, (196, 40, 36)))
    return Piece("dragon", foot, solid)


def castle(foot: Floats, colour: str, style: Style, turn: float, rng: Rng) -> Piece:
    """A castle of one of three builds, about a square wide, standing on the starting tile."""
    paint = style.castle[colour]
    x, y, z = (float(v) for v in foot)
    stone: Colour = ((150, 160, 170), (190, 178, 156), (120, 110, 100), paint)[int(rng.integers(4))]
    wide = float(rng.uniform(0.62, 0.92))
    high = float(rng.uniform(0.55, 1.1))
    build = rng.random()
    solid: Solid = []
    if build < 0.45:
        # Four slotted cardboard walls, open in the middle.
        for k in range(4):
            side = turn + k * np.pi / 2
            outward = np.array([-np.sin(side), np.cos(side)]) * wide * 0.36
            wall = np.array(
                [
                    (-0.5, 0),
                    (0.5, 0),
                    (0.5, 0.75),
                    (0.36, 1.0),
                    (0.22, 0.72),
                    (-0.22, 0.72),
                    (-0.36, 1.0),
                    (-0.5, 0.75),
                ]
            ) * (wide, high)
            solid += extrude(
                wall,
                np.array([x + outward[0], y + outward[1], z]),
                turn=side,
                thickness=0.05,
                colour=shade(stone, float(rng.uniform(0.7, 1.1))),
                face=shade(stone, 0.95),
            )
            gate = np.array([(-0.12, 0), (0.12, 0), (0.12, 0.3), (-0.12, 0.3)]) * (wide, high)
            out2 = outward * 1.09
            solid += extrude(gate, np.array([x + out2[0], y + out2[1], z]), turn=side, thickness=0.01, colour=paint)
    else:
        body = box_corners(x, y, wide, wide, turn)
        roof = z + 0.55 * high
        solid += prism(body, z, roof, stone, top=shade(stone, 0.8))
        towers = body if build < 0.8 else np.array([[x, y]])
        size = 0.3 * wide if build < 0.8 else 0.6 * wide
        for tx, ty in towers:
            outline = box_corners(float(tx), float(ty), size, size, turn)
            solid += prism(outline, z, roof, shade(stone, 1.05))
            solid += prism(outline, roof, z + 0.75 * high, shade(stone, 1.05), layer=1)
            eaves = box_corners(float(tx), float(ty), 1.2 * size, 1.2 * size, turn)
            solid += cone(eaves, z + 0.75 * high, np.array([tx, ty, z + 1.1 * high]), paint, layer=2)
    return Piece("castle", foot, solid)
