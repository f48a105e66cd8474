"""Where the camera stands and how it maps the table onto the photo.

Table coordinates are in squares: x to the right, y towards the viewer, height above the table. A plain pinhole with
one radial lens coefficient; points go through `project`, pictures through `bend`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.render.canvas import Image

Floats = NDArray[np.float64]


def _turn_z(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def _tilt_x(angle: float) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, s], [0, -s, c]])


@dataclass(frozen=True)
class Camera:
    """`tilt` is the angle from straight down, in radians; `lens` > 0 is a barrel, < 0 a pincushion."""

    width: int
    height: int
    focal: float  # pixels
    tilt: float
    turn: float  # of the table below the camera
    roll: float  # of the camera about its own axis
    target: tuple[float, float]  # point of the table seen at `centre`
    distance: float  # to the target, in squares
    centre: tuple[float, float]  # pixel at which the target appears
    lens: float = 0.0

    @cached_property
    def _rotation(self) -> Floats:
        return _turn_z(self.roll) @ _tilt_x(self.tilt) @ _turn_z(self.turn)

    def flat(self, points: Floats) -> Floats:
        """Pixels before the lens bends them, float64 (n, 2), of table points (n, 2) or (n, 3) with height."""
        points = np.asarray(points, np.float64)
        height = points[:, 2] if points.shape[1] == 3 else np.zeros(len(points))
        world = np.stack([points[:, 0] - self.target[0], points[:, 1] - self.target[1], -height], axis=1)
        eye = world @ self._rotation.T
        depth = np.maximum(eye[:, 2] + self.distance, 0.05 * self.distance)
        return np.stack(
            [
                self.centre[0] + self.focal * eye[:, 0] / depth,
                self.centre[1] + self.focal * eye[:, 1] / depth,
            ],
            1,
        )

    def depth(self, points: Floats) -> Floats:
        """Distance along the optical axis of table points (n, 3), float64 (n,)."""
        world = np.stack([points[:, 0] - self.target[0], points[:, 1] - self.target[1], -points[:, 2]], axis=1)
        return np.asarray((world @ self._rotation.T)[:, 2] + self.distance)

    def eye(self) -> Floats:
        """Where the camera is: x, y and height, float64 (3,)."""
        away = self._rotation.T @ np.array([0.0, 0.0, -self.distance])
        return np.array([self.target[0] + away[0], self.target[1] + away[1], -away[2]])

    def plane(self, height: float = 0.0) -> Floats:
        """The homography from table (x, y) at a height to flat pixels, float64 (3, 3)."""
        rotation = self._rotation
        offset = rotation @ np.array([-self.target[0], -self.target[1], -height]) + np.array([0, 0, self.distance])
        inner = np.array([[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1]])
        return np.asarray(inner @ np.column_stack([rotation[:, 0], rotation[:, 1], offset]))

    def project(self, points: Floats) -> Floats:
        """Final photo pixels, lens included, float64 (n, 2)."""
        return self.through_lens(self.flat(points))

    def through_lens(self, pixels: Floats) -> Floats:
        """Where the lens puts flat pixels, float64 (n, 2); the inverse of what `bend` looks up."""
        if not self.lens:
            return pixels
        middle, unit = self._lens_frame()
        flat = (pixels - middle) / unit
        reach = np.maximum(np.linalg.norm(flat, axis=1), 1e-9)
        norm = 1 + max(self.lens, 0)
        bent = reach.copy()
        for _ in range(12):
            bent -= (bent * (1 + self.lens * bent**2) / norm - reach) / ((1 + 3 * self.lens * bent**2) / norm)
        return np.asarray(flat * (bent / reach)[:, None] * unit + middle)

    def _lens_frame(self) -> tuple[Floats, float]:
        middle = np.array([(self.width - 1) / 2, (self.height - 1) / 2])
        return middle, float(np.hypot(self.width, self.height) / 2)

    def bend(self, image: Image) -> Image:
        """The flat picture as the lens shows it; same shape, uint8."""
        if not self.lens:
            return image
        middle, unit = self._lens_frame()
        x = (np.arange(self.width, dtype=np.float32) - np.float32(middle[0])) / np.float32(unit)
        y = (np.arange(self.height, dtype=np.float32) - np.float32(middle[1])) / np.float32(unit)
        stretch = 1 + np.float32(self.lens) * (y[:, None] ** 2 + x[None, :] ** 2)
        stretch *= np.float32(unit / (1 + max(self.lens, 0)))
        map_x = x[None, :] * stretch + np.float32(middle[0])
        map_y = y[:, None] * stretch + np.float32(middle[1])
        return np.asarray(cv2.remap(image, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101), np.uint8)

    def aimed(self, points: Floats, *, square_pixels: float, margin: float, rng: np.random.Generator) -> Camera:
        """The same camera so far away that table `points` (n, 2) fit the frame.

        A square is about `square_pixels` wide, or less where that would not leave `margin` (share of the shorter
        side; below zero cuts into the points' outline). What room remains is used to place them anywhere in the frame.
        """
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        aimed = replace(
            self,
            target=(float(middle[0]), float(middle[1])),
            distance=self.focal / square_pixels,
            centre=((self.width - 1) / 2, (self.height - 1) / 2),
        )
        border = margin * min(self.width, self.height)
        room = np.array([self.width - 2 * border, self.height - 2 * border])

        def fits(times: float) -> bool:
            pixels = replace(aimed, distance=aimed.distance * times).project(points)
            return bool((pixels.max(axis=0) - pixels.min(axis=0) <= room).all())

        if not fits(1.0):
            # Too near, points lie beside or behind the camera and their extent says nothing: try, do not reckon.
            near, far = 1.0, 1.25
            while not fits(far):
                near, far = far, 1.25 * far
            for _ in range(6):
                middle_way = (near + far) / 2
                near, far = (near, middle_way) if fits(middle_way) else (middle_way, far)
            aimed = replace(aimed, distance=aimed.distance * far)
        pixels = aimed.project(points)
        low, high = pixels.min(axis=0), pixels.max(axis=0)
        slack_low, slack_high = border - low, np.array([self.width, self.height]) - border - high
        spread = np.sort(np.stack([slack_low, slack_high]), axis=0)
        shift = rng.uniform(spread[0], spread[1])
        return replace(aimed, centre=(aimed.centre[0] + float(shift[0]), aimed.centre[1] + float(shift[1])))
