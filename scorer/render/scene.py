"""Puts tables, kingdoms, clutter and camera together into a photo with its truth."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from scorer.render import clutter
from scorer.render.build import build
from scorer.render.camera import Camera
from scorer.render.canvas import Image
from scorer.render.furnish import Supply
from scorer.render.layout import SetKingdom, lay_table
from scorer.render.photograph import develop, illuminate
from scorer.render.pieces import Piece
from scorer.render.recipe import Recipe
from scorer.render.stage import Slab, Stage
from scorer.render.truth import TrueKingdom, TruePiece, truth

Rng = np.random.Generator

FACE_SIZES = (32, 48, 64, 96, 128, 192, 256, 384, 512)  # pixels that a square's face is drawn at


@dataclass(frozen=True)
class Scene:
    """A rendered photo: image uint8 (H, W, 3) RGB."""

    image: Image
    kingdoms: tuple[TrueKingdom, ...]
    pieces: tuple[TruePiece, ...]


def render(seed: int, *, recipe: Recipe | None = None) -> Scene:
    """One scene; the same seed and recipe give the same bytes."""
    recipe = recipe or Recipe()
    rng = np.random.default_rng(seed)
    width, height = recipe.photo_sizes[int(rng.integers(len(recipe.photo_sizes)))]
    edition = recipe.tiles.edition(rng)
    rules = recipe.rules[int(rng.integers(len(recipe.rules)))]
    sets = lay_table(recipe, rules, rng)
    camera = _aim(recipe, sets, width, height, rng)
    square_pixels = _square_pixels(camera, sets)
    stage = Stage(
        camera,
        _table_top(recipe, camera, rng),
        light=(float(rng.normal(0, 0.6)), float(rng.normal(0, 0.6))),
        shadow_depth=float(rng.uniform(0.2, 0.65)),
        shadow_blur=float(rng.uniform(0.01, 0.1)),
        square_pixels=square_pixels,
    )
    face_size = next((s for s in FACE_SIZES if s >= 1.1 * square_pixels), FACE_SIZES[-1])
    slabs, solids, on_top = clutter.scatter(recipe, camera, [s.outline() for s in sets], edition, rng)
    supply = Supply()
    built = []
    above: list[Slab] = []
    for kingdom in sets:
        made = build(recipe, rules, kingdom, edition, supply, face_size, rng)
        slabs += made.slabs
        above += made.above
        solids += made.solids
        built.append(made)
    stage.lay(slabs)
    stage.lay(above)
    stage.stand(solids)
    stage.stand(on_top)
    kingdoms = tuple(truth(stage, kingdom, made) for kingdom, made in zip(sets, built, strict=True))
    standing = tuple(
        TruePiece(solid.kind, camera.project(solid.foot[None])[0].astype(np.float32))
        for solid in solids
        if isinstance(solid, Piece)
    )
    lit = illuminate(stage.image, stage.gloss, recipe.effects, rng)
    return Scene(develop(camera.bend(lit), recipe.effects, rng, square_pixels), kingdoms, standing)


def _aim(recipe: Recipe, sets: list[SetKingdom], width: int, height: int, rng: Rng) -> Camera:
    diagonal = float(np.hypot(width, height))
    camera = Camera(
        width=width,
        height=height,
        # 24 mm of a phone's main camera, seen on 43 mm of diagonal, up to its second lens.
        focal=diagonal * float(rng.uniform(0.55, 1.25)),
        tilt=float(np.radians(rng.uniform(*recipe.tilt))),
        turn=float(rng.normal(0, 0.1)) if rng.random() < recipe.aligned else float(rng.uniform(0, 2 * np.pi)),
        roll=float(rng.normal(0, 0.05)),
        target=(0.0, 0.0),
        distance=10.0,
        centre=((width - 1) / 2, (height - 1) / 2),
        lens=float(rng.normal(0, 0.025)) * recipe.effects.strength if rng.random() < recipe.effects.lens else 0.0,
    )
    points = np.concatenate([s.outline() for s in sets]) if sets else rng.uniform(-4, 4, (4, 2))
    target = float(np.exp(rng.uniform(*np.log(recipe.square_pixels))))
    return camera.aimed(points, square_pixels=target, margin=float(rng.uniform(*recipe.margin)), rng=rng)


def _square_pixels(camera: Camera, sets: list[SetKingdom]) -> float:
    middle = np.concatenate([s.outline() for s in sets]).mean(axis=0) if sets else np.array(camera.target)
    step = 0.5 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    area = abs(float(cv2.contourArea(camera.project(middle + step).astype(np.float32))))
    return max(4.0, float(area**0.5))


def _table_top(recipe: Recipe, camera: Camera, rng: Rng) -> Image:
    """The bare table as the camera sees it, uint8 (H, W, 3)."""
    size = 768 if max(camera.width, camera.height) <= 1400 else 2048
    top = recipe.tables.table(size, rng)
    plane = camera.plane()
    frame = np.array([[0, 0], [camera.width, 0], [camera.width, camera.height], [0, camera.height]], np.float64)
    seen = cv2.perspectiveTransform(frame[None], np.linalg.inv(plane))[0]
    extent = float(np.clip(np.ptp(seen, axis=0).max(), 1, 300))
    scale = extent / size * float(rng.uniform(0.35, 1.0))
    angle = float(rng.choice((0, 1))) * np.pi / 2 + float(rng.normal(0, 0.2))
    c, s = scale * np.cos(angle), scale * np.sin(angle)
    lay = np.array([[c, -s, seen[:, 0].min()], [s, c, seen[:, 1].min()], [0, 0, 1]])
    return np.asarray(
        cv2.warpPerspective(
            top,
            plane @ lay,
            (camera.width, camera.height),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT_101,
        ),
        np.uint8,
    )
