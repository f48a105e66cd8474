"""A doubt: something about a kingdom that is not known, what else it may be, and what that would change."""

from dataclasses import dataclass

from .kingdom import Place
from .message import Message

QUEEN = "queen"
"""The choice of an alternative in which the player hosts the Queen."""


@dataclass(frozen=True)
class Doubt:
    """Something that is not known. `alternatives`: other cells the square may hold, in notation."""

    code: str
    text: Message
    square: Place | None = None
    read: str = ""
    alternatives: tuple[str, ...] = ()
    confidence: float | None = None
    between: tuple[str, ...] = ()
    needed: bool = True
    """Without it the score is not the table's score; else it only might be another."""

    @property
    def why(self) -> str:
        return str(self.text)


@dataclass(frozen=True)
class Otherwise:
    """What an alternative would make of the score."""

    choice: str
    total: int
    winner_changes: bool


@dataclass(frozen=True)
class IfDoubt:
    """For one doubt: all other totals; `total` is the one furthest from what was scored."""

    doubt: int
    total: int
    winner_changes: bool
    alternatives: tuple[Otherwise, ...]
