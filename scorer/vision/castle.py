"""The colours of castles or their starting tiles: whose kingdom is whose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.rectify import Image

HUES = {"red": 350.0, "orange": 22.0, "yellow": 50.0, "green": 120.0, "blue": 212.0, "purple": 275.0}
"""Degrees on the colour circle."""
COLOURS = (*HUES, "white", "black")
LEAST_COLOUR = 70
"""Saturation, 0..255, of a pixel that has a hue at all."""
BLACK, WHITE = 70, 185
"""Value, 0..255, below and above which a pixel without a hue is one of these."""

LEAST_MORE = 0.05
"""Part of a castle's square that must have a colour which the other castles lack: a starting tile's rim is a tenth."""


def colour_shares(square: Image) -> dict[str, float]:
    """Which part of a straight picture (H, W, 3) uint8 RGB of the castle's square has each colour, 0..1."""
    hue, saturation, value = np.moveaxis(cv2.cvtColor(square, cv2.COLOR_RGB2HSV).astype(np.float32), -1, 0)
    away = np.abs((2 * hue[..., None] - np.array(list(HUES.values())) + 180) % 360 - 180)
    nearest = np.where(saturation >= LEAST_COLOUR, away.argmin(-1), -1)
    grey = nearest < 0
    parts = [
        *((nearest == number) & (value > BLACK) for number in range(len(HUES))),
        grey & (value >= WHITE),
        value <= BLACK,
    ]
    return {name: float(part.mean()) for name, part in zip(COLOURS, parts, strict=True)}


def owners(kingdoms: Sequence[Mapping[str, float] | None], seats: Sequence[str]) -> list[int | None]:
    """For each kingdom, given by its `colour_shares`, the seat whose colour its castle shows most, each seat once.

    All starting tiles show the same picture, so what counts is which colour a castle shows more of than the others.
    A kingdom without a castle, and those beyond the seats, get what is left: None when nothing is.
    """
    weights = _beyond_the_others(kingdoms, seats)
    nobody = [None] * max(0, len(kingdoms) - len(seats))
    orders = permutations([*range(len(seats)), *nobody], len(kingdoms))
    return list(max(orders, key=lambda order: _weight(weights, list(order))))


def _weight(weights: NDArray[np.float64], order: Sequence[int | None]) -> float:
    return sum(float(weights[i, seat]) for i, seat in enumerate(order) if seat is not None)


def _beyond_the_others(kingdoms: Sequence[Mapping[str, float] | None], seats: Sequence[str]) -> NDArray[np.float64]:
    shares = np.array([[shown.get(seat, 0.0) if shown else np.nan for seat in seats] for shown in kingdoms])
    known = ~np.isnan(shares[:, 0])
    if not known.any():
        return np.zeros_like(shares)
    common = shares[known].mean(0) if known.sum() > 1 else 0.0
    return np.where(known[:, None], shares - common, 0.0)


def colours_apart(squares: Sequence[Image], in_box: Sequence[str] = COLOURS) -> list[str | None]:
    """The colours of the box that tell the castles of one photo apart, each at most once; None where none does.

    The starting tiles are alike but for their colour: a castle has that of which it shows more than the others do.
    """
    names: list[str | None] = [None] * len(squares)
    if len(squares) < 2:
        return names
    shares = np.array([[shown[colour] for colour in in_box] for shown in map(colour_shares, squares)])
    more = shares - (shares.sum(axis=0) - shares) / (len(squares) - 1)
    while more.max() >= LEAST_MORE:
        castle, colour = divmod(int(more.argmax()), len(in_box))
        names[castle] = in_box[colour]
        more[castle], more[:, colour] = -1, -1
    return names
