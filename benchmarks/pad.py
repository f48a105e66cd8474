"""How well pads are read from photos, how surely slips are found, how fast, and what is refused.

    python -m benchmarks.pad                  everything: 1,000 photos, 2,000 slips
    python -m benchmarks.pad --photos 100     fewer photos
    python -m benchmarks.pad --keep FOLDER    renders photos only once

Photos are rendered with digits of MNIST's test part, which training never sees, half of them of our own printed pad,
half of ruled sheets; seven in a hundred columns are added wrongly on purpose.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from benchmarks.measure import arguments, decoded, jpeg, medians, wilson
from benchmarks.pad_slips import SLIPS, slipped
from models.train.digits_mnist import Digits, digits
from models.train.digits_sheets import photograph, printed_paper, ruled_paper, sheet_photo
from scorer.errors import NoPad
from scorer.pads.check import check_pad
from scorer.render import DrawnTables
from scorer.vision.pads.columns import alone
from scorer.vision.pads.reading import PadReading, read_pad_photo
from scorer.vision.rectify import Image

SEED = 7_000_000
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

    def row(self) -> str:
        return (
            f"| {self.name} | {wilson(self.cells_alone, self.cells)} | {wilson(self.cells_right, self.cells)} "
            f"| {wilson(self.alone, self.columns)} | {wilson(self.right, self.columns)} "
            f"| {wilson(self.silent, self.columns)} | {self.doubtful} | {self.refused} |"
        )


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


def photos(count: int, source: Digits, keep: Path | None) -> tuple[Tally, Tally]:
    tallies = Tally("our printed pad"), Tally("ruled sheets")
    for seed in range(SEED, SEED + count):
        file, texts = rendered(seed, source, keep)
        try:
            reading: PadReading | None = read_pad_photo(file)
        except NoPad as error:
            reading = None
            print(f"  {seed}: {error}", file=sys.stderr)
        compare(tallies[seed % 2], seed, texts, reading)
    return tallies


def slips(count: int) -> Iterator[str]:
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
    yield "| slip | pads | found | reason that gives the number | true reason |"
    yield "| --- | --- | --- | --- | --- |"
    for kind in SLIPS:
        yield f"| {kind} | {made[kind]} | {found[kind]} | {named[kind]} | {true[kind]} |"
    yield f"| all | {made.total()} | {found.total()} | {named.total()} | {true.total()} |"


def refusals(source: Digits) -> Iterator[str]:
    """Photos that must not be read: how many of each kind were refused."""
    kinds = {"blank pads": blank, "upside down, ruled": upside_down, "torn": torn, "bare tables": bare}
    for name, make in kinds.items():
        refused, read = 0, 0
        for seed in range(SEED, SEED + REFUSALS):
            image = make(seed, source)
            try:
                read_pad_photo(jpeg(image))
                read += 1
            except NoPad:
                refused += 1
        yield f"| {name} | {refused} of {refused + read} |"
    turned = 0
    for seed in range(SEED, SEED + 2 * REFUSALS, 2):
        photo = sheet_photo(seed, source, printed=True, longest=LONGEST)
        upright, other = (read_pad_photo(jpeg(image)).pad.players for image in (photo.image, photo.image[::-1, ::-1]))
        turned += upright == other
    yield f"| upside down, our pad: read as upright | {turned} of {REFUSALS} |"


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


def speed(source: Digits) -> str:
    """A whole reading against plain Pillow decoding of the same 12-megapixel file."""
    texts = []
    for printed in (True, False):
        photo = sheet_photo(SEED, source, printed=printed, longest=TWELVE_MEGAPIXELS, least_columns=6)
        file = jpeg(photo.image)
        read_pad_photo(file)
        plain, whole = medians(lambda file=file: decoded(file), lambda file=file: read_pad_photo(file))
        texts.append(f"{'our pad' if printed else 'ruled sheet'} {whole / plain:.2f}")
    return f"whole reading of a 12-megapixel photo, times its plain decoding: {', '.join(texts)}"


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--photos", type=int, default=PHOTOS)
    parser.add_argument("--slips", type=int, default=PADS)
    parser.add_argument("--part", choices=["photos", "slips", "refusals", "speed"])
    parser.add_argument("--keep", type=Path, help="Keep the rendered photos in this folder.")
    parser.add_argument("--failures", type=Path, help="Write the failures to this file.")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    source = digits("test")
    if options.part in (None, "slips"):
        print(*slips(options.slips), sep="\n")
    if options.part in (None, "speed"):
        print(speed(source))
    if options.part in (None, "refusals"):
        print("| photos | refused |\n| --- | --- |", *refusals(source), sep="\n")
    if options.part in (None, "photos"):
        print(
            "| photos | cells right alone | cells right | columns right alone | columns right "
            "| wrong without a doubt | doubtful columns | refused photos |\n" + "| --- " * 8 + "|"
        )
        tallies = photos(options.photos, source, options.keep)
        for tally in tallies:
            print(tally.row())
        print(f"wrong sums told: {sum(t.sums_found for t in tallies)} of {sum(t.sums for t in tallies)}")
        if options.failures:
            options.failures.write_text("\n".join(line for tally in tallies for line in tally.failures) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
