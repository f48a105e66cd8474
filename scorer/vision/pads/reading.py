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
SURE_COLUMN = 0.98
"""...and in a column that is less sure as a whole, at least its least sure cell."""
LEGIBLE = 0.5
"""On a pad the network is at least so sure of what is written, on average; on other tables it guesses."""
CLEAR = 0.95
"""Where it is less sure, or most columns do not add up, the sheet is also tried upside down."""
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
    """A sheet: its cells in the pixels of the reduced photo, and something to say about it.

    `layouts` are the rows that it may have, the likeliest first: fewer than it has lines if there is one for names.
    """

    layouts: tuple[tuple[str, ...], ...]
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
    reading = _read(photo, found, name)
    if reading is None:
        raise NoPad(msg("the pad is blank: nothing is written in its cells."), name)
    legible = _legible(reading)
    if found.table is not None and (legible < CLEAR or 2 * _adding_up(reading.columns) < len(reading.columns)):
        turned = _turned(found.table, photo, rows)
        if turned is not None and _legible(turned) > legible:
            raise NoPad(msg("the pad is upside down. Turn the photo."), name)
    if legible < LEGIBLE:
        text = msg("what is written cannot be read as numbers. Is the pad upside down, or the photo blurred?")
        raise NoPad(text, name)
    return reading


def _read(photo: Photo, found: Found, name: str) -> PadReading | None:
    """The sheet in the layout in which most columns add up; None if nothing is written on it."""
    cells = cut(photo.image, found.quads)
    chances = read_cells(cells.reshape(-1, *cells.shape[2:])).reshape(*cells.shape[:2], -1)
    readings = []
    for rows in found.layouts:
        body = chances[-len(rows) :]
        written = [column for column in range(body.shape[1]) if (body[:, column].argmax(axis=1) != EMPTY).any()]
        columns = tuple(decode(body[:, column]) for column in written)
        pad = _pad(columns, [str(column + 1) for column in written], rows, found.notes, name)
        quads = photo.to_photo(found.quads[-len(rows) :]).astype(np.float32)
        readings.append(PadReading(pad, rows, columns, quads, body))
    best = max(readings, key=lambda reading: _adding_up(reading.columns))
    return best if best.columns else None


def _turned(table: Ruled, photo: Photo, rows: tuple[str, ...] | None) -> PadReading | None:
    try:
        return _read(photo, _ruled(table.turned(), "", rows), "")
    except NoPad:
        return None


def _legible(reading: PadReading) -> float:
    """How sure the written cells are by themselves; digits on their heads are read as others, but less surely."""
    return float(reading.chances.max(axis=2)[reading.chances.argmax(axis=2) != EMPTY].mean())


def _adding_up(columns: tuple[Column, ...]) -> int:
    """Columns that can be read and whose rows add up to their total; by chance hardly any do."""
    return sum(column.sure > LEGIBLE and column.texts[-1] == str(column.adds_up) != "0" for column in columns)


def find_sheet(photo: Photo, name: str, rows: tuple[str, ...] | None = None) -> Found:
    """Our own pad by its marks, else a ruled sheet by its lines."""
    marks = find_marks(photo.image)
    if marks.pads:
        first = marks.pads[0]
        several = msg("there are {count} pads in the photo: the largest was read", count=len(marks.pads))
        return Found((first.sheet.rows,), first.cells(photo.image), (several,) if len(marks.pads) > 1 else ())
    if marks.spare:
        text = msg(
            "only {seen} of the {all} marks of a printed pad can be seen. "
            "Take the photo with the whole pad in it, flat, nothing on its corners.",
            seen=min(marks.spare, 3),
            all=len(CORNERS),
        )
        raise NoPad(text, name)
    table = find_table(photo.image)
    if table is None:
        text = msg(
            "no score pad found. Take the photo from above, with all lines of the pad in it, or print a pad "
            "with `scorer pad print`."
        )
        raise NoPad(text, name)
    if table.sideways:
        raise NoPad(msg("the pad lies on its side. Turn the photo."), name)
    return _ruled(table, name, rows)


def _ruled(table: Ruled, name: str, rows: tuple[str, ...] | None) -> Found:
    """Rows by their number: as stated, else those of the book's pad, of which some print one more."""
    lines = len(table.quads)
    labels = table.written[:, 0]
    named = bool(labels[0] < LABELLED * np.median(labels[1:]))
    book = rules_named(DEFAULT_RULES).pad
    known = [rows] if rows is not None else [book, (*book, OTHER)]
    bare, headed = ([(*ids, TOTAL) for ids in known if len(ids) + 1 + names == lines] for names in (0, 1))
    # A line for names must not be tried as a row: what is scribbled there could be any number that makes a sum fit.
    layouts = (headed or bare) if named else [*bare, *headed] if bare else []
    if not layouts:
        wanted = " or ".join(str(len(ids)) for ids in known)
        text = msg(
            "the sheet has {lines} lines, not {wanted} rows and a total. If part of it is missing, "
            "take a new photo; if it is laid out otherwise, name its rows with --rows.",
            lines=lines - named,
            wanted=wanted,
        )
        raise NoPad(text, name)
    return Found(tuple(layouts), table.quads[:, 1:], table=table)


def _pad(
    columns: tuple[Column, ...], names: list[str], rows: tuple[str, ...], notes: tuple[Message, ...], name: str
) -> Pad:
    doubts = [doubt for player, column in zip(names, columns, strict=True) for doubt in _doubts(player, column, rows)]
    sums = [note for player, column in zip(names, columns, strict=True) for note in _sum_notes(player, column)]
    players = {
        player: {row: _value(text) for row, text in zip(rows, column.texts, strict=True)}
        for player, column in zip(names, columns, strict=True)
    }
    return Pad(players, name, tuple(doubts), (*notes, *sums))


def _value(text: str) -> int | None:
    """A dash says 0, an empty cell nothing."""
    return None if text == "" else 0 if text == "-" else int(text)


def _said(text: str) -> object:
    value = _value(text)
    return Term(msg("nothing").template) if value is None else value


def _doubts(player: str, column: Column, rows: tuple[str, ...]) -> list[PadDoubt]:
    """Cells that may say something else, the least sure of a column that is doubtful as a whole among them."""
    least = min(range(len(column.texts)), key=lambda i: column.confidence[i])
    doubts = []
    for i, (text, sure, other) in enumerate(zip(column.texts, column.confidence, column.others, strict=True)):
        if sure < SURE or (i == least and column.sure < SURE_COLUMN):
            words = msg(
                "column {player}, {row}: {read} was read, it may be {other}",
                player=player,
                row=RowName(rows[i]),
                read=_said(text),
                other=_said(other),
            )
            doubts.append(PadDoubt(player, rows[i], _value(text), _value(other), round(sure, 4), words))
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
