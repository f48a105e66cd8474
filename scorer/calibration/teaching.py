"""Teaching: a photo with its right notation gives examples, examples give lessons, and the lessons test themselves.

profile = teach(profile, reading, kingdoms)      a corrected reading
profile = teach_grids(profile, grids)            kingdoms at corners that somebody pointed out
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scorer.calibration import lessons as learning
from scorer.calibration.alike import alike, doubtful
from scorer.calibration.anchors import Anchors, Answers, Network, anchors, look, usual_colours
from scorer.calibration.colour import Balance, from_squares
from scorer.calibration.lessons import UNKNOWN, Examples
from scorer.calibration.prints import HEADS, Prints
from scorer.calibration.profile import MAX_EXAMPLES, NETWORKS, PRINTS, Example, Learnt, Profile, Trial
from scorer.calibration.varied import COPIES, MOST_COPIES, VARIED, turned, varied
from scorer.errors import UnreadableInput, UsageError
from scorer.rules.catalogue import BUILDINGS, TERRAINS
from scorer.rules.kingdom import Kingdom, Square
from scorer.rules.notation import parse_square, square_text
from scorer.vision import classify, models, pieces
from scorer.vision.load import load_photo
from scorer.vision.reading import Reading, ReadKingdom
from scorer.vision.rectify import Floats, Image, quad_views

SIZES: dict[Network, int] = {"classify": classify.SIZE, "buildings": pieces.SIZE}
QUALITY = 95
ALONE = ("terrain", "picture")
"""Heads that a single answer teaches: it has nothing that is merely absent."""
LEAST_TILES = 6
"""Of different terrains, as a rule: the grain of a few tiles averages out."""
LEAST_ALIKE = 0.5
"""Part of the squares that must be read as the notation has them, or it is that of another kingdom."""


@dataclass(frozen=True)
class Fit:
    """Which kingdom of a reading a notation describes, and how: turned by quarters, its top left at a place."""

    alike: float
    kingdom: int
    turns: int
    row: int
    column: int


def teach(profile: Profile, reading: Reading, kingdoms: Sequence[Kingdom]) -> Profile:
    """The profile with the squares of a photo; raises UnreadableInput where notation and photo do not belong together.

    `reading` is of the photo without a profile: examples keep the photo's own colours.
    """
    return learn(replace(profile, examples=_merged(profile.examples, _taught(reading, kingdoms))))


def teach_grids(profile: Profile, grids: Sequence[tuple[Reading, Kingdom]]) -> Profile:
    """The profile with the squares of kingdoms of one photo, each read at its own corners (`read_at`) and given square
    by square; doubtful squares are left out. The art need not look like anything known."""
    new = [
        example
        for reading, kingdom in grids
        for example in _examples(kingdom, reading.kingdoms[0], Fit(1.0, 0, 0, 0, 0), photo_mark(reading))
    ]
    return learn(replace(profile, examples=_merged(profile.examples, new)))


def photo_mark(reading: Reading) -> str:
    """What examples of a photo are known by."""
    return hashlib.sha256(reading.image.image.tobytes()).hexdigest()[:16]


def _taught(reading: Reading, kingdoms: Sequence[Kingdom]) -> list[Example]:
    """The known squares of a photo."""
    examples: list[Example] = []
    mark = photo_mark(reading)
    taken: set[int] = set()
    for kingdom in kingdoms:
        fits = [fit for i, seen in enumerate(reading.kingdoms) if i not in taken for fit in _fits(kingdom, seen, i)]
        best = max(fits, key=lambda fit: fit.alike, default=None)
        if best is None or best.alike < LEAST_ALIKE:
            name = kingdom.source or kingdom.player or "the notation"
            raise UnreadableInput(
                f"{name}: no kingdom in {reading.photo} looks like this. Correct what `scorer read` writes of it."
            )
        taken.add(best.kingdom)
        examples += _examples(kingdom, reading.kingdoms[best.kingdom], best, mark)
    return examples


def tile_balance(reading: Reading, kingdoms: Sequence[Kingdom]) -> Balance:
    """The colour of the light by the tiles of a photo whose notation is known; raises UnreadableInput."""
    squares, colours = [], []
    for example in _taught(reading, kingdoms):
        square = parse_square(example.cell)
        usual = usual_colours()[classify.LABELS.index("t0" if square.terrain == "town" else _ground(square))]
        if example.network == "classify" and square.laid and not square.parts and np.isfinite(usual).all():
            squares.append(crop_of(example, reading.photo))
            colours.append(usual)
    if len(squares) < LEAST_TILES:
        raise UnreadableInput(f"{reading.photo}: {LEAST_TILES} bare tiles are needed to tell the colour of the light")
    return from_squares(np.stack(squares), np.stack(colours), reading.photo)


def _merged(old: Sequence[Example], new: Sequence[Example]) -> tuple[Example, ...]:
    """A photo that is taught again replaces what was taught of it before."""
    again = {example.photo for example in new}
    merged = (*(example for example in old if example.photo not in again), *new)
    if len(merged) > MAX_EXAMPLES:
        raise UsageError(f"a profile holds at most {MAX_EXAMPLES} squares: start a new one")
    return merged


def _fits(kingdom: Kingdom, seen: ReadKingdom, number: int) -> Iterable[Fit]:
    """Every way in which a notation may lie on a kingdom that was read, with the share of squares read alike."""
    read = np.array([[_ground(parse_square(cell)) for cell in row] for row in seen.grid])
    cells = np.array([[_ground(square) for square in row] for row in kingdom.rows])
    laid = max(1, int((cells != ".").sum()))
    for turns in range(4):
        turned = np.rot90(cells, turns)
        rows, columns = turned.shape
        for row in range(read.shape[0] - rows + 1):
            for column in range(read.shape[1] - columns + 1):
                part = read[row : row + rows, column : column + columns]
                # As it is read comes first among equals.
                alike = float(((part == turned) & (turned != ".")).sum()) / laid - 1e-6 * turns
                yield Fit(alike, number, turns, row, column)


def _ground(square: Square) -> str:
    return square_text(Square(square.terrain, square.crowns or 0, square.castle))


def _examples(kingdom: Kingdom, seen: ReadKingdom, fit: Fit, photo: str) -> Iterable[Example]:
    numbers = np.arange(seen.rows * seen.columns).reshape(seen.rows, seen.columns)
    rows, columns = len(kingdom.rows), len(kingdom.rows[0])
    if fit.turns % 2:
        rows, columns = columns, rows
    part = np.rot90(numbers[fit.row : fit.row + rows, fit.column : fit.column + columns], -fit.turns)
    quads = seen.seen.lattice.quads.reshape(-1, 4, 2)
    for r, row in enumerate(kingdom.rows):
        for c, square in enumerate(row):
            if square.doubtful:
                continue
            at, cell = int(part[r, c]), square_text(square)
            crop = seen.seen.squares.reshape(-1, *seen.seen.squares.shape[2:])[at]
            yield Example(cell, photo, "classify", _jpeg(crop))
            if square.building and "buildings" in models.CHECKSUMS:
                close = quad_views(seen.seen.pyramid, quads[at : at + 1], pieces.SIZE, pieces.MARGIN)[0]
                yield Example(cell, photo, "buildings", _jpeg(close))


def _jpeg(crop: Image) -> bytes:
    done, data = cv2.imencode(".jpg", np.ascontiguousarray(crop[..., ::-1]), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    assert done
    return bytes(data)


def learn(profile: Profile) -> Profile:
    """The profile with what its examples come to, tested on themselves; raises ModelError or UnreadableInput."""
    found: dict[Network, Lessons] = {}
    balance = None
    used = [network for network in NETWORKS if any(e.network == network for e in profile.examples)]
    for network in used:
        chosen = [example for example in profile.examples if example.network == network]
        crops = np.stack([crop_of(example, profile.name) for example in chosen])
        cells = [example.cell for example in chosen]
        seen = look(network, crops)
        if profile.balance:
            balanced = look(network, profile.balance.apply(crops))
            if network == "classify":
                balance = _misread(seen[1], cells), _misread(balanced[1], cells)
            if balance is None or balance[1] <= balance[0]:
                seen = balanced
        found[network] = lessons_of(network, anchors(network), crops, *seen, cells, [e.photo for e in chosen])
    learnt = Learnt(
        {network: models.CHECKSUMS[network] for network in used},
        {network: lessons.heads for network, lessons in found.items()},
        tuple(trial for lessons in found.values() for trial in lessons.trials),
        balance,
        {network: lessons.prints.views for network, lessons in found.items()},
    )
    return replace(profile, learnt=learnt if used else None)


@dataclass(frozen=True, eq=False)
class Lessons:
    """What squares taught a network: a correction (D, answers) of each head, prints to be known again, and how both did
    on squares that were left out."""

    network: Network
    held: Anchors
    heads: dict[str, Floats]
    prints: Prints
    trials: tuple[Trial, ...]

    def applied(self, felt: Floats, said: Answers, crops: Image) -> Answers:
        """What is said of the squares of one kingdom, corrected by all that proved not to hurt."""
        sound = {trial.head for trial in self.trials if trial.helps}
        heads = {head: lesson for head, lesson in self.heads.items() if head in sound and lesson.any()}
        views = self.held.view(felt)
        after = _corrected(said, views, heads)
        if "terrain" in heads:
            unsure = doubtful(after["terrain"]) | (after["terrain"].argmax(1) != said["terrain"].argmax(1))
            if unsure.any():
                around, change = _look_around(self.network, crops[unsure])
                views[unsure] = self.held.view(around)
                said = {head: logits.copy() for head, logits in said.items()}
                for head, logits in said.items():
                    logits[unsure] += change[head]
                after = _corrected(said, views, heads)
        return _known_again(self.prints, views, crops, said, after) if PRINTS in sound else after


def _corrected(said: Answers, views: Floats, heads: dict[str, Floats]) -> Answers:
    return said | {head: said[head] + views @ lesson for head, lesson in heads.items()}


def _look_around(network: Network, crops: Image) -> tuple[Floats, Answers]:
    """What is felt of squares, the mean over all ways to turn them, and by how much that changes what is said."""
    felt, said = zip(*(look(network, way) for way in (crops, *turned(crops))), strict=True)
    change = {head: np.mean([one[head] for one in said], axis=0) - said[0][head] for head in said[0]}
    return np.asarray(np.mean(felt, axis=0), np.float32), change


def _known_again(prints: Prints, views: Floats, crops: Image, before: Answers, said: Answers) -> Answers:
    """What is said of the squares of one kingdom, before the lessons and after, corrected by known prints and, where
    terrains were learnt, by squares there that look alike."""
    learnt = "terrain" in said and not np.array_equal(said["terrain"], before["terrain"])
    said = prints.known(views, crops, before, said)
    return said | {"terrain": alike(views, said["terrain"])} if learnt else said


def lessons_of(
    network: Network,
    held: Anchors,
    crops: Image,
    felt: Floats,
    said: Answers,
    cells: Sequence[str],
    photos: Sequence[str],
) -> Lessons:
    """What squares teach a network."""
    right = [answers_of(parse_square(cell), network) for cell in cells]
    views, groups = held.view(felt), _groups(photos)
    copied, copied_views, copied_said = _copies(network, held, crops, said, right)
    heads, trials = {}, []
    after, believed = dict(said), np.ones(len(cells), bool)
    for head, logits in said.items():
        answers = _column(right, head)
        known = answers != UNKNOWN
        # A table without knights does not teach what a knight looks like.
        if len(set(answers[known].tolist())) < 2 and head not in ALONE:
            continue
        examples = Examples(
            np.concatenate([views, copied_views]),
            np.concatenate([logits, copied_said[head]]),
            answers,
            groups,
            np.concatenate([np.arange(len(cells)), copied]),
        ).part(known)
        studied = learning.study(examples, held, head)
        heads[head] = studied.lesson
        misread = examples.wrong(logits[known]), examples.wrong(studied.after)
        trials.append(Trial(network, head, len(studied.after), *misread))
        if trials[-1].helps:
            after[head] = logits.copy()
            after[head][known] = studied.after
        believed[np.flatnonzero(known)[~studied.believed]] = False
    # A bare table is no print.
    printed = np.array([parse_square(cell).laid for cell in cells])
    prints = Prints(network, views * (believed & printed)[:, None], right, crops.__getitem__)
    trials.append(_tested(prints, photos, crops, views, said, after))
    return Lessons(network, held, heads, prints, tuple(trials))


def _copies(
    network: Network, held: Anchors, crops: Image, said: Answers, right: Sequence[dict[str, int]]
) -> tuple[learning.Numbers, Floats, Answers]:
    """Varied copies of squares that are misread: of which square each is, how the network sees it, what it says."""
    misread = np.zeros(len(crops), bool)
    for head, logits in said.items():
        wanted = _column(right, head)
        misread |= (wanted != UNKNOWN) & (logits.argmax(1) != wanted)
    each = min(COPIES, MOST_COPIES // max(1, misread.sum())) if network in VARIED else 0
    numbers = np.repeat(np.flatnonzero(misread), each)
    if not len(numbers):
        return numbers, np.empty((0, held.size), np.float32), {head: logits[:0] for head, logits in said.items()}
    rng = np.random.default_rng(0)
    felt, copies_said = look(network, np.stack([varied(crops[number], rng) for number in numbers]))
    return numbers, held.view(felt), copies_said


def _tested(
    prints: Prints, photos: Sequence[str], crops: Image, views: Floats, before: Answers, said: Answers
) -> Trial:
    """How many squares are misread, before and after the prints in other photos are known again; `before`, `said`:
    what is said of them before and after the lessons."""
    again = {head: logits.copy() for head, logits in said.items()}
    for fold in learning.folds(_groups(photos)):
        others = replace(prints, views=prints.views * ~fold[:, None])
        for photo in set(photos):
            here = fold & (np.array(photos) == photo)
            known = ({head: logits[here] for head, logits in answers.items()} for answers in (before, said))
            for head, logits in _known_again(others, views[here], crops[here], *known).items():
                again[head][here] = logits
    wrong = []
    for answers in (said, again):
        miss = np.zeros(len(views), bool)
        for head in HEADS[prints.network]:
            wanted = _column(prints.right, head)
            miss |= (wanted != UNKNOWN) & (answers[head].argmax(1) != wanted)
        wrong.append(int(miss.sum()))
    return Trial(prints.network, PRINTS, len(views), *wrong)


def _column(right: Sequence[dict[str, int]], head: str) -> learning.Numbers:
    return np.array([answers.get(head, UNKNOWN) for answers in right])


def is_current(profile: Profile) -> bool:
    """Whether what was learnt belongs to the networks at hand."""
    learnt = profile.learnt
    return learnt is None or all(models.CHECKSUMS.get(name) == checksum for name, checksum in learnt.models.items())


def _groups(photos: Sequence[str]) -> learning.Numbers:
    """Photos test each other; the squares of a single one do."""
    if len(set(photos)) == 1:
        return np.arange(len(photos))
    return np.asarray(np.unique(photos, return_inverse=True)[1], np.int64)


def crop_of(example: Example, name: str) -> Image:
    """The square as its network is shown it."""
    image = load_photo(example.picture, name=f"a square of profile {name}").image
    size = SIZES[example.network]
    if image.shape != (size, size, 3):
        raise UnreadableInput(f"profile {name}: a square is {image.shape[1]} pixels wide, not {size}")
    return image


def _misread(said: Answers, cells: Sequence[str]) -> int:
    """Squares whose terrain or crowns are not those wanted."""
    right = [answers_of(parse_square(cell), "classify") for cell in cells]
    wrong = np.zeros(len(right), bool)
    for head in ("terrain", "crowns"):
        wanted = np.array([answer.get(head, UNKNOWN) for answer in right])
        wrong |= (wanted != UNKNOWN) & (said[head].argmax(1) != wanted)
    return int(wrong.sum())


def answers_of(square: Square, network: Network) -> dict[str, int]:
    """The right answer of every head that a known square answers, by number."""
    if network == "buildings":
        return _signs_of(square)
    if square.terrain is None:
        return {"terrain": len(TERRAINS) + (0 if square.castle else 1)}
    right = {"terrain": TERRAINS.index(square.terrain)}
    if square.terrain != "town":
        right["crowns"] = square.crowns or 0
    right["building"] = 0 if square.building is None else 2 if square.turned else 1
    right |= {"knight": square.knight, "tower": square.tower + square.fallen}
    right |= {"queen": square.queen, "giant": square.giant}
    if len(square.resources) <= 1:
        right["resource"] = pieces.HEADS["resource"].index(square.resources[0] if square.resources else "")
    if len(square.court) <= 1:
        tile = square.court[0] if square.court else None
        right["court"] = pieces.HEADS["court"].index("" if tile is None else "~" if tile.turned else tile.id)
    return {
        head: min(answer, len(pieces.HEADS[head]) - 1) if head in pieces.HEADS else answer
        for head, answer in right.items()
    }


def _signs_of(square: Square) -> dict[str, int]:
    if square.building not in BUILDINGS:
        return {}
    right = {"side": int(square.turned), "picture": list(BUILDINGS).index(square.building)}
    if not square.turned:
        printed = pieces.signs_on(square.building)
        right |= {head: pieces.SIGNS[head].index(sign) for head, sign in printed.items()}
    return right
