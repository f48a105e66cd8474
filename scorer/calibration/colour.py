"""White balance and exposure: what is white, grey or a known tile in a photo says what colour the light has.

One gain for each channel in linear light (von Kries, 1902; the sRGB curve of IEC 61966-2-1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from scorer.errors import UnreadableInput
from scorer.vision.rectify import Floats, Image

Card = Literal["paper", "grey"]

REFLECTS: dict[Card, float] = {"paper": 0.8, "grey": 0.18}
"""Part of the light that a sheet of paper and a photographer's grey card send back."""
WHITEST = 0.9
"""Linear value that full white gets: paper then lies a little below, and glare has room above."""
MOST_GAIN = 4.0
"""Two stops. A photo that needs more has lost its colours."""
SMOOTH = 6.0
"""Spread of brightness within a card, 0..255, in a picture of SIDE pixels."""
SIDE = 320
LEAST_SHARE = 0.01
"""Part of the picture that a card must fill at least."""
CLIPPED = 250
"""A card brighter than this has lost its colour."""


@dataclass(frozen=True)
class Balance:
    """Gains of the linear channels."""

    red: float
    green: float
    blue: float

    def __post_init__(self) -> None:
        if not all(1 / MOST_GAIN <= gain <= MOST_GAIN for gain in (self.red, self.green, self.blue)):
            raise ValueError(f"a gain is not between {1 / MOST_GAIN} and {MOST_GAIN}")

    def apply(self, image: Image) -> Image:
        """A picture uint8 (..., 3) RGB as it would be in even light; one table look-up a pixel."""
        linear = _linear(np.arange(256, dtype=np.float32))[:, None] * np.array([self.red, self.green, self.blue])
        table = np.round(255 * _coded(np.clip(linear, 0, 1))).astype(np.uint8)
        flat = image.reshape(-1, image.shape[-2], 3)
        return np.asarray(cv2.LUT(np.ascontiguousarray(flat), table[None]), np.uint8).reshape(image.shape)


def _linear(values: Floats) -> Floats:
    part = values / 255
    return np.asarray(np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4), np.float32)


def _coded(linear: Floats) -> Floats:
    return np.asarray(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055), np.float32)


def from_card(image: Image, card: Card, name: str = "photo") -> Balance:
    """By the sheet of paper or grey card in a picture uint8 (H, W, 3) RGB; raises UnreadableInput where none is."""
    seen = find_card(image, card)
    if seen is None:
        what = "sheet of paper" if card == "paper" else "grey card"
        raise UnreadableInput(f"{name}: no {what} found. Lay it flat in the light of the table, without glare on it.")
    return _gains(seen, np.full(3, REFLECTS[card] * WHITEST), name)


def find_card(image: Image, card: Card) -> Floats | None:
    """The mean linear colour (3,) of the largest smooth patch that may be the card, if there is one."""
    scale = SIDE / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else image
    grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY).astype(np.float32)
    mean = cv2.blur(grey, (5, 5))
    spread = np.sqrt(np.maximum(cv2.blur(grey * grey, (5, 5)) - mean * mean, 0))
    high, low = small.max(-1).astype(np.float32), small.min(-1).astype(np.float32)
    # Even in the light of a bulb paper is paler than wood, cloth or a tile; and it is the brightest large thing.
    pale = (high - low) < 0.55 * high
    bright = grey > (np.quantile(grey, 0.6) if card == "paper" else 25)
    mask = ((spread < SMOOTH) & pale & bright & (high < CLIPPED)).astype(np.uint8)
    mask = cv2.erode(mask, np.ones((3, 3), np.uint8))
    count, marks, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    best: tuple[float, Floats] | None = None
    for number in range(1, count):
        area = int(stats[number, cv2.CC_STAT_AREA])
        box = int(stats[number, cv2.CC_STAT_WIDTH]) * int(stats[number, cv2.CC_STAT_HEIGHT])
        if area < LEAST_SHARE * mask.size or area < 0.4 * box:
            continue
        colour = _linear(small[marks == number].astype(np.float32)).mean(0)
        worth = area / mask.size * (float(colour.max()) if card == "paper" else 1.0)
        if best is None or worth > best[0]:
            best = worth, np.asarray(colour, np.float32)
    return best[1] if best else None


def from_squares(squares: Image, colours: Floats, name: str = "photo") -> Balance:
    """By tiles: squares uint8 (N, S, S, 3) RGB whose usual mean linear colours are (N, 3)."""
    seen = _linear(squares.astype(np.float32)).mean(axis=(1, 2))
    ratio = np.median(np.log(colours) - np.log(np.maximum(seen, 1e-4)), axis=0)
    return _gains(np.ones(3, np.float32), np.exp(ratio), name)


def mean_colours(squares: Image) -> Floats:
    """Mean linear colours (N, 3) of squares uint8 (N, S, S, 3)."""
    return np.asarray(_linear(squares.astype(np.float32)).mean(axis=(1, 2)), np.float32)


def _gains(seen: Floats, wanted: Floats, name: str) -> Balance:
    red, green, blue = (float(gain) for gain in wanted / np.maximum(seen, 1e-4))
    try:
        return Balance(red, green, blue)
    except ValueError:
        raise UnreadableInput(
            f"{name}: too dark, too bright or too colourful to be corrected. Use better light, or another card."
        ) from None
