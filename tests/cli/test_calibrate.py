"""`scorer calibrate` from end to end."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.calibration.store import FOLDER
from scorer.cli import main
from scorer.installation import SAMPLE, SAMPLES


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER, str(tmp_path / "profiles"))
    monkeypatch.setenv("LANGUAGE", "en")
    for suffix in (".jpg", ".kingdom"):
        shutil.copy(SAMPLES / f"{SAMPLE}{suffix}", tmp_path / f"table{suffix}")
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_teach_test_use_and_pass_on(place: Path) -> None:
    taught = run("calibrate", "teach", place / "table.jpg")
    assert taught.exit_code == 0, taught.stderr
    assert "25 squares taught" in taught.stdout
    tested = run("calibrate", "test", "--json")
    form = json.loads(tested.stdout)
    assert (form["examples"], form["photos"]) == (25, 1)
    assert {"head": "terrain", "count": 25, "before": 0, "after": 0, "applied": True} in form["trials"]
    assert "Terrain: of 25 squares 0 were misread before, 0 after" in run("calibrate", "show").stdout
    read = run("read", place / "table.jpg", "--profile", "mine")
    assert read.exit_code == 0
    plain = run("read", place / "table.jpg").stdout
    assert read.stdout.endswith(plain[plain.index("rules:") :])

    assert run("calibrate", "export", "mine", place / "gift.json").exit_code == 0
    clash = run("calibrate", "import", place / "gift.json")
    assert (clash.exit_code, clash.stderr) == (2, "there is a profile 'mine': use --name or --replace\n")
    assert run("calibrate", "import", place / "gift.json", "--name", "theirs").exit_code == 0
    assert run("calibrate", "list").stdout.splitlines()[:2] == ["mine", "theirs"]
    assert run("calibrate", "delete", "theirs").exit_code == 0
    assert run("calibrate", "show", "theirs").exit_code == 2


def test_editions_are_shown(place: Path) -> None:
    shown = run("calibrate", "show", "queendomino-19").stdout
    assert "castles: orange, purple, white, red\nknights: 19\n" in shown


def test_the_board_is_written(place: Path) -> None:
    assert run("calibrate", "print", "-o", place / "board.pdf").exit_code == 0
    assert (place / "board.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("calibrate", "teach", "missing.jpg"), 3),
        (("calibrate", "teach", "table.jpg", "--profile", "../x"), 2),
        (("calibrate", "colour", "table.jpg"), 3),
        (("calibrate", "camera", "table.jpg"), 3),
        (("calibrate", "import", "table.jpg"), 3),
        (("calibrate", "delete", "queendomino"), 2),
        (("read", "table.jpg", "--profile", "attic"), 2),
    ],
)
def test_what_goes_wrong_is_one_line(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int
) -> None:
    monkeypatch.chdir(place)
    result = run(*words)
    assert result.exit_code == code
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
