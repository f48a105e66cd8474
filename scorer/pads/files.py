"""Pad files: CSV as spreadsheets write it, or JSON; rows by id or by name in any language; players across or down."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from scorer.errors import UnreadableInput, UsageError
from scorer.pad import ROW_NAMES, row_name
from scorer.pads.sheet import MAX_QUESTS, unnamed
from scorer.rules.catalogue import QUESTS, SYNONYMS
from scorer.rules.message import Message
from scorer.texts import LANGUAGES, translator

MAX_CHARACTERS = 100_000
"""A pad of eight players with long names has some two thousand."""
MAX_POINTS = 9999
MAX_SHOWN = 40
"""Characters of a bad cell that a message quotes."""
TOTAL = "total"
OTHER = "other"
"""A row of some printed pads that the rules do not know."""
UNSHOWABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters and halves of letters."""
NOTHING = ("-", "–", "—", "−", "/")
"""How people write that a row has no points."""

Column = Mapping[str, int | None]


@dataclass(frozen=True)
class PadDoubt:
    """A cell of a photographed pad that may have been misread; `other` is what else it may say, None nothing."""

    player: str
    row: str
    read: int | None
    other: int | None
    confidence: float
    text: Message

    @property
    def why(self) -> str:
        return str(self.text)


@dataclass(frozen=True)
class Pad:
    """What a pad says: for each player points by row id, None where the cell was left empty."""

    players: Mapping[str, Column]
    source: str = field(default="", compare=False)
    doubts: tuple[PadDoubt, ...] = ()
    """Of a photographed pad."""
    notes: tuple[Message, ...] = ()
    """What else is to be said about it."""

    @property
    def rows(self) -> list[str]:
        """Ids in the order of the pad, the total last."""
        seen = dict.fromkeys(row for column in self.players.values() for row in column if row != TOTAL)
        return [*seen, TOTAL]


def parse_pad(data: bytes, source: str = "pad", expected: Iterable[str] = ()) -> Pad:
    """The pad in a file. `expected` rows decide which one a name means that several have."""
    text = _text(data, source)
    form: Callable[[str, str, frozenset[str]], Pad] = _json if text.lstrip().startswith("{") else _csv
    return form(text, source, frozenset(expected))


def _text(data: bytes, source: str) -> str:
    # Excel's "Unicode text" is UTF-16 with a byte order mark.
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise UnreadableInput(f"{source}: not a pad: save it as CSV in UTF-8, or as JSON") from None
    if "\0" in text or len(text) > MAX_CHARACTERS:
        raise UnreadableInput(f"{source}: not a pad: neither CSV nor JSON of at most {MAX_CHARACTERS} characters")
    return text


def _folded(name: str) -> str:
    """A name without case, accents and what joins its words."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = (" " if c in "_-,:;.()" or c.isspace() else c for c in plain if not unicodedata.combining(c))
    return " ".join("".join(letters).split())


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Every name of every row in every language, and the rows it may mean."""
    tiles = (*QUESTS, *unnamed(MAX_QUESTS))
    rows = [*ROW_NAMES, *(f"quest:{tile}" for tile in tiles)]
    rows += [f"bonus:{quest.id}" for quest in QUESTS.values() if quest.bonus]
    found: dict[str, dict[str, None]] = {}
    for row in (*rows, OTHER):
        found.setdefault(_folded(row), {})[row] = None
        found.setdefault(_folded(row.partition(":")[2] or row), {})[row] = None
    for language in LANGUAGES:
        say = translator(language)
        for row in rows:
            found.setdefault(_folded(row_name(row, say)), {})[row] = None
    for synonym, terrain in SYNONYMS.items():
        found.setdefault(_folded(synonym), {})[terrain] = None
    return {name: tuple(rows) for name, rows in found.items()}


def row_named(name: str, expected: frozenset[str] = frozenset()) -> str | None:
    """The id of the row that a name means, in any language; None if it means none."""
    meant = _names().get(_folded(name), ())
    return next((row for row in meant if row in expected), meant[0] if meant else None)


def rows_named(names: str) -> tuple[str, ...]:
    """Row ids of names between commas; raises UsageError."""
    rows = [(name, row_named(name)) for name in names.split(",")]
    for name, row in rows:
        if row is None:
            raise UsageError(f"--rows: {name.strip()!r} is no row of a pad; write its id, for instance coins or wheat")
    return tuple(row for _, row in rows if row is not None)


def _points(value: object, where: str) -> int | None:
    """A cell as points: nothing is None, a dash is 0."""
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    if text in NOTHING:
        return 0
    whole, _, fraction = text.partition(".")
    short = len(whole) <= len(str(MAX_POINTS))
    if isinstance(value, bool) or not (short and whole.isdecimal() and fraction.strip("0") == ""):
        raise UnreadableInput(f"{where}: {text[:MAX_SHOWN]!r} is not a number of points from 0 to {MAX_POINTS}")
    return int(whole)


def _json(text: str, source: str, expected: frozenset[str]) -> Pad:
    try:
        form: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        line, reason = getattr(error, "lineno", 1), getattr(error, "msg", "nested too deeply, or a number is too long")
        raise UnreadableInput(f"{source}:{line}: not JSON: {reason}") from None
    players = form.get("players")
    columns = players.values() if isinstance(players, dict) else [None]
    if form.get("format") != "pad/1" or not players or not all(isinstance(column, dict) for column in columns):
        raise UnreadableInput(f'{source}: not a pad: it must say "format": "pad/1" and have "players" with their rows')
    pad: dict[str, dict[str, int | None]] = {}
    for player, rows in players.items():
        pad[_player(player, source)] = {}
        for name, value in rows.items():
            row = _known(name, expected, f"{source}: {player}")
            where = f"{source}: {player}, {row}"
            if row in pad[player]:
                raise UnreadableInput(f"{where}: this row is there twice")
            pad[player][row] = _points(value, where)
    return Pad(pad, source)


def _player(name: str, where: str) -> str:
    """A player's name, which is printed: on one line, without half letters."""
    if UNSHOWABLE.search(name):
        raise UnreadableInput(f"{where}: {name[:MAX_SHOWN]!r} cannot be a player's name")
    return name


def _known(name: str, expected: frozenset[str], where: str) -> str:
    row = row_named(name, expected)
    if row is None:
        shown = name.strip()[:MAX_SHOWN]
        raise UnreadableInput(f"{where}: {shown!r} is no row of a pad; write its id, as coins or wheat")
    return row


def _csv(text: str, source: str, expected: frozenset[str]) -> Pad:
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    try:
        lines = list(enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), start=1))
    except csv.Error as error:
        raise UnreadableInput(f"{source}: not CSV: {error}") from None
    table = [(number, [cell.strip() for cell in line]) for number, line in lines if any(map(str.strip, line))]
    if len(table) < 2 or len(table[0][1]) < 2:
        raise UnreadableInput(f"{source}: not a pad: the first line must be `row,<player>,<player>...`")
    width = len(table[0][1])
    for number, line in table:
        if any(line[width:]):
            raise UnreadableInput(f"{source}:{number}: more cells than the first line has")
    full = [(number, [*line[:width], *[""] * (width - len(line))]) for number, line in table]
    used = [i for i in range(width) if i == 0 or any(line[i] for _, line in full)]
    cells = [(number, [line[i] for i in used]) for number, line in full]
    across = sum(row_named(name) is not None for name in cells[0][1][1:])
    down = sum(row_named(line[0]) is not None for _, line in cells[1:])
    return _table(cells, source, expected, players_down=across > down)


def _table(
    cells: Sequence[tuple[int, Sequence[str]]], source: str, expected: frozenset[str], *, players_down: bool
) -> Pad:
    """Cells with their line numbers; `players_down`: a line for each player instead of a column."""
    pad: dict[str, dict[str, int | None]] = {}
    header = cells[0][1]
    for number, line in cells[1:]:
        for i in range(1, len(header)):
            where = f"{source}:{number}: column {i + 1}"
            player, name = (line[0], header[i]) if players_down else (header[i], line[0])
            if not (player or name or line[i]):
                continue
            row = _known(name, expected, where)
            # Players may be nameless, as on a photographed sheet: they are then called by their number.
            column = pad.setdefault(_player(player, where) or str(number - cells[0][0] if players_down else i), {})
            if row in column:
                raise UnreadableInput(f"{where}: the row {name!r} is there twice for {player!r}")
            column[row] = _points(line[i], where)
    return Pad(pad, source)


def to_csv(pad: Pad) -> str:
    """The pad file: `row,<player>...`, a line for each row by its id, last the total."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["row", *pad.players])
    for row in pad.rows:
        values = (column.get(row) for column in pad.players.values())
        writer.writerow([row, *("" if value is None else value for value in values)])
    return out.getvalue()


def to_json(pad: Pad) -> dict[str, Any]:
    """The `pad/1` form."""
    form: dict[str, Any] = {
        "format": "pad/1",
        "players": {name: dict(column) for name, column in pad.players.items()},
    }
    if pad.doubts:
        form["doubts"] = [
            {"player": d.player, "row": d.row, "read": d.read, "or": d.other, "confidence": d.confidence, "why": d.why}
            for d in pad.doubts
        ]
    if pad.notes:
        form["notes"] = [str(note) for note in pad.notes]
    return form
