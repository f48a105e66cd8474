"""Whether this installation works: its packages, its models, and a built-in photo read from end to end."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from scorer import __version__
from scorer.errors import ScorerError
from scorer.rules import parse, score
from scorer.vision import models

PACKAGES = ("numpy", "opencv-python-headless", "onnxruntime", "pillow", "pillow-heif")
PACKAGE = Path(__file__).resolve().parent
# Installed, the samples lie inside the package; in the repository beside it.
SAMPLES = next(path for path in (PACKAGE / "samples", PACKAGE.parent / "samples" / "photos") if path.is_dir())
SAMPLE = "kingdomino"


@dataclass(frozen=True)
class Check:
    """One thing looked at; ``exit_code`` is 0 where it is as it should be."""

    name: str
    found: str
    exit_code: int = 0


def checks() -> Iterator[Check]:
    """Everything that is looked at, one after the other; needs no network."""
    yield Check("scorer", __version__)
    yield Check("python", platform.python_version())
    for package in PACKAGES:
        try:
            yield Check(package, metadata.version(package))
        except metadata.PackageNotFoundError:
            yield Check(package, "missing: install the package again", ScorerError.exit_code)
    sound = True
    for name, checksum in sorted(models.CHECKSUMS.items()):
        try:
            models.content(name)
            yield Check(f"model {name}", checksum)
        except ScorerError as error:
            sound = False
            yield Check(f"model {name}", str(error), error.exit_code)
    if sound:
        yield _read_sample()


def _read_sample() -> Check:
    """The built-in photo, whose kingdom is known."""
    from scorer.vision.reading import read_photo

    (true,) = parse((SAMPLES / f"{SAMPLE}.kingdom").read_text("utf-8"))
    name = "built-in photo"
    try:
        seen = [kingdom.kingdom for kingdom in read_photo(SAMPLES / f"{SAMPLE}.jpg", rules=true.rules).kingdoms]
    except ScorerError as error:
        return Check(name, str(error), error.exit_code)
    if [kingdom.rows for kingdom in seen] != [true.rows]:
        return Check(name, "read wrongly: install the package again", ScorerError.exit_code)
    return Check(name, f"read right, {score(seen).players[0].total} points")
