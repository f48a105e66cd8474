"""Numbers as people write them: digits of MNIST side by side, pens, European ones and sevens, crossings-out."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.digits_mnist import Digits
from scorer.render.canvas import palette

Rng = np.random.Generator
Ink = NDArray[np.float32]
"""(rows, columns), 0 paper to 1 ink."""

SUPER = 4
"""Digits are drawn at this multiple of MNIST's 28 pixels, with crisp edges."""


@dataclass(frozen=True)
class Hand:
    """One player's hand and pen. `size`: height of digits in heights of a row."""

    colour: tuple[int, int, int]
    strength: float
    """How dark the ink covers: pencils less than pens."""
    thickness: float
    size: float
    slant: float
    spacing: float
    european: bool
    """Ones with an upstroke, sevens with a bar."""
    steady: float
    zero: str
    """How nothing is written: `0`, `-`, an empty cell, or `mixed`."""


PENS = palette("25 25 30, 20 35 120, 35 60 165, 170 30 35, 30 105 60, 70 70 75")


def hand(rng: Rng) -> Hand:
    pencil = rng.random() < 0.25
    grey = int(rng.integers(50, 100))
    return Hand(
        colour=(grey, grey, grey) if pencil else PENS[int(rng.integers(len(PENS)))],
        strength=float(rng.uniform(0.55, 0.85) if pencil else rng.uniform(0.8, 1.0)),
        thickness=float(rng.uniform(-0.16, 0.16)),
        size=float(rng.uniform(0.5, 0.85)),
        slant=float(rng.normal(0, 0.12)),
        spacing=float(rng.uniform(-0.02, 0.16)),
        european=bool(rng.random() < 0.5),
        steady=float(rng.uniform(0.3, 1.0)),
        zero=str(rng.choice(["0", "0", "-", "", "mixed"])),
    )


def digit(value: int, who: Hand, digits: Digits, rng: Rng) -> Ink:
    """One digit cropped to its ink, about `20 * SUPER` pixels high."""
    image = digits.draw(value, rng).astype(np.float32) / 255
    if who.european:
        if value == 1:
            image = _upstroke(image, rng)
        elif value == 7:
            image = _bar(image, rng)
    large = cv2.resize(image, None, fx=SUPER, fy=SUPER, interpolation=cv2.INTER_CUBIC)
    edge = 0.45 - who.thickness
    crisp = np.clip((large - edge) / 0.25 + 0.5, 0, 1)
    shear = who.slant + float(rng.normal(0, 0.05)) * who.steady
    angle = float(rng.normal(0, 0.05)) * who.steady
    side = crisp.shape[0]
    turn = np.array([[np.cos(angle), -shear - np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0]], np.float32)
    middle = np.array([side / 2, side / 2], np.float32)
    turn[:, 2] = middle - turn[:, :2] @ middle
    crisp = cv2.warpAffine(crisp, turn, (side, side))
    rows, columns = np.flatnonzero(crisp.max(axis=1) > 0.3), np.flatnonzero(crisp.max(axis=0) > 0.3)
    if not len(rows):
        return np.ones((2, 2), np.float32)
    return np.asarray(crisp[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], np.float32)


def _stroke_width(image: Ink) -> int:
    return 3 if float((image > 0.5).sum()) > 70 else 2


def _upstroke(image: Ink, rng: Rng) -> Ink:
    """A one with the upstroke of European hands, sometimes with a foot."""
    rows, columns = np.nonzero(image > 0.5)
    if not len(rows):
        return image
    top = rows.argmin()
    start = (float(columns[top]), float(rows[top]))
    height = float(rows.max() - rows.min())
    length = height * float(rng.uniform(0.22, 0.42))
    angle = float(rng.uniform(0.6, 1.1))
    end = (start[0] - length * np.cos(angle), start[1] + length * np.sin(angle))
    out = _line(image, start, end, _stroke_width(image))
    if rng.random() < 0.15:
        foot = rows.argmax()
        y, x = float(rows[foot]), float(columns[foot])
        out = _line(out, (x - 0.22 * height, y), (x + 0.22 * height, y), 2)
    return out


def _bar(image: Ink, rng: Rng) -> Ink:
    """A seven with the bar of European hands."""
    rows, columns = np.nonzero(image > 0.5)
    if not len(rows):
        return image
    y = rows.min() + (rows.max() - rows.min()) * float(rng.uniform(0.42, 0.62))
    stem = columns[np.abs(rows - y) < 1.5]
    middle = float(stem.mean()) if len(stem) else float(columns.mean())
    half = float(rng.uniform(3, 5.5))
    tilt = float(rng.uniform(-1.5, 1))
    return _line(image, (middle - half, y - tilt), (middle + half, y + tilt), 2)


def _line(image: Ink, start: tuple[float, float], end: tuple[float, float], width: int) -> Ink:
    """A soft line on a picture of 28 pixels, drawn large so that it is smooth."""
    large = np.zeros((28 * SUPER, 28 * SUPER), np.float32)
    a, b = ((round((x + 0.5) * SUPER), round((y + 0.5) * SUPER)) for x, y in (start, end))
    cv2.line(large, a, b, 1.0, width * SUPER, cv2.LINE_AA)
    return np.asarray(np.maximum(image, cv2.resize(large, (28, 28), interpolation=cv2.INTER_AREA)), np.float32)


def number(text: str, who: Hand, row: int, digits: Digits, rng: Rng) -> Ink:
    """A number, a dash or nothing, in a hand, for rows `row` pixels high."""
    if text == "":
        return np.zeros((1, 1), np.float32)
    if text == "-":
        return _dash(who, row, rng)
    height = who.size * row
    parts = []
    for character in text:
        shape = digit(int(character), who, digits, rng)
        scale = height * (1 + float(rng.normal(0, 0.06)) * who.steady) / (20 * SUPER)
        parts.append(_scaled(shape, scale))
    gaps = [round(row * (who.spacing + float(rng.normal(0, 0.025)) * who.steady)) for _ in parts[1:]]
    drops = [round(height * float(rng.normal(0, 0.04)) * who.steady) for _ in parts]
    tall = max(part.shape[0] for part in parts) + 2 * max(map(abs, drops), default=0) + 2
    width = sum(part.shape[1] for part in parts) + sum(max(gap, 0) for gap in gaps) + 2
    canvas = np.zeros((tall, width), np.float32)
    x = 0
    for i, (part, drop) in enumerate(zip(parts, drops, strict=True)):
        if i:
            x = max(0, x + gaps[i - 1])
        y = int(np.clip((tall - part.shape[0]) // 2 + drop, 0, tall - part.shape[0]))
        place = canvas[y : y + part.shape[0], x : x + part.shape[1]]
        np.maximum(place, part[:, : place.shape[1]], out=place)
        x += part.shape[1]
    return canvas


def _scaled(shape: Ink, scale: float) -> Ink:
    size = max(2, round(shape.shape[1] * scale)), max(2, round(shape.shape[0] * scale))
    return np.asarray(cv2.resize(shape, size, interpolation=cv2.INTER_AREA), np.float32)


def _pen_width(who: Hand, row: int) -> int:
    return max(2, round(row * (0.055 + 0.09 * who.thickness)))


def _dash(who: Hand, row: int, rng: Rng) -> Ink:
    length = round(row * float(rng.uniform(0.3, 1.0)))
    canvas = np.zeros((row // 2, length + 8), np.float32)
    rise = round(float(rng.normal(0, 0.05)) * length)
    middle = row // 4
    points = [(4, middle + rise), (4 + length // 2, middle + int(rng.integers(-2, 3))), (4 + length, middle - rise)]
    cv2.polylines(canvas, [np.array(points, np.int32)], False, 1.0, _pen_width(who, row), cv2.LINE_AA)
    return canvas


def crossed_out(shape: Ink, who: Hand, row: int, rng: Rng) -> Ink:
    """What was written, struck through or scribbled over."""
    canvas = np.pad(shape, row // 8)
    rows, columns = canvas.shape
    strokes = int(rng.integers(1, 4)) if rng.random() < 0.6 else int(rng.integers(5, 9))
    points = []
    for i in range(strokes + 1):
        side = 0.05 if i % 2 == 0 else 0.95
        points.append((columns * (side + rng.normal(0, 0.04)), rows * rng.uniform(0.2, 0.8)))
    if strokes >= 5:
        cv2.polylines(canvas, [np.array(points, np.int32)], False, 1.0, _pen_width(who, row), cv2.LINE_AA)
    else:
        for _ in range(strokes):
            tilt = float(rng.uniform(-0.35, 0.35))
            a = (round(0.02 * columns), round(rows * (0.5 + tilt)))
            b = (round(0.98 * columns), round(rows * (0.5 - tilt)))
            cv2.line(canvas, a, b, 1.0, _pen_width(who, row), cv2.LINE_AA)
    return canvas


def entry(text: str, who: Hand, row: int, digits: Digits, rng: Rng, corrected: float) -> Ink:
    """What stands in a cell; with probability `corrected` a wrong number is struck out before it."""
    shape = number(text, who, row, digits, rng)
    if text in ("", "-") or rng.random() >= corrected:
        return shape
    wrong = crossed_out(number(str(int(rng.integers(0, 40))), who, row, digits, rng), who, row, rng)
    gap = round(row * float(rng.uniform(0.05, 0.2)))
    tall = max(wrong.shape[0], shape.shape[0])
    canvas = np.zeros((tall, wrong.shape[1] + gap + shape.shape[1]), np.float32)
    for part, x in ((wrong, 0), (shape, wrong.shape[1] + gap)):
        y = (tall - part.shape[0]) // 2
        canvas[y : y + part.shape[0], x : x + part.shape[1]] = part
    return canvas
