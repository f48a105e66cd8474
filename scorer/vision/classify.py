"""Reads every square by itself: how likely each terrain with each number of crowns is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scorer.rules.catalogue import TERRAINS
from scorer.vision import models
from scorer.vision.pieces import HEADS, split
from scorer.vision.rectify import Floats, Image

SIZE = 72
"""Pixels of a square crop, with MARGIN of a square around it."""
MARGIN = 0.1
WIDE_SIZE, WIDE_MARGIN = 84, 0.2
"""The same for the network that sees more of what is around; a square has as many pixels."""
CROWNS = 4
CASTLE, EMPTY = "C", "."
FELT = ("texture", "embedding")
"""Outputs that are no answers: how a square looks to the network half way, and in the end."""

LABELS: tuple[str, ...] = (*(f"{t[0]}{n}" for t in TERRAINS[:-1] for n in range(CROWNS)), "t0", CASTLE, EMPTY)
"""What a place may show, in the order of the columns of `classify`."""
SURE, PIECES_SURE = 0.93, 0.8
"""Squares whose terrain and crowns, or any of whose pieces the network is less sure of are looked at again."""


def answers(wide: Image) -> dict[str, Floats]:
    """Everything the networks say of square crops uint8 (N, WIDE_SIZE, WIDE_SIZE, 3) RGB, by head."""
    said = glance(inner(wide))
    return look_again(said, wide, hesitant(said))


def look_again(said: dict[str, Floats], wide: Image, unsure: NDArray[np.bool_]) -> dict[str, Floats]:
    """What is said of wide crops; of those chosen the mean over the crop, its mirror image, and what the wider network
    says of both: mistakes differ from one to the other."""
    chosen = np.flatnonzero(unsure)
    if not len(chosen):
        return said
    turned = np.rot90(wide[chosen], 1, (1, 2))[:, :, ::-1]
    again = glance(inner(turned))
    wider = _said("wider", np.concatenate([wide[chosen], turned]))
    said = {name: values.copy() for name, values in said.items()}
    for name, values in said.items():
        values[chosen] = (values[chosen] + again[name]) / 2
        if name not in FELT:
            values[chosen] = (values[chosen] + wider[name].reshape(2, len(chosen), -1).mean(0)) / 2
    return said


def hesitant(said: dict[str, Floats]) -> NDArray[np.bool_]:
    """The squares of whose terrain and crowns, or of any of whose pieces a network is unsure."""
    unsure = log_probabilities(said["terrain"], said["crowns"]).max(1) < np.log(SURE)
    for likely in split(said["pieces"], HEADS).values():
        unsure |= likely.max(1) < PIECES_SURE
    return np.asarray(unsure)


def inner(wide: Image) -> Image:
    """Wide crops as the first network is shown them."""
    border = (WIDE_SIZE - SIZE) // 2
    return wide[:, border:-border, border:-border]


def glance(crops: Image) -> dict[str, Floats]:
    """What the first network says of crops uint8 (N, SIZE, SIZE, 3) at first sight, all in one call."""
    return _said("classify", crops)


def _said(network: str, crops: Image) -> dict[str, Floats]:
    squares = np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32)
    session = models.load(network)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"squares": squares}), strict=True))


def classify(crops: Image) -> Floats:
    """Log-probabilities float32 (N, len(LABELS)) of square crops at first sight."""
    said = glance(crops)
    return log_probabilities(said["terrain"], said["crowns"])


def classify_wider(wide: Image) -> Floats:
    """The same of wide crops by the network that sees more of what is around: it knows tables better."""
    said = _said("wider", wide)
    return log_probabilities(said["terrain"], said["crowns"])


def log_probabilities(terrain: Floats, crowns: Floats) -> Floats:
    """Log-probabilities float32 (N, len(LABELS)) from the logits of terrain and crowns."""
    terrain, crowns = _log_softmax(terrain), _log_softmax(crowns)
    land = terrain[:, : len(TERRAINS) - 1, None] + crowns[:, None, :]
    return np.concatenate([land.reshape(len(terrain), -1), terrain[:, len(TERRAINS) - 1 :]], axis=1)


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float32)
