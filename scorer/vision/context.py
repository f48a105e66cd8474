"""Squares read together: what lies in one photo is printed alike and lies in the same light.

Wheat under a green lamp may look like grassland anywhere, but not like the grassland beside it. A small network looks
at all squares of a photo at once, each compared with each (attention, Vaswani et al. 2017), and says of every square
what terrain it is among the others.
"""

from __future__ import annotations

import numpy as np

from scorer.vision.likeness import looks
from scorer.vision.rectify import Floats, Image


def shown(crops: Image, said: dict[str, Floats]) -> Floats:
    """What the network is shown of squares uint8 (N, S, S, 3) and of what the network for single squares said of them:
    float32 (N, F), its embedding, its answer for the terrain, and colour, roughness and spread."""
    return np.concatenate([said["embedding"], said["terrain"], looks(crops[:, ::2, ::2])], axis=1).astype(np.float32)
