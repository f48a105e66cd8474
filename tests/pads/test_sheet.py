"""The plan of the printed pad: its marks spell what it is, its cells tile the table."""

import itertools
import random

import pytest

from scorer.errors import UsageError
from scorer.pads.sheet import CELL, CHECK, CORNERS, LABEL, MARK_IDS, MAX_COLUMNS, Sheet, unnamed
from scorer.rules.catalogue import EXPANSIONS, QUESTS, RULE_SETS
from scorer.rules.play import rules_named


def some_sheets() -> list[Sheet]:
    rng = random.Random(0)
    return [
        Sheet(
            rng.choice(list(RULE_SETS)),
            rng.randint(1, MAX_COLUMNS),
            tuple(rng.sample(list(EXPANSIONS), rng.randint(0, 3))),
            rng.choice([unnamed(rng.randint(0, 4)), tuple(rng.sample(list(QUESTS), rng.randint(1, 4)))]),
            ("harmony", "middle-kingdom")[: rng.randint(0, 2)],
            rng.random() < 0.5,
        )
        for _ in range(300)
    ]


def test_the_marks_spell_the_pad() -> None:
    sheets = some_sheets()
    spelled = {sheet.mark_ids() for sheet in sheets}
    assert len(spelled) == len(set(sheets))
    for sheet in sheets:
        ids = sheet.mark_ids()
        assert [mark % len(CORNERS) for mark in ids] == [0, 1, 2, 3]
        assert all(0 <= mark < MARK_IDS for mark in ids)
        assert Sheet.of_marks(ids) == sheet


def test_a_misread_mark_is_noticed() -> None:
    rng = random.Random(1)
    noticed = 0
    for sheet in some_sheets():
        ids = list(sheet.mark_ids())
        corner = rng.randrange(4)
        ids[corner] = (ids[corner] + 4 * rng.randrange(1, 250)) % MARK_IDS
        noticed += Sheet.of_marks(tuple(ids)) is None
    assert noticed >= 300 * (1 - 5 / CHECK)


def test_marks_in_the_wrong_corners_spell_nothing() -> None:
    ids = Sheet().mark_ids()
    assert [Sheet.of_marks(order) for order in itertools.permutations(ids) if order != ids] == [None] * 23


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_rows_are_those_of_the_rule_set(rules: str) -> None:
    assert Sheet(rules).rows == (*rules_named(rules).pad, "total")


@pytest.mark.parametrize("mirrored", [False, True])
def test_cells_lie_side_by_side_between_the_marks(mirrored: bool) -> None:
    sheet = Sheet(columns=3, mirrored=mirrored)
    line = sorted(sheet.box(0, column) for column in range(4))
    assert [round(right - left, 6) for left, _, right, _ in line] == (
        [CELL] * 3 + [LABEL] if mirrored else [LABEL] + [CELL] * 3
    )
    assert all(a[2] == b[0] for a, b in itertools.pairwise(line))
    marks = sheet.mark_boxes()
    assert marks[0][3] < line[0][1]
    assert sheet.box(len(sheet.rows), 0)[3] < marks[2][1]


@pytest.mark.parametrize("fault", [{"columns": 0}, {"columns": 7}, {"quests": tuple(QUESTS)[:5]}])
def test_impossible_pads(fault: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="a pad has"):
        Sheet(**fault)  # type: ignore[arg-type]
