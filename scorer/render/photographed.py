"""Tiles and tables cut from photographs of the real game, as sources for the scene renderer.

Which photographs may be used is decided by the committed splits: `part` is "train", "validation" or "test", and no
sitting, game or texture is in two of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

import cv2
import numpy as np

from scorer.render.buildings import SYMBOLS
from scorer.render.canvas import Image
from scorer.render.sources import DrawnEdition, Edition
from scorer.render.splits import FOLDER, Part, labels, split
from scorer.render.style import Style, draw_style

Rng = np.random.Generator

LABELS = FOLDER.parent / "labels"  # where tiles lie in pictures that came without such labels

INSET = 0.045  # cut off each side of a board's square: it holds a strip of its neighbours
SQUARE_INSET = 0.08  # single squares were cut out less exactly...
CROWNED_INSET = 0.02  # ...but crowns are printed at the edge: a strip of a neighbour is better than half a crown
LARGEST = 256  # pixels of height that a picture is kept at
RESOURCE_AT = (0.8, 0.83, 0.92, 0.95)  # where a character's tile shows the resource it counts
_CROP_NAMES = {"safe_knight": "safe_of_knights", "safe_tower": "safe_of_towers"}


@dataclass(frozen=True)
class Cutting:
    """A rectangle of a picture file, in shares of its size, or of what `corners` (TL TR BR BL, pixels) frame in it."""

    file: Path
    left: float = 0.0
    top: float = 0.0
    right: float = 1.0
    bottom: float = 1.0
    corners: tuple[tuple[float, float], ...] = ()

    def cut(self, width: int, height: int) -> Image:
        """RGB uint8 (height, width, 3)."""
        picture = _straight(self.file, self.corners) if self.corners else _picture(self.file)
        rows, columns = picture.shape[:2]
        part = picture[
            round(self.top * rows) : round(self.bottom * rows), round(self.left * columns) : round(self.right * columns)
        ]
        kind = cv2.INTER_AREA if part.shape[0] > height else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(part, (width, height), interpolation=kind), np.uint8)


@lru_cache(maxsize=6000)
def _picture(file: Path) -> Image:
    picture = cv2.imread(str(file))
    if picture is None:
        raise FileNotFoundError(f"cannot read {file}")
    shrink = LARGEST * (5 if file.parent.name == "boards" else 1) / picture.shape[0]
    if shrink < 1:
        picture = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(picture[..., ::-1], np.uint8)


@lru_cache(maxsize=100)
def _straight(file: Path, corners: tuple[tuple[float, float], ...]) -> Image:
    """A domino seen at an angle, straightened: uint8 (LARGEST / 2, LARGEST, 3)."""
    picture = np.asarray(cv2.imread(str(file)), np.uint8)[..., ::-1]
    target = np.array([(0, 0), (LARGEST, 0), (LARGEST, LARGEST // 2), (0, LARGEST // 2)], np.float32)
    matrix = cv2.getPerspectiveTransform(np.array(corners, np.float32), target)
    return np.asarray(cv2.warpPerspective(picture, matrix, (LARGEST, LARGEST // 2)), np.uint8)


Sheet = dict[str, tuple[Cutting, ...]]  # cell such as "w0" or "C" to its pictures


def _add(sheet: dict[str, list[Cutting]], cell: str, cutting: Cutting) -> None:
    sheet.setdefault(cell, []).append(cutting)


@cache
def square_sheets(data: Path, part: Part) -> tuple[Sheet, ...]:
    """Squares that were photographed together: one sheet for each sitting and each game of boards."""
    sheets: dict[str, dict[str, list[Cutting]]] = {}
    for name, label in labels(data, "squares", part).items():
        edge = CROWNED_INSET if label["label"][1:] in ("1", "2", "3") else SQUARE_INSET
        cutting = Cutting(data / "squares" / name, edge, edge, 1 - edge, 1 - edge)
        _add(sheets.setdefault(label["sitting"], {}), label["label"], cutting)
    for name, label in labels(data, "boards", part).items():
        hidden = {tuple(h["cell"]) for h in label.get("hidden_by_castle") or []}
        rows, columns = len(label["grid"]), len(label["grid"][0])
        sheet = sheets.setdefault(f"game {label['game']}", {})
        for r, line in enumerate(label["grid"]):
            for c, cell in enumerate(line):
                # A standing castle is not the flat face of a starting tile.
                if cell == "." or (r, c) in hidden or (cell == "C" and label["castle3d"]):
                    continue
                left, top = (c + INSET) / columns, (r + INSET) / rows
                right, bottom = (c + 1 - INSET) / columns, (r + 1 - INSET) / rows
                _add(sheet, cell, Cutting(data / "boards" / name, left, top, right, bottom))
    for name, dominoes in json.loads((LABELS / "queendomino_dominoes.json").read_text(encoding="utf-8")).items():
        if split("queendomino_photos").part(name) != part:
            continue
        for domino in dominoes:
            for side, share in (("left", 0.0), ("right", 0.5)):
                if side not in domino or side in domino.get("covered", ()):
                    continue
                corners = tuple((x, y) for x, y in domino["corners"])
                file = data / "queendomino" / "photos" / name
                cutting = Cutting(file, share + 0.015, 0.03, share + 0.485, 0.97, corners)
                _add(sheets.setdefault("queendomino", {}), domino[side], cutting)
    return tuple({cell: tuple(found) for cell, found in sheets[name].items()} for name in sorted(sheets))


@cache
def whole_dominoes(data: Path, part: Part) -> tuple[dict[tuple[str, str], tuple[Cutting, ...]], Sheet]:
    """Dominoes by what they show, and starting tiles by the first letter of their colour."""
    dominoes: dict[tuple[str, str], tuple[Cutting, ...]] = {}
    castles: Sheet = {}
    for name, label in labels(data, "dominoes", part).items():
        cutting = Cutting(data / "dominoes" / name, 0.012, 0.02, 0.988, 0.98)
        if "castle" in label:
            castles[label["castle"].lower()] = (cutting,)
        else:
            key = (label["left"], label["right"])
            dominoes[key] = (*dominoes.get(key, ()), cutting)
    return dominoes, castles


@cache
def building_crops(data: Path, part: Part, without: frozenset[str]) -> dict[tuple[str, bool], tuple[Cutting, ...]]:
    """Building faces by name and whether the grey side is up; pictures named in `without` are left out."""
    crops: dict[tuple[str, bool], tuple[Cutting, ...]] = {}
    for name in sorted(split("queendomino_crops").groups[part]):
        what, _, picture = Path(name).stem.rpartition("__p")
        kind, _, side = what.rpartition("_")
        kind = _CROP_NAMES.get(kind, kind)
        if kind in SYMBOLS and picture not in without:
            key = (kind, side == "grey")
            crops[key] = (*crops.get(key, ()), Cutting(data / "queendomino" / "crops" / name, 0.02, 0.02, 0.98, 0.98))
    return crops


@cache
def court_faces(data: Path, part: Part) -> dict[str, Cutting]:
    """Characters of The Court, and the resources printed on their tiles: one picture of each, for training only."""
    folder = data / "court"
    if part != "train" or not folder.is_dir():
        return {}
    faces = {}
    for file in sorted(folder.glob("*.png")):
        name = {"banker": "merchant"}.get(file.stem, file.stem.replace("_archery", "_archer"))
        if name != "resource":
            faces[name] = Cutting(file, 0.01, 0.01, 0.99, 0.99)
    for resource, holder in (
        ("wheat", "farmer"),
        ("wood", "lumberjack"),
        ("fish", "fisherman"),
        ("sheep", "shepherdess"),
    ):
        faces[resource] = Cutting(folder / f"{holder}.png", *RESOURCE_AT)
    return faces


def _any(choices: tuple[Cutting, ...], rng: Rng) -> Cutting:
    return choices[int(rng.integers(len(choices)))]


@dataclass(frozen=True)
class PhotographedEdition:
    """Whole dominoes where `whole`, else squares of one sheet; what was never photographed is drawn."""

    style: Style
    data: Path
    part: Part
    sheet: Sheet
    whole: bool
    without: frozenset[str]

    def domino(self, left: str, right: str, size: int, rng: Rng) -> Image:
        if self.whole:
            dominoes, _ = whole_dominoes(self.data, self.part)
            for pair, turn in (((left, right), 0), ((right, left), 2)):
                if pair in dominoes:
                    return np.ascontiguousarray(np.rot90(_any(dominoes[pair], rng).cut(2 * size, size), turn))
        face = DrawnEdition(self.style).domino(left, right, size, rng)
        for half, cell in enumerate((left, right)):
            found = self._square(cell, size, rng)
            if found is not None:
                face[:, half * size : (half + 1) * size] = np.rot90(found, int(rng.integers(4)))
        return face

    def _square(self, cell: str, size: int, rng: Rng) -> Image | None:
        choices = self.sheet.get(cell)
        if not choices:
            others = [s[cell] for s in square_sheets(self.data, self.part) if cell in s]
            if not others:
                return None
            choices = others[int(rng.integers(len(others)))]
        return _any(choices, rng).cut(size, size)

    def castle(self, colour: str, size: int, rng: Rng) -> Image:
        _, castles = whole_dominoes(self.data, self.part)
        if castles and (self.whole or rng.random() < 0.3) and colour[0] in castles:
            return _any(castles[colour[0]], rng).cut(size, size)
        if rng.random() < 0.6:
            found = self._square("C", size, rng)
            if found is not None:
                return found
        return DrawnEdition(self.style).castle(colour, size, rng)

    def building(self, name: str, grey: bool, size: int, rng: Rng) -> Image:
        crops = building_crops(self.data, self.part, self.without).get((name, grey))
        if crops and rng.random() < 0.8:
            return _any(crops, rng).cut(size, size)
        return DrawnEdition(self.style).building(name, grey, size, rng)

    def court(self, name: str, size: int, rng: Rng) -> Image:
        face = court_faces(self.data, self.part).get(name)
        if face is not None and rng.random() < 0.7:
            return face.cut(size, size)
        return DrawnEdition(self.style).court(name, size, rng)


@dataclass(frozen=True)
class PhotographedTiles:
    """A tile source from the folder of photographs; `without` names Queendomino pictures to leave out."""

    data: Path
    part: Part = "train"
    without: frozenset[str] = field(default_factory=frozenset)

    def edition(self, rng: Rng) -> Edition:
        sheets = square_sheets(self.data, self.part)
        sheet = sheets[int(rng.integers(len(sheets)))]
        dominoes, _ = whole_dominoes(self.data, self.part)
        whole = bool(dominoes) and bool(rng.random() < 0.4)
        return PhotographedEdition(draw_style(rng), self.data, self.part, sheet, whole, self.without)


@dataclass(frozen=True)
class PhotographedTables:
    """A table source from small photographs of surfaces: enlarged, turned and mirrored to fill the table."""

    data: Path
    part: Part = "train"

    def table(self, size: int, rng: Rng) -> Image:
        names = _texture_names(self.part)
        texture = _picture(self.data / "textures" / names[int(rng.integers(len(names)))])
        texture = np.rot90(texture, int(rng.integers(4)))
        texture = np.concatenate([texture, texture[:, ::-1]], axis=1)
        texture = np.concatenate([texture, texture[::-1]], axis=0)
        zoom = float(rng.choice((1.0, 1.5, 2.0, 3.0, 5.0)))
        side = round(texture.shape[0] * zoom)
        texture = np.asarray(cv2.resize(texture, (side, side), interpolation=cv2.INTER_LINEAR), np.uint8)
        if zoom > 1.5:  # enlarging takes the grain away
            fine = rng.normal(0, float(rng.uniform(0, 4)), texture.shape[:2]).astype(np.float32)
            texture = np.clip(texture + fine[..., None], 0, 255).astype(np.uint8)
        times = -(-size // side) + 1
        y, x = (int(v) for v in rng.integers(0, side, 2))
        return np.ascontiguousarray(np.tile(texture, (times, times, 1))[y : y + size, x : x + size])


@cache
def _texture_names(part: Part) -> tuple[str, ...]:
    return tuple(sorted(split("textures").groups[part]))
