"""Every failure a user can meet: each error knows its exit code and says what to do next."""


class ScorerError(Exception):
    """Base of all errors that end in one clear line; the message names the input and the remedy."""

    exit_code = 1


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
