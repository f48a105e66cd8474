"""A profile at work: the corrections it makes while a photo is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scorer.calibration.anchors import Network, all_heads, anchors, felt
from scorer.calibration.camera import straighten
from scorer.calibration.prints import Prints
from scorer.calibration.profile import NETWORKS, Learnt, Profile
from scorer.calibration.teaching import Lessons, answers_of, crop_of
from scorer.rules.message import Message
from scorer.rules.notation import parse_square
from scorer.vision.load import Photo
from scorer.vision.pieces import HEADS, SIGNS
from scorer.vision.rectify import Floats, Image


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
    def _lessons(self) -> dict[Network, Lessons]:
        return {network: self._of(network, learnt) for network in NETWORKS if (learnt := self.profile.learnt)}

    def _of(self, network: Network, learnt: Learnt) -> Lessons:
        squares = [example for example in self.profile.examples if example.network == network]
        held = anchors(network)
        views = learnt.prints.get(network, np.empty((0, held.size), np.float32))
        right = [answers_of(parse_square(example.cell), network) for example in squares]
        prints = Prints(network, views, right, lambda k: crop_of(squares[k], self.profile.name))
        trials = tuple(trial for trial in learnt.trials if trial.network == network)
        return Lessons(network, held, learnt.lessons.get(network, {}), prints, trials)

    def answers(self, said: dict[str, Floats], crops: Image) -> dict[str, Floats]:
        heads = self._corrected("classify", said, crops)
        new = said | {"terrain": heads["terrain"], "crowns": heads["crowns"]}
        if "pieces" in said:
            new["pieces"] = np.concatenate([heads[name] for name in HEADS], axis=1)
        return new

    def signs(self, logits: Floats, embedding: Floats, crops: Image) -> Floats:
        heads = self._corrected("buildings", {"signs": logits, "embedding": embedding}, crops)
        return np.concatenate([heads[name] for name in SIGNS], axis=1)

    def _corrected(self, network: Network, said: dict[str, Floats], crops: Image) -> dict[str, Floats]:
        heads = all_heads(network, said)
        lessons = self._lessons.get(network)
        return lessons.applied(felt(network, said), heads, crops) if lessons else heads
