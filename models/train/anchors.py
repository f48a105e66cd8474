"""Measures what teaching needs to know of the networks, and writes it beside them. Run it after every export.

    python -m models.train.anchors --crops FOLDER

A network that did not change keeps what was measured. The folder is that of `models.train.classify_crops`; see
`scorer/calibration/anchors.py` for what is kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

from models.train.classify import centre
from models.train.classify_crops import ASKED, UNKNOWN, Crops
from models.train.course import MODELS
from scorer.calibration.anchors import FILE, SENSES, Anchors, Network, Sense, look, stored
from scorer.calibration.colour import mean_colours
from scorer.calibration.varied import VARIED, varied
from scorer.vision import models
from scorer.vision.classify import LABELS, log_probabilities
from scorer.vision.pieces import SIGNS

MOST = {"classify": 3500, "buildings": 1500}
"""Squares that are looked at: more change next to nothing."""
PER_KIND, PER_ANSWER = {"classify": 200, "buildings": 8}, 2
"""Anchors of each terrain or building, and of each other answer."""
KINDS = {"classify": "terrain", "buildings": "picture"}
"""The head by which scatter is measured."""
LEAST = 20


def measured(network: Network, crops: Crops, heads: list[str], rng: np.random.Generator) -> Anchors:
    """Anchors of a network; `heads` are the columns of the crops' targets."""
    chosen = np.sort(rng.permutation(len(crops.targets))[: MOST[network]])
    targets = crops.targets[chosen]
    seen = shown(network, crops.images[chosen])
    felt, said = look(network, seen)
    kinds = targets[:, heads.index(KINDS[network])]
    known = kinds != UNKNOWN
    right = known.copy()
    for column, head in enumerate(heads):
        if head in said:
            right &= (targets[:, column] == UNKNOWN) | (said[head].argmax(1) == targets[:, column])
    keep = np.flatnonzero(known)
    kept: set[int] = set()
    for column, head in enumerate(heads):
        if head not in said:
            continue
        for answer in np.unique(targets[:, column]):
            among = np.flatnonzero(right & (targets[:, column] == answer))
            count = PER_KIND[network] if head == KINDS[network] else PER_ANSWER
            if answer != UNKNOWN and len(among):
                kept |= set(rng.choice(among, min(count, len(among)), replace=False).tolist())
    senses = tuple(Sense.of(part[keep], kinds[keep]) for part in _by_sense(network, felt))
    bare = Anchors(senses, np.empty(0, np.float32), {})
    held = sorted(kept)
    views, answers = bare.view(felt[held]), {head: logits[held] for head, logits in said.items()}
    if network in VARIED:
        felt, said = look(network, np.stack([varied(crop, rng) for crop in seen[held]]))
        views = np.concatenate([views, bare.view(felt)])
        answers = {head: np.concatenate([logits, said[head]]) for head, logits in answers.items()}
    return Anchors(senses, views, answers)


def _by_sense(network: Network, felt: np.ndarray) -> list[np.ndarray]:
    sizes = {output.name: output.shape[1] for output in models.load(network).get_outputs()}
    return np.split(felt, np.cumsum([sizes[name] for name in SENSES[network]])[:-1], axis=1)


def shown(network: Network, images: np.ndarray) -> np.ndarray:
    """Stored crops as the reader shows them to a network."""
    what = "squares" if network == "classify" else "buildings"
    parts = [centre(torch.from_numpy(images[k : k + 256]), what).numpy() for k in range(0, len(images), 256)]
    return np.concatenate(parts).transpose(0, 2, 3, 1).clip(0, 255).round().astype(np.uint8)


def usual_colours(crops: Crops) -> np.ndarray:
    """Mean linear colours (len(LABELS), 3) of real squares by label, nan where there are none."""
    colours = np.full((len(LABELS), 3), np.nan, np.float32)
    seen = mean_colours(shown("classify", crops.images))
    terrain, crowns = crops.targets[:, 0], np.maximum(crops.targets[:, 1], 0)
    number = log_probabilities(np.eye(9)[terrain] * 50, np.eye(4)[crowns] * 50).argmax(1)
    for label in range(len(LABELS)):
        if (number == label).sum() >= LEAST:
            colours[label] = np.exp(np.median(np.log(np.maximum(seen[number == label], 1e-4)), axis=0))
    return colours


def squares_anchors(crops: Path) -> Anchors:
    """Those of the network that reads squares. Composed ones show pieces; how squares scatter, and which must stay as
    they are, real ones say best."""
    rng = np.random.default_rng(7)
    kinds = [(Crops.load(crops / name), count) for name, count in (("real-train.npz", 3000), ("composed.npz", 500))]
    chosen = [(crops, np.sort(rng.permutation(len(crops.targets))[:count])) for crops, count in kinds]
    mixed = Crops.join([Crops(crops.images[which], crops.targets[which]) for crops, which in chosen])
    return measured("classify", mixed, list(ASKED), rng)


def buildings_anchors(crops: Path) -> Anchors:
    """Those of the network that reads buildings."""
    return measured("buildings", Crops.load(crops / "buildings.npz"), list(SIGNS), np.random.default_rng(7))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crops", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=MODELS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    real = Crops.load(options.crops / "real-train.npz")
    some = np.random.default_rng(7).permutation(len(real.targets))[: MOST["classify"]]
    file = options.models / FILE
    kept = dict(np.load(file)) if file.exists() else {}
    kept["colours"] = usual_colours(Crops(real.images[some], real.targets[some]))
    for network, measure in (("classify", squares_anchors), ("buildings", buildings_anchors)):
        if str(kept.get(f"{network}/model")) == models.CHECKSUMS[network]:
            continue
        held = measure(options.crops)
        kept |= stored(network, held)
        print(network, len(held.views), "anchors")
    np.savez_compressed(file, **kept)


if __name__ == "__main__":
    main()
