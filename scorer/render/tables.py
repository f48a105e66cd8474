"""What lies under the kingdoms: table tops drawn here or enlarged from photographed textures."""

from __future__ import annotations

import colorsys
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.render.canvas import Colour, Image, palette

Rng = np.random.Generator
Field = NDArray[np.float32]


class TableSource(Protocol):
    """Gives a table top: RGB uint8 (size, size, 3), meant to be mirrored beyond its edges."""

    def table(self, size: int, rng: Rng) -> Image: ...


def noise(size: int, cells_y: int, cells_x: int, rng: Rng) -> Field:
    """Smooth noise of about unit variance, float32 (size, size)."""
    field = rng.standard_normal((max(2, cells_y), max(2, cells_x)), dtype=np.float32)
    return np.asarray(cv2.resize(field, (size, size), interpolation=cv2.INTER_CUBIC), np.float32)


def grain(size: int, rng: Rng) -> Field:
    """Pixel noise, float32 (size, size)."""
    return rng.standard_normal((size, size), dtype=np.float32)


def any_colour(rng: Rng, *, value: tuple[float, float] = (0.08, 1.0), saturation: float = 0.9) -> Colour:
    s = float(rng.random() ** 1.5) * saturation
    r, g, b = colorsys.hsv_to_rgb(float(rng.random()), s, float(rng.uniform(*value)))
    return round(255 * r), round(255 * g), round(255 * b)


def _paint(colour: Colour, light: Field) -> Image:
    """A colour modulated by relative brightness, uint8."""
    painted: Image = np.clip(np.asarray(colour, np.float32) * light[..., None], 0, 255).astype(np.uint8)
    return painted


def _mix(a: Colour, b: Colour, share: Field) -> Image:
    share = np.clip(share, 0, 1)[..., None]
    mixed = np.asarray(a, np.float32) * (1 - share) + np.asarray(b, np.float32) * share
    return np.clip(mixed, 0, 255).astype(np.uint8)


WOODS = palette(
    "196 150 98, 222 188 142, 150 98 58, 104 66 42, 70 46 34, 232 214 188, 176 120 70, 186 176 164, 206 140 60"
)


def wood(size: int, rng: Rng) -> Image:
    base = WOODS[int(rng.integers(len(WOODS)))]
    rings = noise(size, int(rng.integers(2, 5)), int(rng.integers(5, 16)), rng)
    fine = noise(size, int(rng.integers(3, 10)), size // int(rng.integers(2, 7)), rng)
    wave = np.sin(rings * float(rng.uniform(3, 9)))
    strength = float(rng.uniform(0.03, 0.14))
    light = 1 + strength * wave + 0.5 * strength * fine
    if rng.random() < 0.5:
        planks = int(rng.integers(3, 9))
        edges = np.linspace(0, size, planks + 1).astype(int)
        for low, high in itertools.pairwise(edges):
            light[:, low:high] *= float(rng.uniform(0.86, 1.1))
            light[:, low : low + max(1, size // 300)] *= float(rng.uniform(0.4, 0.8))
    return _paint(base, light.astype(np.float32))


def plain(size: int, rng: Rng) -> Image:
    base: Colour
    if rng.random() < 0.4:
        tone = int(rng.choice((245, 232, 214, 150, 60, 24)))
        base = (tone, tone, max(0, tone - int(rng.integers(0, 14))))
    else:
        base = any_colour(rng)
    return tinted(size, base, rng)


def tinted(size: int, base: Colour, rng: Rng) -> Image:
    """Of one colour, hardly mottled."""
    light = 1 + float(rng.uniform(0, 0.04)) * noise(size, 5, 5, rng)
    if rng.random() < 0.5:
        light = light + float(rng.uniform(0.005, 0.04)) * grain(size, rng)
    return _paint(base, light)


def cloth(size: int, rng: Rng) -> Image:
    base, second = any_colour(rng), any_colour(rng)
    period = float(rng.uniform(3, 9))
    t = np.arange(size, dtype=np.float32)
    weave = np.sin(2 * np.pi * t / period)[:, None] * np.sin(2 * np.pi * t / period)[None, :]
    folds = noise(size, int(rng.integers(2, 7)), int(rng.integers(2, 7)), rng)
    light = 1 + 0.06 * weave + float(rng.uniform(0.0, 0.2)) * np.tanh(folds) + 0.04 * grain(size, rng)
    picture = _paint(base, light.astype(np.float32))
    pattern = rng.random()
    step = size / float(rng.integers(3, 22))
    if pattern < 0.25:
        stripes = (np.sin(2 * np.pi * t / step) > float(rng.uniform(-0.6, 0.6))).astype(np.float32)
        mask = np.broadcast_to(stripes[None, :], (size, size))
        if rng.random() < 0.5:
            mask = 0.5 * mask + 0.5 * stripes[:, None]
        share = mask[..., None] * float(rng.uniform(0.3, 0.9))
        picture = (picture * (1 - share) + _paint(second, light.astype(np.float32)) * share).astype(np.uint8)
    elif pattern < 0.4:
        radius = max(2, round(step * float(rng.uniform(0.1, 0.3))))
        for row in range(int(size / step) + 1):
            for column in range(int(size / step) + 1):
                cv2.circle(
                    picture,
                    (round((column + 0.5 * (row % 2)) * step), round(row * step)),
                    radius,
                    second,
                    -1,
                    cv2.LINE_AA,
                )
    elif pattern < 0.5:
        for _ in range(int(rng.integers(10, 60))):
            x, y = (int(v) for v in rng.integers(0, size, 2))
            petal = any_colour(rng, value=(0.4, 1.0))
            r = int(rng.integers(size // 60 + 2, size // 22 + 4))
            for k in range(5):
                a = 2 * np.pi * k / 5
                cv2.circle(
                    picture,
                    (round(x + r * np.cos(a)), round(y + r * np.sin(a))),
                    round(0.7 * r),
                    petal,
                    -1,
                    cv2.LINE_AA,
                )
            cv2.circle(picture, (x, y), round(0.5 * r), (240, 210, 80), -1, cv2.LINE_AA)
    return picture


def speckled(size: int, rng: Rng) -> Image:
    """Stone, terrazzo, asphalt."""
    base, second = any_colour(rng, saturation=0.3), any_colour(rng, saturation=0.4)
    cells = size // int(rng.integers(2, 12))
    blobs = noise(size, cells, cells, rng)
    share = np.clip((blobs - float(rng.uniform(0, 1.2))) * 2, 0, 1) * float(rng.uniform(0.3, 1.0))
    light = 1 + 0.05 * noise(size, 6, 6, rng) + float(rng.uniform(0, 0.1)) * grain(size, rng)
    return np.clip(_mix(base, second, share) * light[..., None], 0, 255).astype(np.uint8)


def carpet(size: int, rng: Rng) -> Image:
    base = any_colour(rng, saturation=0.6)
    tufts = noise(size, size // int(rng.integers(2, 8)), size // int(rng.integers(2, 8)), rng)
    light = 1 + float(rng.uniform(0.08, 0.25)) * tufts + 0.1 * noise(size, 8, 8, rng) + 0.08 * grain(size, rng)
    return _paint(base, light.astype(np.float32))


def cutting_mat(size: int, rng: Rng) -> Image:
    """A mat with its own ruled grid: the table that looks most like a lattice."""
    base: Colour = ((28, 48, 96), (30, 90, 70), (60, 60, 64), (120, 40, 60), (228, 228, 222))[int(rng.integers(5))]
    picture = _paint(base, 1 + 0.03 * noise(size, 6, 6, rng) + 0.03 * grain(size, rng))
    ink: Colour = (210, 216, 226) if sum(base) < 400 else (90, 100, 120)
    step = size / float(rng.integers(8, 46))
    every = int(rng.choice((2, 5, 10)))
    thin = max(1, size // 700)
    overlay = picture.copy()
    for k in range(int(size / step) + 1):
        at = round(k * step)
        width = thin * (2 if k % every == 0 else 1)
        cv2.line(overlay, (at, 0), (at, size), ink, width, cv2.LINE_AA)
        cv2.line(overlay, (0, at), (size, at), ink, width, cv2.LINE_AA)
        if k % every == 0:
            cv2.putText(overlay, str(k), (at + 2, round(step)), cv2.FONT_HERSHEY_SIMPLEX, size / 2000, ink, thin)
    if rng.random() < 0.5:
        cv2.line(overlay, (0, 0), (size, round(size * float(rng.uniform(0.3, 1)))), ink, thin, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 8))):
        x, y = (int(v) for v in rng.integers(0, size, 2))
        cv2.circle(overlay, (x, y), int(rng.integers(size // 60, size // 16)), ink, thin, cv2.LINE_AA)
    share = float(rng.uniform(0.4, 1.0))
    return np.asarray(cv2.addWeighted(overlay, share, picture, 1 - share, 0), np.uint8)


def newspaper(size: int, rng: Rng) -> Image:
    picture = _paint((222, 216, 202), 1 + 0.03 * noise(size, 6, 6, rng))
    columns = int(rng.integers(3, 8))
    wide = size // columns
    pitch = max(4, size // int(rng.integers(60, 160)))
    for column in range(columns):
        y = int(rng.integers(0, size // 8))
        while y < size:
            kind = rng.random()
            x0, x1 = column * wide + wide // 16, (column + 1) * wide - wide // 16
            if kind < 0.04:
                high = int(rng.integers(size // 12, size // 5))
                cv2.rectangle(picture, (x0, y), (x1, y + high), any_colour(rng), -1)
                y += high + pitch
                continue
            thick = pitch // 2 if kind < 0.9 else pitch
            x = x0
            while x < x1:
                word = int(rng.integers(pitch // 2 + 1, 4 * pitch))
                cv2.line(picture, (x, y), (min(x + word, x1), y), (70, 68, 66), max(1, thick // 2))
                x += word + pitch // 2
            y += pitch if kind < 0.9 else 2 * pitch
    return picture


def tiled(size: int, rng: Rng) -> Image:
    """Kitchen tiles, parquet, bricks: joints that run like gaps between dominoes."""
    base, joint = any_colour(rng, saturation=0.5), any_colour(rng, saturation=0.3)
    step = size // int(rng.integers(4, 14))
    long = step * int(rng.choice((1, 1, 2, 3)))
    light = 1 + 0.05 * noise(size, 8, 8, rng) + 0.03 * grain(size, rng)
    picture = _paint(base, light)
    vary = float(rng.uniform(0, 0.12))
    width = max(1, round(size * float(rng.uniform(0.001, 0.006))))
    for row in range(size // step + 1):
        shift = (row % 2) * long // 2 if long > step or rng.random() < 0.2 else 0
        for x in range(-shift, size, long):
            box = picture[row * step : (row + 1) * step, max(0, x) : x + long]
            np.multiply(box, 1 - abs(float(rng.normal(0, vary))), out=box, casting="unsafe")
            cv2.line(picture, (x, row * step), (x, (row + 1) * step), joint, width)
        cv2.line(picture, (0, row * step), (size, row * step), joint, width)
    return picture


KINDS: tuple[tuple[Callable[[int, Rng], Image], float], ...] = (
    (wood, 0.28),
    (plain, 0.18),
    (cloth, 0.2),
    (speckled, 0.08),
    (carpet, 0.08),
    (cutting_mat, 0.08),
    (newspaper, 0.04),
    (tiled, 0.06),
)


@dataclass(frozen=True)
class DrawnTables:
    """Procedural table tops of every kind above."""

    def table(self, size: int, rng: Rng) -> Image:
        weights = np.array([w for _, w in KINDS])
        kind = KINDS[int(rng.choice(len(KINDS), p=weights / weights.sum()))][0]
        return kind(size, rng)


@dataclass(frozen=True)
class MixedTables:
    """One of several sources for each table, by weight."""

    sources: Sequence[tuple[TableSource, float]]

    def table(self, size: int, rng: Rng) -> Image:
        weights = np.array([w for _, w in self.sources])
        return self.sources[int(rng.choice(len(self.sources), p=weights / weights.sum()))][0].table(size, rng)


@dataclass(frozen=True)
class VariedTables:
    """Tables that nobody photographed: those of a source in other colours, two of them often in one."""

    source: TableSource

    def table(self, size: int, rng: Rng) -> Image:
        picture = _recoloured(self.source.table(size, rng), rng)
        if rng.random() < 0.5:
            return picture
        second = _recoloured(self.source.table(size, rng), rng)
        return _mixed(picture, second, MIXES[int(rng.integers(len(MIXES)))](size, rng))


@dataclass(frozen=True)
class ChequeredTables:
    """Two tables of a source in other colours, as squares or stripes: what is most easily mistaken for tiles."""

    source: TableSource

    def table(self, size: int, rng: Rng) -> Image:
        first, second = (_recoloured(self.source.table(size, rng), rng) for _ in range(2))
        return _mixed(first, second, _chequers(size, rng))


def _mixed(first: Image, second: Image, share: Field) -> Image:
    return np.asarray(first * (1 - share[..., None]) + second * share[..., None], np.uint8)


def _recoloured(picture: Image, rng: Rng) -> Image:
    """Another hue, saturation, brightness and contrast, now and then light for dark."""
    hsv = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV_FULL).astype(np.float32)
    if rng.random() < 0.7:
        hsv[..., 0] = (hsv[..., 0] + 256 * rng.random()) % 256
    hsv[..., 1] *= float(rng.uniform(0, 1.6))
    light = hsv[..., 2] / 255
    if rng.random() < 0.2:
        light = 1 - light
    light = np.clip(light, 0, 1) ** float(np.exp(rng.normal(0, 0.5))) * float(rng.uniform(0.4, 1.15))
    hsv[..., 2] = 255 * (light + (light.mean() - light) * float(rng.uniform(-0.7, 0.5)))
    return np.asarray(cv2.cvtColor(np.clip(hsv, 0, 255).astype(np.uint8), cv2.COLOR_HSV2RGB_FULL), np.uint8)


def _stains(size: int, rng: Rng) -> Field:
    cells = int(rng.integers(3, 40))
    edge = float(rng.uniform(0.5, 12))
    return np.asarray(np.clip(0.5 + edge * (noise(size, cells, cells, rng) - rng.normal(0, 0.5)), 0, 1), np.float32)


def _chequers(size: int, rng: Rng) -> Field:
    """Squares or stripes, turned any way."""
    period, angle = size / float(rng.uniform(3, 30)), float(rng.uniform(0, np.pi))
    along, across = np.cos(angle) * 2 * np.pi / period, np.sin(angle) * 2 * np.pi / period
    y, x = np.mgrid[:size, :size].astype(np.float32)
    wave = np.sin(along * x + across * y)
    if rng.random() < 0.6:
        wave = wave * np.sin(along * y - across * x)
    return np.asarray(np.clip(0.5 + wave * float(rng.uniform(0.5, 12)), 0, 1), np.float32)


def _sheets(size: int, rng: Rng) -> Field:
    """A few sheets or place mats lying on it."""
    share = np.zeros((size, size), np.float32)
    for _ in range(int(rng.integers(1, 6))):
        at, sides = rng.uniform(0, size, 2).tolist(), (rng.uniform(0.05, 0.6, 2) * size).tolist()
        box = cv2.boxPoints((at, sides, float(rng.uniform(0, 90))))
        cv2.fillConvexPoly(share, np.round(box).astype(np.int32), 1.0, cv2.LINE_AA)
    return share


def _veil(size: int, rng: Rng) -> Field:
    return np.full((size, size), float(rng.uniform(0.2, 0.8)), np.float32)


MIXES: tuple[Callable[[int, Rng], Field], ...] = (_stains, _chequers, _sheets, _veil)
"""How much of a second table shows where: float32 (size, size) in 0..1."""
