"""Cuts the square crops that ``models.train.classify`` trains on.

    python -m models.train.classify_crops --data FOLDER --out FOLDER --to 900

Scenes are rendered from drawn and photographed tiles on drawn and photographed tables, so that a crop shows what the
reader will meet: crooked tiles, neighbours, shadows, pieces, castles in front, and empty places of every kind of
table. Real squares and boards are added as they are, and with photographed pieces and tiles laid on them. Seeds below
one million are for training.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.locate_render import parse, recipe_for
from scorer.render import Recipe, Scene, TruePiece, render
from scorer.render.photographed import LABELS
from scorer.render.splits import Part, labels, split
from scorer.render.style import draw_style
from scorer.render.tables import tinted
from scorer.rules.catalogue import TERRAINS
from scorer.rules.notation import parse_square
from scorer.vision.classify import WIDE_MARGIN, WIDE_SIZE
from scorer.vision.pieces import HEADS
from scorer.vision.rectify import Pyramid, quad_views

SIZE = 104
"""Pixels of a stored crop: what is shown to the network with room to shift, turn and zoom it."""
MARGIN = 0.3
"""Squares around the place that a stored crop shows."""
CASTLE, EMPTY = len(TERRAINS), len(TERRAINS) + 1
UNKNOWN = -1
"""Not asked: crowns of towns, castles and empty places, and whatever a picture's labels do not say."""
ASKED = ("terrain", "crowns", *HEADS)
"""Columns of the targets."""
FOUND_BY_FOOT = ("king", "dragon", "castle", "coin1", "coin3", "coin9")
"""Pieces that no notation speaks of."""
SCENES_A_FILE = 25
OUTSIDE = 0.12
"""Share of the places around a kingdom's grid that are kept as empty ones."""
HIDDEN = 0.85
"""A tile covered by more than this is not shown: nobody could read it, but for a starting tile under its castle."""

Targets = NDArray[np.int8]


@dataclass(frozen=True)
class Crops:
    """images uint8 (N, SIZE, SIZE, 3) RGB; targets int8 (N, len(ASKED)): the right answer's number, or UNKNOWN."""

    images: NDArray[np.uint8]
    targets: Targets

    def save(self, path: Path) -> None:
        new = path.with_suffix(".new.npz")
        np.savez(new, images=self.images, targets=self.targets)
        new.replace(path)

    @classmethod
    def load(cls, path: Path) -> Crops:
        with np.load(path) as stored:
            return cls(stored["images"], stored["targets"])

    @classmethod
    def join(cls, parts: list[Crops]) -> Crops:
        return cls(np.concatenate([p.images for p in parts]), np.concatenate([p.targets for p in parts]))


def as_shown(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Stored crops cut to what the reader is shown, (N, WIDE_SIZE, WIDE_SIZE, 3)."""
    scale = WIDE_SIZE / SIZE * (1 + 2 * MARGIN) / (1 + 2 * WIDE_MARGIN)
    off = (WIDE_SIZE - 1) / 2 - scale * (SIZE - 1) / 2
    to_shown = np.array([[scale, 0, off], [0, scale, off]])
    return np.stack([cv2.warpAffine(image, to_shown, (WIDE_SIZE, WIDE_SIZE)) for image in images])


def target(cell: str) -> Targets:
    """What a notation cell answers to everything asked; pieces that notation does not know are taken as absent."""
    square = parse_square(cell)
    found = dict.fromkeys(ASKED, 0)
    found["crowns"] = UNKNOWN
    if square.terrain is None:
        found["terrain"] = CASTLE if square.castle else EMPTY
    else:
        found["terrain"] = TERRAINS.index(square.terrain)
        if square.terrain != "town" and square.crowns is not None:
            found["crowns"] = square.crowns
    found["building"] = 0 if square.building is None else 2 if square.turned else 1
    found["knight"] = square.knight
    found["tower"] = square.tower + square.fallen
    found["queen"], found["giant"] = square.queen, square.giant
    for resource in square.resources:
        found["resource"] = HEADS["resource"].index(resource)
    for tile in square.court:
        found["court"] = HEADS["court"].index("~" if tile.turned else tile.id)
    for name, answers in HEADS.items():
        found[name] = min(found[name], len(answers) - 1)
    return np.array([found[name] for name in ASKED], np.int8)


def of_cells(images: NDArray[np.uint8], cells: list[str]) -> Crops:
    return Crops(images, np.stack([target(cell) for cell in cells]))


def count_feet(targets: Targets, quads: NDArray[np.float32], pieces: tuple[TruePiece, ...], kinds: list[str]) -> None:
    """Writes into the targets how many pieces of some kinds stand within each quad (N, 4, 2)."""
    for row, quad in zip(targets, quads, strict=True):
        inside = [
            piece.kind
            for piece in pieces
            if cv2.pointPolygonTest(quad, (float(piece.foot[0]), float(piece.foot[1])), False) >= 0
        ]
        for kind in kinds:
            row[ASKED.index(kind)] = min(inside.count(kind), len(HEADS[kind]) - 1)


def of_scene(scene: Scene, rng: np.random.Generator) -> Iterator[Crops]:
    """All places of every kingdom, tiles where they really lie, and some places around its grid."""
    pyramid = Pyramid.of(scene.image)
    for kingdom in scene.kingdoms:
        tiles = np.where(np.isnan(kingdom.tile_quads), kingdom.quads, kingdom.tile_quads).reshape(-1, 4, 2)
        cells = [cell for row in kingdom.grid for cell in row]
        seat = np.array([cell == "C" and kingdom.castle_stands for cell in cells])
        keep = _inside(tiles, scene.image.shape) & (seat | ~(kingdom.hidden.reshape(-1) > HIDDEN))
        if keep.any():
            images = quad_views(pyramid, tiles[keep], SIZE, MARGIN)
            found = of_cells(images, [cell for cell, kept in zip(cells, keep, strict=True) if kept])
            count_feet(found.targets, tiles[keep], scene.pieces, list(FOUND_BY_FOOT))
            yield found
        if len(scene.kingdoms) == 1:
            around = _around(kingdom.quads)
            busy = np.array([_holds(quad, scene.pieces) for quad in around])
            around = around[_inside(around, scene.image.shape) & (busy | (rng.random(len(around)) < OUTSIDE))]
            if len(around):
                found = of_cells(quad_views(pyramid, around, SIZE, MARGIN), ["."] * len(around))
                count_feet(found.targets, around, scene.pieces, ["knight", "tower", "queen", *FOUND_BY_FOOT])
                yield found


def _holds(quad: NDArray[np.float32], pieces: tuple[TruePiece, ...]) -> bool:
    return any(cv2.pointPolygonTest(quad, (float(p.foot[0]), float(p.foot[1])), False) >= 0 for p in pieces)


def _inside(quads: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    return ((quads > -2) & (quads < np.array([shape[1], shape[0]]) + 2)).all(axis=(1, 2))


def _around(quads: NDArray[np.float32]) -> NDArray[np.float32]:
    """The places one, two and three beyond the grid on each side, by going on along its outermost ones."""
    found = []
    for turned in (quads, quads[::-1, :, [3, 2, 1, 0]]):
        step = turned[0, :, [0, 1]] - turned[0, :, [3, 2]]  # (2, columns, 2)
        for k in (1, 2, 3):
            found.append(turned[0] + k * step[[0, 1, 1, 0]].swapaxes(0, 1))
    for turned in (quads, quads[:, ::-1, [1, 0, 3, 2]]):
        step = turned[:, 0, [0, 3]] - turned[:, 0, [1, 2]]  # (rows, 2, 2)
        for k in (1, 2, 3):
            found.append(turned[:, 0] + k * step[:, [0, 0, 1, 1]])
    return np.concatenate(found).astype(np.float32)


def boards(data: Path, part: Part) -> Iterator[Crops]:
    """The squares of boards that fill their frame; what a castle hides is left out."""
    for name in ("boards", "boards_loose"):
        for file, label in labels(data, name, part).items():
            image = cv2.imread(str(data / name / file))[..., ::-1]
            hidden = {tuple(h["cell"]) for h in label.get("hidden_by_castle") or []}
            rows, columns = len(label["grid"]), len(label["grid"][0])
            scale = np.array([image.shape[1] / columns, image.shape[0] / rows], np.float32)
            unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
            places = [(r, c) for r in range(rows) for c in range(columns) if (r, c) not in hidden]
            quads = np.array([(unit + np.array([c, r])) * scale for r, c in places], np.float32) - 0.5
            border = 80
            wide = cv2.copyMakeBorder(image, border, border, border, border, cv2.BORDER_REPLICATE)
            images = quad_views(Pyramid.of(np.ascontiguousarray(wide)), quads + border, SIZE, MARGIN)
            found = of_cells(images, [label["grid"][r][c] for r, c in places])
            found.targets[found.targets[:, 0] == CASTLE, ASKED.index("castle")] = bool(label.get("castle3d"))
            yield found


def squares(data: Path, part: Part) -> Iterator[Crops]:
    """Single squares, each laid among eight others of its sitting for a margin."""
    border = round(SIZE * MARGIN / (1 + 2 * MARGIN))
    inner = SIZE - 2 * border
    sittings: dict[str, list[tuple[str, NDArray[np.uint8]]]] = {}
    for file, label in labels(data, "squares", part).items():
        image = cv2.resize(cv2.imread(str(data / "squares" / file))[..., ::-1], (inner, inner))
        sittings.setdefault(label["sitting"], []).append((label["label"], np.asarray(image, np.uint8)))
    rng = np.random.default_rng(5)
    for known in sittings.values():
        images = []
        for _, image in known:
            near = [np.rot90(known[int(rng.integers(len(known)))][1], int(rng.integers(4))) for _ in range(9)]
            near[4] = image
            mosaic = np.vstack([np.hstack(near[row : row + 3]) for row in (0, 3, 6)])
            images.append(mosaic[inner - border : 2 * inner + border, inner - border : 2 * inner + border])
        found = of_cells(np.stack(images), [cell for cell, _ in known])
        found.targets[found.targets[:, 0] == CASTLE, ASKED.index("castle")] = UNKNOWN
        yield found


def surfaces(data: Path, part: Part) -> Iterator[Crops]:
    """Pictures of tables, floors and cloth: empty places."""
    images = [
        cv2.resize(cv2.imread(str(data / "textures" / name))[..., ::-1], (SIZE, SIZE))
        for name in sorted(split("textures").groups[part])
    ]
    if images:
        yield of_cells(np.stack(images), ["."] * len(images))


def queendomino(data: Path, part: Part) -> Iterator[Crops]:
    """Squares of Queendomino dominoes and starting tiles on blue cloth, and the cloth around them."""
    marked = json.loads((LABELS / "queendomino_dominoes.json").read_text(encoding="utf-8"))
    for name in sorted(marked):
        if split("queendomino_photos").part(name) != part:
            continue
        image = np.ascontiguousarray(cv2.imread(str(data / "queendomino" / "photos" / name))[..., ::-1])
        pyramid = Pyramid.of(image)
        for domino in marked[name]:
            corners = np.array(domino["corners"], np.float32)
            if "castle" in domino:
                found = of_cells(quad_views(pyramid, corners[None], SIZE, MARGIN), ["C"])
                found.targets[:, ASKED.index("castle")] = domino["castle"] == "stands"
                yield found
                continue
            halves = _halves(corners)
            found = of_cells(quad_views(pyramid, halves, SIZE, MARGIN), [domino["left"], domino["right"]])
            for half, side in enumerate(("left", "right")):
                if side in domino.get("covered", ()):
                    # A king stands there, or beside it and over its edge.
                    found.targets[half, ASKED.index("king")] = UNKNOWN
            yield found
        cloth = _cloth(image)
        yield of_cells(quad_views(pyramid, cloth, SIZE, MARGIN), ["."] * len(cloth))


def _halves(corners: NDArray[np.float32]) -> NDArray[np.float32]:
    matrix = cv2.getPerspectiveTransform(np.array([[0, 0], [2, 0], [2, 1], [0, 1]], np.float32), corners)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    right = unit + np.array([1, 0], np.float32)
    return np.stack([cv2.perspectiveTransform(half[None], matrix)[0] for half in (unit, right)])


def _cloth(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Squares of the picture in which nothing but blue cloth is seen."""
    hue, saturation, _ = cv2.split(cv2.cvtColor(image, cv2.COLOR_RGB2HSV))
    cloth = ((hue > 100) & (hue < 130) & (saturation > 90)).astype(np.float32)
    side = 70
    found = []
    for y in range(25, image.shape[0] - side - 25, side // 2):
        for x in range(25, image.shape[1] - side - 25, side // 2):
            if cloth[y : y + side, x : x + side].mean() > 0.97:
                found.append([(x, y), (x + side, y), (x + side, y + side), (x, y + side)])
    return np.array(found, np.float32).reshape(-1, 4, 2)


def real(data: Path, part: Part) -> Crops:
    return Crops.join([*squares(data, part), *boards(data, part), *surfaces(data, part), *queendomino(data, part)])


def main() -> None:
    from models.train.classify_compose import compose
    from models.train.classify_recrown import recrown

    options = parse(__doc__, 0, 900, composed=12000)
    for part in ("train", "validation"):
        path = options.out / f"real-{part}.npz"
        if not path.exists():
            real(options.data, part).save(path)
    path = options.out / "composed.npz"
    if not path.exists():
        compose(options.data, Crops.load(options.out / "real-train.npz"), options.composed).save(path)
    path = options.out / "recrowned.npz"
    if not path.exists():
        recrown(options.data, Crops.load(options.out / "real-train.npz"), options.composed // 2).save(path)
    for first in range(options.first, options.last, SCENES_A_FILE):
        path = options.out / f"scenes-{first:06d}.npz"
        if path.exists():
            continue
        parts = []
        for seed in range(first, min(first + SCENES_A_FILE, options.last)):
            parts += of_scene(render(seed, recipe=crop_recipe(seed, options.data)), np.random.default_rng((seed, 11)))
        Crops.join(parts).save(path)


class AlikeTables:
    """Tables of a terrain's colour: what an empty place among tiles is most easily mistaken for."""

    def table(self, size: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        return tinted(size, draw_style(rng).ground[str(rng.choice(list("lllsswgfm")))], rng)


def crop_recipe(seed: int, data: Path) -> Recipe:
    """One kingdom, near enough to be read, most of them with pieces; Kingdomino's own tables come from the squares."""
    recipe = replace(
        recipe_for(seed, data),
        photo_sizes=((1600, 1200), (1200, 1600)),
        kingdoms=(1, 1),
        square_pixels=(44.0, 300.0),
        rules=("kingdomino", "queendomino", "queendomino", "royal-wedding", "xxxl", "xxxl"),
        pieces=0.85,
        court=0.7,
        castleless=0.03,
        clutter=(0.2, 1.0),
        standing_castle=0.4,
    )
    if seed % 2:  # castles of every build, each seen once a scene
        recipe = replace(recipe, standing_castle=0.9, sizes=(3, 3, 5))
    return replace(recipe, tables=AlikeTables(), filled=(0.3, 0.9)) if seed % 3 == 0 else recipe


if __name__ == "__main__":
    main()
