"""Draws what was seen on the photo: the lattice, each square's reading, doubts, and outlines handed in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.errors import UsageError
from scorer.vision.reading import Reading, ReadKingdom
from scorer.vision.rectify import Image

LINE = (255, 255, 255)
SHADE = (0, 0, 0)
DOUBT = (255, 40, 160)
FORMATS = {".jpg": ".jpg", ".jpeg": ".jpg", ".png": ".png", ".webp": ".webp"}

Outline = tuple[Iterable[tuple[int, int]], str]
"""Squares that belong together, and what to write on them."""


def annotate(reading: Reading, outlines: Iterable[Iterable[Outline]] = ()) -> Image:
    """The photo, uint8 (H, W, 3) RGB, with every kingdom drawn on it; `outlines` by kingdom."""
    image = reading.image.image.copy()
    scale = np.array(image.shape[1::-1]) / (reading.width, reading.height)
    groups = [*map(list, outlines), *[[]] * len(reading.kingdoms)]
    for kingdom, outline in zip(reading.kingdoms, groups, strict=False):
        _draw(image, kingdom, (kingdom.quads + 0.5) * scale - 0.5, outline)
    return image


def _draw(image: Image, kingdom: ReadKingdom, quads: NDArray[np.float64], outlines: list[Outline]) -> None:
    side = float(np.median(np.linalg.norm(quads[:, :, 1] - quads[:, :, 0], axis=-1)))
    width = max(1, round(side / 60))
    doubtful = {doubt.square for doubt in kingdom.doubts}
    for r, row in enumerate(kingdom.grid):
        for c, cell in enumerate(row):
            quad = quads[r, c]
            if cell != ".":
                _polygon(image, quad, LINE, width)
            if cell != "." or (r, c) in doubtful:
                _text(image, cell, quad.mean(0), side * 0.24)
    for squares, text in outlines:
        places = set(squares)
        for r, c in places:
            for (dr, dc), (a, b) in zip(
                ((-1, 0), (0, 1), (1, 0), (0, -1)), ((0, 1), (1, 2), (2, 3), (3, 0)), strict=True
            ):
                if (r + dr, c + dc) not in places:
                    _stroke(image, quads[r, c, a], quads[r, c, b], LINE, 3 * width)
        r, c = min(places)
        top = quads[r, c, :2].mean(0)
        _text(image, text, top + (quads[r, c].mean(0) - top) * 0.35, side * 0.2)
    for r, c in (place for place in doubtful if place):
        # Not told by colour alone: a doubtful square is crossed out at its corners and asks.
        inner = quads[r, c] + (quads[r, c].mean(0) - quads[r, c]) * 0.08
        _polygon(image, inner, DOUBT, 3 * width)
        _text(image, "?", quads[r, c, 2] + (quads[r, c].mean(0) - quads[r, c, 2]) * 0.35, side * 0.35)


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


def _text(image: Image, text: str, middle: NDArray[np.floating], height: float) -> None:
    """Writes `text` around a point, `height` pixels high, white on a dark rim."""
    size = max(0.3, height / 22)
    thick = max(1, round(size * 1.6))
    (wide, high), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, size, thick)
    at = (round(float(middle[0]) - wide / 2), round(float(middle[1]) + high / 2))
    # A rim all around, so that the text stands out on any tile.
    rim = [(dx, dy) for dx in (-thick, 0, thick) for dy in (-thick, 0, thick) if dx or dy]
    for shade, shifts in ((SHADE, rim), (LINE, [(0, 0)])):
        for dx, dy in shifts:
            place = (at[0] + dx, at[1] + dy)
            cv2.putText(image, text, place, cv2.FONT_HERSHEY_SIMPLEX, size, shade, thick, cv2.LINE_AA)


def encode(image: Image, path: Path, quality: int = 95) -> bytes:
    """The picture as a file of the kind that the name asks for, without any metadata; `quality` of a JPEG up to 100."""
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise UsageError(f"{path}: a picture is written as .jpg, .png or .webp")
    _, data = cv2.imencode(kind, image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes()
