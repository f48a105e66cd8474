"""A doubt: something about a kingdom that is not known, what else it may be, and what that would change."""

from dataclasses import dataclass, replace

from .kingdom import Kingdom, Place
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


def settled(kingdom: Kingdom, doubt: Doubt, answer: str) -> Kingdom:
    """The kingdom when the doubt is answered: a cell for its square, else a header as it was read (`guard: 2`).

    Raises ValueError when the answer is neither.
    """
    from .notation import parse, parse_square  # they print kingdoms, which know nothing of doubts

    if doubt.square:
        return kingdom.with_square(doubt.square, parse_square(answer.strip()))
    key = doubt.read.partition(":")[0]
    stated = parse(f"{key}: {answer.rpartition(':')[2].strip()}\n\nC")[0]
    return replace(kingdom, **{key: getattr(stated, key)})
