"""Known answers: small kingdoms worked out by hand from the rules, each with what it must be worth.

Every file below `known` opens with the rule it shows. Its lines that start with `#=` are the expectations:

    #= White coins 2                        a row of the pad, or `total`, `crowns`, `largest_territory`
    #= White rows wheat forest lake         the rows of the pad, in this order and no others
    #= White hosts_queen yes
    #= White queen_choices grassland town   or `none`
    #= White problem too-large              reported; with a square: `problem not-connected 0,3`
    #= White without too-large              not reported
    #= White problems none
    #= White doubt queen-host               likewise, with or without a square
    #= White doubts none
    #= White otherwise queen 12 changes     settled this way the total is 12 and the winner changes (or `stays`)
    #= ranking White | Orange, Red          places from first to last, those who share one together
    #= decided_by total
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from scorer.rules import PlayerScore, Score, parse, score
from scorer.rules.catalogue import BUILDINGS, CHARACTERS, COURT_BUILDINGS, QUESTS, RESOURCES, RULINGS

KNOWN = Path(__file__).parent / "known"
FILES = sorted(KNOWN.rglob("*.kingdom"))
MARK = "#="


def expectations(text: str) -> list[str]:
    return [line.removeprefix(MARK).strip() for line in text.splitlines() if line.startswith(MARK)]


def check(expectation: str, result: Score) -> None:
    """Fails if the expectation does not hold, or says nothing that we know."""
    word, _, rest = expectation.partition(" ")
    if word == "ranking":
        wanted = [[name.strip() for name in place.split(",")] for place in rest.split("|")]
        assert [sorted(place) for place in result.ranking] == [sorted(place) for place in wanted]
    elif word == "decided_by":
        assert result.decided_by == rest.strip()
    else:
        called = [player for player in result.players if expectation.startswith(f"{player.player} ")]
        assert called, f"nobody is called as in {expectation!r}"
        player = max(called, key=lambda player: len(player.player))
        word, *values = expectation.removeprefix(player.player).split()
        assert values, f"{word} without a value"
        if word in WORDS:
            WORDS[word](player, values)
        else:
            assert word in player.rows, f"{word} is neither a row of this pad nor another expectation"
            assert player.rows[word] == int(*values)


def number(name: str) -> Callable[[PlayerScore, list[str]], None]:
    def check_number(player: PlayerScore, values: list[str]) -> None:
        assert getattr(player, name) == int(*values)

    return check_number


def places_by_code(found: Iterable) -> list[tuple[str, str]]:
    return [(one.code, "" if one.square is None else f"{one.square[0]},{one.square[1]}") for one in found]


def reported(found: Iterable, code: str, place: str = "") -> None:
    known = places_by_code(found)
    assert (code, place) in known if place else code in [code for code, _ in known], known


def check_rows(player: PlayerScore, rows: list[str]) -> None:
    assert list(player.rows) == rows


def check_queen(player: PlayerScore, values: list[str]) -> None:
    assert {"yes": True, "no": False}[" ".join(values)] is player.hosts_queen


def check_queen_choices(player: PlayerScore, values: list[str]) -> None:
    assert list(player.queen_choices) == [value for value in values if value != "none"]


def check_problem(player: PlayerScore, values: list[str]) -> None:
    reported(player.problems, *values)


def check_without(player: PlayerScore, values: list[str]) -> None:
    assert not {code for code, _ in places_by_code(player.problems)}.intersection(values)


def check_problems(player: PlayerScore, values: list[str]) -> None:
    assert values == ["none"]
    assert [problem.message for problem in player.problems] == []


def check_doubt(player: PlayerScore, values: list[str]) -> None:
    reported(player.doubts, *values)


def check_doubts(player: PlayerScore, values: list[str]) -> None:
    assert values == ["none"]
    assert [doubt.why for doubt in player.doubts] == []
    assert player.if_doubts == ()


def check_otherwise(player: PlayerScore, values: list[str]) -> None:
    choice, total, winner = values
    assert winner in ("changes", "stays")
    others = [(o.choice, o.total, o.winner_changes) for effect in player.if_doubts for o in effect.alternatives]
    assert (choice, int(total), winner == "changes") in others


WORDS: dict[str, Callable[[PlayerScore, list[str]], None]] = {
    "total": number("total"),
    "crowns": number("crowns"),
    "largest_territory": number("largest_territory"),
    "rows": check_rows,
    "hosts_queen": check_queen,
    "queen_choices": check_queen_choices,
    "problem": check_problem,
    "without": check_without,
    "problems": check_problems,
    "doubt": check_doubt,
    "doubts": check_doubts,
    "otherwise": check_otherwise,
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(KNOWN).with_suffix("").as_posix())
def test_known(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.startswith("# "), "a known kingdom opens with the rule it shows"
    wanted = expectations(text)
    assert wanted, "a known kingdom says what it must be worth"
    result = score(parse(text, path.name))
    assert [player.total for player in result.players] == [sum(player.rows.values()) for player in result.players]
    for expectation in wanted:
        check(expectation, result)


# Matters during play only: shown by the tests of a turn.
NOT_SHOWN = {"safe-pays-once"}


@pytest.mark.parametrize(
    "name",
    [
        *(f"t:{name}" for name in BUILDINGS),
        *(f"t:{name}~" for name in BUILDINGS),
        *(f"+court:{name}" for name in (*CHARACTERS, *COURT_BUILDINGS)),
        *(f"+court:{name}~" for name in (*CHARACTERS, *COURT_BUILDINGS)),
        *(f"quest:{name}" for name in QUESTS),
        *(f"+{name}" for name in RESOURCES),
        *(name for name in RULINGS if name not in NOT_SHOWN),
    ],
)
def test_everything_in_the_catalogue_is_known(name: str) -> None:
    word = re.compile(rf"{re.escape(name)}(?![\w~])")
    assert any(word.search(path.read_text("utf-8")) for path in FILES), f"no known kingdom shows {name}"


EXAMPLE = """\
player: White
coins: 3
queen: no

w1 w0 C
---
player: Orange
queen: no

? C
"""


@pytest.mark.parametrize(
    "expectation",
    [
        "White coins 1",
        "White total 3",
        "White hosts_queen no",
        "White queen_choices none",
        "White doubts none",
        "White without no-castle",
        "Orange doubt unknown-square",
        "Orange doubt unknown-square 0,0",
        "Orange otherwise m3 3 stays",
        "ranking White | Orange",
        "decided_by total",
    ],
)
def test_expectation_that_holds(expectation: str) -> None:
    check(expectation, score(parse(EXAMPLE)))


@pytest.mark.parametrize(
    "expectation",
    [
        "White coins 2",
        "White coins",
        "White treasure 1",
        "White town_hall 0",
        "White total 4",
        "White rows coins wheat",
        "White hosts_queen yes",
        "White hosts_queen maybe",
        "White queen_choices wheat",
        "White problem too-large",
        "White problems some",
        "White doubt queen-host",
        "Orange doubt unknown-square 0,1",
        "Orange doubts none",
        "Orange otherwise m3 3 changes",
        "Red total 0",
        "ranking Orange | White",
        "ranking White, Orange",
        "decided_by shared",
        "winner White",
    ],
)
def test_expectation_that_does_not_hold(expectation: str) -> None:
    with pytest.raises((AssertionError, KeyError, TypeError)):
        check(expectation, score(parse(EXAMPLE)))
