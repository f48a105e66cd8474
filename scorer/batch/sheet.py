"""The sheet beside the photos: who played what with how many coins, which photos make a game, which games an event.

`games.csv` has a line for each kingdom with the columns photo, kingdom, game, event and any header key of the notation;
`games.toml` says the same as `[[game]]` tables with `kingdoms`. Paths are relative to the sheet.
"""

import csv
import io
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.batch.names import shown
from scorer.errors import UnreadableInput
from scorer.rules.notation import KEYS, NotationError, parse
from scorer.source import read_bytes

PLACES = ("photo", "kingdom", "game", "event")
"""Columns that say which kingdom of which game a line is about; all others are header keys of the notation."""
BLANK = "\n.\n"
"""The smallest kingdom: a header is read by the notation's own reader."""


@dataclass(frozen=True)
class Seat:
    """What a sheet says about one kingdom: the `kingdom`-th, from 1, of the photo `source`."""

    source: str
    kingdom: int
    game: str
    event: str
    header: str
    sheet: str

    def stated(self) -> dict[str, Any]:
        """The header as fields of a kingdom."""
        (kingdom,) = parse(self.header + BLANK)
        return {key: value for key in KEYS if (value := getattr(kingdom, key)) is not None}


def read_sheets(folder: Path, sheets: Iterable[str]) -> list[Seat]:
    """All seats of all sheets; raises UnreadableInput with file and line for anything that is not understood."""
    seats: list[Seat] = []
    taken: dict[tuple[str, int], Seat] = {}
    for sheet in sheets:
        rows = _csv_rows if sheet.endswith(".csv") else _toml_rows
        photos: Counter[str] = Counter()
        for where, row in rows(str(folder / sheet), read_bytes(str(folder / sheet))):
            seat = _seat(sheet, where, row, photos)
            if (seat.source, seat.kingdom) in taken:
                raise UnreadableInput(f"{where}: kingdom {seat.kingdom} of {shown(seat.source)} is named twice")
            taken[seat.source, seat.kingdom] = seat
            seats.append(seat)
    return seats


def _seat(sheet: str, where: str, row: Mapping[str, str], photos: Counter[str]) -> Seat:
    photo = row.get("photo", "").replace("\\", "/").removeprefix("./")
    if not photo:
        raise UnreadableInput(f"{where}: no photo is named")
    photos[photo] += 1
    number = row.get("kingdom", "") or str(photos[photo])
    if not re.fullmatch("0?[1-9]|[1-9][0-9]", number):
        raise UnreadableInput(f"{where}: kingdom: {number!r} is no number of a kingdom in the photo, counted from 1")
    below = sheet.rpartition("/")[0]
    game = row.get("game", "")
    lines = [f"{key}: {value}" for key in KEYS if (value := row.get(key, ""))]
    try:
        parse("\n".join([*lines, BLANK]))
    except NotationError as error:
        raise UnreadableInput(f"{where}: {error.faults[0].message}") from None
    return Seat(
        f"{below}/{photo}" if below else photo,
        int(number),
        f"{below}/{game}" if below and game else game,
        row.get("event", ""),
        "".join(f"{line}\n" for line in lines),
        sheet,
    )


def _known(where: str, key: str) -> None:
    if key not in PLACES and key not in KEYS:
        raise UnreadableInput(f"{where}: there is no {key!r}; there are {', '.join((*PLACES, *KEYS))}")


def _csv_rows(path: str, data: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableInput(f"{path}: not UTF-8 text; save the sheet as CSV in UTF-8") from None
    heading = text.partition("\n")[0]
    # Spreadsheets of countries with a decimal comma write semicolons.
    delimiter = max(",;\t", key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        keys = [key.strip().casefold() for key in next(reader, [])]
        for key in keys:
            _known(f"{path}:1", key)
        for row in reader:
            values = [value.strip() for value in row]
            if not any(values):
                continue
            where = f"{path}:{reader.line_num}"
            if len(values) > len(keys):
                raise UnreadableInput(f"{where}: more cells than the first line has columns")
            if any(not value.isprintable() for value in values):
                raise UnreadableInput(f"{where}: a cell holds characters that cannot be shown")
            yield where, dict(zip(keys, values, strict=False))
    except csv.Error as error:
        raise UnreadableInput(f"{path}:{reader.line_num}: {error}") from None


def _toml_rows(path: str, data: bytes) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        form = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # of bad text, bad TOML, numbers that are too long, lists in lists
        raise UnreadableInput(f"{path}: {error}") from None
    yield from _kingdoms(f"{path}: kingdom", {}, form.pop("kingdom", []))
    for number, game in enumerate(_tables(f"{path}: game", form.pop("game", [])), start=1):
        where = f"{path}: game {number}"
        shared = {"game" if key == "name" else key: value for key, value in game.items() if key != "kingdoms"}
        yield from _kingdoms(where, {"game": str(number), **_texts(where, shared)}, game.get("kingdoms", []))
    if form:
        raise UnreadableInput(f"{path}: there is no {next(iter(form))!r}; write [[game]] or [[kingdom]] tables")


def _kingdoms(where: str, shared: Mapping[str, str], kingdoms: Any) -> Iterator[tuple[str, dict[str, str]]]:
    for number, kingdom in enumerate(_tables(where, kingdoms), start=1):
        place = f"{where}, kingdom {number}"
        yield place, {**shared, **_texts(place, kingdom)}


def _tables(where: str, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise UnreadableInput(f"{where}: must be a list of tables")
    return value


def _texts(where: str, table: Mapping[str, Any]) -> dict[str, str]:
    texts = {}
    for key, value in table.items():
        _known(where, key)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif isinstance(value, list):
            value = ", ".join(map(str, value))
        texts[key] = str(value).strip()
        if not texts[key].isprintable():
            raise UnreadableInput(f"{where}: {key} holds characters that cannot be shown")
    return texts
