"""A board: the kingdom of one seat, where it lies in its photo, what is doubtful, and every way to correct it.

All corrections are pure: a board in, a board out. `change` applies one that the page asks for by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from string import Formatter
from typing import Any

from scorer.errors import UsageError
from scorer.rules import Doubt, Kingdom, NotationError, Square
from scorer.rules.catalogue import BUILDINGS, CHARACTERS, COURT_BUILDINGS, RESOURCES, TERRAINS
from scorer.rules.kingdom import EMPTY, MEEPLES, UNKNOWN, CourtTile, Place
from scorer.rules.message import Message, Term, msg
from scorer.rules.notation import MAX_NUMBER, parse_square
from scorer.web.perspective import Point, outer

MAX_SIDE = 13
"""Two more on every side than the largest kingdom: room to move a grid, and a bound on work."""
MAX_ON_SQUARE = 9
"""Pieces of a kind on one square that the page counts."""
NUMBERS = ("coins", "account", "guard", "towers", "cemetery")
"""What an owner has beside the kingdom."""
MAX_CROWNS = 3
BLANK_SIDE = 5
SIDES = {"top": (1, 0, 0, 0), "bottom": (0, 1, 0, 0), "left": (0, 0, 1, 0), "right": (0, 0, 0, 1)}


@dataclass(frozen=True)
class Board:
    """One seat's kingdom; `corners` are those of its grid in pixels of the kept photo, in the grid's own order;
    `by_hand` are the places that somebody set or confirmed."""

    kingdom: Kingdom
    doubts: tuple[Doubt, ...] = ()
    photo: str | None = None
    corners: tuple[Point, ...] = ()
    notes: tuple[Message, ...] = ()
    by_hand: tuple[Place, ...] = ()

    @property
    def laid(self) -> bool:
        return any(square.laid or square.unknown for _, square in self.kingdom.squares())


def blank(side: int = BLANK_SIDE) -> Board:
    """A board to build on by hand, its castle in the middle."""
    kingdom = Kingdom(((EMPTY,) * side,) * side)
    return Board(kingdom.with_square((side // 2, side // 2), Square(castle=True)))


def nothing() -> Board:
    """A seat before its first photo."""
    return Board(Kingdom(((EMPTY,) * BLANK_SIDE,) * BLANK_SIDE))


# Corrections


def set_square(board: Board, place: Place, square: Square) -> Board:
    """Another square at a place; whoever sets a square has looked at it, so its doubts are settled."""
    return settled(replace(board, kingdom=board.kingdom.with_square(place, square)), place)


def settled(board: Board, place: Place) -> Board:
    """What was doubtful about a place is confirmed as it is."""
    by_hand = (*(other for other in board.by_hand if other != place), place)
    return replace(board, doubts=tuple(doubt for doubt in board.doubts if doubt.square != place), by_hand=by_hand)


def grow(board: Board, side: str) -> Board:
    """An empty row or column more on one side."""
    return _framed(board, *SIDES[side])


def shrink(board: Board, side: str) -> Board:
    """The outermost row or column of one side removed, with what lies there."""
    return _framed(board, *(-step for step in SIDES[side]))


def _framed(board: Board, top: int, bottom: int, left: int, right: int) -> Board:
    kingdom = board.kingdom
    rows, columns = kingdom.height + top + bottom, kingdom.width + left + right
    if not (1 <= rows <= MAX_SIDE and 1 <= columns <= MAX_SIDE):
        raise UsageError(msg("a board has 1 to {most} rows and columns", most=MAX_SIDE))
    grid = tuple(tuple(kingdom.at((r - top, c - left)) for c in range(columns)) for r in range(rows))
    corners = board.corners
    if corners:
        corners = outer(
            corners, kingdom.height, kingdom.width, (-left, -top, kingdom.width + right, kingdom.height + bottom)
        )
    moved = replace(board, kingdom=replace(kingdom, rows=grid), corners=corners)
    return _renumbered(moved, lambda place: (place[0] + top, place[1] + left))


def turn(board: Board) -> Board:
    """A quarter clockwise: what was the left column becomes the top row."""
    kingdom = board.kingdom
    last = kingdom.height - 1
    grid = tuple(tuple(column) for column in zip(*kingdom.rows[::-1], strict=True))
    corners = (*board.corners[-1:], *board.corners[:-1])
    moved = replace(board, kingdom=replace(kingdom, rows=grid), corners=corners)
    return _renumbered(moved, lambda place: (place[1], last - place[0]))


def _renumbered(board: Board, to: Callable[[Place], Place]) -> Board:
    """With all that is said of places moved to where they lie now; what fell off the grid is dropped."""
    height, width = board.kingdom.height, board.kingdom.width

    def lies(place: Place | None) -> bool:
        return place is None or (0 <= place[0] < height and 0 <= place[1] < width)

    doubts = (replace(doubt, square=to(doubt.square)) if doubt.square else doubt for doubt in board.doubts)
    return replace(
        board,
        doubts=tuple(doubt for doubt in doubts if lies(doubt.square)),
        by_hand=tuple(place for place in map(to, board.by_hand) if lies(place)),
    )


# One property of a square


def _terrain(square: Square, value: Any) -> Square:
    bare = replace(square, terrain=None, crowns=0, castle=False, unknown=False, building=None, turned=False)
    if value in ("empty", "castle"):
        return Square(castle=value == "castle")
    if value == "unknown":
        return replace(bare, unknown=True)
    if value not in TERRAINS:
        raise UsageError(f"{value!r} is no terrain")
    return square if square.terrain == value else replace(bare, terrain=value)


def _crowns(square: Square, value: Any) -> Square:
    if square.terrain in (None, "town"):
        raise UsageError("crowns are printed on terrain only")
    return replace(square, crowns=_count(value, MAX_CROWNS))


def _building(square: Square, value: Any) -> Square:
    if value and value != UNKNOWN and str(value) not in BUILDINGS:
        raise UsageError(f"{value!r} is no building")
    town = square if square.terrain == "town" else _terrain(square, "town")
    return replace(town, building=value or None, turned=False)


def _turned(square: Square, value: Any) -> Square:
    return replace(square, turned=bool(value) and square.building is not None)


def _resource(square: Square, value: Any) -> Square:
    if value and str(value) not in RESOURCES:
        raise UsageError(f"{value!r} is no resource")
    return replace(square, resources=(value,) if value else ())


def _court(square: Square, value: Any) -> Square:
    name, turned = str(value).removesuffix("~"), str(value).endswith("~")
    if name and name not in CHARACTERS and name not in COURT_BUILDINGS:
        raise UsageError(f"{value!r} is no tile of The Court")
    return replace(square, court=(CourtTile(name, turned),) if name else ())


def _cell(square: Square, value: Any) -> Square:
    try:
        return parse_square(str(value))
    except NotationError as error:
        raise UsageError(str(error)) from None


def _piece(name: str) -> Callable[[Square, Any], Square]:
    def place(square: Square, value: Any) -> Square:
        return replace(square, **{name: _count(value, MAX_ON_SQUARE)})  # type: ignore[arg-type]

    return place


PROPERTIES: dict[str, Callable[[Square, Any], Square]] = {
    "terrain": _terrain,
    "crowns": _crowns,
    "building": _building,
    "turned": _turned,
    "resource": _resource,
    "court": _court,
    "cell": _cell,
    **{name: _piece(name) for name in MEEPLES},
}


def _count(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise UsageError(f"{value!r} is not a number from 0 to {most}")
    return value


def changed_square(square: Square, wanted: Mapping[str, Any]) -> Square:
    """A square with one property set, by its name; raises UsageError for what makes no sense."""
    kind = str(wanted.get("do"))
    if kind not in PROPERTIES:
        raise UsageError(f"{kind!r} is no correction")
    return PROPERTIES[kind](square, wanted.get("value"))


def change(board: Board, wanted: Mapping[str, Any]) -> Board:
    """One correction by name; raises UsageError for what makes no sense."""
    kind = str(wanted.get("do"))
    if kind in PROPERTIES:
        place = _place(board, wanted.get("at"))
        return set_square(board, place, changed_square(board.kingdom.at(place), wanted))
    if kind == "confirm":
        return settled(board, _place(board, wanted.get("at")))
    if kind == "settle":
        number = _count(wanted.get("value"), MAX_NUMBER)
        return replace(board, doubts=board.doubts[:number] + board.doubts[number + 1 :])
    if kind in NUMBERS:
        stated: dict[str, Any] = {kind: _count(wanted.get("value"), MAX_NUMBER)}
        return replace(board, kingdom=replace(board.kingdom, **stated))
    if kind in ("grow", "shrink") and str(wanted.get("side")) in SIDES:
        return (grow if kind == "grow" else shrink)(board, wanted["side"])
    if kind == "turn":
        return turn(board)
    if kind == "clear":
        return nothing()
    if kind == "blank":
        return blank(_count(wanted.get("value"), MAX_SIDE) or BLANK_SIDE)
    raise UsageError(f"{kind!r} is no correction")


def _place(board: Board, at: Any) -> Place:
    match at:
        case [int(r), int(c)] if 0 <= r < board.kingdom.height and 0 <= c < board.kingdom.width:
            return r, c
    raise UsageError(f"{at!r} is no square of this board")


# The form in which a board is kept


def as_data(board: Board) -> dict[str, Any]:
    return {
        "kingdom": str(board.kingdom),
        "doubts": [_doubt_data(doubt) for doubt in board.doubts],
        "photo": board.photo,
        "corners": [list(corner) for corner in board.corners],
        "notes": [_message_data(note) for note in board.notes],
        "by_hand": [list(place) for place in board.by_hand],
    }


def from_data(data: Mapping[str, Any]) -> Board:
    """The board that `as_data` wrote; whatever a stranger wrote instead raises ValueError."""
    try:
        corners = tuple((finite(x), finite(y)) for x, y in data["corners"])
        if len(corners) not in (0, 4):
            raise ValueError("a grid has four corners")
        return Board(
            Kingdom.parse(str(data["kingdom"])),
            tuple(_doubt(doubt) for doubt in data["doubts"]),
            None if data["photo"] is None else str(data["photo"]),
            corners,
            tuple(_message(note) for note in data["notes"]),
            tuple((int(row), int(column)) for row, column in data.get("by_hand", ())),
        )
    except (LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"not a board: {error!r}") from error


def finite(value: Any) -> float:
    """A number out of untrusted data; raises ValueError."""
    try:
        if math.isfinite(number := float(value)):
            return number
    except (TypeError, OverflowError):
        pass
    raise ValueError("this is no number")


def _message_data(message: Message) -> dict[str, Any]:
    return {"text": message.template, "values": {key: _value_data(value) for key, value in message.values.items()}}


def _value_data(value: Any) -> Any:
    if isinstance(value, Message):
        return _message_data(value)
    return {"term": value} if isinstance(value, Term) else value


def _message(data: Mapping[str, Any] | str) -> Message:
    if isinstance(data, str):  # as notes were kept at first; doubled braces stand for themselves
        return Message(data.replace("{", "{{").replace("}", "}}"), {})
    message = Message(str(data["text"]), {str(key): _value(value) for key, value in data["values"].items()})
    # A stranger's template may only name its values: widths could fill the memory, attributes look into the program.
    for _, name, width, conversion in Formatter().parse(message.template):
        if width or conversion or not (name is None or name.isidentifier()):
            raise ValueError("not a template")
    str(message)  # a template that its values do not fill fails here, not on the page
    return message


def _value(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    return Term(data["term"]) if "term" in data else _message(data)


def _doubt_data(doubt: Doubt) -> dict[str, Any]:
    return {
        **_message_data(doubt.text),
        **{key: getattr(doubt, key) for key in ("code", "square", "read", "confidence", "needed")},
        "or": doubt.alternatives,
    }


def _doubt(data: Mapping[str, Any]) -> Doubt:
    square = None if data["square"] is None else (int(data["square"][0]), int(data["square"][1]))
    alternatives = tuple(map(str, data["or"]))
    if square is not None:
        for cell in (*alternatives, *filter(None, [data["read"]])):
            parse_square(cell)
    return Doubt(
        str(data["code"]),
        _message(data),
        square,
        str(data["read"]),
        alternatives,
        None if data["confidence"] is None else finite(data["confidence"]),
        needed=bool(data["needed"]),
    )
