"""How much teaching helps: unseen art, held-out light, buildings, slips among the examples, and what it costs.

    python -m benchmarks.calibrate --data FOLDER                       light, slips and cost, with the shipped networks
    python -m benchmarks.calibrate --data FOLDER --crops CROPS --nets NETS --train   first trains networks to be taught

CROPS is what `models.train.classify_crops` and `buildings_tiles` wrote. The networks to be taught know nothing of two
terrains, of the buildings of which there are two pictures at least, or of a third of the sittings; each trains some
minutes, those of terrains half an hour, on one thread and stays in NETS. Teaching is that of `scorer calibrate`: a
lesson that fails its own test is not applied.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from benchmarks.figures import Figure, Form, at_most, count_right
from benchmarks.measure import arguments, medians, parse_with_data
from benchmarks.read import shown_squares
from scorer.calibration.anchors import Anchors, Answers, Network, anchors, look
from scorer.calibration.lessons import UNKNOWN
from scorer.calibration.teaching import Lessons, lessons_of
from scorer.render.splits import Part, labels
from scorer.rules.catalogue import BUILDINGS, TERRAINS
from scorer.rules.notation import parse_square
from scorer.vision import models
from scorer.vision.classify import inner

if TYPE_CHECKING:
    from models.train.classify_crops import Crops

PAIRS = (("mine", "swamp"), ("lake", "grassland"))
"""Terrains that a network is trained without."""
NETS = Path("build/calibrate")
STEPS, PAIR_STEPS = 3000, 18000
"""Of training; a network that is to be taught terrains has everything else to learn first."""
SCENE_FILES = 8
PHOTOS, REPEATS = 3, 5
"""Photos that unseen terrains are taught from, and how many times other ones are chosen."""
LEAST = 3
"""Squares of each unseen terrain that a chosen photo shows."""
LEAST_SQUARES, TEACHERS = 8, 4
"""Squares of a photo that somebody would teach, and how many photos of a sitting are taught in turn."""
FOLDS = 3
"""Networks that are trained without a part of the sittings each."""
PARTS: tuple[Part, ...] = ("train", "validation", "test")
SLIPS = 0.1
KINDER = "answers removed from the shipped network, whose embedding has seen them"
FORGOTTEN = 8.0
"""Nats below all others of an answer that was taken away."""
RESAMPLES = 10_000
TIMED = 15


@dataclass(frozen=True, eq=False)
class Squares:
    """Single squares of real photos: what they show, where they are from, what a network feels and says of them."""

    crops: np.ndarray
    cells: np.ndarray
    photos: np.ndarray
    sittings: np.ndarray
    felt: np.ndarray
    said: Answers

    @property
    def terrain(self) -> np.ndarray:
        return np.array([_terrain(cell) for cell in self.cells])

    def part(self, which: np.ndarray) -> Squares:
        said = {head: logits[which] for head, logits in self.said.items()}
        known = (self.crops, self.cells, self.photos, self.sittings, self.felt)
        return Squares(*(values[which] for values in known), said)

    def read(self, taught: Lessons | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Terrain and crowns after lessons, photo by photo as the reader does."""
        after = {head: self.said[head].copy() for head in HEADS}
        for photo in np.unique(self.photos) if taught else ():
            shown = self.photos == photo
            here = self.part(shown)
            corrected = taught.applied(here.felt, here.said, here.crops)
            for head, logits in after.items():
                logits[shown] = corrected[head]
        return after["terrain"].argmax(1), after["crowns"].argmax(1)

    def wrong(self, taught: Lessons | None = None) -> np.ndarray:
        """Which squares are misread, in terrain or crowns."""
        terrain, crowns = self.read(taught)
        cells = [parse_square(cell) for cell in self.cells]
        true = [c.crowns if c.terrain and c.terrain != "town" else UNKNOWN for c in cells]
        return (terrain != self.terrain) | ((crowns != true) & (np.array(true) != UNKNOWN))

    def lessons(self, held: Anchors, slips: np.random.Generator | None) -> Lessons:
        """What they teach, some of them wrongly labelled; only what helped."""
        cells = self.cells.copy()
        if slips is not None:
            for i in slips.choice(len(cells), max(1, round(SLIPS * len(cells))), replace=False):
                cells[i] = slips.choice([cell for cell in LAND if cell[0] != cells[i][0]])
        return lessons_of("classify", held, self.crops, self.felt, self.said, cells, self.photos)


HEADS = ("terrain", "crowns")
LAND = ("w0", "w1", "f0", "f1", "l0", "l1", "g0", "g1", "g2", "s0", "s1", "s2", "m1", "m2")


def _terrain(cell: str) -> int:
    square = parse_square(cell)
    return TERRAINS.index(square.terrain) if square.terrain else len(TERRAINS) + (0 if square.castle else 1)


def real_squares(data: Path, among: tuple[Part, ...] = PARTS) -> Squares:
    """Single squares, as the classifier at hand sees them."""
    crops, cells, photos, sittings, felt, said = [], [], [], [], [], []
    for part in among:
        by_sitting: dict[str, list[dict[str, str]]] = {}
        for label in labels(data, "squares", part).values():
            by_sitting.setdefault(label["sitting"], []).append(label)
        for (images, shown), (sitting, known) in zip(shown_squares(data, part), by_sitting.items(), strict=True):
            crops.append(inner(images))
            feels, answers = look("classify", crops[-1])
            felt.append(feels)
            said.append(answers)
            cells += shown
            photos += [f"{sitting}/{label['photo']}" for label in known]
            sittings += [sitting] * len(known)
    joined = {head: np.concatenate([answers[head] for answers in said]) for head in HEADS}
    known = map(np.array, (cells, photos, sittings))
    return Squares(np.concatenate(crops), *known, np.concatenate(felt), joined)


@dataclass(frozen=True)
class Taught:
    """Percent before and after teaching, and what belongs to them."""

    before: float
    after: float
    note: str
    high: float = 0.0
    """Of the change: the upper end of its interval."""


def light(squares: Squares, held: Anchors, slips: bool, teachers: int = TEACHERS) -> np.ndarray:
    """One photo of a sitting is taught, its others are read, every photo in turn: squares misread before and after, and
    squares, of each photo (3, photos)."""
    rng = np.random.default_rng(0)
    counts = []
    for sitting in np.unique(squares.sittings):
        here = squares.part(squares.sittings == sitting)
        photos = np.unique(here.photos)
        if len(photos) < 3:
            continue
        plain = here.wrong()
        taught = {}
        full = [photo for photo in photos if (here.photos == photo).sum() >= LEAST_SQUARES]
        for photo in rng.permutation(full)[:teachers]:
            lessons = here.part(here.photos == photo).lessons(held, rng if slips else None)
            taught[photo] = here.wrong(lessons)
        for photo in photos:
            shown = here.photos == photo
            others = [wrong[shown].sum() for teacher, wrong in taught.items() if teacher != photo]
            counts.append((plain[shown].sum(), np.mean(others), shown.sum()))
    return np.array(counts, float).T


def change(counts: np.ndarray) -> Taught:
    """What teaching did to the squares of all photos together."""
    picks = np.random.default_rng(0).integers(counts.shape[1], size=(RESAMPLES, counts.shape[1]))
    sums = counts[:, picks].sum(-1)
    low, high = 100 * np.quantile((sums[1] - sums[0]) / sums[2], (0.025, 0.975))
    total = counts.sum(1)
    before, after = (100 * float(count / total[2]) for count in total[:2])
    note = f", change {after - before:+.3f} points (95 % of resampled photos {low:+.3f} to {high:+.3f})"
    return Taught(before, after, note + f", {total[2]:.0f} squares of {counts.shape[1]} photos", float(high))


def unseen(squares: Squares, held: Anchors, pair: tuple[str, str], slips: bool) -> tuple[Taught, Taught]:
    """Two terrains the network never saw, taught from three photos, read in all other sittings: they, and those known
    before."""
    rng = np.random.default_rng(1)
    numbers = [TERRAINS.index(name) for name in pair]
    terrain = squares.terrain
    new = np.isin(terrain, numbers)
    rich = [
        photo
        for photo in np.unique(squares.photos)
        if all((terrain[squares.photos == photo] == number).sum() >= LEAST for number in numbers)
    ]
    right, known_before, known_after = [], [], []
    plain = squares.read()[0] == terrain
    for chosen in [rng.choice(rich, PHOTOS, replace=False) for _ in range(REPEATS)]:
        taught = squares.part(np.isin(squares.photos, chosen))
        others = ~np.isin(squares.sittings, taught.sittings)
        read = squares.read(taught.lessons(held, rng if slips else None))[0] == terrain
        right.append((int(read[others & new].sum()), int((others & new).sum())))
        known_before.append(plain[others & ~new].mean())
        known_after.append(read[others & ~new].mean())
    shares = [100 * a / b for a, b in right]
    note = f", worst of {REPEATS} choices {min(shares):.2f} %, {sum(b for _, b in right)} squares in all"
    known = Taught(100 * float(np.mean(known_before)), 100 * float(np.mean(known_after)), "")
    return Taught(0.0, float(np.mean(shares)), note), known


def forgetting(squares: Squares, held: Anchors, pair: tuple[str, str]) -> tuple[Squares, Anchors]:
    """Squares and anchors as if the network had no answer for two terrains; kinder than one that never saw them."""
    numbers = [TERRAINS.index(name) for name in pair]

    def without(logits: np.ndarray) -> np.ndarray:
        known = np.delete(logits, numbers, axis=1)
        poor = logits.copy()
        poor[:, numbers] = np.logaddexp.reduce(known, axis=1)[:, None] - FORGOTTEN
        return poor

    keep = ~np.isin(held.said["terrain"].argmax(1), numbers)
    said = {head: logits[keep] for head, logits in held.said.items()}
    anchors_left = replace(held, views=held.views[keep], said=said | {"terrain": without(said["terrain"])})
    return replace(squares, said=squares.said | {"terrain": without(squares.said["terrain"])}), anchors_left


def kinds_twice(data: Path) -> dict[tuple[str, bool], list[Path]]:
    """Sides of buildings of which there are two pictures at least."""
    from scorer.render.photographed import building_crops

    found: dict[tuple[str, bool], list[Path]] = {}
    part: Part
    for part in ("train", "test"):
        for kind, cuttings in building_crops(data, part, frozenset()).items():
            found.setdefault(kind, []).extend(cutting for cutting in cuttings)
    return {kind: cuttings for kind, cuttings in found.items() if len(cuttings) > 1}


def buildings(data: Path, held: Anchors, land: np.ndarray, slips: bool) -> tuple[int, int, int]:
    """One picture of each building is taught, the others are named, each picture in turn: right before and after."""
    from models.train.anchors import shown
    from models.train.buildings_tiles import FACE, lay
    from scorer.vision.pieces import SIGNS, name_building, split

    rng = np.random.default_rng(2)
    kinds = kinds_twice(data)
    entries = [(kind, number) for kind, cuttings in kinds.items() for number in range(len(cuttings))]
    laid = [lay(kinds[kind][k].cut(FACE, FACE), land[int(rng.integers(len(land)))], {}, rng) for kind, k in entries]
    crops = shown("buildings", np.stack(laid))
    felt, said = look("buildings", crops)
    names = [name + ("~" if grey else "") for (name, grey), _ in entries]
    before = after = count = 0
    for turn in range(max(map(len, kinds.values()))):
        taught = [i for i, (kind, k) in enumerate(entries) if k == turn % len(kinds[kind])]
        cells = [f"t:{names[i]}" for i in taught]
        if slips:
            wrong = int(rng.integers(len(cells)))
            cells[wrong] = f"t:{rng.choice([name for name in BUILDINGS if name not in cells[wrong]])}"
        known = {head: values[taught] for head, values in said.items()}
        lessons = lessons_of("buildings", held, crops[taught], felt[taught], known, cells, ["one"] * len(cells))
        learnt = lessons.applied(felt, said, crops)
        for i, (kind, k) in enumerate(entries):
            if k == turn % len(kinds[kind]):
                continue
            for answers in (said, learnt):
                logits = {head: values[i : i + 1] for head, values in answers.items()}
                signs = {h: v[0] for h, v in split(np.concatenate([logits[h] for h in SIGNS], axis=1), SIGNS).items()}
                named = name_building(signs)
                grey = bool(signs["side"][1] > 0.5)
                by = list(BUILDINGS)[int(signs["picture"].argmax())] if grey else named.building
                right = by == kind[0] and grey == kind[1]
                count += answers is learnt
                after += right and answers is learnt
                before += right and answers is said
    return before, after, count


@contextlib.contextmanager
def other_network(network: Network, path: Path) -> Iterator[None]:
    """Puts a network from a file in the place of the shipped one."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    shipped = models.load
    models.load = lambda name: session if name == network else shipped(name)
    try:
        yield
    finally:
        models.load = shipped


def folds(data: Path) -> Iterator[frozenset[str]]:
    """All sittings, in three parts of about as many squares."""
    sizes = Counter(label["sitting"] for part in PARTS for label in labels(data, "squares", part).values())
    ranked = [sitting for sitting, _ in sizes.most_common()]
    for number in range(FOLDS):
        yield frozenset(ranked[number::FOLDS])


def of_sittings(data: Path, chosen: Collection[str]) -> Crops:
    """The single squares of some sittings, as they are stored to train on."""
    from models.train.classify_crops import Crops, squares

    found = []
    for part in PARTS:
        sittings = dict.fromkeys(label["sitting"] for label in labels(data, "squares", part).values())
        found += [crops for crops, sitting in zip(squares(data, part), sittings, strict=True) if sitting in chosen]
    return Crops.join(found)


def train(data: Path, crops: Path, nets: Path, only: str | None) -> None:
    """Trains what is not there yet: crops without some answers or sittings, then the usual training."""
    from models.train import classify
    from models.train.classify_crops import Crops, surfaces

    def wanted(name: str, file: str) -> Path | None:
        """The folder to train in."""
        (nets / name).mkdir(parents=True, exist_ok=True)
        return None if (nets / name / file).exists() or only not in (None, name) else nets / name

    def without(file: Path, column: int, numbers: list[int]) -> Crops:
        stored = Crops.load(file)
        keep = ~np.isin(stored.targets[:, column], numbers)
        return Crops(stored.images[keep], stored.targets[keep])

    for pair in PAIRS:
        if work := wanted("-".join(pair), "classify.onnx"):
            numbers = [TERRAINS.index(name) for name in pair]
            scenes = sorted(crops.glob("scenes-*.npz"))[:SCENE_FILES]
            real = (crops / f"{n}.npz" for n in ("real-train", "real-validation", "composed", "recrowned"))
            for file in (*real, *scenes):
                if not (work / file.name).exists():
                    without(file, 0, numbers).save(work / file.name)
            classify.train("squares", classify.material("squares", work), work, PAIR_STEPS)
            classify.export(work, work, ["squares"])
    for number, sittings in enumerate(folds(data)):
        if work := wanted(f"light-{number}", "classify.onnx"):
            others = frozenset().union(*folds(data)) - sittings
            known = Crops.join([of_sittings(data, others), *surfaces(data, "train")])
            classify.train("squares", ([(known, 1.0)], {"held out": of_sittings(data, sittings)}), work, STEPS)
            classify.export(work, work, ["squares"])
    if work := wanted("buildings", "buildings.onnx"):
        tiles_without(data, crops, {name for name, _ in kinds_twice(data)}, work / "buildings.npz")
        classify.train("buildings", classify.material("buildings", work), work, STEPS)
        classify.export(work, work, ["buildings"])


def tiles_without(data: Path, crops: Path, kinds: set[str], path: Path, count: int = 4000) -> None:
    """Squares with buildings, all but some kinds."""
    from models.train.buildings_tiles import Faces, lay
    from models.train.classify_compose import sprites
    from models.train.classify_crops import Crops
    from scorer.vision.pieces import SIGNS

    rng = np.random.default_rng(5)
    known = Crops.load(crops / "real-train.npz")
    land = known.images[known.targets[:, 0] < TERRAINS.index("town")][:2000]
    faces, cut = Faces(data, unseen=frozenset(kinds)), sprites(data)
    left_out = {list(BUILDINGS).index(kind) for kind in kinds}
    images, targets = [], []
    while len(images) < count:
        face, target = faces.any(rng)
        # Not even drawings of them.
        if int(target[list(SIGNS).index("picture")]) not in left_out:
            images.append(lay(face, land[int(rng.integers(len(land)))], cut, rng))
            targets.append(target)
    Crops(np.stack(images), np.stack(targets)).save(path)


def cost() -> Iterator[Figure]:
    """Reading the built-in photo with a taught profile against reading it without, in CPU time."""
    from scorer.calibration.applied import Applied
    from scorer.calibration.camera import Lens
    from scorer.calibration.colour import Balance
    from scorer.calibration.profile import Profile
    from scorer.calibration.teaching import teach
    from scorer.installation import SAMPLE, SAMPLES
    from scorer.rules import parse
    from scorer.vision.load import load_photo
    from scorer.vision.reading import read_photo

    photo = SAMPLES / f"{SAMPLE}.jpg"
    camera = load_photo(photo).camera
    plain = Profile("cost", balance=Balance(1.05, 1.0, 0.95))
    taught = teach(plain, read_photo(photo), parse((SAMPLES / f"{SAMPLE}.kingdom").read_text("utf-8")))
    # The photo has no distortion: a strong lens would bend it, and then the reading itself would differ.
    bent = Profile("lens", lenses={camera: Lens(0.8, 0.001, 0.0, 1.0, 0.5)})
    for name, profile in (("squares and colours", taught), ("lens", bent)):
        without, with_ = medians(
            lambda: read_photo(photo),
            lambda profile=profile: read_photo(photo, profile=Applied(profile)),
            times=TIMED,
            clock=time.process_time,
        )
        more = 100 * (with_ / without - 1)
        note = f" ({1000 * without:.0f} to {1000 * with_:.0f} ms)"
        yield at_most(f"reading with {name}, more CPU", float(more), 5, " %", 1, note)


def percent(what: str, found: Taught, bar: str, met: bool, slack: float = 0.5) -> Figure:
    """A share that teaching raises."""
    return Figure(what, f"{found.after:.2f} % after {found.before:.2f} %{found.note}", bar, met, found.after, slack)


def slipped(what: str, without: float, with_slips: float) -> Figure:
    """What wrong labels do to a figure; ten among a hundred may change it by a point."""
    change = abs(with_slips - without)
    told = f"{with_slips:.2f} %"
    return Figure(f"{what}, one label in ten wrong", told, "within a point", change <= 1, -change, 0.5)


def _by_folds(data: Path, nets: Path, slips: bool) -> Iterator[np.ndarray]:
    """What `light` counts, each sitting seen by the network trained without it."""
    from models.train.anchors import measured
    from models.train.classify_crops import ASKED

    for number, sittings in enumerate(folds(data)):
        others = of_sittings(data, frozenset().union(*folds(data)) - sittings)
        with other_network("classify", nets / f"light-{number}" / "classify.onnx"):
            held = measured("classify", others, list(ASKED), np.random.default_rng(7))
            squares = real_squares(data)
            yield light(squares.part(np.isin(squares.sittings, list(sittings))), held, slips)


def figures(form: Form, nets: Path = NETS) -> Iterator[Figure]:
    data = form.photographs
    cv2.setNumThreads(1)
    held = anchors("classify")
    held_out = real_squares(data, ("validation", "test"))
    plain = change(light(held_out, held, False, teachers=2 if form.short else TEACHERS))
    told = f"{plain.after:.3f} % after {plain.before:.3f} %{plain.note}"
    yield Figure("held-out light, shipped network: squares misread", told, "", None, -plain.after, 0.1)
    if form.short:
        return
    if all((nets / f"light-{number}" / "classify.onnx").exists() for number in range(FOLDS)):
        plain, wrong = (change(np.concatenate(list(_by_folds(data, nets, slips)), 1)) for slips in (False, True))
        told = f"{plain.after:.3f} % after {plain.before:.3f} %{plain.note}"
        name = "held-out light, every sitting left out in turn: squares misread"
        yield Figure(name, told, "interval below 0", plain.high < 0, -plain.after, 0.5)
        yield slipped(name, plain.after, wrong.after)
    squares = real_squares(data)
    for pair in PAIRS:
        name, path = " and ".join(pair), nets / "-".join(pair) / "classify.onnx"
        if path.exists():
            from models.train.anchors import squares_anchors

            with other_network("classify", path):
                seen, known = real_squares(data), squares_anchors(path.parent)
                (new, old), (wrong, _) = (unseen(seen, known, pair, slips) for slips in (False, True))
        else:
            seen, known = forgetting(squares, held, pair)
            (new, old), (wrong, _) = (unseen(seen, known, pair, slips) for slips in (False, True))
            new = replace(new, note=f"{new.note}; {KINDER}")
        yield percent(f"{name} taught: right", new, "97 %", new.after >= 97)
        yield slipped(f"{name} taught: right", new.after, wrong.after)
        lost = old.before - old.after
        yield percent(f"{name} taught: terrains known before, right", old, "at most 0.2 points less", lost <= 0.2)
    path = nets / "buildings" / "buildings.onnx"
    if path.exists():
        from models.train.anchors import buildings_anchors
        from models.train.classify_crops import squares as real_crops

        known_crops = list(real_crops(data, "train"))[:6]
        land = np.concatenate([c.images[c.targets[:, 0] < TERRAINS.index("town")] for c in known_crops])[:500]
        with other_network("buildings", path):
            measured = buildings_anchors(path.parent)
            before, after, count = buildings(data, measured, land, False)
            with_slip = buildings(data, measured, land, True)[1]
        yield count_right("buildings left out of training, taught: named right", after, count, 0.95)
        yield count_right("buildings left out of training, before teaching", before, count)
        yield slipped("buildings taught: named right", 100 * after / count, 100 * with_slip / count)
    yield from cost()


def main() -> None:
    parser = arguments(__doc__, data=True)
    parser.add_argument("--crops", type=Path)
    parser.add_argument("--nets", type=Path, default=NETS)
    parser.add_argument("--train", action="store_true", help="train the networks to be taught that are not there yet")
    parser.add_argument("--only", help="train this one alone, by its folder: mine-swamp, buildings, light-0")
    options = parse_with_data(parser)
    if options.train:
        train(options.data, options.crops, options.nets, options.only)
        return
    for figure in figures(Form(options.data), options.nets):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
