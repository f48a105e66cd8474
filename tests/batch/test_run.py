"""Whole runs: what comes out, what is computed again, and what happens when somebody stops it."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

import scorer
from scorer.batch import Limits
from scorer.errors import UnreadableInput, UsageError
from scorer.rules import Kingdom, score
from tests.batch.runs import files, read_folder, read_or_misbehave, results

SCHEMAS = Path(scorer.__file__).parent / "schemas"
SCHEMA = json.loads((SCHEMAS / "batch-1.json").read_text())


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_a_folder_comes_out_as_tables_pictures_and_a_report(folder: Path, out: Path) -> None:
    (folder / "broken.jpg").write_bytes(b"no photo")
    before = files(folder)
    summary = read_folder(folder, out)
    assert files(folder) == before
    forms = results(out)
    for form in forms:
        jsonschema.validate(form, SCHEMA)
    assert [form["source"] for form in forms] == sorted(before)
    assert (summary.photos, summary.failed, summary.read, summary.kingdoms) == (7, 1, 7, 6)
    good = [form for form in forms if form["status"] != "failed"]
    for form in good:
        kingdom = Kingdom.parse(form["notation"])
        assert score([kingdom]).players[0].total == form["total"] == sum(form["rows"].values())
        assert (out / form["picture"]).stat().st_size > 10_000
        assert form["picture"] == f"pictures/{form['source']}"
    assert [row["source"] for row in rows(out / "results.csv")] == sorted(before)
    for row, form in zip(rows(out / "results.csv"), forms, strict=True):
        assert {row[name] for name in form.get("rows", {})} == {str(n) for n in form.get("rows", {}).values()}
        assert row["total"] == str(form.get("total", ""))
    (failed,) = rows(out / "failed.csv")
    assert (failed["source"], failed["code"]) == ("broken.jpg", "3")
    assert [row["source"] for row in rows(out / "doubtful.csv")] == [
        form["source"] for form in forms if form["status"] == "doubtful"
    ]


def test_the_report_stands_alone(folder: Path, out: Path) -> None:
    (folder / "<script>alert(1)<").mkdir()
    (folder / "<script>alert(1)<" / "x.jpg").write_bytes(b"no photo")
    read_folder(folder, out)
    page = (out / "report.html").read_text("utf-8")
    assert "http" not in page.replace("http-equiv", "")
    assert "alert(1)<" not in page.replace("&lt;", "")
    assert page.count("data:image/jpeg;base64,") == 6
    assert page.count("<svg") == 3
    for form in results(out):
        if form["status"] != "failed":
            assert f'href="{form["picture"]}"' in page


def test_results_depend_neither_on_workers_nor_on_order(folder: Path, tmp_path: Path) -> None:
    read_folder(folder, tmp_path / "one", jobs=1)
    for path in list(folder.rglob("*.jpg"))[::2]:
        path.rename(path.with_suffix(".away"))
    read_folder(folder, tmp_path / "two", jobs=3)
    for path in folder.rglob("*.away"):
        path.rename(path.with_suffix(".jpg"))
    read_folder(folder, tmp_path / "two", jobs=3)
    assert files(tmp_path / "two") == files(tmp_path / "one")


def test_nothing_is_computed_twice_and_opencv_not_even_loaded(folder: Path, out: Path) -> None:
    read_folder(folder, out)
    before = files(out)
    assert read_folder(folder, out).read == 0
    assert files(out) == before
    code = (
        "import sys; from pathlib import Path; from tests.batch.runs import read_folder\n"
        f"assert read_folder(Path({str(folder)!r}), Path({str(out)!r})).read == 0\n"
        "assert 'cv2' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_only_what_changed_is_computed_again(folder: Path, out: Path, rendered: list[bytes]) -> None:
    read_folder(folder, out)
    (folder / "0.jpg").write_bytes(rendered[1])
    (folder / "new.jpg").write_bytes(rendered[2])
    (folder / "2.jpg").unlink()
    os.utime(folder / "4.jpg")
    (out / "pictures" / "4.jpg").unlink()
    assert read_folder(folder, out).read == 3
    by_source = {form["source"]: form for form in results(out)}
    assert by_source["0.jpg"]["grid"] == by_source["evening/1.jpg"]["grid"]
    assert "2.jpg" not in by_source
    assert (out / "pictures" / "4.jpg").exists()
    assert read_folder(folder, out).read == 0
    assert read_folder(folder, out, rules="queendomino").read == 6
    assert {form["rules"] for form in results(out)} == {"queendomino"}


def doubtful(out: Path) -> dict[str, str]:
    """The first doubtful result; the photos of these tests have some."""
    found = rows(out / "doubtful.csv")
    assert found, "the rendered photos are all read without a doubt: render harder ones"
    return found[0]


def test_a_doubtful_record_is_corrected_by_its_notation_file(folder: Path, out: Path) -> None:
    read_folder(folder, out)
    row = doubtful(out)
    file = out / row["notation"]
    text = file.read_text()
    corrected = text.replace("rules: kingdomino", "rules: kingdomino\nbonuses: middle-kingdom", 1)
    cells = corrected.split("\n\n")[1]
    file.write_text(corrected.replace(cells, cells.replace(cells.split()[0], "w2", 1), 1))
    assert read_folder(folder, out).read == 1
    (form,) = [form for form in results(out) if form["source"] == row["source"]]
    jsonschema.validate(form, SCHEMA)
    assert (form["status"], form["corrected"], form["grid"][0][0], form["confidence"][0][0]) == ("ok", True, "w2", 1.0)
    assert "bonus:middle-kingdom" in form["rows"]
    assert row["source"] not in {other["source"] for other in rows(out / "doubtful.csv")}
    assert read_folder(folder, out).read == 0
    assert file.exists(), "a person's work stays"


def test_a_doubt_is_lifted_by_deleting_the_line_that_asks(folder: Path, out: Path) -> None:
    read_folder(folder, out)
    row = doubtful(out)
    file = out / row["notation"]
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:1] + lines[2:]))
    read_folder(folder, out)
    (form,) = [form for form in results(out) if form["source"] == row["source"]]
    assert (form["status"], str(form["total"])) == ("ok", row["total"])


def test_a_slip_in_a_correction_is_told_with_line_and_column(folder: Path, out: Path) -> None:
    read_folder(folder, out)
    row = doubtful(out)
    file = out / row["notation"]
    file.write_text("rules: kingdomino\n\nC q7\n")
    read_folder(folder, out)
    (failed,) = rows(out / "failed.csv")
    assert failed["source"] == row["source"]
    assert f"{row['notation']}:3:3: " in failed["message"]


def test_a_correction_is_not_used_for_another_photo(folder: Path, out: Path, rendered: list[bytes]) -> None:
    read_folder(folder, out)
    row = doubtful(out)
    file = out / row["notation"]
    file.write_text(file.read_text().replace("# Correct", "# Corrected", 1))
    other = next(d for d in rendered if d != (folder / row["source"]).read_bytes())
    (folder / row["source"]).write_bytes(other)
    read_folder(folder, out)
    (form,) = [form for form in results(out) if form["source"] == row["source"]]
    assert not form["corrected"]
    assert file.with_name(file.name + ".old").exists()


def test_a_person_can_write_down_what_was_not_found(folder: Path, out: Path) -> None:
    (folder / "broken.jpg").write_bytes(b"no photo")
    read_folder(folder, out)
    (out / "doubtful").mkdir(exist_ok=True)
    (out / "doubtful" / "broken.jpg.kingdom").write_text("rules: kingdomino\n\nC w1 w0\n")
    assert read_folder(folder, out).failed == 0
    (form,) = [form for form in results(out) if form["source"] == "broken.jpg"]
    jsonschema.validate(form, SCHEMA)
    assert (form["total"], form["picture"], form["corners"]) == (2, None, None)


def test_photos_that_harm_their_worker_are_reported_and_the_run_goes_on(
    folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch, rendered: list[bytes]
) -> None:
    for name in ("crash", "hang", "memory"):
        (folder / f"{name}.jpg").write_bytes(rendered[0])
    monkeypatch.setattr("scorer.batch.engine.read", read_or_misbehave)
    summary = read_folder(folder, out, limits=Limits(seconds=10, megabytes=800))
    assert (summary.photos, summary.failed) == (9, 3)
    messages = {row["source"]: row["message"] for row in rows(out / "failed.csv")}
    assert "crashed" in messages["crash.jpg"]
    assert "not finished after 10 seconds" in messages["hang.jpg"]
    assert "Memory" in messages["memory.jpg"]
    monkeypatch.undo()
    assert read_folder(folder, out).read == 1, "what was no photo's fault is tried again"
    assert read_folder(folder, out, retry=True).failed == 0


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_at_any_moment_and_resumed_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    read_folder(folder, tmp_path / "whole")
    rng = random.Random(1)
    out = tmp_path / "killed"
    command = [sys.executable, "-c", "from scorer.cli import main; main()"]
    command += ["batch", str(folder), "--out", str(out), "--jobs", "2"]
    for _ in range(6):
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.5, 4.0))
        os.kill(program.pid, signal.SIGKILL)
        program.wait()
    time.sleep(1)
    read_folder(folder, out)
    assert files(out) == files(tmp_path / "whole")


def test_two_runs_do_not_write_to_the_same_place(folder: Path, out: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    read_folder(folder, out)
    with (out / "records" / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another run"):
            read_folder(folder, out)


def test_nothing_else_is_ever_overwritten(folder: Path, tmp_path: Path) -> None:
    before = files(tmp_path)
    for place in (folder, folder.parent):
        with pytest.raises(UsageError, match="the photos lie in there"):
            read_folder(folder, place)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").touch()
    with pytest.raises(UsageError, match="holds other files"):
        read_folder(folder, tmp_path / "full")
    assert files(tmp_path) == {**before, "full/letter.txt": b""}


def test_results_inside_the_folder_are_no_photos(folder: Path) -> None:
    read_folder(folder, folder / "out")
    assert read_folder(folder, folder / "out").photos == 6


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableInput, match="no photo below"):
        read_folder(tmp_path / "empty", tmp_path / "out")
