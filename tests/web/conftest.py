"""A real server on a free port with an empty database, and a real Chromium to look at it."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import uvicorn

from scorer.calibration.folder import FOLDER
from scorer.texts import translator
from scorer.web.app import make_app
from scorer.web.profiles import Profiles
from scorer.web.readers import Readers
from scorer.web.safety import Guard, local_hosts
from scorer.web.store import Store
from scorer.web.view import Words

PHOTO = Path(__file__).parents[2] / "samples" / "photos" / "kingdomino.jpg"
CSRF = "word"
PHONE, LAPTOP = (390, 844), (1280, 800)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def last(self) -> Any:
        """The last line of a photo's answer."""
        return json.loads(self.body.splitlines()[-1])


@dataclass
class Server:
    port: int
    store: Store
    readers: Readers
    profiles: Profiles
    cookies: str = ""
    host: str = field(init=False)

    def __post_init__(self) -> None:
        self.host = f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"Host": self.host, "Cookie": self.cookies, **{k.replace("_", "-"): v for k, v in headers.items()}}
        connection.request(method, path, body, sent)
        answer = connection.getresponse()
        result = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        connection.close()
        return result

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, data: Any) -> Answer:
        return self.ask("POST", path, json.dumps(data), X_CSRF=CSRF, Content_Type="application/json")

    def form(self, path: str, **fields: Any) -> Answer:
        body = urlencode({"csrf": CSRF, **fields}, doseq=True)
        return self.ask("POST", path, body, Content_Type="application/x-www-form-urlencoded")

    def put(self, path: str, data: bytes) -> Answer:
        return self.ask("PUT", path, data, X_CSRF=CSRF)

    def new_game(self, *names: str, **fields: Any) -> str:
        named = {f"name{i}": name for i, name in enumerate(names)}
        answer = self.form("/new", **{"rules": "kingdomino", "count": len(names), **named, **fields})
        return answer.headers["location"].removeprefix("/game/")

    def change(self, uid: str, seat: int, **wanted: Any) -> Any:
        answer = self.post(f"/api/game/{uid}/seat/{seat}/change", wanted)
        assert answer.status == 200, answer.body
        return answer.data


def serve(folder: Path, token: str | None = None) -> Iterator[Server]:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    store, readers = Store(folder / "games.sqlite"), Readers()
    guard = Guard(local_hosts(), CSRF, token)
    app = make_app(store, readers, guard, f"http://127.0.0.1/?token={token}" if token else None, warm=False)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield Server(listening.getsockname()[1], store, readers, app.state.profiles)
    server.should_exit = True
    thread.join(10)
    store.close()


@pytest.fixture(scope="session", autouse=True)
def profiles_aside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No test sees or touches the profiles of whoever runs it."""
    folder = tmp_path_factory.mktemp("profiles")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER, str(folder))
        yield folder


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests: each plays games of its own."""
    yield from serve(tmp_path_factory.mktemp("web"))


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Server]:
    """One without any game."""
    yield from serve(tmp_path)


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Server]:
    """One that asks for a token, as with --lan."""
    yield from serve(tmp_path, token="secret-token")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no Chromium here: install the package chromium")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield running
        running.close()


class Visit:
    """A page that is watched: what it asks for, what it complains about."""

    def __init__(self, browser: Any, server: Server, size: tuple[int, int], language: str, scheme: str) -> None:
        self.server = server
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale=language,
            color_scheme=scheme,
            has_touch=size == PHONE,
            accept_downloads=True,
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.words = Words(translator(language))
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.weight = 0
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda told: told.type == "error" and self.complaints.append(told.text))
        self.page.on("response", self._weigh)

    def _weigh(self, response: Any) -> None:
        if "/photo/" not in response.url and response.request.resource_type != "fetch":
            self.weight += int(response.headers.get("content-length", "0"))

    def open(self, path: str) -> None:
        self.weight = 0
        self.page.goto(self.server.url + path)

    def audit(self) -> None:
        """No serious finding of axe-core, nothing wider than the screen."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        serious = {
            finding["id"]: [node["html"][:200] for node in finding["nodes"]]
            for finding in found
            if finding["impact"] in ("serious", "critical")
        }
        assert serious == {}, f"{self.page.url}: {serious}"
        wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{self.page.url} is {wide} pixels too wide"

    def tap(self, row: int, column: int) -> None:
        self.page.locator(f"#board [data-at='[{row},{column}]']").click()

    def total(self, points: int) -> None:
        self.page.locator("#total", has_text=self.words("points", points=points)).wait_for()

    def give(self, selector: str, photo: Path) -> None:
        self.page.locator(f"{selector} input[type=file]").nth(1).set_input_files(photo)

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def phone(browser: Any, server: Server) -> Iterator[Visit]:
    made = Visit(browser, server, PHONE, "en", "light")
    yield made
    made.close()
    assert made.complaints == []
