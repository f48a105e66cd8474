"""`scorer pad`: exit codes, JSON by its schema, bad input in one line, and pads on paper."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import example
from tests.cli.command import run, valid
from tests.example import SAMPLES

EXAMPLE = str(example.FILE)

FOUR = str(SAMPLES / "four-players.kingdom")


@pytest.fixture
def pad(tmp_path: Path) -> Path:
    """A right pad of the four players."""
    file = tmp_path / "pad.csv"
    file.write_text(run("score", FOUR, "--csv").stdout)
    return file


def test_a_right_pad(pad: Path) -> None:
    result = run("pad", "check", str(pad), FOUR)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith("the pad is right\n")


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.kingdom")), ids=lambda path: path.stem)
def test_what_the_scorer_writes_is_right(sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "pad.csv"
    file.write_text(run("score", str(sample), "--csv").stdout)
    result = run("pad", "check", str(file), str(sample), "--json")
    assert valid(result.stdout)["right"]
    assert result.exit_code == (1 if sample.stem == "doubtful" else 0)


def test_a_wrong_pad(pad: Path) -> None:
    pad.write_text(pad.read_text().replace("buildings,3,10", "buildings,3,7"))
    result = run("pad", "check", str(pad), FOUR)
    assert result.exit_code == 1
    assert "7 → 10" in result.stdout
    assert "Orange, Buildings: 7 is written, 10 is right; probably Fortified Castle was forgotten\n" in result.stdout
    assert "Orange, Total: 39 is right, but not the sum of what is written\n" in result.stdout
    form = valid(run("pad", "check", str(pad), FOUR, "--json").stdout)
    rows = [row for player in form["players"] for row in player["rows"] if row["status"] != "right"]
    assert [(row["row"], row["written"], row["right"], row["difference"]) for row in rows] == [("buildings", 7, 10, -3)]


def test_other_languages(pad: Path) -> None:
    pad.write_text(pad.read_text().replace("coins,2", "Münzen,9"))
    result = run("pad", "check", str(pad), FOUR, "--lang", "de")
    assert result.exit_code == 1
    assert "Münzen" in result.stdout
    assert "is written" not in result.stdout


def test_options_beat_header_lines(tmp_path: Path) -> None:
    file = tmp_path / "pad.json"
    rows = json.loads(run("score", EXAMPLE, "--json", "--coins", "30").stdout)["players"][0]
    file.write_text(json.dumps({"format": "pad/1", "players": {"White": {**rows["rows"], "total": rows["total"]}}}))
    assert run("pad", "check", str(file), EXAMPLE).exit_code == 1
    assert run("pad", "check", str(file), EXAMPLE, "--coins", "30").exit_code == 0


@pytest.mark.parametrize(
    ("text", "inputs", "code", "says"),
    [
        ("row,White\ncoins,x\n", [EXAMPLE], 3, "'x' is not a number"),
        ("row,White\ncoins,3\n", ["missing.kingdom"], 3, "there is no such file"),
        ("row,White,Red\ncoins,3,4\n", [EXAMPLE], 2, "call them alike"),
    ],
)
def test_bad_input_is_one_line(tmp_path: Path, text: str, inputs: list[str], code: int, says: str) -> None:
    file = tmp_path / "pad.csv"
    file.write_text(text)
    result = run("pad", "check", str(file), *inputs)
    assert (result.exit_code, result.stdout) == (code, "")
    assert says in result.stderr
    assert "Traceback" not in result.stderr
    if code != 2:
        assert valid(run("pad", "check", str(file), *inputs, "--json").stdout.splitlines()[0])["code"] == code


def test_checking_a_file_loads_neither_opencv_nor_numpy(pad: Path) -> None:
    code = (
        "import sys; from scorer.cli import main\n"
        f"try: main(['pad', 'check', {str(pad)!r}, {FOUR!r}])\n"
        "except SystemExit as e: assert e.code == 0, e.code\n"
        "assert not {'cv2', 'numpy', 'onnxruntime', 'fpdf'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_printing_a_blank_pad(tmp_path: Path) -> None:
    file = tmp_path / "pad.pdf"
    for options in ([], ["--rules", "xxxl", "--lang", "he"], ["--rules", "kingdomino", "--per-sheet", "4"]):
        result = run("pad", "print", "-o", str(file), *options)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
        assert file.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.kingdom")), ids=lambda path: path.stem)
def test_printing_a_score(sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "pad.pdf"
    assert run("pad", "print", str(sample), "-o", str(file), "--paper", "letter").exit_code == 0
    assert file.read_bytes().startswith(b"%PDF")


def test_printing_where_nothing_can_be_written(tmp_path: Path) -> None:
    result = run("pad", "print", "-o", str(tmp_path / "nowhere" / "pad.pdf"))
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


def test_reading_what_is_no_pad(tmp_path: Path) -> None:
    photo = Path(__file__).parents[2] / "samples" / "photos" / "kingdomino.jpg"
    result = run("pad", "read", str(photo))
    assert (result.exit_code, result.stdout) == (4, "")
    assert "no score pad found" in result.stderr
    assert valid(run("pad", "read", str(photo), "--json").stdout)["code"] == 4
    assert run("pad", "check", str(photo), FOUR).exit_code == 4
    assert run("pad", "read", str(tmp_path / "missing.jpg")).exit_code == 3
    assert run("pad", "read", str(photo), "--rows", "meat").exit_code == 2
