"""Scenes as training sees them: a photo and, for each kingdom in it, where its places and tiles lie.

Scenes are rendered once, kept as JPEG with their truth in one ``.npz`` each, and varied anew (turned, tilted,
zoomed, recoloured) every time they are drawn, because rendering costs far more than warping.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.render.splits import split

HELD_OUT_GAMES = (5, 6)
"""Games of ``boards`` and ``boards_loose`` that are test only."""


@dataclass(frozen=True)
class KnownKingdom:
    """quads (R, C, 4, 2) float32 corners of every place, tile_quads the same where a tile lies (nan elsewhere),
    castle and hidden (R, C) bool; all in photo pixels.  ``exact`` is False where the truth is only good to a few
    pixels.  Of a hidden tile nothing is seen, nor of a castle on it."""

    quads: NDArray[np.float32]
    tile_quads: NDArray[np.float32]
    castle: NDArray[np.bool_]
    hidden: NDArray[np.bool_]
    exact: bool = True


def mistakes_file(scene: Path) -> Path:
    return scene.with_suffix(".mistakes")


@dataclass(frozen=True)
class Mistakes:
    """What networks trained before got wrong in a scene: lattices (N, 3, 3) that the spotter saw where no kingdom is,
    and for each kingdom how much the straightener's word on its places costs, in nats."""

    lattices: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 3, 3)))
    costs: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def save(self, scene: Path) -> None:
        # Training may be reading the old ones.
        new = mistakes_file(scene).with_suffix(".new")
        with new.open("wb") as file:
            np.savez(file, lattices=self.lattices, costs=self.costs)
        new.replace(mistakes_file(scene))

    @classmethod
    def load(cls, scene: Path) -> Mistakes:
        """None where nobody looked for them."""
        if not mistakes_file(scene).exists():
            return cls()
        with np.load(mistakes_file(scene)) as stored:
            return cls(stored["lattices"], stored["costs"])


@dataclass(frozen=True)
class KnownScene:
    """image (H, W, 3) uint8 RGB."""

    image: NDArray[np.uint8]
    kingdoms: tuple[KnownKingdom, ...]
    mistakes: Mistakes = field(default_factory=lambda: Mistakes())


def save(path: Path, scene: KnownScene, quality: int = 92) -> None:
    _, encoded = cv2.imencode(".jpg", scene.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    truth = {
        f"{name}_{i}": getattr(kingdom, name)
        for i, kingdom in enumerate(scene.kingdoms)
        for name in ("quads", "tile_quads", "castle", "hidden", "exact")
    }
    np.savez(path, jpg=encoded, count=len(scene.kingdoms), **truth)  # type: ignore[arg-type]


def load(path: Path) -> KnownScene:
    with np.load(path) as stored:
        image = cv2.imdecode(stored["jpg"], cv2.IMREAD_COLOR)[..., ::-1]
        kingdoms = tuple(
            KnownKingdom(
                stored[f"quads_{i}"],
                stored[f"tile_quads_{i}"],
                stored[f"castle_{i}"],
                stored[f"hidden_{i}"],
                bool(stored[f"exact_{i}"]),
            )
            for i in range(int(stored["count"]))
        )
    return KnownScene(np.ascontiguousarray(image), kingdoms, Mistakes.load(path))


def boards(data: Path, folder: str, held_out: bool) -> dict[str, KnownScene]:
    """The real kingdoms that fill their frame; their grid is the frame cut into rows and columns, so not exact."""
    labels = json.loads((data / f"{folder}.json").read_text())
    scenes = {}
    for name, label in labels.items():
        if (label["game"] in HELD_OUT_GAMES) != held_out:
            continue
        image = np.ascontiguousarray(cv2.imread(str(data / folder / name))[..., ::-1])
        grid = np.array(label["grid"])
        rows, columns = grid.shape
        height, width = image.shape[:2]
        at = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1)[:, :, None].astype(np.float32)
        corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        quads = (at + corners) * np.array([width / columns, height / rows], np.float32)
        tile_quads = np.where((grid == ".")[..., None, None], np.float32(np.nan), quads)
        seen = np.zeros(grid.shape, bool)
        scenes[name] = KnownScene(image, (KnownKingdom(quads, tile_quads, grid == "C", seen, exact=False),))
    return scenes


def tables(data: Path) -> list[NDArray[np.uint8]]:
    """The photographed table tops that training may see, (255, 255, 3) each."""
    names = sorted(split("textures").groups["train"])
    return [np.ascontiguousarray(cv2.imread(str(data / "textures" / name))[..., ::-1]) for name in names]


def on_table(board: KnownScene, table: NDArray[np.uint8], rng: np.random.Generator) -> KnownScene:
    """A real kingdom that fills its frame, laid on a table with room around it, turned and tilted."""
    wide, side = 720, float(rng.uniform(200, 480))
    mirrored = np.hstack([table, table[:, ::-1]])
    ground = cv2.resize(np.vstack([mirrored, mirrored[::-1]]), (wide, wide), interpolation=cv2.INTER_CUBIC)
    height, width = board.image.shape[:2]
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    angle = float(rng.uniform(0, 2 * np.pi))
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    around = (frame - frame.mean(0)) / max(width, height) * side
    middle = wide / 2 + rng.uniform(-0.5, 0.5, 2) * (wide - side)
    lying = (around @ turn + middle + rng.normal(0, 0.04 * side, (4, 2))).astype(np.float32)
    to_ground = cv2.getPerspectiveTransform(frame, lying)
    kingdoms = tuple(
        replace(kingdom, quads=moved(kingdom.quads, to_ground), tile_quads=moved(kingdom.tile_quads, to_ground))
        for kingdom in board.kingdoms
    )
    covered = np.zeros((wide, wide), np.uint8)
    for quad in kingdoms[0].tile_quads[~np.isnan(kingdoms[0].tile_quads).any((-1, -2))]:
        cv2.fillConvexPoly(covered, np.round(quad * 16).astype(np.int32), 255, cv2.LINE_AA, shift=4)
    # Tiles are two millimetres thick: they throw a narrow shadow.
    thrown = np.roll(covered, tuple(rng.integers(-4, 5, 2)), (0, 1))
    shade = cv2.GaussianBlur(thrown, (0, 0), float(rng.uniform(1, 6)))
    shaded = ground * (1 - rng.uniform(0.2, 0.6) * shade[..., None] / 255.0)
    laid = cv2.warpPerspective(board.image, to_ground, (wide, wide), flags=cv2.INTER_AREA)
    share = covered[..., None] / 255.0
    return KnownScene((laid * share + shaded * (1 - share)).astype(np.uint8), kingdoms)


def moved(points: NDArray[np.float32], homography: NDArray[np.floating]) -> NDArray[np.float32]:
    flat = cv2.perspectiveTransform(points.reshape(-1, 1, 2).astype(np.float64), homography.astype(np.float64))
    return flat.reshape(points.shape).astype(np.float32)
