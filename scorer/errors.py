"""Every failure a user can meet: each error knows its exit code and says what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.names import shown

if TYPE_CHECKING:
    from scorer.rules.message import Message


class ScorerError(Exception):
    """Base of all errors that end in one clear line: `source` names the input, the message what is wrong with it and
    the remedy. A `Message` can be said in the user's language; `str` is English."""

    exit_code = 1

    def __init__(self, message: str | Message, source: str = "") -> None:
        super().__init__(message, source)
        self.message, self.source = message, source

    def __str__(self) -> str:
        return f"{shown(self.source)}: {self.message}" if self.source else str(self.message)


class UsageError(ScorerError):
    """The call itself is wrong: an unknown player, a square outside the kingdom."""

    exit_code = 2


class UnreadableInput(ScorerError):
    """An input that cannot be read: damaged, too large, not an image, malformed notation."""

    exit_code = 3


class NoKingdom(ScorerError):
    """A sound photo in which no kingdom was found."""

    exit_code = 4


class NoPad(ScorerError):
    """A sound photo in which no score pad was found, or one that cannot be read."""

    exit_code = 4


class ModelError(ScorerError):
    """A model is missing or its checksum is wrong."""

    exit_code = 5
