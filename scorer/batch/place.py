"""The output folder: ours alone, and never one that holds anything else."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from scorer.batch import record
from scorer.errors import UsageError
from scorer.output import make_folder

try:
    import fcntl
except ImportError:  # Windows: a second run is not kept away
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"


@contextmanager
def claimed(folder: Path, out: Path) -> Iterator[None]:
    """Makes the folder ready to write to, and keeps a second run away; the lock of a killed run is gone with it."""
    if out == folder or out in folder.parents:
        raise UsageError(f"--out {out}: the photos lie in there; name a folder of its own for the results")
    with _lock_file(out) as file:
        try:
            if fcntl:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"--out {out}: another run is writing there; wait for its end") from None
        _sweep(out)
        yield
        _sweep(out)


def _sweep(out: Path) -> None:
    """Removes what a killed run or worker left half written."""
    shutil.rmtree(out / record.NEW, ignore_errors=True)
    make_folder(out / record.NEW)


def _lock_file(out: Path) -> IO[bytes]:
    lock = out / record.FOLDER / LOCK
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not lock.exists() and any(out.iterdir()):
            raise UsageError(f"--out {out}: this folder holds other files; name a new or an empty one")
        lock.parent.mkdir(exist_ok=True)
        return lock.open("ab")
    except OSError as error:
        raise UsageError(f"--out {out}: cannot be used: {error.strerror or error}") from None
