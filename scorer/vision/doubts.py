"""Why a square is doubtful, measured from what the photo shows of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.rules import Doubt
from scorer.rules.message import Message, msg
from scorer.rules.notation import parse_square, square_text
from scorer.vision.classify import CASTLE, EMPTY, MARGIN, SIZE
from scorer.vision.decode import DecodedKingdom
from scorer.vision.pieces import HEADS, split
from scorer.vision.quality import MIN_LIGHT, light
from scorer.vision.rectify import Image
from scorer.vision.seen import Seen

SURE = 0.985
"""A square read with less confidence is a doubt. Chosen on the validation photos: see docs/decisions.md."""
SURE_BEHIND = (0.99, 0.999)
"""The same where something stands or lies on the square, and where more than one thing does: they may hide a crown."""
GLARE = 0.05
"""Share of a square that is burnt out white from which a crown may be lost in it: it takes up a twentieth."""
BLINDING = 0.4
"""Share burnt out from which nobody can read a tile, however sure the network is."""
BURNT = 245
"""Level of all three colours from which a pixel is burnt out; printed white is darker in any photo."""
CUT = 0.08
"""Share of a square outside the photo from which a crown may be missing."""
CUT_OFF = 0.2
"""Share of a tile outside the photo from which the kingdom is taken to go on there."""

_WHY: dict[str, Message] = {
    "edge": msg("square {row},{column} read as {read} may be {other}: the edge of the photo cuts it"),
    "glare": msg("square {row},{column} read as {read} may be {other}: light glares on it"),
    "castle": msg("square {row},{column} read as {read} may be {other}: the castle stands in front of it"),
    "dark": msg("square {row},{column} read as {read} may be {other}: it is too dark"),
    "blurred": msg("square {row},{column} read as {read} may be {other}: it is blurred"),
    "box": msg("square {row},{column} read as {read} may be {other}: the box has no domino that fits what is seen"),
    "crown": msg("square {row},{column} read as {read} may be {other}: a crown may be hidden"),
    "empty": msg("square {row},{column} read as {read} may be {other}: it looks much like the table"),
    "alike": msg("square {row},{column} read as {read} may be {other}"),
}
_BEYOND = msg("one more tile may lie beside the grid: it looks much like the table")
LEAST_BEYOND = 0.1
"""How likely one must be: of 366 validation kingdoms located right 3 are doubted, of 3 that lack such a tile all."""
GROUND = frozenset({*_WHY, "beyond"})
"""The codes of doubts about terrain and crowns, and about where tiles lie."""
_PARTS = (
    (msg("top left"), msg("top"), msg("top right")),
    (msg("left"), msg("middle"), msg("right")),
    (msg("bottom left"), msg("bottom"), msg("bottom right")),
)
PHOTO_HELPS = ("edge", "glare", "castle", "dark", "blurred", "crown")
"""Reasons that another photo would do away with."""


def doubts_of(seen: Seen, read: DecodedKingdom, sure: float = SURE) -> tuple[Doubt, ...]:
    """Every square that may be something else; `code` is the reason."""
    least = np.maximum(sure, np.array([0.0, *SURE_BEHIND])[_covered(seen).clip(None, len(SURE_BEHIND))])
    unsure = [
        place
        for place in np.ndindex(read.confidence.shape)
        if read.confidence[place] < least[place]
        or place in read.odd
        # Where the photo cuts a tile, more of them may lie beyond.
        or (read.labels[place[0]][place[1]] != EMPTY and _outside(seen, place) > CUT_OFF)
        or (read.labels[place[0]][place[1]] != EMPTY and _glare(_square(seen, place)) > BLINDING)
    ]
    found = []
    for r, c in unsure:
        code = reason(seen, read, (r, c))
        this, other = (square_text(parse_square(cells[r][c])) for cells in (read.labels, read.other))
        text = Message(_WHY[code].template, {"row": r, "column": c, "read": this, "other": other})
        confidence = round(float(read.confidence[r, c]), 4)
        found.append(Doubt(code, text, (r, c), this, (other,), confidence, needed=False))
    if seen.lattice.beyond > LEAST_BEYOND:
        found.append(Doubt("beyond", _BEYOND, needed=False))
    return tuple(found)


def reason(seen: Seen, read: DecodedKingdom, place: tuple[int, int]) -> str:
    """The likeliest reason why a square cannot be told from another, as a key."""
    r, c = place
    label, other = read.labels[r][c], read.other[r][c]
    square = _square(seen, place)
    if _outside(seen, place) > CUT:
        return "edge"
    if _glare(square) > GLARE:
        return "glare"
    if r + 1 < len(read.labels) and read.labels[r + 1][c] == CASTLE and _castle_stands(seen, (r + 1, c)):
        return "castle"
    flaws = {flaw.code for flaw in seen.flaws}
    if "dark" in flaws or light(square) < MIN_LIGHT:
        return "dark"
    if "blurred" in flaws:
        return "blurred"
    if place in read.odd or label != read.plain[r][c]:
        return "box"
    if label[0] == other[0]:
        return "crown"
    return "empty" if EMPTY in (label, other) else "alike"


def _square(seen: Seen, place: tuple[int, int]) -> Image:
    """The crop of a place without its margin."""
    border = round(SIZE * MARGIN / (1 + 2 * MARGIN))
    return np.asarray(seen.squares[place][border : SIZE - border, border : SIZE - border], np.uint8)


def _covered(seen: Seen) -> NDArray[np.intp]:
    """How many things stand or lie on terrain, (rows, columns); none if the network was not asked."""
    covered = np.zeros(seen.lattice.rows * seen.lattice.columns, np.intp)
    if "pieces" in seen.said:
        for name, likely in split(seen.said["pieces"], HEADS).items():
            if name not in ("building", "castle"):
                counted = HEADS[name][-1].isdigit()
                covered += likely.argmax(1) if counted else likely[:, 0] < 0.5
    return covered.reshape(seen.lattice.rows, seen.lattice.columns)


def _castle_stands(seen: Seen, place: tuple[int, int]) -> bool:
    """Whether a castle stands on its starting tile; taken for granted where the network was not asked."""
    pieces = seen.said.get("pieces")
    if pieces is None:
        return True
    return bool(split(pieces, HEADS)["castle"][place[0] * seen.lattice.columns + place[1], 1] > 0.5)


def _glare(square: Image) -> float:
    return float((square.min(axis=2) >= BURNT).mean())


def _outside(seen: Seen, place: tuple[int, int]) -> float:
    """The share of a place that lies outside the photo."""
    rows, columns = seen.photo.image.shape[:2]
    along = (np.arange(8) + 0.5) / 8
    top_left, top_right, bottom_right, bottom_left = seen.lattice.quads[place]
    top = top_left + along[:, None] * (top_right - top_left)
    bottom = bottom_left + along[:, None] * (bottom_right - bottom_left)
    points = top[None] + along[:, None, None] * (bottom - top)[None]
    inside = (points > -0.5).all(-1) & (points[..., 0] < columns - 0.5) & (points[..., 1] < rows - 0.5)
    return float(1 - inside.mean())


def worth_another_photo(doubts: Sequence[Doubt], rows: int, columns: int) -> Message | None:
    """The part of a kingdom, in words, that one more photo would show better; None if none would help."""
    places = [doubt.square for doubt in doubts if doubt.code in PHOTO_HELPS and doubt.square]
    if not places:
        return None
    down, across = (np.mean(places, axis=0) + 0.5) / (rows, columns)
    return _PARTS[int(3 * down)][int(3 * across)]
