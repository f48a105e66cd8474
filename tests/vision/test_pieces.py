"""What is on a square: from what the networks say to notation and doubts."""

from __future__ import annotations

import numpy as np
import pytest

from scorer.rules import Doubt, Kingdom
from scorer.rules.catalogue import BUILDINGS
from scorer.rules.message import msg
from scorer.rules.notation import parse_square, square_text
from scorer.vision.pieces import HEADS, SIGNS, carry, contradictions, furnish, name_building, signs_on

PLAIN = 12.0  # a logit that leaves no doubt


def logits(heads, **answers):
    """One row of logits with the given answers plain to see, the first answer everywhere else."""
    row = []
    for name, known in heads.items():
        part = np.zeros(len(known), np.float32)
        part[known.index(answers.get(name, known[0]))] = PLAIN
        row.append(part)
    return np.concatenate(row)


def signs(building, *, side="red", picture=None, **changed):
    """Probabilities of a tile's signs, nearly certain."""
    said = {"side": side, **signs_on(building), "picture": picture or building, **changed}
    found = {}
    for name, known in SIGNS.items():
        part = np.full(len(known), 0.001 / (len(known) - 1), np.float32)
        part[known.index(said[name])] = 0.999
        found[name] = part
    return found


def read(label, seen=None, tile=None, rules="queendomino"):
    done = furnish([[label]], logits(HEADS, **(seen or {}))[None], {0: tile} if tile else {}, rules)
    return square_text(done.rows[0][0]), done.doubts, float(done.confidence[0, 0])


@pytest.mark.parametrize("name", BUILDINGS)
def test_every_building_is_known_by_its_signs_and_picture(name):
    named = name_building(signs(name))
    assert (named.building, named.by_signs, named.by_picture) == (name, name, name)
    assert named.agreed
    assert named.sure > 0.95


def test_signs_tell_every_building_but_those_worth_the_same():
    alike = {}
    for name in BUILDINGS:
        alike.setdefault(tuple(signs_on(name).items()), []).append(name)
    assert [names for names in alike.values() if len(names) > 1] == [["small_tavern", "guardtower", "fortified_castle"]]


@pytest.mark.parametrize(("name", "shown"), [("statue", "small_tavern"), ("church", "bakery"), ("sawmill", "foundry")])
def test_a_picture_that_disagrees_is_a_doubt_and_signs_win(name, shown):
    text, doubts, _ = read("t0", {"building": "red"}, signs(name, picture=shown))
    assert text == f"t:{name}"
    assert [doubt.alternatives for doubt in doubts] == [(f"t:{shown}",)]


def test_a_picture_never_seen_does_not_speak_against_the_signs():
    unsure = signs("statue")
    unsure["picture"] = np.full(len(BUILDINGS), 1 / len(BUILDINGS), np.float32)
    assert read("t0", {"building": "red"}, unsure)[:2] == ("t:statue", ())


def test_a_town_is_not_a_building_and_the_grey_side_does_not_count():
    assert read("t0")[:2] == ("t", ())
    assert read("t0", {"building": "grey"}, signs("statue", side="grey"))[:2] == ("t:statue~", ())


def test_a_side_that_the_networks_do_not_agree_on_is_a_doubt():
    text, doubts, sure = read("t0", {"building": "red"}, signs("statue", side="grey"))
    assert {text, *doubts[0].alternatives} == {"t:statue", "t:statue~"}
    assert sure < 0.9


def test_meeples_are_counted():
    assert read("w1", {"knight": "1"})[:2] == ("w1+knight", ())
    text, doubts, _ = read("t0", {"building": "red", "tower": "2", "queen": "1"}, signs("bakery"))
    assert (text, doubts) == ("t:bakery+tower*2+queen", ())
    assert read("C", {"knight": "1"})[0] == "C"


def test_a_tower_on_bare_ground_has_fallen_where_towers_fall():
    assert read("m2", {"tower": "1"}, rules="xxxl")[0] == "m2+fallen"
    assert read("m2", {"tower": "1"})[0] == "m2+tower"
    assert read("t0", {"building": "red", "tower": "1"}, signs("statue"), "xxxl")[0] == "t:statue+tower"


def test_the_court():
    assert read("w0", {"resource": "wheat"}, rules="xxxl")[0] == "w0+wheat"
    assert read("f0", {"court": "lumberjack"}, rules="xxxl")[0] == "f0+court:lumberjack"
    assert read("s0", {"court": "swamp2"}, rules="xxxl")[0] == "s0+court:swamp2"
    assert read("s0", {"court": "~"}, rules="xxxl")[0].endswith("~")


def test_what_the_rules_do_not_know_must_be_plain_to_see():
    row = logits(HEADS)
    at = list(HEADS).index("knight")
    begin = sum(len(HEADS[name]) for name in list(HEADS)[:at])
    row[begin : begin + 3] = (0.0, 1.0, -9.0)  # a knight with 73 %
    known, unknown = (furnish([["w0"]], row[None], {}, rules) for rules in ("queendomino", "kingdomino"))
    assert (square_text(known.rows[0][0]), len(known.doubts)) == ("w0+knight", 1)
    assert (square_text(unknown.rows[0][0]), len(unknown.doubts)) == ("w0", 0)


def test_kings_are_ignored_and_the_dragon_is_a_doubt():
    assert read("w0", {"king": "1"})[:2] == ("w0", ())
    text, doubts, _ = read("w0", {"dragon": "1"})
    assert text == "w0"
    assert [doubt.code for doubt in doubts] == ["dragon"]


def test_a_doubt_about_the_ground_keeps_what_stands_on_it():
    rows = ((parse_square("w1+knight"),),)
    text = msg("square {row},{column} read as {read} may be {other}", row=0, column=0, read="w1", other="w0")
    carried = carry(Doubt("crown", text, (0, 0), "w1", ("w0", "."), 0.7), rows)
    assert (carried.read, carried.alternatives) == ("w1+knight", ("w0+knight", "."))
    assert carried.why == "square 0,0 read as w1+knight may be w0+knight"


def test_what_the_box_does_not_hold_is_a_doubt():
    kingdom = Kingdom.parse("rules: queendomino\n\nC t:big_tavern t:big_tavern\n. w0+queen g0\n")
    (doubts,) = contradictions([kingdom], "queendomino")
    assert [(doubt.code, doubt.square, doubt.read) for doubt in doubts] == [
        ("queen-not-on-largest", (1, 1), "w0+queen"),
        ("too-many", (0, 2), "t:big_tavern"),
    ]
