"""Inputs of every command: photos and kingdom files, told apart by content, whatever somebody points us at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scorer.errors import ScorerError, UnreadableInput
from scorer.names import shown
from scorer.rules.doubt import Doubt
from scorer.rules.kingdom import Kingdom
from scorer.rules.message import Message
from scorer.rules.notation import MAX_CHARACTERS, NotationError, parse
from scorer.source import STDIN, read_bytes

if TYPE_CHECKING:
    from scorer.pads.files import Pad
    from scorer.vision.reading import Reading
    from scorer.vision.taught import Taught

# UTF-8 takes at most four bytes a character.
MAX_TEXT_BYTES = 4 * MAX_CHARACTERS
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

                taught = taught or taught_by(profile)
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


def taught_by(name: str | None) -> "Taught | None":
    """The profile of that name or file, ready to read with."""
    if name is None:
        return None
    from scorer.calibration.store import applied

    return applied(name)


def read_photos(
    photos: Sequence[str], rules: str | None, profile: "Taught | None", as_one: bool
) -> "Iterator[tuple[str, Reading | ScorerError]]":
    """The reading of each photo, or its error; `as_one`: one reading of all that can be read."""
    from scorer.vision.reading import read_together, same, sight

    sights = []
    for photo in photos:
        try:
            seen = sight(photo, profile=profile)
            if as_one:
                sights.append(seen)
            else:
                yield photo, read_together([seen], rules)[0]
        except ScorerError as error:
            yield photo, error
    if sights:
        (reading,) = read_together([same(sights)], rules)
        yield reading.photo, reading


def read_pad(source: str, expected: Sequence[str], rows: tuple[str, ...] | None) -> "Pad":
    """A pad file, in which rows may be called as `expected` ones are, or a photo of a pad with these rows."""
    data = read_bytes(source)
    if not is_photo(data):
        from scorer.pads.files import parse_pad

        return parse_pad(data, shown(source), expected)
    from scorer.vision.pads.reading import read_pad_photo

    return read_pad_photo(data, name=source, rows=rows).pad


def is_photo(data: bytes) -> bool:
    """Whether an input is a picture, by its first bytes."""
    return data.startswith(PHOTO_SIGNATURES) or data[4:8] == HEIF_SIGNATURE


def read_kingdoms(source: str) -> list[Kingdom]:
    """The kingdoms of a notation file, or of standard input for `-`."""
    return _parse(read_bytes(source), source)


def _parse(data: bytes, source: str) -> list[Kingdom]:
    if len(data) > MAX_TEXT_BYTES:
        raise UnreadableInput(f"larger than {MAX_TEXT_BYTES} bytes, so not a kingdom file", source)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"not a kingdom file: byte {error.start} is no UTF-8 text", source) from None
    if "\0" in text:
        raise UnreadableInput("not a kingdom file: it holds binary data", source)
    try:
        return parse(text, "" if source == STDIN else source)
    except NotationError as error:
        name = shown(source)
        faults = [f"{name}:{fault.line}:{fault.column}: {fault.message}" for fault in error.faults[:MAX_FAULTS]]
        if len(error.faults) > MAX_FAULTS:
            faults.append(f"{name}: and {len(error.faults) - MAX_FAULTS} more faults")
        raise UnreadableInput("\n".join(faults)) from None
