"""What strangers' files make our own files, players and cells be called."""

import hashlib
import json
import os
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Any

from scorer.names import shown as shown
from scorer.names import text as text
from scorer.rules.kingdom import NAME

MAX_NAME_BYTES = 255
"""What file systems allow for one name."""
PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")
"""Kinds that pictures are written as; what was drawn on any other kind is a .jpg."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A cell that starts so is a formula to a spreadsheet."""


def player(source: str) -> str:
    """The player that a photo's name makes, if nobody says who it is."""
    name = shown(PurePosixPath(source).stem).replace("#", "").strip()
    return name if NAME.fullmatch(name) else "Player"


def json_line(form: Any) -> str:
    """One line of JSON, readable in any language; what is not printable is escaped, also for naive line splitters."""
    line = json.dumps(form, ensure_ascii=False)
    if not line.isprintable():
        line = "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in line)
    return line


def cell(value: Any) -> Any:
    """A CSV cell; an apostrophe keeps a spreadsheet from running a stranger's file name as a formula."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def picture_path(source: str, taken: Collection[str]) -> str:
    """Where below `pictures/` a photo is drawn: under its own name, unless that kind cannot be written."""
    path = source
    while not path.lower().endswith(PICTURE_SUFFIXES) or (path != source and path in taken):
        path = with_suffix(path, ".jpg")
    return path


def with_suffix(path: str, suffix: str) -> str:
    """The path with a suffix added; a name that would get too long for a file system is cut and marked."""
    folder, _, name = path.rpartition("/")
    if len(os.fsencode(name + suffix)) > MAX_NAME_BYTES:
        mark = "~" + hashlib.sha256(os.fsencode(name)).hexdigest()[:16]
        kept = os.fsencode(name)[: MAX_NAME_BYTES - len(mark) - len(os.fsencode(suffix))]
        name = kept.decode("utf-8", "ignore") + mark
    return f"{folder}/{name}{suffix}" if folder else name + suffix
