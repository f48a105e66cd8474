"""The printed pad as a plan: its rows, where its cells lie, and what the marks in its corners say.

Everything is measured in heights of a row and depends on the pad alone, never on the paper: whoever knows what the
marks say knows where every cell is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import prod
from typing import Any

from scorer.errors import UsageError
from scorer.rules.catalogue import EXPANSIONS, QUESTS, RULE_SETS
from scorer.rules.kingdom import Kingdom
from scorer.rules.play import DEFAULT_RULES, rules_named, rules_of

MAX_COLUMNS = 6
USUAL_COLUMNS = 4
MARK = 1.0
"""Side of a mark. Marks stand in the corners of the pad, the table lies between the upper and the lower ones."""
GAP = 0.3
LABEL = 5.0
CELL = 2.0
MAX_QUESTS = 4
MARK_IDS = 1000
"""Marks of the dictionary DICT_5X5_1000."""
CORNERS = ("top left", "top right", "bottom right", "bottom left")
CHECK = 241
"""Every number the marks spell is a multiple of this prime: of four misread marks all but one in 241 are noticed."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@cache
def _quest_choices() -> tuple[tuple[str, ...], ...]:
    """Every set of quests a pad may name, and every number of quests that it leaves to be named by hand."""
    named = [choice for count in range(MAX_QUESTS + 1) for choice in combinations(QUESTS, count)]
    return (*named, *(unnamed(count) for count in range(1, MAX_QUESTS + 1)))


def unnamed(count: int) -> tuple[str, ...]:
    """Quests by number: on a pad printed before they are drawn."""
    return tuple(str(number) for number in range(1, count + 1))


def _subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [choice for count in range(len(names) + 1) for choice in combinations(names, count)]


@dataclass(frozen=True)
class Sheet:
    """One pad; `columns` are for players; `mirrored` where the language reads from right to left."""

    rules: str = DEFAULT_RULES
    columns: int = USUAL_COLUMNS
    expansions: tuple[str, ...] = ()
    quests: tuple[str, ...] = ()
    bonuses: tuple[str, ...] = ()
    mirrored: bool = False

    def __post_init__(self) -> None:
        # As the rule set counts them, so that equal pads are equal.
        base = RULE_SETS[self.rules]
        added = tuple(name for name in EXPANSIONS if name in self.expansions and name not in base.expansions)
        quests = tuple(quest for quest in (*QUESTS, *unnamed(MAX_QUESTS)) if quest in self.quests)
        bonuses = tuple(name for name in _bonuses() if name in self.bonuses and base.bonuses)
        for key, value in (("expansions", added), ("quests", quests), ("bonuses", bonuses)):
            object.__setattr__(self, key, value)
        if not 1 <= self.columns <= MAX_COLUMNS:
            raise UsageError(f"a pad has 1 to {MAX_COLUMNS} columns, not {self.columns}")
        if self.quests not in _quest_choices():
            raise UsageError(f"a pad has at most {MAX_QUESTS} quests")

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Ids of the rows from top to bottom, last the total."""
        pad = rules_named(self.rules, self.expansions, quests=self.quests, bonuses=self.bonuses).pad
        return (*pad, "total")

    @cached_property
    def width(self) -> float:
        return LABEL + CELL * self.columns

    @cached_property
    def height(self) -> float:
        """With a line for the players' names."""
        return 2 * (MARK + GAP) + 1 + len(self.rows)

    def box(self, line: int, column: int) -> Box:
        """A cell of the table: line 0 holds the players' names, column 0 the names of the rows."""
        top = MARK + GAP + line
        left, right = (0.0, LABEL) if column == 0 else (LABEL + CELL * (column - 1), LABEL + CELL * column)
        if self.mirrored:
            left, right = self.width - right, self.width - left
        return left, top, right, top + 1

    def mark_boxes(self) -> tuple[Box, ...]:
        """The four marks in the order of CORNERS."""
        right, bottom = self.width - MARK, self.height - MARK
        return tuple((x, y, x + MARK, y + MARK) for x, y in ((0.0, 0.0), (right, 0.0), (right, bottom), (0.0, bottom)))

    def mark_ids(self) -> tuple[int, ...]:
        """What the marks spell: id = 4 * digit + corner, the digits those of a number in base MARK_IDS / 4."""
        number = 0
        for value, choices in zip(self._values(), _choices(), strict=True):
            number = number * len(choices) + choices.index(value)
        number *= CHECK
        base = MARK_IDS // len(CORNERS)
        return tuple(len(CORNERS) * (number // base**corner % base) + corner for corner in range(len(CORNERS)))

    def _values(self) -> tuple[object, ...]:
        return self.rules, self.columns, self.expansions, self.quests, self.bonuses, self.mirrored

    @classmethod
    def of_marks(cls, ids: tuple[int, ...]) -> "Sheet | None":
        """The pad whose marks have these ids in the order of CORNERS; None if they spell none."""
        base = MARK_IDS // len(CORNERS)
        number, rest = divmod(sum(mark // len(CORNERS) * base**corner for corner, mark in enumerate(ids)), CHECK)
        if rest or number >= prod(map(len, _choices())) or any(mark % 4 != corner for corner, mark in enumerate(ids)):
            return None
        values: list[Any] = []
        for choices in reversed(_choices()):
            number, place = divmod(number, len(choices))
            values.append(choices[place])
        try:
            return cls(*reversed(values))
        except UsageError:
            return None


def _bonuses() -> tuple[str, ...]:
    return tuple(quest.id for quest in QUESTS.values() if quest.bonus)


@cache
def _choices() -> tuple[tuple[object, ...], ...]:
    """What each field of a sheet may be. A change of these changes what the marks of printed pads mean."""
    return (
        tuple(RULE_SETS),
        tuple(range(1, MAX_COLUMNS + 1)),
        tuple(_subsets(tuple(EXPANSIONS))),
        _quest_choices(),
        tuple(_subsets(_bonuses())),
        (False, True),
    )


def blank_sheet(
    rules: str | None,
    columns: int | None,
    expansions: tuple[str, ...],
    quests: tuple[str, ...],
    bonuses: tuple[str, ...],
    mirrored: bool,
) -> Sheet:
    """A pad to fill in by hand; quests that are not named yet get numbers."""
    rules = rules or DEFAULT_RULES
    quests = quests or unnamed(rules_named(rules, expansions).quest_count)
    return Sheet(rules, columns or USUAL_COLUMNS, expansions, quests, bonuses, mirrored)


def sheet_of(table: Sequence[Kingdom], columns: int | None, mirrored: bool) -> Sheet:
    """The pad of a table, with a column for each kingdom at least."""
    played = rules_of(table)
    expansions = next((kingdom.expansions for kingdom in table if kingdom.expansions is not None), ())
    columns = max(columns or 0, len(table))
    quests = played.quests or unnamed(played.quest_count)
    return Sheet(played.id, columns, expansions, quests, played.bonuses, mirrored)
