"""How well photos are read: single squares, held-out boards, whole photos and rendered scenes, and how fast.

    python -m benchmarks.read --data FOLDER                     the whole table
    python -m benchmarks.read --data FOLDER --quick             a tenth of the rendered scenes
    python -m benchmarks.read --data FOLDER --part validation   what thresholds and temperatures are chosen on

Nothing measured in the test part was trained or tuned on: see `benchmarks/read_cases.py`. A kingdom that was read is
compared with the true one that it overlaps most, square by square where they lie in the photo and up to quarter turns;
what overlaps nothing is extra.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import cv2
import numpy as np

from benchmarks.figures import Figure, Form, at_most, count_right, count_wrong
from benchmarks.measure import arguments, decoded, parse_with_data, peak_memory, wilson
from benchmarks.read_cases import Case, Known, bare, boards, large_scenes, photos, scenes
from benchmarks.read_confidence import calibration_error, reliability, reliability_svg, thresholds
from benchmarks.scenes import KEEP
from models.train.classify_crops import as_shown, squares
from scorer.errors import NoKingdom
from scorer.render.splits import Part, labels
from scorer.rules import score
from scorer.rules.kingdom import Kingdom
from scorer.rules.notation import parse_square, square_text
from scorer.vision import models
from scorer.vision.classify import LABELS, WIDE_MARGIN, WIDE_SIZE, classify, inner
from scorer.vision.decode import decode
from scorer.vision.doubts import GROUND
from scorer.vision.load import load_photo
from scorer.vision.locate import crops, locate
from scorer.vision.reading import Reading, ReadKingdom, read_photo
from scorer.vision.rectify import Pyramid, frame
from scorer.vision.seen import heard, see

SCENES = 300
DIAGRAM = Path(__file__).parent / "reliability.svg"
SQUARES = {"photos": 0.995}
KINGDOMS = {
    "held-out boards": (1.0, "all"),
    "held-out boards_loose": (1.0, "all"),
    "photos": (7 / 8, "all but one"),
    "scenes": (0.98, "98 %"),
}
"""Least shares of squares right and of kingdoms exactly right."""
LEAST_OVERLAP = 0.3
"""Intersection over union from which a kingdom that was read is taken for a true one."""
TIMED, REPEATED = 5, 3

Result = TypeVar("Result")


@dataclass
class Tally:
    """Counts over photos of one kind. `plain` figures are before the box decodes; `flat` kingdoms have no standing
    castle; `strictly` excuses nothing."""

    name: str
    kingdoms: int = 0
    exact: int = 0
    strictly: int = 0
    plain_exact: int = 0
    flat: int = 0
    flat_doubtful: int = 0
    doubtful: int = 0
    silent: int = 0
    missing: int = 0
    extra: int = 0
    squares: int = 0
    right: int = 0
    plain_right: int = 0
    confidence: list[float] = field(default_factory=list)
    correct: list[bool] = field(default_factory=list)
    whole: list[tuple[float, bool, bool, float, bool]] = field(default_factory=list)
    """Of each kingdom: its least confidence (0 where the box could not lay it), whether it is flat, whether its score
    is wrong, how sure it is as a whole, whether all of it is right."""
    decode_ms: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def row(self) -> str:
        return (
            f"| {self.name} | {wilson(self.right, self.squares)} | {wilson(self.plain_right, self.squares)} "
            f"| {wilson(self.exact, self.kingdoms)} | {self.plain_exact} | {self.missing} | {self.extra} "
            f"| {self.doubtful} ({self.flat_doubtful} of {self.flat}) | {self.silent} |"
        )


HEADING = (
    "| photos | squares right | before the box | kingdoms exactly right | before the box | missing | extra "
    "| doubtful (without a standing castle) | wrong score without a doubt |\n" + "| --- " * 9 + "|"
)


def ground(cell: str) -> str:
    """Terrain and crowns of a cell, without what stands on it."""
    square = parse_square(cell)
    if square.terrain is None:
        return cell[0]
    return square_text(parse_square(f"{square.terrain[0]}{square.crowns or 0}"))


def total(grid: Iterable[Iterable[str]]) -> int:
    rows = tuple(tuple(parse_square(ground(cell)) for cell in row) for row in grid)
    return score([Kingdom(rows, rules="queendomino", queen="no")]).players[0].total


def overlap(one: np.ndarray, other: np.ndarray) -> float:
    """Intersection over union of two quads (4, 2)."""
    one, other = (np.asarray(quad, np.float32) for quad in (one, other))
    shared = cv2.intersectConvexConvex(cv2.convexHull(one), cv2.convexHull(other))[0]
    return shared / max(1.0, cv2.contourArea(one) + cv2.contourArea(other) - shared)


class Lying(Protocol):
    """Where a kingdom was found: corners (4, 2), quads (rows, columns, 4, 2), in photo pixels."""

    corners: Any
    quads: Any
    rows: int
    columns: int


def pairs(known: Sequence[Known], seen: Sequence[Lying]) -> list[tuple[int, int]]:
    """True and read kingdoms that belong together, those that overlap most first."""
    if len(known) == 1 and known[0].corners is None:
        largest = sorted(range(len(seen)), key=lambda j: -cv2.contourArea(np.array(seen[j].corners, np.float32)))
        return [(0, largest[0])] if largest else []
    shares = [(overlap(k.corners, np.array(s.corners)), i, j) for i, k in enumerate(known) for j, s in enumerate(seen)]
    chosen: list[tuple[int, int]] = []
    for share, i, j in sorted(shares, reverse=True):
        if share >= LEAST_OVERLAP and all(i != a and j != b for a, b in chosen):
            chosen.append((i, j))
    return chosen


def aligned(known: Known, seen: Lying) -> tuple[np.ndarray, np.ndarray]:
    """For every true place the read place there (row, column), -1 outside, (rows, columns, 2); and which read places
    are outside the true grid, bool (rows, columns) of the read grid."""
    rows, columns = len(known.grid), len(known.grid[0])
    at = np.stack(np.mgrid[0 : seen.rows, 0 : seen.columns], -1)
    if known.corners is None:
        centres = at + 0.5
    else:
        to_grid = cv2.getPerspectiveTransform(known.corners.astype(np.float32), frame(columns, rows))
        middles = seen.quads.mean(axis=2).reshape(-1, 1, 2).astype(np.float32)
        centres = cv2.perspectiveTransform(middles, to_grid).reshape(seen.rows, seen.columns, 2)[..., ::-1]
    true_at = np.floor(centres).astype(int)
    place = np.full((rows, columns, 2), -1)
    outside = np.ones((seen.rows, seen.columns), bool)
    for (r, c), (tr, tc) in zip(at.reshape(-1, 2), true_at.reshape(-1, 2), strict=True):
        if 0 <= tr < rows and 0 <= tc < columns:
            place[tr, tc] = r, c
            outside[r, c] = False
    return place, outside


def compare(tally: Tally, name: str, known: Known, seen: ReadKingdom) -> None:
    """Counts one kingdom; squares that cannot be seen whole may be wrong if they are doubted."""
    place, outside = aligned(known, seen)
    # Doubts about pieces do not excuse a misread terrain.
    doubted = {doubt.square for doubt in seen.doubts if doubt.code in GROUND}
    wrong, plain_wrong, excuses = [], 0, 0
    for r, row in enumerate(known.grid):
        for c, cell in enumerate(row):
            y, x = place[r, c]
            read, plain = (seen.grid[y][x], seen.decoded.plain[y][x]) if y >= 0 else (".", ".")
            same = ground(read) == ground(cell)
            tally.right += same
            tally.plain_right += ground(plain) == ground(cell)
            excused = (r, c) in known.hidden and (y, x) in doubted
            plain_wrong += ground(plain) != ground(cell) and (r, c) not in known.hidden
            sure = float(seen.decoded.confidence[y, x]) if y >= 0 else 1.0
            tally.confidence.append(sure)
            tally.correct.append(same)
            excuses += not same and excused
            if not same and not excused:
                wrong.append(f"{r},{c} {cell} read {read} ({sure:.3f}{'?' if (y, x) in doubted else ''})")
    for y, x in np.argwhere(outside):
        if seen.grid[y][x] != ".":
            wrong.append(f"beyond the grid: {seen.grid[y][x]} ({seen.confidence[y][x]:.3f})")
            plain_wrong += 1
    tally.exact += not wrong
    tally.strictly += not wrong and not excuses
    tally.plain_exact += not plain_wrong
    tally.doubtful += bool(doubted)
    tally.flat += not known.castle3d
    tally.flat_doubtful += not known.castle3d and bool(doubted)
    bad = bool(wrong) and total(seen.grid) != total(known.grid)
    least = 0.0 if seen.decoded.odd else float(seen.decoded.confidence.min())
    tally.whole.append((least, not known.castle3d, bad, seen.decoded.sure, not wrong))
    if wrong:
        silent = not doubted and bad
        tally.silent += silent
        tally.failures.append(f"{name}{' SILENT' if silent else ''}: {'; '.join(wrong)}")


def count(tally: Tally, case: Case, reading: Reading | None) -> None:
    """Counts one photo."""
    seen = reading.kingdoms if reading else ()
    matched = pairs(case.kingdoms, seen)
    for i, known in enumerate(case.kingdoms):
        tally.kingdoms += 1
        tally.squares += len(known.grid) * len(known.grid[0])
        j = next((b for a, b in matched if a == i), None)
        if j is None:
            tally.missing += 1
            # A photo without any kingdom is an error that everybody sees; one kingdom of several is not.
            tally.silent += bool(seen) and not reading.doubtful
            tally.failures.append(f"{case.name}: kingdom {i} not found")
        else:
            compare(tally, case.name, known, seen[j])
    for j in set(range(len(seen))) - {b for _, b in matched}:
        tally.extra += 1
        tally.silent += not seen[j].doubts
        tally.failures.append(f"{case.name}: {seen[j].rows}x{seen[j].columns} where there is no kingdom")
    if reading:
        tally.decode_ms.append(reading.timings_ms["decode"])


def read(case: Case) -> Reading | None:
    try:
        return read_photo(case.photo)
    except NoKingdom:
        return None


def tally_of(name: str, cases: Iterable[Case]) -> Tally:
    tally = Tally(name)
    for case in cases:
        count(tally, case, read(case))
    return tally


def shown_squares(data: Path, part: Part) -> Iterator[tuple[np.ndarray, list[str]]]:
    """The single squares of each sitting as the reader is shown them, with their labels."""
    sittings: dict[str, list[str]] = {}
    for label in labels(data, "squares", part).values():
        sittings.setdefault(label["sitting"], []).append(label["label"])
    for stored, cells in zip(squares(data, part), sittings.values(), strict=True):
        yield as_shown(stored.images), cells


def single_squares(data: Path, part: Part) -> tuple[int, int]:
    """Terrain and crowns together right, by the network alone."""
    right = total = 0
    for images, cells in shown_squares(data, part):
        seen = classify(inner(images)).argmax(axis=1)
        right += sum(LABELS[int(i)] == cell for i, cell in zip(seen, cells, strict=True))
        total += len(cells)
    return right, total


def speed(keep: Path, photos: int = TIMED) -> Iterator[Figure]:
    """Whole readings against plain Pillow decoding of the same 12-megapixel files, in CPU time, on one thread."""
    stages: dict[str, list[float]] = {}

    def take(name: str, work: Callable[[], Result]) -> Result:
        start = time.process_time()
        result = work()
        stages.setdefault(name, []).append(1000 * (time.process_time() - start))
        return result

    for case in large_scenes(photos, keep):
        file = case.photo
        assert isinstance(file, bytes)
        for _ in range(REPEATED):
            take("plain", lambda file=file: decoded(file))
            take("whole", lambda file=file: read_photo(file))
            photo = take("load", lambda file=file: load_photo(file))
            pyramid = Pyramid.of(photo.image)
            lattices = take("locate", lambda pyramid=pyramid: locate(pyramid))
            seen = take("classify", lambda p=photo, y=pyramid, found=lattices: see(p, y, found))
            squares = crops(pyramid, lattices[0], WIDE_SIZE, WIDE_MARGIN)
            take("networks", lambda squares=squares, y=pyramid, at=lattices[0]: heard(squares, y, at))
            take("decode", lambda seen=seen: decode([each.likely for each in seen]))
    middle = {name: float(np.median(taken)) for name, taken in stages.items()}
    plain = middle["plain"]
    note = f" ({', '.join(f'{name} {taken:.0f}' for name, taken in middle.items())} ms)"
    yield at_most("whole reading / plain decoding, 12 megapixels, CPU", middle["whole"] / plain, 4, note=note)
    yield at_most("networks, a square of 7x7", middle["networks"] / 49, 1, " ms")
    yield at_most("decoding by the box / plain decoding", middle["decode"] / plain, 0.5)
    memory = peak_memory("from scorer import read_photo; read_photo(photo)", file)
    yield at_most("peak memory of a reading, 12 megapixels", memory, 600, " MB", 0)


def tallies_of(data: Path, part: Part, number: int, keep: Path) -> list[Tally]:
    """Boards and photos are tests only."""
    tallies = []
    if part == "test":
        tallies += [tally_of(f"held-out {folder}", boards(data, folder)) for folder in ("boards", "boards_loose")]
        tallies.append(tally_of("photos", photos(data)))
    tallies.append(tally_of("scenes", scenes(data, part, number, keep)))
    tallies.append(tally_of("tables without a kingdom", bare(data, part, number // 5, keep)))
    return tallies


def sureness(tallies: list[Tally]) -> tuple[list[float], list[bool]]:
    """How sure every square was, and whether it was right."""
    confidence = [value for tally in tallies for value in tally.confidence]
    return confidence, [value for tally in tallies for value in tally.correct]


def figures(form: Form) -> Iterator[Figure]:
    data = form.photographs
    cv2.setNumThreads(1)
    yield from speed(KEEP, form.part(TIMED, least=1))
    yield count_right("single squares of held-out sittings, network alone: right", *single_squares(data, "test"), 0.993)
    number = form.part(SCENES, least=15)
    tallies = tallies_of(data, "test", number, KEEP)
    for tally in tallies[:-1]:
        yield count_right(f"{tally.name}: squares right", tally.right, tally.squares, SQUARES.get(tally.name))
        yield count_right(f"{tally.name}: squares right before the box", tally.plain_right, tally.squares)
        exact, (least, asked) = f"{tally.name}: kingdoms exactly right", KINGDOMS[tally.name]
        yield count_right(exact, tally.exact, tally.kingdoms, least, asked)
        yield count_right(f"{exact} before the box", tally.plain_exact, tally.kingdoms)
        yield count_right(f"{exact}, what is hidden too", tally.strictly, tally.kingdoms)
        yield count_right(f"{tally.name}: doubted, of those without a standing castle", tally.flat_doubtful, tally.flat)
        yield Figure(f"{tally.name}: kingdoms not found, and kingdoms where none is", f"{tally.missing}, {tally.extra}")
    yield count_wrong("tables without a kingdom: read as one", tallies[-1].extra, number // 5)
    silent, kingdoms = sum(tally.silent for tally in tallies), sum(tally.kingdoms for tally in tallies)
    yield count_wrong("wrong score without a doubt", silent, kingdoms)
    confidence, correct = sureness(tallies)
    error = calibration_error(confidence, correct)
    note = f" over {len(correct)} squares"
    yield at_most("expected calibration error", error, 0.01, digits=4, note=note, judged=True)
    if form.share == 1:
        DIAGRAM.write_text(reliability_svg(confidence, correct), encoding="utf-8")
    print(*(f"{tally.name}: {failure}" for tally in tallies for failure in tally.failures), sep="\n", file=sys.stderr)


def main() -> int:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--part", choices=["test", "validation"], default="test")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rendered scenes")
    parser.add_argument("--keep", type=Path, default=KEEP, help="where rendered photos are kept")
    parser.add_argument("--svg", type=Path, help="write the reliability diagram here")
    parser.add_argument("--no-times", action="store_true")
    options = parse_with_data(parser)
    data, number = options.data, SCENES // 10 if options.quick else SCENES
    print("models", models.ids())
    if not options.no_times:
        print(*speed(options.keep), sep="\n")
    print(f"single squares, network alone: {wilson(*single_squares(data, options.part))}")
    tallies = tallies_of(data, options.part, number, options.keep)
    print(HEADING)
    for tally in tallies:
        print(tally.row())
    confidence, correct = sureness(tallies)
    print(f"expected calibration error {calibration_error(confidence, correct):.4f} over {len(correct)} squares")
    print(reliability(confidence, correct))
    print(thresholds(one for tally in tallies for one in tally.whole))
    decoding = [taken for tally in tallies for taken in tally.decode_ms]
    print(f"decoding by the box: median {np.median(decoding):.0f} ms, 95 % below {np.percentile(decoding, 95):.0f} ms")
    if options.svg:
        options.svg.write_text(reliability_svg(confidence, correct), encoding="utf-8")
    for tally in tallies:
        for failure in tally.failures:
            print(f"  {tally.name}: {failure}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
