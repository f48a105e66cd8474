"""Which places of a straightened picture hold a kingdom's tiles: the likeliest places that dominoes can cover.

A kingdom is a castle and whole dominoes in one piece.  A place judged wrongly breaks that almost always: the number of
squares turns even, or one is left without a partner.  So the places are judged together.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.rectify import Floats, places

Mask = NDArray[np.bool_]
Logits = NDArray[np.floating]
EDGES = ((0, 1, [1, 2], [0, 3]), (1, 0, [3, 2], [0, 1]), (0, -1, [0, 3], [1, 2]), (-1, 0, [0, 1], [3, 2]))
"""For each neighbour: rows down, columns across, the corners of the edge here and those of the edge there."""
UNSEEN_CASTLE, MOST_CASTLES = -8.0, 4
"""Log-odds and number of the castles sought in a group of tiles."""
SURE_CASTLE = 6.0
"""Log-odds of a castle count no more than this against what else speaks for one kingdom or for two."""
LAYABLE, BROKEN, GAPING = 0.4, 2.0, 7.0
"""How much it counts what parts and the whole lack to be laid, that the whole cannot be laid as it is, and how far the
parts lie off each other, beside the log-odds of the second castle: near the weights of a logistic regression on 663
groups of validation scenes."""
GAP, LEAST_GAP, MOST_GAP = 0.018, 0.01, 0.032
"""Parts that lie off each other by GAP squares are as likely one kingdom as two; more than MOST_GAP counts no more."""
TOO_WIDE, MOST_OBJECTION = 12.0, 8.0
"""What speaks against a kingdom wider than any, and what any change of places may cost at most, in log-odds."""
STEPS = (0.1, 0.03, 0.3, 0.01, 1.0)
"""What a step to the next square may cost beside the gap, in squares, the best guess first."""

LARGEST = 9
"""No kingdom is wider than nine squares."""
DOUBTFUL = 7.0
"""Places surer than this (log-odds) are believed."""
MOST_DOUBTFUL = 14
"""So many of the least sure places may be changed."""
MOST_TRIED = 400
WITHOUT_CASTLE = 4.0
"""Log-odds against a kingdom whose castle is not there, or not in the photo."""
CASTLE_WRONG = 4.0
"""Log-odds against the castle being elsewhere than where it is seen most surely, at most."""
MOST_SEATS = 3
"""So many places are tried for the castle, the likeliest first."""
NOT_LAYABLE = 6.0
"""Log-odds against squares that dominoes cannot cover: a kingdom half in the photo, a domino lying apart."""


def groups(occupied: Mask) -> list[Mask]:
    """The groups of places joined side by side: what lies apart is another kingdom or a loose domino."""
    count, labels = cv2.connectedComponents(occupied.astype(np.uint8), connectivity=4)
    return [labels == number for number in range(1, count)]


def beside(group: Mask) -> Mask:
    """A group and the places that share a side with it."""
    return np.asarray(cv2.dilate(group.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))) > 0)


def castles(group: Mask, castle: Logits, least: float) -> Mask:
    """Where in a group castles may stand: places surer than their neighbours and than ``least``."""
    peak = castle == cv2.dilate(castle, np.ones((3, 3), np.uint8))
    return np.asarray(group & peak & (castle > least))


def parted(group: Mask, tile: Logits, castle: Logits, corners: Floats) -> list[Mask]:
    """The kingdoms in a group: one for each castle, every place with the castle it is joined to most closely.

    ``corners`` (R, C, 4, 2) are those of the tiles, in squares.  Dominoes of one kingdom lie edge to edge; where two
    kingdoms touch, edges gape or slant, so a way across costs more.  How much more goes by which parts can be laid.
    Whether there are several goes by their castles, by whether dominoes can cover all or only the parts, and by
    whether the parts lie on one lattice.
    """
    best, most = [group], -LAYABLE * _against(group, tile, castle) - (0.0 if whole(group) else BROKEN)
    seats = np.argwhere(castles(group, castle, max(UNSEEN_CASTLE, most - _gapes(MOST_GAP))))
    seats = seats[np.argsort(-castle[tuple(seats.T)], kind="stable")]
    for count in range(2, min(len(seats), MOST_CASTLES) + 1):
        parts = _best_parts(group, seats[:count], corners)
        speaks = -LAYABLE * sum(_against(part, tile, castle) for part in parts)
        for part, (row, column) in zip(parts[1:], seats[1:], strict=False):
            speaks += min(float(castle[row, column]), SURE_CASTLE) + _gapes(_off(part, group & ~part, corners))
        if speaks > most:
            best, most = parts, speaks
    return best


def _gapes(off: float) -> float:
    """How much it speaks for two kingdoms that parts lie off each other by so many squares."""
    return GAPING * float(np.log((min(off, MOST_GAP) + LEAST_GAP) / (GAP + LEAST_GAP)))


def _against(part: Mask, tile: Logits, castle: Logits) -> float:
    """Log-odds against a part being a kingdom."""
    return TOO_WIDE if _wide(part) else min(_changed(part, tile, castle)[1], MOST_OBJECTION)


def _off(one: Mask, other: Mask, corners: Floats) -> float:
    """By how many squares two parts of a group lie off each other midway between them, each moved and turned as a
    whole."""
    ideal = places(*one.shape)
    (a, at_a), (b, at_b) = (_lie(ideal[part].reshape(-1, 2), corners[part].reshape(-1, 2)) for part in (one, other))
    way = (at_b - at_a) / 2
    # Turned by small angles, a point at `way` from the middle moves by the angle times `way`, at right angles to it.
    apart = (a[:2] + a[2] * np.array([-way[1], way[0]])) - (b[:2] - b[2] * np.array([-way[1], way[0]]))
    return float(np.abs(apart).max())


def _lie(ideal: Logits, seen: Logits) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How points (N, 2) moved and turned about their middle: (x, y, angle), and the middle they had."""
    middle, moved = ideal.mean(axis=0, dtype=float), seen.mean(axis=0, dtype=float)
    before, after = ideal - middle, seen - moved
    turn = np.arctan2((before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]).sum(), (before * after).sum())
    return np.array([*(moved - middle), turn]), middle


def _best_parts(group: Mask, seats: NDArray[np.intp], corners: Floats) -> list[Mask]:
    """The parts of which most can be laid."""
    tries = [_nearest(group, seats, corners, step) for step in STEPS]
    return max(tries, key=lambda parts: sum(map(whole, parts)))


def _wide(part: Mask) -> bool:
    return bool(max(np.ptp(np.argwhere(part), axis=0)) >= LARGEST)


def whole(part: Mask) -> bool:
    """Whether a castle and dominoes can cover the places."""
    return bool(part.sum() % 2 == 1 and covered(part))


def _nearest(group: Mask, seats: NDArray[np.intp], corners: Floats, step: float) -> list[Mask]:
    """The places of a group that are nearest to each of the seats, a step costing so much beside its gap."""
    owner = np.full(group.shape, -1)
    queue = [(0.0, int(row), int(column), seat) for seat, (row, column) in enumerate(seats)]
    while queue:
        way, row, column, seat = heapq.heappop(queue)
        if owner[row, column] >= 0:
            continue
        owner[row, column] = seat
        for down, right, mine, theirs in EDGES:
            other = (row + down, column + right)
            inside = 0 <= other[0] < group.shape[0] and 0 <= other[1] < group.shape[1]
            if inside and group[other] and owner[other] < 0:
                gap = float(np.abs(corners[row, column, mine] - corners[(*other, theirs)]).max())
                heapq.heappush(queue, (way + step + gap, *other, seat))
    return [owner == seat for seat in range(len(seats))]


def likeliest(group: Mask, tile: Logits, castle: Logits) -> Mask:
    """The group with the places changed whose change makes it a kingdom at the least cost in log-odds; with stray
    places near it that a missed one keeps apart, if that costs less than to leave them."""
    strays = _strays(group, tile)
    alone, cost = _changed(group, tile, castle)
    if not strays.any():
        return alone
    together, less = _changed(group | strays, tile, castle)
    return together if less < cost + float(tile[strays].sum()) else alone


def _strays(group: Mask, tile: Logits) -> Mask:
    """Single places near a group that look like tiles and are joined to nothing."""
    lonely = [other for other in groups(tile > 0) if other.sum() == 1]
    return np.asarray(np.sum([np.zeros_like(group), *lonely], axis=0) > 0) & beside(beside(group)) & ~group


def _changed(group: Mask, tile: Logits, castle: Logits) -> tuple[Mask, float]:
    """The group with its likeliest changes, and what they cost; without end where it stays in pieces."""
    near = beside(beside(group))
    # Places of other groups stay theirs.
    free = near & (group | (tile <= 0)) & (np.abs(tile) < DOUBTFUL)
    unsure = np.argwhere(free)
    unsure = unsure[np.argsort(np.abs(tile[free]), kind="stable")][:MOST_DOUBTFUL]
    costs = [float(abs(tile[row, column])) for row, column in unsure]
    best, least = group, np.inf
    for cost, chosen in _cheapest_subsets(costs):
        if cost >= least:
            break
        changed = group.copy()
        for index in chosen:
            changed[tuple(unsure[index])] ^= True
        total = cost + _objection(changed, castle)
        if total < least:
            best, least = changed, total
    return best, least


def _cheapest_subsets(costs: list[float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Subsets of rising cost, the empty one first; ``costs`` must rise."""
    yield 0.0, ()
    queue: list[tuple[float, tuple[int, ...]]] = [(costs[0], (0,))] if costs else []
    for _ in range(MOST_TRIED):
        if not queue:
            return
        cost, chosen = heapq.heappop(queue)
        yield cost, chosen
        last = chosen[-1] + 1
        if last < len(costs):
            heapq.heappush(queue, (cost + costs[last], (*chosen, last)))
            heapq.heappush(queue, (cost + costs[last] - costs[last - 1], (*chosen[:-1], last)))


def _objection(mask: Mask, castle: Logits) -> float:
    """Log-odds against these places being one whole kingdom."""
    if not mask.any() or len(groups(mask)) != 1:
        return np.inf
    dark = (np.indices(mask.shape).sum(0) % 2).astype(bool)
    surplus = int((mask & dark).sum()) - int((mask & ~dark).sum())
    best = float(castle[mask].max())
    missed = min(max(best, 0.0), CASTLE_WRONG)
    # Every domino covers a dark and a light place, so the castle has the colour of which there is one more.
    if surplus == 0:
        return (WITHOUT_CASTLE if covered(mask) else NOT_LAYABLE) + missed
    if abs(surplus) != 1:
        return NOT_LAYABLE
    seats = np.argwhere(mask & (dark == (surplus > 0)))
    seats = seats[np.argsort([-castle[row, column] for row, column in seats], kind="stable")]
    for row, column in seats[:MOST_SEATS]:
        rest = mask.copy()
        rest[row, column] = False
        if covered(rest):
            return min(best - float(castle[row, column]), CASTLE_WRONG)
    return CASTLE_WRONG if covered(mask) else NOT_LAYABLE


def covered(mask: Mask) -> bool:
    """Whether dominoes can cover the places, but for one where their number is odd (a maximum matching, Kuhn 1955)."""
    partner: dict[tuple[int, int], tuple[int, int]] = {}
    squares = {(int(row), int(column)) for row, column in np.argwhere(mask)}
    dark = [square for square in squares if sum(square) % 2]
    light = [square for square in squares if not sum(square) % 2]

    def paired(square: tuple[int, int], tried: set[tuple[int, int]]) -> bool:
        row, column = square
        for other in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if other in squares and other not in tried:
                tried.add(other)
                if other not in partner or paired(partner[other], tried):
                    partner[other] = square
                    return True
        return False

    fewer, more = sorted((dark, light), key=len)
    return len(more) - len(fewer) <= 1 and all(paired(square, set()) for square in sorted(fewer))
