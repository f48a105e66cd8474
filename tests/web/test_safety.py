"""Who is let in, what is taken, and what is answered."""

import io
import json
import socket
import sqlite3
import zipfile

import pytest
from PIL import Image

from scorer.web.safety import HEADERS, MAX_FORM, MAX_PHOTO
from tests.web.conftest import CSRF, PHOTO, Server


def test_every_answer_carries_the_policy(server: Server) -> None:
    for path in ("/", "/new", "/static/style.css", "/nowhere", "/photo/none.jpg", "/api/game/none/seat/0"):
        answer = server.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name.lower()] == value


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "192.168.0.7", ""])
def test_other_names_are_not_answered(server: Server, host: str) -> None:
    assert server.get("/", Host=host).status == 421


def test_changes_need_the_word(server: Server) -> None:
    uid = server.new_game("Ada")
    path, body = f"/api/game/{uid}/seat/0/change", json.dumps({"do": "coins", "value": 5})
    assert server.ask("POST", path, body).status == 403
    assert server.ask("POST", path, body, X_CSRF="other").status == 403
    assert server.ask("POST", path, body, X_CSRF=CSRF, Origin="http://evil.example").status == 403
    assert server.ask("POST", path, body, X_CSRF=CSRF, Sec_Fetch_Site="cross-site").status == 403
    assert server.ask("POST", path, body, X_CSRF=CSRF, Origin=server.url).status == 200
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    assert server.ask("POST", f"/game/{uid}/delete", "", **form).status == 403
    assert server.ask("POST", f"/game/{uid}/delete", "csrf=other", **form).status == 403
    assert server.get(f"/game/{uid}").status == 200


def test_a_token_opens_the_page_of_a_network(guarded: Server) -> None:
    assert guarded.get("/").status == 403
    assert guarded.get("/photo/x.jpg").status == 403
    assert guarded.get("/?token=wrong").status == 403
    assert guarded.get("/", Cookie="scorer-token=wrong").status == 403
    welcome = guarded.get("/new?token=secret-token&a=1")
    assert (welcome.status, welcome.headers["location"]) == (303, "/new?a=1")
    cookie = welcome.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert guarded.get("/new", Cookie="scorer-token=secret-token").status == 200
    assert guarded.get("//evil.example/?token=secret-token").headers["location"] == "/evil.example/"
    assert guarded.get("/static/style.css").status == 200


def test_a_shared_result_needs_no_token_and_shows_nothing_else(guarded: Server) -> None:
    guarded.cookies = "scorer-token=secret-token"
    uid, other = guarded.new_game("Ada"), guarded.new_game("Bo")
    for game in (uid, other):
        assert guarded.put(f"/api/game/{game}/seat/0/photo", PHOTO.read_bytes()).last["stage"] == "done"
    assert guarded.form(f"/game/{uid}/share").status == 303
    key = guarded.store.game(uid).share
    photo, foreign = (guarded.store.game(game).seats[0].board.photo for game in (uid, other))
    guarded.cookies = ""
    page = guarded.get(f"/shared/{key}")
    assert page.status == 200
    assert b'name="csrf" content=""' in page.body
    assert b"/delete" not in page.body
    assert guarded.get(f"/shared/{key}/photo/{photo}.jpg").headers["content-type"] == "image/jpeg"
    assert guarded.get(f"/shared/{key}/photo/{foreign}.jpg").status == 404
    assert guarded.get(f"/photo/{photo}.jpg").status == 403
    assert guarded.get("/shared/guess").status == 404
    guarded.cookies = "scorer-token=secret-token"
    guarded.form(f"/game/{uid}/share", end="1")
    assert guarded.get(f"/shared/{key}").status == 404


def test_too_much_is_cut_off_while_it_streams(server: Server) -> None:
    uid = server.new_game("Ada")
    big = json.dumps({"do": "x" * MAX_FORM})
    assert server.ask("POST", f"/api/game/{uid}/seat/0/change", big, X_CSRF=CSRF).status == 413
    # No length is told, and the end never comes: the answer does.
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        head = f"PUT /api/game/{uid}/seat/0/photo HTTP/1.1\r\nHost: {server.host}\r\nX-CSRF: {CSRF}\r\n"
        line.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        answer = b""
        try:
            for _ in range(MAX_PHOTO // 0x100000 + 2):
                line.sendall(chunk)
            answer = line.recv(100)
        except OSError:
            answer = answer or b"HTTP/1.1 413"
    assert b"413" in answer


@pytest.mark.parametrize(
    "data",
    [b"", b"not a photo", PHOTO.read_bytes()[:5000], b"\x89PNG\r\n\x1a\n" + b"\0" * 100],
    ids=["empty", "text", "truncated", "broken"],
)
def test_a_bad_photo_is_told_in_one_sentence_and_changes_nothing(server: Server, data: bytes) -> None:
    uid = server.new_game("Ada")
    told = server.put(f"/api/game/{uid}/seat/0/photo", data).last
    assert told["stage"] == "failed"
    assert told["message"].endswith(".")
    assert not server.store.game(uid).seats[0].board.laid


def test_metadata_stays_behind(server: Server) -> None:
    with Image.open(PHOTO) as picture:
        exif = Image.Exif()
        exif[0x010F] = "A Camera"
        exif.get_ifd(0x8825)[2] = (48.0, 51.0, 29.6)
        out = io.BytesIO()
        picture.save(out, "JPEG", exif=exif, comment=b"taken at home")
    uid = server.new_game("Ada")
    assert server.put(f"/api/game/{uid}/seat/0/photo", out.getvalue()).last["stage"] == "done"
    board = server.store.game(uid).seats[0].board
    kept = server.store.photo(board.photo or "").jpeg
    assert b"A Camera" not in kept
    assert b"taken at home" not in kept
    with Image.open(io.BytesIO(kept)) as picture:
        assert not picture.getexif()


def test_one_slow_photo_does_not_block_the_page(server: Server) -> None:
    future = server.readers._submit(_hang)
    uid = server.new_game("Ada")
    assert server.put(f"/api/game/{uid}/seat/0/photo", PHOTO.read_bytes()).last["stage"] == "done"
    assert not future.done()


def _hang() -> None:
    import time

    time.sleep(60)


def test_what_strangers_write_is_shown_not_run(server: Server) -> None:
    uid = server.new_game("<script>alert(1)</script>", title="</script><img src=x>")
    for path in ("/", f"/game/{uid}", f"/game/{uid}/kingdom/0"):
        body = server.get(path).body
        assert b"<script>alert" not in body
        assert b"<img src=x>" not in body
    assert server.form("/new", rules="chess", count=2).status == 400
    assert server.form("/new", rules="kingdomino", count=2, colour0="<b>").status == 400


@pytest.mark.parametrize(
    "path", ["/game/none", "/game/none/result", "/shared/none", "/photo/none.jpg", "/history/series/9"]
)
def test_what_is_not_there_is_a_page_that_says_so(server: Server, path: str) -> None:
    answer = server.get(path)
    assert answer.status == 404
    assert b"<h1>" in answer.body


def backup(contents: object, **files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("games.json", contents if isinstance(contents, bytes) else json.dumps(contents))
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def test_everything_comes_back_from_a_backup(server: Server, fresh: Server) -> None:
    uid = server.new_game("Ada", "Bo", rules="queendomino", title="Friday", rulings=["safe-pays-once"])
    server.put(f"/api/game/{uid}/seat/0/photo", PHOTO.read_bytes())
    server.change(uid, 0, do="coins", value=12)
    number = server.store.new_series("Summer", "tournament")
    server.form(f"/game/{uid}/series", series=number)
    server.post(f"/api/game/{uid}/queen", {"host": 0})
    saved = server.get("/backup").body
    answer = fresh.put("/api/restore", saved)
    assert answer.last["count"] == len(server.store.summaries())
    old, new = server.store.game(uid), fresh.store.game(uid)
    assert [seat.board for seat in new.seats] == [seat.board for seat in old.seats]
    assert (new.settings, new.queen, new.created[:19]) == (old.settings, old.queen, old.created[:19])
    photo = old.seats[0].board.photo or ""
    assert fresh.store.photo(photo) == server.store.photo(photo)
    assert [(s.name, s.kind, s.games) for s in fresh.store.series() if s.name == "Summer"] == [
        ("Summer", "tournament", 1)
    ]
    assert fresh.put("/api/restore", saved).last["count"] == 0, "what is here already stays"


@pytest.mark.parametrize(
    "data",
    [
        b"no zip",
        backup({"format": "other"}),
        backup(b"[" * 100_000),
        backup({"format": "scorer-backup/1", "series": [], "games": [{"uid": "../../etc"}]}),
        backup({"format": "scorer-backup/1", "series": [{"uid": "x", "name": "", "kind": "?"}], "games": []}),
    ],
    ids=["text", "format", "deep", "game", "series"],
)
def test_a_strangers_backup_is_refused(fresh: Server, data: bytes) -> None:
    answer = fresh.put("/api/restore", data)
    assert answer.status == 422
    assert "no backup" in answer.data["message"]
    assert fresh.store.summaries() == []


@pytest.mark.parametrize(
    "body",
    [
        "[" * 60_000,
        '{"do": []}',
        '{"do": {"a": 1}}',
        '{"do": "coins", "value": 1e999}',
        '{"do": "grow", "side": []}',
        "9",
    ],
)
def test_odd_corrections_are_refused(server: Server, body: str) -> None:
    path = f"/api/game/{server.new_game('Ada')}/seat/0/change"
    assert server.ask("POST", path, body, X_CSRF=CSRF).status == 400


@pytest.mark.parametrize("number", ["null", "[]", "9" * 400, "Infinity", '"x"'])
def test_corners_are_numbers(server: Server, number: str) -> None:
    path = f"/api/game/{server.new_game('Ada')}/seat/0/corners"
    body = f'{{"corners": [[0, 0], [9, 0], [9, 9], [0, {number}]], "rows": 5, "columns": 5}}'
    assert server.ask("POST", path, body, X_CSRF=CSRF).status == 400


@pytest.mark.parametrize("series", ["9", "9" * 30, "9" * 5000])
def test_a_series_that_is_not_there_is_passed_over(server: Server, series: str) -> None:
    assert server.store.game(server.new_game("Ada", series=series)).series is None


def test_too_many_fields_are_refused(guarded: Server) -> None:
    assert guarded.get("/?" + "a=1&" * 400).status == 413


def test_a_full_disk_is_told(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    path = f"/api/game/{server.new_game('Ada')}/seat/0/change"
    monkeypatch.setattr(server.store, "change_board", full)
    answer = server.ask("POST", path, '{"do": "coins", "value": 1}', X_CSRF=CSRF)
    assert (answer.status, answer.data["message"]) == (507, "database or disk is full")
