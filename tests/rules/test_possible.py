"""What problems say, and the one that the notation cannot write."""

import pytest

from scorer.rules import Kingdom, Square, parse, score


def messages(text: str) -> set[str]:
    return {problem.message for player in score(parse(text)).players for problem in player.problems}


def test_a_building_stands_on_a_town_square() -> None:
    for terrain in ("forest", "town"):
        kingdom = Kingdom(((Square(castle=True), Square(terrain, building="statue")),))  # type: ignore[arg-type]
        codes = [problem.code for problem in score([kingdom]).players[0].problems]
        assert ("building-off-town" in codes) == (terrain == "forest")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("w0 w0\n", "the kingdom has no castle"),
        ("C C\n", "the kingdom has more than one castle"),
        ("size: 5\n\nC w0 w0 w0 w0 w0\n", "the kingdom is 6 squares wide or high, more than 5"),
        ("C\n---\nsize: 7\n\nC\n---\n\nC\n", "7x7: in Queendomino so many players build at most 5x5"),
        ("C . w0\n", "the square is not connected to the castle"),
        ("C f3\n", "no forest has 3 crowns"),
        ("rules: kingdomino\n\nC t\n", "Kingdomino has no town: not counted"),
        ("rules: kingdomino\ncoins: 3\n\nC\n", "coins: not part of Kingdomino, not counted"),
        ("C w1+giant\n", "giants: not part of Queendomino, not counted"),
        ("C t:statue t:statue t:statue t:statue\n", "4 × Statue: the box holds 3"),
        ("towers: 16\n\nC\n", "16 × tower: the box holds 15"),
        ("expansions: court\n\nC s0+court:king s0+court:king\n", "2 × King: the box holds 1"),
        ("rules: xxxl\n\nC\n", "XXXL is played with 4 quests, not 0"),
        ("bonuses: harmony\n\nC\n", "Queendomino has no bonuses: not counted"),
        ("rules: kingdomino\n\nC\n---\nrules: xxxl\n\nC\n", "rules: what the first player states holds for all"),
    ],
)
def test_what_a_problem_says(text: str, message: str) -> None:
    assert message in messages(text)
