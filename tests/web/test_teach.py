"""The reader is taught on the page: by corrections if the user says so, and in guided rounds."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import cv2
import numpy as np
import pytest

from scorer.calibration import folder
from scorer.render import DrawnTiles
from scorer.rules import Kingdom
from scorer.web.board import Board, turn
from scorer.web.lessons import _known
from scorer.web.teach import KINDS
from tests.web.conftest import Server, Visit
from tests.web.test_photos import DOUBT, photographed

SIX = ("bakery", "sawmill", "fishmonger", "weaving_shop", "magic_school", "foundry")
SIDE = 200


@pytest.fixture
def untaught(server: Server, profiles_aside: Path) -> Iterator[Server]:
    """Without any profile of the user's own, before and after."""
    server.profiles.quiet = 0.1
    yield server
    server.profiles.teach_by_corrections(False)
    with server.store.writing() as db:
        db.execute("DELETE FROM setting WHERE key = 'profile'")
    for file in profiles_aside.iterdir():
        file.unlink()


@pytest.fixture(scope="session")
def six(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A photo of six building tiles in two rows."""
    rng = np.random.default_rng(3)
    edition = DrawnTiles(0).edition(rng)
    image = np.full((3 * SIDE, 4 * SIDE, 3), (206, 190, 160), np.uint8)
    for number, name in enumerate(SIX):
        top, left = (SIDE * part + SIDE // 2 for part in divmod(number, 3))
        image[top : top + SIDE, left : left + SIDE] = edition.building(name, False, SIDE, rng)
    path = tmp_path_factory.mktemp("six") / "six.png"
    cv2.imwrite(str(path), image[..., ::-1])
    return path


def until(there: Any) -> Any:
    """What is there in the end; a minute is enough on any machine."""
    end = time.monotonic() + 60
    while not (found := there()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def test_corrections_teach_only_if_the_user_says_so(untaught: Server) -> None:
    uid, _ = photographed(untaught)
    untaught.change(uid, 0, do="crowns", at=[4, 2], value=1)
    time.sleep(1)
    assert folder.names()[0] == []
    untaught.form("/teach", corrections="on")
    assert 'aria-checked="true"' in untaught.get("/teach").body.decode()
    untaught.change(uid, 0, do="crowns", at=[4, 2], value=2)
    assert until(lambda: folder.names()[0]) == ["mine"]
    assert untaught.profiles.tell("mine")["squares"] == 25
    page = untaught.get("/teach").body.decode()
    assert "Squares: 25, photos: 1" in page
    assert "Terrain: of 25 squares 0 were misread before, 0 after" in page


def test_what_a_profile_read_by_itself_is_not_taught() -> None:
    board = Board(Kingdom.parse("w0 l1 f0 g0"), doubts=(replace(DOUBT, square=(0, 3)),), by_hand=((0, 1),))
    plain: Any = SimpleNamespace(grid=(("w0", "l0", "m0", "g0"),), doubts=())
    known = _known(board, plain)
    # Read alike; set by hand; read only with the profile; doubtful.
    assert [square.unknown for _, square in known.squares()] == [False, False, True, True]


def test_places_set_by_hand_move_with_the_grid() -> None:
    board = turn(Board(Kingdom.parse("w0 l1\nf0 g0"), by_hand=((0, 1),)))
    assert board.by_hand == ((1, 1),)


def test_a_profile_goes_out_comes_back_and_is_deleted(untaught: Server) -> None:
    grid = json.dumps({"corners": [[100, 100], [700, 100], [700, 500], [100, 500]], "cells": [["w0", "l1"]]})
    rng = np.random.default_rng(0)
    _, picture = cv2.imencode(".jpg", rng.integers(0, 255, (600, 800, 3), np.uint8))
    told = untaught.put(f"/api/teach/photo?grid={quote(grid)}", bytes(picture)).last
    assert told["message"] == "Profile mine: 2 squares taught"
    exported = untaught.get("/teach/profile/mine.json").body
    assert untaught.put("/api/teach/profile", exported).last["name"] == "mine-2"
    untaught.form("/teach", use="mine-2")
    assert untaught.profiles.used == "mine-2"
    untaught.form("/teach", delete="mine-2")
    assert (untaught.profiles.used, folder.names()[0]) == (None, ["mine"])
    assert untaught.form("/teach", use="nobody").status == 400
    assert untaught.put("/api/teach/profile", exported[:-20]).status == 422
    assert untaught.put("/api/teach/photo?grid={}", bytes(picture)).status == 400


def test_tiles_of_a_round_are_looked_at_and_named(untaught: Server, six: Path) -> None:
    seen = untaught.put("/api/teach/look/photo", six.read_bytes()).last
    assert seen["size"] == [4 * SIDE, 3 * SIDE]
    assert len(seen["corners"]) == 4
    tile = untaught.post("/api/teach/square", {"cell": KINDS["buildings"], "do": "building", "value": "bakery"}).data
    assert (tile["building"], tile["label"]) == ("bakery", "town, Bakery")
    assert untaught.post("/api/teach/square", {"cell": "t0", "do": "turn"}).status == 400


def test_a_guided_round_on_a_phone(untaught: Server, phone: Visit, six: Path) -> None:
    phone.open("/teach")
    phone.audit()
    phone.page.get_by_role("link", name="Six buildings").click()
    assert phone.page.locator(".lay .tile").count() == len(SIX)
    phone.audit()
    phone.give("#start", six)
    phone.page.locator(".handle").first.wait_for()
    phone.audit()
    # Wherever the tiles were thought to be, somebody drags the corners onto them.
    for name, wanted in (("rows", 2), ("columns", 3)):
        while (now := int(phone.page.inner_text(f"[data-corner={name}]"))) != wanted:
            phone.page.click(f"[data-corner-step={name}][data-by='{1 if now < wanted else -1}']")
    phone.page.click("#name-tiles")
    # All six at once: a finger is quicker than an answer.
    phone.page.evaluate(
        "names => { for (const name of names) document.querySelector(`#editor [data-value=${name}]`).click();"
        " document.querySelector('#teach').disabled = false; document.querySelector('#teach').click(); }",
        list(SIX),
    )
    phone.page.get_by_text("Profile mine: 6 squares taught").wait_for()
    phone.audit()
    assert untaught.profiles.tell("mine")["buildings"] == dict.fromkeys(SIX, 1)
    assert untaught.profiles.used == "mine"
    phone.page.get_by_role("link", name="Another round").click()
    assert "Bakery" not in phone.page.inner_text(".lay"), "it asks for what it has not seen"
