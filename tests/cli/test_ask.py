"""Questions about doubts, asked on a terminal only."""

import pytest
from click.testing import CliRunner

from scorer.cli import main
from scorer.cli.ask import ask_about
from scorer.inputs import Input
from scorer.rules import Doubt, Kingdom
from scorer.rules.doubt import settled
from scorer.rules.message import msg
from scorer.texts import translator

KINGDOM = Kingdom.parse("rules: kingdomino\nplayer: Ada\n\nC w0 w0\n")
DOUBT = Doubt("crown", msg("square 0,1 read as w0 may be w1"), (0, 1), "w0", ("w1",), 0.6, needed=False)
BEYOND = Doubt("beyond", msg("one more tile?"), needed=False)
GUARD = Doubt("beside", msg("2 knights?"), read="guard: 2", needed=False)


class Terminal:
    """Makes the command believe that somebody sits at a terminal."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
        monkeypatch.setattr("scorer.cli.score.at_terminal", lambda: there)
        read = lambda *_, **__: [Input([KINGDOM], [(DOUBT,)])]  # noqa: E731
        monkeypatch.setattr("scorer.cli.options.read_table", read)

    def score(self, typed: str) -> str:
        result = CliRunner().invoke(main, ["score", "photo.jpg", "--lang", "en"], input=typed)
        assert result.exit_code == 0
        return result.stdout + result.stderr


def test_an_answer_settles_a_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Terminal(monkeypatch, True).score("y\nw1\n")
    assert "Ada: 2 points" in said
    assert "it makes no difference" not in said


def test_no_answer_keeps_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Ada: 0 points" in Terminal(monkeypatch, True).score("\n\n")


def test_nonsense_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Terminal(monkeypatch, True).score("y\nx9\nw1\n")
    assert "is no square" in said
    assert "Ada: 2 points" in said


def test_whoever_does_not_want_to_look_is_told_what_is_doubtful(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Terminal(monkeypatch, True).score("n\n")
    assert "0, or 2 with w1" in said


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "one by one" not in Terminal(monkeypatch, False).score("")


def test_counts_beside_the_kingdom_are_asked_for_too() -> None:
    assert settled(KINGDOM, GUARD, "guard: 2").guard == 2
    assert settled(KINGDOM, GUARD, "3").guard == 3
    assert settled(KINGDOM, DOUBT, "w1").rows[0][1].crowns == 1
    with pytest.raises(ValueError, match="number"):
        settled(KINGDOM, GUARD, "many")
    with pytest.raises(ValueError, match="no square"):
        settled(KINGDOM, DOUBT, "x")


def test_what_no_answer_settles_stays_a_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.confirm", lambda *_, **__: True)
    monkeypatch.setattr("click.prompt", lambda *_, **__: "w1")
    known, left = ask_about([KINGDOM], [(DOUBT, BEYOND)], translator("en"))
    assert known[0].rows[0][1].crowns == 1
    assert left == [(BEYOND,)]


def test_every_language_can_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("click.confirm", lambda text, **_: asked.append(text))
    ask_about([KINGDOM], [(DOUBT,)], translator("fr"))
    assert asked
    assert "one by one" not in asked[0]
