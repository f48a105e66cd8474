"""What is in the boxes: dominoes, buildings, quests, Court tiles and rule sets, read from `data/`.

Each file is checked against the dataclass it fills, so a slip in the data fails at once and names the entry.
"""

import csv
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeVar, get_args, get_origin

Terrain = Literal["wheat", "forest", "lake", "grassland", "swamp", "mine", "town"]
TERRAINS: tuple[Terrain, ...] = get_args(Terrain)
LETTERS: dict[str, Terrain] = {terrain[0]: terrain for terrain in TERRAINS}

# The names other editions print, accepted as whole words.
SYNONYMS: dict[str, Terrain] = {
    **{terrain: terrain for terrain in TERRAINS},
    "field": "wheat",
    "river": "lake",
    "prairie": "grassland",
    "meadow": "grassland",
    "pasture": "grassland",
    "marsh": "swamp",
    "mountain": "mine",
    "construction": "town",
    "city": "town",
}


class CatalogueError(Exception):
    """A data file does not fit its schema."""


@dataclass(frozen=True, slots=True)
class Domino:
    box: str
    number: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Building:
    id: str
    name: str
    copies: int
    fantastic_era: int
    row: str = ""
    per_territory: str = ""
    points: int = 0
    flat: int = 0
    per_tower: int = 0
    per_knight: int = 0
    crowns: int = 0
    tax: str = ""


@dataclass(frozen=True, slots=True)
class Character:
    id: str
    name: str
    base: int
    bonus: int = 0
    counts: str = ""
    warrior: bool = False


@dataclass(frozen=True, slots=True)
class CourtBuilding:
    id: str
    name: str
    terrain: str
    crowns: int
    copies: int


@dataclass(frozen=True, slots=True)
class Resource:
    id: str
    name: str
    terrain: str


@dataclass(frozen=True, slots=True)
class Quest:
    id: str
    name: str
    kind: str
    points: int
    terrains: list[str] = field(default_factory=list)
    bonus: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Expansion:
    id: str
    name: str
    parts: list[str]
    dominoes: list[str] = field(default_factory=list)
    quests: int = 0
    court_sets: int = 0
    jokers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuleSet:
    id: str
    name: str
    parts: list[str]
    pad: list[str]
    tie_break: list[str]
    dominoes: list[str]
    max_size: dict[str, int]
    expansions: list[str] = field(default_factory=list)
    quests: int = 0
    court_sets: int = 0
    bonuses: bool = False
    bleak_towns: bool = False
    default_size: int = 0


Entry = TypeVar("Entry")


def build(kind: type[Entry], name: str, row: Mapping[str, Any]) -> Entry:
    """One entry of a data file as its dataclass; an unknown, missing or ill-typed key is an error."""
    schema = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    entry = {"id": name, **row} if "id" in schema else dict(row)
    problems = [f"unknown key {key!r}" for key in entry if key not in schema]
    for key, wanted in schema.items():
        if key not in entry:
            if wanted.default is MISSING and wanted.default_factory is MISSING:
                problems.append(f"missing key {key!r}")
        elif type(entry[key]) is not (get_origin(wanted.type) or wanted.type):
            problems.append(f"{key!r} is {entry[key]!r}")
    if problems:
        raise CatalogueError(f"{kind.__name__} {name!r}: {', '.join(problems)}")
    return kind(**entry)


def entries(kind: type[Entry], table: Mapping[str, Mapping[str, Any]]) -> dict[str, Entry]:
    return {name: build(kind, name, row) for name, row in table.items()}


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((files("scorer.rules") / "data" / name).read_text("utf-8"))


@cache
def dominoes(box: str) -> tuple[Domino, ...]:
    """The dominoes of one box: kingdomino, queendomino or age-of-giants."""
    text = (files("scorer.rules") / "data" / "dominoes.csv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines())
    return tuple(build(Domino, row["number"], row) for row in rows if row["box"] == box)


@cache
def domino_kinds(boxes: tuple[str, ...]) -> Mapping[tuple[str, str], int]:
    """How many dominoes of each pair of faces the boxes hold together."""
    return Counter((min(d.left, d.right), max(d.left, d.right)) for box in boxes for d in dominoes(box))


def _quests() -> dict[str, Quest]:
    """The seventeen tiles: a quest that asks for a terrain is one tile for each of them."""
    tiles: dict[str, Quest] = {}
    for name, row in _toml("quests.toml").items():
        quest = build(Quest, name, row)
        if quest.kind in ("local_business", "four_corners"):
            for terrain in quest.terrains:
                tile = f"{name}-{terrain}"
                tiles[tile] = build(Quest, tile, {**row, "terrains": [terrain]})
        else:
            tiles[name] = quest
    return tiles


def _rule_sets(table: Mapping[str, Mapping[str, Any]]) -> dict[str, RuleSet]:
    merged = {name: {**table.get(row.get("extends", ""), {}), **row} for name, row in table.items()}
    for row in merged.values():
        row.pop("extends", None)
    return entries(RuleSet, merged)


_court = _toml("court.toml")
_rules = _toml("rulesets.toml")

BUILDINGS = entries(Building, _toml("buildings.toml"))
CHARACTERS = entries(Character, _court["character"])
COURT_BUILDINGS = entries(CourtBuilding, _court["building"])
RESOURCES = entries(Resource, _court["resource"])
QUESTS = _quests()
RULINGS = entries(Ruling, _toml("rulings.toml"))
RULE_SETS = _rule_sets(_rules["rules"])
EXPANSIONS = entries(Expansion, _rules["expansion"])
PIECES_IN_BOX: dict[str, int] = _rules["pieces"]
