"""The files of profiles: the user's own in the platform's data folder, those of known editions in the package.

Only names and bytes: what is in them is for `scorer.calibration.profile`, which needs NumPy and OpenCV.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from scorer.errors import UsageError
from scorer.output import write_bytes

FOLDER = "SCORER_PROFILES"
"""Environment variable: where the user's profiles live, instead of the platform's data folder."""
SUFFIX = ".json"
NAME = re.compile(r"[\w][\w .-]{0,59}")
"""It is also the name of a file."""
PACKAGE = Path(__file__).resolve().parent.parent
# Installed, the editions lie inside the package; in the repository beside it.
EDITIONS = next((path for path in (PACKAGE / "editions", PACKAGE.parent / "calibration") if path.is_dir()), PACKAGE)


def folder() -> Path:
    """The folder of the user's profiles; raises UsageError where the user has no home."""
    named = os.environ.get(FOLDER)
    if named:
        return Path(named)
    import platformdirs

    try:
        return Path(platformdirs.user_data_dir("scorer", appauthor=False)).expanduser() / "profiles"
    except RuntimeError:
        raise UsageError(f"there is no home folder to keep profiles in: name one in {FOLDER}") from None


def names() -> tuple[list[str], list[str]]:
    """The user's profiles, and those of editions that he has no own of the same name of."""
    try:
        own = sorted(path.stem for path in folder().glob(f"*{SUFFIX}") if valid_name(path.stem))
    except (OSError, UsageError):
        own = []
    return own, sorted(path.stem for path in EDITIONS.glob(f"*{SUFFIX}") if path.stem not in own)


def valid_name(name: str) -> bool:
    return NAME.fullmatch(name) is not None and not name.endswith(".")


def checked_name(name: str) -> str:
    if not valid_name(name):
        raise UsageError(f"{name!r} is no name for a profile: use letters, digits, blanks, - and _")
    return name


def file_of(name: str) -> Path:
    """The file of a profile, the user's own first; raises UsageError where there is none."""
    own, shipped = names()
    if name not in own and name not in shipped:
        known = ", ".join((*own, *shipped))
        raise UsageError(f"there is no profile {name!r}; there are: {known}")
    return (folder() if name in own else EDITIONS) / f"{name}{SUFFIX}"


def keep(name: str, data: bytes) -> Path:
    """Keeps a profile's file among the user's own."""
    path = folder() / f"{checked_name(name)}{SUFFIX}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{path.parent}: cannot be made: {reason}. Name another folder in {FOLDER}.") from None
    write_bytes(path, data)
    return path


def delete(name: str) -> None:
    if name not in names()[0]:
        raise UsageError(f"there is no profile {name!r} of your own to delete")
    try:
        (folder() / f"{name}{SUFFIX}").unlink()
    except OSError as error:
        raise UsageError(f"{name}: cannot be deleted: {error.strerror or error}") from None
