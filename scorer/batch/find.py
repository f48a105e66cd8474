"""Finds the photos below a folder and the sheets beside them. Nothing is opened, nothing is changed.

Links to folders are not followed: they can lead in circles or out of the folder. They are reported like photos that
cannot be read, so that nothing is passed over in silence.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from scorer.batch.names import shown

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif", ".gif", ".bmp", ".tif", ".tiff", ".avif")
"""Names that promise a photo. Kinds that cannot be read are among them: they are told, not passed over."""
SHEETS = ("games.csv", "games.toml")


@dataclass(frozen=True)
class Found:
    """A photo; `source` is its path below the folder, with slashes. `trouble`: why it cannot even be opened."""

    source: str
    size: int = 0
    mtime_ns: int = 0
    trouble: str = ""


def find(folder: Path, patterns: Sequence[str] = (), leave_out: Path | None = None) -> tuple[list[Found], list[str]]:
    """The photos, and the sheets beside them, in the order of their names. Hidden files and folders are not looked at.

    `patterns` are matched against a photo's name and its path below the folder; `leave_out` is a folder to skip.
    """
    photos: list[Found] = []
    sheets: list[str] = []
    skipped = os.stat(leave_out) if leave_out and leave_out.exists() else None
    for source, entry in _entries(folder, skipped, photos):
        if entry.name in SHEETS:
            sheets.append(source)
        elif _wanted(source, patterns):
            photos.append(_found(source, entry))
    return sorted(photos, key=lambda photo: os.fsencode(photo.source)), sorted(sheets, key=os.fsencode)


def _entries(
    folder: Path, skipped: os.stat_result | None, troubles: list[Found]
) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(folder / below) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    source = f"{below}/{entry.name}" if below else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if skipped is None or not os.path.samestat(entry.stat(follow_symlinks=False), skipped):
                            waiting.append(source)
                    elif entry.is_symlink() and _leads_to_folder(entry):
                        troubles.append(
                            Found(source, trouble="a link to a folder is not followed: name that folder itself")
                        )
                    else:
                        yield source, entry
        except OSError as error:
            if not below:
                raise
            troubles.append(Found(below, trouble=f"this folder cannot be opened: {error.strerror or error}"))


def _leads_to_folder(link: "os.DirEntry[str]") -> bool:
    try:
        return link.is_dir()
    except OSError:  # a link that leads in a circle
        return False


def _wanted(source: str, patterns: Sequence[str]) -> bool:
    name = source.rpartition("/")[2]
    if not patterns:
        return name.lower().endswith(SUFFIXES)
    return any(fnmatch(name, pattern) or fnmatch(source, pattern) for pattern in patterns)


def _found(source: str, entry: "os.DirEntry[str]") -> Found:
    try:
        about = entry.stat()
    except OSError as error:
        return Found(source, trouble=f"cannot be read: {error.strerror or error}")
    if not stat.S_ISREG(about.st_mode):
        return Found(source, trouble="this is no ordinary file")
    return Found(source, about.st_size, about.st_mtime_ns)


def named(photo: Found) -> str:
    """What is wrong with a photo that cannot be opened, in one line."""
    return f"{shown(photo.source)}: {photo.trouble}"
