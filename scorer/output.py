"""Files that we write: whole or not at all."""

import os
from pathlib import Path

from scorer.errors import UsageError


def write_bytes(path: Path, data: bytes) -> None:
    """Writes to a temporary name beside `path`, then renames: nobody ever sees half a file."""
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        try:
            new.write_bytes(data)
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
