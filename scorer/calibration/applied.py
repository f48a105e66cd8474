"""A profile at work: the corrections it makes while a photo is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scorer.calibration.anchors import Network, all_heads, anchors
from scorer.calibration.camera import straighten
from scorer.calibration.profile import Profile
from scorer.rules.message import Message
from scorer.vision.load import Photo
from scorer.vision.pieces import HEADS, SIGNS
from scorer.vision.rectify import Floats


@dataclass(frozen=True, eq=False)
class Applied:
    """A profile whose lessons belong to the networks at hand; it is what `scorer.vision` calls `Taught`."""

    profile: Profile
    notes: tuple[Message, ...] = ()

    @property
    def castles(self) -> tuple[str, ...]:
        return self.profile.castles

    def photo(self, photo: Photo) -> Photo:
        lens = self.profile.lenses.get(photo.camera)
        if lens and lens.helps:
            photo = straighten(photo, lens)
        learnt, balance = self.profile.learnt, self.profile.balance
        if balance and not (learnt and learnt.balance and learnt.balance[1] > learnt.balance[0]):
            photo = replace(photo, image=balance.apply(photo.image))
        return photo

    @cached_property
    def _lessons(self) -> dict[Network, dict[str, Floats]]:
        """Those that proved not to hurt."""
        learnt = self.profile.learnt
        if learnt is None:
            return {}
        sound = {(trial.network, trial.head) for trial in learnt.trials if trial.helps}
        return {
            network: {head: lesson for head, lesson in heads.items() if (network, head) in sound}
            for network, heads in learnt.lessons.items()
        }

    def answers(self, said: dict[str, Floats]) -> dict[str, Floats]:
        lessons = self._lessons.get("classify")
        if not lessons:
            return said
        heads = self._corrected("classify", said, lessons)
        new = said | {"terrain": heads["terrain"], "crowns": heads["crowns"]}
        if "pieces" in said:
            new["pieces"] = np.concatenate([heads[name] for name in HEADS], axis=1)
        return new

    def signs(self, logits: Floats, embedding: Floats) -> Floats:
        lessons = self._lessons.get("buildings")
        if not lessons:
            return logits
        heads = self._corrected("buildings", {"signs": logits, "embedding": embedding}, lessons)
        return np.concatenate([heads[name] for name in SIGNS], axis=1)

    def _corrected(self, network: Network, said: dict[str, Floats], lessons: dict[str, Floats]) -> dict[str, Floats]:
        view = anchors(network).view(said["embedding"])
        return {
            head: logits + view @ lessons[head] if head in lessons else logits
            for head, logits in all_heads(network, said).items()
        }
