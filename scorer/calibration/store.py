"""Where profiles live: those of the user in the platform's data folder, those of known editions in the package."""

from __future__ import annotations

import os
from pathlib import Path

from scorer.calibration.applied import Applied
from scorer.calibration.profile import Profile, from_bytes, to_bytes, valid_name
from scorer.calibration.teaching import is_current, learn
from scorer.errors import UnreadableInput, UsageError
from scorer.inputs import read_bytes
from scorer.output import write_bytes

FOLDER = "SCORER_PROFILES"
"""Environment variable: where the user's profiles live, instead of the platform's data folder."""
SUFFIX = ".json"
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


def load(name: str) -> Profile:
    """A profile by its name, the user's own first; raises UsageError where there is none."""
    own, shipped = names()
    if name not in own and name not in shipped:
        known = ", ".join((*own, *shipped))
        raise UsageError(f"there is no profile {name!r}; there are: {known}")
    path = str((folder() if name in own else EDITIONS) / f"{name}{SUFFIX}")
    return from_bytes(read_bytes(path), path)


def checked_name(name: str) -> str:
    if not valid_name(name):
        raise UsageError(f"{name!r} is no name for a profile: use letters, digits, blanks, - and _")
    return name


def load_or_new(name: str) -> Profile:
    """A profile to go on with, or an empty one of that name."""
    checked_name(name)
    own, shipped = names()
    return load(name) if name in own or name in shipped else Profile(name)


def save(profile: Profile) -> Path:
    """Keeps a profile among the user's own; returns its file."""
    path = folder() / f"{profile.name}{SUFFIX}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(f"{path.parent}: cannot be made: {reason}. Name another folder in {FOLDER}.") from None
    write_bytes(path, to_bytes(profile))
    return path


def delete(name: str) -> None:
    if name not in names()[0]:
        raise UsageError(f"there is no profile {name!r} of your own to delete")
    try:
        (folder() / f"{name}{SUFFIX}").unlink()
    except OSError as error:
        raise UsageError(f"{name}: cannot be deleted: {error.strerror or error}") from None


def current(profile: Profile, *, keep: bool) -> Applied:
    """A profile ready to be applied. If a network changed since, its squares are looked at again, which is told, and
    what they come to is kept."""
    if is_current(profile):
        return Applied(profile)
    again = learn(profile)
    notes: tuple[str, ...] = (
        f"profile {profile.name} was taught to another model: its {len(profile.examples)} squares were looked at again",
    )
    try:
        if keep:
            save(again)
    except UsageError as error:
        notes += (f"this could not be kept: {error}",)
    return Applied(again, notes)


def applied(name: str) -> Applied:
    """A profile by its name or its file, ready to be applied."""
    if name.endswith(SUFFIX) or os.sep in name:
        if not Path(name).is_file():
            raise UnreadableInput(f"{name}: there is no such file")
        return current(from_bytes(read_bytes(name), name), keep=False)
    return current(load(name), keep=name in names()[0])
