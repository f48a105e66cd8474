"""Sheets beside the photos: players, coins, games, events."""

from pathlib import Path

import pytest

from scorer.batch.sheet import Seat, read_sheets
from scorer.errors import UnreadableInput

CSV = """photo,game,event,player,coins,queen
white.jpg,1,Cup,White,11,yes
both.jpg,1,Cup,Red,3,
both.jpg,2,Cup,White,,
"""
TOML = """
[[game]]
event = "Cup"
[[game.kingdoms]]
photo = "white.jpg"
player = "White"
coins = 11
queen = true
[[game.kingdoms]]
photo = "both.jpg"
player = "Red"
coins = 3

[[game]]
event = "Cup"
kingdoms = [{photo = "both.jpg", player = "White"}]
"""


def read(folder: Path, name: str, text: str) -> list[Seat]:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return read_sheets(folder, [name])


def test_lines_name_kingdoms_in_the_order_of_the_photo(tmp_path: Path) -> None:
    seats = read(tmp_path, "games.csv", CSV)
    assert [(seat.source, seat.kingdom, seat.game, seat.event) for seat in seats] == [
        ("white.jpg", 1, "1", "Cup"),
        ("both.jpg", 1, "1", "Cup"),
        ("both.jpg", 2, "2", "Cup"),
    ]
    assert seats[0].stated() == {"player": "White", "coins": 11, "queen": "yes"}
    assert seats[2].stated() == {"player": "White"}


def test_toml_says_the_same(tmp_path: Path) -> None:
    def told(seats: list[Seat]) -> list[object]:
        return [(seat.source, seat.kingdom, seat.game, seat.event, seat.stated()) for seat in seats]

    assert told(read(tmp_path, "games.toml", TOML)) == told(read(tmp_path, "games.csv", CSV))


def test_what_is_shared_by_a_game_is_written_once(tmp_path: Path) -> None:
    text = 'kingdom = [{photo = "c.jpg", kingdom = 2}]\n[[game]]\nname = "final"\n'
    text += 'rules = "xxxl"\nquests = ["harmony", "bleak-king"]\n'
    alone, seat = read(tmp_path, "games.toml", text + 'kingdoms = [{photo = "a.jpg"}]\n')
    assert (alone.source, alone.kingdom, alone.game) == ("c.jpg", 2, "")
    assert (seat.game, seat.stated()) == ("final", {"rules": "xxxl", "quests": ("harmony", "bleak-king")})


def test_paths_and_games_belong_to_the_folder_of_the_sheet(tmp_path: Path) -> None:
    (seat,) = read(tmp_path, "evening/games.csv", "photo;game\n./a.jpg;1\n")
    assert (seat.source, seat.game) == ("evening/a.jpg", "evening/1")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("games.csv", "photo,coin\na.jpg,3\n", "games.csv:1: there is no 'coin'"),
        ("games.csv", "photo,coins\na.jpg,many\n", "games.csv:2: coins:"),
        ("games.csv", "photo,coins\n\n,3\n", "games.csv:3: no photo is named"),
        ("games.csv", "photo,kingdom\na.jpg,0\n", "games.csv:2: kingdom: '0' is no number"),
        ("games.csv", "photo,kingdom\na.jpg,1\na.jpg,1\n", "games.csv:3: kingdom 1 of a.jpg is named twice"),
        ("games.csv", "photo\na.jpg,3\n", "games.csv:2: more cells"),
        ("games.csv", 'photo,player\na.jpg,"x\n', "games.csv:2: "),
        ("games.csv", 'photo,player\na.jpg,"x\nqueen: yes"\n', "games.csv:3: a cell holds characters"),
        ("games.toml", "[[game", "games.toml: "),
        ("games.toml", "game = 3", "game: must be a list of tables"),
        ("games.toml", "[[gmae]]", "there is no 'gmae'"),
        ("games.toml", "[[game]]\nkingdoms = [{photo = 'a.jpg', coins = -1}]", "game 1, kingdom 1: coins:"),
    ],
)
def test_every_slip_is_told_with_its_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(UnreadableInput) as error:
        read(tmp_path, name, text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
