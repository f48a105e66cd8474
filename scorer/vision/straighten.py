"""Second look: one kingdom straightened by its rough lattice, every place of it judged at close range.

The straightened kingdom is 32 pixels a square, so a network that answers once for every place can say whether a
tile of this kingdom lies there and where exactly its corners are; the lattice is fitted anew to that, and the look
repeated until nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorer.vision import models
from scorer.vision.classify import CASTLE, EMPTY, LABELS, MARGIN, SIZE, WIDE_MARGIN, WIDE_SIZE, classify, classify_wider
from scorer.vision.lattice import LEAST_SQUARES, fit_homography
from scorer.vision.layable import LARGEST, UNSEEN_CASTLE, Mask, beside, castles, groups, likeliest, parted, whole
from scorer.vision.likeness import apart, looks
from scorer.vision.rectify import Floats, Image, Matrix, Pyramid, places, project, quad_views, side

SQUARE = 32
"""Pixels a square in the straightened picture."""
RING = 1
"""Places looked at around the kingdom on every side, to find what the first look missed."""
WIDEST_VIEW = 27
"""A lattice may hold several kingdoms, but one wider than three of the largest is a chequered cloth."""
SMALL = 5
"""Up to so many places wide, a lattice may rest on so few squares that it is far off."""
ROUNDS = 5
OUTSIDE = 20.0
"""Log-odds against a tile where the photo has ended."""
UNSURE = 6.5
"""Places with smaller log-odds either way are looked at once more..."""
OWN, SECOND_OPINION, LIKENESS, BIAS = 0.92, 1.23, 2.92, 0.65
"""...and then go by these odds, by those of the network that reads squares, and by whether they look like the table or
like tiles: weights of a logistic regression on 20,317 unsure places of validation scenes."""
MOST_ODDS = 4.0
"""The network that reads squares is believed no surer than this, in log-odds: it does not see what lies around."""
FAR = 9.3
"""How unlike the table or the tiles a place is where none are sure."""
LIKELY_CASTLE, MOST_ASKED = -3.5, 3
"""Castles with at least these log-odds, where places make a whole kingdom, are shown to the network that reads squares
if there are several; so many at most."""
LEAST_SURE = 0.51
"""What is said of a place that is taken for a tile only because the kingdom needs it."""
NOWHERE: Floats = np.zeros((0, 2), np.float32)
MIRRORS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
FIRST_LOOK = 1
"""So many of them are enough to see where the lattice lies."""
CORNERS_OF = {(1, 1): [0, 1, 2, 3], (1, -1): [1, 0, 3, 2], (-1, 1): [3, 2, 1, 0], (-1, -1): [2, 3, 0, 1]}
"""Which corner each corner of a mirrored square is."""


@dataclass(frozen=True)
class Look:
    """Answers for R x C places: tile and castle (R, C) as log-odds, tile_corners and place_corners (R, C, 4, 2) in
    the grid units of the homography looked through; picture (R * SQUARE, C * SQUARE, 3): what was looked at."""

    picture: Image
    tile: Floats
    castle: Floats
    tile_corners: Floats
    place_corners: Floats


@dataclass(frozen=True)
class Straightened:
    """homography from grid units to photo pixels, its origin at the top-left occupied place's corner; tile and castle
    (rows, columns) in 0..1; quads (rows, columns, 4, 2) in photo pixels, where tiles really lie; beyond in 0..1: how
    likely one more tile lies beside them, outside the grid."""

    homography: Matrix
    tile: Floats
    castle: Floats
    quads: Floats
    beyond: float


def centres(quads: Floats, tile: Floats) -> Floats:
    """The centres (N, 2) of the places that hold a tile."""
    return np.asarray(quads[tile > 0.5].mean(1), np.float32)


def view(pyramid: Pyramid, homography: Matrix, rows: int, columns: int) -> Image:
    """The straightened kingdom with its ring, ((rows + 2) * 32, (columns + 2) * 32, 3)."""
    to_grid = np.array([[1 / SQUARE, 0, -RING], [0, 1 / SQUARE, -RING], [0, 0, 1.0]])
    detail = side(homography, columns / 2, rows / 2) / SQUARE
    return pyramid.view(homography @ to_grid, (columns + 2 * RING) * SQUARE, (rows + 2 * RING) * SQUARE, detail)


def look(pyramid: Pyramid, homography: Matrix, rows: int, columns: int, mirrors: int = len(MIRRORS)) -> Look:
    """Judges rows x columns places and the ring around them; the answer has the ring's places too."""
    picture = view(pyramid, homography, rows, columns)
    answer = _answer(picture, MIRRORS[:mirrors])
    tall, wide = answer.shape[1:]
    ideal = places(tall, wide) - RING
    corners = answer[2:].transpose(1, 2, 0).reshape(tall, wide, 2, 4, 2)
    middle = project(ideal.mean(2), homography)
    height, width = pyramid.image.shape[:2]
    in_photo = (middle >= 0).all(-1) & (middle[..., 0] < width) & (middle[..., 1] < height)
    return Look(
        picture,
        np.where(in_photo, answer[0], -OUTSIDE),
        np.where(in_photo, answer[1], -OUTSIDE),
        (ideal + corners[:, :, 0]).astype(np.float32),
        (ideal + corners[:, :, 1]).astype(np.float32),
    )


def _answer(picture: Image, mirrors: Sequence[tuple[int, int]]) -> Floats:
    """The answer (18, R, C) for a picture, averaged over mirror images of it, half of them shown to a second network.

    Mistakes differ from one to the other, so the mean is surer than each.
    """
    batch = np.empty((len(mirrors), 3, *picture.shape[:2]), np.float32)
    for index, (flip_y, flip_x) in enumerate(mirrors):
        batch[index] = picture[::flip_y, ::flip_x].transpose(2, 0, 1)
    half = (len(mirrors) + 1) // 2
    shares = {"straighten": batch[:half], "straighten2": batch[half:]}
    seen = [models.load(name).run(None, {"image": share})[0] for name, share in shares.items() if len(share)]
    answers = np.asarray(np.concatenate(seen) / len(mirrors), np.float32)
    total: Floats = np.zeros(answers.shape[1:], np.float32)
    for answer, (flip_y, flip_x) in zip(answers, mirrors, strict=True):
        back = answer[:, ::flip_y, ::flip_x]
        corners = back[2:].reshape(2, 4, 2, *back.shape[1:])[:, CORNERS_OF[flip_y, flip_x]]
        total[:2] += back[:2]
        total[2:] += (corners * np.array([flip_x, flip_y], np.float32)[:, None, None]).reshape(16, *back.shape[1:])
    return total


def straighten(
    pyramid: Pyramid, homography: Matrix, rows: int, columns: int, taken: Floats = NOWHERE
) -> list[Straightened]:
    """The kingdoms on a rough lattice: mostly one, none when there is no kingdom after all.

    ``taken`` (N, 2), in photo pixels, are the centres of tiles of other kingdoms.
    """
    if max(rows, columns) > WIDEST_VIEW:
        return []
    seen = look(pyramid, homography, rows, columns, FIRST_LOOK)
    _give_up(seen.tile, taken, homography)
    kingdoms: list[Straightened] = []
    for group in groups(seen.tile > 0):
        parts = [part for part in _parted(seen, group, pyramid, homography) if part.sum() >= LEAST_SQUARES]
        together = []
        for part in parts:
            others = np.concatenate([project(seen.tile_corners[group & ~part].mean(1), homography), taken])
            kingdom = settle(pyramid, _fitted(seen, part, homography), *_box(part)[2:], others)
            together += [kingdom] if kingdom is not None else []
        # What was left to another kingdom and did not become its own is free again.
        for index, kingdom in enumerate(together if len(parts) > 1 else ()):
            others = np.concatenate(
                [taken, *(centres(other.quads, other.tile) for other in together if other is not kingdom)]
            )
            rows, columns = kingdom.tile.shape
            together[index] = settle(pyramid, kingdom.homography, rows, columns, others) or kingdom
        kingdoms += together
    if not kingdoms and max(rows, columns) <= SMALL:
        # The lattice of a few squares may be so far off that it shows no tiles; a closer look may find their castle.
        kingdom = settle(pyramid, homography, rows, columns, taken)
        kingdoms += [kingdom] if kingdom is not None and (kingdom.castle > 0.5).any() else []
    return kingdoms


def settle(
    pyramid: Pyramid, homography: Matrix, rows: int, columns: int, others: Floats, parting: bool = True
) -> Straightened | None:
    """Looks and fits until the kingdom stays the same; ``others`` (N, 2), in photo pixels, lie on other kingdoms;
    ``parting``: what touches it may be one of them."""
    for more in reversed(range(ROUNDS)):
        seen = look(pyramid, homography, rows, columns)
        _ask_again(seen, pyramid, homography)
        _give_up(seen.tile, others, homography)
        found = groups(seen.tile > 0)
        if not found:
            return None
        largest = max(found, key=lambda group: int(group.sum()))
        parts = _parted(seen, largest, pyramid, homography) if parting else [largest]
        part = max(parts, key=_inner)
        left = np.logical_or.reduce(parts) & ~part
        others = np.concatenate([others, project(seen.tile_corners[left].mean(1), homography)])
        mine = likeliest(part, seen.tile, seen.castle)
        # A castle that hides its tile joins what seemed to lie apart; what reaches into the ring may go on beyond it.
        seat = beside(mine & ~part & (seen.castle > 0))
        joined = np.logical_or.reduce([mine, *(group for group in found if (group & seat).any())])
        if (joined & ~mine).any():
            mine = joined if more else likeliest(joined, seen.tile, seen.castle)
        # Half a domino at the edge of what was looked at: its other half may lie beyond.
        mine = mine | (part & _ring(part)) if more else mine
        top, left, tall, wide = _box(mine)
        looked, better = homography, _fitted(seen, mine, homography)
        if (top, left, tall, wide) == (RING, RING, rows, columns):
            break
        if max(tall, wide) > WIDEST_VIEW:
            return None
        homography, rows, columns = better, tall, wide
    if max(tall, wide) > LARGEST:
        return None
    box = (slice(top, top + tall), slice(left, left + wide))
    own = mine[box]
    edge = beside(mine)
    edge[box] = False
    beyond = float(np.exp(-np.logaddexp(0, -seen.tile[edge].max(initial=-OUTSIDE))))
    quads = project(places(tall, wide), better)
    quads[own] = project(seen.tile_corners[box][own], looked)
    # What the places say together beats what one says alone.
    tile, castle = np.exp(-np.logaddexp(0, -seen.tile[box])), np.exp(-np.logaddexp(0, -seen.castle[box]))
    tile = np.where(own, np.maximum(tile, LEAST_SURE), np.minimum(tile, 1 - LEAST_SURE))
    return Straightened(better, tile.astype(np.float32), (castle * own).astype(np.float32), quads, beyond)


def _ask_again(seen: Look, pyramid: Pyramid, homography: Matrix) -> None:
    """New odds for unsure places, with what the network that reads squares thinks of them, and their likeness.

    This one goes by edges and neighbours and may take a plain wheat field for wood; that one knows the pictures, but
    not the table: a place that looks like those around the kingdom is the table, be it as blue as a lake.
    """
    unsure = np.abs(seen.tile) < UNSURE
    if unsure.any():
        table, tiles = (seen.tile < -UNSURE) & (seen.tile > -OUTSIDE), seen.tile > UNSURE
        shown = looks(_squares(seen.picture)).reshape(*unsure.shape, -1)
        like = np.log(apart(shown[unsure], shown[table], FAR) / apart(shown[unsure], shown[tiles], FAR))
        quads = project(seen.tile_corners[unsure], homography)
        empty = _odds(EMPTY, classify_wider(quad_views(pyramid, quads, WIDE_SIZE, WIDE_MARGIN)))
        seen.tile[unsure] = OWN * seen.tile[unsure] - SECOND_OPINION * empty + LIKENESS * like + BIAS


def _squares(picture: Image) -> Image:
    """The places of a straightened picture one by one, (R * C, SQUARE, SQUARE, 3)."""
    rows, columns = picture.shape[0] // SQUARE, picture.shape[1] // SQUARE
    cut = picture.reshape(rows, SQUARE, columns, SQUARE, 3).swapaxes(1, 2)
    return np.asarray(cut.reshape(-1, SQUARE, SQUARE, 3))


def _parted(seen: Look, group: Mask, pyramid: Pyramid, homography: Matrix) -> list[Mask]:
    """The kingdoms in a group; where it seems to have two castles, the network that reads squares is asked, too."""
    seats = castles(group, seen.castle, UNSEEN_CASTLE if not whole(group) else LIKELY_CASTLE)
    if seats.sum() > 1:
        seats &= seen.castle >= np.sort(seen.castle[seats])[-MOST_ASKED:][0]
        quads = project(seen.tile_corners[seats], homography)
        seen.castle[seats] += _odds(CASTLE, classify(quad_views(pyramid, quads, SIZE, MARGIN)))
    return parted(group, seen.tile, seen.castle, seen.tile_corners)


def _ring(group: Mask) -> Mask:
    """Which places are in the ring."""
    ring = np.ones_like(group)
    ring[RING:-RING, RING:-RING] = False
    return ring


def _inner(group: Mask) -> int:
    """How many places of a group are not in the ring."""
    return int((group & ~_ring(group)).sum())


def _odds(label: str, likely: Floats) -> Floats:
    """Log-odds of a label by log-probabilities (N, labels) of a network that reads squares, none surer than
    MOST_ODDS."""
    chance = likely[:, LABELS.index(label)].clip(None, -1e-6)
    return np.asarray((chance - np.log(-np.expm1(chance))).clip(-MOST_ODDS, MOST_ODDS), np.float32)


def _give_up(tile: Floats, others: Floats, homography: Matrix) -> None:
    """Leaves the places that ``others`` lie on to their own kingdom."""
    if len(others):
        at = np.floor(project(others, np.asarray(np.linalg.inv(homography), np.float64))).astype(int) + RING
        at = at[(at >= 0).all(1) & (at[:, 0] < tile.shape[1]) & (at[:, 1] < tile.shape[0])]
        tile[at[:, 1], at[:, 0]] = -OUTSIDE


def _fitted(seen: Look, mine: Mask, homography: Matrix) -> Matrix:
    """The homography moved to where the network sees the places of the tiles, its origin at their bounding box."""
    ideal = places(*mine.shape) - RING
    seen_at = project(seen.place_corners[mine].reshape(-1, 2), homography)
    top, left, _, _ = _box(mine)
    shift = np.array([[1, 0, left - RING], [0, 1, top - RING], [0, 0, 1.0]])
    return np.asarray(fit_homography(ideal[mine].reshape(-1, 2), seen_at) @ shift)


def _box(group: Mask) -> tuple[int, int, int, int]:
    """Top, left, rows and columns of the bounding box."""
    rows, columns = np.nonzero(group)
    top, left = int(rows.min()), int(columns.min())
    return top, left, int(rows.max()) - top + 1, int(columns.max()) - left + 1
