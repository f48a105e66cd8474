"""What lies and stands on a square beside its terrain: building, meeples, the expansions' tiles and resources.

A building is read twice, by the signs printed on it, as a player reads them, and by its picture; where the two do not
agree there is a doubt. A building whose picture was never seen is read by its signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from scorer.rules import Doubt
from scorer.rules.catalogue import BUILDINGS, TERRAINS
from scorer.rules.kingdom import CourtTile, Place, Square
from scorer.rules.message import Term, msg
from scorer.rules.notation import parse_square, square_text
from scorer.rules.play import rules_named
from scorer.vision import models
from scorer.vision.rectify import Floats, Pyramid, quad_views

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

SIZE, MARGIN = 112, 0.1
"""Pixels of a crop of a square with a building, and the part of a square around it."""
LOOK = 0.1
"""A town square this likely to hold a building is looked at closely."""
SURE = 0.9
"""What is read with less confidence is a doubt."""
PICTURE_SHARE = 0.5
"""How much the picture says beside the signs: of some buildings no picture was ever seen."""
TELLING = 0.6
"""A picture recognised with less confidence does not contradict the signs."""


@dataclass(frozen=True)
class Furnished:
    """A kingdom's squares with all that is on them, how likely that is right for each, and what is doubtful."""

    rows: tuple[tuple[Square, ...], ...]
    confidence: Floats
    doubts: tuple[Doubt, ...]


def furnish(pyramid: Pyramid, quads: Floats, logits: Floats, labels: Sequence[Sequence[str]], rules: str) -> Furnished:
    """Adds to the squares read as `labels` what is on them.

    quads (rows, columns, 4, 2): corners of the places in the picture; logits (rows * columns, answers): the network's
    `pieces`; `rules` says whether a tower off its building has fallen.
    """
    seen = split(logits, HEADS)
    places = [(r, c) for r, row in enumerate(labels) for c, _ in enumerate(row)]
    towns = [i for i, (r, c) in enumerate(places) if labels[r][c] == "t0" and seen["building"][i, 0] < 1 - LOOK]
    signs = read_signs(pyramid, quads.reshape(-1, 4, 2)[towns]) if towns else {}
    squares, sure, doubts = [], np.ones(len(places), np.float32), []
    for i, place in enumerate(places):
        square = parse_square(labels[place[0]][place[1]])
        if square.terrain is None:
            squares.append(square)
            continue
        found = _Sight(place, {name: values[i] for name, values in seen.items()}, square)
        if i in towns:
            k = towns.index(i)
            found.building({name: values[k] for name, values in signs.items()})
        found.pieces("events" in rules_named(rules).parts)
        squares.append(found.square)
        sure[i] = found.sure
        doubts += found.doubts
    width = len(labels[0])
    rows = tuple(tuple(squares[r * width : (r + 1) * width]) for r in range(len(labels)))
    return Furnished(rows, sure.reshape(len(labels), width), tuple(doubts))


def split(logits: Floats, heads: dict[str, tuple[str, ...]]) -> dict[str, Floats]:
    """Probabilities (N, answers) of every head from their logits side by side."""
    ends = np.cumsum([len(answers) for answers in heads.values()])[:-1]
    parts = zip(heads, np.split(logits, ends, axis=1), strict=True)
    return {name: _softmax(part) for name, part in parts}


def read_signs(pyramid: Pyramid, quads: Floats) -> dict[str, Floats]:
    """Probabilities of all SIGNS on squares (N, 4, 2) with a building."""
    crops = quad_views(pyramid, quads, SIZE, MARGIN)
    return signs_of(crops)


def signs_of(crops: np.ndarray) -> dict[str, Floats]:
    """Probabilities of all SIGNS of crops uint8 (N, SIZE, SIZE, 3)."""
    squares = np.ascontiguousarray(crops.transpose(0, 3, 1, 2), np.float32)
    (logits,) = models.load("buildings").run(["signs"], {"squares": squares})
    return split(logits, SIGNS)


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


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


def name_building(signs: dict[str, Floats]) -> Named:
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

    def __init__(self, place: Place, seen: dict[str, Floats], square: Square) -> None:
        self.place, self.seen, self.square = place, seen, square
        self.sure = 1.0
        self.doubts: list[Doubt] = []

    def building(self, signs: dict[str, Floats]) -> None:
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

    def pieces(self, towers_fall: bool) -> None:
        square = self.square
        counts = {name: int(self.seen[name].argmax()) for name in ("knight", "tower", "queen", "giant")}
        fell = towers_fall and square.building is None
        resource = HEADS["resource"][int(self.seen["resource"].argmax())]
        court = HEADS["court"][int(self.seen["court"].argmax())]
        # A tile turned over hides which one it is; any stands for it, as none counts.
        tile = CourtTile("farmer", turned=True) if court == "~" else CourtTile(court)
        self.square = replace(
            square,
            knight=counts["knight"],
            tower=0 if fell else counts["tower"],
            fallen=counts["tower"] if fell else 0,
            queen=counts["queen"],
            giant=counts["giant"],
            resources=(resource,) if resource else (),
            court=(tile,) if court else (),
        )
        for name in (*counts, "resource", "court"):
            likely = self.seen[name]
            first, second = np.argsort(likely)[:-3:-1]
            self._doubt(float(likely[first]), self.square, self._with(name, int(second), fell))
        if self.seen["dragon"][1] > 0.5:
            text = msg("square {row},{column}: the dragon does not belong to a kingdom", **self._where)
            self.doubts.append(Doubt("dragon", text, self.place, square_text(self.square), (), None, needed=False))

    def _with(self, name: str, answer: int, fell: bool) -> Square:
        """The square with another answer to one question."""
        if name == "resource":
            return replace(self.square, resources=(HEADS[name][answer],) if answer else ())
        if name == "court":
            tile = HEADS[name][answer]
            return replace(self.square, court=(CourtTile(tile),) if tile and tile != "~" else ())
        if name == "tower" and fell:
            name = "fallen"
        return replace(self.square, **{name: answer})  # type: ignore[arg-type]

    @property
    def _where(self) -> dict[str, int]:
        return {"row": self.place[0], "column": self.place[1]}

    def _doubt(self, sure: float, read: Square, other: Square, text: object = None) -> None:
        """Takes note of how sure something is, and doubts it where that is not enough."""
        self.sure *= sure
        if sure >= SURE:
            return
        said, instead = square_text(read), square_text(other)
        why = text or msg(
            "square {row},{column} read as {read} may be {other}", **self._where, read=said, other=instead
        )
        self.doubts.append(
            Doubt("reading", why, self.place, said, (instead,), round(sure, 4), needed=False)  # type: ignore[arg-type]
        )
