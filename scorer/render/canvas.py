"""A small painter in unit coordinates: everything our own art is drawn with."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Colour = tuple[int, int, int]
Point = tuple[float, float]

WHITE: Colour = (250, 248, 240)
DARK: Colour = (38, 30, 26)

SHIFT = 4  # fractional bits of OpenCV's fixed-point coordinates: a sixteenth of a pixel


def palette(colours: str) -> tuple[Colour, ...]:
    """Colours as they are written down: red green blue, red green blue ..."""
    return tuple((int(red), int(green), int(blue)) for red, green, blue in map(str.split, colours.split(",")))


class Canvas:
    """An RGB picture, uint8 (height, width, 3); coordinates are in units of its height, from the top left."""

    def __init__(self, height: int, colour: Colour, *, aspect: float = 1.0) -> None:
        self.height = height
        self.pixels: Image = np.full((height, round(height * aspect), 3), colour, np.uint8)

    def _fixed(self, points: Sequence[Point] | NDArray[np.floating]) -> NDArray[np.int32]:
        scaled = np.asarray(points, np.float64) * self.height * (1 << SHIFT)
        return np.round(scaled - (1 << (SHIFT - 1))).astype(np.int32)

    def _pixels(self, length: float, least: int = 1) -> int:
        return max(least, round(length * self.height))

    def polygon(self, points: Sequence[Point] | NDArray[np.floating], colour: Colour) -> None:
        cv2.fillPoly(self.pixels, [self._fixed(points)], colour, cv2.LINE_AA, SHIFT)

    def line(
        self,
        points: Sequence[Point] | NDArray[np.floating],
        colour: Colour,
        width: float,
        *,
        closed: bool = False,
    ) -> None:
        cv2.polylines(self.pixels, [self._fixed(points)], closed, colour, self._pixels(width), cv2.LINE_AA, SHIFT)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        centre = self._fixed([(x, y)])[0]
        cv2.circle(
            self.pixels,
            (int(centre[0]), int(centre[1])),
            max(8, round(radius * self.height * (1 << SHIFT))),
            colour,
            cv2.FILLED,
            cv2.LINE_AA,
            SHIFT,
        )

    def ellipse(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        colour: Colour,
        *,
        turn: float = 0.0,
        width: float | None = None,
    ) -> None:
        """A filled ellipse turned by `turn` degrees, or its outline when a `width` is given."""
        centre = self._fixed([(x, y)])[0]
        scale = self.height * (1 << SHIFT)
        cv2.ellipse(
            self.pixels,
            (int(centre[0]), int(centre[1])),
            (max(8, round(rx * scale)), max(8, round(ry * scale))),
            turn,
            0,
            360,
            colour,
            cv2.FILLED if width is None else self._pixels(width),
            cv2.LINE_AA,
            SHIFT,
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        colour: Colour,
        height: float,
        *,
        bold: float = 0.02,
        font: int = cv2.FONT_HERSHEY_DUPLEX,
    ) -> None:
        """Words centred on (x, y) with capitals `height` high."""
        scale = max(0.1, height * self.height / 21.0)
        width = self._pixels(bold)
        (w, h), _ = cv2.getTextSize(words, font, scale, width)
        origin = (round(x * self.height - w / 2), round(y * self.height + h / 2))
        cv2.putText(self.pixels, words, origin, font, scale, colour, width, cv2.LINE_AA)


def shade(colour: Colour, factor: float) -> Colour:
    """The colour made darker (factor below 1) or lighter."""
    r, g, b = (max(0, min(255, round(c * factor))) for c in colour)
    return r, g, b


def blend(a: Colour, b: Colour, share: float) -> Colour:
    """`share` of b in a."""
    r, g, b_ = (round(p * (1 - share) + q * share) for p, q in zip(a, b, strict=True))
    return r, g, b_


def mottle(pixels: Image, rng: np.random.Generator, *, cells: int, strength: float) -> Image:
    """Soft brightness clouds of `cells` blobs across; same shape and dtype."""
    height, width = pixels.shape[:2]
    field = rng.standard_normal((cells, max(2, cells * width // height)), dtype=np.float32)
    clouds = cv2.resize(field, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(pixels * (1 + strength * clouds[..., None]), 0, 255).astype(np.uint8)


def regular(
    sides: int, x: float, y: float, radius: float, rng: np.random.Generator, rough: float
) -> NDArray[np.float64]:
    """A rough round blob as a polygon, float64 (sides, 2)."""
    angle = np.arange(sides) * (2 * np.pi / sides)
    reach = radius * (1 + rough * rng.uniform(-1, 1, sides))
    return np.stack([x + reach * np.cos(angle), y + reach * np.sin(angle)], axis=1)
