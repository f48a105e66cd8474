"""What must always hold: turned kingdoms, more crowns, and an independent scorer that agrees."""

import random
from dataclasses import replace

import pytest

from scorer.rules import Kingdom, score
from scorer.rules.catalogue import EXPANSIONS, RULE_SETS
from scorer.rules.play import only_what_counts, rules_of
from scorer.rules.queen import hosting
from scorer.rules.score import PlayerScore, score_kingdom

from .reference import random_kingdom, reference_score

AGREEMENTS = 10_000
PROPERTIES = 300


def pad(kingdom: Kingdom) -> PlayerScore:
    """The pad alone, without the checks of what is possible."""
    rules = rules_of([kingdom])
    kept, _ = only_what_counts(kingdom, rules)
    host = hosting([kept], rules, whole=True)
    return score_kingdom(kept, rules, host.hosts[0], host.abducted[0])


def random_expansions(rng: random.Random) -> tuple[str, ...]:
    return tuple(name for name in EXPANSIONS if rng.random() < 0.3)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_an_independent_scorer_agrees(rules: str) -> None:
    rng = random.Random(f"agree {rules}")
    for _ in range(AGREEMENTS):
        text = random_kingdom(rng, rules, random_expansions(rng))
        ours, reference = pad(Kingdom.parse(text)), reference_score(text)
        assert list(ours.rows.items()) == list(reference["rows"].items()), text
        assert (ours.total, ours.largest_territory, ours.crowns) == (
            reference["total"],
            reference["largest_territory"],
            reference["crowns"],
        ), text


def turned(kingdom: Kingdom) -> Kingdom:
    """A quarter turn clockwise."""
    return replace(kingdom, rows=tuple(zip(*kingdom.rows[::-1], strict=True)))


def mirrored(kingdom: Kingdom) -> Kingdom:
    return replace(kingdom, rows=tuple(row[::-1] for row in kingdom.rows))


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("move", [turned, mirrored])
def test_a_turned_or_mirrored_kingdom_scores_the_same(rules: str, move: object) -> None:
    rng = random.Random(f"turn {rules}")
    for _ in range(PROPERTIES):
        kingdom = Kingdom.parse(random_kingdom(rng, rules, random_expansions(rng)))
        before, after = pad(kingdom), pad(move(kingdom))  # type: ignore[operator]
        assert (before.total, before.largest_territory, before.crowns) == (
            after.total,
            after.largest_territory,
            after.crowns,
        )
        # Where the Queen may choose among equal territories, another one may come first: the row differs.
        if not before.queen_choices:
            assert before.rows == after.rows


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_crown_more_never_lowers_a_score(rules: str) -> None:
    rng = random.Random(f"crown {rules}")
    for _ in range(PROPERTIES):
        kingdom = Kingdom.parse(random_kingdom(rng, rules, random_expansions(rng)))
        terrain = [(place, square) for place, square in kingdom.squares() if square.terrain not in (None, "town")]
        if not terrain:
            continue
        place, square = rng.choice(terrain)
        crowned = kingdom.with_square(place, replace(square, crowns=(square.crowns or 0) + 1))
        before, after = pad(kingdom), pad(crowned)
        bleak = "quest:bleak-king"
        assert after.total - after.rows.get(bleak, 0) >= before.total - before.rows.get(bleak, 0)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_table_never_fails_and_ranks_everybody_once(rules: str) -> None:
    rng = random.Random(f"table {rules}")
    for _ in range(40):
        table = [Kingdom.parse(random_kingdom(rng, rules)) for _ in range(rng.randint(1, 4))]
        result = score(table)
        places = [name for place in result.ranking for name in place]
        assert sorted(places) == sorted(player.player for player in result.players)
        totals = {player.player: player.total for player in result.players}
        assert [totals[name] for name in places] == sorted(totals.values(), reverse=True)
        assert len(set(places)) == len(table)


def test_legal_kingdoms_have_no_problem() -> None:
    rng = random.Random("legal")
    for rules in RULE_SETS:
        for _ in range(15):
            kingdom = Kingdom.parse(random_kingdom(rng, rules, legal=True))
            assert score([kingdom]).players[0].problems == (), str(kingdom)


def test_an_unknown_square_is_a_doubt_with_every_alternative() -> None:
    kingdom = Kingdom.parse("rules: kingdomino\n\nC f1 ? f0\n")
    player = score([kingdom]).players[0]
    assert player.total == 1
    (doubt,), (other,) = player.doubts, player.if_doubts
    assert doubt.square == (0, 2)
    totals = {alternative.choice: alternative.total for alternative in other.alternatives}
    assert (totals["f0"], totals["f1"], totals["w1"], totals["."]) == (3, 6, 2, 1)
    assert "C" not in totals
