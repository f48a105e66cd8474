"""`scorer score`: the pad on the terminal, JSON and CSV, options, exit codes, and bad input in one line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli import COMMANDS, main
from tests import example
from tests.cli.command import run, valid
from tests.example import SAMPLES

EXAMPLE = str(example.FILE)


def score(text: str, *options: str) -> Result:
    return run("score", "-", *options, stdin=text)


def test_the_books_example_row_by_row() -> None:
    result = run("score", EXAMPLE, "--json")
    assert result.exit_code == 0
    form = valid(result.stdout)
    (player,) = form["players"]
    assert (form["rules"], form["ranking"], form["decided_by"]) == ("queendomino", [["White"]], "total")
    assert (player["player"], player["source"], player["total"]) == ("White", EXAMPLE, 71)
    assert player["rows"] == example.ROWS
    assert (player["largest_territory"], player["problems"], player["doubts"]) == (4, [], [])
    grassland = next(t for t in player["territories"] if t["terrain"] == "grassland")
    assert grassland == {
        "terrain": "grassland",
        "size": 4,
        "crowns": 4,
        "queen": True,
        "points": 16,
        "squares": [[0, 4], [1, 3], [1, 4], [2, 3]],
    }


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.kingdom")), ids=lambda path: path.stem)
def test_samples_are_sound_and_fit_the_schema(sample: Path) -> None:
    result = run("score", str(sample), "--json", "--strict")
    assert result.exit_code == (1 if sample.stem == "doubtful" else 0)
    assert all(player["problems"] == [] for player in valid(result.stdout)["players"])


@pytest.mark.parametrize(
    ("sample", "decided_by"),
    [
        ("tie-largest-territory", "largest_territory"),
        ("tie-crowns", "crowns"),
        ("tie-queen", "queen"),
        ("tie-shared", "shared"),
        ("xxxl", "total"),
    ],
)
def test_ties_are_decided_and_explained(sample: str, decided_by: str) -> None:
    file = str(SAMPLES / f"{sample}.kingdom")
    form = valid(run("score", file, "--json").stdout)
    assert form["decided_by"] == decided_by
    words = {
        "largest_territory": "largest territory",
        "crowns": "most crowns",
        "queen": "the Queen",
        "shared": "share the victory",
        "total": "wins with",
    }
    assert words[decided_by] in run("score", file).stdout


def test_the_pad_on_the_terminal() -> None:
    pad = run("score", EXAMPLE).stdout
    assert "│ White ♛ │" in pad
    assert "│ Grassland           │      16 │" in pad
    assert "│ Total               │      71 │" in pad
    assert pad.endswith("White: 71 points\n")


def test_every_point_is_explained() -> None:
    text = run("score", EXAMPLE, "--explain").stdout
    for reason in (
        "coins: 11 ÷ 3 = 3",
        "grassland: 4 × (3 + Queen) = 16  [0,4 1,3 1,4 2,3]",
        "Sawmill: 3 × forest, 2 each = 6",
        "Church: 4 × town, 2 each = 8",
        "Travelling Castle: towers owned, 3",
        "Statue: 5",
    ):
        assert reason in text


def test_csv() -> None:
    lines = run("score", str(SAMPLES / "tie-shared.kingdom"), "--csv").stdout.splitlines()
    assert lines[0] == "row,White,Orange,Red"
    assert lines[-1] == "total,36,36,30"
    assert [line.split(",")[0] for line in lines[1:4]] == ["coins", "wheat", "forest"]


def test_languages() -> None:
    assert "│ Blé" in run("score", EXAMPLE, "--lang", "fr").stdout
    result = CliRunner().invoke(main, ["score", EXAMPLE], env={"LANG": "de_DE.UTF-8", "LANGUAGE": "", "LC_ALL": ""})
    assert "│ Münzen" in result.stdout


def test_options_beat_headers() -> None:
    two = "player: White\ncoins: 3\n\nC w1 w0\n---\nplayer: Red\n\nC f1 f0\n"

    def totals(*options: str) -> list[int]:
        return [player["total"] for player in valid(score(two, "--json", *options).stdout)["players"]]

    assert totals() == [3, 2]
    assert totals("--coins", "White=9", "--coins", "red=6") == [5, 4]
    assert totals("--queen", "Red") == [3, 4]
    assert totals("--rules", "kingdomino") == [2, 2]
    assert totals("--quest", "lost-corner") == [23, 22]
    assert totals("--towers", "Red=1") == [3, 4]
    assert totals("--guard", "White=2") == [3, 2]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--coins", "4"), "say which player"),
        (("--coins", "Blue=4"), "there is no player 'Blue'"),
        (("--coins", "White=x"), "'x' is not a number"),
        (("--queen", "Blue"), "there is no player 'Blue'"),
        (("--rules", "chess"), "Invalid value for '--rules'"),
        (("--quest", "grail"), "Invalid value for '--quest'"),
    ],
)
def test_wrong_usage(option: tuple[str, str], message: str) -> None:
    result = score("player: White\n\nC\n---\nplayer: Red\n\nC\n", *option)
    assert result.exit_code == 2
    assert message in result.stderr


def test_one_player_needs_no_name() -> None:
    assert valid(score("C\n", "--json", "--coins", "7").stdout)["players"][0]["total"] == 2


def test_problems_are_listed_and_strict_refuses_them() -> None:
    text = "rules: kingdomino\n\nC w0 . f3\nC . . .\n"
    assert score(text).exit_code == 0
    result = score(text, "--strict")
    assert result.exit_code == 1
    assert "more than one castle" in result.stderr
    assert "no forest has 3 crowns" in result.stderr
    assert "not connected" in result.stderr


def test_an_unknown_square_is_scored_around_and_exits_with_1() -> None:
    result = score("rules: kingdomino\n\nC f1 f?\n")
    assert result.exit_code == 1
    assert "│ Total     │" in result.stdout
    assert "square 0,2 is not known (2, or 4 with f1; the winner stays)" in result.stderr


def test_the_queen_of_a_single_player_is_a_doubt_without_consequence() -> None:
    result = score("player: White\n\nC w1 w0\n", "--json")
    assert result.exit_code == 0
    (player,) = valid(result.stdout)["players"]
    assert player["total"] == 2
    assert player["doubts"][0]["code"] == "queen-unknown"
    assert player["if_doubts"][0]["total"] == 4


def test_the_queen_between_two_players_is_asked_for() -> None:
    result = score("player: A\ntowers: 1\n\nC w1 w0\n---\nplayer: B\ntowers: 1\n\nC f1 w0\n---\nC\n", "--json")
    assert result.exit_code == 1
    a, b, c = valid(result.stdout)["players"]
    assert a["doubts"][0]["between"] == b["doubts"][0]["between"] == ["A", "B"]
    assert c["doubts"] == []
    assert (a["if_doubts"][0]["total"], b["if_doubts"][0]["total"]) == (4, 2)
    assert not a["if_doubts"][0]["winner_changes"]


def test_the_file_names_the_player(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        (tmp_path / f"{name}.kingdom").write_text("C\n---\nC\n")
    form = valid(run("score", str(tmp_path / "ann.kingdom"), str(tmp_path / "bob.kingdom"), "--json").stdout)
    assert [player["player"] for player in form["players"]] == ["ann", "ann 2", "bob", "bob 2"]


BAD = {
    "empty": b"",
    "binary": bytes(range(256)),
    "zeros": b"w1\0\0",
    "ragged": b"C w1\nC\n",
    "building": b"C t:castle_of_doom\n",
    "long-line": b"w1 " * 40_000,
    "huge": b"# x\n" * 300_000,
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_get_one_clear_line(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.kingdom"
    file.write_bytes(BAD[name])
    result = run("score", str(file))
    assert (result.exit_code, result.stdout) == (3, "")
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(str(file))
    assert len(result.stderr) < 500


def test_missing_files_and_folders(tmp_path: Path) -> None:
    for source in (str(tmp_path / "nowhere.kingdom"), str(tmp_path), "/dev/null/x", "a\0b"):
        result = run("score", source)
        assert result.exit_code == 3
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes exist on Unix only")
def test_a_named_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert run("score", str(tmp_path / "pipe")).exit_code == 3


def test_good_inputs_are_scored_beside_bad_ones(tmp_path: Path) -> None:
    (tmp_path / "bad.kingdom").write_text("C q\nC t:x\n")
    result = run("score", str(tmp_path / "bad.kingdom"), EXAMPLE, "--json")
    assert result.exit_code == 3
    error, form = map(valid, result.stdout.splitlines())
    assert (error["code"], error["source"]) == (3, str(tmp_path / "bad.kingdom"))
    assert "bad.kingdom:1:3" in error["message"]
    assert "bad.kingdom:2:5" in error["message"]
    assert form["players"][0]["total"] == 71


def test_a_part_of_the_table_derives_no_queen(tmp_path: Path) -> None:
    tower = tmp_path / "tower.kingdom"
    tower.write_text("towers: 3\n\nC w1 w0\n---\nC\n")
    assert valid(run("score", str(tower), "--json").stdout)["players"][0]["hosts_queen"]
    form = json.loads(run("score", str(tower), "nowhere", "--json").stdout.splitlines()[-1])
    assert not form["players"][0]["hosts_queen"]


def test_tax_and_price() -> None:
    assert run("tax", EXAMPLE, "0,4").stdout == "4\n"
    assert run("tax", EXAMPLE, "0,4", "1,4").stdout == "8\n"
    assert run("price", "4").stdout == "4\n"
    assert run("price", "4", "--queen", "--sales").stdout == "1\n"
    assert run("price", "1", "--sales").stdout == "0\n"
    assert run("price", "dragon").stdout == "1\n"
    assert run("price", "dragon", "--queen").exit_code == 1
    for wrong in (
        ("tax", EXAMPLE, "9,9"),
        ("tax", EXAMPLE, "2,2"),
        ("tax", EXAMPLE, "a"),
        ("tax", EXAMPLE, "0,4", "1,3"),
        ("price", "x"),
    ):
        assert run(*wrong).exit_code == 2
    assert run("tax", "nowhere", "0,0").exit_code == 3
    four = str(SAMPLES / "four-players.kingdom")
    assert run("tax", four, "0,0").exit_code == 2
    assert run("tax", four, "2,0", "--player", "Red").exit_code == 0


def test_every_command_helps_with_examples() -> None:
    for command in ([], *([name] for name in COMMANDS)):
        result = run(*command, "--help")
        assert result.exit_code == 0
        assert "Examples:" in result.stdout


def test_the_rules_commands_import_no_vision() -> None:
    code = (
        "import sys; from scorer.cli import main\n"
        "try: main(['score', sys.argv[1]])\n"
        "finally: print([m for m in ('cv2', 'numpy', 'onnxruntime', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, EXAMPLE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_terminal_without_unicode_gets_no_traceback() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LANG": "C"}
    code = "from scorer.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "score", EXAMPLE], capture_output=True, env=environment)
    assert done.returncode == 0
    assert b"71" in done.stdout


def test_an_interrupted_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scorer.cli.options.read_table", interrupt)
    result = run("score", EXAMPLE)
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")


def test_a_blank_sheet_is_scored_in_bounded_time() -> None:
    result = score("\n".join([" ".join("?" * 9)] * 9), "--json")
    assert result.exit_code == 1
    (player,) = valid(result.stdout)["players"]
    assert len(player["doubts"]) == 82
    assert len(player["if_doubts"]) <= 41


def test_the_option_moves_the_queen_from_where_she_was_seen() -> None:
    text = "player: A\n\nC w1+queen w0\n---\nplayer: B\ntowers: 1\n\nC f1 w0\n"
    form = valid(score(text, "--queen", "B", "--json").stdout)
    assert [(player["hosts_queen"], player["total"]) for player in form["players"]] == [(False, 2), (True, 2)]


def test_equal_names_can_be_told_apart() -> None:
    form = valid(score("player: A\n\nC\n---\nplayer: A\n\nC\n", "--coins", "A 2=9", "--json").stdout)
    assert [(player["player"], player["total"]) for player in form["players"]] == [("A", 0), ("A 2", 3)]


def test_a_tax_that_an_unknown_square_could_change_is_doubtful() -> None:
    for square, coins in (("0,2", "1\n"), ("0,1", "0\n")):
        result = run("tax", "-", square, stdin="C ? w0\n")
        assert (result.exit_code, result.stdout) == (1, coins)
        assert "square 0,1 is not known" in result.stderr
    assert run("tax", "-", "0,1", stdin="C w0 g0 ?\n").exit_code == 0


def test_json_and_csv_exclude_each_other() -> None:
    assert score("C\n", "--json", "--csv").exit_code == 2
