"""A photo to read: what a worker is told, and what is said of a photo that gave no result. Loads nothing of vision."""

from dataclasses import dataclass
from typing import Any

from scorer import __version__
from scorer.batch import record
from scorer.batch.names import json_line, shown, text
from scorer.batch.record import Origin, Record
from scorer.errors import UnreadableInput
from scorer.rules import PlayerScore

FORMAT = "batch/1"


@dataclass(frozen=True)
class Task:
    """One photo to read. `picture`, `notation` and `profile` are paths below the output folder; `stated` by kingdom
    from 1."""

    folder: str
    out: str
    source: str
    picture: str
    notation: str
    rules: str | None
    profile: str | None
    stated: dict[int, dict[str, Any]]
    correction: str | None
    models: str

    @property
    def terms(self) -> str:
        """Everything but the photo that its record depends on."""
        stated = {str(number): fields for number, fields in self.stated.items()}
        return record.digest(
            [FORMAT, __version__, self.models, self.picture, self.notation, self.rules, stated, self.correction]
            + ([self.profile] if self.profile else [])
        )


def models_key() -> str:
    """One key for all networks."""
    # Their checksums need no network to be loaded, and no OpenCV.
    from scorer.vision.models import CHECKSUMS

    return record.digest(CHECKSUMS)


def status_of(pad: PlayerScore, doubted: bool, corrected: bool) -> str:
    """Doubtful is what was read in doubt, lacks something needed, or cannot be; unless a person says that it is so."""
    unknown = any(doubt.needed for doubt in pad.doubts)
    return "doubtful" if doubted or unknown or (pad.problems and not corrected) else "ok"


def failure(source: str, message: str, origin: Origin, code: int = UnreadableInput.exit_code) -> Record:
    """The record of a photo that gave no result."""
    return Record(origin, "failed", (failed_line(source, message, code),))


def failed_line(source: str, message: str, code: int = UnreadableInput.exit_code, kingdom: int | None = None) -> str:
    name, message = shown(source), shown(" ".join(message.split()))
    return json_line(
        {
            "format": FORMAT,
            "status": "failed",
            "source": text(source),
            "kingdom": kingdom,
            "code": code,
            "message": message if message.startswith(name) else f"{name}: {message}",
        }
    )


def prepare() -> None:
    """Readies a worker. Only there, and in `read`, is the reader of photos loaded."""
    from scorer.batch.work import warm_up

    warm_up()


def read(task: Task) -> str:
    """Has a worker read a photo; returns the status of its record."""
    from scorer.batch.work import read_one

    return read_one(task)
