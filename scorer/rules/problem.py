"""A problem: something about a kingdom or table that cannot be, with a code, a sentence and a square."""

from typing import NamedTuple

from .kingdom import Place
from .message import Message


class Problem(NamedTuple):
    code: str
    text: Message
    square: Place | None = None

    @property
    def message(self) -> str:
        return str(self.text)
