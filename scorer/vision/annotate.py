"""Draws what was seen on the photo: each square's reading, doubts, and outlines handed in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.errors import UsageError
from scorer.vision.load import MAX_SIDE
from scorer.vision.reading import Reading, ReadKingdom
from scorer.vision.rectify import Image

LINE = (255, 255, 255)
SHADE = (0, 0, 0)
DOUBT = (255, 40, 160)
LEGIBLE = 120.0
"""Pixels of a square in the picture: sums are then a fifth of that high, and legible when a phone shows all of it."""
AROUND = 0.8
"""Squares of table shown around the kingdoms."""
FORMATS = {".jpg": ".jpg", ".jpeg": ".jpg", ".png": ".png", ".webp": ".webp"}

Outline = tuple[Iterable[tuple[int, int]], str]
"""Squares that belong together, and what to write on them."""


def annotate(reading: Reading, outlines: Iterable[Iterable[Outline]] = ()) -> Image:
    """The part of the photo with kingdoms, uint8 (H, W, 3) RGB, and what was seen drawn on it; `outlines` by kingdom.

    It is cut and enlarged so that what is written on the smallest squares can be read on a phone.
    """
    picture = reading.image.image
    quads = [reading.image.from_photo(kingdom.quads).astype(np.float64) for kingdom in reading.kingdoms]
    sides = [_side(of_kingdom) for of_kingdom in quads]
    around = max(sides, default=0.0) * AROUND
    points = np.concatenate([of_kingdom.reshape(-1, 2) for of_kingdom in quads] or [np.zeros((1, 2))])
    left, top = np.clip(points.min(axis=0) - around, 0, None).astype(int)
    right, bottom = np.ceil(points.max(axis=0) + around).astype(int) + 1
    part = picture[top:bottom, left:right] if quads else picture
    grow = min(max(1.0, LEGIBLE / min(sides, default=LEGIBLE)), MAX_SIDE / max(part.shape[:2]))
    image = np.array(cv2.resize(part, None, fx=grow, fy=grow, interpolation=cv2.INTER_CUBIC), np.uint8)
    groups = [*map(list, outlines), *[[]] * len(reading.kingdoms)]
    for kingdom, of_kingdom, outline in zip(reading.kingdoms, quads, groups, strict=False):
        _draw(image, kingdom, (of_kingdom - (left, top) + 0.5) * grow - 0.5, outline)
    return image


def _side(quads: NDArray[np.floating]) -> float:
    """The median width of squares, in pixels."""
    return float(np.median(np.linalg.norm(quads[:, :, 1] - quads[:, :, 0], axis=-1)))


def _draw(image: Image, kingdom: ReadKingdom, quads: NDArray[np.float64], outlines: list[Outline]) -> None:
    side = _side(quads)
    width = max(1, round(side / 80))
    doubtful = {doubt.square for doubt in kingdom.doubts if doubt.square}
    for r, row in enumerate(kingdom.grid):
        for c, cell in enumerate(row):
            if cell != "." or (r, c) in doubtful:
                _polygon(image, quads[r, c], LINE, width)
                _cell(image, cell, quads[r, c].mean(0), side)
    for squares, _ in outlines:
        _outline(image, set(squares), quads, 4 * width)
    for r, c in doubtful:
        # Not told by colour alone: a doubtful square has a second frame and asks.
        inner = quads[r, c] + (quads[r, c].mean(0) - quads[r, c]) * 0.1
        _polygon(image, inner, DOUBT, 3 * width)
        _text(image, "?", quads[r, c, 2] + (quads[r, c].mean(0) - quads[r, c, 2]) * 0.28, side * 0.3)
    for squares, text in outlines:
        r, c = min(squares)
        top = quads[r, c, :2].mean(0)
        _text(image, text, top + (quads[r, c].mean(0) - top) * 0.4, side * 0.17, boxed=True)
    if kingdom.kingdom.player:
        above = quads[0, :, :2].mean((0, 1)) - np.array([0, 0.25 * side])
        _text(image, kingdom.kingdom.player, above, side * 0.25, boxed=True)


def _cell(image: Image, cell: str, middle: NDArray[np.floating], side: float) -> None:
    """Terrain and crowns large, what stands on the square below it."""
    ground, *pieces = cell.split("+")
    kind, _, building = ground.partition(":")
    down = np.array([0.0, side])
    _text(image, kind, middle + 0.12 * down, side * 0.22)
    for line, word in enumerate(filter(None, (building, *pieces))):
        _text(image, word, middle + (0.3 + 0.13 * line) * down, side * 0.1)


def _outline(image: Image, places: set[tuple[int, int]], quads: NDArray[np.floating], width: int) -> None:
    """One line around squares that belong together, a little inside, so that neighbours have one each."""
    edges = zip(((-1, 0), (0, 1), (1, 0), (0, -1)), ((0, 1), (1, 2), (2, 3), (3, 0)), strict=True)
    for (dr, dc), (a, b) in edges:
        for r, c in places:
            if (r + dr, c + dc) not in places:
                inwards = (quads[r, c].mean(0) - (quads[r, c, a] + quads[r, c, b]) / 2) * 0.05
                _stroke(image, quads[r, c, a] + inwards, quads[r, c, b] + inwards, LINE, width)


def _points(points: NDArray[np.floating]) -> NDArray[np.int32]:
    return np.round(points).astype(np.int32)


def _polygon(image: Image, quad: NDArray[np.floating], colour: tuple[int, int, int], width: int) -> None:
    for shade, extra in ((SHADE, 2), (colour, 0)):
        cv2.polylines(image, [_points(quad)], True, shade, width + extra, cv2.LINE_AA)


def _stroke(
    image: Image, start: NDArray[np.floating], end: NDArray[np.floating], colour: tuple[int, int, int], width: int
) -> None:
    for shade, extra in ((SHADE, 2), (colour, 0)):
        cv2.polylines(image, [_points(np.stack([start, end]))], False, shade, width + extra, cv2.LINE_AA)


def _text(image: Image, text: str, middle: NDArray[np.floating], height: float, boxed: bool = False) -> None:
    """Writes `text` around a point, `height` pixels high: white on a dark rim, or in a dark box."""
    size = max(0.3, height / 22)
    thick = max(1, round(size * 1.6))
    (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    at = (round(float(middle[0]) - wide / 2), round(float(middle[1]) + high / 2))
    shades = [(LINE, [(0, 0)])]
    if boxed:
        rim = 2 * thick
        cv2.rectangle(image, (at[0] - rim, at[1] - high - rim), (at[0] + wide + rim, at[1] + rim), SHADE, -1)
    else:
        # A rim all around, so that the text stands out on any tile.
        rims = [(dx, dy) for dx in (-thick, 0, thick) for dy in (-thick, 0, thick) if dx or dy]
        shades.insert(0, (SHADE, rims))
    for shade, shifts in shades:
        for dx, dy in shifts:
            place = (at[0] + dx, at[1] + dy)
            cv2.putText(image, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, shade, thick, cv2.LINE_AA)


def encode(image: Image, path: Path, quality: int = 95) -> bytes:
    """The picture as a file of the kind that the name asks for, without any metadata; `quality` of a JPEG up to 100."""
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise UsageError(f"{path}: a picture is written as .jpg, .png or .webp")
    options = [cv2.IMWRITE_JPEG_QUALITY, quality] if kind == ".jpg" else []
    _, data = cv2.imencode(kind, cv2.cvtColor(image, cv2.COLOR_RGB2BGR), options)
    return data.tobytes()
