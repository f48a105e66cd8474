"""What lies and stands on a square beside its terrain: building, meeples, the expansions' tiles and resources.

A building is read twice, by the signs printed on it, as a player reads them, and by its picture; where the two do not
agree there is a doubt. A building whose picture was never seen is read by its signs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from scorer.rules import Doubt
from scorer.rules.catalogue import BUILDINGS, TERRAINS
from scorer.rules.kingdom import CourtTile, Kingdom, Place, Square
from scorer.rules.message import Message, Term, msg
from scorer.rules.notation import parse_square, square_text
from scorer.rules.play import rules_named
from scorer.rules.possible import piece_problems
from scorer.vision import models
from scorer.vision.rectify import Floats, Image, Pyramid, quad_views
from scorer.vision.taught import Taught

Probabilities = dict[str, Floats]
"""By what was asked: how likely each answer is."""

HEADS: dict[str, tuple[str, ...]] = {
    "building": ("", "red", "grey"),
    "knight": ("0", "1", "2"),
    "tower": ("0", "1", "2", "3"),
    "queen": ("0", "1"),
    "giant": ("0", "1"),
    "king": ("0", "1"),
    "dragon": ("0", "1"),
    "castle": ("0", "1"),
    "coin1": ("0", "1", "2"),
    "coin3": ("0", "1", "2"),
    "coin9": ("0", "1", "2"),
    "resource": ("", "wheat", "wood", "fish", "sheep"),
    "court": (
        "",
        *("farmer", "lumberjack", "fisherman", "shepherdess", "merchant", "captain"),
        *("light_archer", "heavy_archer", "axe_warrior", "sword_warrior", "king", "queen"),
        *("wheat1", "forest1", "lake1", "grassland1", "grassland2", "swamp1", "swamp2"),
        "~",
    ),
}
"""What the network is asked of every square, and the answers in the order of its `pieces` output."""

SIGNS: dict[str, tuple[str, ...]] = {
    "side": ("red", "grey"),
    "shield": ("0", "1", "2", "3", "5"),
    "cross": ("", *TERRAINS),
    "per": ("", "tower", "knight"),
    "crown": ("0", "1"),
    "label": ("", "tower", "knight"),
    "picture": tuple(BUILDINGS),
}
"""What is asked of a square with a building: the signs printed on it, and last whose picture it is."""

PARTS = {
    "knight": "knights",
    "tower": "towers",
    "queen": "queen",
    "giant": "giants",
    "resource": "court",
    "court": "court",
}
"""What a kingdom's squares may hold, and the part of a rule set that it belongs to."""

SIZE, MARGIN = 96, 0.2
"""Pixels of a crop of a square with a building, and the part of a square around it: tiles lie off their squares."""
LOOK = 0.1
"""A town square this likely to hold a building is looked at closely."""
SURE = 0.97
"""What is read with less confidence is a doubt."""
PICTURE_SHARE = 0.5
"""How much the picture says beside the signs: of some buildings no picture was ever seen."""
TOGETHER = 0.3
"""How much the network that sees a whole kingdom counts beside the one that looks closely."""
TELLING = 0.6
"""A picture recognised with less confidence does not contradict the signs."""


@dataclass(frozen=True)
class Furnished:
    """A kingdom's squares with all that is on them, how likely that is right for each, and what is doubtful."""

    rows: tuple[tuple[Square, ...], ...]
    confidence: Floats
    doubts: tuple[Doubt, ...]


def look_closely(
    pyramid: Pyramid, quads: Floats, said: Mapping[str, Floats], profile: Taught | None = None
) -> dict[int, Probabilities]:
    """What the signs say on the places that seem to hold a building, by the place's number in reading order.

    quads (rows, columns, 4, 2): corners of the places in the picture; said: a row a place, the networks' `pieces`, and
    `signs` where those of all squares were seen together.
    """
    built = np.flatnonzero(split(said["pieces"], HEADS)["building"][:, 0] < 1 - LOOK)
    if not len(built):
        return {}
    crops = quad_views(pyramid, quads.reshape(-1, 4, 2)[built], SIZE, MARGIN)
    signs = signs_of(crops, said["signs"][built] if "signs" in said else None, profile)
    return {int(i): {name: values[k] for name, values in signs.items()} for k, i in enumerate(built)}


def furnish(
    labels: Sequence[Sequence[str]], logits: Floats, signs: Mapping[int, Probabilities], rules: str
) -> Furnished:
    """Adds to the squares read as `labels` what is on them, as far as it belongs to the rule set or is plain to see."""
    seen = split(logits, HEADS)
    parts = rules_named(rules).parts
    rows, doubts = [], []
    confidence = np.ones((len(labels), len(labels[0])), np.float32)
    for r, row in enumerate(labels):
        squares = []
        for c, label in enumerate(row):
            number = r * len(row) + c
            sight = _Sight((r, c), {name: values[number] for name, values in seen.items()}, parse_square(label))
            if sight.square.terrain == "town" and number in signs:
                sight.building(signs[number])
            if sight.square.terrain:
                sight.pieces(parts)
            squares.append(sight.square)
            confidence[r, c] = sight.sure
            doubts += sight.doubts
        rows.append(tuple(squares))
    return Furnished(tuple(rows), confidence, tuple(doubts))


def split(logits: Floats, heads: Mapping[str, tuple[str, ...]]) -> Probabilities:
    """Probabilities (N, answers) of every head from their logits side by side."""
    return {name: np.asarray(softmax(part), np.float32) for name, part in by_head(logits, heads).items()}


def by_head(logits: Floats, heads: Mapping[str, tuple[str, ...]]) -> dict[str, Floats]:
    """Logits of heads side by side, each by itself (N, answers)."""
    ends = np.cumsum([len(answers) for answers in heads.values()])[:-1]
    return dict(zip(heads, np.split(logits, ends, axis=1), strict=True))


def signs_of(crops: Image, together: Floats | None = None, profile: Taught | None = None) -> Probabilities:
    """Probabilities of all SIGNS of crops uint8 (N, SIZE, SIZE, 3); `together`: what was said of them as parts of their
    kingdom."""
    squares = np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32)
    logits, embedding = models.load("buildings").run(["signs", "embedding"], {"squares": squares})
    if together is not None:
        logits = logits + TOGETHER * (together - logits)
    return split(profile.signs(logits, embedding, crops) if profile else logits, SIGNS)


def softmax(logits: NDArray[np.floating]) -> NDArray[np.floating]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


@cache
def signs_on(building: str) -> dict[str, str]:
    """The signs that are printed on a building, by what it is worth."""
    worth = BUILDINGS[building]
    shield = worth.flat or worth.points or worth.per_tower or worth.per_knight
    return {
        "shield": str(shield),
        "cross": worth.per_territory,
        "per": "tower" if worth.per_tower else "knight" if worth.per_knight else "",
        "crown": str(worth.crowns),
        "label": worth.tax.removesuffix("s"),
    }


@dataclass(frozen=True)
class Named:
    """Which building a tile is: by all that was seen, how sure its worth is, and the best by signs and by picture."""

    building: str
    sure: float
    by_signs: str
    by_picture: str
    picture_sure: float

    @property
    def agreed(self) -> bool:
        """Signs and picture make it worth the same."""
        return signs_on(self.by_signs) == signs_on(self.by_picture) or self.picture_sure < TELLING

    @property
    def other(self) -> str:
        """The building it may be instead, of another worth."""
        return next(
            (name for name in (self.by_signs, self.by_picture) if signs_on(name) != signs_on(self.building)), ""
        )


def name_building(signs: Probabilities) -> Named:
    """The building whose signs and picture are most likely together; `signs` are probabilities of one tile."""
    ids = list(BUILDINGS)
    printed = np.array(
        [sum(_log(signs[head][SIGNS[head].index(what)]) for head, what in signs_on(name).items()) for name in ids]
    )
    picture = np.log(np.maximum(signs["picture"], 1e-6))
    both = printed + PICTURE_SHARE * picture
    share = np.exp(both - both.max())
    share /= share.sum()
    best = ids[int(both.argmax())]
    same = [signs_on(name) == signs_on(best) for name in ids]
    # Among buildings with the same signs, which count the same, the picture decides for the first by signs, too.
    by_signs = ids[int((printed + 1e-3 * picture).argmax())]
    worth = {name: sum(signs["picture"][k] for k, n in enumerate(ids) if signs_on(n) == signs_on(name)) for name in ids}
    by_picture = ids[int(signs["picture"].argmax())]
    return Named(best, float(share[same].sum()), by_signs, by_picture, float(worth[by_picture]))


def _log(value: float) -> float:
    return float(np.log(max(value, 1e-6)))


class _Sight:
    """One square being read: what was seen of it so far, how sure that is, and its doubts."""

    def __init__(self, place: Place, seen: Probabilities, square: Square) -> None:
        self.place, self.seen, self.square = place, seen, square
        self.sure = 1.0
        self.doubts: list[Doubt] = []

    def building(self, signs: Probabilities) -> None:
        there = 1 - float(self.seen["building"][0])
        named = name_building(signs)
        grey = float(self.seen["building"][2]) / max(there, 1e-6)
        turned = (grey + float(signs["side"][1])) / 2
        built = replace(self.square, building=named.building, turned=turned > 0.5)
        if there <= 0.5:
            self._doubt(1 - there, replace(self.square), built)
            return
        bare, self.square = self.square, built
        self._doubt(there, built, bare)
        self._doubt(max(turned, 1 - turned), built, replace(built, turned=not built.turned))
        if built.turned:
            return
        if named.other and not named.agreed:
            text = msg(
                "square {row},{column}: the signs on the building say {signs}, its picture {picture}",
                row=self.place[0],
                column=self.place[1],
                signs=Term(BUILDINGS[named.by_signs].name),
                picture=Term(BUILDINGS[named.by_picture].name),
            )
            self._doubt(min(named.sure, SURE - 0.01), built, replace(built, building=named.other), text)
        else:
            other = replace(built, building=named.other) if named.other else bare
            self._doubt(named.sure, built, other)

    def pieces(self, parts: frozenset[str]) -> None:
        """Reads what stands on the square; what no part of the rule set knows must be plain to see."""
        # Off a building, and where towers fall at all, a tower has fallen.
        fell = "events" in parts and self.square.building is None
        for name, part in PARTS.items():
            likely = self.seen[name]
            first, second = (int(k) for k in np.argsort(likely)[:-3:-1])
            if part not in parts and likely[0] > 1 - SURE:
                continue
            bare = self.square
            self.square = _with(bare, name, first, fell)
            self._doubt(float(likely[first]), self.square, _with(bare, name, second, fell))
        if self.seen["dragon"][1] > 0.5:
            text = msg("square {row},{column}: the dragon does not belong to a kingdom", **self._where)
            self.doubts.append(Doubt("dragon", text, self.place, square_text(self.square), needed=False))

    @property
    def _where(self) -> dict[str, int]:
        return {"row": self.place[0], "column": self.place[1]}

    def _doubt(self, sure: float, read: Square, other: Square, text: Message | None = None) -> None:
        """Takes note of how sure something is, and doubts it where that is not enough."""
        self.sure *= sure
        if sure >= SURE:
            return
        said, instead = square_text(read), square_text(other)
        why = text or msg(
            "square {row},{column} read as {read} may be {other}", **self._where, read=said, other=instead
        )
        self.doubts.append(Doubt("piece", why, self.place, said, (instead,), round(sure, 4), needed=False))


def _with(square: Square, name: str, answer: int, fell: bool) -> Square:
    """The square with an answer to one question."""
    said = HEADS[name][answer]
    if name == "resource":
        return replace(square, resources=(said,) if said else ())
    if name == "court":
        # A tile turned over hides which one it is; any stands for it, as none counts.
        tile = CourtTile("farmer", turned=True) if said == "~" else CourtTile(said)
        return replace(square, court=(tile,) if said else ())
    return replace(square, **{"fallen" if name == "tower" and fell else name: answer})  # type: ignore[arg-type]


def carry(doubt: Doubt, rows: tuple[tuple[Square, ...], ...]) -> Doubt:
    """A doubt about a square's ground, with what stands on the square put into its cells."""
    if doubt.square is None:
        return doubt
    square = rows[doubt.square[0]][doubt.square[1]]
    others = []
    for cell in doubt.alternatives:
        other = parse_square(cell)
        if other.terrain is not None:
            built = {} if other.terrain == "town" else {"building": None, "turned": False}
            other = replace(square, terrain=other.terrain, crowns=other.crowns, **built)  # type: ignore[arg-type]
        others.append(square_text(other))
    said = square_text(square)
    values = doubt.text.values | {"read": said, "other": others[0] if others else ""}
    return replace(doubt, read=said, alternatives=tuple(others), text=Message(doubt.text.template, values))


def contradictions(kingdoms: Sequence[Kingdom], rules: str) -> list[tuple[Doubt, ...]]:
    """Doubts about what was seen on squares and cannot be: more than the box holds, or where it may not stand."""
    found: list[list[Doubt]] = [[] for _ in kingdoms]
    for i, problem in piece_problems(kingdoms, rules_named(rules)):
        said = square_text(kingdoms[i].at(problem.square)) if problem.square else ""
        found[i].append(Doubt(problem.code, problem.text, problem.square, said, needed=False))
    return [tuple(doubts) for doubts in found]
