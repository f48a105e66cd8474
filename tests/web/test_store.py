"""What is kept: every change at once, undo and redo, search, and deletion for good."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.errors import UsageError
from scorer.web.board import change
from scorer.web.game import Queen, Settings, score
from scorer.web.statistics import entries, outcome, standings, terrain_averages
from scorer.web.store import MAX_STEPS, NotKept, Photo, Store

SEATS = [(("Ada",), "blue"), (("Bo", "Cy"), "red")]
JPEG = b"\xff\xd8\xff" + b"very private picture" * 2000


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "games.sqlite")


def build(store: Store, uid: str, seat: int, *wanted: dict[str, object]) -> None:
    store.change_board(uid, seat, lambda board: change(board, {"do": "blank", "value": 5}))
    for one in wanted:
        store.change_board(uid, seat, lambda board, one=one: change(board, one))


def test_a_game_survives_a_restart(tmp_path: Path) -> None:
    first = Store(tmp_path / "games.sqlite")
    uid = first.new_game(Settings(rules="queendomino", quests=("harmony",), title="Friday"), SEATS)
    build(first, uid, 0, {"do": "terrain", "at": [2, 3], "value": "lake"}, {"do": "coins", "value": 9})
    first.change_game(uid, queen=Queen(1))
    before = first.game(uid)
    # No close: as after a power cut.
    assert Store(tmp_path / "games.sqlite").game(uid) == before
    assert before.queen == Queen(1)
    assert before.seats[0].board.kingdom.coins == 9


def test_undo_and_redo(store: Store) -> None:
    uid = store.new_game(Settings(), SEATS)
    build(store, uid, 0, {"do": "terrain", "at": [2, 3], "value": "lake"})
    laid = store.game(uid).seats[0]
    assert laid.can_undo
    assert not laid.can_redo
    back = store.step(uid, 0, -1).seats[0]
    assert back.board.kingdom.at((2, 3)).terrain is None
    assert back.can_redo
    assert store.step(uid, 0, 1).seats[0] == laid
    assert store.step(uid, 0, 1).seats[0] == laid, "nothing to redo"
    store.step(uid, 0, -1)
    store.change_board(uid, 0, lambda board: change(board, {"do": "terrain", "at": [0, 0], "value": "mine"}))
    assert not store.game(uid).seats[0].can_redo, "a new step drops what was taken back"


def test_steps_are_bounded(store: Store) -> None:
    uid = store.new_game(Settings(), SEATS)
    for n in range(MAX_STEPS + 20):
        store.change_board(uid, 0, lambda board, n=n: change(board, {"do": "coins", "value": n}))
    with store.reading() as db:
        assert db.execute("SELECT COUNT(*) FROM step").fetchone()[0] <= MAX_STEPS + 2
    for _ in range(MAX_STEPS + 20):
        store.step(uid, 0, -1)
    assert store.game(uid).seats[0].board.kingdom.coins == 19


def test_a_change_that_fails_leaves_everything(store: Store) -> None:
    uid = store.new_game(Settings(), SEATS)
    before = store.game(uid)
    with pytest.raises(UsageError):
        store.change_board(uid, 0, lambda board: change(board, {"do": "nonsense"}))
    assert store.game(uid) == before


def test_deleted_for_good(tmp_path: Path, store: Store) -> None:
    uid = store.new_game(Settings(title="secret title"), SEATS)
    keep = store.new_game(Settings(), SEATS)
    photo = Photo("photo-id-1", 10, 10, JPEG)
    store.change_boards(uid, [0], lambda old: [replace(old[0], photo=photo.id)], photo)
    assert store.photo(photo.id) == photo
    store.delete_game(uid)
    with pytest.raises(NotKept):
        store.game(uid)
    with pytest.raises(NotKept):
        store.photo(photo.id)
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"very private picture" not in left
    assert b"secret title" not in left
    assert store.game(keep).seats
    assert store.intact()


def test_a_photo_that_no_step_shows_is_dropped(store: Store) -> None:
    uid = store.new_game(Settings(), SEATS)
    store.change_boards(uid, [0], lambda old: old, Photo("unused-one", 1, 1, JPEG))
    with pytest.raises(NotKept):
        store.photo("unused-one")


@pytest.mark.parametrize(
    ("search", "found"),
    [("ada", 2), ("CY", 2), ("fri", 1), ("queendomino", 1), ("ada fri", 1), ("%", 1), ("_", 0), ("dora", 0), ("", 2)],
)
def test_search(store: Store, search: str, found: int) -> None:
    store.new_game(Settings(rules="queendomino", title="Friday 100%"), SEATS)
    store.new_game(Settings(), SEATS)
    assert len(store.summaries(search)) == found


def test_what_was_chosen_is_proposed_again(store: Store) -> None:
    store.new_game(Settings(rules="xxxl", quests=("harmony",), rulings=("safe-pays-once",), title="once"), SEATS)
    last = store.last_game()
    assert (last["rules"], last["quests"], last["rulings"]) == ("xxxl", ["harmony"], ["safe-pays-once"])
    assert last["seats"] == [[["Ada"], "blue"], [["Bo", "Cy"], "red"]]
    assert last["title"] == ""


def test_a_newer_or_foreign_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, but long enough to be looked at" * 30)
    with pytest.raises(UsageError, match="cannot be used"):
        Store(tmp_path / "text")
    db = sqlite3.connect(tmp_path / "newer")
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(UsageError, match="another version"):
        Store(tmp_path / "newer")


def test_history_counts_teams_for_both_players(store: Store) -> None:
    uid = store.new_game(Settings(), SEATS)
    lake = [{"do": "terrain", "at": [2, 3], "value": "lake"}, {"do": "crowns", "at": [2, 3], "value": 1}]
    build(store, uid, 0, *lake)
    build(store, uid, 1)
    game = store.game(uid)
    store.keep_results([(game, outcome(game, score(game)))])
    played = entries(store.summaries())
    assert {(s.player, s.wins, s.total) for s in standings(played)} == {("Ada", 1, 1), ("Bo", 0, 0), ("Cy", 0, 0)}
    assert terrain_averages(played)["lake"] == 0.5
    build(store, uid, 1, *lake)
    assert store.summaries()[0].result is None, "a change makes the kept result stale"
