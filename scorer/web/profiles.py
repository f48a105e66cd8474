"""The profiles of this machine: which one readings use, and what corrections teach it.

Files are written here, what is in them is known to workers only. Corrections are taught when the user has said so, and
when a board has been left alone for a while; those that wait are kept, so that none is lost with the page.
"""

from __future__ import annotations

import json
import threading
from functools import lru_cache
from typing import Any

from scorer.calibration import folder
from scorer.errors import ScorerError
from scorer.web.board import as_data
from scorer.web.readers import Readers, answered
from scorer.web.store import NotKept, Store

USUAL = "mine"
"""The profile that is taught when none is in use."""
QUIET_SECONDS = 20.0
"""A board that nobody touched for so long is as its player wants it."""


class Profiles:
    """One for the page; safe to use from several threads."""

    def __init__(self, store: Store, readers: Readers, quiet: float = QUIET_SECONDS) -> None:
        self._store, self._readers, self.quiet = store, readers, quiet
        self._teaching = threading.Lock()
        """Whoever teaches a profile has it alone from reading to keeping it."""
        self._timers: dict[tuple[str, str], threading.Timer] = {}
        self._tell = lru_cache(maxsize=100)(lambda name, _changed: answered(readers.submit_lesson("tell", name)))

    @property
    def used(self) -> str | None:
        """The name of the profile that readings use, while it is there."""
        name = self._store.setting("profile") or ""
        return name if any(name in some for some in folder.names()) else None

    def use(self, name: str | None) -> None:
        self._store.keep_setting("profile", folder.file_of(name).stem if name else "")

    @property
    def by_corrections(self) -> bool:
        """Whether corrections teach; only if the user said so."""
        return self._store.setting("corrections teach") == "yes"

    def teach_by_corrections(self, wanted: bool) -> None:
        self._store.keep_setting("corrections teach", "yes" if wanted else "no")

    @property
    def taught(self) -> str:
        """The profile that learns: the one in use, else the usual one."""
        return self.used or USUAL

    def all(self) -> list[dict[str, Any]]:
        """What there is to tell of every profile, the user's own first; a broken file tells what is wrong with it."""
        own, shipped = folder.names()
        found = []
        for name in (*own, *shipped):
            try:
                told = self.tell(name)
            except ScorerError as error:
                told = {"name": name, "about": str(error), "squares": 0, "photos": 0, "lines": []}
            found.append({**told, "own": name in own})
        return found

    def tell(self, name: str) -> dict[str, Any]:
        told: dict[str, Any] = self._tell(name, folder.file_of(name).stat().st_mtime_ns)
        return told

    def take(self, data: bytes) -> str:
        """Keeps an imported profile, under another name where its own is taken."""
        with self._teaching:
            own, _ = folder.names()
            name, kept = answered(self._readers.submit_lesson("taken", data, "the file", own))
            folder.keep(name, kept)
        return str(name)

    def delete(self, name: str) -> None:
        with self._teaching:
            folder.delete(name)

    def show(self, jpeg: bytes, corners: list[list[float]], cells: list[list[str]]) -> dict[str, Any]:
        """Teaches tiles that somebody laid out and named; tells of the profile after that."""
        return self._teach("shown", jpeg, corners, cells) or {}

    def _teach(self, task: str, *arguments: Any) -> dict[str, Any] | None:
        with self._teaching:
            name = self.taught
            kept = answered(self._readers.submit_lesson(task, name, *arguments))
            if kept is None:
                return None
            folder.keep(name, kept)
        if self._store.setting("profile") is None:  # whoever chose to use none meant it
            self.use(name)
        return self.tell(name)

    # Corrections

    def resume(self) -> None:
        """Goes on with what waited when the page ended."""
        for uid, photo in json.loads(self._store.setting("to teach") or "[]"):
            self._wait(uid, photo)

    def corrected(self, uid: str, photo: str | None) -> None:
        """A board on a photo was changed by hand."""
        if photo is None or not self.by_corrections:
            return
        if self._wait(uid, photo):
            self._keep_waiting()

    def _wait(self, uid: str, photo: str) -> bool:
        """Starts the clock anew; whether it was not running."""
        timer = threading.Timer(self.quiet, self._learn, (uid, photo))
        timer.daemon = True
        before = self._timers.get((uid, photo))
        if before:
            before.cancel()
        self._timers[uid, photo] = timer
        timer.start()
        return before is None

    def _keep_waiting(self) -> None:
        self._store.keep_setting("to teach", json.dumps(list(self._timers)))

    def _learn(self, uid: str, photo: str) -> None:
        try:
            game = self._store.game(uid)
            boards = [as_data(seat.board) for seat in game.seats if seat.board.photo == photo and seat.board.laid]
            if boards and self.by_corrections:
                self._teach("corrected", self._store.photo(photo).jpeg, boards, game.settings.rules)
        except (NotKept, ScorerError):
            pass  # deleted since, or nothing can be learnt from it: no harm to anybody
        finally:
            self._timers.pop((uid, photo), None)
            self._keep_waiting()

    def close(self) -> None:
        for timer in list(self._timers.values()):
            timer.cancel()
