"""Squares as they might look in other photos: turned, mirrored, moved, in another light, less sharp.

A few photos show new art in one light each; what is learnt from them shall hold in others.
"""

from __future__ import annotations

import cv2
import numpy as np

from scorer.vision.rectify import Floats, Image

VARIED = ("classify",)
"""Networks whose new squares are shown in many lights: what is new there is a kind of many pictures."""
COPIES, MOST_COPIES = 32, 3200
"""Varied copies of a square that is new to the network, and of all together."""


def varied(crop: Image, rng: np.random.Generator) -> Image:
    """A square crop uint8 (S, S, 3), as it might look in another photo."""
    moved = cv2.warpAffine(
        crop, _motion(len(crop), rng), crop.shape[1::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    shown = _relit(moved.astype(np.float32), rng)
    if rng.random() < 0.3:
        shown = np.asarray(cv2.GaussianBlur(shown, (0, 0), rng.uniform(0.6, 1.6)), np.float32)
    grain = rng.normal(0, rng.uniform(0, 12), shown.shape)
    return np.asarray((shown + grain).clip(0, 255), np.uint8)


def _motion(size: int, rng: np.random.Generator) -> Floats:
    """Turned by quarters and a little more, mirrored or not, a little larger and off its place."""
    angle, zoom = rng.integers(4) * np.pi / 2 + rng.uniform(-0.1, 0.1), rng.uniform(0.88, 1)
    turn = zoom * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turn[:, 0] *= rng.choice((-1, 1))
    middle = np.full(2, (size - 1) / 2)
    return np.column_stack([turn, middle - turn @ middle + rng.uniform(-0.03, 0.03, 2) * size])


def _relit(shown: Floats, rng: np.random.Generator) -> Floats:
    """Other contrast, colourfulness, exposure and colour of the light, and a slope of brightness."""
    mean = shown.mean()
    shown = (shown - mean) * rng.uniform(0.7, 1.3) + mean
    grey = shown.mean(2, keepdims=True)
    shown = (shown - grey) * rng.uniform(0.6, 1.3) + grey
    across = np.linspace(-1, 1, len(shown))
    slope = 1 + rng.uniform(-0.2, 0.2) * across[None, :, None] + rng.uniform(-0.2, 0.2) * across[:, None, None]
    gain = rng.uniform(0.55, 1.5) * rng.uniform(0.82, 1.2, 3)
    lit = 255 * (shown.clip(1, 255) / 255) ** rng.uniform(0.75, 1.35) * gain * slope
    return np.asarray(lit, np.float32)


def turned(crops: Image) -> list[Image]:
    """Square crops (N, S, S, 3) in the seven other ways in which they may be turned and mirrored."""
    quarters = [np.rot90(crops, turns, (1, 2)) for turns in range(4)]
    return [*quarters[1:], *(quarter[:, :, ::-1] for quarter in quarters)]
