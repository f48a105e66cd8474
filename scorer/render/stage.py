"""The table in front of the camera: lays slabs, throws shadows and stands solids on it.

Everything is drawn as a pinhole without lens sees it; `Camera.bend` does the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.render.camera import Camera, Floats
from scorer.render.canvas import SHIFT, Colour, Image, shade

CORNER_STEPS = 3  # points that round one corner of a tile


@dataclass(frozen=True)
class Slab:
    """A flat thing: a tile, card or box lid. `corners` are its upper face's, float64 (4, 2), TL TR BR BL."""

    corners: Floats
    low: float
    high: float
    face: Image | Colour
    edge: Colour
    rounding: float = 0.0
    gloss: float = 1.0
    owner: int | None = 0  # number of a kingdom's tile, 0 for other things; None leaves the number below


@dataclass(frozen=True)
class Face:
    """One flat polygon of a solid, float64 (n, 3) table points.

    Faces of a higher layer are drawn later. `inside` is a point within a convex part: its faces turned away from the
    camera are left out.
    """

    points: Floats
    colour: Colour
    layer: int = 0
    inside: Floats | None = None


Solid = list[Face]


@dataclass
class Stage:
    """A picture being composed: image uint8 (H, W, 3), gloss uint8 (H, W), owner uint16 (H, W): the tile seen."""

    camera: Camera
    image: Image
    light: tuple[float, float]  # where shadows fall, per unit of height
    shadow_depth: float
    shadow_blur: float  # in squares
    square_pixels: float
    gloss: Image = field(init=False)
    owner: NDArray[np.uint16] = field(init=False)

    def __post_init__(self) -> None:
        self.gloss = np.zeros(self.image.shape[:2], np.uint8)
        self.owner = np.zeros(self.image.shape[:2], np.uint16)

    def throw_shadows(self, outlines: Sequence[Floats]) -> None:
        """Darkens what lies in the shadow of convex things given by their points (n, 3)."""
        if not outlines:
            return
        height, width = self.image.shape[:2]
        scale = 2 if width < 2000 else 4
        mask = np.zeros((height // scale + 1, width // scale + 1), np.uint8)
        for points in outlines:
            ground = points.copy()
            ground[:, :2] += points[:, 2:3] * np.array(self.light)
            ground[:, 2] = 0
            foot = points.copy()
            foot[:, 2] = 0
            pixels = self.camera.flat(np.concatenate([ground, foot])) / scale
            hull = cv2.convexHull(np.clip(pixels, -1e4, 1e4).astype(np.float32))
            cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), 255, cv2.LINE_AA, SHIFT)
        sigma = max(0.6, self.shadow_blur * self.square_pixels / scale)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), np.uint8)
        mask = cv2.resize(mask, (mask.shape[1] * scale, mask.shape[0] * scale), interpolation=cv2.INTER_LINEAR)
        keep = cv2.LUT(mask[:height, :width], np.linspace(255, 255 * (1 - self.shadow_depth), 256).astype(np.uint8))
        self.image = np.asarray(cv2.multiply(self.image, cv2.merge([keep, keep, keep]), scale=1 / 255), np.uint8)

    def lay(self, slabs: Sequence[Slab], *, shadows: bool = True) -> None:
        """Lays slabs, the farthest first."""
        if shadows:
            self.throw_shadows([_with_height(s.corners, s.high) for s in slabs])
        for slab in sorted(slabs, key=lambda s: -float(self.camera.depth(_with_height(s.corners, s.low)).mean())):
            self._lay_one(slab)

    def _lay_one(self, slab: Slab) -> None:
        outline = rounded(slab.corners, slab.rounding)
        top = self.camera.flat(_with_height(outline, slab.high))
        if slab.high > slab.low:
            foot = self.camera.flat(_with_height(outline, slab.low))
            self._fill(np.concatenate([top, foot]), slab.edge, hull=True)
        if isinstance(slab.face, tuple):
            self._fill(top, slab.face)
        else:
            self._paste(slab.face, self.camera.flat(_with_height(slab.corners, slab.high)), top)
        points = np.round(np.clip(top, -1e4, 1e4) * 16).astype(np.int32)
        if slab.owner is not None:
            cv2.fillConvexPoly(self.owner, points, slab.owner, cv2.LINE_8, SHIFT)
        if slab.gloss:
            cv2.fillConvexPoly(self.gloss, points, round(255 * slab.gloss), cv2.LINE_8, SHIFT)

    def _fill(self, pixels: Floats, colour: Colour, *, hull: bool = False) -> None:
        points = np.round(np.clip(pixels, -1e4, 1e4) * 16).astype(np.int32)
        if hull:
            cv2.fillConvexPoly(
                self.image, np.asarray(cv2.convexHull(points)[:, 0], np.int32), colour, cv2.LINE_AA, SHIFT
            )
        else:
            cv2.fillPoly(self.image, [points], colour, cv2.LINE_AA, SHIFT)

    def _paste(self, face: Image, corners: Floats, outline: Floats) -> None:
        height, width = self.image.shape[:2]
        x0, y0 = (int(v) for v in np.maximum(np.floor(outline.min(axis=0)) - 1, 0))
        x1, y1 = (int(v) for v in np.minimum(np.ceil(outline.max(axis=0)) + 2, (width, height)))
        if x1 <= x0 or y1 <= y0:
            return
        # A face much finer than the photo is reduced first: warping alone would alias.
        reach = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).max())
        shrink = max(face.shape[:2]) / max(reach, 1.0)
        if shrink > 1.5:
            small = (max(2, round(face.shape[1] / shrink)), max(2, round(face.shape[0] / shrink)))
            face = np.asarray(cv2.resize(face, small, interpolation=cv2.INTER_AREA), np.uint8)
        h, w = face.shape[:2]
        source = np.array([(-0.5, -0.5), (w - 0.5, -0.5), (w - 0.5, h - 0.5), (-0.5, h - 0.5)], np.float32)
        matrix = cv2.getPerspectiveTransform(source, (corners - (x0, y0)).astype(np.float32))
        warped = cv2.warpPerspective(
            face, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, np.round((outline - (x0, y0)) * 16).astype(np.int32), 255, cv2.LINE_AA, SHIFT)
        window = self.image[y0:y1, x0:x1]
        share = mask[..., None].astype(np.uint16)
        window[:] = ((window * (255 - share) + warped * share + 127) // 255).astype(np.uint8)

    def stand(self, solids: Sequence[Solid], *, shadows: bool = True) -> None:
        """Stands solids on the table and the tiles, the farthest first, faces shaded by their direction."""
        if shadows:
            self.throw_shadows([np.concatenate([f.points for f in s]) for s in solids])
        for solid in sorted(solids, key=lambda s: -float(np.mean([self.camera.depth(f.points).mean() for f in s]))):
            for face in sorted(solid, key=lambda f: (f.layer, -float(self.camera.depth(f.points).mean()))):
                if face.inside is None or self._seen(face.points, face.inside):
                    pixels = self.camera.flat(face.points)
                    self._fill(pixels, shade(face.colour, self._lit(face.points)))
                    points = np.round(np.clip(pixels, -1e4, 1e4) * 16).astype(np.int32)
                    cv2.fillPoly(self.owner, [points], 0, cv2.LINE_8, SHIFT)

    def hidden(self, corners: Floats, height: float, owner: int) -> float:
        """The share of a tile, given by its corners (4, 2) on the table, that is covered or outside the frame."""
        outline = np.clip(self.camera.flat(_with_height(corners, height)), -1e4, 1e4).astype(np.float32)
        rows, columns = self.owner.shape
        x0, y0 = (int(v) for v in np.clip(np.floor(outline.min(axis=0)), 0, (columns, rows)))
        x1, y1 = (int(v) for v in np.clip(np.ceil(outline.max(axis=0)) + 1, 0, (columns, rows)))
        if x1 <= x0 or y1 <= y0:
            return 1.0
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, np.round((outline - (x0, y0)) * 16).astype(np.int32), 1, cv2.LINE_8, SHIFT)
        seen = int(np.count_nonzero(mask & (self.owner[y0:y1, x0:x1] == owner)))
        whole = max(float(cv2.contourArea(outline)), int(mask.sum()), 1.0)
        return float(np.clip(1 - seen / whole, 0, 1))

    def _seen(self, points: Floats, inside: Floats) -> bool:
        normal = _normal(points)
        return float(normal @ (self.camera.eye() - points[0])) * float(normal @ (inside - points[0])) < 0

    def _lit(self, points: Floats) -> float:
        normal = _normal(points)
        length = float(np.linalg.norm(normal))
        if length < 1e-12:
            return 1.0
        toward = np.array([-self.light[0], -self.light[1], 1.0])
        share = abs(float(normal @ toward)) / (length * float(np.linalg.norm(toward)))
        return 0.62 + 0.45 * share


def _normal(points: Floats) -> Floats:
    # Written out: np.cross costs more than the rest of a face.
    (a, b, c), (d, e, f) = points[1] - points[0], points[2] - points[0]
    return np.array([b * f - c * e, c * d - a * f, a * e - b * d])


def _with_height(points: Floats, height: float) -> Floats:
    return np.column_stack([points, np.full(len(points), height)])


def rounded(corners: Floats, radius: float) -> Floats:
    """A quadrilateral with rounded corners as a polygon, float64 (n, 2)."""
    if radius <= 0:
        return corners
    points = []
    for k in range(4):
        here, before, after = corners[k], corners[k - 1], corners[(k + 1) % 4]
        u = (before - here) / max(float(np.linalg.norm(before - here)), 1e-9)
        v = (after - here) / max(float(np.linalg.norm(after - here)), 1e-9)
        for step in range(CORNER_STEPS):
            a = np.pi / 2 * step / (CORNER_STEPS - 1)
            points.append(here + radius * ((1 - np.sin(a)) * u + (1 - np.cos(a)) * v))
    return np.array(points)


def box_corners(x: float, y: float, width: float, depth: float, turn: float) -> Floats:
    """The corners TL TR BR BL of a rectangle about (x, y), turned; float64 (4, 2)."""
    c, s = np.cos(turn), np.sin(turn)
    across, along = np.array([c, s]) * width / 2, np.array([-s, c]) * depth / 2
    middle = np.array([x, y])
    return np.array(
        [middle - across - along, middle + across - along, middle + across + along, middle - across + along]
    )


def extrude(
    silhouette: NDArray[np.floating] | Sequence[tuple[float, float]],
    foot: Floats,
    *,
    turn: float,
    thickness: float,
    colour: Colour,
    face: Colour | None = None,
    lying: bool = False,
) -> Solid:
    """A meeple cut from a board: silhouette points (across, up) in squares, standing upright on `foot` (x, y, height)
    or lying flat with its middle there."""
    shape = np.asarray(silhouette, np.float64)
    if lying:
        shape = shape - (0, shape[:, 1].max() / 2)
    c, s = np.cos(turn), np.sin(turn)
    across, depth = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
    up = np.array([0.0, 0.0, 1.0])
    if lying:
        depth, up = up, -depth
    half = 0.0 if lying else thickness / 2
    flat = foot + shape[:, :1] * across + shape[:, 1:] * up
    front, back = flat + (thickness if lying else half) * depth, flat - half * depth
    faces = [Face(back, colour)]
    for k in range(len(flat)):
        n = (k + 1) % len(flat)
        faces.append(Face(np.array([front[k], front[n], back[n], back[k]]), colour))
    faces.append(Face(front, face or colour))
    return faces


def prism(
    outline: Floats, low: float, high: float, colour: Colour, *, top: Colour | None = None, layer: int = 0
) -> Solid:
    """An upright prism over a convex polygon (n, 2)."""
    bottom, upper = _with_height(outline, low), _with_height(outline, high)
    inside = np.append(outline.mean(axis=0), (low + high) / 2)
    faces = []
    for k in range(len(outline)):
        n = (k + 1) % len(outline)
        faces.append(Face(np.array([bottom[k], bottom[n], upper[n], upper[k]]), colour, layer, inside))
    faces.append(Face(upper, top or colour, layer, inside))
    return faces


def cone(outline: Floats, low: float, tip: Floats, colour: Colour, *, layer: int = 0) -> Solid:
    """A pyramid over a convex polygon (n, 2) up to `tip` (x, y, height)."""
    bottom = _with_height(outline, low)
    inside = np.append(outline.mean(axis=0), low + 0.01)
    return [
        Face(np.array([bottom[k], bottom[(k + 1) % len(bottom)], tip]), colour, layer, inside)
        for k in range(len(bottom))
    ]
