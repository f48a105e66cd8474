"""How far each witness of a reading is believed: fitted on validation photos by `python -m models.train.trust`.

terrain, crowns   temperatures by which the network's logits are divided (Guo et al., "On calibration of modern neural
                  networks", 2017)
tile              weight of the locator's log-odds that a tile lies on a place
castle            log-odds that the castle stands where the locator saw it
context           weight of what all squares of the photo say when they are read together
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from scorer.vision.classify import CASTLE, EMPTY, LABELS, log_probabilities
from scorer.vision.rectify import Floats

FILE = Path(__file__).with_name("trust.json")

SUREST = 6.0
"""Log-odds of a tile or an empty place that the locator may claim at most: it has seen few tables."""
_EMPTY = np.array([label == EMPTY for label in LABELS])
_CASTLE = np.array([label == CASTLE for label in LABELS])


@dataclass(frozen=True)
class Trust:
    """`model`: the first digits of the checksum of the classifier that the numbers were fitted for."""

    model: str
    terrain: float
    crowns: float
    tile: float
    castle: float
    context: float

    def joint(self, terrain: Floats, crowns: Floats, tile: Floats, castle: Floats, context: Floats) -> Floats:
        """Log-probabilities (N, len(LABELS)) of places from all witnesses.

        terrain, crowns: logits of the network; tile: (N,) how sure the locator is of a tile, 0..1; castle: (N,) 1 where
        it saw the castle, 0 elsewhere in a kingdom whose castle it saw, nan where it saw none; context: (N, terrains)
        what speaks for each terrain among the other squares of the photo.
        """
        joint = log_probabilities(terrain / self.terrain + self.context * context, crowns / self.crowns)
        odds = np.log(np.clip(tile, 1e-9, None)) - np.log(np.clip(1 - tile, 1e-9, None))
        odds = self.tile * np.clip(odds, -SUREST, SUREST)
        joint += np.where(_EMPTY, -np.logaddexp(0, odds)[:, None], -np.logaddexp(0, -odds)[:, None])
        here = np.where(castle == 1, self.castle, np.where(castle == 0, -self.castle, 0.0))[:, None]
        joint += np.where(_CASTLE, here, 0.0)
        joint -= np.logaddexp.reduce(joint, axis=1, keepdims=True)
        return np.asarray(joint, np.float32)


@cache
def trust() -> Trust:
    """The numbers that ship with the package."""
    return Trust(**json.loads(FILE.read_text(encoding="utf-8")))
