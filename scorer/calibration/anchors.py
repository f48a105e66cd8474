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
from scorer.vision import models
from scorer.vision.pieces import HEADS, SIGNS, by_head
from scorer.vision.rectify import Floats, Image

Network = Literal["classify", "buildings"]
Answers = dict[str, Floats]
"""Logits (N, answers) by head."""

FILE = "anchors.npz"


@dataclass(frozen=True, eq=False)
class Anchors:
    """D the size of the embedding.

    mean, whiten  (D,) and (D, D): take the scatter within terrains out of an embedding
    views         (A, D) unit vectors of training squares that the network reads as it should
    said          by head, what it says of them
    """

    mean: Floats
    whiten: Floats
    views: Floats
    said: Answers

    def view(self, embedding: Floats) -> Floats:
        """Embeddings (N, D) as unit vectors whose products say how alike two squares are."""
        plain = (embedding - self.mean) @ self.whiten.T
        return np.asarray(plain / np.maximum(np.linalg.norm(plain, axis=1, keepdims=True), 1e-6), np.float32)


def anchors_of(
    embedding: Floats, kinds: Floats, said: Answers, chosen: Floats, *, shrink: float = 0.5, ridge: float = 1e-3
) -> Anchors:
    """Anchors from the embeddings (N, D) of training squares; `kinds` (N,): what each shows, by which scatter is
    measured; `chosen`: the numbers of the squares that become anchors."""
    means = {kind: embedding[kinds == kind].mean(0) for kind in np.unique(kinds)}
    inner = embedding - np.stack([means[kind] for kind in kinds])
    scatter = inner.T @ inner / len(inner)
    # Off its diagonal the scatter of a few thousand squares is half noise (Friedman, "Regularized discriminant
    # analysis", 1989).
    scatter = (1 - shrink) * scatter + np.diag(shrink * np.diag(scatter) + ridge * np.trace(scatter) / len(scatter))
    whiten = np.linalg.inv(np.linalg.cholesky(scatter.astype(np.float64))).astype(np.float32)
    bare = Anchors(np.mean(list(means.values()), axis=0).astype(np.float32), whiten, np.empty(0, np.float32), {})
    return Anchors(
        bare.mean, whiten, bare.view(embedding[chosen]), {head: logits[chosen] for head, logits in said.items()}
    )


def all_heads(network: Network, said: Answers) -> Answers:
    """A network's outputs as logits by head."""
    if network == "buildings":
        return by_head(said["signs"], SIGNS)
    heads = {"terrain": said["terrain"], "crowns": said["crowns"]}
    return heads | (by_head(said["pieces"], HEADS) if "pieces" in said else {})


def look(network: Network, crops: Image) -> tuple[Floats, Answers]:
    """Embeddings (N, D) and answers of crops uint8 (N, size, size, 3) as the network is shown them."""
    session = models.load(network)
    names = [output.name for output in session.get_outputs()]
    parts = []
    for begin in range(0, len(crops), 64):
        part = np.ascontiguousarray(crops[begin : begin + 64].transpose(0, 3, 1, 2), np.float32)
        parts.append(session.run(names, {"squares": part}))
    said = {name: np.concatenate(values) for name, values in zip(names, zip(*parts, strict=True), strict=True)}
    return said["embedding"], all_heads(network, said)


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
    said = {
        name.partition(":")[2]: values.astype(np.float32) for name, values in stored.items() if name.startswith("said:")
    }
    mean, whiten, views = (stored[name].astype(np.float32) for name in ("mean", "whiten", "views"))
    return Anchors(mean, whiten, views, said)


@cache
def _stored() -> dict[str, NDArray[np.generic]]:
    try:
        with np.load(models.FOLDER / FILE, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception as error:  # a damaged archive can make its decoders raise nearly anything
        raise ModelError(f"{FILE} is missing or damaged: install the package again") from error
