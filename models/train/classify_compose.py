"""Lays photographed pieces and tiles on photographed squares: crops that no photo shows yet."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.classify_crops import ASKED, CASTLE, EMPTY, MARGIN, SIZE, Crops, Targets
from scorer.render import DrawnTiles, PhotographedTiles
from scorer.render.buildings import SYMBOLS
from scorer.render.canvas import Image
from scorer.render.court import BUILDINGS, CHARACTERS, RESOURCES
from scorer.render.sources import Edition
from scorer.render.splits import split
from scorer.rules.catalogue import TERRAINS
from scorer.vision.pieces import HEADS

Rng = np.random.Generator
Sprite = NDArray[np.uint8]
"""RGBA (H, W, 4): a thing cut from its picture."""

SQUARE = SIZE / (1 + 2 * MARGIN)
TOWN = TERRAINS.index("town")
CLOTH = {"10.jpg": "knight", "11.jpg": "tower", "12.jpg": "queen", "7.jpg": "king"}
"""Pictures of one kind of piece on plain blue cloth."""
COINS = (("coin1", 97, 285, 73), ("coin1", 220, 429, 77), ("coin9", 270, 230, 111), ("coin3", 381, 335, 96))
"""Where picture 14 shows which coin: middle and radius in pixels."""
DRAGON = ((204, 61), (249, 64), (288, 54), (321, 56), (309, 145), (214, 136))
"""The dragon's outline in picture 26."""
HEIGHT = {
    "knight": (0.32, 0.44),
    "tower": (0.4, 0.56),
    "queen": (0.75, 1.0),
    "king": (0.6, 0.8),
    "dragon": (0.5, 0.7),
    "coin1": (0.42, 0.54),
    "coin3": (0.5, 0.62),
    "coin9": (0.6, 0.75),
}
"""In squares, as pictures that show both have them."""


@cache
def sprites(data: Path) -> dict[str, tuple[Sprite, ...]]:
    """Pieces by kind, cut from pictures of the training part."""
    found: dict[str, list[Sprite]] = {}
    folder = data / "queendomino" / "photos"
    assert all(split("queendomino_photos").part(name) == "train" for name in (*CLOTH, "14.jpg", "26.jpg"))
    for name, kind in CLOTH.items():
        image = cv2.imread(str(folder / name))
        hue, saturation, value = cv2.split(cv2.cvtColor(image, cv2.COLOR_BGR2HSV))
        cloth = (hue > 100) & (hue < 130) & (saturation > 110) & (value > (70 if kind == "knight" else 0))
        thing = cv2.morphologyEx((~cloth).astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
        thing = cv2.morphologyEx(thing, cv2.MORPH_CLOSE, np.ones((5 if kind == "knight" else 15,) * 2, np.uint8))
        count, marks, stats, _ = cv2.connectedComponentsWithStats(thing)
        for k in range(1, count):
            x, y, w, h, area = stats[k]
            if area > 600:
                box = slice(y, y + h), slice(x, x + w)
                found.setdefault(kind, []).append(_sprite(image[box], (marks[box] == k).astype(np.uint8)))
    image = cv2.imread(str(folder / "14.jpg"))
    for kind, x, y, radius in COINS:
        mask = np.zeros(image.shape[:2], np.uint8)
        cv2.circle(mask, (x, y), radius, 1, -1)
        if kind == "coin9":  # another coin lies over its edge
            cv2.circle(mask, COINS[3][1:3], COINS[3][3], 0, -1)
        box = slice(max(0, y - radius), y + radius), slice(max(0, x - radius), x + radius)
        found.setdefault(kind, []).append(_sprite(image[box], mask[box]))
    image = cv2.imread(str(folder / "26.jpg"))
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.array(DRAGON, np.int32)], 1)
    found["dragon"] = [_sprite(image[50:150, 200:325], mask[50:150, 200:325])]
    return {kind: tuple(cut) for kind, cut in found.items()}


def _sprite(image: Image, mask: NDArray[np.uint8]) -> Sprite:
    return np.dstack([image[..., ::-1], cv2.GaussianBlur(255 * mask, (0, 0), 1.0)])


def paste(
    crop: Image, thing: Sprite, x: float, y: float, height: float, turn: float, rng: Rng, darkest: float = 0.6
) -> None:
    """Lays a sprite on a crop with its shadow; (x, y) in squares from the square's corner, `height` in squares."""
    scale = height * SQUARE / thing.shape[0]
    shade = float(rng.uniform(darkest, 1.15))
    big = 4  # drawn finer and averaged: warping far down would alias
    size = SIZE * big
    c, s = np.cos(turn) * scale * big, np.sin(turn) * scale * big
    middle = (np.array([x, y]) + MARGIN) * SQUARE * big
    half = np.array([thing.shape[1] / 2, thing.shape[0] / 2])
    matrix = np.array([[c, -s, 0], [s, c, 0]])
    matrix[:, 2] = middle - matrix[:, :2] @ half
    warped = cv2.warpAffine(thing, matrix, (size, size), flags=cv2.INTER_LINEAR)
    warped = cv2.resize(warped, (SIZE, SIZE), interpolation=cv2.INTER_AREA).astype(np.float32)
    alpha = warped[..., 3:] / 255
    drop = rng.normal(0, 0.06 * SQUARE, 2)
    shadow = cv2.warpAffine(alpha, np.array([[1, 0, drop[0]], [0, 1, drop[1]]]), (SIZE, SIZE))
    shadow = cv2.GaussianBlur(shadow, (0, 0), float(rng.uniform(0.6, 3)))[..., None] * float(rng.uniform(0, 0.6))
    lit = crop * (1 - shadow)
    colour = warped[..., :3] / np.maximum(alpha, 1e-3) * shade
    crop[:] = np.clip(lit * (1 - alpha) + np.minimum(colour, 255) * alpha, 0, 255).astype(np.uint8)


def tile(face: Image) -> Sprite:
    return np.dstack([face, np.full(face.shape[:2], 255, np.uint8)])


def round_tile(face: Image) -> Sprite:
    mask = np.zeros(face.shape[:2], np.uint8)
    cv2.circle(mask, (face.shape[1] // 2, face.shape[0] // 2), face.shape[0] // 2 - 1, 255, -1, cv2.LINE_AA)
    return np.dstack([face, mask])


class _Square:
    """A crop that things are laid on, and what the network is to say of it."""

    def __init__(self, image: Image, target: NDArray[np.int8], edition: Edition, data: Path, rng: Rng) -> None:
        self.image, self.target = image.copy(), target.copy()
        self.edition, self.data, self.rng = edition, data, rng
        self.standing: list[NDArray[np.float64]] = []

    def set(self, what: str, answer: int) -> None:
        self.target[ASKED.index(what)] = answer

    def piece(self, kind: str, count: int, reach: float = 0.34) -> None:
        cut = sprites(self.data)[kind]
        for _ in range(count):
            x, y = self.room(reach)
            height = float(self.rng.uniform(*HEIGHT[kind]))
            turn = float(self.rng.normal(0, 0.5)) + (float(self.rng.uniform(0, 6.3)) if self.rng.random() < 0.5 else 0)
            darkest = 0.2 if kind == "knight" else 0.6  # the black knights were photographed with a flash
            paste(self.image, cut[int(self.rng.integers(len(cut)))], x, y, height, turn, self.rng, darkest)
        self.set(kind, count)

    def room(self, reach: float) -> NDArray[np.float64]:
        """The one of several spots that is farthest from all other pieces: they never stand in each other."""
        spots = 0.5 + self.rng.uniform(-reach, reach, (6 if self.standing else 1, 2))
        if self.standing:
            apart = np.linalg.norm(spots[:, None] - np.array(self.standing), axis=2).min(1)
            spots = spots[[int(apart.argmax())]]
        self.standing.append(spots[0])
        return np.asarray(spots[0])

    def lay(self, sprite: Sprite, side: float, reach: float) -> None:
        x, y = 0.5 + self.rng.uniform(-reach, reach, 2)
        turn = float(self.rng.integers(4)) * np.pi / 2 + float(self.rng.normal(0, 0.06))
        paste(self.image, sprite, x, y, side, turn, self.rng)

    def building(self) -> None:
        rng = self.rng
        names = list(SYMBOLS)
        grey = bool(rng.random() < 0.3)
        face = self.edition.building(names[int(rng.integers(len(names)))], grey, 96, rng)
        self.lay(tile(face), float(rng.uniform(0.86, 1.0)), 0.09)
        self.set("building", 2 if grey else 1)
        towers = int(rng.choice(4, p=(0.5, 0.25, 0.15, 0.1)))
        self.piece("tower", towers)
        if rng.random() < 0.05:
            self.piece("queen", 1, 0.15)

    def court(self) -> None:
        rng = self.rng
        terrain = TERRAINS[int(self.target[0])][0]
        names = [*CHARACTERS, *3 * [name for name, (where, _) in BUILDINGS.items() if where == terrain]]
        name = names[int(rng.integers(len(names)))]
        turned = bool(rng.random() < 0.1)
        face = self.edition.court("" if turned else name, 96, rng)
        self.lay(tile(face), float(rng.uniform(0.55, 0.95)), 0.06)
        self.set("court", HEADS["court"].index("~" if turned else name))

    def resource(self) -> None:
        name = RESOURCES.get(TERRAINS[int(self.target[0])][0])
        if name:
            face = round_tile(self.edition.court(name, 64, self.rng))
            self.lay(face, float(self.rng.uniform(0.22, 0.36)), 0.3)
            self.set("resource", HEADS["resource"].index(name))


class Composer:
    """Lays on squares what may lie and stand there."""

    def __init__(self, data: Path, rng: Rng) -> None:
        self.data, self.rng = data, rng
        self.photographed, self.drawn = PhotographedTiles(data), DrawnTiles()
        self.edition = self.drawn.edition(rng)

    def another_edition(self) -> Edition:
        self.edition = (self.photographed if self.rng.random() < 0.7 else self.drawn).edition(self.rng)
        return self.edition

    def put(self, image: Image, target: NDArray[np.int8], make: Callable[[_Square], None]) -> tuple[Image, Targets]:
        """The square with a thing on it, and what the network is to say of it."""
        square = _Square(image, target, self.edition, self.data, self.rng)
        make(square)
        return square.image, square.target

    def furnish(self, image: Image, target: NDArray[np.int8]) -> tuple[Image, Targets]:
        """The same with a thing that belongs there."""
        terrain = int(target[0])
        fitting = [(share, make) for share, where, make in self.things() if terrain in where]
        if not fitting:
            return image, target
        shares = np.array([share for share, _ in fitting])
        make = fitting[int(self.rng.choice(len(fitting), p=shares / shares.sum()))][1]
        self.another_edition()
        return self.put(image, target, make)

    def things(self) -> list[tuple[float, tuple[int, ...], Callable[[_Square], None]]]:
        """What is laid how often, and on which terrains."""
        rng = self.rng

        def knights(s: _Square) -> None:
            s.piece("knight", 1 if rng.random() < 0.85 else 2)

        def beside(s: _Square) -> None:
            for kind in rng.choice(list(HEIGHT), int(rng.integers(1, 3)), replace=False):
                s.piece(str(kind), 1 if rng.random() < 0.8 or HEADS[str(kind)][-1] == "1" else 2, 0.45)

        def one(kind: str) -> Callable[[_Square], None]:
            return lambda s: s.piece(kind, 1, 0.25)

        def nothing(s: _Square) -> None:
            return None

        land = tuple(range(TOWN))
        return [
            (0.18, land, knights),
            (0.05, land, one("tower")),
            (0.06, land, one("queen")),
            (0.06, land, one("king")),
            (0.02, land, one("dragon")),
            (0.09, land, _Square.court),
            (0.08, land, _Square.resource),
            (0.22, (TOWN,), _Square.building),
            (0.06, (TOWN,), knights),
            (0.06, (TOWN,), nothing),
            (0.1, (EMPTY,), beside),
            (0.02, (CASTLE,), knights),
        ]


def compose(data: Path, real: Crops, count: int, seed: int = 17) -> Crops:
    """Real squares, towns and tables with pieces and tiles laid on them."""
    rng = np.random.default_rng(seed)
    composer = Composer(data, rng)
    terrain = real.targets[:, 0]
    land = np.flatnonzero(terrain < TOWN)
    things = composer.things()
    bases = [np.flatnonzero(np.isin(terrain, where)) for _, where, _ in things]
    share = np.array([weight for weight, _, _ in things])
    images, targets = [], []
    for _ in range(count):
        kind = int(rng.choice(len(things), p=share / share.sum()))
        edition = composer.another_edition()
        base = int(bases[kind][int(rng.integers(len(bases[kind])))])
        image, target = real.images[base], real.targets[base]
        if target[0] == TOWN and rng.random() < 0.8:
            # Few towns were photographed, all on one cloth: most are laid among squares of other pictures.
            image = town_among(real.images[int(land[int(rng.integers(len(land)))])], edition, rng)
        image, target = composer.put(image, target, things[kind][2])
        images.append(image)
        targets.append(target)
    return Crops(np.stack(images), np.stack(targets))


def town_among(image: Image, edition: Edition, rng: Rng) -> Image:
    """A town square of an edition's domino in place of another square."""
    face = np.rot90(edition.domino("t", "t", 96, rng)[:, :96], int(rng.integers(4)))
    changed = image.copy()
    paste(changed, tile(np.ascontiguousarray(face)), 0.5, 0.5, 1.03, float(rng.normal(0, 0.02)), rng)
    return changed
