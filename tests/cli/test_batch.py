"""`scorer batch`: what it prints, its exit codes, wrong calls."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli import main
from scorer.cli.batch import batch
from tests.batch.conftest import folder, rendered  # noqa: F401 fixtures


def run(*arguments: str | Path) -> Result:
    environment = {"LANG": "C", "LANGUAGE": "", "LC_ALL": ""}
    return CliRunner().invoke(main, ["batch", *map(str, arguments)], env=environment)


def test_a_summary_on_stdout_and_progress_beside_it(folder: Path, tmp_path: Path) -> None:  # noqa: F811
    (folder / "broken.jpg").write_bytes(b"no photo")
    result = run(folder, "--out", tmp_path / "out")
    assert result.exit_code == 0
    first, second, report = result.stdout.splitlines()
    assert first.startswith("photos: 7 (ok: ")
    assert first.endswith("failed: 1)")
    assert second == "kingdoms: 6; photos read now: 7"
    assert Path(report) == tmp_path / "out" / "report.html"
    assert "7 of 7 photos, " in result.stderr
    assert "\r" not in result.stderr
    again = run(folder, "--out", tmp_path / "out", "--strict", "--lang", "de")
    assert again.exit_code == 1
    assert again.stderr == ""
    assert "Königreiche" in again.stdout
    assert 'lang="de"' in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_every_option_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "folders.md").read_text("utf-8")
    assert [option for parameter in batch.params for option in parameter.opts if option not in page] == []


def test_strict_is_content_with_sound_results(tmp_path: Path, rendered: list[bytes]) -> None:  # noqa: F811
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_bytes(rendered[0])
    file = tmp_path / "out" / "doubtful" / "a.jpg.kingdom"
    run(tmp_path / "photos", "--out", tmp_path / "out")
    file.parent.mkdir(exist_ok=True)
    file.write_text("rules: kingdomino\n\nC w1 w0\n")
    assert run(tmp_path / "photos", "--out", tmp_path / "out", "--strict").exit_code == 0


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ([], 2, "--out"),
        (["--out", "{folder}"], 2, "the photos lie in there"),
        (["--out", "out", "--engine", "dask"], 2, "go together"),
        (["--out", "out", "--scheduler", "tcp://x:1"], 2, "go together"),
        (["--out", "out", "--jobs", "0"], 2, "--jobs"),
        (["--out", "out", "--pattern", "*.nothing"], 3, "there is no photo"),
    ],
)
def test_wrong_calls(
    folder: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    code: int,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(folder, *(option.format(folder=folder) for option in options))
    assert result.exit_code == code
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_a_bad_sheet_stops_before_anything_is_read(folder: Path, tmp_path: Path) -> None:  # noqa: F811
    (folder / "games.csv").write_text("photo,coins\n0.jpg,lots\n")
    result = run(folder, "--out", tmp_path / "out")
    assert result.exit_code == 3
    assert "games.csv:2: coins:" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_keeps_what_was_finished(folder: Path, tmp_path: Path) -> None:  # noqa: F811
    command = [sys.executable, "-c", "from scorer.cli import main; main()", "batch", str(folder)]
    command += ["--out", str(tmp_path / "out"), "--jobs", "1"]
    program = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        # Tests run in the background inherit a shell that ignores the key.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    while not list((tmp_path / "out").glob("records/??/*.json")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(program.pid, signal.SIGINT)
    _, said = program.communicate(timeout=30)
    assert program.returncode == 130
    assert "Traceback" not in said
    assert said.splitlines()[-1].startswith("interrupted; what was finished is kept")
    kept = len(list((tmp_path / "out").glob("records/??/*.json")))
    result = run(folder, "--out", tmp_path / "out")
    assert f"photos read now: {6 - kept}" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_a_bar_with_rate_and_time_left_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for name in "ab":
        (tmp_path / "photos" / f"{name}.jpg").write_bytes(b"no photo")
    command = [sys.executable, "-c", "from scorer.cli import main; main()", "batch", str(tmp_path / "photos")]
    ours, theirs = os.openpty()
    environment = {**os.environ, "LC_ALL": "C", "LANGUAGE": "", "TERM": "xterm"}
    subprocess.run(
        [*command, "--out", str(tmp_path / "out")],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        check=True,
        env=environment,
    )
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "#" in shown
    assert "2 of 2 photos, " in shown
    assert " a second, 0:00:00 left" in shown
