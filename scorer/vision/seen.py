"""What was seen of a kingdom before it is decoded: where it lies, its squares cut out, and what every witness says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scorer.vision import whole
from scorer.vision.classify import (
    CASTLE,
    EMPTY,
    LABELS,
    WIDE_MARGIN,
    WIDE_SIZE,
    glance,
    hesitant,
    inner,
    log_probabilities,
    look_again,
)
from scorer.vision.context import SHOWN, together
from scorer.vision.load import Photo
from scorer.vision.locate import Lattice, crops
from scorer.vision.pieces import HEADS, by_head, softmax
from scorer.vision.quality import JUDGED_SQUARE_PIXELS, Flaw, judge, square_width, window
from scorer.vision.rectify import Floats, Image, Pyramid, frame, places, project, whole_factor
from scorer.vision.straighten import RING, look
from scorer.vision.taught import Taught
from scorer.vision.trust import trust

NOT_YET = np.empty(0, np.float32)
TOGETHER = 0.6
"""How much the network that sees a whole kingdom counts beside those that see its squares."""
APART = 0.8
"""An answer that one of the two gives less probability than this is not taken on the word of the other."""
LEAST_TILES = 0.4
"""Part of a kingdom's places that must look like tiles: a chequered cloth has the grid, but not the pictures."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A kingdom in a photo, not yet decoded; R x C its rows and columns, L the labels of `classify`.

    squares  uint8 (R, C, SIZE, SIZE, 3) RGB, as `classify` is shown them
    said     what each head of the networks says, (R * C, answers) each; `signs` by the one that sees them all
    context  (R * C, terrains) what speaks for each terrain when all squares of the photo are read together
    likely   float32 (R, C, L) log-probabilities, all witnesses together
    flaws    what is wrong with this part of the photo
    profile  what the reader was taught: applied to the photo and to all that is said
    """

    photo: Photo
    pyramid: Pyramid
    lattice: Lattice
    squares: Image
    said: dict[str, Floats]
    context: Floats
    likely: Floats
    flaws: tuple[Flaw, ...]
    profile: Taught | None = None

    @property
    def witnesses(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """What `Trust.joint` takes."""
        tile = self.lattice.occupied.reshape(-1)
        return self.said["terrain"], self.said["crowns"], tile, _castle_seen(self.lattice), self.context


def see(photo: Photo, pyramid: Pyramid, lattices: Sequence[Lattice], profile: Taught | None = None) -> tuple[Seen, ...]:
    """Looks at every place of the kingdoms located in a photo."""
    if not lattices:
        return ()
    wide = [crops(pyramid, lattice, WIDE_SIZE, WIDE_MARGIN) for lattice in lattices]
    cut = [inner(squares) for squares in wide]
    said = [heard(squares, pyramid, lattice) for squares, lattice in zip(wide, lattices, strict=True)]
    if profile:
        said = [profile.answers(heads, squares) for heads, squares in zip(said, cut, strict=True)]
    ends = np.cumsum([len(squares) for squares in cut])[:-1]
    context = together(np.concatenate(cut), *(np.concatenate([one[name] for one in said]) for name in SHOWN))
    found = []
    for lattice, squares, heads, own in zip(lattices, cut, said, np.split(context, ends), strict=True):
        grid = (lattice.rows, lattice.columns)
        flaws = _flaws(photo, pyramid, lattice)
        seen = Seen(
            photo, pyramid, lattice, squares.reshape(*grid, *squares.shape[1:]), heads, own, NOT_YET, flaws, profile
        )
        found.append(replace(seen, likely=trust().joint(*seen.witnesses).reshape(*grid, -1)))
    return tuple(found)


def heard(wide: Image, pyramid: Pyramid, lattice: Lattice) -> dict[str, Floats]:
    """What the networks say of a kingdom's squares, each by itself and all together. Where they hesitate, squares are
    looked at again."""
    said = glance(inner(wide))
    seen = whole.answers(pyramid, lattice.homography, lattice.rows, lattice.columns)
    said = look_again(said, wide, hesitant(_mixed(said, seen)))
    return _mixed(said, seen) | {"signs": seen["signs"]}


def _mixed(said: dict[str, Floats], seen: dict[str, Floats]) -> dict[str, Floats]:
    """What two networks say of squares: the product of their probabilities; their mean, from which nobody is sure,
    where one of them thinks little of the answer."""
    pieces = zip(*(by_head(one["pieces"], HEADS).values() for one in (said, seen)), strict=True)
    return said | {
        "terrain": _pooled(said["terrain"], seen["terrain"]),
        "crowns": _pooled(said["crowns"], seen["crowns"]),
        "pieces": np.concatenate([_pooled(*both) for both in pieces], axis=1),
    }


def _pooled(alone: Floats, together: Floats) -> Floats:
    product = alone + TOGETHER * (together - alone)
    answer = product.argmax(1)[:, None]
    each = [softmax(logits) for logits in (alone, together)]
    doubted = np.minimum(*(np.take_along_axis(likely, answer, 1) for likely in each)) < APART
    mean = np.log(np.maximum((1 - TOGETHER) * each[0] + TOGETHER * each[1], 1e-6))
    return np.asarray(np.where(doubted, mean, product), np.float32)


def _flaws(photo: Photo, pyramid: Pyramid, lattice: Lattice) -> tuple[Flaw, ...]:
    """Judged on the photo made as small as the judgement allows."""
    width = square_width(lattice.quads)
    factor = whole_factor(width / JUDGED_SQUARE_PIXELS)
    part = window(pyramid.level(factor), lattice.corners / factor)
    return judge(part, width / factor, scale=photo.scale / factor)


def kingdoms_among(found: Sequence[Seen]) -> tuple[Seen, ...]:
    """A second opinion on what the locator took for kingdoms.

    Places that do not look like tiles to the network are a chequered cloth; some dominoes without a castle beside a
    kingdom that has one are those nobody took.
    """
    likely = [seen for seen in found if _tiles(seen).mean() >= LEAST_TILES]
    largest = max((len(_tiles(seen)) for seen in likely if shows_castle(seen)), default=0)
    return tuple(seen for seen in likely if shows_castle(seen) or 2 * len(_tiles(seen)) >= largest)


def _alone(seen: Seen, label: str) -> Floats:
    """How likely each place shows a label by the network alone."""
    trusted = trust()
    likely = log_probabilities(seen.said["terrain"] / trusted.terrain, seen.said["crowns"] / trusted.crowns)
    return np.asarray(np.exp(likely[:, LABELS.index(label)]), np.float32)


def _tiles(seen: Seen) -> Floats:
    """How much like tiles the places look that the locator took for such."""
    return np.asarray(1 - _alone(seen, EMPTY)[seen.lattice.occupied.reshape(-1) > 0.5], np.float32)


def shows_castle(seen: Seen) -> bool:
    """Whether the locator or the network saw a castle."""
    return seen.lattice.castle is not None or bool(_alone(seen, CASTLE).max() > 0.5)


def lattice_at(pyramid: Pyramid, corners: Floats, rows: int, columns: int) -> Lattice:
    """The lattice between given corners; the straightener says where on it tiles lie."""
    homography = np.asarray(cv2.getPerspectiveTransform(frame(columns, rows), corners), np.float64)
    seen = look(pyramid, homography, rows, columns)
    inside = (slice(RING, RING + rows), slice(RING, RING + columns))
    tile, castle = (np.asarray(1 / (1 + np.exp(-odds[inside])), np.float32) for odds in (seen.tile, seen.castle))
    quads = project(places(rows, columns), homography)
    quads[tile > 0.5] = project(seen.tile_corners[inside][tile > 0.5], homography)
    best = divmod(int(castle.argmax()), columns)
    at = best if castle[best] > 0.5 else None
    return Lattice(homography, rows, columns, corners, quads, tile, at, float(tile.max()))


def _castle_seen(lattice: Lattice) -> Floats:
    """For each place in reading order 1 where the locator saw the castle, 0 elsewhere; nan if it saw none."""
    seen = np.full(lattice.rows * lattice.columns, np.nan if lattice.castle is None else 0.0, np.float32)
    if lattice.castle is not None:
        seen[lattice.castle[0] * lattice.columns + lattice.castle[1]] = 1.0
    return seen
