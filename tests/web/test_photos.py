"""Photos as the page takes them: a second one, corners, several kingdoms."""

import json
from dataclasses import replace
from typing import Any

from scorer.rules import Doubt
from scorer.rules.message import msg
from scorer.texts import translator
from scorer.web.board import as_data, blank, from_data
from scorer.web.view import Words, note_view
from tests.web.conftest import CSRF, PHOTO, Server

DOUBT = Doubt("reading", msg("square {row},{column}", row=4, column=2), (4, 2), "g1", ("g2",), 0.6, needed=False)


def photographed(server: Server) -> tuple[str, Any]:
    uid = server.new_game("Ada")
    told = server.put(f"/api/game/{uid}/seat/0/photo", PHOTO.read_bytes()).last
    assert told["stage"] == "done"
    return uid, told["board"]


def test_what_is_shown_of_a_photo(server: Server) -> None:
    uid, board = photographed(server)
    assert (board["rows"], board["columns"], board["total"]) == (5, 5, 17)
    assert len(board["corners"]) == 4
    assert board["squares"][2][2]["art"] == "castle"
    assert {"terrain": "mine", "points": 2, "sum": "1 × 2 = 2", "squares": [[3, 3]]} in board["territories"]
    photo = server.get(board["photo"]["src"])
    assert photo.headers["content-type"] == "image/jpeg"
    assert server.get(f"/api/game/{uid}/seat/0").data == board


def test_a_second_photo_settles_and_keeps_what_was_set_by_hand(server: Server) -> None:
    uid, _ = photographed(server)
    server.change(uid, 0, do="coins", value=7)
    server.change(uid, 0, do="crowns", at=[4, 2], value=1)
    server.store.change_board(uid, 0, lambda board: replace(board, doubts=(DOUBT,)))
    told = server.put(f"/api/game/{uid}/seat/0/photo?second=1", PHOTO.read_bytes()).last
    assert told["board"]["squares"][4][2]["cell"] == "g2"
    assert told["board"]["doubts"] == []
    assert told["board"]["numbers"]["coins"] == 7


def test_a_second_photo_of_another_kingdom_changes_nothing(server: Server) -> None:
    uid = server.new_game("Ada")
    server.change(uid, 0, do="blank", value=5)
    before = server.get(f"/api/game/{uid}/seat/0").data
    told = server.put(f"/api/game/{uid}/seat/0/photo?second=1", PHOTO.read_bytes()).last
    assert told == {
        "stage": "failed",
        "message": "The second photo shows another kingdom. Nothing was changed.",
    }
    assert server.get(f"/api/game/{uid}/seat/0").data == before


def test_corners_that_frame_nothing_are_refused(server: Server) -> None:
    uid, board = photographed(server)
    path = f"/api/game/{uid}/seat/0/corners"
    good = {"corners": board["corners"], "rows": 5, "columns": 5}
    assert server.post(path, {**good, "corners": [[0, 0]] * 4}).status == 400
    assert server.post(path, {**good, "corners": board["corners"][:3]}).status == 400
    assert server.post(path, {**good, "rows": 99}).status == 400
    assert server.post(path, {}).status == 400
    again = server.post(path, good)
    assert again.status == 200
    assert again.data["photo"] == board["photo"]


def test_what_is_wrong_with_a_photo_is_said_in_the_asker_s_language(server: Server) -> None:
    uid = server.new_game("Ada")
    path = f"/api/game/{uid}/seat/0/photo"
    told = server.ask("PUT", path, b"no photo", X_CSRF=CSRF, Accept_Language="de").last
    assert told == {"stage": "failed", "message": "kein Foto. Es muss ein Bild in JPEG, PNG, WebP oder HEIC sein."}


def test_notes_of_a_reading_are_kept_and_said_in_any_language() -> None:
    part = msg("top left")
    notes = (msg("take one more photo, from another side ({part}), and read both with --same", part=part),)
    data = json.loads(json.dumps(as_data(replace(blank(), notes=notes))))
    assert from_data(data).notes == notes
    assert [str(note) for note in from_data({**data, "notes": ["{as} before"]}).notes] == ["{as} before"]
    said = note_view(notes[0], Words(translator("de")))
    assert said == "Ein zweites Foto von einer anderen Seite würde Zweifel klären (oben links)."
