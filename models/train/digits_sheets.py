"""Photos of filled-in pads that never were: our own printed pad and ruled sheets, written on and photographed.

python -m models.train.digits_sheets --count 4 --out runs/sheets      writes pictures to look at
"""

from __future__ import annotations

import argparse
import functools
import itertools
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pypdfium2  # type: ignore[import-untyped]
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from models.train.digits_hand import Hand, Ink, entry, hand
from models.train.digits_mnist import Digits, digits
from scorer.pads.print import arrange, pad_pdf
from scorer.pads.sheet import Sheet, unnamed
from scorer.render.photograph import Effects, develop, illuminate
from scorer.render.tables import DrawnTables
from scorer.rules.play import rules_named
from scorer.texts import LANGUAGES, translator
from scorer.vision.rectify import Floats, Image, project

Rng = np.random.Generator
ROW = 64
"""Pixels a row is high on the paper before it is photographed."""
EDGE = 0.7
"""Paper around a table at least, in rows."""
WRONG_SUM = 0.07
"""People who add wrongly."""
CORRECTED = 0.03
EFFECTS = Effects(glare=0.12, motion=0.08, defocus=0.5, strength=0.8)
FONT = str(Path(__file__).parents[2] / "scorer" / "pads" / "fonts" / "DejaVuSans-subset.ttf")


@dataclass(frozen=True)
class Paper:
    """A sheet of paper: picture uint8 RGB, its cells for numbers (lines, columns, 4, 2), what they mean."""

    image: Image
    quads: Floats
    rows: tuple[str, ...]
    printed: bool
    """Our own pad, with marks."""


@dataclass(frozen=True)
class SheetPhoto:
    """A photo, and the truth: quads of the number cells in its pixels; texts[column][line]."""

    image: Image
    quads: Floats
    texts: tuple[tuple[str, ...], ...]
    rows: tuple[str, ...]
    printed: bool


def _quads(boxes: NDArray[np.float64]) -> Floats:
    """Boxes (..., 4) left, top, right, bottom as corners (..., 4, 2)."""
    left, top, right, bottom = np.moveaxis(boxes, -1, 0)
    corners = [np.stack(point, -1) for point in ((left, top), (right, top), (right, bottom), (left, bottom))]
    return np.stack(corners, -2).astype(np.float32)


@functools.lru_cache(maxsize=64)
def _printed(sheet: Sheet, language: str, per_sheet: int) -> Image:
    """The page as the printer lays it down, rows ROW pixels high."""
    _, places = arrange(sheet, "a4", per_sheet)
    page = pypdfium2.PdfDocument(pad_pdf(sheet, translator(language), per_sheet=per_sheet))[0]
    scale = ROW / places[0].row * 25.4 / 72
    return np.asarray(page.render(scale=scale).to_numpy()[..., :3][..., ::-1]).copy()


def printed_paper(rng: Rng, least: int = 1) -> Paper:
    """Our own pad, the paper cut at random beyond its marks or whole."""
    rules = str(rng.choice(["queendomino", "queendomino", "royal-wedding", "xxxl", "kingdomino"]))
    quests = unnamed(4) if rules == "xxxl" else ()
    language = str(rng.choice(LANGUAGES))
    sheet = Sheet(rules, int(rng.integers(least, 7)), quests=quests, mirrored=language == "he")
    page = _printed(sheet, language, 1)
    _, places = arrange(sheet, "a4", 1)
    row = places[0].row
    x, y = places[0].x / row * ROW, places[0].y / row * ROW
    spare = EDGE * ROW * rng.uniform(0.5, 2, 4)
    low = np.maximum(0, np.array([x, y]) - spare[:2]).astype(int)
    high = (np.array([x + sheet.width * ROW, y + sheet.height * ROW]) + spare[2:]).astype(int)
    boxes = np.array(
        [[sheet.box(line + 1, c + 1) for c in range(sheet.columns)] for line in range(len(sheet.rows))], np.float64
    )
    quads = _quads(boxes * ROW + np.array([x, y, x, y]) - np.tile(low, 2))
    return Paper(page[low[1] : high[1], low[0] : high[0]].copy(), quads, sheet.rows, True)


def ruled_paper(rng: Rng, least: int = 1) -> Paper:
    """A sheet laid out as the book's pad: labels on the left, 13 or 14 rows and a total, 1 to 6 columns."""
    count = int(rng.choice([13, 13, 14]))
    columns = int(rng.integers(least, 7))
    header = bool(rng.random() < 0.6)
    cell = float(rng.uniform(1.3, 2.8)) * ROW
    label = float(rng.uniform(1.2, 5)) * ROW
    border = (EDGE * ROW * rng.uniform(0.6, 2.5, 4)).astype(int)
    lines = count + 1 + header
    xs = border[0] + np.concatenate([[0], label + cell * np.arange(columns + 1)])
    ys = border[1] + ROW * np.arange(lines + 1)
    width, height = int(xs[-1] + border[2]), int(ys[-1] + border[3])
    white = np.array([rng.uniform(235, 255), rng.uniform(232, 252), rng.uniform(205, 250)])
    image = np.full((height, width, 3), white, np.float32)
    if rng.random() < 0.35:
        _tints(image, xs, ys, rng)
    canvas = np.clip(image, 0, 255).astype(np.uint8)
    _labels(canvas, xs, ys, header, rng)
    grey = int(rng.integers(10, 110))
    colour = (grey, grey, grey) if rng.random() < 0.7 else tuple(int(v) for v in rng.integers(20, 130, 3))
    thick = int(rng.integers(2, 5))
    wobble = float(rng.uniform(0, 2.0)) if rng.random() < 0.3 else 0.0
    for i, y in enumerate(ys):
        strong = thick + (2 if i in (0, lines - 1, lines) and rng.random() < 0.5 else 0)
        _rule(canvas, (xs[0], y), (xs[-1], y), colour, strong, wobble, rng)
    for x in xs:
        _rule(canvas, (x, ys[0]), (x, ys[-1]), colour, thick, wobble, rng)
    top = ys[int(header) :]
    boxes = np.array([[(xs[c + 1], a, xs[c + 2], b) for c in range(columns)] for a, b in itertools.pairwise(top)])
    pad = rules_named("queendomino").pad
    rows = (*pad, *(("other",) if count == 14 else ()), "total")
    return Paper(canvas, _quads(boxes), rows, False)


def _tints(image: NDArray[np.float32], xs: NDArray[np.float64], ys: NDArray[np.int64], rng: Rng) -> None:
    """Printed pads tint their rows in the colours of the terrains."""
    whole = rng.random() < 0.5
    for a, b in itertools.pairwise(ys):
        tint = 1 - rng.uniform(0.0, 0.22, 3)
        image[a:b, int(xs[0]) : int(xs[-1] if whole else xs[1])] *= tint


def _labels(canvas: Image, xs: NDArray[np.float64], ys: NDArray[np.int64], header: bool, rng: Rng) -> None:
    """Words or little pictures in the first column, scribbled names above the others."""
    words = rng.random() < 0.5
    picture = Pillow.fromarray(canvas)
    draw = ImageDraw.Draw(picture)
    ink = tuple(int(v) for v in rng.integers(0, 90, 3))
    font = ImageFont.truetype(FONT, int(ROW * rng.uniform(0.3, 0.5)))
    names = [
        translator(str(rng.choice(LANGUAGES)))(name) for name in ("wheat", "forest", "lake", "swamp", "mine", "town")
    ]
    for a in ys[int(header) : -1]:
        if words:
            draw.text((xs[0] + 8, a + ROW * 0.2), str(rng.choice(names))[: int((xs[1] - xs[0]) / ROW * 2.6)], ink, font)
        else:
            side = ROW * float(rng.uniform(0.4, 0.8))
            x = xs[0] + float(rng.uniform(0.1, 0.9)) * max(1.0, xs[1] - xs[0] - side)
            box = (x, a + (ROW - side) / 2, x + side, a + (ROW + side) / 2)
            fill = tuple(int(v) for v in rng.integers(30, 240, 3))
            (draw.ellipse if rng.random() < 0.5 else draw.rectangle)(box, fill=fill, outline=ink)
    if header and rng.random() < 0.8:
        for left, right in itertools.pairwise(xs[1:]):
            count = int(rng.integers(6, 14))
            x = np.linspace(left + 12, right - 12, count)
            y = ys[0] + ROW * (0.5 + rng.uniform(-0.25, 0.25, count))
            draw.line(list(zip(x, y, strict=True)), fill=(30, 30, 60), width=3)
    canvas[:] = np.asarray(picture)


def _rule(
    canvas: Image,
    start: tuple[float, float],
    end: tuple[float, float],
    colour: tuple[int, ...],
    width: int,
    wobble: float,
    rng: Rng,
) -> None:
    steps = 12 if wobble else 2
    share = np.linspace(0, 1, steps)[:, None]
    points = np.array(start) * (1 - share) + np.array(end) * share + rng.normal(0, 1, (steps, 2)) * wobble
    cv2.polylines(canvas, [points.round().astype(np.int32)], False, colour, width, cv2.LINE_AA)


def column_texts(rows: int, who: Hand, rng: Rng, *, training: bool) -> tuple[str, ...]:
    """A column as people fill it in, last its total; or for training, with all digits alike often."""
    if training:
        return tuple(any_number(rng) for _ in range(rows))
    values = []
    for _ in range(rows - 1):
        if rng.random() < 0.3:
            values.append(0)
        elif rng.random() < 0.6:
            values.append(int(rng.integers(1, 10)))
        else:
            values.append(int(rng.integers(1, 8) * rng.integers(1, 8)))
    total = sum(values)
    if rng.random() < WRONG_SUM:
        total = max(0, total + int(rng.choice([-10, -3, -2, -1, 1, 2, 3, 10])))
    blank = {"mixed": ("0", "-", "")}.get(who.zero, (who.zero,))
    texts = [str(value) if value else str(rng.choice(blank)) for value in values]
    return (*texts, str(total))


def any_number(rng: Rng) -> str:
    """A cell with all digits alike often."""
    kind = rng.random()
    if kind < 0.06:
        return ""
    if kind < 0.12:
        return "-"
    if kind < 0.5:
        return str(int(rng.integers(0, 10)))
    return str(int(rng.integers(10, 100) if kind < 0.85 else rng.integers(100, 400)))


def write(paper: Paper, texts: tuple[tuple[str, ...], ...], hands: list[Hand], source: Digits, rng: Rng) -> Image:
    """The paper with numbers in its cells, uint8."""
    image = paper.image.astype(np.float32)
    for c, (column, who) in enumerate(zip(texts, hands, strict=True)):
        for line, text in enumerate(column):
            quad = paper.quads[line, c]
            shape = entry(text, who, ROW, source, rng, CORRECTED)
            room = float(quad[1, 0] - quad[0, 0]) * 0.94
            if shape.shape[1] > room:
                scale = room / shape.shape[1]
                shape = cv2.resize(shape, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            middle = quad.mean(axis=0)
            free = np.maximum(0, [(room - shape.shape[1]) / 2, (ROW - shape.shape[0]) / 2])
            x, y = middle - np.array(shape.shape[::-1]) / 2 + free * np.clip(rng.normal(0, 0.35, 2), -0.9, 0.9)
            _lay(image, shape, round(float(x)), round(float(y)), who, rng)
    return np.clip(image, 0, 255).astype(np.uint8)


def _lay(image: NDArray[np.float32], shape: Ink, x: int, y: int, who: Hand, rng: Rng) -> None:
    low_x, low_y = max(0, x), max(0, y)
    place = image[low_y : y + shape.shape[0], low_x : x + shape.shape[1]]
    cover = shape[low_y - y :, low_x - x :][: place.shape[0], : place.shape[1], None] * who.strength
    if who.strength < 0.8:
        cover = cover * (1 - 0.25 * rng.random(cover.shape[:2], np.float32)[..., None])
    place *= 1 - cover
    place += cover * np.array(who.colour, np.float32)


def photograph(
    paper: Image, quads: Floats, size: tuple[int, int], rng: Rng, *, turn: float = 0.0
) -> tuple[Image, Floats]:
    """The paper on a table, tilted, bent a little, in bad light: the photo, and the cells in its pixels."""
    width, height = size
    rows, columns = paper.shape[:2]
    bend, waves = float(rng.normal(0, 0.06)) * ROW, float(rng.uniform(0.5, 1.2))
    phase = float(rng.uniform(0, 2 * np.pi))

    def rise(x: NDArray[np.floating]) -> NDArray[np.floating]:
        return bend * np.sin(2 * np.pi * waves * x / columns + phase)

    fit = min(width / columns, height / rows) * float(rng.uniform(0.72, 0.95))
    corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float64)
    angle = np.radians(float(rng.normal(0, 4)) + turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    target = (corners - corners.mean(axis=0)) * fit @ spin.T
    target *= 1 + rng.uniform(-0.07, 0.07, (4, 1))
    target += rng.normal(0, 0.012, (4, 2)) * min(size)
    excess = (target.max(axis=0) - target.min(axis=0)) / (np.array(size) * 0.97)
    target /= max(1.0, float(excess.max()))
    slack = np.maximum(0, np.array(size) * 0.98 - (target.max(axis=0) - target.min(axis=0)))
    target += np.array(size) * 0.01 - target.min(axis=0) + slack * rng.uniform(0, 1, 2)
    homography = np.asarray(
        cv2.getPerspectiveTransform(corners.astype(np.float32), target.astype(np.float32)), np.float64
    )
    inverse = np.linalg.inv(homography)
    table = DrawnTables().table(512, rng)
    scene = cv2.resize(table, (width, height), interpolation=cv2.INTER_LINEAR)
    grid = np.stack(np.meshgrid(np.arange(0, width + 16, 16), np.arange(0, height + 16, 16)), -1).astype(np.float64)
    back = project(grid, inverse)
    back[..., 1] -= rise(back[..., 0])
    full = [
        cv2.resize(back[..., i], (grid.shape[1] * 16, grid.shape[0] * 16), interpolation=cv2.INTER_LINEAR)
        for i in (0, 1)
    ]
    # cv2.resize puts its samples at the middle of blocks: shift back to their corners.
    maps = [np.roll(part, (-8, -8), (0, 1))[:height, :width].astype(np.float32) for part in full]
    shrink = max(1, int(1 / fit))
    if shrink > 1:
        paper = cv2.resize(paper, (columns // shrink, rows // shrink), interpolation=cv2.INTER_AREA)
        maps = [part / shrink for part in maps]
    elif fit < 0.9:
        paper = cv2.GaussianBlur(paper, (0, 0), 0.45 / fit)
    laid = cv2.remap(paper, maps[0], maps[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside = ((maps[0] >= 0) & (maps[1] >= 0) & (maps[0] < paper.shape[1]) & (maps[1] < paper.shape[0])).astype(
        np.uint8
    )
    soft = cv2.GaussianBlur(cv2.resize(inside, None, fx=0.25, fy=0.25).astype(np.float32), (0, 0), 2)
    shadow = cv2.resize(1 - 0.35 * soft, (width, height))
    scene = cv2.multiply(scene, cv2.merge([shadow] * 3), dtype=cv2.CV_8U)
    cv2.copyTo(laid, inside, scene)
    lit = illuminate(np.asarray(scene, np.uint8), np.zeros((height, width), np.uint8), EFFECTS, rng)
    photo = develop(lit, EFFECTS, rng, ROW * fit * 0.6)
    bent = quads.copy()
    bent[..., 1] += rise(bent[..., 0])
    return photo, project(bent, homography)


def sheet_photo(
    seed: int,
    source: Digits,
    *,
    printed: bool,
    training: bool = False,
    longest: int = 2016,
    least_columns: int = 1,
) -> SheetPhoto:
    """One photo with its truth; equal seeds give equal photos."""
    rng = np.random.default_rng(seed)
    paper = (printed_paper if printed else ruled_paper)(rng, least_columns)
    lines, columns = paper.quads.shape[:2]
    hands = [hand(rng) for _ in range(columns)]
    if rng.random() < 0.6:
        # One player keeps the pad.
        hands = hands[:1] * columns
    texts = tuple(column_texts(lines, who, rng, training=training) for who in hands)
    written = write(paper, texts, hands, source, rng)
    shortest = longest * 3 // 4
    size = (shortest, longest) if written.shape[0] > written.shape[1] else (longest, shortest)
    image, quads = photograph(written, paper.quads, size, rng)
    return SheetPhoto(image, quads, texts, paper.rows, paper.printed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    source = digits("test")
    for seed in range(options.seed, options.seed + options.count):
        photo = sheet_photo(seed, source, printed=seed % 2 == 0)
        cv2.imwrite(str(options.out / f"{seed}.jpg"), photo.image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])


if __name__ == "__main__":
    main()
