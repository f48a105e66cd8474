"""What building tiles show beside their symbols: towers, taverns, workshops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scorer.render.canvas import DARK, WHITE, Canvas, Colour, blend, regular, shade
from scorer.render.style import Style
from scorer.render.terrains import house

Rng = np.random.Generator


@dataclass(frozen=True)
class _Site:
    """Where on a tile the picture of a building is drawn."""

    c: Canvas
    name: str
    x: float
    y: float
    stone: Colour
    style: Style
    rng: Rng


ROOF: Colour = (170, 74, 50)


def _towers(site: _Site) -> None:
    count = {"fortified_castle": 2, "travelling_castle": 3}.get(site.name, 1)
    for k in range(count):
        _tower(site, site.x + 0.2 * (k - (count - 1) / 2), site.y + 0.05 * (k % 2))
    if site.name == "travelling_castle":
        for k in (-1, 0, 1):
            site.c.line([(site.x + 0.16 * k, site.y + 0.24), (site.x + 0.26 * k, site.y + 0.38)], (120, 74, 44), 0.04)


def _tower(site: _Site, tx: float, ty: float) -> None:
    c, name, stone = site.c, site.name, site.stone
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
    top = shade((70, 110, 80), 1.0) if name == "queens_tower" else ROOF
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


def _safe(site: _Site) -> None:
    c, x, y, stone = site.c, site.x, site.y, site.stone
    c.ellipse(x, y, 0.22, 0.16, ROOF)
    c.polygon([(x - 0.22, y), (x + 0.22, y), (x + 0.22, y + 0.18), (x - 0.22, y + 0.18)], stone)
    c.polygon(
        [(x + 0.02, y + 0.04), (x + 0.16, y + 0.04), (x + 0.16, y + 0.18), (x + 0.02, y + 0.18)],
        (90, 60, 40),
    )
    for _ in range(6):
        c.disc(x + float(site.rng.uniform(-0.2, 0)), y + float(site.rng.uniform(0.14, 0.2)), 0.022, (244, 200, 60))


def _training_camp(site: _Site) -> None:
    c, x, y = site.c, site.x, site.y
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
        c.polygon(regular(5, x - 0.22 + 0.11 * k, y + 0.25, 0.045, site.rng, 0.1), (80, 130, 200))


def _tavern(site: _Site) -> None:
    c, name, x, y = site.c, site.name, site.x, site.y
    big = 0.17 if name == "big_tavern" else 0.13
    if name == "small_tavern":
        house(c, x + 0.08, y - 0.02, 0.46, ROOF, site.stone, site.style)
    c.ellipse(x - 0.08, y + 0.08, big, 1.1 * big, (136, 84, 48))
    for k in (-1, 0, 1):
        c.line(
            [(x - 0.08 - big, y + 0.08 + 0.08 * k), (x - 0.08 + big, y + 0.08 + 0.08 * k)],
            (84, 52, 32),
            0.012 * site.style.stroke,
        )


def _magic_school(site: _Site) -> None:
    c, x, y, stone = site.c, site.x, site.y, site.stone
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


def _workshop(site: _Site) -> None:
    house(site.c, site.x, site.y, 0.5, ROOF, site.stone, site.style, turn=float(site.rng.uniform(-0.15, 0.15)))


def _weaving_shop(site: _Site) -> None:
    _workshop(site)
    c, x, y = site.c, site.x, site.y
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


def _foundry(site: _Site) -> None:
    _workshop(site)
    c, x, y = site.c, site.x, site.y
    c.polygon([(x - 0.28, y + 0.2), (x - 0.24, y - 0.3), (x - 0.14, y - 0.3), (x - 0.1, y + 0.2)], (90, 84, 84))
    c.disc(x - 0.16, y - 0.36, 0.06, (130, 126, 124))
    c.disc(x - 0.18, y + 0.1, 0.05, (250, 140, 40))


def _sawmill(site: _Site) -> None:
    _workshop(site)
    c, x, y = site.c, site.x, site.y
    for k in range(3):
        c.line([(x - 0.3, y + 0.22 + 0.05 * k), (x + 0.1, y + 0.28 + 0.05 * k)], (150, 100, 56), 0.045)
    c.disc(x + 0.26, y + 0.16, 0.1, (190, 190, 196))
    c.disc(x + 0.26, y + 0.16, 0.03, DARK)


PICTURES: dict[str, Callable[[_Site], None]] = {
    **dict.fromkeys(
        ("guardtower", "queens_tower", "fortified_castle", "travelling_castle", "statue", "church"), _towers
    ),
    **dict.fromkeys(("safe_of_knights", "safe_of_towers"), _safe),
    **dict.fromkeys(("small_tavern", "big_tavern"), _tavern),
    "training_camp": _training_camp,
    "magic_school": _magic_school,
    "weaving_shop": _weaving_shop,
    "foundry": _foundry,
    "sawmill": _sawmill,
}
"""Who draws which building; the others are plain workshops."""


def draw_picture(c: Canvas, name: str, style: Style, rng: Rng) -> None:
    """A drawing that hints at the building; the symbols carry the meaning."""
    stone: Colour = blend((206, 196, 178), style.ground["t"], 0.06)
    x, y = 0.5 + float(rng.uniform(-0.04, 0.04)), 0.48 + float(rng.uniform(-0.03, 0.03))
    PICTURES.get(name, _workshop)(_Site(c, name, x, y, stone, style, rng))
