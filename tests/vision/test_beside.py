"""What lies beside a kingdom is counted, and only proposed."""

from collections import Counter

from scorer.rules import Kingdom
from scorer.rules.notation import parse_square
from scorer.vision.beside import propose

ROWS = ((parse_square("C"), parse_square("w1")), (parse_square("f0"), parse_square("t0")))


def test_each_kind_becomes_a_statement_and_a_doubt() -> None:
    found = Counter(knight=2, tower=1, coin1=2, coin3=1, coin9=1)
    kingdom, doubts = propose(Kingdom(ROWS, rules="queendomino"), found)
    assert (kingdom.guard, kingdom.towers, kingdom.coins) == (2, 1, 14)
    assert [doubt.read for doubt in doubts] == ["guard: 2", "towers: 1", "coins: 14"]
    assert not any(doubt.needed for doubt in doubts)


def test_a_queen_beside_is_a_guest_unless_she_stands_on_a_square() -> None:
    kingdom, doubts = propose(Kingdom(ROWS, rules="queendomino"), Counter(queen=1))
    assert kingdom.queen == "yes"
    assert [doubt.read for doubt in doubts] == ["queen: yes"]
    hosting = ((ROWS[0][0], parse_square("w1+queen")), ROWS[1])
    kingdom, doubts = propose(Kingdom(hosting, rules="queendomino"), Counter(queen=1))
    assert kingdom.queen != "yes"
    assert not doubts


def test_nothing_beside_changes_nothing() -> None:
    before = Kingdom(ROWS, rules="queendomino")
    assert propose(before, Counter()) == (before, ())
