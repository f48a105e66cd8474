"""How the page holds up: taps, photos, twenty phones at once, a hundred power cuts, page weight.

    python -m benchmarks.web                everything
    python -m benchmarks.web --share 0.1    a tenth of the kills

Needs Chromium for what is measured in the browser's own clock.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.figures import Figure, Form, NotMeasured, at_most
from benchmarks.measure import arguments, scorer, seconds

ROOT = Path(__file__).parent.parent
PHOTO = ROOT / "samples" / "photos" / "kingdomino.jpg"
PARTS = ("kills", "phones", "browser")
PHONES = 20
KILLS = 100
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


@dataclass
class Server:
    """`scorer serve` as a process of its own."""

    data: Path
    process: subprocess.Popen[str] = field(init=False)
    port: int = field(init=False)
    csrf: str = field(init=False)

    def start(self) -> Server:
        command = scorer("serve", "--port", "0", "--data", str(self.data))
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        self.port = int(line.split(":")[2].split("/")[0])
        while True:
            try:
                page = self.ask("GET", "/")
                break
            except ConnectionError:
                time.sleep(0.02)
        found = re.search(rb'name="csrf" content="([^"]+)"', page)
        assert found is not None
        self.csrf = found[1].decode()
        return self

    def stop(self, how: int = signal.SIGINT) -> None:
        self.process.send_signal(how)
        self.process.wait()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> bytes:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        headers = {"Content-Type": kind, "X-CSRF": getattr(self, "csrf", "")}
        line.request(method, path, body, headers)
        answer = line.getresponse()
        data = answer.read()
        line.close()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {data[:200]!r}")
        return answer.getheader("location", "").encode() or data

    def new_game(self, *names: str) -> str:
        fields = {"csrf": self.csrf, "rules": "queendomino", "count": len(names)}
        fields |= {f"name{i}": name for i, name in enumerate(names)}
        return self.ask("POST", "/new", urlencode(fields), "application/x-www-form-urlencoded").decode()[6:]

    def change(self, uid: str, seat: int, **wanted: Any) -> Any:
        return json.loads(self.ask("POST", f"/api/game/{uid}/seat/{seat}/change", json.dumps(wanted)))

    def photo(self, uid: str, seat: int) -> Any:
        answer = self.ask("PUT", f"/api/game/{uid}/seat/{seat}/photo", PHOTO.read_bytes(), "image/jpeg")
        return json.loads(answer.splitlines()[-1])


@contextmanager
def served() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "games.sqlite").start()
        try:
            yield server
        finally:
            server.stop(signal.SIGKILL)


def none(what: str, count: int, note: str = "") -> Figure:
    return Figure(what, f"{count}{note}", "none", not count, -float(count))


TAP = """async ([taps]) => {
  const shown = document.querySelector("#total"), times = [];
  for (let n = 0; n < taps; n++) {
    const button = document.querySelector(`#editor [data-do=crowns][data-value="${n % 2}"]`);
    const start = performance.now();
    const changed = new Promise((done) => new MutationObserver((_, me) => { me.disconnect(); done(); })
      .observe(shown, { childList: true, characterData: true, subtree: true }));
    button.click();
    await changed;
    times.push(performance.now() - start);
  }
  return times;
}"""
EMPTY = """async ([times]) => {
  const taken = [];
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await (await fetch("/manifest.webmanifest", { cache: "no-store" })).text();
    taken.push(performance.now() - start);
  }
  return taken;
}"""
UPLOAD = """async () => {
  const shown = document.querySelector("#total");
  const input = document.querySelectorAll("#start input[type=file]")[1];
  const changed = new Promise((done) => new MutationObserver((_, me) => { me.disconnect(); done(performance.now()); })
    .observe(shown, { childList: true, characterData: true, subtree: true }));
  const given = new Promise((done) => input.addEventListener("change", () => done(performance.now()), { once: true }));
  const start = await given;
  return (await changed) - start;
}"""


def read_by_command() -> None:
    subprocess.run(scorer("read", str(PHOTO)), capture_output=True, cwd=ROOT)


def in_the_browser(taps: int, photos: int) -> Iterator[Figure]:
    from playwright.sync_api import sync_playwright

    with served() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.set_default_timeout(300_000)
        asked: list[str] = []
        weight: dict[str, int] = {}
        page.on("request", lambda request: asked.append(request.url))

        def weigh(response: Any) -> None:
            if "/photo/" not in response.url:
                size = int(response.headers.get("content-length", 0))
                weight[here[0]] = weight.get(here[0], 0) + size

        here = [""]
        page.on("response", weigh)
        uid = server.new_game("Ada", "Bo", "Cy", "Di")
        for seat in range(1, 4):
            server.photo(uid, seat)
        kingdom = f"{server.url}/game/{uid}/kingdom/0"

        times, command = [], []
        for n in range(photos):
            command.append(seconds(read_by_command))
            here[0] = f"kingdom, visit {n + 1}"
            page.goto(kingdom)
            taken = page.evaluate_handle("() => { window.taken = (" + UPLOAD + ")(); }")
            taken.dispose()
            page.locator("#start input[type=file]").nth(1).set_input_files(PHOTO)
            times.append(page.evaluate("() => window.taken") / 1000)
            if n < photos - 1:
                server.change(uid, 0, do="clear")
        shown, alone = (1000 * statistics.median(taken) for taken in (times, command))
        note = f" ({shown:.0f} - {alone:.0f} ms)"
        yield at_most("photo sent to score shown, less `scorer read`", shown - alone, 300, " ms", 0, note)
        here[0] = "taps"
        page.locator("#board [data-at='[0,1]']").click()
        page.locator("#editor [data-do=crowns][data-value='1']").click()
        empty = page.evaluate(EMPTY, [taps])
        tapped = page.evaluate(TAP, [taps])
        shown, alone = statistics.median(tapped), statistics.median(empty)
        note = f" ({shown:.0f} - {alone:.0f} ms in the browser's clock, four players)"
        yield at_most("tap to new score, less an empty request", shown - alone, 100, " ms", 0, note)
        for name, path in (
            ("home", "/"),
            ("new", "/new"),
            ("table", f"/game/{uid}"),
            ("result", f"/game/{uid}/result"),
            ("history", "/history"),
        ):
            here[0] = name
            page.goto(server.url + path)
        del weight["taps"]
        heaviest = max(weight, key=lambda name: weight[name])
        kilobytes = weight[heaviest] / 1000
        yield at_most("heaviest page without its photo", kilobytes, 200, " kB", 0, f" ({heaviest})")
        outside = [url for url in asked if not url.startswith((server.url, "blob:", "data:"))]
        yield none("requests that leave the machine", len(outside), f" of {len(asked)}")
        browser.close()


PAGES = ("/", "/new", "/game/{uid}", "/game/{uid}/kingdom/0", "/game/{uid}/result", "/history")


def phones(seconds: float) -> Iterator[Figure]:
    """Each phone has a game of its own, taps about once a second, looks at pages and sends a photo."""
    with served() as server:
        games = [server.new_game(f"A{n}", f"B{n}") for n in range(PHONES)]
        for uid in games:
            server.change(uid, 0, do="blank", value=5)
        server.photo(games[0], 1)
        idle = {path: _looked(server, path, games[0], 7) for path in PAGES}
        times: dict[str, list[float]] = {path: [] for path in PAGES}
        errors: list[str] = []
        acknowledged = [0] * PHONES
        read = [0] * PHONES
        end = time.monotonic() + seconds

        def phone(number: int) -> None:
            rng = random.Random(number)
            try:
                while time.monotonic() < end:
                    time.sleep(rng.uniform(0.5, 1.5))
                    wanted = acknowledged[number] + 1
                    told = server.change(games[number], 0, do="coins", value=wanted)
                    assert told["numbers"]["coins"] == wanted
                    acknowledged[number] = wanted
                    path = rng.choice(PAGES)
                    times[path].append(_look(server, path, games[number]))
            except Exception as error:
                errors.append(repr(error))

        def camera(number: int) -> None:
            try:
                read[number] = server.photo(games[number], 1)["stage"] == "done"
            except Exception as error:
                errors.append(repr(error))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(PHONES) for work in (phone, camera)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, uid in enumerate(games):
            kept = json.loads(server.ask("GET", f"/api/game/{uid}/seat/0"))["numbers"]["coins"]
            if kept != acknowledged[number]:
                errors.append(f"phone {number}: {kept} instead of {acknowledged[number]}")
        worst = max(statistics.median(times[path]) / idle[path] for path in PAGES if times[path])
        count = sum(acknowledged) + sum(map(len, times.values()))
        note = f" in {count} taps and pages and {sum(read)} photos"
        yield none(f"{PHONES} phones at once: errors or lost changes", len(errors), note)
        yield at_most(f"{PHONES} phones at once: slowest page / idle, medians", worst, 5, digits=1)
        for error in errors[:5]:
            print(error, file=sys.stderr)


def _look(server: Server, path: str, uid: str) -> float:
    return seconds(lambda: server.ask("GET", path.format(uid=uid)))


def _looked(server: Server, path: str, uid: str, times: int) -> float:
    return statistics.median(_look(server, path, uid) for _ in range(times))


def killed(kills: int) -> Iterator[Figure]:
    """SIGKILL at random moments while boards are edited and photos come in; then everything acknowledged is there."""
    rng = random.Random(8)
    lost = broken = changes = photos = 0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "games.sqlite").start()
        games = [server.new_game("Ada", "Bo") for _ in range(4)]
        coins = [0] * len(games)
        pictured: dict[str, str] = {}
        for n in range(kills):
            stop = threading.Event()

            def edit(number: int, stop: threading.Event = stop) -> None:
                nonlocal changes
                while not stop.is_set():
                    try:
                        server.change(games[number], 0, do="coins", value=coins[number] + 1)
                    except (OSError, http.client.HTTPException):
                        return
                    coins[number] += 1
                    changes += 1

            def send(number: int) -> None:
                nonlocal photos
                try:
                    told = server.photo(games[number], 1)
                except (OSError, http.client.HTTPException, IndexError, ValueError):
                    return
                if told["stage"] == "done":
                    photos += 1
                    pictured[games[number]] = told["board"]["photo"]["src"]

            threads = [threading.Thread(target=edit, args=(number,)) for number in range(len(games))]
            threads.append(threading.Thread(target=send, args=(n % len(games),)))
            for thread in threads:
                thread.start()
            if n % 10 == 0:
                # Now and then a photo gets through, and is then killed with everything else.
                threads[-1].join(60)
            time.sleep(rng.uniform(0.05, 0.8))
            server.stop(signal.SIGKILL)
            stop.set()
            for thread in threads:
                thread.join()
            server.start()
            for number, uid in enumerate(games):
                kept = json.loads(server.ask("GET", f"/api/game/{uid}/seat/0"))["numbers"]["coins"]
                # One more may have been kept without anybody being told.
                lost += kept not in (coins[number], coins[number] + 1)
                coins[number] = kept
                if uid in pictured:
                    seat = json.loads(server.ask("GET", f"/api/game/{uid}/seat/1"))
                    lost += not seat["photo"] or not server.ask("GET", seat["photo"]["src"]).startswith(b"\xff\xd8")
            with sqlite3.connect(Path(folder) / "games.sqlite") as db:
                broken += db.execute("PRAGMA integrity_check").fetchone()[0] != "ok"
        server.stop(signal.SIGKILL)
    note = f" in {kills} kills, {changes} changes and {photos} photos"
    yield none("killed while working: acknowledged changes lost", lost, note)
    yield none("killed while working: databases that fail their integrity check", broken, f" of {kills}")


def figures(form: Form, parts: Iterable[str] = PARTS) -> Iterator[Figure]:
    """The short form leaves out what stands still for seconds."""
    if "kills" in parts:
        yield from killed(form.part(KILLS, least=2))
    if form.short:
        return
    if "phones" in parts:
        yield from phones(30)
    if "browser" in parts:
        if not CHROMIUM:
            raise NotMeasured("taps, photos and weight need Chromium")
        yield from in_the_browser(taps=40, photos=7)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="part of the kills")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    for figure in figures(Form(None, options.share), options.only):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
