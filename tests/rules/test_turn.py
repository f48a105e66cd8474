"""Helpers during play: what knights collect, what a building and the dragon cost."""

import pytest

from scorer.rules import Kingdom, parse
from scorer.rules.play import rules_of
from scorer.rules.turn import building_price, dragon_price, tax


def coins(text: str, *places: tuple[int, int]) -> int:
    return tax(Kingdom.parse(text), places).coins


def reasons(text: str, *places: tuple[int, int]) -> list[str]:
    return [str(reason) for reason in tax(Kingdom.parse(text), places).reasons]


def test_a_knight_earns_the_size_of_its_territory() -> None:
    kingdom = "w0 w1 w0 C\nf0 f0 l0 t\n"
    assert coins(kingdom, (0, 0)) == coins(kingdom, (0, 1)) == 3
    assert coins(kingdom, (1, 1)) == 2
    assert coins(kingdom, (1, 2)) == 1
    assert reasons(kingdom, (1, 0)) == ["forest: 2"]


def test_crowns_and_the_queen_do_not_matter_to_tax() -> None:
    assert coins("queen: yes\n\nm3 m3+queen C\n", (0, 0)) == 2


def test_towns_are_taxed_built_or_not() -> None:
    assert coins("t:statue t t:church C\n", (0, 1)) == 3


def test_two_knights_one_per_square() -> None:
    kingdom = "w0 w0 f0 C\n. . f0 f0\n"
    assert coins(kingdom, (0, 1), (0, 2)) == 2 + 3
    assert coins(kingdom, (0, 2), (1, 2)) == 3 + 3
    assert reasons(kingdom, (0, 1), (0, 2)) == ["wheat: 2", "forest: 3"]


@pytest.mark.parametrize(
    "places",
    [(), ((0, 0), (0, 0)), ((0, 0), (0, 1), (0, 2)), ((0, 0), (0, 0), (0, 1))],
    ids=["none", "the same square", "three", "one square twice"],
)
def test_a_turn_places_one_or_two_knights_on_different_squares(places: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(ValueError, match="one or two knights, one per square"):
        coins("w0 w0 f0 C\n", *places)


def test_both_squares_are_of_the_domino_just_laid() -> None:
    with pytest.raises(ValueError, match="domino"):
        coins("w0 w0 f0 C\n", (0, 0), (0, 2))


@pytest.mark.parametrize("place", [(0, 2), (0, 1), (5, 0), (0, -1)], ids=["castle", "empty", "below", "left"])
def test_a_knight_stands_on_a_terrain_square(place: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"{place[0]},{place[1]} is not a terrain square"):
        coins("w0 . C\n", place)


def test_kingdomino_has_no_knights() -> None:
    with pytest.raises(ValueError, match="Kingdomino has no knights"):
        coins("rules: kingdomino\n\nw0 C\n", (0, 0))


def test_the_safe_of_the_knights_adds_a_coin_per_knight_owned_in_kingdom_and_guard() -> None:
    kingdom = "guard: 2\n\nt:safe_of_knights w0+knight w0 C\n"
    assert coins(kingdom, (0, 1)) == 2 + 3
    assert reasons(kingdom, (0, 1)) == ["wheat: 2", "Safe of the Knights: 3"]


def test_the_safe_of_the_towers_adds_a_coin_per_tower_owned() -> None:
    kingdom = "towers: 2\nguard: 5\n\nt:safe_of_towers+tower w0 w0+tower C\n"
    assert coins(kingdom, (0, 1)) == 2 + 4
    assert reasons(kingdom, (0, 1)) == ["wheat: 2", "Safe of the Towers: 4"]


def test_each_safe_adds_its_coins() -> None:
    kingdom = "towers: 1\nguard: 2\n\nt:safe_of_towers t:safe_of_knights w0 C\n"
    assert coins(kingdom, (0, 2)) == 1 + 1 + 2
    assert coins(kingdom, (0, 0)) == 2 + 1 + 2


def test_a_safe_turned_over_pays_nothing() -> None:
    assert coins("rules: xxxl\nguard: 2\n\nt:safe_of_knights~ w0 C\n", (0, 1)) == 1


def test_other_buildings_pay_no_tax() -> None:
    assert coins("guard: 2\ntowers: 2\n\nt:training_camp t:travelling_castle w0 C\n", (0, 2)) == 1


def test_a_safe_pays_for_each_of_two_knights() -> None:
    kingdom = "guard: 2\n\nt:safe_of_knights w0 f0 C\n"
    assert coins(kingdom, (0, 1), (0, 2)) == (1 + 2) + (1 + 2)


def test_by_a_switch_a_safe_pays_once_a_turn() -> None:
    kingdom = "rulings: safe-pays-once\nguard: 2\n\nt:safe_of_knights w0 f0 C\n"
    assert coins(kingdom, (0, 1), (0, 2)) == 1 + 2 + 1
    assert coins(kingdom, (0, 2)) == 1 + 2


@pytest.mark.parametrize("rules", ["queendomino", "royal-wedding"])
def test_the_queen_adds_nothing_to_a_safe_of_the_base_game(rules: str) -> None:
    assert coins(f"rules: {rules}\ntowers: 2\nqueen: yes\n\nt:safe_of_towers w0 C\n", (0, 1)) == 1 + 2


@pytest.mark.parametrize(
    ("queen", "expected"), [("queen: yes\n", 4), ("queen: no\n", 3), ("queen: abducted\n", 3), ("", 3)]
)
def test_in_xxxl_the_safe_of_the_towers_gives_one_more_to_the_queens_host(queen: str, expected: int) -> None:
    assert coins(f"rules: xxxl\ntowers: 2\n{queen}\nt:safe_of_towers w0 C\n", (0, 1)) == expected


def test_in_xxxl_the_queen_on_a_square_says_who_hosts_her() -> None:
    assert coins("rules: xxxl\ntowers: 2\n\nt:safe_of_towers w0+queen C\n", (0, 1)) == 1 + 2 + 1


def test_in_xxxl_the_queen_adds_nothing_to_the_safe_of_the_knights() -> None:
    assert coins("rules: xxxl\nguard: 2\nqueen: yes\n\nt:safe_of_knights w0 C\n", (0, 1)) == 1 + 2


def test_in_xxxl_the_safe_of_the_knights_counts_face_up_warriors_and_no_knight_of_the_cemetery() -> None:
    kingdom = (
        "rules: xxxl\nguard: 1\ncemetery: 3\n\n"
        "t:safe_of_knights w0 C s0+court:captain s0+court:axe_warrior~ s0+court:farmer\n"
    )
    assert coins(kingdom, (0, 1)) == 1 + 2


def test_warriors_without_the_court_do_not_count() -> None:
    assert coins("guard: 1\n\nt:safe_of_knights w0 C s0+court:captain\n", (0, 1)) == 1 + 1


def test_the_rules_of_the_table_hold() -> None:
    first, second = parse("rules: xxxl\n\nC\n---\ntowers: 2\nqueen: yes\n\nt:safe_of_towers w0 C\n")
    assert tax(second, [(0, 1)]).coins == 1 + 2
    assert tax(second, [(0, 1)], rules_of([first, second])).coins == 1 + 2 + 1


@pytest.mark.parametrize(
    ("printed", "queen", "sales", "price"),
    [
        (4, False, False, 4),
        (0, False, False, 0),
        (4, True, False, 3),
        (4, False, True, 2),
        (4, True, True, 1),
        (3, True, True, 0),
        (2, True, True, 0),
        (1, False, True, 0),
        (0, True, False, 0),
    ],
)
def test_what_a_building_costs(printed: int, queen: bool, sales: bool, price: int) -> None:
    assert building_price(printed, hosts_queen=queen, sales=sales) == price


def test_what_the_dragon_costs() -> None:
    assert dragon_price() == 1
    assert dragon_price(in_cave=False) is None
    assert dragon_price(hosts_queen=True) is None
    assert dragon_price(fairies=True) is None
    assert dragon_price(in_cave=True, hosts_queen=False, fairies=False) == 1


def doubts(text: str, *places: tuple[int, int]) -> list[str]:
    return [str(doubt) for doubt in tax(Kingdom.parse(text), places).doubts]


def test_an_unknown_square_beside_the_territory_may_enlarge_it() -> None:
    assert doubts("w0 w0 ? C\n", (0, 0)) == ["square 0,2 is not known"]
    assert doubts("w0 w0 f0 ?\nC . . .\n", (0, 0)) == []
    assert doubts("w0 w0 f0 C\n? . ? .\n", (0, 1), (0, 2)) == ["square 1,0 is not known", "square 1,2 is not known"]


def test_unknown_crowns_do_not_matter_to_tax() -> None:
    assert doubts("w? w0 C\n", (0, 0)) == []
    assert coins("w? w0 C\n", (0, 0)) == 2


def test_an_unknown_building_may_be_a_safe() -> None:
    assert doubts("guard: 1\n\nw0 C t:?\n", (0, 0)) == ["square 0,2 is not known"]


def test_a_knight_on_an_unknown_square_collects_what_is_known() -> None:
    kingdom = "guard: 2\n\nw0 ? C t:safe_of_knights\n"
    assert coins(kingdom, (0, 1)) == 2
    assert doubts(kingdom, (0, 1)) == ["square 0,1 is not known"]
