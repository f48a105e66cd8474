"""Photos of one game are scored together; games of one event make a table."""

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import scorer
from scorer.batch.games import place_of
from tests.batch.runs import read_folder, results

SCHEMAS = Path(scorer.__file__).parent / "schemas"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def games(out: Path) -> list[dict[str, Any]]:
    forms = [json.loads(line) for line in (out / "games.jsonl").read_text("utf-8").splitlines()]
    for form in forms:
        jsonschema.validate(form, json.loads((SCHEMAS / "game-1.json").read_text()))
        if form["score"]:
            jsonschema.validate(form["score"], json.loads((SCHEMAS / "score-1.json").read_text()))
    return forms


@pytest.fixture
def played(folder: Path, tmp_path: Path) -> Path:
    """Two games of two players on one evening; of a third one no photo is to be found."""
    (folder / "games.csv").write_text(
        "photo,game,event,player,rules,coins\n"
        "0.jpg,first,Cup,Ada,queendomino,11\n"
        "2.jpg,first,Cup,Bob,queendomino,0\n"
        "evening/1.jpg,second,Cup,Ada,kingdomino,\n"
        "evening/3.jpg,second,Cup,Bob,kingdomino,\n"
        "4.jpg,third,,Ada,,\n"
        "lost.jpg,third,,Bob,,\n"
        "evening/5.jpg,,,Eve,,\n"
        "evening/5.jpg,,,Nobody,,\n"
    )
    read_folder(folder, tmp_path / "out")
    return tmp_path / "out"


def test_a_game_has_players_a_winner_and_its_reason(played: Path) -> None:
    first, second, third = games(played)
    assert [p["player"] for p in first["score"]["players"]] == ["Ada", "Bob"]
    assert (first["score"]["rules"], second["score"]["rules"]) == ("queendomino", "kingdomino")
    assert first["score"]["players"][0]["rows"]["coins"] == 3
    totals = {p["player"]: p["total"] for p in first["score"]["players"]}
    assert first["score"]["ranking"][0] == [max(totals, key=lambda name: totals[name])]
    assert first["complete"]
    assert not third["complete"]


def test_results_are_those_of_the_game(played: Path) -> None:
    by_player = {(form["game"], form.get("player")): form for form in results(played) if form["status"] != "failed"}
    for game in games(played):
        for pad in game["score"]["players"]:
            form = by_player[game["game"], pad["player"]]
            assert (form["total"], form["rows"], form["event"]) == (pad["total"], pad["rows"], game["event"])
    assert {form["place"] for (game, _), form in by_player.items() if game == "first"} == {1, 2}
    assert by_player[None, "Eve"]["place"] is None


def test_what_a_sheet_names_and_nobody_finds_is_a_failure(played: Path) -> None:
    failed = {(row["source"], row["kingdom"]): row["message"] for row in table(played / "failed.csv")}
    assert failed == {
        ("lost.jpg", ""): "lost.jpg: games.csv names it, but it is not among the photos",
        ("evening/5.jpg", "2"): "evening/5.jpg: games.csv names kingdom 2, but 1 were found",
    }


def test_the_table_of_an_event_adds_its_games_up(played: Path) -> None:
    sums: dict[str, int] = {}
    for game in games(played)[:2]:
        for pad in game["score"]["players"]:
            sums[pad["player"]] = sums.get(pad["player"], 0) + pad["total"]
    standings = table(played / "tournament.csv")
    assert {row["player"]: int(row["total"]) for row in standings} == sums
    assert [row["games"] for row in standings] == ["2", "2"]
    assert int(standings[0]["total"]) >= int(standings[1]["total"])
    assert sum(int(row["wins"]) for row in standings) >= 2
    page = (played / "report.html").read_text("utf-8")
    assert "<caption>Cup</caption>" in page
    assert "incomplete, without lost.jpg" in page


def test_more_coins_score_only_that_photo_again(folder: Path, played: Path) -> None:
    sheet = folder / "games.csv"
    before = {game["game"]: game for game in games(played)}
    sheet.write_text(sheet.read_text().replace(",11", ",14"))
    assert read_folder(folder, played).read == 1
    after = {game["game"]: game for game in games(played)}
    assert after["first"]["score"]["players"][0]["total"] == before["first"]["score"]["players"][0]["total"] + 1
    assert after["second"] == before["second"]
    sheet.unlink()
    read_folder(folder, played)
    assert not (played / "games.csv").exists()


def test_after_a_shared_first_place_comes_the_third() -> None:
    ranking = [["Ada", "Bob"], ["Eve"]]
    assert [place_of(name, ranking) for name in ("Ada", "Bob", "Eve")] == [1, 1, 3]
