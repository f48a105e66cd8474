"""Reads every square by itself: how likely each terrain with each number of crowns is."""

from __future__ import annotations

import numpy as np

from scorer.rules.catalogue import TERRAINS
from scorer.vision import models
from scorer.vision.pieces import HEADS, split
from scorer.vision.rectify import Floats, Image

SIZE = 72
"""Pixels of a square crop, with MARGIN of a square around it."""
MARGIN = 0.1
CROWNS = 4
CASTLE, EMPTY = "C", "."

LABELS: tuple[str, ...] = (*(f"{t[0]}{n}" for t in TERRAINS[:-1] for n in range(CROWNS)), "t0", CASTLE, EMPTY)
"""What a place may show, in the order of the columns of `classify`."""
SURE, PIECES_SURE = 0.93, 0.8
"""Squares whose terrain and crowns, or any of whose pieces the network is less sure of are shown to it again."""


def answers(crops: Image) -> dict[str, Floats]:
    """Everything the network says of square crops uint8 (N, SIZE, SIZE, 3) RGB, by head.

    Where it hesitates, the mean over the crop, the crop turned, and the mirror images of both: its mistakes differ from
    one to the other.
    """
    said = glance(crops)
    hesitant = log_probabilities(said["terrain"], said["crowns"]).max(1) < np.log(SURE)
    for likely in split(said["pieces"], HEADS).values():
        hesitant |= likely.max(1) < PIECES_SURE
    unsure = np.flatnonzero(hesitant)
    if len(unsure):
        turned = np.rot90(crops[unsure], 1, (1, 2))
        again = glance(np.concatenate([turned, crops[unsure][:, :, ::-1], turned[:, :, ::-1]]))
        for name, values in said.items():
            values[unsure] = (values[unsure] + again[name].reshape(3, len(unsure), -1).sum(0)) / 4
    return said


def glance(crops: Image) -> dict[str, Floats]:
    """What the network says at first sight, all crops in one call."""
    squares = np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32)
    session = models.load("classify")
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"squares": squares}), strict=True))


def classify(crops: Image) -> Floats:
    """Log-probabilities float32 (N, len(LABELS)) of square crops at first sight."""
    said = glance(crops)
    return log_probabilities(said["terrain"], said["crowns"])


def log_probabilities(terrain: Floats, crowns: Floats) -> Floats:
    """Log-probabilities float32 (N, len(LABELS)) from the logits of terrain and crowns."""
    terrain, crowns = _log_softmax(terrain), _log_softmax(crowns)
    land = terrain[:, : len(TERRAINS) - 1, None] + crowns[:, None, :]
    return np.concatenate([land.reshape(len(terrain), -1), terrain[:, len(TERRAINS) - 1 :]], axis=1)


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float32)
