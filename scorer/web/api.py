"""What the page's scripts ask for: changes of boards, photos, swaps. Answers are JSON, ready to be shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from scorer.errors import ScorerError, UsageError
from scorer.web import board as boards
from scorer.web.board import Board
from scorer.web.game import Game, Queen
from scorer.web.pages import store_of, view_of, words_for
from scorer.web.readers import Readers, Seen

SECONDS_PER_CHUNK = 30
"""A phone that sends nothing for so long has gone."""
UPLOADS = 8
"""Photos held in memory at once, while they come in or wait; others wait unread."""

_uploads = asyncio.Semaphore(UPLOADS)


async def _json(request: Request) -> dict[str, Any]:
    try:
        data = json.loads(await request.body())
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise UsageError("this is no request that the page makes")
    return data


def _seat(request: Request) -> tuple[str, int]:
    return request.path_params["uid"], request.path_params["number"]


async def show(request: Request) -> Response:
    uid, number = _seat(request)

    def answer() -> dict[str, Any]:
        store = store_of(request)
        game = store.game(uid)
        _check_seat(game, number)
        return view_of(store, game, number, words_for(request))

    return JSONResponse(await run_in_threadpool(answer))


def _check_seat(game: Game, number: int) -> None:
    if not 0 <= number < len(game.seats):
        raise UsageError("there is no such seat")


async def change(request: Request) -> Response:
    """One correction; the answer is the board as it is then, with its score."""
    wanted = await _json(request)
    uid, number = _seat(request)
    store = store_of(request)

    def apply() -> dict[str, Any]:
        if wanted.get("do") in ("undo", "redo"):
            game = store.step(uid, number, -1 if wanted["do"] == "undo" else 1)
        else:
            game = store.change_board(uid, number, lambda board: boards.change(board, wanted))
        return view_of(store, game, number, words_for(request))

    return JSONResponse(await run_in_threadpool(apply))


async def queen(request: Request) -> Response:
    """What the table says about the Queen's host."""
    wanted = await _json(request)
    host, abducted = wanted.get("host"), wanted.get("abducted", False)
    uid = request.path_params["uid"]
    store = store_of(request)

    def apply() -> None:
        if host is not None:
            if type(host) is not int:
                raise UsageError("there is no such seat")
            _check_seat(store.game(uid), host)
        store.change_game(uid, queen=None if host is None else Queen(host, bool(abducted)))

    await run_in_threadpool(apply)
    return JSONResponse({})


async def swap(request: Request) -> Response:
    """The kingdoms of two seats change places."""
    wanted = await _json(request)
    match wanted.get("seats"):
        case [int(first), int(second)] if first != second:
            pass
        case _:
            raise UsageError("two seats are needed for a swap")
    uid = request.path_params["uid"]
    await run_in_threadpool(store_of(request).change_boards, uid, [first, second], lambda old: old[::-1])
    return JSONResponse({})


# Photos


async def _upload(request: Request) -> bytes:
    data = bytearray()
    stream = request.stream().__aiter__()
    while True:
        try:
            async with asyncio.timeout(SECONDS_PER_CHUNK):
                data += await anext(stream)
        except StopAsyncIteration:
            return bytes(data)
        except TimeoutError:
            raise UsageError("the photo stopped coming in") from None


def _told(stage: str, **values: Any) -> bytes:
    return json.dumps({"stage": stage, **values}).encode() + b"\n"


async def _read_and_keep(
    request: Request, rules: str | None, keep: Callable[[Seen], dict[str, Any]]
) -> AsyncIterator[bytes]:
    """Reads the photo that comes in and keeps what `keep` makes of it; a line for every stage.

    It goes on to the end when the phone has gone: what was sent is not lost.
    """
    readers: Readers = request.app.state.readers
    loop = asyncio.get_running_loop()
    stages: asyncio.Queue[bytes | None] = asyncio.Queue()

    def tell(line: bytes | None) -> None:
        loop.call_soon_threadsafe(stages.put_nowait, line)

    def work(data: bytes) -> None:
        try:
            seen = readers.read(data, rules, lambda: tell(_told("reading")))
            tell(_told("done", **keep(seen)))
        except ScorerError as error:
            tell(_told("failed", message=str(error).removeprefix("photo: ")))
        except Exception:
            tell(_told("failed", message=""))
            raise
        finally:
            tell(None)

    async with _uploads:
        data = await _upload(request)
        yield _told("waiting", ahead=readers.ahead)
        task = asyncio.create_task(asyncio.to_thread(work, data))
        _running.add(task)
        task.add_done_callback(_running.discard)
        while (line := await stages.get()) is not None:
            yield line


_running: set[asyncio.Task[None]] = set()
"""Readings under way, so that none is dropped when its phone goes."""


async def seat_photo(request: Request) -> Response:
    """A photo of one kingdom; `?second` settles the doubts of the one that is there."""
    uid, number = _seat(request)
    store, words = store_of(request), words_for(request)
    game = await run_in_threadpool(store.game, uid)
    _check_seat(game, number)

    def keep(seen: Seen) -> dict[str, Any]:
        changed = store.change_boards(
            uid, [number], lambda old: [_taken_over(seen.boards[0], old[0], seen)], seen.photo
        )
        return {"board": view_of(store, changed, number, words), "left_over": len(seen.boards) - 1}

    return await _streamed(_read_and_keep(request, game.settings.rules, keep))


async def _streamed(lines: AsyncIterator[bytes]) -> Response:
    # The first line comes when everything has been received: an upload that fails gets a plain status.
    first = await anext(lines)

    async def all_lines() -> AsyncIterator[bytes]:
        yield first
        async for line in lines:
            yield line

    return StreamingResponse(all_lines(), media_type="application/x-ndjson")


def _taken_over(seen: Board, old: Board, whole: Seen) -> Board:
    """What was read, with the numbers that a photo does not show kept from before."""
    numbers = {
        key: getattr(seen.kingdom, key) if getattr(seen.kingdom, key) is not None else getattr(old.kingdom, key)
        for key in boards.NUMBERS
    }
    kingdom = replace(seen.kingdom, rules=None, player=None, source="", **numbers)
    return replace(seen, kingdom=kingdom, notes=whole.notes)


async def table_photo(request: Request) -> Response:
    """A photo of the whole table: its kingdoms go to the seats, by the colour of their castles where it is seen."""
    uid = request.path_params["uid"]
    store = store_of(request)
    game = await run_in_threadpool(store.game, uid)

    def keep(seen: Seen) -> dict[str, Any]:
        order = _by_colour(game, seen)
        numbers = sorted(order)
        store.change_boards(
            uid,
            numbers,
            lambda old: [
                _taken_over(seen.boards[order[n]], before, seen) for n, before in zip(numbers, old, strict=True)
            ],
            seen.photo,
        )
        return {"left_over": max(0, len(seen.boards) - len(game.seats))}

    return await _streamed(_read_and_keep(request, game.settings.rules, keep))


def _by_colour(game: Game, seen: Seen) -> dict[int, int]:
    """Seat to kingdom: first where the colour of the castle is the seat's, then in order."""
    order: dict[int, int] = {}
    for seat, colour in enumerate(seat.colour for seat in game.seats):
        if colour in seen.colours and seen.colours.index(colour) not in order.values():
            order[seat] = seen.colours.index(colour)
    seats = [number for number in range(len(game.seats)) if number not in order]
    left = [number for number in range(len(seen.boards)) if number not in order.values()]
    return {**order, **dict(zip(seats, left, strict=False))}


async def corners(request: Request) -> Response:
    """Reads the kept photo again, at corners that somebody dragged."""
    wanted = await _json(request)
    uid, number = _seat(request)
    store, words = store_of(request), words_for(request)
    readers: Readers = request.app.state.readers
    match wanted:
        case {"corners": [[_, _], [_, _], [_, _], [_, _]], "rows": int(rows), "columns": int(columns)}:
            at = [[float(x), float(y)] for x, y in wanted["corners"]]
        case _:
            raise UsageError("four corners, rows and columns are needed")

    def work() -> dict[str, Any]:
        game = store.game(uid)
        _check_seat(game, number)
        old = game.seats[number].board
        if old.photo is None:
            raise UsageError("this kingdom has no photo")
        seen = readers.read_at(store.photo(old.photo).jpeg, at, rows, columns, game.settings.rules)
        changed = store.change_board(
            uid, number, lambda now: replace(_taken_over(seen.boards[0], now, seen), photo=now.photo)
        )
        return view_of(store, changed, number, words)

    return JSONResponse(await run_in_threadpool(work))


ROUTES = [
    Route("/api/game/{uid}/seat/{number:int}", show),
    Route("/api/game/{uid}/seat/{number:int}/change", change, methods=["POST"]),
    Route("/api/game/{uid}/seat/{number:int}/photo", seat_photo, methods=["PUT"]),
    Route("/api/game/{uid}/seat/{number:int}/corners", corners, methods=["POST"]),
    Route("/api/game/{uid}/photo", table_photo, methods=["PUT"]),
    Route("/api/game/{uid}/queen", queen, methods=["POST"]),
    Route("/api/game/{uid}/swap", swap, methods=["POST"]),
]
