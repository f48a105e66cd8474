"""Names that strangers give to files."""

import json
import os

import pytest

from scorer.batch.names import cell, json_line, picture_path, player, shown, text, with_suffix
from scorer.rules.kingdom import NAME


@pytest.mark.parametrize(
    ("name", "one_line"),
    [
        ("table.jpg", "table.jpg"),
        ("Käse/שולחן.jpg", "Käse/שולחן.jpg"),
        ("a\nb\r.jpg", "a\\nb\\r.jpg"),
        ("\u202egpj.exe", "\\u202egpj.exe"),
        ("a\u2028b", "a\\u2028b"),
        ("\x1b[2J", "\\x1b[2J"),
        (os.fsdecode(b"caf\xe9.jpg"), "caf\\xe9.jpg"),
    ],
)
def test_a_name_is_shown_on_one_harmless_line(name: str, one_line: str) -> None:
    assert shown(name) == one_line
    assert shown(name).isprintable()


def test_text_keeps_what_is_text() -> None:
    assert text("a\nb\u202e.jpg") == "a\nb\u202e.jpg"
    assert text(os.fsdecode(b"\xff.jpg")) == "\\xff.jpg"


def test_a_json_line_is_one_line_to_anybody_and_says_the_same() -> None:
    form = {"source": "a\n\u2028\u202e\x85שולחן\U000e0001.jpg"}
    line = json_line(form)
    assert line.splitlines() == [line]
    assert "שולחן" in line
    assert json.loads(line) == form


@pytest.mark.parametrize("name", ["=1+1.jpg", "-x", "+x", "@x", "\tx"])
def test_no_cell_is_a_formula(name: str) -> None:
    assert cell(name) == "'" + name


def test_other_cells_stay_as_they_are() -> None:
    assert [cell(value) for value in ("a=b", 3, -3, None, True)] == ["a=b", 3, -3, None, "yes"]


@pytest.mark.parametrize("source", ["a.jpg", "#1 table.jpg", " x .jpg", "a\nb.jpg", "#.jpg", "\u202e.jpg", ".jpg"])
def test_every_photo_names_a_possible_player(source: str) -> None:
    assert NAME.fullmatch(player(source))


def test_pictures_are_called_like_their_photos() -> None:
    assert picture_path("a/b.JPG", ()) == "a/b.JPG"
    assert picture_path("a/b.heic", ()) == "a/b.heic.jpg"
    assert picture_path("b.heic", {"b.heic", "b.heic.jpg"}) == "b.heic.jpg.jpg"


def test_a_suffix_never_makes_a_name_too_long() -> None:
    assert with_suffix("a/b.jpg", ".kingdom") == "a/b.jpg.kingdom"
    long = ["a/" + "ü" * 125 + f"{i}.jpg" for i in range(2)]
    names = {with_suffix(name, ".kingdom") for name in long}
    assert len(names) == 2
    assert all(len(os.fsencode(name)) <= 2 + 255 and name.endswith(".kingdom") for name in names)
