"""What a profile may change in a reading."""

from __future__ import annotations

from typing import Protocol

from scorer.rules.message import Message
from scorer.vision.load import Photo
from scorer.vision.rectify import Floats, Image


class Taught(Protocol):
    """What the reader was told about this copy and table; `scorer.calibration` makes it."""

    @property
    def castles(self) -> tuple[str, ...]:
        """Colours of castles in this box; none if not known."""

    @property
    def notes(self) -> tuple[Message, ...]:
        """What is to be said of it with every reading."""

    def photo(self, photo: Photo) -> Photo:
        """A photo as a straight lens and even light would have made it."""

    def answers(self, said: dict[str, Floats], crops: Image) -> dict[str, Floats]:
        """The outputs of the network that reads squares, of the crops it was shown, corrected."""

    def signs(self, logits: Floats, embedding: Floats, crops: Image) -> Floats:
        """The output of the network that reads buildings, corrected."""
