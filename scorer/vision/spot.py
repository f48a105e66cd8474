"""First look: the squares of tiles anywhere in the photo.

The network knows squares of one size, about 30 pixels, which makes it small and quick to train; it is shown the photo
in sizes a factor of two apart, the small ones first, until every square came by in the right size.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision import models
from scorer.vision.rectify import Image, Pyramid

LONG_SIDES = (112, 224, 448)
"""Long sides of the photo in the sizes it is always shown: squares from a twenty-sixth to a third of it are seen."""
FINER_SIDES = (896, 1264)
"""Finer sizes for small squares, each where a fifth of the squares is less than SMALL pixels wide in the size before
or fewer than FEW are seen: each costs more than all before together."""
SMALL, FEW, SURE = 30.0, 12, 0.8
"""Only squares as sure as SURE are counted for that: bricks and chequers pass for squares, seldom for sure ones."""
ENLARGE = 1.5
"""A small photo is enlarged by this factor at most."""
STRIDE = 4
MULTIPLE = 16
"""The network halves its input four times."""
PADDING = 16
GREY = 128
"""Around the photo lies grey, as in training: where the photo ends a tile may end too."""
REFERENCE_SIDE = 30.0
"""Width of a square whose ``log_side`` the network calls zero."""
SIDES = (15.0, 60.0)
"""Widths, in pixels of the photo shown, that an answer may have."""
LEAST_SURE = 0.12
"""How sure the network must be that a pixel is the centre of a square and on a tile: who looks closer drops what is
none, but nobody looks for what was not spotted."""
LEAST_APART = 0.5
"""Two centres closer than this, in squares, are one."""


@dataclass(frozen=True)
class Squares:
    """What was spotted, N squares in aligned arrays, in photo pixels.

    centre (N, 2); steps (N, 2), complex, the two vectors to neighbouring places, in no order and up to sign;
    side (N,), width of the square; score and castle (N,) in 0..1.
    """

    centre: NDArray[np.float64]
    steps: NDArray[np.complex128]
    side: NDArray[np.float64]
    score: NDArray[np.float64]
    castle: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.centre)

    def chosen(self, index: NDArray[np.intp]) -> Squares:
        return Squares(self.centre[index], self.steps[index], self.side[index], self.score[index], self.castle[index])


NOTHING = Squares(np.zeros((0, 2)), np.zeros((0, 2), complex), np.zeros(0), np.zeros(0), np.zeros(0))


def spot(pyramid: Pyramid, closely: bool = False) -> Squares:
    """The squares of the photo seen in all sizes that show any, surest first; ``closely``: in the finest, too, however
    large they are."""
    longest = max(pyramid.image.shape[:2])
    squares, shown = NOTHING, 0
    for long_side in LONG_SIDES + FINER_SIDES:
        enough = long_side in FINER_SIDES and not closely and _near(squares, longest / shown)
        if long_side > ENLARGE * longest or enough:
            break
        small, scale = small_photo(pyramid, long_side)
        squares, shown = merged([squares, squares_in(answer_for(small), scale)]), long_side
    return squares


def _near(squares: Squares, scale: float) -> bool:
    """Whether squares are so wide, in a photo made small by ``scale``, that those further away were seen there too."""
    sides = squares.side[squares.score >= SURE]
    return len(sides) >= FEW and bool(np.percentile(sides, 20) >= SMALL * scale)


def small_photo(pyramid: Pyramid, long_side: int) -> tuple[Image, NDArray[np.float64]]:
    """The photo with its long side brought to ``long_side``, and photo pixels per small pixel along x and y."""
    height, width = pyramid.image.shape[:2]
    ratio = long_side / max(height, width)
    factor = 1
    while factor * 2 * ratio <= 1:
        factor *= 2
    source = pyramid.level(factor)
    size = (max(1, round(width * ratio)), max(1, round(height * ratio)))
    small = cv2.resize(source, size, interpolation=cv2.INTER_AREA if ratio < 1 else cv2.INTER_LINEAR)
    scale = np.array([source.shape[1] / size[0], source.shape[0] / size[1]]) * factor
    return np.asarray(small, np.uint8), scale


def answer_for(small: Image) -> NDArray[np.float32]:
    """The network's answer (10, h, w) for a small photo (H, W, 3) with grey around it, h and w about H/4 and W/4."""
    height, width = (-(-(length + 2 * PADDING) // MULTIPLE) * MULTIPLE for length in small.shape[:2])
    batch = np.full((1, 3, height, width), GREY, np.float32)
    batch[0, :, PADDING : PADDING + small.shape[0], PADDING : PADDING + small.shape[1]] = small.transpose(2, 0, 1)
    answer: NDArray[np.float32] = models.load("locate").run(None, {"image": batch})[0][0]
    return answer


def squares_in(answer: NDArray[np.float32], scale: NDArray[np.float64]) -> Squares:
    """The squares an answer (10, h, w) speaks of, surest first; ``scale`` as from ``small_photo``."""
    # Centres alone go on beyond the kingdom's edge, where the next place would be; there must be a tile, too.
    sure = 1 / (1 + np.exp(-answer[1])) / (1 + np.exp(-answer[0]))
    y, x = np.nonzero((sure >= LEAST_SURE) & (sure >= cv2.dilate(sure, np.ones((3, 3), np.uint8))))
    field = answer[:, y, x].astype(np.float64)
    side = REFERENCE_SIDE * np.exp(field[5].clip(-3, 3))
    centre = (np.stack([x, y], -1) + 0.5) * STRIDE - 0.5 - PADDING + field[3:5].T * side[:, None]
    # The network gives u²+v² and (uv)², which do not change when u and v are swapped or turned around: the squares
    # of both steps are the roots of z² - (u²+v²) z + (uv)².
    total, product = field[6] + 1j * field[7], field[8] + 1j * field[9]
    root = np.sqrt(total**2 / 4 - product)
    steps = np.sqrt(np.stack([total / 2 + root, total / 2 - root], -1)) * side[:, None]
    squares = Squares(
        centre * scale + (scale - 1) / 2,
        steps.real * scale[0] + 1j * steps.imag * scale[1],
        side * float(np.sqrt(scale[0] * scale[1])),
        sure[y, x].astype(np.float64),
        1 / (1 + np.exp(-field[2])),
    )
    return merged([squares.chosen(np.nonzero((side >= SIDES[0]) & (side <= SIDES[1]))[0])])


def merged(found: list[Squares]) -> Squares:
    """All squares together, surest first, each once; squares of very different size do not displace each other."""
    names = ("centre", "steps", "side", "score", "castle")
    every = Squares(*(np.concatenate([getattr(squares, name) for squares in found]) for name in names))
    keep: list[int] = []
    for index in np.argsort(-every.score, kind="stable"):
        side = every.side[index]
        near = np.linalg.norm(every.centre[keep] - every.centre[index], axis=1) < LEAST_APART * side
        alike = np.abs(np.log(every.side[keep] / side)) < 0.5
        if not (near & alike).any():
            keep.append(int(index))
    return every.chosen(np.array(keep, np.intp))
