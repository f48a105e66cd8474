"""First look: the squares of tiles anywhere in the photo, found by a network on the photo made small."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision import models
from scorer.vision.rectify import Image, Pyramid

LONG_SIDE = 512
"""Long side of the small photo."""
STRIDE = 4
MULTIPLE = 32
"""The network halves its input five times."""
REFERENCE_SIDE = 40.0
"""Width of a square whose ``log_side`` the network calls zero."""
LEAST_CENTRE = 0.3
"""How sure the network must be that a pixel is the centre of a square."""
LEAST_APART = 0.5
"""Two centres closer than this, in squares, are one."""


@dataclass(frozen=True)
class Squares:
    """What was spotted, N squares in aligned arrays, in photo pixels.

    centre (N, 2); steps (N, 2), complex, the two vectors to neighbouring places, in no order and up to sign;
    middle (N, 2) where each believes the middle of its kingdom; side (N,); score and castle (N,) in 0..1.
    """

    centre: NDArray[np.float64]
    steps: NDArray[np.complex128]
    middle: NDArray[np.float64]
    side: NDArray[np.float64]
    score: NDArray[np.float64]
    castle: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.centre)


def spot(pyramid: Pyramid, long_side: int = LONG_SIDE) -> Squares:
    small, scale = small_photo(pyramid, long_side)
    return squares_in(answer_for(small), scale)


def small_photo(pyramid: Pyramid, long_side: int = LONG_SIDE) -> tuple[Image, NDArray[np.float64]]:
    """The photo with its long side brought to ``long_side``, and photo pixels per small pixel along x and y.

    Both sides become multiples of 32; the slight squeeze this costs is undone by the scale.
    """
    height, width = pyramid.image.shape[:2]
    ratio = long_side / max(height, width)
    size = [max(MULTIPLE, round(length * ratio / MULTIPLE) * MULTIPLE) for length in (width, height)]
    factor = 1
    while factor * 2 * ratio <= 1:
        factor *= 2
    source = pyramid.level(factor)
    small = cv2.resize(source, size, interpolation=cv2.INTER_AREA if ratio < 1 else cv2.INTER_LINEAR)
    scale = np.array([source.shape[1] / size[0], source.shape[0] / size[1]]) * factor
    return np.asarray(small, np.uint8), scale


def answer_for(small: Image) -> NDArray[np.float32]:
    """The network's answer (12, H/4, W/4) for a small photo (H, W, 3)."""
    batch = np.ascontiguousarray(small.transpose(2, 0, 1)[None], np.float32)
    answer: NDArray[np.float32] = models.load("locate").run(None, {"image": batch})[0][0]
    return answer


def squares_in(answer: NDArray[np.float32], scale: NDArray[np.float64]) -> Squares:
    """The squares an answer (12, h, w) speaks of, strongest first; ``scale`` as from ``small_photo``."""
    sure = 1 / (1 + np.exp(-answer[1]))
    y, x = np.nonzero((sure >= LEAST_CENTRE) & (sure >= cv2.dilate(sure, np.ones((3, 3), np.uint8))))
    order = np.argsort(-sure[y, x])
    y, x = y[order], x[order]
    field = answer[:, y, x].astype(np.float64)
    side = REFERENCE_SIDE * np.exp(field[5].clip(-3, 3))
    pixel = (np.stack([x, y], -1) + 0.5) * STRIDE - 0.5
    centre = pixel + field[3:5].T * side[:, None]
    middle = pixel + field[10:12].T * side[:, None] * 4

    keep: list[int] = []
    for index in range(len(centre)):
        near = np.linalg.norm(centre[keep] - centre[index], axis=1) < LEAST_APART * side[index]
        if not near.any():
            keep.append(index)

    # The network gives u²+v² and (uv)², which do not change when u and v are swapped or turned around: the squares
    # of both steps are the roots of z² - (u²+v²) z + (uv)².
    total, product = field[6] + 1j * field[7], field[8] + 1j * field[9]
    root = np.sqrt(total**2 / 4 - product)
    steps = np.sqrt(np.stack([total / 2 + root, total / 2 - root], -1)) * side[:, None]
    steps = steps.real * scale[0] + 1j * steps.imag * scale[1]
    castle = 1 / (1 + np.exp(-field[2]))
    return Squares(
        centre[keep] * scale + (scale - 1) / 2,
        steps[keep],
        middle[keep] * scale + (scale - 1) / 2,
        side[keep] * float(np.sqrt(scale[0] * scale[1])),
        sure[y, x][keep].astype(np.float64),
        castle[keep],
    )
