"""What is not known: each doubt, the other totals it leaves open, and the forms in which they are told."""

from dataclasses import FrozenInstanceError

import pytest

from scorer.rules import Doubt, Kingdom, PlayerScore, Score, as_json, parse, score
from scorer.rules.message import msg
from scorer.rules.play import rules_of
from scorer.rules.score import MAX_DOUBTS_TRIED, Otherwise, score_kingdom


def table(text: str, **options: bool) -> Score:
    return score(parse(text), **options)


def only_player(text: str) -> PlayerScore:
    (player,) = table(text).players
    return player


def misread(square: tuple[int, int], read: str, *alternatives: str) -> Doubt:
    return Doubt("read", msg("a crown may be hidden"), square, read, alternatives, confidence=0.75)


def test_a_doubt_needs_no_more_than_a_code_and_a_sentence() -> None:
    doubt = Doubt("worn", msg("the tile is worn"))
    assert (doubt.square, doubt.read, doubt.alternatives, doubt.confidence) == (None, "", (), None)
    assert (doubt.between, doubt.needed, doubt.why) == ((), True, "the tile is worn")


def test_an_unknown_square_is_needed() -> None:
    result = table("rules: kingdomino\n\nC ?\n")
    (doubt,) = result.players[0].doubts
    assert (doubt.code, doubt.square, doubt.read, doubt.needed) == ("unknown-square", (0, 1), "?", True)
    assert doubt.why == "square 0,1 is not known"
    assert result.unknown


def test_a_queen_unknown_to_a_single_player_is_not_needed() -> None:
    result = table("player: White\n\nC w0\n")
    (doubt,) = result.players[0].doubts
    assert (doubt.code, doubt.between, doubt.needed) == ("queen-unknown", ("White",), False)
    assert doubt.why == "nothing says whether White hosts the Queen: scored without her"
    assert not result.unknown


def test_one_needed_doubt_is_enough_and_none_is_none() -> None:
    mixed = table("player: White\n\nC ?\n")
    assert [doubt.needed for doubt in mixed.players[0].doubts] == [True, False]
    assert mixed.unknown
    assert not table("queen: no\n\nC w0\n").unknown


def test_a_queen_between_tied_players_is_needed() -> None:
    result = table("player: White\ntowers: 1\n\nC\n---\nplayer: Red\ntowers: 1\n\nC\n---\nplayer: Blue\n\nC\n")
    for player in result.players[:2]:
        (doubt,) = player.doubts
        assert (doubt.code, doubt.between, doubt.needed) == ("queen-host", ("White", "Red"), True)
        assert doubt.why == "the Queen may be with White, Red: say who hosts her"
    assert result.players[2].doubts == ()
    assert result.unknown


def test_nothing_is_derived_from_a_part_of_the_table() -> None:
    text = "player: White\ntowers: 2\n\nC w0\n---\nplayer: Red\n\nC w0\n"
    assert [player.hosts_queen for player in table(text).players] == [True, False]
    part = table(text, whole=False)
    assert [player.hosts_queen for player in part.players] == [False, False]
    assert [doubt.code for player in part.players for doubt in player.doubts] == ["queen-unknown"] * 2
    assert [player.doubts[0].between for player in part.players] == [("White", "Red")] * 2
    assert part.players[0].doubts[0].why == "nothing says whether White hosts the Queen: scored without her"
    assert not part.unknown


def test_a_part_of_the_table_does_not_contradict_the_towers() -> None:
    text = "towers: 1\nqueen: yes\n\nC w0\n---\ntowers: 2\n\nC w0\n"
    codes = {problem.code for problem in table(text).players[0].problems}
    assert "queen-contradiction" in codes
    part = table(text, whole=False)
    assert "queen-contradiction" not in {problem.code for problem in part.players[0].problems}
    assert [player.doubts for player in part.players] == [(), ()]


def test_only_players_who_said_nothing_are_in_doubt_in_a_part_of_the_table() -> None:
    part = table("queen: no\n\nC w0\n---\n\nC w0\n", whole=False)
    assert [len(player.doubts) for player in part.players] == [0, 1]


def test_an_unknown_square_may_be_any_that_the_box_has() -> None:
    doubt = only_player("rules: kingdomino\n\nC ?\n").doubts[0]
    assert " ".join(doubt.alternatives) == "f0 f1 g0 g1 g2 l0 l1 m0 m1 m2 m3 s0 s1 s2 w0 w1 ."


def test_an_unknown_square_may_hold_a_building() -> None:
    doubt = only_player("queen: no\n\nC ?\n").doubts[0]
    assert len(doubt.alternatives) == 17 + 17 + 1
    assert {"t", "t:statue", "t:queens_tower", "w1", "."} <= set(doubt.alternatives)
    assert "t:?" not in doubt.alternatives


def test_without_a_castle_an_unknown_square_may_be_it() -> None:
    doubt = only_player("rules: kingdomino\n\nw0 ?\n").doubts[0]
    assert doubt.alternatives[-2:] == (".", "C")


def test_unknown_crowns_leave_the_terrain() -> None:
    assert only_player("rules: kingdomino\n\nC m?\n").doubts[0].alternatives == ("m0", "m1", "m2", "m3")


def test_an_unknown_building_may_be_none() -> None:
    doubt = only_player("queen: no\n\nC t:?\n").doubts[0]
    assert (doubt.read, doubt.alternatives[:2], len(doubt.alternatives)) == ("t:?", ("t", "t:bakery"), 18)


def test_an_unknown_building_turned_over_may_be_any_turned_over() -> None:
    doubt = only_player("rules: xxxl\nqueen: no\n\nC t:?~\n").doubts[0]
    assert doubt.alternatives[:2] == ("t", "t:bakery~")


def test_pieces_stay_on_the_square() -> None:
    doubt = only_player("queen: no\n\nC m?+knight\n").doubts[0]
    assert doubt.alternatives == ("m0+knight", "m1+knight", "m2+knight", "m3+knight")


def test_every_unknown_square_is_a_doubt_of_its_own() -> None:
    player = only_player("rules: kingdomino\n\nC w1 w?\n? . f?\n")
    assert [doubt.square for doubt in player.doubts] == [(0, 2), (1, 0), (1, 2)]
    assert [other.doubt for other in player.if_doubts] == [0, 1, 2]


def test_the_total_of_a_doubt_is_the_one_furthest_from_the_score() -> None:
    player = only_player("rules: kingdomino\n\nC w1 m?\n")
    (effect,) = player.if_doubts
    assert player.total == 1
    assert effect.total == 4
    assert effect.alternatives == (
        Otherwise("m0", 1, False),
        Otherwise("m1", 2, False),
        Otherwise("m2", 3, False),
        Otherwise("m3", 4, False),
    )
    assert not effect.winner_changes


def test_the_furthest_total_may_be_the_lower_one() -> None:
    kingdom = Kingdom.parse("rules: kingdomino\n\nC m3 m0 m0\n")
    doubts = [[misread((0, 1), "m3", "m1", "f0")]]
    (player,) = score([kingdom], doubts=doubts).players
    (effect,) = player.if_doubts
    assert (player.total, effect.total) == (9, 0)
    assert effect.alternatives == (Otherwise("m1", 3, False), Otherwise("f0", 0, False))


def test_a_doubt_says_whether_the_winner_would_change() -> None:
    text = "rules: kingdomino\nplayer: White\n\nC m?\n---\nplayer: Red\n\nC w1\n"
    (effect,) = table(text).players[0].if_doubts
    assert [(other.choice, other.winner_changes) for other in effect.alternatives] == [
        ("m0", False),
        ("m1", True),
        ("m2", True),
        ("m3", True),
    ]
    assert effect.winner_changes


def test_sharing_the_victory_changes_the_winner() -> None:
    text = "rules: kingdomino\nplayer: White\n\nC f?\n---\nplayer: Red\n\nC w1\n"
    (effect,) = table(text).players[0].if_doubts
    assert [other.winner_changes for other in effect.alternatives] == [False, True]


def test_hosting_the_queen_takes_her_from_nobody_else() -> None:
    result = table("player: White\ntowers: 1\n\nC w0\n---\nplayer: Red\ntowers: 1\n\nC w0 w0\n")
    assert [player.if_doubts[0].alternatives for player in result.players] == [
        (Otherwise("queen", 1, True),),
        (Otherwise("queen", 2, False),),
    ]


def test_an_unknown_square_may_move_the_queen() -> None:
    result = table("player: White\n\n?+tower*2 C\n---\nplayer: Red\ntowers: 1\n\nC w0 w0\n")
    assert [player.hosts_queen for player in result.players] == [True, False]
    totals = {other.choice: other.total for other in result.players[0].if_doubts[0].alternatives}
    assert totals["w0+tower*2"] == 1
    assert totals["w1+tower*2"] == 2


def test_doubts_of_a_reading_come_first() -> None:
    kingdoms = parse("player: White\n\nC w0 ?\n---\nplayer: Red\n\nC w0\n")
    result = score(kingdoms, doubts=[[misread((0, 1), "w0", "w1")]])
    assert [doubt.code for doubt in result.players[0].doubts] == ["read", "unknown-square"]
    assert result.players[1].doubts == ()
    assert result.players[0].if_doubts[0].alternatives == (Otherwise("w1", 1, True),)


def test_a_doubt_without_an_alternative_has_no_other_total() -> None:
    kingdom = Kingdom.parse("rules: kingdomino\n\nC w0\n")
    (player,) = score([kingdom], doubts=[[misread((0, 1), "w0"), misread((0, 1), "w0", "w1")]]).players
    assert len(player.doubts) == 2
    assert [other.doubt for other in player.if_doubts] == [1]


def test_only_so_many_doubts_are_tried() -> None:
    side = 9
    grid = "\n".join(" ".join("C" if r == c == 0 else "?" for c in range(side)) for r in range(side))
    player = only_player(f"rules: kingdomino\n\n{grid}\n")
    assert len(player.doubts) == side * side - 1
    assert len(player.if_doubts) == MAX_DOUBTS_TRIED == 40


def test_there_must_be_a_kingdom() -> None:
    with pytest.raises(ValueError, match=r"^there is no kingdom to score$"):
        score([])


def test_names_that_are_taken_get_the_next_free_number() -> None:
    names = ["White", "White", "White 2", "White"]
    result = score([Kingdom.parse(f"player: {name}\n\nC\n") for name in names])
    assert [player.player for player in result.players] == ["White", "White 2", "White 2 2", "White 3"]


def test_a_player_without_a_name_has_that_of_the_file() -> None:
    result = score([Kingdom.parse("C\n", "table/white.kingdom"), Kingdom.parse("C\n")])
    assert [(player.player, player.source) for player in result.players] == [
        ("white", "table/white.kingdom"),
        ("Player", ""),
    ]
    assert [kingdom.player for kingdom in result.kingdoms] == ["white", "Player"]


def test_a_table_is_impossible_if_one_of_its_kingdoms_is() -> None:
    assert not table("rules: kingdomino\n\nC w0 w0\n---\n\nC w0 w0\n").impossible
    assert table("rules: kingdomino\n\nC w0 w0\n---\n\nC w0 w9\n").impossible


def test_the_winners_are_those_of_the_first_place() -> None:
    assert table("player: White\n\nC\n---\nplayer: Red\ncoins: 3\n\nC\n").winners == ["Red"]
    assert table("player: White\n\nC\n---\nplayer: Red\n\nC\n").winners == ["White", "Red"]


def test_a_pad_alone_says_nothing_about_what_is_possible_or_unknown() -> None:
    kingdom = Kingdom.parse("rules: xxxl\nrulings: abducted-queen-breaks-ties\n\nw0 ?\n")
    pad = score_kingdom(kingdom, rules_of([kingdom]))
    assert (pad.total, pad.hosts_queen, pad.wins_queen_ties) == (0, False, False)
    assert (pad.problems, pad.doubts, pad.if_doubts) == ((), (), ())


def test_a_score_is_a_value() -> None:
    result = table("w1 C\n")
    (player,) = result.players
    (doubt,), (effect,) = player.doubts, player.if_doubts
    for value in (result, player, doubt, effect, effect.alternatives[0]):
        with pytest.raises(FrozenInstanceError):
            value.total = 100  # type: ignore[misc, union-attr]
    assert result == table("w1 C\n")
    assert "Kingdom(" not in repr(result)


def test_the_json_form() -> None:
    kingdom = Kingdom.parse("rules: kingdomino\nplayer: White\n\nC w1 w0\n? .  f3\n", "white.kingdom")
    result = score([kingdom], doubts=[[misread((0, 1), "w1", "w0")]])
    form = as_json(result)
    assert list(form) == ["format", "rules", "players", "ranking", "decided_by"]
    assert (form["format"], form["rules"], form["ranking"], form["decided_by"]) == (
        "score/1",
        "kingdomino",
        [["White"]],
        "total",
    )
    (player,) = form["players"]
    problems, doubts, effects = player.pop("problems"), player.pop("doubts"), player.pop("if_doubts")
    assert player == {
        "player": "White",
        "source": "white.kingdom",
        "total": 5,
        "rows": {"wheat": 2, "forest": 3, "lake": 0, "grassland": 0, "swamp": 0, "mine": 0},
        "territories": [
            {"terrain": "wheat", "size": 2, "crowns": 1, "queen": False, "points": 2, "squares": [[0, 1], [0, 2]]},
            {"terrain": "forest", "size": 1, "crowns": 3, "queen": False, "points": 3, "squares": [[1, 2]]},
        ],
        "largest_territory": 2,
        "crowns": 4,
        "hosts_queen": False,
        "queen_choices": [],
        "explanation": [
            {"row": "wheat", "points": 2, "text": "wheat: 2 × 1 = 2", "squares": [[0, 1], [0, 2]]},
            {"row": "forest", "points": 3, "text": "forest: 1 × 3 = 3", "squares": [[1, 2]]},
        ],
    }
    assert {"code": "impossible-crowns", "message": "no forest has 3 crowns", "square": [1, 2]} in problems
    assert doubts == [
        {
            "code": "read",
            "why": "a crown may be hidden",
            "square": [0, 1],
            "read": "w1",
            "or": "w0",
            "confidence": 0.75,
        },
        {"code": "unknown-square", "why": "square 1,0 is not known", "square": [1, 0], "read": "?"},
    ]
    assert effects[0] == {
        "doubt": 0,
        "total": 3,
        "winner_changes": False,
        "alternatives": [{"or": "w0", "total": 3, "winner_changes": False}],
    }
    assert effects[1]["doubt"] == 1


def test_the_json_form_of_the_queen() -> None:
    form = as_json(table("player: White\ntowers: 1\n\nC w0\n---\nplayer: Red\ntowers: 1\n\nC w0\n"))
    assert form["players"][0]["doubts"] == [
        {
            "code": "queen-host",
            "why": "the Queen may be with White, Red: say who hosts her",
            "between": ["White", "Red"],
        }
    ]
    hosted = as_json(table("player: White\nqueen: yes\n\nf0 C w0\n"))["players"][0]
    assert (hosted["hosts_queen"], hosted["queen_choices"]) == (True, ["wheat", "forest"])
    assert [territory["queen"] for territory in hosted["territories"]] == [True, False]
    no_castle = as_json(table("w0 w0\n"))["players"][0]["problems"]
    assert {"code": "no-castle", "message": "the kingdom has no castle", "square": None} in no_castle
