"""What is in the boxes, and that a slip in the data files is refused."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from scorer.rules import catalogue
from scorer.rules.catalogue import CatalogueError, build, domino_kinds, dominoes, entries


@dataclass(frozen=True)
class Tile:
    id: str
    points: int
    places: list[str] = field(default_factory=list)
    turned: bool = False


GOOD: dict[str, Any] = {"points": 3, "places": ["town"], "turned": True}


def test_an_entry_fills_its_dataclass_and_is_named_by_its_heading() -> None:
    assert build(Tile, "statue", GOOD) == Tile("statue", 3, ["town"], True)
    assert build(Tile, "statue", {"points": 3}) == Tile("statue", 3, [], False)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**GOOD, "colour": "red"}, "Tile 'statue': unknown key 'colour'"),
        ({"places": []}, "Tile 'statue': missing key 'points'"),
        ({**GOOD, "points": "3"}, "Tile 'statue': 'points' is '3'"),
        ({**GOOD, "points": True}, "Tile 'statue': 'points' is True"),
        ({**GOOD, "points": 3.0}, "Tile 'statue': 'points' is 3.0"),
        ({**GOOD, "places": "town"}, "Tile 'statue': 'places' is 'town'"),
        ({**GOOD, "turned": 1}, "Tile 'statue': 'turned' is 1"),
        ({"colour": "red", "turned": 0}, "Tile 'statue': unknown key 'colour', missing key 'points', 'turned' is 0"),
    ],
)
def test_unknown_missing_and_ill_typed_keys_are_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(CatalogueError) as refused:
        build(Tile, "statue", row)
    assert str(refused.value) == message


def test_a_table_names_the_entry_that_is_wrong() -> None:
    with pytest.raises(CatalogueError, match="'church': missing key 'points'"):
        entries(Tile, {"statue": {"points": 5}, "church": {}})
    assert entries(Tile, {"statue": {"points": 5}}) == {"statue": Tile("statue", 5)}


def test_the_boxes_hold_48_48_and_12_dominoes() -> None:
    boxes = {"kingdomino": 48, "queendomino": 48, "age-of-giants": 12}
    for box, count in boxes.items():
        held = dominoes(box)
        assert len(held) == count
        assert len({domino.number for domino in held}) == count
        assert sum(domino_kinds((box,)).values()) == count
    assert sum(domino_kinds(tuple(boxes)).values()) == 108
    assert dominoes("fantastic-era") == ()


def squares(box: str) -> Counter[str]:
    return Counter(face for domino in dominoes(box) for face in (domino.left, domino.right))


def test_the_squares_of_each_box() -> None:
    assert squares("kingdomino") == Counter(
        w0=21, w1=5, f0=16, f1=6, l0=12, l1=6, g0=10, g1=2, g2=2, s0=6, s1=2, s2=2, m0=1, m1=1, m2=3, m3=1
    )
    assert squares("queendomino") == Counter(
        w0=14, w1=5, f0=11, f1=6, l0=8, l1=6, g0=8, g1=2, g2=2, s0=4, s1=2, s2=2, m0=1, m1=1, m2=3, m3=1, t0=20
    )
    assert squares("age-of-giants") == Counter(
        w0=3, w2=1, f0=2, f1=1, f2=1, l0=2, l1=1, l2=1, g0=3, g1=1, g2=1, s0=1, s1=2, s2=1, m0=1, m1=1, m2=1
    )


def test_no_domino_has_equal_faces_counted_under_two_names() -> None:
    kinds = domino_kinds(("kingdomino", "queendomino"))
    assert all(left <= right for left, right in kinds)
    assert kinds["s0", "s0"] == 2
    assert kinds["f1", "w0"] == 4 + 3
    assert kinds["t0", "t0"] == 3


def test_32_building_tiles_and_24_of_fantastic_era() -> None:
    assert len(catalogue.BUILDINGS) == 17
    assert sum(building.copies for building in catalogue.BUILDINGS.values()) == 32
    assert sum(building.fantastic_era for building in catalogue.BUILDINGS.values()) == 24


@pytest.mark.parametrize(
    ("name", "copies", "fantastic_era"),
    [
        ("bakery", 2, 1),
        ("sawmill", 2, 1),
        ("fishmonger", 2, 1),
        ("weaving_shop", 2, 1),
        ("magic_school", 2, 1),
        ("foundry", 2, 1),
        ("church", 2, 1),
        ("safe_of_knights", 1, 2),
        ("safe_of_towers", 1, 1),
        ("small_tavern", 2, 2),
        ("big_tavern", 1, 1),
        ("guardtower", 2, 2),
        ("fortified_castle", 1, 1),
        ("travelling_castle", 2, 2),
        ("training_camp", 2, 2),
        ("statue", 3, 2),
        ("queens_tower", 3, 2),
    ],
)
def test_copies_of_each_building(name: str, copies: int, fantastic_era: int) -> None:
    assert (catalogue.BUILDINGS[name].copies, catalogue.BUILDINGS[name].fantastic_era) == (copies, fantastic_era)


def test_17_quests_of_which_two_are_kingdominos_bonuses() -> None:
    assert len(catalogue.QUESTS) == 17
    assert [quest.id for quest in catalogue.QUESTS.values() if quest.bonus] == ["harmony", "middle-kingdom"]
    assert Counter(quest.kind for quest in catalogue.QUESTS.values()) == Counter(
        local_business=6, four_corners=6, harmony=1, middle_kingdom=1, lost_corner=1, crown_lines=1, bleak_king=1
    )


def test_the_court_has_12_characters_13_buildings_and_4_resources() -> None:
    assert len(catalogue.CHARACTERS) == 12
    assert len(catalogue.COURT_BUILDINGS) == 7
    assert sum(building.copies for building in catalogue.COURT_BUILDINGS.values()) == 13
    assert {name: resource.terrain for name, resource in catalogue.RESOURCES.items()} == {
        "wheat": "wheat",
        "wood": "forest",
        "fish": "lake",
        "sheep": "grassland",
    }
    assert [c.id for c in catalogue.CHARACTERS.values() if c.warrior] == [
        "captain",
        "light_archer",
        "heavy_archer",
        "axe_warrior",
        "sword_warrior",
    ]


def test_what_else_the_boxes_hold() -> None:
    assert catalogue.PIECES_IN_BOX == {"knight": 22, "tower": 15, "giant": 6, "coins": 12 * 1 + 18 * 3 + 12 * 9}


def test_rule_sets_and_expansions() -> None:
    assert list(catalogue.RULE_SETS) == ["kingdomino", "queendomino", "royal-wedding", "xxxl"]
    assert list(catalogue.EXPANSIONS) == ["giants", "court", "fantastic-era"]
    assert catalogue.EXPANSIONS["fantastic-era"].jokers == {"dominoes": 12, "town": 15, "other": 9}
    assert all(rules.id == name and rules.name for name, rules in catalogue.RULE_SETS.items())


def test_every_ruling_is_a_sentence() -> None:
    assert len(catalogue.RULINGS) == 8
    assert all(ruling.text.endswith(".") for ruling in catalogue.RULINGS.values())


def test_synonyms_name_the_seven_terrains() -> None:
    assert catalogue.TERRAINS == ("wheat", "forest", "lake", "grassland", "swamp", "mine", "town")
    assert set(catalogue.SYNONYMS.values()) == set(catalogue.TERRAINS)
