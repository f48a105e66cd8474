"""Squares read together: what lies in one photo is printed alike and lies in the same light.

Wheat under a green lamp may look like grassland anywhere, but not like the grassland beside it. A small network looks
at all squares of a photo at once, each compared with each (attention, Vaswani et al. 2017), and says of every square
what terrain it is among the others.
"""

from __future__ import annotations

import numpy as np

from scorer.vision import models
from scorer.vision.likeness import looks
from scorer.vision.rectify import Floats, Image

SHOWN = ("embedding", "terrain")
"""What the network is shown of what the network for single squares says."""


def together(squares: Image, embedding: Floats, terrain: Floats) -> Floats:
    """What is to be added to the logits of the terrains, (N, terrains), of all squares of a photo: uint8 (N, S, S, 3),
    and what the network for single squares says of them."""
    found: Floats = models.load("context").run(None, {"shown": shown(squares, embedding, terrain)})[0]
    return found


def shown(squares: Image, embedding: Floats, terrain: Floats) -> Floats:
    """All that the network is shown, float32 (N, F): also colour, roughness and spread."""
    return np.concatenate([embedding, terrain, looks(squares[:, ::2, ::2])], axis=1).astype(np.float32)
