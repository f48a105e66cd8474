"""Processes that decode and read photos, so that no photo can stop the page.

Protects against photos that crash a decoder, take its memory or keep it busy: each worker has a limit on memory and
may write no file, and one that takes too long is killed; the photo then fails with one sentence and a new worker
takes over. What a worker answers is JSON and a JPEG, never a pickle. Accepted: a worker runs as the same user and is
no sandbox against a decoder that was taken over.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from scorer import errors
from scorer.errors import ScorerError, UnreadableInput
from scorer.web.board import Board, from_data
from scorer.web.store import Photo, new_id

WORKERS = max(2, min(4, (os.cpu_count() or 1) // 2))
"""At least two: one slow photo does not block the others."""
SECONDS = 60
"""A 12-megapixel photo takes about one second, on a slow machine ten."""
MEMORY = 4 * 2**30
"""Address space of a worker: the libraries alone map 1.5 GB, a 50-megapixel photo another one."""
NICENESS = 5
"""Pages go before photos."""
QUALITY = 88
"""JPEG quality of the kept photo."""


@dataclass(frozen=True)
class Seen:
    """The kingdoms of a photo as boards, with the colours of their castles where they were seen."""

    boards: tuple[Board, ...]
    colours: tuple[str | None, ...]
    rules: str
    notes: tuple[str, ...]
    photo: Photo | None


class Readers:
    """A few workers, started when first needed and kept; `read` blocks, so call it from a thread."""

    def __init__(self, count: int = WORKERS, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._idle: queue.Queue[_Worker | None] = queue.Queue()
        for _ in range(count):
            self._idle.put(None)
        self._waiting = 0
        self._lock = threading.Lock()

    @property
    def ahead(self) -> int:
        """How many photos wait for a worker."""
        return self._waiting

    def warm(self) -> None:
        """Starts every worker now, so that the first photo need not wait for it."""
        for _ in range(self._idle.qsize()):
            self._idle.put(self._idle.get() or _Worker())

    def read(self, data: bytes, rules: str | None, started: Callable[[], None] = lambda: None) -> Seen:
        """All kingdoms of a photo; raises what reading it raises, or UnreadableInput when it stops its worker."""
        return self._ask({"task": "read", "rules": rules}, data, started)

    def read_at(self, jpeg: bytes, corners: Sequence[Sequence[float]], rows: int, columns: int, rules: str) -> Seen:
        """The kingdom of a kept photo at corners that somebody pointed out."""
        ask = {"task": "read_at", "corners": corners, "rows": rows, "columns": columns, "rules": rules}
        return self._ask(ask, jpeg, lambda: None)

    def _ask(self, ask: dict[str, Any], data: bytes, started: Callable[[], None]) -> Seen:
        with self._lock:
            self._waiting += 1
        worker = self._idle.get()
        with self._lock:
            self._waiting -= 1
        started()
        try:
            worker = worker or _Worker()
            return worker.ask(ask, data, self.seconds)
        except _Lost as lost:
            assert worker is not None
            worker.end()
            worker = None
            raise UnreadableInput(f"photo: {lost}. Take a new photo, or save it smaller.") from None
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        while not self._idle.empty():
            if worker := self._idle.get():
                worker.end()


class _Lost(Exception):
    """The worker did not answer."""


class _Worker:
    def __init__(self) -> None:
        # Spawned, not forked: a fork of a process with threads may hang.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs,), daemon=True, name="scorer-reader")
        self._process.start()
        theirs.close()

    def ask(self, ask: dict[str, Any], data: bytes, seconds: float) -> Seen:
        try:
            self._pipe.send_bytes(json.dumps(ask).encode())
            self._pipe.send_bytes(data)
            if not self._pipe.poll(seconds):
                raise _Lost(f"reading it took longer than {seconds:.0f} seconds")
            answer = json.loads(self._pipe.recv_bytes())
            jpeg = self._pipe.recv_bytes()
        except (EOFError, OSError):
            raise _Lost("reading it failed, perhaps for lack of memory") from None
        if "error" in answer:
            raise _error(answer["error"], answer["message"])
        photo = Photo(new_id(), answer["size"][0], answer["size"][1], jpeg) if jpeg else None
        return Seen(
            tuple(from_data({**board, "photo": photo.id if photo else None}) for board in answer["boards"]),
            tuple(answer["colours"]),
            answer["rules"],
            tuple(answer["notes"]),
            photo,
        )

    def end(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.join()


def _error(kind: str, message: str) -> ScorerError:
    made = getattr(errors, kind, ScorerError)
    return made(message) if isinstance(made, type) and issubclass(made, ScorerError) else ScorerError(message)


# Inside a worker


def _work(pipe: Connection) -> None:
    _limit()
    from scorer.web import reading  # loads OpenCV and the networks, here only

    while True:
        try:
            ask, data = json.loads(pipe.recv_bytes()), pipe.recv_bytes()
        except (EOFError, OSError, KeyboardInterrupt):
            return  # the page has ended
        jpeg = b""
        try:
            answer, jpeg = reading.answer(ask, data)
        except ScorerError as error:
            answer = {"error": type(error).__name__, "message": str(error)}
        except MemoryError:
            answer = {"error": "UnreadableInput", "message": "photo: not enough memory to read it"}
        except Exception as error:
            answer = {"error": "UnreadableInput", "message": f"photo: cannot be read ({type(error).__name__})"}
        pipe.send_bytes(json.dumps(answer).encode())
        pipe.send_bytes(jpeg)


def _limit() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
