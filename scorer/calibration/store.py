"""Profiles by their names: load one, keep one, have one ready to be applied."""

from __future__ import annotations

import os
from pathlib import Path

from scorer.calibration.applied import Applied
from scorer.calibration.folder import EDITIONS, FOLDER, SUFFIX, checked_name, delete, file_of, folder, keep, names
from scorer.calibration.profile import Profile, from_bytes, to_bytes
from scorer.calibration.teaching import is_current, learn
from scorer.errors import UnreadableInput, UsageError
from scorer.rules.message import Message, msg
from scorer.source import read_bytes

__all__ = [
    "EDITIONS",
    "FOLDER",
    "applied",
    "checked_name",
    "current",
    "delete",
    "folder",
    "load",
    "load_or_new",
    "names",
    "save",
]


def load(name: str) -> Profile:
    """A profile by its name, the user's own first; raises UsageError where there is none."""
    path = str(file_of(name))
    return from_bytes(read_bytes(path), path)


def load_or_new(name: str) -> Profile:
    """A profile to go on with, or an empty one of that name."""
    checked_name(name)
    own, shipped = names()
    return load(name) if name in own or name in shipped else Profile(name)


def save(profile: Profile) -> Path:
    """Keeps a profile among the user's own; returns its file."""
    return keep(profile.name, to_bytes(profile))


def current(profile: Profile, *, keep: bool) -> Applied:
    """A profile ready to be applied. If a network changed since, its squares are looked at again, which is told, and
    what they come to is kept."""
    if is_current(profile):
        return Applied(profile)
    again = learn(profile)
    notes: tuple[Message, ...] = (
        msg(
            "profile {name} was taught to another model: its {count} squares were looked at again",
            name=profile.name,
            count=len(profile.examples),
        ),
    )
    try:
        if keep:
            save(again)
    except UsageError as error:
        notes += (msg("this could not be kept: {reason}", reason=str(error)),)
    return Applied(again, notes)


def applied(name: str) -> Applied:
    """A profile by its name or its file, ready to be applied."""
    if name.endswith(SUFFIX) or os.sep in name:
        if not Path(name).is_file():
            raise UnreadableInput(f"{name}: there is no such file")
        return current(from_bytes(read_bytes(name), name), keep=False)
    return current(load(name), keep=name in names()[0])
