"""Likeness: what lies in one photo is printed alike and lies in the same light, so the unsure go by the sure."""

from __future__ import annotations

import numpy as np

from scorer.vision.rectify import Floats, Image

INNER = 1 / 6
"""Part of a square at each edge that is not looked at: neighbours, margins, crooked dominoes."""
DARK = 8.0
"""Added before logarithms are taken, 0..255: darker than this is black."""
FAINT = 0.02
"""Spread and roughness below this are noise."""
NEAREST, NEAR = 3, 0.3
"""Likeness goes by so many squares, and so near is as good as equal."""


def looks(squares: Image) -> Floats:
    """Colour, roughness and spread of squares uint8 (N, S, S, 3), (N, 5): in logarithms, which a brighter light shifts
    alike, and scaled so that a step of one is as telling in each."""
    edge = round(INNER * squares.shape[1])
    shown = np.log(squares[:, edge:-edge, edge:-edge].astype(np.float32) + DARK)
    light = shown.mean(axis=-1)
    rough = np.abs(np.diff(light, axis=1)).mean(axis=(1, 2)) + np.abs(np.diff(light, axis=2)).mean(axis=(1, 2))
    spread = shown.std(axis=(1, 2)).mean(axis=-1)
    colour = np.median(shown.reshape(len(shown), -1, 3), axis=1)
    return np.column_stack([6 * colour, 3 * np.log(rough + FAINT), 3 * np.log(spread + FAINT)])


def apart(some: Floats, others: Floats, far: float) -> Floats:
    """How far squares (N,) are in their looks from the nearest of others; ``far`` where there are no others."""
    if not len(others):
        return np.full(len(some), far, np.float32)
    distances = np.linalg.norm(some[:, None] - others[None], axis=-1)
    return np.asarray(np.sort(distances, axis=1)[:, :NEAREST].mean(axis=1) + NEAR, np.float32)
