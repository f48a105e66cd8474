"""Files that we read: ordinary ones, and only as large as a photo may be."""

import os
import stat
import sys
from pathlib import Path

from scorer.errors import UnreadableInput

STDIN = "-"
MAX_BYTES = 64 * 2**20
"""Phones write photos of 2 to 15 MB, in their 108-megapixel modes up to 40."""


def read_bytes(source: str) -> bytes:
    """A whole file, or all of standard input for `-`; raises UnreadableInput."""
    data = _standard_input() if source == STDIN else read_file(source, source)[0]
    if len(data) > MAX_BYTES:
        raise UnreadableInput(f"larger than {MAX_BYTES // 2**20} MB, so neither a photo nor a kingdom file", source)
    return data


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableInput(f"cannot be read: {error.strerror or error}", STDIN) from None


def read_file(path: str | Path, name: str) -> tuple[bytes, os.stat_result]:
    """What a file holds, at most one byte more than MAX_BYTES, and its state; raises UnreadableInput with `name`.

    It is opened without waiting: whoever writes into a pipe may never come.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise UnreadableInput("this is no ordinary file", name)
            return file.read(MAX_BYTES + 1), state
    except FileNotFoundError:
        raise UnreadableInput("there is no such file", name) from None
    except IsADirectoryError:
        raise UnreadableInput("this is a folder; name a file, or give the folder to `scorer batch`", name) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        raise UnreadableInput(f"cannot be read: {getattr(error, 'strerror', None) or error}", name) from None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
