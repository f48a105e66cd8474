"""Kingdom notation: text to kingdoms, with every fault listed, and kingdoms to canonical text."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .catalogue import (
    BUILDINGS,
    CHARACTERS,
    COURT_BUILDINGS,
    EXPANSIONS,
    LETTERS,
    QUESTS,
    RESOURCES,
    RULE_SETS,
    RULINGS,
    SYNONYMS,
)
from .kingdom import EMPTY, MEEPLES, NAME, UNKNOWN, CourtTile, Kingdom, Square

# A hand-written file is a few hundred characters; beyond these it is not a kingdom, and the work stays bounded.
MAX_CHARACTERS = 200_000
MAX_LINE = 2_000
MAX_SIDE = 25
MAX_NUMBER = 9_999
MAX_PIECES = 99

COURT_TILES = (*CHARACTERS, *COURT_BUILDINGS)
QUEEN = ("yes", "no", "abducted")
SIZES = ("5", "7", "9")
BONUSES = tuple(quest.id for quest in QUESTS.values() if quest.bonus)


class Fault(NamedTuple):
    """One thing wrong with a text; line and column count from 1."""

    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class NotationError(ValueError):
    """The text is no kingdom; `faults` lists everything that is wrong with it, in reading order."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults))
        super().__init__("; ".join(map(str, self.faults)))


class _SlipError(Exception):
    """A fault in a word: what is wrong, and how many characters into it; `more` are further ones."""

    def __init__(self, message: str, offset: int = 0, more: Iterable["_SlipError"] = ()) -> None:
        super().__init__(message)
        self.offset = offset
        self.all = [self, *more]


def _shorten(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:37] + "...")


def _one_of(word: str, known: Sequence[str], what: str) -> str:
    if word in known:
        return word
    from difflib import get_close_matches  # only a slip needs it, and it is slow to import

    close = [name for name in known if word and name.startswith(word)] or get_close_matches(word[:40], known, n=1)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"known are {', '.join(known)}"
    raise _SlipError(f"unknown {what} {_shorten(word)}; {hint}")


def _number(word: str) -> int:
    if re.fullmatch(r"[0-9]{1,4}", word):
        return int(word)
    raise _SlipError(f"{_shorten(word)} is not a number from 0 to {MAX_NUMBER}")


def _choice(known: Sequence[str], what: str) -> Callable[[str], str]:
    return lambda word: _one_of(word, known, what)


def _choices(known: Sequence[str], what: str) -> Callable[[str], tuple[str, ...]]:
    def read(value: str) -> tuple[str, ...]:
        words: list[str] = []
        slips = []
        for match in re.finditer(r"[^,\s](?:[^,]*[^,\s])?", value):
            try:
                if _one_of(match[0], known, what) in words:
                    raise _SlipError(f"the same {what} is listed twice")
                words.append(match[0])
            except _SlipError as slip:
                slips.append(_SlipError(str(slip), match.start()))
        if slips:
            raise _SlipError(str(slips[0]), slips[0].offset, slips[1:])
        return tuple(words)

    return read


def _name(value: str) -> str:
    if not value:
        raise _SlipError("a player needs a name")
    if not NAME.fullmatch(value):
        raise _SlipError("a name cannot hold control characters")
    return value


KEYS: dict[str, Callable[[str], Any]] = {
    "rules": _choice(tuple(RULE_SETS), "rule set"),
    "expansions": _choices(tuple(EXPANSIONS), "expansion"),
    "player": _name,
    "size": lambda word: int(_one_of(word, SIZES, "size")),
    "rulings": _choices(tuple(RULINGS), "ruling"),
    "coins": _number,
    "account": _number,
    "guard": _number,
    "towers": _number,
    "cemetery": _number,
    "queen": _choice(QUEEN, "word about the Queen"),
    "quests": _choices(tuple(QUESTS), "quest"),
    "bonuses": _choices(BONUSES, "bonus"),
    "court": lambda word: int(_one_of(word, ("0", "1", "2"), "number of Court sets")),
}

_GROUND = re.compile(r"(?P<word>[a-z]+)(?P<crowns>[0-9]|\?)?")
_TOWN = re.compile(r"(?P<word>[a-z]+):(?P<building>[^~]*)(?P<turned>~?)")
_PIECE = re.compile(r"(?P<name>[a-z]+)(?:\*(?P<count>[1-9][0-9]?))?")


def _terrain(word: str, cell: str) -> str:
    terrain = LETTERS.get(word) or SYNONYMS.get(word)
    if terrain is None:
        raise _SlipError(f"{_shorten(cell)} is no square; write for instance w1, t:statue, C, . or ?")
    return terrain


def _ground(cell: str) -> dict[str, Any]:
    """What lies at a place, as the fields of its square."""
    if not cell:
        raise _SlipError("a piece stands on a square: write it without a blank, for instance w1+knight")
    if cell == ".":
        return {}
    if cell == "C":
        return {"castle": True}
    if cell == UNKNOWN:
        return {"unknown": True}
    if match := _TOWN.fullmatch(cell):
        if _terrain(match["word"], cell) != "town":
            raise _SlipError(f"a building stands on a town square, not on {match['word']}")
        building, turned = match["building"], bool(match["turned"])
        if building != UNKNOWN:
            try:
                _one_of(building, tuple(BUILDINGS), "building")
            except _SlipError as bad:
                raise _SlipError(str(bad), match.start("building")) from None
        return {"terrain": "town", "building": building, "turned": turned}
    match = _GROUND.fullmatch(cell)
    if not match:
        raise _SlipError(f"{_shorten(cell)} is no square; write for instance w1, t:statue, C, . or ?")
    terrain, crowns = _terrain(match["word"], cell), match["crowns"] or "0"
    if crowns != UNKNOWN:
        return {"terrain": terrain, "crowns": int(crowns)}
    # A town has no crowns of its own: what is not known of it is its building.
    return {"terrain": terrain, "building": UNKNOWN} if terrain == "town" else {"terrain": terrain, "crowns": None}


def _piece(piece: str) -> tuple[str, int] | CourtTile:
    if piece.startswith("court:"):
        name = piece.removeprefix("court:")
        return CourtTile(_one_of(name.removesuffix("~"), COURT_TILES, "Court tile"), name.endswith("~"))
    match = _PIECE.fullmatch(piece)
    if not match:
        raise _SlipError(f"{_shorten(piece)} is no piece; write for instance +knight, +tower*2 or +court:farmer")
    return _one_of(match["name"], (*MEEPLES, *RESOURCES), "piece"), int(match["count"] or 1)


@lru_cache(maxsize=4096)
def parse_square(cell: str) -> Square:
    """One cell of the grid; the columns of the faults are those inside the cell."""
    faults: list[Fault] = []
    fields: dict[str, Any] = {}
    counts: Counter[str] = Counter()
    court: list[CourtTile] = []
    start = 0
    for number, word in enumerate(cell.split("+")):
        try:
            if number == 0:
                fields = _ground(word)
            elif isinstance(piece := _piece(word), CourtTile):
                court.append(piece)
            else:
                counts[piece[0]] += piece[1]
        except _SlipError as bad:
            faults.append(Fault(1, start + bad.offset + 1, str(bad)))
        start += len(word) + 1
    if any(count > MAX_PIECES for count in counts.values()):
        faults.append(Fault(1, 1, f"more than {MAX_PIECES} pieces of a kind on one square"))
    if faults:
        raise NotationError(faults)
    return Square(
        **fields,
        knight=counts["knight"],
        tower=counts["tower"],
        fallen=counts["fallen"],
        queen=counts["queen"],
        giant=counts["giant"],
        resources=tuple(name for name in RESOURCES for _ in range(counts[name])),
        court=tuple(sorted(court, key=lambda tile: (COURT_TILES.index(tile.id), tile.turned))),
    )


def square_text(square: Square) -> str:
    """The canonical cell of a square."""
    if square.terrain is None:
        text = "C" if square.castle else UNKNOWN if square.unknown else "."
    elif square.building is not None:
        text = f"t:{square.building}{'~' if square.turned else ''}"
    else:
        crowns = UNKNOWN if square.crowns is None else str(square.crowns)
        text = square.terrain[0] + ("" if square.terrain == "town" and crowns == "0" else crowns)
    counts = [(name, getattr(square, name)) for name in MEEPLES]
    counts += [(name, square.resources.count(name)) for name in RESOURCES]
    text += "".join(f"+{name}" + (f"*{count}" if count > 1 else "") for name, count in counts if count)
    return text + "".join(f"+court:{tile.id}{'~' if tile.turned else ''}" for tile in square.court)


_BLANK = " \t\r"
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*")
_HEADER = re.compile(r"[ \t]*(?:([A-Za-z_-]+)[ \t]*:(?=[ \t]|$)|(" + "|".join(KEYS) + r")[ \t]*:)")
_CELL = re.compile(r"[^ \t\r]+")


class _Section:
    """One player's part of a text while it is read."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.header: dict[str, Any] = {}
        self.rows: list[tuple[Square, ...]] = []

    def read(self, line: int, text: str, faults: list[Fault]) -> None:
        if match := _HEADER.match(text):
            self._read_header(line, match, text, faults)
        else:
            self._read_row(line, text, faults)

    def _read_header(self, line: int, match: re.Match[str], text: str, faults: list[Fault]) -> None:
        key = match[1] or match[2]
        column = match.end() + len(text[match.end() :]) - len(text[match.end() :].lstrip(_BLANK)) + 1
        try:
            _one_of(key, tuple(KEYS), "key")
            if self.rows:
                raise _SlipError(f"{key!r} stands after the grid; headers come before it")
            if key in self.header:
                raise _SlipError(f"{key!r} is given twice")
        except _SlipError as bad:
            faults.append(Fault(line, match.start(match.lastindex or 0) + 1, str(bad)))
            return
        try:
            self.header[key] = KEYS[key](text[match.end() :].strip(_BLANK))
        except _SlipError as bad:
            self.header[key] = None
            faults += [Fault(line, column + slip.offset, f"{key}: {slip}") for slip in bad.all]

    def _read_row(self, line: int, text: str, faults: list[Fault]) -> None:
        row = []
        for match in _CELL.finditer(text):
            try:
                row.append(parse_square(match[0]))
            except NotationError as error:
                row.append(EMPTY)
                faults += [Fault(line, match.start() + fault.column, fault.message) for fault in error.faults]
        if len(row) > MAX_SIDE or len(self.rows) == MAX_SIDE:
            faults.append(Fault(line, 1, f"a grid has at most {MAX_SIDE} rows and columns"))
        elif self.rows and len(row) != len(self.rows[0]) and len(self.rows) < MAX_SIDE:
            faults.append(
                Fault(
                    line,
                    1,
                    f"this row has {len(row)} squares, the first one {len(self.rows[0])}; write . where nothing lies",
                )
            )
        self.rows.append(tuple(row))


def parse(text: str, source: str = "") -> list[Kingdom]:
    """All kingdoms of a text, in its order."""
    if len(text) > MAX_CHARACTERS:
        raise NotationError([Fault(1, 1, f"the text is longer than {MAX_CHARACTERS} characters")])
    faults: list[Fault] = []
    sections = [_Section(1)]
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if len(raw) > MAX_LINE:
            faults.append(Fault(number, MAX_LINE + 1, f"the line is longer than {MAX_LINE} characters"))
            continue
        line = _COMMENT.sub("", raw).rstrip(_BLANK)
        if line == "---":
            sections.append(_Section(number))
        elif line:
            sections[-1].read(number, line, faults)
    for section in sections:
        if not section.rows and not any(fault.line >= section.line for fault in faults):
            faults.append(Fault(section.line, 1, "no kingdom here: write its rows of squares after an empty line"))
    if faults:
        raise NotationError(faults)
    return [Kingdom(tuple(section.rows), **section.header, source=source) for section in sections]


def _value(value: Any) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def to_text(kingdoms: Sequence[Kingdom]) -> str:
    """The canonical text: keys and pieces in their fixed order, columns aligned."""
    return "---\n".join(map(_section_text, kingdoms))


def _section_text(kingdom: Kingdom) -> str:
    header = [(key, getattr(kingdom, key)) for key in KEYS]
    lines = [f"{key}: {_value(value)}".rstrip() for key, value in header if value is not None]
    cells = [[square_text(square) for square in row] for row in kingdom.rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    grid = [" ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    return "\n".join([*lines, *([""] if lines else []), *grid]) + "\n"
