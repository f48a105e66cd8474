"""Where things are not as they should be: a full disk, nothing to write to, no models, no home, odd clocks and names.

Every time one clear line, the exit code of the table, no traceback and nothing half written.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from scorer.calibration import anchors
from scorer.errors import ModelError, UsageError
from scorer.vision import models
from scorer.web import server, store
from scorer.web.game import Settings
from scorer.web.store import Store
from tests.batch.runs import files, read_folder, results

ROOT = Path(__file__).parents[1]
KINGDOM = ROOT / "samples" / "kingdoms" / "kingdomino-5x5.kingdom"
PHOTO = ROOT / "samples" / "photos" / "kingdomino.jpg"
PROGRAM = [sys.executable, "-c", "from scorer.cli import main; main()"]

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts, devices and names of Linux")


def scorer(*arguments: object, root: Path = ROOT, **options: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(root), **options.pop("env", {})}  # type: ignore[dict-item]
    call = [*PROGRAM, *map(os.fspath, arguments)]  # type: ignore[call-overload]
    options = {"stdout": subprocess.PIPE, "cwd": root, "env": environment, **options}
    return subprocess.run(call, stderr=subprocess.PIPE, text=True, encoding="utf-8", **options)  # type: ignore[call-overload,no-any-return]


def one_line(done: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    assert done.returncode == code, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stderr.strip().isprintable()
    for word in words:
        assert word in done.stderr


def mounted(place: Path, options: str) -> Iterator[Path]:
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(place)], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here: that needs root")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    yield from mounted(tmp_path / "disk", "size=200k")


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    if os.geteuid():
        (tmp_path / "disk").mkdir(mode=0o555)
        yield tmp_path / "disk"
    else:  # nothing but the file system itself keeps root from writing
        yield from mounted(tmp_path / "disk", "ro")


def fill(disk: Path) -> None:
    with contextlib.suppress(OSError), (disk / "full").open("wb", buffering=0) as file:
        for size in itertools.chain([4096] * 1000, itertools.repeat(1)):
            file.write(bytes(size))


@linux
@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
def test_a_result_that_cannot_be_printed(form: list[str]) -> None:
    with open("/dev/full", "w") as full:
        one_line(scorer("score", KINGDOM, *form, stdout=full), 2, "No space left")


@linux
def test_a_full_disk_takes_no_half_file(small_disk: Path) -> None:
    fill(small_disk)
    one_line(scorer("read", PHOTO, "-o", small_disk / "a.kingdom"), 2, "a.kingdom: cannot be written: No space left")
    one_line(scorer("pad", "print", "-o", small_disk / "pad.pdf"), 2, "pad.pdf: cannot be written: No space left")
    one_line(scorer("serve", "--port", "0", "--data", small_disk / "new" / "games.sqlite"), 2, "games.sqlite", "full")
    assert {path.name for path in small_disk.iterdir()} <= {"full", "new"}


@linux
def test_a_folder_run_goes_on_when_a_full_disk_has_room_again(small_disk: Path, tmp_path: Path) -> None:
    photos, out = tmp_path / "photos", small_disk / "out"
    photos.mkdir()
    for name in "abc":
        shutil.copy(PHOTO, photos / f"{name}.jpg")
    full = scorer("batch", photos, "--out", out, "--jobs", "1")
    assert full.returncode == 2
    assert "No space left" in full.stderr
    assert "Traceback" not in full.stderr
    assert not [name for name in files(out) if name.endswith(".new")]
    assert not (out / "results.jsonl").exists()
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    assert read_folder(photos, out).photos == 3
    elsewhere = tmp_path / "elsewhere"
    read_folder(photos, elsewhere)
    assert results(out) == results(elsewhere)


@linux
def test_a_full_disk_costs_the_page_no_game(small_disk: Path) -> None:
    kept = Store(small_disk / "games.sqlite")
    uids = []

    def play_on() -> None:
        while True:
            uids.append(kept.new_game(Settings(), [(("Ada",), "blue")]))

    with pytest.raises(sqlite3.OperationalError, match="full"):
        play_on()
    assert kept.intact()
    assert uids
    assert {summary.uid for summary in Store(small_disk / "games.sqlite").summaries()} == set(uids)


@linux
def test_a_folder_that_cannot_be_written_to(read_only: Path, tmp_path: Path) -> None:
    one_line(scorer("read", PHOTO, "-o", read_only / "a.kingdom"), 2, "a.kingdom: cannot be written")
    one_line(scorer("read", PHOTO, "--annotate", read_only / "a.jpg"), 2, "a.jpg: cannot be written")
    one_line(scorer("batch", PHOTO.parent, "--out", read_only / "out"), 2, "cannot be used")
    one_line(scorer("serve", "--port", "0", "--data", read_only / "games.sqlite"), 2, "games.sqlite")
    one_line(scorer("serve", "--port", "0", "--data", read_only / "new" / "games.sqlite"), 2, "cannot be made")
    profiles = {"SCORER_PROFILES": str(read_only / "profiles")}
    one_line(scorer("calibrate", "import", ROOT / "calibration" / "queendomino.json", env=profiles), 2, "profiles")
    assert list(read_only.iterdir()) == []


# Models


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with everything it ships, to be damaged."""
    root = tmp_path_factory.mktemp("installed")
    shutil.copytree(ROOT / "scorer", root / "scorer", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "samples", root / "samples")
    (root / "models").mkdir()
    for path in (*(ROOT / "models").glob("*.onnx"), ROOT / "models" / anchors.FILE):
        shutil.copy(path, root / "models")
    return root


@pytest.fixture(params=["missing", "flipped"])
def damage(request: pytest.FixtureRequest, installed: Path) -> Iterator[str]:
    """A model that is not there, or has one wrong bit in the middle."""
    path = installed / "models" / "classify.onnx"
    whole = path.read_bytes()
    if request.param == "missing":
        path.unlink()
    else:
        path.write_bytes(flipped(whole, len(whole) // 2))
    yield "missing" if request.param == "missing" else "checksum"
    path.write_bytes(whole)


def flipped(whole: bytes, at: int) -> bytes:
    return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]


def test_without_a_sound_model_no_photo_is_read(damage: str, installed: Path, tmp_path: Path) -> None:
    calls: Sequence[Sequence[object]] = [["read", PHOTO], ["score", PHOTO], ["batch", PHOTO.parent, "--out", "out"]]
    for call in calls:
        one_line(scorer(*call, root=installed), 5, "classify.onnx", damage)
    assert not (installed / "out" / "results.jsonl").exists()
    shutil.rmtree(installed / "out")
    checked = scorer("check", root=installed)
    assert (checked.returncode, checked.stderr.count("Traceback")) == (5, 0)
    assert damage in checked.stdout + checked.stderr
    assert scorer("score", KINGDOM, root=installed).returncode == 0, "scoring a file needs no model"


def test_damaged_anchors_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / anchors.FILE
    shutil.copy(models.FOLDER / anchors.FILE, path)
    whole = path.read_bytes()
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    for at in range(0, len(whole), len(whole) // 40):
        for damaged in (flipped(whole, at), whole[:at]):
            path.write_bytes(damaged)
            anchors._stored.cache_clear()
            with contextlib.suppress(ModelError):  # a bit that nobody reads may be any
                anchors._stored()
    anchors._stored.cache_clear()


# The user's surroundings


def test_without_a_home_the_page_asks_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    with pytest.raises(UsageError, match="no home folder"):
        server.usual_file()


@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C"}, {"LC_ALL": "xx_YY.nonsense", "LANG": "qq"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}],
)
def test_without_a_locale_the_pad_is_printed(locale: dict[str, str]) -> None:
    bare = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))}
    done = scorer("score", KINGDOM, env={**dict.fromkeys(os.environ.keys() - bare.keys(), ""), **locale})
    assert (done.returncode, done.stderr) == (0, "")
    assert "60" in done.stdout


@linux
@pytest.mark.parametrize("name", ["new\nline", "\x1b[31mred", "\udcff\udcfe", " ", "#", "# 1", "\u202egpj", "-"])
def test_files_of_any_name_are_scored(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.kingdom"
    path.write_text("rules: kingdomino\n\nC w1 w0\n")
    done = scorer("score", path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["players"][0]["player"].isprintable()
    assert scorer("score", path).stdout.count("\n") == 13, "no line is broken by the name"
    path.write_text("nonsense")
    one_line(scorer("score", path), 3, "nonsense")
    path.unlink()
    one_line(scorer("score", path), 3, "no such file")
    one_line(scorer("read", path), 3, "no such file")


@linux
def test_a_photo_of_any_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new\nline\x1b[31m\udcff.jpg"
    shutil.copy(PHOTO, path)
    done = scorer("read", path)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert all(line.isprintable() for line in done.stderr.splitlines())


def test_photos_of_any_time_are_read_once(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    for name, time in (("past", 0), ("before", -(10**9)), ("future", 10**10)):
        shutil.copy(PHOTO, photos / f"{name}.jpg")
        os.utime(photos / f"{name}.jpg", (time, time))
    assert read_folder(photos, tmp_path / "out", jobs=1).read == 3
    assert read_folder(photos, tmp_path / "out", jobs=1).read == 0
    os.utime(photos / "future.jpg", (5, 5))
    assert read_folder(photos, tmp_path / "out", jobs=1).read == 0, "only touched"


def test_a_clock_that_goes_backwards_loses_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    years = itertools.count(2030, -1)
    monkeypatch.setattr(store, "now", lambda: f"{next(years)}-01-01T00:00:00.000+00:00")
    kept = Store(tmp_path / "games.sqlite")
    uids = [kept.new_game(Settings(), [(("Ada",), "blue")]) for _ in range(3)]
    for coins in (1, 2):
        for uid in uids:
            change = lambda board, coins=coins: store.boards.change(board, {"do": "coins", "value": coins})  # noqa: E731
            assert kept.change_board(uid, 0, change).seats[0].board.kingdom.coins == coins
    assert [kept.step(uid, 0, -1).seats[0].board.kingdom.coins for uid in uids] == [1, 1, 1]
    assert {summary.uid for summary in kept.summaries()} == set(uids)


def test_a_number_without_end_is_no_number() -> None:
    for option in ("--coins", "--guard", "--towers"):
        done = scorer("score", KINGDOM, option, "9" * 5000)
        assert (done.returncode, done.stderr.count("Traceback")) == (2, 0)
        assert "is not a number" in done.stderr
