"""Tiles and tables cut from photographs of the real game, as sources for the scene renderer.

Split into a training and a test part that share no sitting of ``squares`` and no texture; the forty-eight dominoes
exist once only and serve both.
"""

from __future__ import annotations

import functools
import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from scorer.render.canvas import Image
from scorer.render.sources import DrawnEdition, Edition
from scorer.render.style import Style, draw_style

Rng = np.random.Generator

TEST_SITTINGS = ("I3", "I14", "UN", "D20180512")
TEST_TEXTURE_SHARE = 5
"""Every fifth texture, by the checksum of its name, is test only."""


@functools.lru_cache(maxsize=8192)
def _picture(path: Path, largest: int = 256) -> Image:
    image = cv2.imread(str(path))[..., ::-1]
    ratio = largest / image.shape[0]
    if ratio < 1:
        image = cv2.resize(image, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(image, np.uint8)


def _fit(image: Image, width: int, height: int) -> Image:
    smaller = image.shape[0] > height
    kind = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=kind), np.uint8)


@dataclass(frozen=True)
class PhotographedEdition:
    """Dominoes as photographed; squares of one sitting; what was never photographed is drawn."""

    style: Style
    squares: dict[str, list[Path]]
    dominoes: dict[tuple[str, str], list[Path]]
    castles: list[Path]
    whole: bool

    def domino(self, left: str, right: str, size: int, rng: Rng) -> Image:
        left, right = _crowned(left), _crowned(right)
        if self.whole:
            for pair, turn in (((left, right), 0), ((right, left), 2)):
                if pair in self.dominoes:
                    files = self.dominoes[pair]
                    picture = _picture(files[int(rng.integers(len(files)))])
                    return np.ascontiguousarray(np.rot90(_fit(picture, 2 * size, size), turn))
        drawn = DrawnEdition(self.style).domino(left, right, size, rng)
        for half, cell in enumerate((left, right)):
            files = self.squares.get(cell, [])
            if files:
                picture = _fit(_picture(files[int(rng.integers(len(files)))]), size, size)
                drawn[:, half * size : (half + 1) * size] = np.rot90(picture, int(rng.integers(4)))
        return drawn

    def castle(self, colour: str, size: int, rng: Rng) -> Image:
        files = self.squares.get("C", []) if not self.whole and rng.random() < 0.7 else self.castles
        files = files or self.castles
        if rng.random() < 0.3:
            return DrawnEdition(self.style).castle(colour, size, rng)
        return _fit(_picture(files[int(rng.integers(len(files)))]), size, size)

    def building(self, name: str, grey: bool, size: int, rng: Rng) -> Image:
        return DrawnEdition(self.style).building(name, grey, size, rng)


def _crowned(cell: str) -> str:
    return cell if len(cell) > 1 or cell in "tC" else cell + "0"


@dataclass(frozen=True)
class PhotographedTiles:
    """A tile source for the renderer from the folder of photographs, training or test part."""

    data: Path
    test: bool = False

    def edition(self, rng: Rng) -> Edition:
        sittings, dominoes, castles = _inventory(self.data)
        names = sorted(name for name in sittings if (name in TEST_SITTINGS) == self.test)
        sitting = sittings[names[int(rng.integers(len(names)))]]
        return PhotographedEdition(draw_style(rng), sitting, dominoes, castles, whole=bool(rng.random() < 0.5))


@functools.cache
def _inventory(
    data: Path,
) -> tuple[dict[str, dict[str, list[Path]]], dict[tuple[str, str], list[Path]], list[Path]]:
    sittings: dict[str, dict[str, list[Path]]] = {}
    for name, label in json.loads((data / "squares.json").read_text()).items():
        sittings.setdefault(label["sitting"], {}).setdefault(label["label"], []).append(data / "squares" / name)
    dominoes: dict[tuple[str, str], list[Path]] = {}
    castles = []
    for name, label in json.loads((data / "dominoes.json").read_text()).items():
        if "castle" in label:
            castles.append(data / "dominoes" / name)
        else:
            dominoes.setdefault((label["left"], label["right"]), []).append(data / "dominoes" / name)
    return sittings, dominoes, castles


@dataclass(frozen=True)
class PhotographedTables:
    """A table source from ``textures``: one texture, mirrored to fill the table."""

    data: Path
    test: bool = False

    def table(self, size: int, rng: Rng) -> Image:
        files = [file for file in sorted((self.data / "textures").iterdir()) if _is_test(file) == self.test]
        texture = _picture(files[int(rng.integers(len(files)))])
        texture = np.rot90(texture, int(rng.integers(4)))
        texture = np.concatenate([texture, texture[:, ::-1]], 1)
        texture = np.concatenate([texture, texture[::-1]], 0)
        zoom = float(rng.choice([1, 1.5, 2, 4]))
        texture = cv2.resize(np.ascontiguousarray(texture), None, fx=zoom, fy=zoom, interpolation=cv2.INTER_LINEAR)
        times = -(-size // texture.shape[0])
        return np.ascontiguousarray(np.tile(texture, (times, times, 1))[:size, :size])


def _is_test(file: Path) -> bool:
    return zlib.crc32(file.name.encode()) % TEST_TEXTURE_SHARE == 0
