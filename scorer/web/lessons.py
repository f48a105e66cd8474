"""What a worker does with profiles: tell of one, take one in, teach one.

Workers may write no file: what was taught goes back as the bytes of a profile's file, and the page keeps them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scorer.calibration import store
from scorer.calibration.profile import from_bytes, to_bytes
from scorer.calibration.teaching import learn, photo_mark, teach_grids
from scorer.calibration.words import about_profile
from scorer.errors import UnreadableInput
from scorer.rules import Kingdom, Square
from scorer.rules.notation import parse_square, square_text
from scorer.vision.layable import LARGEST
from scorer.vision.load import Photo, load_photo
from scorer.vision.locate import locate
from scorer.vision.reading import ReadKingdom, read_at
from scorer.vision.rectify import Pyramid
from scorer.web.board import Board, from_data
from scorer.web.reading import picture

ROWS, COLUMNS = 2, 3
"""How the tiles of a guided round are laid."""
MARGIN = 0.2
"""Of the photo, around tiles that were not found."""
UNKNOWN = Square(unknown=True)


def tell(name: str) -> dict[str, Any]:
    """A profile as a list shows it."""
    profile = store.load(name)
    built = Counter(parse_square(e.cell).building for e in profile.examples if e.network == "buildings")
    return {
        "name": name,
        "about": profile.about,
        "squares": sum(example.network == "classify" for example in profile.examples),
        "photos": len({example.photo for example in profile.examples}),
        "lines": about_profile(profile),
        "buildings": {building: count for building, count in built.items() if building},
    }


def taken(data: bytes, source: str, names: Sequence[str]) -> tuple[str, bytes]:
    """A profile out of a file that somebody imports, under a name that is not among `names`; what it claims to have
    learnt is not believed but learnt anew."""
    profile = from_bytes(data, source)
    name = next(name for name in _names_like(profile.name) if name not in names)
    return name, to_bytes(learn(replace(profile, name=name, learnt=None)))


def _names_like(name: str) -> Sequence[str]:
    return [name, *(f"{name[:50]}-{number}" for number in range(2, 1000))]


def corrected(name: str, jpeg: bytes, boards: Sequence[Mapping[str, Any]], rules: str) -> bytes | None:
    """The profile with what was corrected on the boards of a photo; None where that is nothing."""
    profile = store.load_or_new(name)
    grids = []
    hands = False
    for data in boards:
        board = from_data(data)
        kingdom = board.kingdom
        if max(kingdom.height, kingdom.width) > LARGEST:
            continue
        reading = read_at(jpeg, board.corners, kingdom.height, kingdom.width, rules=rules, name="photo")
        grids.append((reading, _known(board, reading.kingdoms[0])))
        hands |= bool(board.by_hand)
    # What was taught of a photo before is corrected, even if all was taken back since.
    if not grids or not (hands or photo_mark(grids[0][0]) in {example.photo for example in profile.examples}):
        return None
    return to_bytes(teach_grids(profile, grids))


def _known(board: Board, plain: ReadKingdom) -> Kingdom:
    """The squares that somebody set or confirmed, and those that are read the same without any profile: what a profile
    read by itself must not teach it."""
    doubtful = {doubt.square for doubt in (*board.doubts, *plain.doubts)}
    rows = [
        tuple(
            square
            if (r, c) in board.by_hand or ((r, c) not in doubtful and square_text(square) == plain.grid[r][c])
            else UNKNOWN
            for c, square in enumerate(row)
        )
        for r, row in enumerate(board.kingdom.rows)
    ]
    return replace(board.kingdom, rows=tuple(rows))


def look(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The photo of a guided round, and where its tiles seem to lie."""
    photo = load_photo(data, name="photo")
    height, width = photo.image.shape[:2]
    return {**_tiles(photo), "size": [width, height]}, picture(photo)


def _tiles(photo: Photo) -> dict[str, Any]:
    lattices = locate(Pyramid.of(photo.image))
    if lattices:
        best = max(lattices, key=lambda lattice: float(lattice.occupied.sum()))
        return {"corners": best.corners.round(1).tolist(), "rows": best.rows, "columns": best.columns}
    height, width = photo.image.shape[:2]
    left, right, top, bottom = width * MARGIN, width * (1 - MARGIN), height * MARGIN, height * (1 - MARGIN)
    corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
    return {"corners": corners, "rows": ROWS, "columns": COLUMNS}


def shown(name: str, jpeg: bytes, corners: Sequence[Sequence[float]], cells: Sequence[Sequence[str]]) -> bytes:
    """The profile with tiles that somebody laid out and named, row by row."""
    rows = tuple(tuple(parse_square(cell) for cell in row) for row in cells)
    if all(square.doubtful for row in rows for square in row):
        raise UnreadableInput("no tile was named")
    reading = read_at(jpeg, corners, len(rows), len(rows[0]), name="photo")
    return to_bytes(teach_grids(store.load_or_new(name), [(reading, Kingdom(rows))]))
