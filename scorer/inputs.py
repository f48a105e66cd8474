"""Inputs of every command: photos and kingdom files, told apart by content, whatever somebody points us at."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.errors import ScorerError, UnreadableInput
from scorer.rules.doubt import Doubt
from scorer.rules.kingdom import Kingdom
from scorer.rules.message import Message
from scorer.rules.notation import MAX_CHARACTERS, NotationError, parse

if TYPE_CHECKING:
    from scorer.vision.taught import Taught

STDIN = "-"
# UTF-8 takes at most four bytes a character.
MAX_TEXT_BYTES = 4 * MAX_CHARACTERS
# As large as the photo loader takes it; named here too, because asking it would load OpenCV.
MAX_BYTES = 64 * 2**20
MAX_FAULTS = 20
PHOTO_SIGNATURES = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"RIFF")
HEIF_SIGNATURE = b"ftyp"


@dataclass(frozen=True)
class Input:
    """The kingdoms of an input, what is doubtful about each, and what is to be said of a photo."""

    kingdoms: list[Kingdom]
    doubts: list[tuple[Doubt, ...]]
    notes: tuple[Message, ...] = ()


def read_table(
    sources: Sequence[str], rules: str | None = None, profile: str | None = None
) -> list[Input | ScorerError]:
    """The inputs of one table: photos are read, anything else is notation; for a bad one its error.

    The photos are decoded together: no domino is read more often than the box holds it. They are read with the profile
    of that name or file.
    """
    found: list[Input | ScorerError | None] = []
    sights = {}
    taught = None
    for i, source in enumerate(sources):
        try:
            data = read_bytes(source)
            if is_photo(data):
                # Scoring a file must not load what only photos need.
                from scorer.vision.reading import sight

                taught = taught or _taught(profile)
                sights[i] = sight(data, name=source, profile=taught)
                found.append(None)
            else:
                kingdoms = _parse(data, source)
                found.append(Input(kingdoms, [()] * len(kingdoms)))
        except ScorerError as error:
            found.append(error)
    if sights:
        from scorer.vision.reading import read_together

        for i, reading in zip(sights, read_together(list(sights.values()), rules), strict=True):
            read = reading.kingdoms
            found[i] = Input([seen.kingdom for seen in read], [seen.doubts for seen in read], reading.notes)
    return [result for result in found if result is not None]


def _taught(name: str | None) -> "Taught | None":
    if name is None:
        return None
    from scorer.calibration.store import applied

    return applied(name)


def read_input(source: str, rules: str | None = None) -> list[tuple[Kingdom, tuple[Doubt, ...]]]:
    """The kingdoms of one input with what is doubtful about them."""
    (result,) = read_table([source], rules)
    if isinstance(result, ScorerError):
        raise result
    return list(zip(result.kingdoms, result.doubts, strict=True))


def is_photo(data: bytes) -> bool:
    """Whether an input is a picture, by its first bytes."""
    return data.startswith(PHOTO_SIGNATURES) or data[4:8] == HEIF_SIGNATURE


def read_kingdoms(source: str) -> list[Kingdom]:
    """The kingdoms of a notation file, or of standard input for `-`."""
    return _parse(read_bytes(source), source)


def _parse(data: bytes, source: str) -> list[Kingdom]:
    if len(data) > MAX_TEXT_BYTES:
        raise UnreadableInput(f"{source}: larger than {MAX_TEXT_BYTES} bytes, so not a kingdom file")
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
                raise UnreadableInput(f"{source}: this is {kind}; name a photo or a kingdom file")
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UnreadableInput(f"{source}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableInput(f"{source}: cannot be read: {reason}") from None
    if len(data) > MAX_BYTES:
        raise UnreadableInput(f"{source}: larger than {MAX_BYTES} bytes, so neither a photo nor a kingdom file")
    return data
