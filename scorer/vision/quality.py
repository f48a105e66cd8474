"""Judges a photo before it is read: too dark, washed out, blurred, or its squares too small.

Pure functions on the picture and on the size of the located squares; each flaw says what to do about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.rules.message import Message, msg

MIN_SQUARE_PIXELS = 18.0
"""Below this a crown is four pixels wide, and three of them cannot be told from two."""

JUDGED_SQUARE_PIXELS = 48.0
"""Blur is judged with squares brought down to this width: it counts against the drawing, not against pixels."""

MAX_BLUR = 0.045
"""Blur from which crowns run together, in squares: a crown is a quarter of a square wide, its points a tenth apart."""

GONE = 0.5
"""Blur given to a picture in which no edge is left, in squares."""

FINE, COARSE = 1.2, 3.0
"""The two smoothings, in pixels, whose slopes are compared."""

NOISY, SMOOTHING = 6.0, 1.6
"""Noise (levels) from which a photo is smoothed before it is looked at, and by how many pixels: of 1,902 squares of
validation scenes as noisy as that 57 are misread as they are, 32 smoothed."""

PATCHES, PATCH = 4, 96
"""Noise is measured in so many patches along each side, of so many pixels."""

MIN_ENERGY = 0.05
"""Mean squared slope (levels per pixel) below which a picture shows nothing at all."""

MIN_LIGHT = 0.16
"""The brightest twentieth of a readable photo is at least this bright, of 1."""

MAX_BURNT = 0.45
"""Share of burnt-out pixels from which too little of the drawing is left."""

Code = Literal["too_small", "blurred", "dark", "washed_out"]


@dataclass(frozen=True)
class Flaw:
    """What is wrong with a photo, and one sentence that helps."""

    code: Code
    message: Message


def square_width(quads: NDArray[np.floating]) -> float:
    """The median width in pixels of located squares, quads float (..., 4, 2) with corners in order around each.

    A tilted square counts by the root of its area, so that a narrow one is not taken for a wide one.
    """
    corners = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    x, y = corners[..., 0], corners[..., 1]
    area = 0.5 * np.abs((x * np.roll(y, -1, axis=1) - np.roll(x, -1, axis=1) * y).sum(axis=1))
    area = area[np.isfinite(area)]
    return float(np.median(np.sqrt(area))) if len(area) else 0.0


def window(image: NDArray[np.uint8], corners: NDArray[np.floating]) -> NDArray[np.uint8]:
    """The upright part of an image (H, W, 3) around a kingdom's corners (n, 2), cut to the frame."""
    rows, columns = image.shape[:2]
    x0, y0 = np.clip(np.floor(np.min(corners, axis=0)), 0, (columns - 1, rows - 1)).astype(int)
    x1, y1 = np.clip(np.ceil(np.max(corners, axis=0)) + 1, (x0 + 1, y0 + 1), (columns, rows)).astype(int)
    return image[y0:y1, x0:x1]


def light(image: NDArray[np.uint8]) -> float:
    """How bright the brightest twentieth of an RGB image (H, W, 3) uint8 is, 0 to 1."""
    return float(np.percentile(image[::4, ::4].max(axis=2), 95)) / 255


def burnt(image: NDArray[np.uint8]) -> float:
    """The share of pixels of an RGB image (H, W, 3) uint8 that are white beyond any drawing, 0 to 1."""
    return float((image[::4, ::4].min(axis=2) >= 250).mean())


def blur(image: NDArray[np.uint8], square_pixels: float) -> float:
    """How blurred an RGB image (H, W, 3) uint8 is: about the standard deviation of the blur, in squares; 0 is sharp.

    The idea of Zhuo and Sim, "Defocus map estimation from a single image" (2011), on the whole picture at once: an edge
    of blur s, smoothed by a Gaussian g, keeps slope energy in inverse proportion to the root of s^2 + g^2, so that the
    energies at two known g tell s. The direction with the most blur counts: motion leaves edges along it sharp.
    Fine drawing makes the result up to a fiftieth of a square too small.
    """
    shrink = min(1.0, JUDGED_SQUARE_PIXELS / max(square_pixels, 1.0))
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.float32)
    if shrink < 1.0:
        size = (max(1, round(grey.shape[1] * shrink)), max(1, round(grey.shape[0] * shrink)))
        grey = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.float32)
    noise = _noise(grey)
    fine, coarse = _slope_energy(grey, FINE, noise), _slope_energy(grey, COARSE, noise)
    if float(np.trace(coarse)) < MIN_ENERGY:
        return GONE
    angles = np.arange(8) * (np.pi / 8)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    energy_fine = np.einsum("ki,ij,kj->k", ways, fine, ways)
    energy_coarse = np.maximum(np.einsum("ki,ij,kj->k", ways, coarse, ways), 1e-3)
    ratio = np.maximum(energy_fine / energy_coarse, 1.0 + 1e-3) ** 2
    spread = np.sqrt(np.maximum(0.0, (COARSE**2 - ratio * FINE**2) / (ratio - 1.0)))
    return min(GONE, float(spread.max()) / (shrink * max(square_pixels, 1.0)))


def calmed(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """An image (H, W, 3) uint8 as it is, or smoothed if it is noisy all over."""
    rows, columns = image.shape[:2]
    noises = []
    for top in np.linspace(0, max(0, rows - PATCH), PATCHES).astype(int):
        for left in np.linspace(0, max(0, columns - PATCH), PATCHES).astype(int):
            part = np.ascontiguousarray(image[top : top + PATCH, left : left + PATCH])
            noises.append(_noise(np.asarray(cv2.cvtColor(part, cv2.COLOR_RGB2GRAY), np.float32)))
    # Speckled tables look like noise, but not everywhere.
    if np.percentile(noises, 25) < NOISY:
        return image
    return np.asarray(cv2.GaussianBlur(image, (0, 0), SMOOTHING), np.uint8)


def _noise(grey: NDArray[np.float32]) -> float:
    """The standard deviation of a picture's noise, by the median response to a mask that flat and sloping parts pass
    without any: Immerkaer, "Fast noise variance estimation" (1996)."""
    mask = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
    return float(np.median(np.abs(cv2.filter2D(grey, -1, mask)))) / (0.6745 * 6.0)


def _slope_energy(grey: NDArray[np.float32], smoothing: float, noise: float) -> NDArray[np.float64]:
    """Mean products of the two slope components after smoothing by a Gaussian, less what noise adds; float64 (2, 2)."""
    soft = cv2.GaussianBlur(grey, (0, 0), smoothing)
    slopes = [cv2.Scharr(soft, cv2.CV_32F, dx, 1 - dx, scale=1 / 32) for dx in (1, 0)]
    energy = np.array([[float((a * b).mean()) for b in slopes] for a in slopes])
    return np.asarray(energy - np.eye(2) * noise**2 / (8 * np.pi * smoothing**4))


def judge(image: NDArray[np.uint8], square_pixels: float, *, scale: float = 1.0) -> tuple[Flaw, ...]:
    """The flaws of a kingdom's part of a photo, the gravest first; empty when it can be read.

    image: uint8 (H, W, 3) RGB; square_pixels: width of its squares in that image; scale: pixels of the image per
    pixel of the photo, so that the message counts the photo's own.
    """
    flaws = []
    in_photo = square_pixels / scale
    if in_photo < MIN_SQUARE_PIXELS:
        flaws.append(Flaw("too_small", msg("squares are only {width} pixels wide: step closer", width=round(in_photo))))
    if light(image) < MIN_LIGHT:
        flaws.append(Flaw("dark", msg("the photo is too dark: switch on a light or use the flash from one side")))
    elif blur(image, square_pixels) > MAX_BLUR:
        text = msg("the photo is blurred: hold the camera still and tap on the kingdom to focus")
        flaws.append(Flaw("blurred", text))
    if burnt(image) > MAX_BURNT:
        flaws.append(Flaw("washed_out", msg("the photo is washed out: avoid glare and bright sun on the tiles")))
    return tuple(flaws)
