"""Which files below a folder are photos."""

import os
from pathlib import Path

import pytest

from scorer.batch.find import find


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def sources(folder: Path, *patterns: str, leave_out: Path | None = None) -> list[str]:
    return [photo.source for photo in find(folder, patterns, leave_out)[0]]


def test_photos_on_all_levels_in_the_order_of_their_names(tmp_path: Path) -> None:
    make(tmp_path, "b.JPG", "a/c.heic", "a/b/d.png", "a.gif", "notes.txt", "a/film.mp4")
    assert sources(tmp_path) == ["a.gif", "a/b/d.png", "a/c.heic", "b.JPG"]


def test_hidden_files_and_folders_are_left_alone(tmp_path: Path) -> None:
    make(tmp_path, "._a.jpg", ".thumbnails/a.jpg", "a.jpg")
    assert sources(tmp_path) == ["a.jpg"]


def test_patterns_match_names_and_paths(tmp_path: Path) -> None:
    make(tmp_path, "a/1.jpg", "a/2.png", "b/1.jpg", "b/x.dat")
    assert sources(tmp_path, "1.*") == ["a/1.jpg", "b/1.jpg"]
    assert sources(tmp_path, "a/*", "*.dat") == ["a/1.jpg", "a/2.png", "b/x.dat"]


def test_the_output_folder_is_not_looked_into(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "out/pictures/a.jpg")
    assert sources(tmp_path, leave_out=tmp_path / "out") == ["a.jpg"]


def test_sheets_beside_the_photos(tmp_path: Path) -> None:
    make(tmp_path, "games.csv", "b/games.toml", "b/a.jpg")
    photos, sheets = find(tmp_path)
    assert ([photo.source for photo in photos], sheets) == (["b/a.jpg"], ["b/games.toml", "games.csv"])


def test_links(tmp_path: Path) -> None:
    make(tmp_path, "a.jpg", "elsewhere/b.jpg")
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "good.jpg").symlink_to(tmp_path / "a.jpg")
    (folder / "broken.jpg").symlink_to(tmp_path / "nothing")
    (folder / "circle.jpg").symlink_to(folder / "circle.jpg")
    (folder / "up").symlink_to(tmp_path)
    photos = {photo.source: photo.trouble for photo in find(folder)[0]}
    assert photos["good.jpg"] == ""
    assert "No such file" in photos["broken.jpg"]
    assert "symbolic links" in photos["circle.jpg"]
    assert "not followed" in photos["up"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_no_photo(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jpg")
    (photo,) = find(tmp_path)[0]
    assert photo.trouble == "this is no ordinary file"
