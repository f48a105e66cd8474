"""Checking a pad: every wrong row found, the Queen's choices accepted, and the slip that explains the number."""

from dataclasses import replace

import pytest

from scorer.errors import UsageError
from scorer.pads.check import PlayerCheck, RowCheck, check_pad
from scorer.pads.files import Pad, PadDoubt
from scorer.pads.words import check_table, findings
from scorer.rules import parse, score
from scorer.rules.message import msg
from scorer.texts import translator
from tests import example

EXAMPLE = example.TEXT
RIGHT = {**example.ROWS, "total": example.TOTAL}


def check(kingdom: str, written: dict[str, int | None]) -> PlayerCheck:
    (player,) = check_pad(Pad({"White": written}), score(parse(kingdom))).players
    return player


def wrong(player: PlayerCheck) -> dict[str, RowCheck]:
    return {row.row: row for row in player.rows if row.status != "right"}


def reasons(kingdom: str, row: str, value: int) -> list[str]:
    """What is said about one wrong row of a kingdom whose other rows are right."""
    player = score(parse(kingdom)).players[0]
    written: dict[str, int | None] = {**player.rows, "total": player.total}
    assert written[row] != value, "this is the right number"
    seen = wrong(check(kingdom, {**written, row: value}))
    assert seen[row].difference == value - player.rows[row]
    return [reason.template for reason in seen[row].reasons]


def test_the_books_example_is_right() -> None:
    assert check(EXAMPLE, dict(RIGHT)).right


def test_rows_without_points_may_be_empty_but_not_others() -> None:
    player = check(EXAMPLE, {**RIGHT, "town": None, "knights": None, "lake": None})
    assert [(row.row, row.status, row.right) for row in player.rows if row.status != "right"] == [
        ("lake", "missing", 6)
    ]
    assert (player.adds_up, player.right) == (65, False)


def test_a_missing_total_is_found() -> None:
    assert wrong(check(EXAMPLE, {**RIGHT, "total": None}))["total"].status == "missing"


def test_a_row_of_another_game() -> None:
    assert wrong(check(EXAMPLE, {**RIGHT, "wealth": 4}))["wealth"].status == "unknown"
    assert check(EXAMPLE, {**RIGHT, "wealth": 0}).right


def test_adding_error() -> None:
    player = check(EXAMPLE, {**RIGHT, "total": 81})
    assert list(wrong(player)) == ["total"]
    assert str(player.rows[-1].reasons[0]) == "adding error: the rows add up to 71"


def test_a_right_total_of_wrong_rows_is_no_right_column() -> None:
    player = check(EXAMPLE, {**RIGHT, "lake": 5})
    assert list(wrong(player)) == ["lake"]
    assert not player.right


TWO_LARGEST = "player: White\nqueen: yes\n\nC w1 w0 . f2 f0\n"


@pytest.mark.parametrize(("wheat", "forest", "right"), [(4, 4, True), (2, 6, True), (4, 6, False), (2, 4, False)])
def test_every_choice_of_the_queen_is_accepted(wheat: int, forest: int, right: bool) -> None:
    zero = dict.fromkeys(("coins", "lake", "mine"), 0)
    player = check(TWO_LARGEST, {**zero, "wheat": wheat, "forest": forest, "total": wheat + forest})
    assert player.right is right


def test_where_nobody_says_who_hosts_the_queen_the_pad_does() -> None:
    kingdom = "player: White\n\nC w1 w0\n"
    assert check(kingdom, {"wheat": 2, "total": 2}).right
    assert check(kingdom, {"wheat": 4, "total": 4}).right
    assert not check(kingdom, {"wheat": 3, "total": 3}).right


@pytest.mark.parametrize(
    ("kingdom", "row", "value", "slip"),
    [
        (EXAMPLE, "grassland", 12, "the Queen was forgotten"),
        (EXAMPLE, "mine", 15, "the Queen was put on a territory"),
        (EXAMPLE.replace("queen: yes", "queen: no"), "grassland", 16, "the Queen was counted, but"),
        (EXAMPLE, "coins", 11, "the coins were not divided"),
        (EXAMPLE, "coins", 4, "the coins were rounded up"),
        (EXAMPLE, "church", 10, "the Church counted buildings"),
        (EXAMPLE, "forest", 6, "two territories"),
        ("rules: kingdomino\n\nC w1 w0\nw2 w0 f0\nf1 f0 w1\n", "forest", 3, "only touch at a corner"),
        ("rules: kingdomino\n\nC w1 w0 w1 w1\n", "wheat", 6, "was counted as two"),
        ("rules: kingdomino\n\nC w1 w0\nf0 f0 f0\n", "forest", 3, "without a crown was counted"),
        ("queen: no\nguard: 2\n\nC t:training_camp w0+knight\n", "knights", 1, "knights of the guard"),
        ("queen: no\ntowers: 2\n\nC t:travelling_castle+tower w0\n", "towers", 1, "towers beside the kingdom"),
        ("queen: no\n\nt:sawmill C t:sawmill\nf0 f0 w0\n", "territory_buildings", 2, "was scored once"),
        (EXAMPLE, "buildings", 5, "was forgotten"),
        (EXAMPLE, "lake", 0, "squares was forgotten"),
        (EXAMPLE, "territory_buildings", 8, "squares were counted instead"),
        ("queen: no\n\nC t:statue~\n", "buildings", 5, "is turned over"),
        ("expansions: giants\nquests: harmony, lost-corner\nqueen: no\n\nC w1+giant w1\n", "wheat", 4, "covered"),
        ("rules: xxxl\nqueen: no\ncoins: 2\naccount: 4\n\nC w0\n", "wealth", 0, "bank account was forgotten"),
        ("rules: xxxl\nqueen: no\ncoins: 2\naccount: 4\n\nC w0\n", "wealth", 1, "divided one by one"),
        ("rules: xxxl\nqueen: no\nguard: 2\n\nC t:training_camp w0+knight\n", "buildings_total", 1, "of the guard"),
    ],
)
def test_the_slip_is_named(kingdom: str, row: str, value: int, slip: str) -> None:
    assert any(slip in reason for reason in reasons(kingdom, row, value)[:2])


def test_no_reason_is_invented() -> None:
    assert reasons(EXAMPLE, "swamp", 17) == []


def test_rows_swapped() -> None:
    player = check(EXAMPLE, {**RIGHT, "lake": 16, "grassland": 6})
    assert {row: str(cell.reasons[0]) for row, cell in wrong(player).items()} == {
        "lake": "swapped with the row grassland",
        "grassland": "swapped with the row lake",
    }


def test_quests_by_number() -> None:
    kingdom = "rules: kingdomino\nexpansions: giants\nquests: lost-corner, harmony\nplayer: White\n\nC w1 w0\n"
    assert check(kingdom, {"wheat": 2, "quest:1": 20, "quest:2": 0, "total": 22}).right
    assert not check(kingdom, {"wheat": 2, "quest:1": 0, "quest:2": 20, "total": 22}).right


TABLE = "rules: kingdomino\nplayer: White\n\nC w1 w0\n---\nplayer: Red\n\nC f1 f0\n---\nplayer: Blue\n\nC f1\n"


def table(white: int, red: int, **columns: str) -> Pad:
    names = [columns.get(name, name) for name in ("White", "Red", "Blue")]
    points = {"White": {"wheat": white}, "Red": {"forest": red}, "Blue": {"forest": 1}}
    numbers = [{**rows, "total": sum(rows.values())} for rows in points.values()]
    return Pad(dict(zip(names, numbers, strict=True)))


def test_the_winner_by_the_pad_and_in_truth() -> None:
    seen = check_pad(table(2, 3), score(parse(TABLE)))
    assert (seen.ranking[0], seen.right_ranking[0], seen.winner_right) == (["Red"], ["White", "Red"], False)
    assert list(findings(seen, translator("en")))[-1] == "by the pad Red wins, in truth White, Red"
    assert check_pad(table(2, 2), score(parse(TABLE))).winner_right


def test_columns_without_the_players_names_are_taken_in_order() -> None:
    assert check_pad(table(2, 2, White="1", Red="2", Blue="3"), score(parse(TABLE))).right
    assert check_pad(table(2, 2, White="WHITE "), score(parse(TABLE))).right


@pytest.mark.parametrize("columns", [{"White": "1"}, {"Blue": "Green"}])
def test_players_that_do_not_fit_are_told(columns: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="call them alike"):
        check_pad(table(2, 2, **columns), score(parse(TABLE)))


def test_a_doubtful_reading_is_the_first_reason() -> None:
    doubt = PadDoubt("White", "lake", 8, 6, 0.7, msg("nothing"))
    seen = check_pad(replace(Pad({"White": {**RIGHT, "lake": 8}}), doubts=(doubt,)), score(parse(EXAMPLE)))
    (lake,) = (row for row in seen.players[0].rows if row.row == "lake")
    assert str(lake.reasons[0]) == "perhaps it was misread and says 6"


def test_the_table_shows_what_would_be_right() -> None:
    seen = check_pad(Pad({"White": {**RIGHT, "lake": 5}}), score(parse(EXAMPLE)))
    assert "5 → 6 │" in check_table(seen, translator("en"))
    assert "16 │" in check_table(seen, translator("en"))
