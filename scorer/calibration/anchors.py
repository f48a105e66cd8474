"""What ships with the networks so that they can be taught: how squares differ, and what must not change.

`models/train/anchors.py` measures both on training squares, anew for every network.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorer.errors import ModelError
from scorer.vision import classify, models
from scorer.vision.pieces import HEADS, SIGNS, by_head
from scorer.vision.rectify import Floats, Image

Network = Literal["classify", "buildings"]
Answers = dict[str, Floats]
"""Logits (N, answers) by head."""
SENSES: dict[Network, tuple[str, ...]] = {"classify": classify.FELT, "buildings": ("embedding",)}
"""Outputs that say how alike squares are."""

FILE = "anchors.npz"


@dataclass(frozen=True, eq=False)
class Sense:
    """Takes the scatter within terrains out of one way in which a network feels squares: mean (D,), whiten (D, D)."""

    mean: Floats
    whiten: Floats

    @classmethod
    def of(cls, felt: Floats, kinds: Floats, *, shrink: float = 0.5, ridge: float = 1e-3) -> Sense:
        """Measured on training squares (N, D); `kinds` (N,): what each shows, by which scatter is measured."""
        means = {kind: felt[kinds == kind].mean(0) for kind in np.unique(kinds)}
        inner = felt - np.stack([means[kind] for kind in kinds])
        scatter = inner.T @ inner / len(inner)
        # Off its diagonal the scatter of a few thousand squares is half noise (Friedman, "Regularized discriminant
        # analysis", 1989).
        scatter = (1 - shrink) * scatter + np.diag(shrink * np.diag(scatter) + ridge * np.trace(scatter) / len(scatter))
        whiten = np.linalg.inv(np.linalg.cholesky(scatter.astype(np.float64))).astype(np.float32)
        return cls(np.mean(list(means.values()), axis=0).astype(np.float32), whiten)

    def view(self, felt: Floats) -> Floats:
        """What is felt of squares (N, D) as unit vectors whose products say how alike two are."""
        plain = (felt - self.mean) @ self.whiten.T
        return np.asarray(plain / np.maximum(np.linalg.norm(plain, axis=1, keepdims=True), 1e-6), np.float32)


@dataclass(frozen=True, eq=False)
class Anchors:
    """senses  of all that the network feels, side by side
    views  (A, D) how it sees training squares, plain and varied, on which its answers must stay as they are
    said   by head, what it says of them
    """

    senses: tuple[Sense, ...]
    views: Floats
    said: Answers

    @property
    def size(self) -> int:
        """Numbers of a view."""
        return sum(len(sense.mean) for sense in self.senses)

    def view(self, felt: Floats) -> Floats:
        """What is felt of squares (N, D), each sense a unit vector."""
        ends = np.cumsum([len(sense.mean) for sense in self.senses])[:-1]
        parts = np.split(felt, ends, axis=1)
        return np.concatenate([sense.view(part) for sense, part in zip(self.senses, parts, strict=True)], axis=1)


def all_heads(network: Network, said: Answers) -> Answers:
    """A network's outputs as logits by head."""
    if network == "buildings":
        return by_head(said["signs"], SIGNS)
    heads = {"terrain": said["terrain"], "crowns": said["crowns"]}
    return heads | (by_head(said["pieces"], HEADS) if "pieces" in said else {})


def felt(network: Network, said: Answers) -> Floats:
    """All that a network's outputs tell of how it feels squares, side by side."""
    return np.concatenate([said[name] for name in SENSES[network]], axis=1)


def look(network: Network, crops: Image) -> tuple[Floats, Answers]:
    """What is felt (N, D) and said of crops uint8 (N, size, size, 3) as the network is shown them."""
    session = models.load(network)
    names = [output.name for output in session.get_outputs()]
    parts = []
    for begin in range(0, len(crops), 64):
        part = np.ascontiguousarray(crops[begin : begin + 64].transpose(0, 3, 1, 2), np.float32)
        parts.append(session.run(names, {"squares": part}))
    said = {name: np.concatenate(values) for name, values in zip(names, zip(*parts, strict=True), strict=True)}
    return felt(network, said), all_heads(network, said)


@cache
def usual_colours() -> Floats:
    """The mean linear colours (len(LABELS), 3) that squares have in photos of all kinds; nan where not known."""
    return np.asarray(_stored()["colours"], np.float32)


@cache
def anchors(network: Network) -> Anchors:
    """Those that ship with a network; raises ModelError where they are missing or belong to another one."""
    stored = {name.partition("/")[2]: values for name, values in _stored().items() if name.startswith(f"{network}/")}
    if str(stored.get("model", "")) != models.CHECKSUMS.get(network):
        raise ModelError(f"{FILE} belongs to another {network} model: install the package again")
    known = {name: values.astype(np.float32) for name, values in stored.items() if name != "model"}
    said = {name.partition(":")[2]: values for name, values in known.items() if name.startswith("said:")}
    senses = tuple(Sense(known[f"mean:{name}"], known[f"whiten:{name}"]) for name in SENSES[network])
    return Anchors(senses, known["views"] * known["scale"], said)


def stored(network: Network, held: Anchors) -> dict[str, NDArray[np.generic]]:
    """What `anchors` reads, by name; views in eight bits."""
    scale = np.abs(held.views).max() / 127
    kept: dict[str, NDArray[np.generic]] = {
        "model": np.array(models.CHECKSUMS[network]),
        "views": np.rint(held.views / scale).astype(np.int8),
        "scale": np.array(scale, np.float32),
    }
    for name, sense in zip(SENSES[network], held.senses, strict=True):
        kept |= {f"mean:{name}": sense.mean.astype(np.float16), f"whiten:{name}": sense.whiten.astype(np.float16)}
    kept |= {f"said:{head}": logits.astype(np.float16) for head, logits in held.said.items()}
    return {f"{network}/{name}": values for name, values in kept.items()}


@cache
def _stored() -> dict[str, NDArray[np.generic]]:
    try:
        with np.load(models.FOLDER / FILE, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception as error:  # a damaged archive can make its decoders raise nearly anything
        raise ModelError(f"{FILE} is missing or damaged: install the package again") from error
