"""Notation files of doubtful photos: written by us, corrected by a person, and told apart by a checksum.

The checksum stands in the file, not in the records, so that a person's work is never mistaken for ours or the other
way round, whatever became of the records.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from scorer.batch.names import shown
from scorer.errors import UnreadableInput
from scorer.rules import Kingdom, NotationError, parse, to_text

MARK = re.compile(r"^# photo ([0-9a-f]{16}), as read ([0-9a-f]{16})$", re.MULTILINE)
"""The last line: of which photo this is, and the checksum over what was written above."""


def notation_text(source: str, sha256: str, remarks: Iterable[str], kingdoms: Iterable[Kingdom]) -> str:
    """The kingdoms of a photo as a file to correct."""
    written = "\n".join(
        [
            f"# {shown(source)}",
            "# Correct what is wrong and run the same command again. If all is right, delete this line.",
            *(f"# {remark}" for remark in remarks),
            to_text(list(kingdoms)),
        ]
    )
    return f"{written}# photo {sha256[:16]}, as read {_checksum(written)}\n"


def correction(file: Path) -> str | None:
    """The text of a notation file that somebody wrote or changed; None if it is as we wrote it, or not there."""
    try:
        text = file.read_text("utf-8", errors="replace")
    except OSError:
        return None
    mark = MARK.search(text)
    return None if mark and _checksum(text[: mark.start()]) == mark[2] else text


def is_of(text: str, sha256: str) -> bool:
    """Whether a correction is one of this photo; a file that somebody wrote from nothing is believed."""
    mark = MARK.search(text)
    return mark is None or mark[1] == sha256[:16]


def corrected_kingdoms(text: str, name: str) -> list[Kingdom]:
    try:
        return parse(text, name)
    except NotationError as error:
        first = error.faults[0]
        raise UnreadableInput(f"{name}:{first.line}:{first.column}: {first.message}") from None


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
