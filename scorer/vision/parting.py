"""Parts the tiles seen on one lattice into kingdoms.

Tiles side by side belong together, but kingdoms that touch are side by side, too.  What is known of a kingdom parts
them: it has one castle and is at most nine squares wide.  Tiles are joined in order of how well their corners meet
(Kruskal's spanning forest), and a joint that would make an impossible kingdom is refused; so the seam runs where the
corners meet worst.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LARGEST = 9
"""No kingdom is wider."""
CASTLE = 0.5
"""From here on a place counts as a castle's."""


def parts(
    occupied: NDArray[np.bool_], castle: NDArray[np.float32], corners: NDArray[np.float32]
) -> list[NDArray[np.bool_]]:
    """Masks (R, C) of the kingdoms among the occupied places (R, C), the largest first.

    castle (R, C) in 0..1 and corners (R, C, 4, 2) of the tiles, in squares, as the network sees them.
    """
    places = [(int(row), int(column)) for row, column in np.argwhere(occupied)]
    group = {place: place for place in places}
    members = {place: [place] for place in places}
    castles = {place: int(castle[place] > CASTLE) for place in places}
    for _, one, other in sorted(_joints(places, corners)):
        first, second = group[one], group[other]
        if first == second or castles[first] + castles[second] > 1:
            continue
        both = members[first] + members[second]
        rows, columns = zip(*both, strict=True)
        if max(max(rows) - min(rows), max(columns) - min(columns)) >= LARGEST:
            continue
        members[first] = both
        castles[first] += castles[second]
        for place in members.pop(second):
            group[place] = first
    masks = []
    for joined in members.values():
        mask = np.zeros_like(occupied)
        mask[tuple(zip(*joined, strict=True))] = True
        masks.append(mask)
    return sorted(masks, key=lambda mask: -int(mask.sum()))


def _joints(
    places: list[tuple[int, int]], corners: NDArray[np.float32]
) -> list[tuple[float, tuple[int, int], tuple[int, int]]]:
    """Every two places side by side, with the mean distance of the corners they share."""
    known = set(places)
    joints = []
    for row, column in places:
        for other, mine, theirs in (((row, column + 1), (1, 2), (0, 3)), ((row + 1, column), (3, 2), (0, 1))):
            if other in known:
                apart = corners[row, column][list(mine)] - corners[other][list(theirs)]
                joints.append((float(np.linalg.norm(apart, axis=1).mean()), (row, column), other))
    return joints
