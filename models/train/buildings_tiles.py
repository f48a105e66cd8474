"""Lays building tiles on town squares: what the network that reads their symbols trains on.

    python -m models.train.buildings_tiles --data FOLDER --crops FOLDER --out FILE

`--crops` is what models.train.classify_crops wrote: squares to lay the tiles among. Real tiles are shown as they are,
and with the symbols of other tiles, real or drawn, so that neither picture nor symbols give the other away. Others are
cut from rendered scenes, as the reader will meet them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.classify_compose import HEIGHT, Sprite, sprites, tile
from models.train.classify_crops import HIDDEN, Crops, crop_recipe
from models.train.classify_crops import MARGIN as LAND_MARGIN
from scorer.render import render
from scorer.render.art import square
from scorer.render.buildings import SYMBOLS, building_tile
from scorer.render.canvas import Image
from scorer.render.photographed import building_crops
from scorer.render.style import draw_style
from scorer.rules.catalogue import LETTERS, TERRAINS
from scorer.rules.notation import parse_square
from scorer.vision.pieces import SIGNS
from scorer.vision.rectify import Pyramid, quad_views

Rng = np.random.Generator

MARGIN = 0.3
SIZE = 176
"""Pixels of a stored crop, and the squares around the place that it shows."""
FACE = 128
SCENE_SEED = 500_000
UNKNOWN = -1
CROSS = {"w": (16, 34), "l": (92, 118), "g": (34, 56)}
"""Hues of the crosses that were photographed red side up; recoloured they stand for the others."""
CROSS_AT = (slice(round(0.7 * FACE), round(0.95 * FACE)), slice(round(0.76 * FACE), round(0.99 * FACE)))


def target(symbols: str, picture: str, grey: bool, cross: str = "") -> NDArray[np.int8]:
    """Answers to SIGNS; `cross` replaces the terrain's letter."""
    printed = SYMBOLS[symbols]
    letter = cross or printed.terrain
    answers = {
        "side": "grey" if grey else "red",
        "shield": str(printed.shield),
        "cross": LETTERS[letter] if letter else "",
        "per": printed.per,
        "crown": str(printed.crowns),
        "label": printed.label,
    }
    found = [SIGNS[name].index(answer) for name, answer in answers.items()]
    return np.array([*found, SIGNS["picture"].index(picture) if picture else UNKNOWN], np.int8)


def drawn(name: str, grey: bool, rng: Rng, picture: str | None = None) -> Image:
    return building_tile(name, grey, FACE, draw_style(rng), rng, picture=picture)


def swapped(face: Image, owner: str, other: Image, giver: str) -> Image:
    """A tile with the symbols of another one of the same side, in its own ground's colour."""
    moved = other.astype(np.float32) + (_ground(face) - _ground(other))
    mask = np.zeros(face.shape[:2], np.float32)
    n = len(face)
    mask[round(0.67 * n) :, round(0.53 * n) :] = 1
    if SYMBOLS[owner].label or SYMBOLS[giver].label:
        mask[round(0.69 * n) :, :] = 1
    if SYMBOLS[owner].crowns or SYMBOLS[giver].crowns:
        mask[: round(0.32 * n), round(0.58 * n) :] = 1
    mask = cv2.GaussianBlur(mask, (0, 0), 0.012 * n)[..., None]
    return np.clip(face * (1 - mask) + moved * mask, 0, 255).astype(np.uint8)


def _ground(face: Image) -> NDArray[np.float32]:
    n = len(face) // 20
    ring = np.concatenate([face[n : 2 * n, n:-n], face[n:-n, n : 2 * n].swapaxes(0, 1)], axis=1)
    return np.median(ring.reshape(-1, 3), axis=0).astype(np.float32)


def recoloured(face: Image, letter: str, wanted: str, rng: Rng) -> Image:
    """A photographed cross in another terrain's colour."""
    face = face.copy()
    part = face[CROSS_AT]
    hue, saturation, _ = cv2.split(cv2.cvtColor(part, cv2.COLOR_RGB2HSV))
    low, high = CROSS[letter]
    mask = ((hue >= low) & (hue <= high) & (saturation > 80)).astype(np.float32)
    mask = cv2.GaussianBlur(mask, (0, 0), 0.7)[..., None]
    colour = np.array(draw_style(rng).sign[wanted], np.float32)
    light = part.mean(axis=2, keepdims=True) / max(1.0, float(part[mask[..., 0] > 0.5].mean()) if mask.any() else 1.0)
    part[:] = np.clip(part * (1 - mask) + colour * light * mask, 0, 255).astype(np.uint8)
    return face


class Faces:
    """Faces of building tiles to learn from, without the photographs of some pictures or of some kinds."""

    def __init__(self, data: Path, without: frozenset[str] = frozenset(), unseen: frozenset[str] = frozenset()) -> None:
        self.real: Mapping[bool, list[tuple[str, Image]]] = {False: [], True: []}
        for (name, grey), cuttings in building_crops(data, "train", without).items():
            if name not in unseen:
                self.real[grey] += [(name, cutting.cut(FACE, FACE)) for cutting in cuttings]

    def any(self, rng: Rng) -> tuple[Image, NDArray[np.int8]]:
        """A face and what is printed on it."""
        grey = bool(rng.random() < 0.25)
        names = list(SYMBOLS)
        name, second = (names[int(k)] for k in rng.integers(0, len(names), 2))
        kind = rng.random()
        if kind < 0.3:
            return drawn(name, grey, rng), target(name, name, grey)
        if kind < 0.45:
            return drawn(name, grey, rng, picture=second), target(name, "", grey)
        owner, face = self.real[grey][int(rng.integers(len(self.real[grey])))]
        if kind < 0.65:
            return face, target(owner, owner, grey)
        if kind < 0.8:
            giver, other = self.real[grey][int(rng.integers(len(self.real[grey])))]
        else:
            giver, other = name, drawn(name, grey, rng, picture=second)
        letter = SYMBOLS[giver].terrain
        cross = ""
        if kind < 0.8 and letter in CROSS and not grey and rng.random() < 0.7:
            cross = "wflgsmt"[int(rng.integers(7))]
            other = recoloured(other, letter, cross, rng)
        return swapped(face, owner, other, giver), target(giver, owner, grey, cross)


def lay(face: Image, land: Image, cut: Mapping[str, tuple[Sprite, ...]], rng: Rng) -> Image:
    """A tile on a town square among others, sometimes with meeples on it: uint8 (SIZE, SIZE, 3)."""
    assert MARGIN == LAND_MARGIN
    scene = cv2.resize(land, (SIZE, SIZE), interpolation=cv2.INTER_LINEAR)
    town = square("t", FACE, draw_style(rng), rng)
    _paste(scene, tile(town), 0.5, 0.5, 1.0, float(rng.normal(0, 0.02)), rng)
    x, y = 0.5 + (rng.uniform(-0.22, 0.22, 2) if rng.random() < 0.25 else rng.normal(0, 0.045, 2))
    _paste(scene, tile(face), x, y, float(rng.uniform(0.86, 1.0)), float(rng.normal(0, 0.05)), rng)
    for kind, often in (("tower", 0.25), ("tower", 0.1), ("knight", 0.08)):
        if kind in cut and rng.random() < often:
            thing = cut[kind][int(rng.integers(len(cut[kind])))]
            x, y = rng.uniform(0.15, 0.85, 2)
            _paste(scene, thing, x, y, float(rng.uniform(*HEIGHT[kind])), float(rng.uniform(0, 6.3)), rng)
    return np.asarray(scene, np.uint8)


def _paste(scene: Image, thing: Sprite, x: float, y: float, height: float, turn: float, rng: Rng) -> None:
    square = SIZE / (1 + 2 * MARGIN)
    scale = height * square / len(thing)
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    matrix = np.array([[c, -s, 0], [s, c, 0]])
    matrix[:, 2] = (np.array([x, y]) + MARGIN) * square - matrix[:, :2] @ (thing.shape[1] / 2, thing.shape[0] / 2)
    warped = cv2.warpAffine(thing, matrix, (SIZE, SIZE), flags=cv2.INTER_AREA).astype(np.float32)
    alpha = warped[..., 3:] / 255
    drop = np.array([[1, 0, rng.normal(0, 4)], [0, 1, rng.normal(0, 4)]])
    shadow = cv2.GaussianBlur(cv2.warpAffine(alpha, drop, (SIZE, SIZE)), (0, 0), 3)[..., None]
    colour = warped[..., :3] / np.maximum(alpha, 1e-3) * float(rng.uniform(0.75, 1.1))
    lit = scene * (1 - 0.4 * float(rng.random()) * shadow)
    scene[:] = np.clip(lit * (1 - alpha) + np.minimum(colour, 255) * alpha, 0, 255).astype(np.uint8)


def of_scenes(data: Path, seeds: range) -> Iterator[Crops]:
    """The buildings of rendered kingdoms, with all that stands on them."""
    for seed in seeds:
        recipe = replace(crop_recipe(seed, data), rules=("queendomino", "royal-wedding", "xxxl"), pieces=1.0)
        scene = render(seed, recipe=recipe)
        (kingdom,) = scene.kingdoms
        squares = [parse_square(cell) for row in kingdom.grid for cell in row]
        hidden = kingdom.hidden.reshape(-1)
        shown = [k for k, square in enumerate(squares) if square.building and hidden[k] <= HIDDEN]
        if shown:
            quads = kingdom.tile_quads.reshape(-1, 4, 2)[shown]
            names = [(squares[k].building or "", squares[k].turned) for k in shown]
            answers = np.stack([target(name, name, turned) for name, turned in names])
            yield Crops(quad_views(Pyramid.of(scene.image), quads, SIZE, MARGIN), answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--crops", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=8000)
    parser.add_argument("--scenes", type=int, default=1000, help="rendered scenes that buildings are cut from")
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--without", nargs="*", default=[], help="numbers of pictures whose tiles are left out")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    rng = np.random.default_rng(options.seed)
    known = Crops.load(options.crops / "real-train.npz")
    land = known.images[known.targets[:, 0] < TERRAINS.index("town")]
    cut, faces = sprites(options.data), Faces(options.data, frozenset(options.without))
    images, targets = [], []
    for _ in range(options.count):
        face, answers = faces.any(rng)
        images.append(lay(face, land[int(rng.integers(len(land)))], cut, rng))
        targets.append(answers)
    laid = Crops(np.stack(images), np.stack(targets))
    everything = Crops.join([laid, *of_scenes(options.data, range(SCENE_SEED, SCENE_SEED + options.scenes))])
    mixed = rng.permutation(len(everything.targets))
    Crops(everything.images[mixed], everything.targets[mixed]).save(options.out)


if __name__ == "__main__":
    main()
