"""Files that we write: whole or not at all."""

import os
import tempfile
from pathlib import Path

from scorer.errors import UsageError


def write_bytes(path: Path, data: bytes) -> None:
    """Writes to a temporary name beside `path`, then renames: nobody ever sees half a file."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
