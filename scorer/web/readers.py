"""Photos are decoded and read in processes of their own, so that none can stop the page.

A photo that crashes a decoder, takes its memory or keeps it busy costs one worker, which is replaced, and fails with
one sentence. Workers may write no file and give way to the page. Accepted: they run as the same user and are no sandbox
against a decoder that was taken over.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from scorer.batch.workers import Limits, LostWorker, Workers
from scorer.errors import ScorerError, UnreadableInput
from scorer.rules.message import Message, msg
from scorer.web.board import Board, from_data
from scorer.web.store import Photo, new_id

WORKERS = max(2, min(4, (os.cpu_count() or 1) // 2))
"""At least two: one slow photo does not block the others."""
LIMITS = Limits()
"""A 12-megapixel photo takes about one second, on a slow and busy machine a minute."""
NICENESS = 5
"""Pages go before photos."""


@dataclass(frozen=True)
class Seen:
    """The kingdoms of a photo as boards, and for each the seat whose colour its castle has."""

    boards: tuple[Board, ...]
    owners: tuple[int | None, ...]
    notes: tuple[Message, ...]
    photo: Photo


class Readers:
    """A few workers, kept while the page runs."""

    def __init__(self, count: int = WORKERS, limits: Limits = LIMITS) -> None:
        self._count = count
        self._workers = Workers(count, limits, _prepare)
        self._pending: set[Future[Any]] = set()

    @property
    def ahead(self) -> int:
        """How many photos wait for a worker."""
        return sum(not future.running() for future in self._pending)

    def warm(self) -> None:
        """Starts the workers, so that the first photo need not wait for them."""
        for _ in range(self._count):
            self._workers.submit(_nothing)

    def submit(self, data: bytes, rules: str | None, colours: Sequence[str], profile: str | None = None) -> Future[Any]:
        """Has a photo read, for seats of these colours; `seen` takes what the future holds."""
        return self._submit(read, data, rules, colours, profile)

    def submit_at(
        self,
        jpeg: bytes,
        corners: Sequence[Sequence[float]],
        rows: int,
        columns: int,
        rules: str,
        profile: str | None = None,
    ) -> Future[Any]:
        """Has a kept photo read again at corners that somebody pointed out."""
        return self._submit(read_at, jpeg, corners, rows, columns, rules, profile)

    def submit_lesson(self, task: str, *arguments: Any) -> Future[Any]:
        """Has something done with profiles: a function of `scorer.web.lessons` by its name."""
        return self._submit(lesson, task, *arguments)

    def submit_pad(self, data: bytes) -> Future[Any]:
        """Has the photo of a handwritten pad read; `answered` takes what the future holds."""
        return self._submit(read_pad, data)

    def _submit(self, *call: Any) -> Future[Any]:
        future = self._workers.submit(*call)
        self._pending.add(future)
        future.add_done_callback(self._pending.discard)
        return future

    def close(self) -> None:
        self._workers.shutdown(cancel_futures=True)


def answered(future: Future[Any]) -> Any:
    """What a worker answered, once it has; raises ScorerError with one sentence."""
    try:
        return future.result()
    except LostWorker:
        raise UnreadableInput(
            msg("The photo took too much time or memory to read. Take a new one, or save it smaller.")
        ) from None
    except ScorerError:
        raise
    except Exception as error:
        text = msg("The photo could not be read ({error}). Take a new one.", error=type(error).__name__)
        raise UnreadableInput(text) from None


def seen(future: Future[Any]) -> Seen:
    """The kingdoms that a worker saw; raises as `answered`."""
    answer, jpeg = answered(future)
    photo = Photo(new_id(), answer["size"][0], answer["size"][1], jpeg)
    boards = tuple(from_data({**board, "photo": photo.id}) for board in answer["boards"])
    return Seen(boards, tuple(answer["owners"]), answer["notes"], photo)


# Inside a worker; only there is the reader of photos loaded


def read(data: bytes, rules: str | None, colours: Sequence[str], profile: str | None) -> Any:
    from scorer.web.reading import answer_photo

    return answer_photo(data, rules, colours, profile)


def read_at(
    jpeg: bytes, corners: Sequence[Sequence[float]], rows: int, columns: int, rules: str, profile: str | None
) -> Any:
    from scorer.web.reading import answer_corners

    return answer_corners(jpeg, corners, rows, columns, rules, profile)


def lesson(task: str, *arguments: Any) -> Any:
    from scorer.web import lessons

    return getattr(lessons, task)(*arguments)


def read_pad(data: bytes) -> Any:
    from scorer.web.reading import answer_pad

    return answer_pad(data)


def _nothing() -> None:
    pass


def _prepare() -> None:
    from scorer.batch.work import warm_up

    warm_up()
    try:
        import resource
    except ImportError:  # not on Windows
        return
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
