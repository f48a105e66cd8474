"""Pad files: spreadsheets of every kind, names in every language, players across or down, and bad files in one line."""

import json
from pathlib import Path

import jsonschema
import pytest

import scorer
from scorer.errors import UnreadableInput
from scorer.pad import ROW_NAMES, row_name
from scorer.pads.files import Pad, parse_pad, row_named, to_csv, to_json
from scorer.texts import LANGUAGES, translator

SCHEMA = json.loads((Path(scorer.__file__).parent / "schemas" / "pad-1.json").read_text())
PAD = Pad({"White": {"coins": 3, "wheat": 12, "total": 15}, "Red": {"coins": 0, "wheat": None, "total": 0}})


def test_csv_as_the_interface_says() -> None:
    assert parse_pad(b"row,White,Red\ncoins,3,0\nwheat,12,\ntotal,15,0\n") == PAD


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffrow;White;Red\r\ncoins;3;0\r\nwheat;12;\r\ntotal;15;0\r\n",
        "row\tWhite\tRed\ncoins\t3\t-\n\nwheat\t12.0\t\ntotal\t15\t0\n",
        'player,coins,wheat,total\nWhite,3,12,15\n"Red",–,,0\n',
        "Joueur;Pièces;Champ de blé;Total\nWhite;3;12;15\nRed;0;;0\n",
        ",White,Red\nMünzen,3,0\nGetreidefeld,12,\nGesamt,15,0\n",
        "row,White,Red\nCOINS,3,0\nField,12,\nTotal,15,0\n",
        "row,White,,Red,\ncoins,3,,0,\nwheat,12,,,\n,,,,\ntotal,15,,0\n",
    ],
)
def test_spreadsheets_write_it_in_many_ways(text: str) -> None:
    if "Champ de blé" in text:
        text = text.replace("Champ de blé", row_name("wheat", translator("fr")))
    assert parse_pad(text.encode()) == PAD


def test_excels_unicode_text() -> None:
    assert parse_pad("row\tWhite\tRed\ncoins\t3\t0\nwheat\t12\t\ntotal\t15\t0\n".encode("utf-16")) == PAD


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("row", ROW_NAMES)
def test_every_row_is_known_by_its_name_in_every_language(row: str, language: str) -> None:
    assert row_named(row_name(row, translator(language)), frozenset([row])) == row


def test_expected_rows_decide_what_a_name_means() -> None:
    assert row_named("Buildings") == "buildings"
    assert row_named("Buildings", frozenset(["buildings_total"])) == "buildings_total"
    assert row_named("Harmony", frozenset(["bonus:harmony"])) == "bonus:harmony"
    assert row_named("local-business-lake") == "quest:local-business-lake"


@pytest.mark.parametrize("pad", [PAD, Pad({"A": {"quest:harmony": 5, "total": 5}})])
def test_round_trips(pad: Pad) -> None:
    assert parse_pad(to_csv(pad).encode()) == pad
    form = to_json(pad)
    jsonschema.validate(form, SCHEMA)
    assert parse_pad(json.dumps(form).encode()) == pad


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"row,White\ncoins,x\n", "pad:2: column 2: 'x' is not a number"),
        (b"row,White\ncoins,-4\n", "'-4' is not a number"),
        (b"row,White\ncoins,3\nmeat,3\n", "pad:3: column 2: 'meat' is no row"),
        (b"row,White\ncoins,3\nCoins,3\n", "twice"),
        (b"row,White\ncoins,3,4\n", "pad:2: more cells"),
        (b"nothing at all", "not a pad"),
        (b"", "not a pad"),
        (b"\xff\xfe\x00", "not a pad"),
        (b"\x80\x81", "UTF-8"),
        (b"{", "not JSON"),
        (b'{"format": "pad/1", "players": {"A": 3}}', "pad/1"),
        (b'{"format": "score/1", "players": []}', "pad/1"),
        (b'{"format": "pad/1", "players": {"A": {"coins": true}}}', "not a number"),
        (b'{"format": "pad/1", "players": {"A": {"coins": "99999"}}}', "not a number"),
        (b"[" * 100_000, "not a pad"),
        (b'{"a":' * 15_000, "not JSON"),
    ],
)
def test_bad_files_say_where_and_why(data: bytes, says: str) -> None:
    with pytest.raises(UnreadableInput) as error:
        parse_pad(data)
    assert says in str(error.value)
    assert str(error.value).startswith("pad")
