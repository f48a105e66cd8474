"""A photographed pad read: load -> find the sheet -> cut its cells -> read numbers -> decode its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from scorer.errors import NoPad
from scorer.pads.check import RowName
from scorer.pads.files import OTHER, TOTAL, Pad, PadDoubt
from scorer.pads.sheet import CORNERS
from scorer.rules.message import Message, Term, msg
from scorer.rules.play import DEFAULT_RULES, rules_named
from scorer.vision.load import Photo, load_photo
from scorer.vision.pads.cells import Quads, cut
from scorer.vision.pads.columns import Column, decode
from scorer.vision.pads.marks import find_marks
from scorer.vision.pads.numbers import TEXTS, Chances, read_cells
from scorer.vision.pads.ruled import Ruled, find_table
from scorer.vision.rectify import Floats

SURE = 0.9
"""A cell read with less confidence is a doubt..."""
SURE_COLUMN = 0.9
"""...and in a column that is less sure as a whole, at least its least sure cell."""
LEGIBLE = 0.5
"""On a pad the network is at least so sure of what is written, on average; on other tables it guesses."""
LABELLED = 0.25
"""A cell of the labels' column with less ink than this share of the others' is empty: the line for names."""
EMPTY = TEXTS.index("")


@dataclass(frozen=True)
class PadReading:
    """What was read; `quads` (lines, columns, 4, 2) are the cells in pixels of the photo, `chances` of every text."""

    pad: Pad
    rows: tuple[str, ...]
    columns: tuple[Column, ...]
    quads: Floats = field(repr=False)
    chances: Chances = field(repr=False)


@dataclass(frozen=True)
class Found:
    """A sheet: the ids of its rows, its cells in the pixels of the reduced photo, and something to say about it."""

    rows: tuple[str, ...]
    quads: Quads
    notes: tuple[Message, ...] = ()
    table: Ruled | None = None
    """Where it was found by its lines: which side is up is then not known."""


def read_pad_photo(
    source: Path | str | bytes | BinaryIO, *, name: str | None = None, rows: tuple[str, ...] | None = None
) -> PadReading:
    """The pad on a photo; raises UnreadableInput or NoPad. `rows`: those of a ruled sheet, without the total."""
    name = name or (str(source) if isinstance(source, str | Path) else "photo")
    photo = load_photo(source, name=name)
    found = find_sheet(photo, name, rows)
    chances = _chances(photo, found)
    written = [column for column in range(chances.shape[1]) if (chances[:, column].argmax(axis=1) != EMPTY).any()]
    if not written:
        raise NoPad(f"{name}: the pad is blank: nothing is written in its cells.")
    decoded = tuple(decode(chances[:, column]) for column in written)
    if found.table is not None and _upside_down(found.table, decoded, photo, rows):
        raise NoPad(f"{name}: the pad is upside down. Turn the photo.")
    _check_legible(chances[:, written], name)
    pad = _pad(decoded, [str(column + 1) for column in written], found, name)
    return PadReading(pad, found.rows, decoded, photo.to_photo(found.quads).astype(np.float32), chances)


def _chances(photo: Photo, found: Found) -> Chances:
    """(lines, columns, texts)"""
    cells = cut(photo.image, found.quads)
    return read_cells(cells.reshape(-1, *cells.shape[2:])).reshape(*cells.shape[:2], -1)


def _upside_down(table: Ruled, read: tuple[Column, ...], photo: Photo, rows: tuple[str, ...] | None) -> bool:
    """Whether more columns add up if the sheet is turned; not asked where most add up as it lies."""
    if 2 * _adding_up(read) >= len(read):
        return False
    try:
        other = _chances(photo, _ruled(table.turned(), "", rows))
    except NoPad:
        return False
    return _adding_up(tuple(decode(other[:, column]) for column in range(other.shape[1]))) > _adding_up(read)


def _adding_up(columns: tuple[Column, ...]) -> int:
    """Columns whose rows add up to their total; by chance hardly any do."""
    return sum(column.texts[-1] == str(column.adds_up) != "0" for column in columns)


def find_sheet(photo: Photo, name: str, rows: tuple[str, ...] | None = None) -> Found:
    """Our own pad by its marks, else a ruled sheet by its lines."""
    marks = find_marks(photo.image)
    if marks.pads:
        first = marks.pads[0]
        several = msg("there are {count} pads in the photo: the largest was read", count=len(marks.pads))
        return Found(first.sheet.rows, first.cells(photo.image), (several,) if len(marks.pads) > 1 else ())
    if marks.spare:
        raise NoPad(
            f"{name}: only {min(marks.spare, 3)} of the {len(CORNERS)} marks of a printed pad can be seen. "
            "Take the photo with the whole pad in it, flat, nothing on its corners."
        )
    table = find_table(photo.image)
    if table is None:
        raise NoPad(
            f"{name}: no score pad found. Take the photo from above, with all lines of the pad in it, or print a pad "
            "with `scorer pad print`."
        )
    if table.sideways:
        raise NoPad(f"{name}: the pad lies on its side. Turn the photo.")
    return _ruled(table, name, rows)


def _ruled(table: Ruled, name: str, rows: tuple[str, ...] | None) -> Found:
    labels = table.written[:, 0]
    header = bool(labels[0] < LABELLED * np.median(labels[1:]))
    lines = len(labels) - header
    ids = _rows_of(lines - 1, rows)
    if ids is None:
        wanted = f"{len(rows)}" if rows else "13 or 14"
        raise NoPad(
            f"{name}: the sheet has {lines - 1} rows and a total, not {wanted}. If part of it is missing, take a new "
            "photo; if it is laid out otherwise, name its rows with --rows."
        )
    return Found((*ids, TOTAL), table.quads[int(header) :, 1:], table=table)


def _rows_of(count: int, rows: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Ids of the rows of a ruled sheet: as stated, else those of the book's pad; some print one more."""
    if rows is not None:
        return rows if len(rows) == count else None
    book = rules_named(DEFAULT_RULES).pad
    return {len(book): book, len(book) + 1: (*book, OTHER)}.get(count)


def _check_legible(chances: Chances, name: str) -> None:
    best = chances.max(axis=2)[chances.argmax(axis=2) != EMPTY]
    if best.mean() < LEGIBLE:
        raise NoPad(f"{name}: what is written cannot be read as numbers. Is the pad upside down, or the photo blurred?")


def _pad(columns: tuple[Column, ...], names: list[str], found: Found, name: str) -> Pad:
    doubts = [doubt for player, column in zip(names, columns, strict=True) for doubt in _doubts(player, column, found)]
    notes = [note for player, column in zip(names, columns, strict=True) for note in _sum_notes(player, column)]
    players = {
        player: {row: _value(text) for row, text in zip(found.rows, column.texts, strict=True)}
        for player, column in zip(names, columns, strict=True)
    }
    return Pad(players, name, tuple(doubts), (*found.notes, *notes))


def _value(text: str) -> int | None:
    """A dash says 0, an empty cell nothing."""
    return None if text == "" else 0 if text == "-" else int(text)


def _said(text: str) -> object:
    value = _value(text)
    return Term(msg("nothing").template) if value is None else value


def _doubts(player: str, column: Column, found: Found) -> list[PadDoubt]:
    """Cells that may say something else, the least sure of a column that is doubtful as a whole among them."""
    least = min(range(len(column.texts)), key=lambda i: column.confidence[i])
    doubts = []
    for i, (text, sure, other) in enumerate(zip(column.texts, column.confidence, column.others, strict=True)):
        if sure < SURE or (i == least and column.sure < SURE_COLUMN):
            words = msg(
                "column {player}, {row}: {read} was read, it may be {other}",
                player=player,
                row=RowName(found.rows[i]),
                read=_said(text),
                other=_said(other),
            )
            doubts.append(PadDoubt(player, found.rows[i], _value(text), _value(other), round(sure, 4), words))
    return doubts


def _sum_notes(player: str, column: Column) -> list[Message]:
    """Which is likelier where rows and total do not fit, a misread digit or a wrong sum."""
    total = column.texts[-1]
    if not total.isdigit() or int(total) == column.adds_up:
        return []
    text = (
        msg("column {player}: the rows add up to {sum}, written is {total}; probably added wrongly")
        if column.wrong_sum >= 0.5
        else msg("column {player}: the rows add up to {sum}, written is {total}; probably a digit was misread")
    )
    return [Message(text.template, {"player": player, "sum": column.adds_up, "total": total})]
