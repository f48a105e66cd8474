"""The whole way in a real browser: new game, photo, correction, pad, share, history; on a phone and a laptop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.pads.sheet import Sheet
from scorer.render import Recipe, render, sample_photos
from scorer.rules import Doubt
from scorer.rules.message import msg
from tests.vision.pads.photos import jpeg, photo, printed
from tests.web.conftest import LAPTOP, PHONE, PHOTO, Server, Visit

MAX_WEIGHT = 200_000
"""Bytes of a page without its photo."""


DOUBT = Doubt(
    "reading", msg("square {row},{column}", row=4, column=2), (4, 2), "g2", ("g1",), confidence=0.6, needed=False
)


@pytest.fixture(params=["phone-en-light", "laptop-he-dark"])
def visit(request: pytest.FixtureRequest, browser: Any, server: Server) -> Iterator[Visit]:
    device, language, scheme = request.param.split("-")
    made = Visit(browser, server, PHONE if device == "phone" else LAPTOP, language, scheme)
    yield made
    made.close()
    assert made.complaints == []
    assert {url.split("/")[2] for url in made.asked if not url.startswith(("blob:", "data:"))} == {server.host}


def test_from_a_new_game_to_the_history(visit: Visit) -> None:
    page, words = visit.page, visit.words
    visit.open("/")
    visit.audit()
    page.get_by_role("link", name=words("new_game")).first.click()
    visit.audit()
    while page.input_value("#count") != "2":
        page.click("#fewer" if int(page.input_value("#count")) > 2 else "#more")
    page.fill("[name=name0]", "Ada")
    page.fill("[name=name1]", "Bo")
    page.locator(".choice", has=page.locator("[value=kingdomino]")).click()
    page.get_by_role("button", name=words("start")).click()
    page.wait_for_url("**/game/*")
    game = page.url
    visit.audit()

    # A photo for the first player, without anything jumping while it is read.
    visit.open(f"{game.removeprefix(visit.server.url)}/kingdom/0")
    page.evaluate(
        "window.shift = 0; new PerformanceObserver((list) => { for (const e of list.getEntries())"
        " if (!e.hadRecentInput) window.shift += e.value }).observe({type: 'layout-shift'})"
    )
    visit.give("#start", PHOTO)
    page.locator("#board image").wait_for(state="attached")
    visit.total(17)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shift") < 0.01
    visit.audit()

    # Doubts come first; one is settled by its picture, the score follows.
    uid = game.rpartition("/")[2]
    visit.server.store.change_board(uid, 0, lambda board: replace(board, doubts=(DOUBT,)))
    page.reload()
    page.locator("#doubts .tile").nth(1).click()
    visit.total(14)
    page.get_by_role("button", name=words("undo")).click()
    visit.total(17)
    page.get_by_role("button", name=words("redo")).click()
    visit.total(14)
    # By hand: the wheat at the top gets a crown, a lake becomes a swamp.
    visit.tap(0, 1)
    page.locator("#editor [data-do=crowns][data-value='1']").click()
    visit.total(15)
    visit.audit()
    page.locator("#editor [data-do=terrain][data-value=swamp]").click()
    visit.total(14)
    page.keyboard.press("Escape")
    # With the keyboard alone: to the castle and beyond.
    page.locator("#board [tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#editor-title").inner_text().startswith(words("at_place", row=2, column=2, what="").rstrip())
    page.keyboard.press("Escape")
    page.reload()
    visit.total(14)

    # The second player builds by hand.
    page.goto(f"{game}/kingdom/1")
    page.get_by_role("button", name=words("by_hand")).click()
    for column, (terrain, crowns) in enumerate((("mine", 2), ("mine", 3)), start=3):
        visit.tap(2, column)
        page.locator(f"#editor [data-do=terrain][data-value={terrain}]").click()
        page.locator(f"#editor [data-do=crowns][data-value='{crowns}']").click()
    visit.total(10)
    assert page.locator("#problems .problem-line").count() > 0, "two such mines are in no box"

    # The result: a number shows where it comes from.
    visit.open(f"{game.removeprefix(visit.server.url)}/result")
    page.locator("#pad").wait_for(state="attached")
    assert visit.weight < MAX_WEIGHT
    page.locator(".number", has_text="10").last.click()
    page.locator("#why-reasons li").wait_for()
    assert page.locator("#why-board .dimmed").count() > 0
    visit.audit()
    for name in ("PNG", "PDF", "CSV", "JSON", words("notation")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        assert download.value.path().stat().st_size > 50
    page.get_by_role("button", name=words("make_link")).click()
    link = page.input_value("#link")
    page.goto(link)
    visit.audit()
    assert page.get_by_text(words("delete_game")).count() == 0

    # The history tells of it, and forgets it.
    visit.open("/history?player=Ada")
    page.get_by_role("heading", name=words("best_kingdoms")).wait_for()
    visit.audit()
    visit.open("/?search=ada")
    page.locator(".game").first.click()
    page.wait_for_url("**/result")
    page.locator("details.danger summary").click()
    page.get_by_role("button", name=words("yes_delete")).click()
    page.wait_for_url(visit.server.url + "/")
    visit.open("/settings")
    visit.audit()


@pytest.fixture(scope="session")
def table_photo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Two kingdoms on one table, and the colours of their castles."""
    import cv2

    recipe = sample_photos(Recipe(photo_sizes=((1600, 1200),), kingdoms=(2, 2), rules=("kingdomino",), sizes=(5,)))
    scene = render(31, recipe=recipe)
    path = tmp_path_factory.mktemp("table") / "table.jpg"
    cv2.imwrite(str(path), scene.image[..., ::-1])
    return path, [kingdom.castle_colour for kingdom in scene.kingdoms]


def test_a_photo_of_the_whole_table_and_a_swap(phone: Visit, table_photo: tuple[Path, list[str]]) -> None:
    path, colours = table_photo
    uid = phone.server.new_game("Ada", "Bo", colour0=colours[1], colour1=colours[0])
    phone.open(f"/game/{uid}")
    phone.give("section.card", path)
    phone.page.locator(".seat-board").nth(1).wait_for()
    before = [seat.board.kingdom for seat in phone.server.store.game(uid).seats]
    points = [phone.page.locator(".points").nth(n).inner_text() for n in range(2)]
    phone.page.locator("[data-swap]").nth(0).click()
    phone.page.locator("[data-swap]").nth(1).click()
    phone.page.locator(".points").nth(0).get_by_text(points[1]).wait_for()
    after = [seat.board.kingdom for seat in phone.server.store.game(uid).seats]
    assert after == before[::-1]


def test_dragging_the_corners_reads_again(phone: Visit) -> None:
    uid = phone.server.new_game("Ada")
    phone.server.put(f"/api/game/{uid}/seat/0/photo", PHOTO.read_bytes())
    before = phone.server.store.game(uid).seats[0].board
    phone.open(f"/game/{uid}/kingdom/0")
    page = phone.page
    page.locator("#side details summary").click()
    page.click("#corners")
    phone.audit()
    handle = page.locator(".handle").nth(0)
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 15, y - 15, steps=3)
    page.mouse.up()
    handle.focus()
    page.keyboard.press("ArrowLeft")
    page.click("[data-corner-step=rows][data-by='-1']")
    page.click("#read-again")
    page.locator("#corner-tools").wait_for(state="hidden")
    after = phone.server.store.game(uid).seats[0].board
    assert after.kingdom.height == before.kingdom.height - 1
    assert after.corners[0] != before.corners[0]
    assert after.photo == before.photo
    page.get_by_role("button", name="Undo").click()
    phone.total(17)


def test_names_and_colours_can_change_during_a_game(phone: Visit) -> None:
    uid = phone.server.new_game("Ada", "Bo")
    phone.server.change(uid, 1, do="blank", value=5)
    phone.open(f"/game/{uid}")
    page = phone.page
    page.get_by_text("Change names and colours").click()
    page.fill("details [name=name1]", "Bob")
    page.select_option("details [name=colour1]", "purple")
    page.get_by_role("button", name="Save").click()
    page.locator(".seat .dot.purple").wait_for()
    seats = phone.server.store.game(uid).seats
    assert [(seat.name, seat.colour) for seat in seats] == [("Ada", "blue"), ("Bob", "purple")]
    assert seats[1].board.laid
    phone.audit()


def test_queendomino_with_everything_on_a_square(phone: Visit) -> None:
    uid = phone.server.new_game("Ada", "Bo", rules="xxxl")
    phone.open(f"/game/{uid}/kingdom/0")
    page = phone.page
    page.get_by_role("button", name="Build by hand").click()
    phone.tap(2, 3)
    page.click("#editor [data-do=terrain][data-value=town]")
    page.click("#editor [data-do=building][data-value=statue]")
    page.locator("#editor [data-step=tower][data-by='1']").click()
    phone.total(5)
    phone.audit()
    page.click("#editor-done")
    # Quicker than any answer: none of the taps may be lost.
    page.locator("#numbers [data-step=coins][data-by='1']").evaluate("plus => [1, 2, 3].forEach(() => plus.click())")
    phone.total(6)
    phone.open(f"/game/{uid}")
    page.locator("#host [data-host='0']:not([data-abducted])").click()
    page.locator("#host [data-host='0'][aria-pressed=true]").wait_for()
    assert page.locator(".points").first.inner_text() == "7 points", "the Queen crowns the town"
    phone.audit()


def test_installable_and_kind_without_the_server(phone: Visit) -> None:
    phone.open("/")
    phone.page.evaluate("navigator.serviceWorker.ready")
    phone.page.reload()
    assert phone.page.evaluate("navigator.serviceWorker.controller !== null")
    phone.context.set_offline(True)
    phone.page.goto(phone.server.url + "/history")
    assert "cannot be reached" in phone.page.inner_text("main")
    phone.context.set_offline(False)
    manifest = phone.server.get("/manifest.webmanifest").data
    for icon in manifest["icons"]:
        assert phone.server.get(icon["src"]).status == 200


@pytest.mark.parametrize("language", ["fr", "de", "es", "it", "pt", "ru"])
def test_every_language_fits_a_phone(browser: Any, server: Server, language: str) -> None:
    made = Visit(browser, server, PHONE, language, "light")
    uid = server.new_game("Ada", "Bo", rules="xxxl")
    server.change(uid, 0, do="blank", value=5)
    for path in ("/new", f"/game/{uid}/kingdom/0", f"/game/{uid}/result"):
        made.open(path)
        wide = made.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, path
    assert made.page.locator("html").get_attribute("lang") == language
    made.close()


def test_a_photographed_pad_shows_what_is_wrong_on_it(phone: Visit, tmp_path: Path) -> None:
    uid = phone.server.new_game("Ada", rules="queendomino")
    phone.server.change(uid, 0, do="blank", value=5)
    for column, crowns in ((3, 1), (4, 2)):
        phone.server.change(uid, 0, do="cell", at=[2, column], value=f"l{crowns}")
    # Two lakes with three crowns are 6; the pad says 5 and adds up to that.
    written = ["0", "0", "0", "5", "0", "0", "0", "0", "0", "0", "0", "0", "0", "5"]
    (tmp_path / "pad.jpg").write_bytes(jpeg(photo(printed(Sheet(columns=1), [written]), 3)))
    phone.open(f"/game/{uid}/result")
    phone.give("#pad-check", tmp_path / "pad.jpg")
    phone.page.locator("#sheet text.wrong", has_text="→ 6").first.wait_for()
    assert phone.page.locator("#sheet polygon.right").count() == len(written) - 2
    assert "Lake: 5 is written, 6 is right" in phone.page.inner_text("#findings")
    phone.audit()
