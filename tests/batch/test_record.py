"""Records: whole or not there, and valid as long as what they were made from."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.batch import record
from scorer.batch.corrections import correction, is_of, notation_text
from scorer.batch.record import Origin, Record
from scorer.rules import Kingdom

PHOTO = b"a photo"
SHA256 = "f5d24d6d0a07a1c3e0a0f7f7f8c31e9d5a9a0b3b1d7d7f0f0d5e7b3c6a1b2c3d"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / record.NEW).mkdir(parents=True)
    return tmp_path


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "a.jpg"
    path.write_bytes(PHOTO)
    return path


def made(photo: Path) -> Record:
    about = photo.stat()
    origin = Origin("terms", about.st_size, about.st_mtime_ns, hashlib.sha256(photo.read_bytes()).hexdigest())
    return Record(origin, "ok", ('{"a": 1}', '{"b": "ü"}'), "dGh1bWI=")


def fresh(out: Path, photo: Path, terms: str = "terms") -> bool:
    about = photo.stat()
    origin = Origin(terms, about.st_size, about.st_mtime_ns, "")
    return record.is_fresh(out, "a.jpg", photo, origin, record.load(out, "a.jpg"))


def test_a_record_comes_back_as_it_was(out: Path, photo: Path) -> None:
    record.write(out, "a.jpg", made(photo))
    assert record.load(out, "a.jpg") == made(photo)
    assert record.load(out, "b.jpg") is None
    assert fresh(out, photo)


def test_half_a_record_is_none(out: Path, photo: Path) -> None:
    record.write(out, "a.jpg", made(photo))
    path = record.path_of(out, "a.jpg")
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        assert record.load(out, "a.jpg") is None, end


def test_other_terms_or_another_photo_end_a_record(out: Path, photo: Path) -> None:
    record.write(out, "a.jpg", made(photo))
    assert not fresh(out, photo, "other terms")
    photo.write_bytes(b"another")
    assert not fresh(out, photo)


def test_a_touched_photo_is_read_once(out: Path, photo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record.write(out, "a.jpg", made(photo))
    os.utime(photo, ns=(1, 1))
    assert fresh(out, photo)
    monkeypatch.setattr("hashlib.file_digest", None)
    assert fresh(out, photo), "the new time was noted, so the photo is not read again"


def test_a_photo_that_could_not_be_read_is_known_by_size_and_time(out: Path, photo: Path) -> None:
    failed = made(photo)
    record.write(out, "a.jpg", replace(failed, origin=replace(failed.origin, sha256="")))
    assert fresh(out, photo)
    os.utime(photo, ns=(1, 1))
    assert not fresh(out, photo)


@pytest.mark.parametrize(
    ("statuses", "status"),
    [(["ok", "ok"], "ok"), (["ok", "doubtful"], "doubtful"), (["doubtful", "failed"], "failed"), ([], "ok")],
)
def test_a_photo_is_as_good_as_its_worst_kingdom(statuses: list[str], status: str) -> None:
    assert record.worst(statuses) == status


def test_a_notation_file_is_a_correction_once_anything_in_it_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.jpg.kingdom"
    kingdom = Kingdom.parse("rules: kingdomino\n\nC w1\n")
    written = notation_text("a\n.jpg", SHA256, ["a square"], [kingdom])
    assert Kingdom.parse(written).rows == kingdom.rows
    assert correction(file) is None
    file.write_text(written)
    assert correction(file) is None
    lines = written.splitlines(keepends=True)
    for number in range(len(lines)):
        changed = "".join(lines[:number] + lines[number + 1 :])
        file.write_text(changed)
        assert correction(file) == changed
    assert is_of(written, SHA256)
    assert not is_of(written, "0" * 64)
    assert is_of("C w1\n", "0" * 64)
