"""How well kingdoms are located: on real photos, on rendered test scenes, on tables without any, and how fast.

    python -m benchmarks.locate --data FOLDER                the whole table
    python -m benchmarks.locate --data FOLDER --share 0.1    a tenth of the scenes
    python -m benchmarks.locate --method classical           the same for the method without networks
    python -m benchmarks.locate --method trial --only scenes touching    scenes to choose by: tiles and tables of
                                                             training, the tables in other colours and mixed

Test scenes use seeds from one million up, sittings of squares and textures that training never sees.  A kingdom counts
as exactly located when rows, columns and every tile or empty place are right; corners are compared in widths of the
square at that corner.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageOps

from benchmarks.figures import Figure, Form, at_most, count_right, count_wrong
from benchmarks.measure import arguments, decoded, jpeg, medians, peak_memory
from benchmarks.scenes import BARE_SEED, FIRST_SEED, UNSEEN, kept, scene_recipe
from scorer.render import Recipe, TrueKingdom, VariedTables, bare_tables, render
from scorer.vision import locate as located
from scorer.vision import spot, straighten
from scorer.vision.lattice import grow
from scorer.vision.locate import Lattice
from scorer.vision.rectify import Pyramid, project

TOUCHING_SEED = 3_000_000
METHODS = {
    "networks": ("scorer.vision.locate", "locate"),
    "classical": ("benchmarks.locate_classical", "locate_classically"),
    "trial": ("scorer.vision.locate", "locate"),
}
TRIAL = 3_000_000, 2_000_000
"""How far the seeds of scenes to choose by are from those of test scenes, apart and touching."""
PARTS = ("time", "real", "alarms", "scenes", "touching")
SCENES, TOUCHING, TABLES, TEXTURES = 1000, 200, 200, 900
Locator = Callable[[NDArray[np.uint8]], list[Lattice]]
Job, Answer = TypeVar("Job"), TypeVar("Answer")


@dataclass
class Tally:
    """Counts over many kingdoms."""

    kingdoms: int = 0
    exact: int = 0
    found: int = 0
    upright: int = 0
    extra: int = 0
    places: int = 0
    places_right: int = 0
    corner_errors: list[float] = field(default_factory=list)
    groups: dict[str, Counter[bool]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Verdict:
    """How one true kingdom was located: places counted over its bounding box, but for tiles that nobody can see."""

    found: bool
    exact: bool
    upright: bool
    places: int
    places_right: int
    corner_errors: tuple[float, ...]


def judge(truth: TrueKingdom, lattices: list[Lattice]) -> tuple[Verdict, int | None]:
    """Compares with the lattice that covers most of the kingdom's places; also gives its number."""
    true_tiles = np.array([[cell != "." for cell in line] for line in truth.grid])
    castle = np.array([[cell == "C" for cell in line] for line in truth.grid])
    asked = castle | ~(truth.hidden > UNSEEN)
    rows, columns = true_tiles.shape
    middles = truth.quads.mean(2).reshape(-1, 2)
    best, number, lying = 0.0, None, np.zeros((rows, columns), bool)
    for index, lattice in enumerate(lattices):
        at = np.floor(project(middles, np.linalg.inv(lattice.homography))).astype(int)
        inside = (at >= 0).all(1) & (at[:, 0] < lattice.columns) & (at[:, 1] < lattice.rows)
        holds = np.zeros(len(at), bool)
        holds[inside] = lattice.occupied[at[inside, 1], at[inside, 0]] > 0.5
        holds = holds.reshape(rows, columns)
        overlap = float((holds & true_tiles).sum()) / true_tiles.sum()
        if overlap > best:
            best, number, lying = overlap, index, holds
    if number is None:
        right = int((~true_tiles).sum())
        return Verdict(False, False, False, int(asked.sum()), right, ()), None
    lattice = lattices[number]
    right = int((lying == true_tiles)[asked].sum())
    beyond = int((lattice.occupied > 0.5).sum() - lying.sum())
    errors = [corner_errors(truth, np.roll(lattice.corners, turn, axis=0)) for turn in range(4)]
    turn = int(np.argmin([max(error) for error in errors]))
    size = (lattice.rows, lattice.columns) if turn % 2 == 0 else (lattice.columns, lattice.rows)
    exact = right == int(asked.sum()) and not beyond and size == (rows, columns) and max(errors[turn]) < 0.5
    return Verdict(True, exact, turn == 0, int(asked.sum()), right, errors[turn]), number


def corner_errors(truth: TrueKingdom, corners: NDArray[np.float32]) -> tuple[float, ...]:
    quads = (truth.quads[0, 0], truth.quads[0, -1], truth.quads[-1, -1], truth.quads[-1, 0])
    errors = []
    for true, seen, quad in zip(truth.corners, corners, quads, strict=True):
        side = math.sqrt(abs(float(cv2.contourArea(quad.astype(np.float32)))))
        errors.append(float(np.linalg.norm(true - seen)) / side)
    return tuple(errors)


def _judge_scene(job: tuple[int, Path, bool, str]) -> tuple[int, list[Verdict], int, dict[str, str]]:
    number, data, touching, method = job
    cv2.setNumThreads(1)
    trial = method == "trial"
    recipe, groups = scene_recipe(number, data, touching, "train" if trial else "test")
    if trial:
        recipe = replace(recipe, tables=VariedTables(recipe.tables))
    seed = (TOUCHING_SEED if touching else FIRST_SEED) + (TRIAL[touching] if trial else 0)
    photo, kingdoms = kept(seed + number, recipe)
    lattices = locator(method)(decoded(photo))
    judged = [judge(kingdom, lattices) for kingdom in kingdoms]
    matched = {index for _, index in judged}
    return number, [verdict for verdict, _ in judged], len(set(range(len(lattices))) - matched), groups


def each(work: Callable[[Job], Answer], jobs: list[Job], form: Form) -> Iterable[Answer]:
    """The answers in order, by a process for each of two cores; the short form starts none."""
    if form.short:
        yield from map(work, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        yield from pool.imap(work, jobs, chunksize=4)


def tally_scenes(form: Form, touching: bool, method: str) -> Tally:
    tally = Tally()
    whole = TOUCHING if touching else SCENES
    numbers = range(0, whole, whole // form.part(whole, least=2 if touching else 6))
    work = [(number, form.photographs, touching, method) for number in numbers]
    for number, verdicts, extra, groups in each(_judge_scene, work, form):
        tally.extra += extra
        good = all(verdict.exact for verdict in verdicts)
        if not good or extra:
            tally.failures.append(str(number))
        for verdict in verdicts:
            tally.kingdoms += 1
            tally.found += verdict.found
            tally.exact += verdict.exact
            tally.upright += verdict.exact and verdict.upright
            tally.places += verdict.places
            tally.places_right += verdict.places_right
            tally.corner_errors += verdict.corner_errors if verdict.found else ()
            for name, value in groups.items():
                tally.groups.setdefault(f"{name} {value}", Counter())[verdict.exact] += 1
    return tally


def apart(form: Form, method: str) -> Iterator[Figure]:
    """Kingdoms at least a third of a square apart."""
    tally = tally_scenes(form, False, method)
    errors = np.array(tally.corner_errors or [np.nan])
    title = "scenes, kingdoms apart"
    yield count_right(f"{title}: exactly right", tally.exact, tally.kingdoms, 0.99)
    yield count_right(f"{title}: found at all", tally.found, tally.kingdoms)
    yield count_right(f"{title}: of the exact, upright as the truth", tally.upright, tally.exact)
    yield Figure(f"{title}: lattices where no kingdom is", str(tally.extra))
    yield count_right(f"{title}: tile or no tile right", tally.places_right, tally.places, 0.999)
    yield at_most(f"{title}: median corner error", float(np.median(errors)), 0.04, " squares", 3, judged=True)
    far = float(np.percentile(errors, 99))
    yield at_most(f"{title}: corner error, 99th percentile", far, 0.2, " squares", 3, judged=True)
    for name, counts in sorted(tally.groups.items()):
        yield count_right(f"{title}, {name}: exactly right", counts[True], counts.total())
    print(f"scenes with a failure: {' '.join(tally.failures) or 'none'}", file=sys.stderr)


def touching(form: Form, method: str) -> Iterator[Figure]:
    tally = tally_scenes(form, True, method)
    yield count_right("scenes, kingdoms that touch: exactly right", tally.exact, tally.kingdoms, 0.9)
    print(f"scenes with a failure: {' '.join(tally.failures) or 'none'}", file=sys.stderr)


def load(path: Path) -> NDArray[np.uint8]:
    with Pillow.open(path) as picture:
        return np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))


def real_pictures(data: Path) -> Iterator[tuple[str, Path, list[list[str]], NDArray[np.float32] | None]]:
    """group, file, grid and, where known, corners of every real picture that shows one whole kingdom."""
    for name, label in json.loads((data / "photos.json").read_text()).items():
        kingdom = label["kingdoms"][0]
        yield "real photos", data / "photos" / name, kingdom["grid"], np.array(kingdom["corners"], np.float32)
    labels = json.loads((data / "queendomino" / "photos.json").read_text())
    for name in ("16.jpg", "18.jpg"):
        yield "Queendomino 16 and 18", data / "queendomino" / "photos" / name, labels[name]["grid"], None
    for folder in ("boards", "boards_loose"):
        for name, label in json.loads((data / f"{folder}.json").read_text()).items():
            held = "held out" if label["game"] in (5, 6) else "trained on"
            yield f"{folder}, {held}", data / folder / name, label["grid"], None


def real(form: Form, method: str) -> Iterator[Figure]:
    find = locator(method)
    totals: dict[str, list[int]] = {}
    wrong = []
    for group, path, grid, corners in real_pictures(form.photographs):
        if form.short and group.endswith("trained on"):
            continue
        lattices = find(load(path))
        true = np.array([[cell != "." for cell in line] for line in grid])
        one = lattices[0] if lattices else None
        sized = one is not None and len(lattices) == 1 and (one.rows, one.columns) == true.shape
        lies = one is not None and sized and bool(((one.occupied > 0.5) == true).all())
        count = totals.setdefault(group, [0, 0, 0])
        count[0] += 1
        count[1] += sized
        count[2] += lies
        if not lies or group == "real photos":
            seen = " ".join(f"{found.rows}x{found.columns}/{int((found.occupied > 0.5).sum())}" for found in lattices)
            off = ""
            if corners is not None and one is not None:
                side = np.sqrt(cv2.contourArea(corners) / true.size)
                off = f", corners off {np.linalg.norm(one.corners - corners, axis=1).max() / side:.2f} squares"
            wrong.append(
                f"{group} {path.name}: {true.shape[0]}x{true.shape[1]}/{true.sum()}, found {seen or 'none'}{off}"
            )
    for group, (total, sized, lies) in totals.items():
        yield count_right(f"{group}: right rows and columns", sized, total, 1)
        yield count_right(f"{group}: every tile and empty place right", lies, total)
    print(*wrong, sep="\n", file=sys.stderr)


def _alarm_texture(job: tuple[str, str]) -> tuple[str, int]:
    path, method = job
    cv2.setNumThreads(1)
    return Path(path).name, len(locator(method)(load(Path(path))))


def _alarm_table(job: tuple[int, Path, str]) -> tuple[str, int]:
    number, data, method = job
    cv2.setNumThreads(1)
    recipe, _ = scene_recipe(number, data, touching=False)
    photo, _ = kept(BARE_SEED + number, bare_tables(recipe))
    return str(number), len(locator(method)(decoded(photo)))


def alarms(form: Form, method: str) -> Iterator[Figure]:
    step = TEXTURES // form.part(TEXTURES, least=20)
    files = [(str(path), method) for path in sorted((form.photographs / "textures").iterdir())[::step]]
    seen = [name for name, count in each(_alarm_texture, files, form) if count]
    yield count_wrong("textures with a false alarm", len(seen), len(files), note=" ".join(["", *seen]))
    work = [(number, form.photographs, method) for number in range(form.part(TABLES, least=4))]
    seen = [name for name, count in each(_alarm_table, work, form) if count]
    yield count_wrong(
        "bare rendered tables with a false alarm", len(seen), len(work), note=f" {' '.join(seen)}".rstrip()
    )


def times(form: Form, method: str) -> Iterator[Figure]:
    """A rendered 12-megapixel photo of a 7x7 kingdom, everything on one thread, in CPU time."""
    if form.short:
        return
    cv2.setNumThreads(1)
    find = locator(method)
    near = Recipe(
        photo_sizes=((4032, 3024),), kingdoms=(1, 1), sizes=(7,), filled=(0.9, 1.0), square_pixels=(300.0, 300.0)
    )
    far = replace(near, kingdoms=(4, 4), sizes=(5,), square_pixels=(150.0, 150.0))
    spent = {}
    for name, recipe in (("four 5x5 kingdoms", far), ("one 7x7", near)):
        file = jpeg(render(FIRST_SEED, recipe=recipe).image)
        image = decoded(file)
        find(image)
        spent[name] = medians(lambda f=file: decoded(f), lambda i=image: find(i), clock=time.process_time)
    plain, whole = spent["one 7x7"]
    note = f" ({1000 * whole:.0f} to {1000 * plain:.0f} ms)"
    yield at_most("locating / plain decoding, 12 megapixels, CPU", whole / plain, 1.5, note=note)
    plain, whole = spent["four 5x5 kingdoms"]
    yield Figure(". the same, four 5x5 kingdoms in the photo", f"{whole / plain:.2f}")
    if method == "networks":
        pyramid = Pyramid.of(image)
        smalls = [spot.small_photo(pyramid, side) for side in spot.LONG_SIDES]
        answers = [(spot.answer_for(small), scale) for small, scale in smalls]
        patches = grow(spot.spot(pyramid))

        def shrink() -> None:
            fresh = Pyramid.of(image)
            for long_side in spot.LONG_SIDES:
                spot.small_photo(fresh, long_side)

        def lattices() -> None:
            grow(spot.merged([spot.squares_in(answer, scale) for answer, scale in answers]))

        yield Figure(". making it small", f"{_median_ms(shrink):.1f} ms")
        yield Figure(
            ". spotter network", f"{_median_ms(lambda: [spot.answer_for(small) for small, _ in smalls]):.1f} ms"
        )
        yield Figure(". squares and lattices", f"{_median_ms(lattices):.1f} ms")
        for patch in patches:
            columns, rows = (int(value) for value in patch.place.max(0) + 1)
            spent = _median_ms(lambda p=patch, r=rows, c=columns: straighten.straighten(pyramid, p.homography, r, c))
            yield Figure(f". straightening {rows}x{columns}", f"{spent:.1f} ms")
        lattice = find(image)[0]
        yield Figure(". crops for the classifier", f"{_median_ms(lambda: located.crops(image, lattice)):.1f} ms")
    module, name = METHODS[method]
    code = f"import numpy, PIL.Image, {module}\n{module}.{name}(numpy.asarray(PIL.Image.open(photo).convert('RGB')))"
    yield at_most("peak memory of a process that decodes and locates", peak_memory(code, file), 500, " MB", 0)


def _median_ms(call: Callable[[], object]) -> float:
    return 1000 * medians(call, clock=time.process_time)[0]


def locator(method: str) -> Locator:
    module, name = METHODS[method]
    found: Locator = getattr(import_module(module), name)
    return found


def figures(form: Form, method: str = "networks", parts: Iterable[str] = PARTS) -> Iterator[Figure]:
    cv2.setNumThreads(1)
    measures = {"time": times, "real": real, "alarms": alarms, "scenes": apart, "touching": touching}
    for part in parts:
        yield from measures[part](form, method)


def main() -> None:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--share", type=float, default=1.0, help="part of what is rendered")
    parser.add_argument("--method", choices=list(METHODS), default="networks")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    for figure in figures(Form(options.data, options.share), options.method, options.only):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
