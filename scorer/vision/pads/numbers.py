"""Numbers in cells: what the network sees at each place from left to right, summed up to the chance of each number.

The network is trained by connectionist temporal classification (Graves et al., 2006): every place shows a symbol or
nothing, repeats are one, and a number's chance is that of all the ways to spell it.
"""

from __future__ import annotations

import functools

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision import models

SYMBOLS = ("", *"0123456789", "-")
"""What a place may show; the first is nothing."""
MAX_NUMBER = 399
"""No row of a pad and no total has been heard of that reaches it."""
TEXTS = ("", "-", *(str(number) for number in range(MAX_NUMBER + 1)))
"""All that a cell may hold: nothing, a dash, a number."""

SURE = 0.99
"""Cells whose text is less likely are shown to the network again..."""
VIEWS = ((0.95, 0.06), (1.04, -0.06))
"""...in these sizes and slants."""

Chances = NDArray[np.float64]


def read_cells(cells: NDArray[np.uint8]) -> Chances:
    """Cells uint8 (N, HEIGHT, WIDTH) to the chance of every text (N, len(TEXTS)), rows adding up to 1.

    Where the network hesitates, the mean over the cell and other views of it: its mistakes differ between them.
    """
    seen = _glance(cells)
    unsure = np.flatnonzero(seen.max(axis=1) < SURE)
    if len(unsure):
        others = [_glance(np.stack([_seen_as(cell, *view) for cell in cells[unsure]])) for view in VIEWS]
        seen[unsure] = np.mean([seen[unsure], *others], axis=0)
    return seen


def _glance(cells: NDArray[np.uint8]) -> Chances:
    session = models.load("digits")
    (places,) = session.run(None, {"cells": cells[:, None].astype(np.float32) / 255})
    return chances(np.exp(places.astype(np.float64)))


def _seen_as(cell: NDArray[np.uint8], size: float, slant: float) -> NDArray[np.uint8]:
    """A cell with what it holds larger or smaller, and slanted, about its middle."""
    turn = np.array([[size, slant], [0, size]])
    middle = (np.array(cell.shape[::-1]) - 1) / 2
    moved = np.column_stack([turn, middle - turn @ middle])
    return np.asarray(cv2.warpAffine(cell, moved, cell.shape[::-1]), np.uint8)


@functools.cache
def _spellings() -> tuple[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], ...]:
    """For texts of one, two, three symbols: their places in TEXTS, of their beginnings one level up, last symbols."""
    levels = []
    above: list[str] = [""]
    for length in (1, 2, 3):
        texts = [text for text in TEXTS if len(text) == length]
        # Beginnings that are no texts themselves do not occur: no number begins with 0 but 0.
        place = np.array([TEXTS.index(text) for text in texts])
        prefix = np.array([above.index(text[:-1]) for text in texts])
        last = np.array([SYMBOLS.index(text[-1]) for text in texts])
        levels.append((place, prefix, last))
        above = texts
    return tuple(levels)


def chances(places: NDArray[np.float64]) -> Chances:
    """Probabilities of symbols (N, places, symbols) to those of texts (N, len(TEXTS)), scaled to add up to 1.

    Level by level: `open_` and `shut` are the chances, after so many places, that exactly the text has been spelled
    and the last of them shows its last symbol, or nothing.
    """
    count, width, _ = places.shape
    nothing = places[:, :, 0].T[:, :, None]
    result = np.zeros((count, len(TEXTS)))
    # Before any symbol: nothing but nothing so far, from before the first place on. (places + 1, cells, texts)
    shut = np.cumprod(np.pad(nothing, ((1, 0), (0, 0), (0, 0)), constant_values=1), axis=0)
    open_ = np.zeros_like(shut)
    last_above = np.array([0])
    result[:, 0] = shut[-1, :, 0]
    for place, prefix, last in _spellings():
        # A text grows from its beginning; the same symbol twice needs nothing between.
        ready = shut[:-1, :, prefix] + np.where(last_above[prefix] != last, open_[:-1, :, prefix], 0)
        open_, shut = np.zeros((2, width + 1, count, len(last)))
        for i in range(width):
            open_[i + 1] = places[:, i, last] * (open_[i] + ready[i])
            shut[i + 1] = nothing[i] * (shut[i] + open_[i])
        result[:, place] = open_[-1] + shut[-1]
        last_above = last
    return np.asarray(result / np.maximum(result.sum(axis=1, keepdims=True), 1e-300))
