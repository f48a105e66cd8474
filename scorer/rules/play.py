"""What a table plays by: its rule set with expansions, quests, bonuses and rulings, put together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from .catalogue import EXPANSIONS, RULE_SETS, TERRAINS, Terrain, domino_kinds
from .kingdom import Kingdom, Place, Square
from .message import Message, Term, msg
from .problem import Problem
from .tiling import Box

DEFAULT_RULES = "queendomino"
SIZES = (5, 7, 9)


@dataclass(frozen=True)
class Rules:
    """A rule set ready to score: everything the kingdoms of one table share."""

    id: str
    name: Term
    parts: frozenset[str]
    terrains: tuple[Terrain, ...]
    pad: tuple[str, ...]
    tie_break: tuple[str, ...]
    dominoes: tuple[str, ...]
    jokers: tuple[int, int, int]
    """Dominoes of unknown faces, how many of their squares are towns and how many others."""
    quests: tuple[str, ...]
    quest_count: int
    bonuses: tuple[str, ...]
    rulings: frozenset[str]
    court_sets: int
    bleak_towns: bool
    size: int
    """As stated for the table or fixed by the rule set; 0: as large as it needs to be."""
    max_size: tuple[tuple[int, int], ...]

    @cached_property
    def box(self) -> Box:
        """The dominoes in use."""
        return Box(domino_kinds(self.dominoes), *self.jokers)

    @cached_property
    def faces(self) -> frozenset[str]:
        """What the squares of the dominoes in use show."""
        return frozenset(face for kind in self.box.dominoes for face in kind)

    def size_of(self, kingdom: Kingdom) -> int:
        """The grid a kingdom may fill: as stated, else the smallest of 5, 7, 9 that holds it; xxxl 7."""
        if stated := kingdom.size or self.size:
            return stated
        return next((size for size in SIZES if kingdom.extent <= size), SIZES[-1])

    def knows_terrains(self, kingdom: Kingdom) -> bool:
        return all(square.terrain in self.terrains for _, square in kingdom.squares() if square.terrain)

    def allowed_size(self, parties: int) -> int:
        """The largest grid that so many players or teams may build."""
        return next((size for most, size in self.max_size if parties <= most), self.max_size[-1][1])


def rules_of(kingdoms: Sequence[Kingdom]) -> Rules:
    """The rules of a table: what the first player states, or for what he leaves open, the first who states it.

    `rules:` and `quests:` of the first hold for all, stated or not.
    """
    first = kingdoms[0]
    return rules_named(
        first.rules or DEFAULT_RULES,
        _stated(kingdoms, "expansions") or (),
        _stated(kingdoms, "rulings") or (),
        first.quests or (),
        _stated(kingdoms, "bonuses") or (),
        _stated(kingdoms, "court"),
        _stated(kingdoms, "size"),
    )


def _stated(kingdoms: Sequence[Kingdom], key: str) -> Any:
    return next((value for kingdom in kingdoms if (value := getattr(kingdom, key)) is not None), None)


@lru_cache(maxsize=256)
def rules_named(
    rule_set: str,
    expansions: tuple[str, ...] = (),
    rulings: tuple[str, ...] = (),
    quests: tuple[str, ...] = (),
    bonuses: tuple[str, ...] = (),
    court_sets: int | None = None,
    size: int | None = None,
) -> Rules:
    """A rule set with its expansions, ready to score."""
    base = RULE_SETS[rule_set]
    bonuses = bonuses if base.bonuses else ()
    added = [EXPANSIONS[name] for name in EXPANSIONS if name in base.expansions or name in expansions]
    parts = frozenset(base.parts).union(*(expansion.parts for expansion in added))
    terrains = TERRAINS if "town" in parts else TERRAINS[:-1]
    lines: dict[str, Sequence[str]] = {
        "terrains": terrains,
        "quests": [f"quest:{quest}" for quest in quests],
        "bonuses": [f"bonus:{bonus}" for bonus in bonuses],
    }
    if "court" not in parts:
        lines |= {"characters_base": (), "characters_bonus": (), "resources": ()}
    jokers = next((expansion.jokers for expansion in added if expansion.jokers), {})
    return Rules(
        id=base.id,
        name=Term(base.name),
        parts=parts,
        terrains=terrains,
        pad=tuple(row for line in base.pad for row in lines.get(line, (line,))),
        tie_break=tuple(base.tie_break),
        dominoes=(*base.dominoes, *(box for expansion in added for box in expansion.dominoes)),
        jokers=(jokers.get("dominoes", 0), jokers.get("town", 0), jokers.get("other", 0)),
        quests=quests,
        quest_count=base.quests or max((expansion.quests for expansion in added), default=0),
        bonuses=bonuses,
        rulings=frozenset(rulings),
        court_sets=court_sets
        if court_sets is not None
        else base.court_sets or max((expansion.court_sets for expansion in added), default=0),
        bleak_towns=base.bleak_towns,
        size=size or base.default_size,
        max_size=tuple((int(parties), size) for parties, size in base.max_size.items()),
    )


class _Thing(NamedTuple):
    """Something that belongs to a part of the rule sets: how it is called, and where a kingdom shows it."""

    part: str
    called: Message
    fields: tuple[str, ...] = ()
    """Fields of a square."""
    keys: tuple[str, ...] = ()
    """Header keys."""


_THINGS = (
    _Thing("coins", msg("coins"), (), ("coins",)),
    _Thing("buildings", msg("buildings"), ("building", "turned")),
    _Thing("knights", msg("knights"), ("knight",), ("guard",)),
    _Thing("towers", msg("towers"), ("tower",), ("towers",)),
    _Thing("queen", msg("the Queen"), ("queen",), ("queen",)),
    _Thing("giants", msg("giants"), ("giant",)),
    _Thing("court", msg("pieces of The Court"), ("resources", "court")),
    _Thing("events", msg("fallen towers"), ("fallen",)),
    _Thing("events", msg("the bank account"), (), ("account",)),
    _Thing("events", msg("the cemetery"), (), ("cemetery",)),
)
_BARE = Square()


def only_what_counts(kingdom: Kingdom, rules: Rules) -> tuple[Kingdom, list[Problem]]:
    """The kingdom without what its rule set does not know, and a problem for each thing taken away."""
    problems: list[Problem] = []
    bare: dict[str, Any] = {}
    header: dict[str, Any] = {}
    for thing in _THINGS:
        if thing.part in rules.parts:
            continue
        at = [place for place, s in kingdom.squares() if s.parts and any(getattr(s, name) for name in thing.fields)]
        if at or any(getattr(kingdom, key) not in (None, 0, "no") for key in thing.keys):
            bare |= {name: getattr(_BARE, name) for name in thing.fields}
            header |= dict.fromkeys(thing.keys)
            problems.append(_foreign(thing.called, rules, at[0] if at else None))
    if kingdom.queen == "abducted" and "queen" in rules.parts and "events" not in rules.parts:
        header["queen"] = "no"
        problems.append(_foreign(msg("an abducted Queen"), rules, None))
    if not problems and rules.knows_terrains(kingdom):
        return kingdom, []
    rows = tuple(tuple(_bared(square, bare, rules) for square in row) for row in kingdom.rows)
    return replace(kingdom, rows=rows, **header), problems


def _foreign(called: Message, rules: Rules, place: Place | None) -> Problem:
    text = msg("{what}: not part of {rules}, not counted", what=Term(called.template), rules=rules.name)
    return Problem("not-in-rules", text, place)


def _bared(square: Square, bare: dict[str, Any], rules: Rules) -> Square:
    if square.terrain is not None and square.terrain not in rules.terrains:
        bare = {**bare, "crowns": 0}
    return replace(square, **bare)


def settings_problems(kingdoms: Sequence[Kingdom], rules: Rules) -> list[list[Problem]]:
    """Players who state other rules than the table's, and a number of quests that is not the rule set's."""
    shared: list[Problem] = []
    if len(rules.quests) != rules.quest_count:
        text = msg(
            "{rules} is played with {wanted} quests, not {given}",
            rules=rules.name,
            wanted=rules.quest_count,
            given=len(rules.quests),
        )
        shared.append(Problem("quest-count", text))
    if _stated(kingdoms, "bonuses") and not rules.bonuses:
        shared.append(Problem("bonus-not-in-rules", msg("{rules} has no bonuses: not counted", rules=rules.name)))
    holds = {key: _stated(kingdoms, key) for key in ("expansions", "rulings", "bonuses", "court")}
    holds |= {"rules": kingdoms[0].rules or DEFAULT_RULES, "quests": kingdoms[0].quests or ()}
    return [
        [
            *(
                Problem("settings-differ", msg("{key}: what the first player states holds for all", key=key))
                for key, value in holds.items()
                if getattr(kingdom, key) not in (None, value)
            ),
            *shared,
        ]
        for kingdom in kingdoms
    ]
