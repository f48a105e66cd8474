"""Files that we write: whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from scorer.errors import UsageError


def write_bytes(path: Path, data: bytes, by_way_of: Path | None = None) -> None:
    """Writes under a temporary name, then renames: nobody ever sees half a file."""
    with new_file(path, by_way_of) as file:
        file.write(data)


@contextmanager
def new_file(path: Path, by_way_of: Path | None = None) -> Iterator[BinaryIO]:
    """A file that appears at `path` when all of it has reached the disk.

    Until then it lies beside `path`, or in `by_way_of`, a folder of the same disk where the remains of a killed
    program are easily found.
    """
    new = (by_way_of or path.parent) / f".{os.urandom(8).hex()}.new"
    try:
        try:
            with new.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", str(path)) from None


def make_folder(path: Path) -> None:
    """A folder to write to, with those above it; raises UsageError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot be made: {error.strerror or error}", str(path)) from None
