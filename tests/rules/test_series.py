"""Several games added up: a Dynasty of three, a tournament's table."""

import pytest

from scorer.rules import Score, parse, score
from scorer.rules.series import Standing, series


def game(**totals: int) -> Score:
    """A game of Queendomino in which everybody has these points, as coins, and no territory."""
    return score(parse("---\n".join(f"player: {name}\ncoins: {3 * total}\n\nC\n" for name, total in totals.items())))


def standing(player: str, games: int, total: int, wins: int, largest: int = 0) -> Standing:
    return Standing(player, games, total, wins, largest)


def test_dynasty_adds_the_totals_of_three_games() -> None:
    dynasty = series([game(Anna=5, Ben=9), game(Anna=8, Ben=3), game(Anna=4, Ben=4)])
    assert dynasty.ranking == [["Anna"], ["Ben"]]
    assert dynasty.decided_by == "total"
    assert dynasty.standings == (standing("Anna", 3, 17, 2), standing("Ben", 3, 16, 2))


def test_dynasty_at_equal_totals_games_won_decide() -> None:
    dynasty = series([game(Anna=9, Ben=2), game(Anna=3, Ben=6), game(Anna=3, Ben=7)])
    assert [line.total for line in dynasty.standings] == [15, 15]
    assert dynasty.ranking == [["Ben"], ["Anna"]]
    assert dynasty.decided_by == "wins"


def test_dynasty_ends_in_a_shared_victory() -> None:
    dynasty = series([game(Anna=6, Ben=2, Cleo=1), game(Anna=2, Ben=6, Cleo=1), game(Anna=1, Ben=1, Cleo=1)])
    assert dynasty.ranking == [["Anna", "Ben"], ["Cleo"]]
    assert dynasty.decided_by == "shared"


def test_who_shares_a_victory_has_won_that_game_too() -> None:
    table = series([game(Anna=2, Ben=2), game(Anna=1, Ben=0)])
    assert {line.player: line.wins for line in table.standings} == {"Anna": 2, "Ben": 1}


def test_a_tie_in_a_game_is_broken_before_it_counts_as_won() -> None:
    broken = score(parse("rules: kingdomino\nplayer: Anna\n\nC w1 w0\n---\nplayer: Ben\n\nC m2\n"))
    table = series([broken])
    assert {line.player: line.wins for line in table.standings} == {"Anna": 1, "Ben": 0}
    assert table.ranking == [["Anna"], ["Ben"]]
    assert table.decided_by == "wins"


def test_a_tournament_may_rank_by_other_criteria() -> None:
    games = [game(Anna=9, Ben=10), game(Anna=9, Ben=10), game(Anna=20, Ben=0)]
    assert series(games).ranking == [["Anna"], ["Ben"]]
    by_wins = series(games, ("wins", "total"))
    assert by_wins.ranking == [["Ben"], ["Anna"]]
    assert by_wins.decided_by == "wins"


def test_a_tournament_may_rank_by_the_largest_territory_of_any_game() -> None:
    first = score(parse("player: Anna\ncoins: 3\n\nC w0 w0 w0\n---\nplayer: Ben\ncoins: 3\n\nC w0 w0\n"))
    second = score(parse("player: Anna\ncoins: 3\n\nC w0\n---\nplayer: Ben\ncoins: 3\n\nC w0 w0\n"))
    table = series([first, second], ("total", "wins", "largest_territory"))
    assert table.standings == (standing("Anna", 2, 2, 1, 3), standing("Ben", 2, 2, 1, 2))
    assert table.decided_by == "largest_territory"


def test_players_may_miss_games_and_the_average_is_over_those_played() -> None:
    table = series([game(Anna=4, Ben=2), game(Anna=3), game(Ben=3, Cleo=5)])
    lines = {line.player: line for line in table.standings}
    assert lines["Anna"] == standing("Anna", 2, 7, 2)
    assert lines["Ben"] == standing("Ben", 2, 5, 0)
    assert lines["Cleo"] == standing("Cleo", 1, 5, 1)
    assert (lines["Anna"].average, lines["Ben"].average, lines["Cleo"].average) == (3.5, 2.5, 5.0)
    assert table.ranking == [["Anna"], ["Cleo"], ["Ben"]]


def test_a_series_needs_a_game() -> None:
    with pytest.raises(ValueError, match="at least one game"):
        series([])
