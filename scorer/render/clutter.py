"""What else lies on a game table: hands, lids, cards, cups, pens, coins, loose dominoes."""

from __future__ import annotations

import cv2
import numpy as np

from scorer.render import art, pieces
from scorer.render.camera import Camera, Floats
from scorer.render.canvas import Canvas, Colour, Image, shade
from scorer.render.layout import quad_distance
from scorer.render.recipe import Recipe
from scorer.render.sources import Edition
from scorer.render.stage import Face, Slab, Solid, box_corners, prism
from scorer.render.tables import any_colour

Rng = np.random.Generator
Thing = tuple[list[Slab], list[Solid]]


def _printed(rng: Rng, aspect: float, *, size: int = 96) -> Image:
    """A busy printed face for lids, cards and boxes: RGB uint8 (size, size * aspect, 3)."""
    c = Canvas(size, any_colour(rng), aspect=aspect)
    for _ in range(int(rng.integers(2, 9))):
        x, y = float(rng.uniform(0, aspect)), float(rng.uniform(0, 1))
        if rng.random() < 0.5:
            c.disc(x, y, float(rng.uniform(0.05, 0.35)), any_colour(rng))
        else:
            w, h = rng.uniform(0.05, 0.6, 2)
            c.polygon([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], any_colour(rng))
    if rng.random() < 0.6:
        c.text(
            aspect / 2,
            float(rng.uniform(0.2, 0.8)),
            "".join(rng.choice(list("ADEGIKMNOQRSU"), 6)),
            any_colour(rng),
            float(rng.uniform(0.08, 0.2)),
            bold=0.02,
        )
    return c.pixels


def lid(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    width, depth = rng.uniform(3, 7, 2)
    return [
        Slab(
            box_corners(x, y, width, depth, turn),
            0,
            float(rng.uniform(0.3, 1.6)),
            _printed(rng, width / depth),
            any_colour(rng),
            gloss=0.5,
        )
    ], []


def cards(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    slabs = []
    for k in range(int(rng.integers(1, 4))):
        turn += float(rng.normal(0, 0.3))
        corners = box_corners(x + float(rng.normal(0, 0.4)), y + float(rng.normal(0, 0.4)), 1.5, 2.2, turn)
        slabs.append(Slab(corners, 0, 0.02 + 0.02 * k, _printed(rng, 0.68), (220, 220, 220), 0.1, gloss=0.7))
    return slabs, []


def phone(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    body = box_corners(x, y, 1.9, 3.9, turn)
    screen = box_corners(x, y, 1.7, 3.7, turn)
    tone = int(rng.integers(8, 60))
    return [
        Slab(body, 0, 0.2, (tone, tone, tone), (40, 40, 44), 0.25, gloss=0.6),
        Slab(screen, 0.2, 0.2, (max(0, tone - 6), tone, tone + 8), (20, 20, 20), 0.2, gloss=1.0),
    ], []


def cup(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    colour = any_colour(rng, value=(0.3, 1.0))
    radius, height = float(rng.uniform(0.7, 1.2)), float(rng.uniform(0.8, 2.2))
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], 1)
    middle = np.array([x, y])
    solid = prism(middle + radius * ring, 0, height, colour, top=shade(colour, 1.1))
    liquid: Colour = ((60, 36, 20), (150, 90, 30), (220, 220, 225), shade(colour, 0.6))[int(rng.integers(4))]
    inner = np.column_stack([middle + 0.88 * radius * ring, np.full(24, height + 0.001)])
    return [], [[*solid, Face(inner, liquid)]]


def pad(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    c = Canvas(120, (246, 244, 236), aspect=0.75)
    for k in range(1, 14):
        c.line([(0.03, k / 14), (0.72, k / 14)], (150, 150, 160), 0.006)
    for x_line in (0.2, 0.33, 0.46, 0.59):
        c.line([(x_line, 0.04), (x_line, 0.96)], (150, 150, 160), 0.006)
    for _ in range(int(rng.integers(0, 20))):
        c.text(
            0.26 + 0.13 * int(rng.integers(4)),
            (int(rng.integers(13)) + 0.5) / 14 + 0.036,
            str(rng.integers(40)),
            (40, 50, 120),
            0.035,
            bold=0.006,
        )
    return [
        Slab(
            box_corners(x, y, 2.4, 3.2, turn),
            0,
            float(rng.uniform(0.02, 0.2)),
            c.pixels,
            (230, 230, 224),
            gloss=0.1,
        )
    ], []


def pen(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    colour = any_colour(rng)
    long = float(rng.uniform(2.5, 3.6))
    solid = prism(box_corners(x, y, long, 0.16, turn), 0, 0.16, colour)
    tip = np.array([x + 0.5 * long * np.cos(turn), y + 0.5 * long * np.sin(turn)])
    solid += prism(box_corners(float(tip[0]), float(tip[1]), 0.3, 0.09, turn), 0.02, 0.12, (206, 180, 140))
    return [], [solid]


MEEPLES = (pieces.king, *2 * (pieces.knight, pieces.tower), pieces.queen, pieces.dragon, *3 * (pieces.coin,))


def meeples(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    solids: list[Solid] = []
    for _ in range(int(rng.integers(1, 6))):
        foot = np.array([x, y, 0.0]) + np.append(rng.normal(0, 0.6, 2), 0)
        make = MEEPLES[int(rng.integers(len(MEEPLES)))]
        solids.append(make(foot, rng))
    return [], solids


def spare_castle(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    colour = str(rng.choice(list(edition.style.castle)))
    return [], [pieces.castle(np.array([x, y, 0.0]), colour, edition.style, turn, rng)]


def loose_domino(x: float, y: float, turn: float, edition: Edition, rng: Rng, *, size: int = 72) -> Thing:
    terrains = "wflgsm"
    left, right = (terrains[int(k)] + str(int(rng.random() < 0.25)) for k in rng.integers(0, 6, 2))
    style = edition.style
    face = edition.domino(left, right, size, rng)
    return [Slab(box_corners(x, y, 2, 1, turn), 0, style.thickness, face, style.edge, style.corner)], []


def backs(x: float, y: float, turn: float, edition: Edition, rng: Rng, *, size: int = 72) -> Thing:
    slabs = []
    style = edition.style
    step = np.array([-np.sin(turn), np.cos(turn)]) * float(rng.uniform(1.02, 1.3))
    count = int(rng.integers(1, 5))
    for k in range(count):
        face = art.domino_back(str(rng.integers(1, 49)), size, style, rng)
        at = np.array([x, y]) + (k - (count - 1) / 2) * step
        high = style.thickness * int(rng.choice((1, 1, 1, 6)))
        slabs.append(
            Slab(
                box_corners(float(at[0]), float(at[1]), 2, 1, turn + float(rng.normal(0, 0.03))),
                0,
                high,
                face,
                style.edge,
                style.corner,
            )
        )
    return slabs, []


def cloth_fold(x: float, y: float, turn: float, edition: Edition, rng: Rng) -> Thing:
    colour = any_colour(rng)
    angle = np.linspace(0, 2 * np.pi, 11, endpoint=False)
    reach = rng.uniform(0.8, 2.6) * rng.uniform(0.6, 1.2, 11)
    outline = np.array([x, y]) + reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    solid = prism(outline, 0, 0.08, shade(colour, 0.85), top=colour)
    for k in range(4):
        ends = outline[rng.integers(0, 11, 2)]
        if np.linalg.norm(ends[0] - ends[1]) > 0.3:
            solid.append(
                Face(
                    np.column_stack([np.vstack([ends, ends[::-1] + 0.07]), np.full(4, 0.081 + 0.001 * k)]),
                    shade(colour, float(rng.choice((0.7, 1.15)))),
                )
            )
    return [], [solid]


def hand(at: Floats, direction: float, rng: Rng) -> Solid:
    """A hand and forearm reaching to `at` (x, y) from `direction`, its fingers spread."""
    tone = ((236, 188, 160), (214, 158, 124), (168, 112, 80), (110, 72, 52), (246, 206, 184))[int(rng.integers(5))]
    solid: Solid = []
    back = np.array([np.cos(direction), np.sin(direction)])
    palm = at + 1.5 * back
    high = 0.5

    def limb(start: Floats, end: Floats, wide: float, colour: Colour) -> None:
        axis = (end - start) / max(float(np.linalg.norm(end - start)), 1e-6)
        side = np.array([-axis[1], axis[0]]) * wide / 2
        cap = [end + 0.5 * wide * (np.cos(a) * axis) + side * np.sin(a) for a in np.linspace(np.pi / 2, -np.pi / 2, 7)]
        outline = np.array([start + side, *cap, start - side])
        solid.extend(prism(outline, high - 0.25, high, shade(colour, 0.8), top=colour))

    limb(palm + 12 * back, palm + 0.3 * back, 1.7, tone if rng.random() < 0.5 else any_colour(rng))
    limb(palm + 1.6 * back, palm - 0.2 * back, 1.7, tone)
    for k in range(5):
        spread = direction + np.pi + (-0.62 + 0.31 * k) * float(rng.uniform(0.5, 1.1))
        length = (1.0, 1.5, 1.65, 1.5, 1.1)[k] * float(rng.uniform(0.6, 1.0))
        root = palm + 0.2 * back + np.array([-back[1], back[0]]) * (0.6 - 0.3 * k)
        limb(root, root + length * np.array([np.cos(spread), np.sin(spread)]), 0.34, shade(tone, 1.03))
    return solid


THINGS = (
    (lid, 0.12, 4.2),
    (cards, 0.12, 1.8),
    (phone, 0.06, 2.3),
    (cup, 0.08, 1.3),
    (pad, 0.1, 2.2),
    (pen, 0.1, 1.8),
    (meeples, 0.2, 1.2),
    (spare_castle, 0.05, 0.8),
    (loose_domino, 0.14, 1.2),
    (backs, 0.1, 2.6),
    (cloth_fold, 0.05, 2.4),
)  # what, how often, how far it reaches from its middle in squares


def scatter(
    recipe: Recipe, camera: Camera, kingdoms: list[Floats], edition: Edition, rng: Rng
) -> tuple[list[Slab], list[Solid], list[Solid]]:
    """Clutter beside the kingdoms: slabs, solids, and what comes on top of all (hands)."""
    slabs: list[Slab] = []
    solids: list[Solid] = []
    on_top: list[Solid] = []
    back = np.linalg.inv(camera.plane())
    wanted = int(rng.poisson(9 * float(rng.uniform(*recipe.clutter))))
    weights = np.array([w for _, w, _ in THINGS])
    taken = list(kingdoms)
    for _ in range(wanted):
        make, _, reach = THINGS[int(rng.choice(len(weights), p=weights / weights.sum()))]
        for _attempt in range(6):
            pixel = rng.uniform(-0.05, 1.05, 2) * (camera.width, camera.height)
            at = cv2.perspectiveTransform(pixel[None, None], back)[0, 0]
            if float(np.abs(at).max()) > 200:
                continue
            turn = float(rng.uniform(0, 2 * np.pi))
            # A smaller footprint than the thing has lets it lie over a kingdom's edge, never a loose domino.
            bold = rng.random() < recipe.overlap and make not in (loose_domino, backs)
            side = 2 * reach * (0.6 if bold else 1.0)
            footprint = box_corners(float(at[0]), float(at[1]), side, side, turn)
            room = 0.05 if bold else 0.35
            if all(quad_distance(footprint, other) >= room for other in taken):
                new_slabs, new_solids = make(float(at[0]), float(at[1]), turn, edition, rng)
                slabs += new_slabs
                solids += new_solids
                taken.append(footprint)
                break
    if rng.random() < recipe.hand:
        pixel = rng.uniform(0.05, 0.95, 2) * (camera.width, camera.height)
        side = int(rng.integers(4))
        inward = float(rng.uniform(0.0, 0.2))
        pixel[side % 2] = (inward if side < 2 else 1 - inward) * (camera.width, camera.height)[side % 2]
        at = cv2.perspectiveTransform(pixel[None, None], back)[0, 0]
        middle = np.array([[[camera.width / 2, camera.height / 2]]], np.float64)
        away = at - cv2.perspectiveTransform(middle, back)[0, 0]
        on_top.append(hand(at, float(np.arctan2(away[1], away[0])) + float(rng.normal(0, 0.3)), rng))
    return slabs, solids, on_top
