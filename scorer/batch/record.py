"""The record of a photo: one small file with all that was found out about it, written whole or not at all.

A record is made of lines: what it was made from, the results as they go into `results.jsonl`, the thumbnail, and a
checksum. It counts as long as the terms (models, options, statements, correction) and the photo are those it was made
from.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scorer.batch.names import json_line
from scorer.output import make_folder, write_bytes

FOLDER = "records"
NEW = "records/new"
"""Where files lie until they are whole; what a killed run left there is swept away by the next."""
FORMAT = "record/1"
CHECKSUM_BYTES = 65


@dataclass(frozen=True)
class Origin:
    """What a record was made from. Without `sha256` the photo could not be read: then size and time must be equal."""

    terms: str
    size: int
    mtime_ns: int
    sha256: str


@dataclass(frozen=True)
class Record:
    """The lines of the results, one for each kingdom or a single failure; the thumbnail in base64, or nothing."""

    origin: Origin
    status: str
    lines: tuple[str, ...]
    thumbnail: str = ""


def digest(value: object) -> str:
    """A key for anything JSON can say."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def path_of(out: Path, source: str) -> Path:
    name = hashlib.sha256(os.fsencode(source)).hexdigest()[:32]
    return out / FOLDER / name[:2] / f"{name}.json"


def write(out: Path, source: str, record: Record) -> None:
    head = {
        "format": FORMAT,
        "terms": record.origin.terms,
        "size": record.origin.size,
        "mtime_ns": record.origin.mtime_ns,
        "sha256": record.origin.sha256,
        "status": record.status,
        "results": len(record.lines),
    }
    path = path_of(out, source)
    make_folder(path.parent)
    text = "\n".join([json_line(head), *record.lines, record.thumbnail, ""]).encode()
    write_bytes(path, text + _checksum(text), out / NEW)


def _checksum(text: bytes) -> bytes:
    """The last line: a disk that forgets must not cost more than reading a photo again."""
    return hashlib.sha256(text).hexdigest().encode() + b"\n"


def load(out: Path, source: str) -> Record | None:
    """The record of a photo; none if it is missing, damaged or of another version."""
    try:
        whole = path_of(out, source).read_bytes()
        text, checksum = whole[:-CHECKSUM_BYTES], whole[-CHECKSUM_BYTES:]
        if checksum != _checksum(text):
            return None
        lines = text.decode().split("\n")
        head = json.loads(lines[0])
        if head["format"] != FORMAT or len(lines) != head["results"] + 3 or lines[-1]:
            return None
        origin = Origin(head["terms"], head["size"], head["mtime_ns"], head["sha256"])
        return Record(origin, head["status"], tuple(lines[1:-2]), lines[-2])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def is_fresh(out: Path, source: str, photo: Path, origin: Origin, record: Record | None) -> bool:
    """Whether a record still holds. Only a photo with another size or time is read to compare its contents.

    `origin` has the terms of this run and the photo's size and time; a photo that was merely touched gets them noted.
    """
    if record is None or record.origin.terms != origin.terms:
        return False
    made_from = record.origin
    if (made_from.size, made_from.mtime_ns) == (origin.size, origin.mtime_ns):
        return True
    if made_from.size != origin.size or not made_from.sha256:
        return False
    try:
        with photo.open("rb") as file:
            same = hashlib.file_digest(file, "sha256").hexdigest() == made_from.sha256
    except OSError:
        return False
    if same:
        write(out, source, replace(record, origin=replace(made_from, mtime_ns=origin.mtime_ns)))
    return same


def worst(statuses: Sequence[str]) -> str:
    """The status of a photo: that of its worst kingdom."""
    return next((status for status in ("failed", "doubtful") if status in statuses), "ok")
