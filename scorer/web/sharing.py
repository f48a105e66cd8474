"""What leaves the page: the pad in every form, a link, a backup; and what leaves it for good."""

from __future__ import annotations

import json
import secrets
import tempfile
from collections.abc import Iterator
from typing import IO

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from scorer.errors import UsageError
from scorer.pad import pad_csv
from scorer.pads.sheet import MAX_COLUMNS, MAX_QUESTS, Sheet
from scorer.rules import Score, as_json, to_text
from scorer.rules.catalogue import RULE_SETS
from scorer.rules.message import msg
from scorer.web import backup
from scorer.web.game import Game, table
from scorer.web.page import RIGHT_TO_LEFT, day, form_of, language_of, score_of, store_of, words_for

CHUNK = 2**18


def _scored(request: Request) -> tuple[Game, Score]:
    game = store_of(request).game(request.path_params["uid"])
    result = score_of(game)
    if result is None:
        raise UsageError(msg("this game has no kingdom yet"))
    return game, result


def _file(data: bytes | str, kind: str, game: Game, ending: str) -> Response:
    name = f"{game.settings.rules}-{day(game.created)}.{ending}"
    return Response(data, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def pad_as_csv(request: Request) -> Response:
    game, result = _scored(request)
    return _file(pad_csv(result), "text/csv", game, "csv")


def score_as_json(request: Request) -> Response:
    game, result = _scored(request)
    return _file(json.dumps(as_json(result), ensure_ascii=False), "application/json", game, "json")


def notation(request: Request) -> Response:
    game, _ = _scored(request)
    return _file(to_text(table(game)), "text/plain", game, "kingdom")


def pad_as_png(request: Request) -> Response:
    from scorer.pads.picture import pad_png

    game, result = _scored(request)
    words = words_for(request)
    title = f"{game.settings.title or words.term(RULE_SETS[game.settings.rules].name)}  ·  {day(game.created)}"
    colours = [game.seats[number].colour for number in game.laid]
    data = pad_png(result, colours, title, words.say, language_of(request) in RIGHT_TO_LEFT)
    return _file(data, "image/png", game, "png")


def printable(game: Game) -> bool:
    """Whether the printed pad has room for so many players and quests."""
    return len(game.laid) <= MAX_COLUMNS and len(game.settings.quests) <= MAX_QUESTS


def pad_as_pdf(request: Request) -> Response:
    from scorer.pads.print import pad_pdf

    game, result = _scored(request)
    if not printable(game):
        raise UsageError(
            msg(
                "a printed pad has room for {players} players and {quests} quests",
                players=MAX_COLUMNS,
                quests=MAX_QUESTS,
            )
        )
    settings = game.settings
    mirrored = language_of(request) in RIGHT_TO_LEFT
    columns = len(result.players)
    sheet = Sheet(settings.rules, columns, settings.expansions, settings.quests, settings.bonuses, mirrored)
    return _file(pad_pdf(sheet, words_for(request).say, filled=result), "application/pdf", game, "pdf")


def share(request: Request) -> Response:
    """Makes the link under which everybody may look at a result, or ends it."""
    uid = request.path_params["uid"]
    key = None if "end" in form_of(request) else secrets.token_urlsafe(16)
    store_of(request).change_game(uid, share=key)
    return RedirectResponse(f"/game/{uid}/result", 303)


def put_in_series(request: Request) -> Response:
    uid, store = request.path_params["uid"], store_of(request)
    chosen = form_of(request).get("series", [""])[0]
    if chosen and chosen not in {str(series.id) for series in store.series()}:
        raise UsageError("there is no such series")
    store.change_game(uid, series=int(chosen) if chosen else None)
    return RedirectResponse(f"/game/{uid}/result", 303)


def delete(request: Request) -> Response:
    store_of(request).delete_game(request.path_params["uid"])
    return RedirectResponse("/", 303)


def save_backup(request: Request) -> Response:
    # In a file without a name: it is gone with the request, however that ends.
    file = tempfile.TemporaryFile()  # noqa: SIM115
    backup.write(store_of(request), file)
    size = file.tell()
    file.seek(0)
    headers = {"Content-Disposition": 'attachment; filename="scorer-backup.zip"', "Content-Length": str(size)}
    return StreamingResponse(_chunks(file), media_type="application/zip", headers=headers)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(CHUNK):
            yield chunk


async def restore(request: Request) -> Response:
    with tempfile.TemporaryFile() as file:
        async for chunk in request.stream():
            await run_in_threadpool(file.write, chunk)
        file.seek(0)
        count = await run_in_threadpool(backup.restore, store_of(request), file)
    return Response(json.dumps({"stage": "done", "count": count}) + "\n", media_type="application/x-ndjson")


ROUTES = [
    Route("/game/{uid}/pad.csv", pad_as_csv),
    Route("/game/{uid}/pad.png", pad_as_png),
    Route("/game/{uid}/pad.pdf", pad_as_pdf),
    Route("/game/{uid}/score.json", score_as_json),
    Route("/game/{uid}/table.kingdom", notation),
    Route("/game/{uid}/share", share, methods=["POST"]),
    Route("/game/{uid}/series", put_in_series, methods=["POST"]),
    Route("/game/{uid}/delete", delete, methods=["POST"]),
    Route("/backup", save_backup),
    Route("/api/restore", restore, methods=["PUT"]),
]
