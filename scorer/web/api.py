"""What the page's scripts ask for: changes of boards, photos, swaps. Answers are JSON, ready to be shown."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from scorer.errors import ScorerError, UsageError
from scorer.pads.check import PadCheck, check_pad
from scorer.pads.words import findings
from scorer.rules.message import msg
from scorer.web import board as boards
from scorer.web.board import Board
from scorer.web.game import Game, Queen
from scorer.web.page import score_of, store_of, view_of, words_for
from scorer.web.readers import Readers, Seen, answered, seen
from scorer.web.settle import AnotherKingdom, settle
from scorer.web.view import Words

SECONDS_PER_CHUNK = 30
"""A phone that sends nothing for so long has gone."""
SECONDS_BETWEEN_LOOKS = 0.1
"""How often a waiting photo is asked whether its turn has come."""
UPLOADS = 8
"""Photos held in memory at once, while they come in or wait; others wait unread."""

_uploads = asyncio.Semaphore(UPLOADS)


async def json_of(request: Request) -> dict[str, Any]:
    try:
        data = json.loads(await request.body())
    except (ValueError, RecursionError):
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
    wanted = await json_of(request)
    uid, number = _seat(request)
    store = store_of(request)

    def apply() -> dict[str, Any]:
        if wanted.get("do") in ("undo", "redo"):
            game = store.step(uid, number, -1 if wanted["do"] == "undo" else 1)
        else:
            game = store.change_board(uid, number, lambda board: boards.change(board, wanted))
        request.app.state.profiles.corrected(uid, game.seats[number].board.photo)
        return view_of(store, game, number, words_for(request))

    return JSONResponse(await run_in_threadpool(apply))


async def queen(request: Request) -> Response:
    """What the table says about the Queen's host."""
    wanted = await json_of(request)
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
    wanted = await json_of(request)
    match wanted.get("seats"):
        case [int(first), int(second)] if first != second:
            pass
        case _:
            raise UsageError("two seats are needed for a swap")
    uid = request.path_params["uid"]
    await run_in_threadpool(store_of(request).change_boards, uid, [first, second], lambda old: old[::-1])
    return JSONResponse({})


# Photos


async def upload(request: Request) -> bytes:
    data = bytearray()
    stream = request.stream().__aiter__()
    while True:
        try:
            async with asyncio.timeout(SECONDS_PER_CHUNK):
                data += await anext(stream)
        except StopAsyncIteration:
            return bytes(data)
        except (TimeoutError, ClientDisconnect):
            raise UsageError(msg("the photo stopped coming in")) from None


def _told(stage: str, **values: Any) -> bytes:
    return json.dumps({"stage": stage, **values}).encode() + b"\n"


async def _read_and_keep(request: Request, game: Game, keep: Callable[[Seen], dict[str, Any]]) -> AsyncIterator[bytes]:
    """Reads the photo that comes in and keeps what `keep` makes of it; a line for every stage."""
    readers: Readers = request.app.state.readers
    async with _uploads:
        data, ahead = await upload(request), readers.ahead
        used = await run_in_threadpool(lambda: request.app.state.profiles.used)
        future = readers.submit(data, game.settings.rules, [seat.colour for seat in game.seats], used)
        # It goes on to the end when the phone has gone: what was sent is not lost.
        task = asyncio.create_task(_kept(future, keep, words_for(request)))
        _running.add(task)
        task.add_done_callback(_running.discard)
        yield _told("waiting", ahead=ahead)
        while not (task.done() or future.running()):
            await asyncio.wait([task], timeout=SECONDS_BETWEEN_LOOKS)
        yield _told("reading")
        yield await asyncio.shield(task)


async def _kept(future: Future[Any], keep: Callable[[Seen], dict[str, Any]], words: Words) -> bytes:
    answered = asyncio.wrap_future(future)
    await asyncio.wait([answered])
    answered.cancelled() or answered.exception()  # asked for here, or it is printed as never asked for; told below
    try:
        return _told("done", **await run_in_threadpool(lambda: keep(seen(future))))
    except AnotherKingdom:
        return _told("failed", message=words("another_kingdom"))
    except ScorerError as error:
        return _told("failed", message=words.error(error))


_running: set[asyncio.Task[bytes]] = set()
"""Readings under way, so that none is dropped when its phone goes."""


async def seat_photo(request: Request) -> Response:
    """A photo of one kingdom; `?second` settles the doubts of the one that is there."""
    uid, number = _seat(request)
    store, words = store_of(request), words_for(request)
    game = await run_in_threadpool(store.game, uid)
    _check_seat(game, number)

    second = "second" in request.query_params

    def keep(found: Seen) -> dict[str, Any]:
        # Of several kingdoms the one with this seat's castle, else the largest.
        mine = found.boards[found.owners.index(number) if number in found.owners and len(found.boards) > 1 else 0]
        if second:
            changed = store.change_board(uid, number, lambda old: settle(old, mine))
        else:
            changed = store.change_boards(uid, [number], lambda old: [_taken_over(mine, old[0], found)], found.photo)
        return {"board": view_of(store, changed, number, words), "left_over": len(found.boards) - 1}

    return await _streamed(_read_and_keep(request, game, keep))


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

    def keep(found: Seen) -> dict[str, Any]:
        order = {seat: number for number, seat in enumerate(found.owners) if seat is not None}
        numbers = sorted(order)

        def taken(old: list[Board]) -> list[Board]:
            return [_taken_over(found.boards[order[n]], b, found) for n, b in zip(numbers, old, strict=True)]

        store.change_boards(uid, numbers, taken, found.photo)
        return {"left_over": len(found.boards) - len(order)}

    return await _streamed(_read_and_keep(request, game, keep))


async def pad_photo(request: Request) -> Response:
    """A photo of the handwritten pad, compared with what the kingdoms are worth; nothing of it is kept."""
    store, words = store_of(request), words_for(request)
    readers: Readers = request.app.state.readers
    data = await upload(request)

    def work() -> dict[str, Any]:
        game = store.game(request.path_params["uid"])
        result = score_of(game)
        if result is None:
            raise UsageError(msg("this game has no kingdom yet"))
        answer, jpeg = answered(readers.submit_pad(data))
        checked = check_pad(answer["pad"], result)
        return {
            "stage": "done",
            "picture": base64.b64encode(jpeg).decode(),
            "size": answer["size"],
            "marks": list(_pad_marks(checked, answer["rows"], answer["quads"])),
            "findings": list(findings(checked, words.say)),
        }

    return Response(json.dumps(await run_in_threadpool(work)) + "\n", media_type="application/x-ndjson")


def _pad_marks(checked: PadCheck, rows: Sequence[str], quads: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """For every cell of the sheet whether it is right, and else what would be."""
    for player in checked.players:
        for cell in player.rows:
            if cell.row in rows:
                quad = quads[rows.index(cell.row)][int(player.column) - 1]
                yield {"quad": quad, "right": cell.status == "right", "points": cell.right}


async def corners(request: Request) -> Response:
    """Reads the kept photo again, at corners that somebody dragged."""
    wanted = await json_of(request)
    uid, number = _seat(request)
    store, words = store_of(request), words_for(request)
    readers: Readers = request.app.state.readers
    match wanted:
        case {"corners": [[_, _], [_, _], [_, _], [_, _]], "rows": int(rows), "columns": int(columns)}:
            at = [[boards.finite(x), boards.finite(y)] for x, y in wanted["corners"]]
        case _:
            raise UsageError("four corners, rows and columns are needed")

    def work() -> dict[str, Any]:
        game = store.game(uid)
        _check_seat(game, number)
        old = game.seats[number].board
        if old.photo is None:
            raise UsageError("this kingdom has no photo")
        jpeg = store.photo(old.photo).jpeg
        used = request.app.state.profiles.used
        found = seen(readers.submit_at(jpeg, at, rows, columns, game.settings.rules, used))
        changed = store.change_board(
            uid, number, lambda now: replace(_taken_over(found.boards[0], now, found), photo=now.photo)
        )
        return view_of(store, changed, number, words)

    return JSONResponse(await run_in_threadpool(work))


ROUTES = [
    Route("/api/game/{uid}/seat/{number:int}", show),
    Route("/api/game/{uid}/seat/{number:int}/change", change, methods=["POST"]),
    Route("/api/game/{uid}/seat/{number:int}/photo", seat_photo, methods=["PUT"]),
    Route("/api/game/{uid}/seat/{number:int}/corners", corners, methods=["POST"]),
    Route("/api/game/{uid}/photo", table_photo, methods=["PUT"]),
    Route("/api/game/{uid}/pad/photo", pad_photo, methods=["PUT"]),
    Route("/api/game/{uid}/queen", queen, methods=["POST"]),
    Route("/api/game/{uid}/swap", swap, methods=["POST"]),
]
