"""Inputs of every command: kingdom files read safely, whatever somebody points us at."""

import sys
from pathlib import Path

from scorer.errors import UnreadableInput
from scorer.rules.kingdom import Kingdom
from scorer.rules.notation import MAX_CHARACTERS, NotationError, parse

STDIN = "-"
# UTF-8 takes at most four bytes a character.
MAX_BYTES = 4 * MAX_CHARACTERS
MAX_FAULTS = 20


def read_kingdoms(source: str) -> list[Kingdom]:
    """The kingdoms of a notation file, or of standard input for `-`."""
    data = read_bytes(source)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{source}: not a kingdom file: byte {error.start} is no UTF-8 text") from None
    if "\0" in text:
        raise UnreadableInput(f"{source}: not a kingdom file: it holds binary data")
    try:
        return parse(text, "" if source == STDIN else source)
    except NotationError as error:
        faults = [f"{source}:{fault.line}:{fault.column}: {fault.message}" for fault in error.faults[:MAX_FAULTS]]
        if len(error.faults) > MAX_FAULTS:
            faults.append(f"{source}: and {len(error.faults) - MAX_FAULTS} more faults")
        raise UnreadableInput("\n".join(faults)) from None


def read_bytes(source: str) -> bytes:
    """The whole input, if it is a readable file of at most `MAX_BYTES`."""
    try:
        if source == STDIN:
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            path = Path(source)
            if path.exists() and not path.is_file():
                kind = "a folder" if path.is_dir() else "no ordinary file"
                raise UnreadableInput(f"{source}: this is {kind}; name a kingdom file")
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UnreadableInput(f"{source}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableInput(f"{source}: cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise UnreadableInput(f"{source}: larger than {MAX_BYTES} bytes, so not a kingdom file")
    return data
