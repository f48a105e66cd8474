"""Real dominoes with other numbers of crowns than they were printed with.

Of most pictures only one number of crowns exists (one mine has one crown, three have two), so a network can learn the
number by the picture; here it must count.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np

from models.train.classify_compose import Rng, Sprite, paste, tile
from models.train.classify_crops import Crops, of_cells
from scorer.render.canvas import Image
from scorer.render.splits import labels

FACE = 128
"""Pixels of a square while crowns are moved."""
ROW = (0.05, 0.31)
"""Upper and lower end of the row of crowns, in squares from the tile's edge."""
FIRST, STEP = 0.07, 0.275
"""Where the row begins, from the domino's outer edge, and how far each crown is from the next."""
MOST = 3


@cache
def halves(data: Path) -> tuple[tuple[str, Image], ...]:
    """All squares of the photographed dominoes as cell and face, crowns in a row from the upper left corner; the right
    half of a domino is mirrored."""
    found = []
    for name, label in labels(data, "dominoes", "train").items():
        if "left" not in label:
            continue
        domino = cv2.resize(cv2.imread(str(data / "dominoes" / name)), (2 * FACE, FACE), interpolation=cv2.INTER_AREA)
        found.append((label["left"], np.ascontiguousarray(domino[:, :FACE, ::-1])))
        found.append((label["right"], np.ascontiguousarray(domino[:, : FACE - 1 : -1, ::-1])))
    return tuple(found)


@cache
def crowns(data: Path) -> tuple[Sprite, ...]:
    """Crowns cut from the black ground of mines."""
    found = []
    for cell, face in halves(data):
        for k in range(int(cell[1]) if cell[0] == "m" else 0):
            left = round((FIRST - 0.03 + STEP * k) * FACE)
            box = face[round(ROW[0] * FACE) : round(ROW[1] * FACE), left : left + round(STEP * FACE)]
            light = (box.max(2) > 110).astype(np.uint8)
            outline, _ = cv2.findContours(light, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            mask = np.zeros(light.shape, np.uint8)
            cv2.drawContours(mask, [max(outline, key=cv2.contourArea)], -1, 1, -1)
            found.append(np.dstack([box, cv2.GaussianBlur(255 * mask, (0, 0), 0.6)]))
    return tuple(found)


def crownless(cell: str, face: Image) -> Image:
    """The face with its crowns painted over by what is around them."""
    wide = FIRST + STEP * int(cell[1])
    mask = np.zeros((FACE, FACE), np.uint8)
    if cell[1] != "0":
        mask[round((ROW[0] - 0.02) * FACE) : round((ROW[1] + 0.01) * FACE), 2 : round(wide * FACE)] = 1
    return np.asarray(cv2.inpaint(face, mask, 5, cv2.INPAINT_TELEA), np.uint8)


def crowned(face: Image, count: int, data: Path, rng: Rng) -> Image:
    """The face with a row of crowns, a little irregular."""
    face = face.copy()
    size, top = float(rng.uniform(0.85, 1.1)), float(rng.uniform(-0.02, 0.03))
    start, step = FIRST + float(rng.uniform(-0.03, 0.06)), STEP * size * float(rng.uniform(0.88, 1.05))
    for k in range(count):
        sprite = crowns(data)[int(rng.integers(len(crowns(data))))]
        if rng.random() < 0.5:
            sprite = sprite[:, ::-1]
        wide, high = round(sprite.shape[1] * size), round(sprite.shape[0] * size)
        small = cv2.resize(np.ascontiguousarray(sprite), (wide, high), interpolation=cv2.INTER_LINEAR)
        y, x = max(0, round((ROW[0] + top) * FACE)), max(0, round((start - 0.03 + step * k) * FACE))
        part = face[y : y + high, x : x + wide]
        small = small[: part.shape[0], : part.shape[1]]
        alpha = small[..., 3:] / 255.0
        part[:] = (part * (1 - alpha) + small[..., :3] * alpha).astype(np.uint8)
    return face


def recrown(data: Path, real: Crops, count: int, seed: int = 19) -> Crops:
    """Squares of photographed dominoes with any number of crowns, laid over squares of other pictures."""
    rng = np.random.default_rng(seed)
    faces = [(cell, crownless(cell, face)) for cell, face in halves(data)]
    by_terrain: dict[str, list[tuple[str, Image]]] = {}
    for cell, face in faces:
        by_terrain.setdefault(cell[0], []).append((cell, face))
    images, cells = [], []
    for _ in range(count):
        terrain = str(rng.choice(list(by_terrain)))
        among = by_terrain[terrain]
        cell, face = among[int(rng.integers(len(among)))]
        # What is printed with crowns never has none: where they are hidden, the picture tells that there are some.
        number = int(rng.integers(min(int(cell[1]), 1), MOST + 1))
        face = crowned(face, number, data, rng)
        if rng.random() < 0.5:
            face = face[:, ::-1]
        face = np.ascontiguousarray(np.rot90(face, int(rng.integers(4))))
        if rng.random() < 0.5:  # the dominoes were photographed under one warm lamp
            face = np.clip(face * rng.uniform(0.7, 1.5) * rng.uniform((0.7, 0.9, 0.95), (1.05, 1.1, 1.7)), 0, 255)
        image = real.images[int(rng.integers(len(real.images)))].copy()
        x, y = 0.5 + rng.normal(0, 0.02, 2)
        paste(image, tile(face.astype(np.uint8)), x, y, float(rng.uniform(0.98, 1.05)), float(rng.normal(0, 0.02)), rng)
        images.append(image)
        cells.append(f"{terrain}{number}")
    return of_cells(np.stack(images), cells)
