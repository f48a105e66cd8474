"""Every point is explained: the reasons of a row sum to the row, the rows to the total, by squares that exist."""

import random
from pathlib import Path

import pytest

from scorer.rules import Kingdom, PlayerScore, Score, parse, score

from .reference import random_kingdom

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "kingdoms").glob("*.kingdom"))
KNOWN = sorted((Path(__file__).parent / "known").rglob("*.kingdom"))
RULE_SETS = ("kingdomino", "queendomino", "royal-wedding", "xxxl")
RANDOM_KINGDOMS = 12


def check_explained(result: Score) -> None:
    for player, kingdom in zip(result.players, result.kingdoms, strict=True):
        assert player.total == sum(player.rows.values())
        assert {item.row for item in player.explanation} <= set(player.rows)
        for row, points in player.rows.items():
            assert points == sum(item.points for item in player.explanation if item.row == row), row
        for item in player.explanation:
            assert str(item.text)
            assert "{" not in str(item.text)
            assert list(item.squares) == sorted(set(item.squares))
            assert all(kingdom.at(place).laid or kingdom.at(place).parts for place in item.squares)
        check_territories(player, kingdom)


def check_territories(player: PlayerScore, kingdom: Kingdom) -> None:
    seen = [place for territory in player.territories for place in territory.squares]
    assert len(seen) == len(set(seen))
    for territory in player.territories:
        assert {kingdom.at(place).terrain for place in territory.squares} == {territory.terrain}
        assert len(territory.squares) == territory.size
        assert territory.points == territory.size * territory.crowns
    assert sum(territory.queen for territory in player.territories) == (player.hosts_queen and len(seen) > 0)
    assert player.largest_territory == max((territory.size for territory in player.territories), default=0)
    assert player.crowns == sum(territory.crowns - territory.queen for territory in player.territories)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_point_of_the_samples_is_explained(path: Path) -> None:
    check_explained(score(parse(path.read_text("utf-8"), str(path))))


def test_every_point_of_the_known_kingdoms_is_explained() -> None:
    for path in KNOWN:
        check_explained(score(parse(path.read_text("utf-8"), str(path))))


@pytest.mark.parametrize("legal", [True, False], ids=["legal", "wild"])
@pytest.mark.parametrize("rules", RULE_SETS)
def test_every_point_of_random_kingdoms_is_explained(rules: str, legal: bool) -> None:
    rng = random.Random(f"explain {rules} {legal}")
    for _ in range(RANDOM_KINGDOMS):
        check_explained(score([Kingdom.parse(random_kingdom(rng, rules, legal=legal))]))


def explained(text: str) -> list[tuple[str, int, str, tuple[tuple[int, int], ...]]]:
    (player,) = score([Kingdom.parse(text)]).players
    return [(item.row, item.points, str(item.text), item.squares) for item in player.explanation]


def test_the_reasons_of_a_queendomino_pad() -> None:
    text = """\
coins: 8
guard: 1
towers: 2
queen: yes

w1 w0 w0 C              t:sawmill
f1 f0 .  t:statue       t:church
.  .  .  t:queens_tower t:travelling_castle
.  .  .  m0             t:training_camp
"""
    town = ((0, 4), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4))
    assert explained(text) == [
        ("coins", 2, "coins: 8 ÷ 3 = 2", ()),
        ("wheat", 3, "wheat: 3 × 1 = 3", ((0, 0), (0, 1), (0, 2))),
        ("forest", 2, "forest: 2 × 1 = 2", ((1, 0), (1, 1))),
        ("mine", 0, "mine: 1 × 0 = 0", ((3, 3),)),
        ("town", 12, "town: 6 × (1 + Queen) = 12", town),
        ("town", 0, "Queen's Tower: crowns for its town, 1", ((2, 3),)),
        ("territory_buildings", 2, "Sawmill: 1 × forest, 2 each = 2", ((0, 4),)),
        ("church", 2, "Church: 1 × town, 2 each = 2", ((1, 4),)),
        ("towers", 2, "Travelling Castle: towers owned, 2", ((2, 4),)),
        ("knights", 1, "Training Camp: knights owned, 1", ((3, 4),)),
        ("buildings", 5, "Statue: 5", ((1, 3),)),
    ]


def test_the_reasons_of_an_xxl_pad() -> None:
    text = """\
rules: xxxl
coins: 4
account: 3
quests: local-business-wheat, four-corners-lake, lost-corner, crown-lines

C        w0+wheat f0+court:farmer
w0+wheat m3+giant w0+wheat
l1       t:statue m1
"""
    assert explained(text) == [
        ("characters_base", 3, "Farmer: 3", ((0, 2),)),
        ("characters_bonus", 6, "Farmer: 2 × wheat sheaf around, 3 each = 6", ((0, 2),)),
        ("wealth", 2, "coins: 7 ÷ 3 = 2", ()),
        ("resources", 1, "resources: 3 ÷ 2 = 1", ((0, 1), (1, 0), (1, 2))),
        ("wheat", 0, "wheat: 1 × 0 = 0", ((0, 1),)),
        ("wheat", 0, "wheat: 1 × 0 = 0", ((1, 0),)),
        ("wheat", 0, "wheat: 1 × 0 = 0", ((1, 2),)),
        ("forest", 0, "forest: 1 × 0 = 0", ((0, 2),)),
        ("lake", 1, "lake: 1 × 1 = 1", ((2, 0),)),
        ("mine", 2, "mine: 1 × 2 = 2", ((1, 1),)),
        ("mine", 0, "squares with a covered crown: 1", ((1, 1),)),
        ("mine", 1, "mine: 1 × 1 = 1", ((2, 2),)),
        ("town", 0, "town: 1 × 0 = 0", ((2, 1),)),
        ("buildings_total", 5, "Statue: 5", ((2, 1),)),
        ("quest:local-business-wheat", 5, "Local Business: 5", ((0, 1),)),
        ("quest:local-business-wheat", 5, "Local Business: 5", ((1, 0),)),
        ("quest:four-corners-lake", 5, "Four Corners: 5", ((2, 0),)),
        ("quest:lost-corner", 20, "Lost Corner: 20", ((0, 0),)),
    ]


def test_the_squares_of_the_other_quests() -> None:
    text = """\
rules: kingdomino
expansions: giants
quests: crown-lines, bleak-king, middle-kingdom, harmony

w1 f1 l1 s0 s0
g0 g0 g0 s0 s0
w0 f0 C  f0 w0
g0 g0 g0 g0 g0
w1 f0 l1 f0 m0
"""
    reasons = [reason for reason in explained(text) if reason[0].startswith("quest:")]
    assert reasons == [
        ("quest:crown-lines", 10, "Crown lines: 10", ((0, 0), (0, 1), (0, 2))),
        ("quest:bleak-king", 10, "Bleak King: 10", ((3, 0), (3, 1), (3, 2), (3, 3), (3, 4))),
        ("quest:middle-kingdom", 10, "Middle Kingdom: 10", ((2, 2),)),
        ("quest:harmony", 5, "Harmony: 5", tuple((r, c) for r in range(5) for c in range(5))),
    ]


def test_the_squares_of_lines_that_share_one() -> None:
    header = "rules: kingdomino\nexpansions: giants\nrulings: crown-lines-share-one\nquests: crown-lines\n"
    text = header + "\nw1 f1 l1 f1 w1 C\n"
    assert [squares for row, _, _, squares in explained(text) if row == "quest:crown-lines"] == [
        ((0, 0), (0, 1), (0, 2)),
        ((0, 2), (0, 3), (0, 4)),
    ]


def test_the_bonus_of_each_kind_of_character_says_what_it_counts() -> None:
    tiles = ("merchant", "captain", "king", "queen", "lumberjack", "fisherman", "shepherdess")
    text = "rules: xxxl\n\nC " + " s0 ".join(f"s0+court:{tile}" for tile in tiles) + "\n"
    assert [reason for row, _, reason, _ in explained(text) if row == "characters_bonus"] == [
        "Merchant: 0 × resource around, 2 each = 0",
        "Captain: 0 × warrior around, 3 each = 0",
        "King: 0 × crown around, 1 each = 0",
        "Queen of the Court: 0 × character around, 2 each = 0",
        "Lumberjack: 0 × wood around, 3 each = 0",
        "Fisherman: 0 × fish around, 3 each = 0",
        "Shepherdess: 0 × sheep around, 3 each = 0",
    ]


def test_what_is_not_there_needs_no_reason() -> None:
    assert explained("queen: no\n\nC\n") == []


@pytest.mark.parametrize("rules", ["queendomino", "xxxl"])
def test_a_queens_tower_scores_by_its_crown_alone(rules: str) -> None:
    assert explained(f"rules: {rules}\n\nC t:queens_tower\n") == [
        ("town", 1, "town: 1 × 1 = 1", ((0, 1),)),
        ("town", 0, "Queen's Tower: crowns for its town, 1", ((0, 1),)),
    ]


def test_a_building_turned_over_is_named() -> None:
    reasons = explained("rules: xxxl\n\nC t:queens_tower~ t:statue~\n")
    assert [(row, points, text) for row, points, text, _ in reasons[1:]] == [
        ("town", 0, "Queen's Tower: turned over"),
        ("buildings_total", 0, "Statue: turned over"),
    ]


def messages(text: str) -> list[list[str]]:
    return [[problem.message for problem in player.problems] for player in score(parse(text)).players]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("towers: 2\nqueen: no\nplayer: Anna\n\nC\n---\n\nC\n", "Anna has the most towers and must host the Queen"),
        (
            "towers: 2\nqueen: no\nplayer: Anna\n\nC\n---\ntowers: 2\nqueen: no\nplayer: Ben\n\nC\n",
            "Anna, Ben have the most towers: one of them must host the Queen",
        ),
        ("queen: no\ntowers: 1\n\nw0+queen w0 C\n", "the Queen stands in a kingdom that does not host her"),
        (
            "player: Anna\nqueen: yes\ntowers: 1\n\nC\n---\nqueen: yes\ntowers: 1\n\nC\n",
            "the Queen cannot be in two places",
        ),
        ("player: Anna\nqueen: yes\n\nC\n---\n\nC\n", "Anna hosts the Queen without having the most towers"),
    ],
)
def test_contradictions_about_the_queen_in_words(text: str, expected: str) -> None:
    assert messages(text)[0] == [expected]
