"""The notation: every cell and key, canonical form, and every fault named with its line and column."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.rules import Kingdom, NotationError, parse, to_text
from scorer.rules.catalogue import BUILDINGS, SYNONYMS
from scorer.rules.kingdom import CourtTile, Square
from scorer.rules.notation import COURT_TILES, MAX_CHARACTERS, MAX_LINE, MAX_SIDE, parse_square, square_text

from .reference import random_kingdom

RULE_SETS = ("kingdomino", "queendomino", "royal-wedding", "xxxl")


@pytest.mark.parametrize(
    ("cell", "square", "canonical"),
    [
        (".", Square(), "."),
        ("C", Square(castle=True), "C"),
        ("?", Square(unknown=True), "?"),
        ("w", Square("wheat"), "w0"),
        ("w0", Square("wheat"), "w0"),
        ("m3", Square("mine", 3), "m3"),
        ("t", Square("town"), "t"),
        ("t0", Square("town"), "t"),
        ("w?", Square("wheat", None), "w?"),
        ("t:?", Square("town", building="?"), "t:?"),
        ("t?", Square("town", building="?"), "t:?"),
        ("t:statue", Square("town", building="statue"), "t:statue"),
        ("t:statue~", Square("town", building="statue", turned=True), "t:statue~"),
        ("city:statue", Square("town", building="statue"), "t:statue"),
        ("meadow1", Square("grassland", 1), "g1"),
        ("mountain3", Square("mine", 3), "m3"),
        ("w1+knight", Square("wheat", 1, knight=1), "w1+knight"),
        ("w1+knight+tower+knight", Square("wheat", 1, knight=2, tower=1), "w1+knight*2+tower"),
        ("m3+giant+fallen", Square("mine", 3, giant=1, fallen=1), "m3+fallen+giant"),
        ("w0+sheep+wheat", Square("wheat", resources=("wheat", "sheep")), "w0+wheat+sheep"),
        (
            "g0+court:swamp2~+court:farmer",
            Square("grassland", court=(CourtTile("farmer"), CourtTile("swamp2", True))),
            "g0+court:farmer+court:swamp2~",
        ),
        ("t:statue+queen+tower*2", Square("town", building="statue", tower=2, queen=1), "t:statue+tower*2+queen"),
    ],
)
def test_cells(cell: str, square: Square, canonical: str) -> None:
    assert parse_square(cell) == square
    assert square_text(square) == canonical
    assert parse_square(canonical) == square


@pytest.mark.parametrize("word", SYNONYMS)
def test_whole_words_name_terrains(word: str) -> None:
    assert parse_square(f"{word}1").terrain == SYNONYMS[word]


@pytest.mark.parametrize("name", [*BUILDINGS, *COURT_TILES])
def test_every_tile_can_be_written(name: str) -> None:
    cell = f"t:{name}" if name in BUILDINGS else f"w0+court:{name}"
    assert square_text(parse_square(cell)) == cell


EXAMPLE = """\
# the worked example's owner
rules: queendomino
player: White
coins: 11
guard: 1          # knights not placed
towers: 0         # towers owned beyond those drawn on squares
queen: yes

g1 g2      t:sawmill      f1 f0
C  .       w              l1 t
"""


def test_canonical_form() -> None:
    assert str(Kingdom.parse(EXAMPLE)) == (
        "rules: queendomino\nplayer: White\ncoins: 11\nguard: 1\ntowers: 0\nqueen: yes\n\n"
        "g1 g2 t:sawmill f1 f0\nC  .  w0        l1 t\n"
    )


def test_keys_are_printed_in_their_order_and_only_if_stated() -> None:
    text = (
        "court: 2\nbonuses: harmony\nquests: bleak-king,lost-corner\nqueen: no\ncemetery: 1\ntowers: 0\nguard: 2\n"
        "account: 4\ncoins: 3\nrulings: captain-counts-knights\nsize: 7\nplayer: A # B\nexpansions: court , giants\n"
        "rules: kingdomino\n\nC\n"
    )
    assert to_text(parse(text)).splitlines()[:-2] == [
        "rules: kingdomino",
        "expansions: court, giants",
        "player: A",
        "size: 7",
        "rulings: captain-counts-knights",
        "coins: 3",
        "account: 4",
        "guard: 2",
        "towers: 0",
        "cemetery: 1",
        "queen: no",
        "quests: bleak-king, lost-corner",
        "bonuses: harmony",
        "court: 2",
    ]


def test_a_grid_needs_no_header() -> None:
    assert to_text(parse("C w1\n")) == "C w1\n"


def test_several_players() -> None:
    text = "player: White\n\nC w1\n---\nplayer: Red\n\nC\nf0\n"
    assert [kingdom.player for kingdom in parse(text)] == ["White", "Red"]
    assert to_text(parse(text)) == text


def test_windows_lines_tabs_and_byte_order_mark() -> None:
    assert parse("\ufeffcoins:\t3\r\n\r\nC\tw1\r\n") == parse("coins: 3\n\nC w1")


@pytest.mark.parametrize("rules", RULE_SETS)
def test_canonical_form_is_a_fixed_point(rules: str) -> None:
    rng = random.Random(rules)
    for _ in range(300):
        kingdoms = parse("---\n".join(random_kingdom(rng, rules, ("giants", "court")) for _ in range(2)))
        text = to_text(kingdoms)
        assert parse(text) == kingdoms
        assert to_text(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", [(1, 1, "no kingdom here")]),
        ("coins: 3\n", [(1, 1, "no kingdom here")]),
        ("C\n---\n", [(2, 1, "no kingdom here")]),
        ("C w1\nC\n", [(2, 1, "this row has 1 squares, the first one 2")]),
        ("C t:statu\n", [(1, 5, "unknown building 'statu'; did you mean 'statue'?")]),
        ("C w1:statue\n", [(1, 3, "'w1:statue' is no square")]),
        ("C w:statue\n", [(1, 3, "a building stands on a town square, not on w")]),
        ("C q1\n", [(1, 3, "'q1' is no square")]),
        ("C W1\n", [(1, 3, "'W1' is no square")]),
        ("C w12\n", [(1, 3, "'w12' is no square")]),
        ("C w0+kight\n", [(1, 6, "unknown piece 'kight'; did you mean 'knight'?")]),
        ("C w0+knight*0\n", [(1, 6, "'knight*0' is no piece")]),
        ("C w0+\n", [(1, 6, "'' is no piece")]),
        ("C w0+knight*99+knight\n", [(1, 3, "more than 99 pieces")]),
        ("C w0+court:farmr\n", [(1, 6, "unknown Court tile 'farmr'; did you mean 'farmer'?")]),
        ("rules: chess\n\nC\n", [(1, 8, "rules: unknown rule set 'chess'; known are kingdomino")]),
        ("  coin: 3\n\nC\n", [(1, 3, "unknown key 'coin'; did you mean 'coins'?")]),
        ("coins: -3\n\nC\n", [(1, 8, "coins: '-3' is not a number")]),
        ("coins: ٣\n\nC\n", [(1, 8, "is not a number")]),
        ("coins: 3\ncoins: 4\n\nC\n", [(2, 1, "'coins' is given twice")]),
        ("C\ncoins: 4\n", [(2, 1, "'coins' stands after the grid")]),
        ("player:\n\nC\n", [(1, 8, "player: a player needs a name")]),
        ("player: a\x1b[31m\n\nC\n", [(1, 9, "player: a name cannot hold control characters")]),
        ("quests: harmony, harmony\n\nC\n", [(1, 18, "quests: the same quest is listed twice")]),
        (
            "quests: harmony, foo, lost-cornr\n\nC\n",
            [(1, 18, "unknown quest 'foo'"), (1, 23, "did you mean 'lost-corner'?")],
        ),
        ("C w1 +knight\n", [(1, 6, "write it without a blank")]),
        ("C t:safe\n", [(1, 5, "did you mean 'safe_of_knights' or 'safe_of_towers'?")]),
        ("C\n" * 5000, [(MAX_SIDE + 1, 1, "a grid has at most")]),
        ("size: 6\n\nC\n", [(1, 7, "size: unknown size '6'")]),
        ("queen: maybe\n\nC\n", [(1, 8, "queen: unknown word about the Queen 'maybe'")]),
        ("x" * 100_000, [(1, MAX_LINE + 1, "the line is longer than")]),
        ("C\n" * (MAX_CHARACTERS // 2 + 1), [(1, 1, "the text is longer than")]),
        ("\n".join(["C"] * (MAX_SIDE + 1)), [(MAX_SIDE + 1, 1, f"a grid has at most {MAX_SIDE} rows")]),
        (
            "rules: chess\ncoins: many\n\nC q\nC t:statu+kight+quen x\n",
            [
                (1, 8, "unknown rule set"),
                (2, 8, "'many' is not a number"),
                (4, 3, "'q' is no square"),
                (5, 1, "this row has 3 squares"),
                (5, 5, "unknown building"),
                (5, 11, "unknown piece 'kight'"),
                (5, 17, "unknown piece 'quen'"),
                (5, 22, "'x' is no square"),
            ],
        ),
    ],
)
def test_every_fault_is_named_with_line_and_column(text: str, faults: list[tuple[int, int, str]]) -> None:
    with pytest.raises(NotationError) as caught:
        parse(text)
    assert [(fault.line, fault.column) for fault in caught.value.faults] == [fault[:2] for fault in faults]
    for fault, (line, column, message) in zip(caught.value.faults, faults, strict=True):
        assert message in fault.message
        assert f"line {line}, column {column}: " in str(caught.value)


WORDS = st.sampled_from(
    [*"wflgsmtC.?+:~*#\n\t -019", "---", "rules:", "coins: 3", "player: ", "t:statue", "+knight", "+court:king", "w1"]
)


@given(st.one_of(st.text(), st.lists(WORDS).map("".join)))
def test_any_text_is_a_kingdom_or_a_listed_error(text: str) -> None:
    try:
        kingdoms = parse(text)
    except NotationError:
        return
    assert parse(to_text(kingdoms)) == kingdoms


@pytest.mark.parametrize("name", ["", " a", "a ", "#a", "a #b", "a\nb"])
def test_a_name_that_could_not_be_read_back_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="player's name"):
        Kingdom(((Square(castle=True),),), player=name)


def test_a_kingdom_is_a_rectangle() -> None:
    for rows in ((), ((),), ((Square(),), ())):
        with pytest.raises(ValueError, match="equal length"):
            Kingdom(rows)


def test_one_kingdom_is_asked_for() -> None:
    with pytest.raises(ValueError, match="2 kingdoms"):
        Kingdom.parse("C\n---\nC\n")
