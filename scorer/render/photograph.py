"""What light, lens, sensor and file format do to the picture of a table."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.render.canvas import Image

Rng = np.random.Generator
Field = NDArray[np.float32]

NOISE = 640  # side of the patch of noise that is repeated over the frame: drawing all of it anew is slow
FIELD = 96  # side of the coarse fields that light and glare are drawn on before they are enlarged
METERED, BRIGHT = 97, 215
"""A camera exposes so that this per cent of the picture stays below this level, of 255: of 76 real photos none has more
than 4 % of its pixels at white."""


@dataclass(frozen=True)
class Effects:
    """The probability of each effect, and how strong it may get where that is not a matter of course."""

    gradient: float = 0.9
    shadow: float = 0.4
    cast: float = 0.8
    exposure: float = 0.8
    glare: float = 0.4
    defocus: float = 0.3
    motion: float = 0.12
    noise: float = 0.8
    jpeg: float = 0.9
    lens: float = 0.6
    strength: float = 1.0  # scales all of them


def _grid() -> tuple[Field, Field]:
    y, x = np.mgrid[0:FIELD, 0:FIELD].astype(np.float32) / (FIELD - 1)
    return x, y


def light_field(effects: Effects, rng: Rng) -> NDArray[np.float32]:
    """Relative light over the frame, float32 (FIELD, FIELD, 3), around 1."""
    x, y = _grid()
    light = np.ones((FIELD, FIELD, 3), np.float32)
    if rng.random() < effects.gradient:
        angle = float(rng.uniform(0, 2 * np.pi))
        ramp = (x - 0.5) * np.cos(angle) + (y - 0.5) * np.sin(angle)
        light *= (1 + effects.strength * float(rng.uniform(0, 0.7)) * ramp)[..., None]
        if rng.random() < 0.4:  # window on one side, lamp on the other
            tint = np.array([rng.uniform(-0.2, 0.2), 0.0, rng.uniform(-0.2, 0.2)], np.float32)
            light *= 1 + effects.strength * tint * ramp[..., None]
        vignette = (x - 0.5) ** 2 + (y - 0.5) ** 2
        light *= (1 - float(rng.uniform(0, 0.5)) * vignette)[..., None]
    if rng.random() < effects.shadow:
        for _ in range(int(rng.integers(1, 3))):
            middle = rng.uniform(-0.1, 1.1, 2)
            blob = middle + rng.normal(0, 0.35, (int(rng.integers(4, 8)), 2))
            mask = np.zeros((FIELD, FIELD), np.float32)
            hull = cv2.convexHull((blob * FIELD).astype(np.int32))
            cv2.fillPoly(mask, [hull], 1.0)
            soft = cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(0.5, 9)))
            light *= (1 - float(rng.uniform(0.15, 0.55)) * effects.strength * soft)[..., None]
    return np.clip(light, 0.15, 2.5)


def glare_field(effects: Effects, rng: Rng) -> Field | None:
    """Light mirrored by glossy tiles, float32 (FIELD, FIELD) in 0..1, or None."""
    if rng.random() >= effects.glare:
        return None
    x, y = _grid()
    glare = np.zeros((FIELD, FIELD), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        cx, cy = rng.uniform(0, 1, 2)
        angle = float(rng.uniform(0, np.pi))
        long, wide = float(rng.uniform(0.05, 0.35)), float(rng.uniform(0.02, 0.1))
        u = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
        v = -(x - cx) * np.sin(angle) + (y - cy) * np.cos(angle)
        glare += float(rng.uniform(0.3, 1.0)) * np.exp(-((u / long) ** 2) - (v / wide) ** 2)
    return np.asarray(np.clip(glare * effects.strength, 0, 1), np.float32)


def illuminate(image: Image, gloss: Image, effects: Effects, rng: Rng) -> Image:
    """Applies light, shadow and glare, and exposes for them; `gloss` is uint8 (H, W), 255 where tiles mirror. Same
    shape as image."""
    height, width = image.shape[:2]
    size = (width, height)
    lit = image.astype(np.float32)
    lit *= np.asarray(cv2.resize(light_field(effects, rng), size, interpolation=cv2.INTER_LINEAR), np.float32)
    glare = glare_field(effects, rng)
    if glare is not None:
        shine = np.asarray(cv2.resize(glare, size, interpolation=cv2.INTER_LINEAR), np.float32)
        shine *= cv2.LUT(gloss, (np.linspace(0.25, 1.0, 256) * 190).astype(np.float32))
        lit += shine[..., None]
    if effects.exposure:
        lit *= min(1.0, BRIGHT / max(1.0, float(np.percentile(lit[::8, ::8].max(axis=2), METERED))))
    return np.clip(lit, 0, 255, out=lit).astype(np.uint8)


def _tone(effects: Effects, rng: Rng) -> NDArray[np.uint8]:
    """White balance, exposure and contrast as one lookup table, uint8 (256, 1, 3)."""
    level = np.linspace(0, 1, 256, dtype=np.float32)[:, None]
    curve = np.repeat(level, 3, axis=1)
    if rng.random() < effects.cast:
        warmth = float(rng.normal(0, 0.13)) * effects.strength
        gain = np.array([1 + warmth, 1 + float(rng.normal(0, 0.04)), 1 - 1.2 * warmth], np.float32)
        curve = curve * np.clip(gain, 0.45, 1.7)
    if rng.random() < effects.exposure:
        curve = curve * float(2 ** (rng.normal(-0.1, 0.3) * effects.strength))
        curve = np.clip(curve, 0, 1.3) ** float(np.exp(rng.normal(0, 0.16) * effects.strength))
        lift = float(rng.uniform(0, 0.06)) * effects.strength
        curve = lift + curve * (1 - lift)
    return (np.clip(curve, 0, 1) * 255).round().astype(np.uint8)[:, None, :]


def _saturate(image: Image, effects: Effects, rng: Rng) -> Image:
    if rng.random() >= effects.cast:
        return image
    amount = float(np.clip(1 + rng.normal(0, 0.2) * effects.strength, 0.4, 1.6))
    grey = (1 - amount) * np.array([0.299, 0.587, 0.114])
    return np.asarray(cv2.transform(image, amount * np.eye(3) + grey[None, :]), np.uint8)


def _blur(image: Image, effects: Effects, rng: Rng, square_pixels: float) -> Image:
    if rng.random() < effects.defocus:
        sigma = float(rng.uniform(0.4, 0.03 * square_pixels + 0.5)) * effects.strength
        if sigma > 0.2:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)
    if rng.random() < effects.motion:
        length = float(rng.uniform(1, 1 + 0.12 * square_pixels * effects.strength))
        angle = float(rng.uniform(0, np.pi))
        side = 2 * int(np.ceil(length / 2)) + 1
        kernel = np.zeros((side, side), np.float32)
        middle = side // 2
        dx, dy = 0.5 * length * np.cos(angle), 0.5 * length * np.sin(angle)
        cv2.line(kernel, (round(middle - dx), round(middle - dy)), (round(middle + dx), round(middle + dy)), 1.0, 1)
        image = np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)
    return image


def _noise(image: Image, effects: Effects, rng: Rng) -> Image:
    if rng.random() >= effects.noise:
        return image
    height, width = image.shape[:2]
    sigma = float(rng.exponential(3.0)) * effects.strength
    if sigma < 0.4:
        return image
    # Noise after demosaicing is blotchy: some of it is drawn at half size.
    fine = rng.standard_normal((min(height, NOISE), min(width, NOISE)), dtype=np.float32)
    tint = rng.standard_normal((min(height, NOISE) // 2 + 1, min(width, NOISE) // 2 + 1, 3), dtype=np.float32)
    patch = cv2.resize(tint, (fine.shape[1], fine.shape[0]), interpolation=cv2.INTER_LINEAR)
    patch = (sigma * (0.8 * fine[..., None] + 0.7 * patch)).round().astype(np.int16)
    if patch.shape[:2] != (height, width):
        reps = (-(-height // patch.shape[0]), -(-width // patch.shape[1]), 1)
        patch = np.tile(patch, reps)[:height, :width]
    return np.asarray(np.clip(image.astype(np.int16) + patch, 0, 255), np.uint8)


def _jpeg(image: Image, effects: Effects, rng: Rng) -> Image:
    if rng.random() >= effects.jpeg:
        return image
    quality = int(rng.integers(round(95 - 50 * min(effects.strength, 1.5)), 97))
    ok, data = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise RuntimeError("JPEG encoding failed")
    decoded = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return decoded[..., ::-1]


def develop(image: Image, effects: Effects, rng: Rng, square_pixels: float) -> Image:
    """From the lit scene to the photo file: tone, colour, blur, noise, sharpening, JPEG. Same shape, uint8."""
    image = np.asarray(cv2.LUT(image, _tone(effects, rng)), np.uint8)
    image = _saturate(image, effects, rng)
    image = _blur(image, effects, rng, square_pixels)
    image = _noise(image, effects, rng)
    if rng.random() < 0.3 * effects.strength:
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        image = np.asarray(cv2.addWeighted(image, 1.6, soft, -0.6, 0), np.uint8)
    return np.ascontiguousarray(_jpeg(image, effects, rng))
