"""The pages that look back: players, wins, best kingdoms, charts, series."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from scorer.errors import UsageError
from scorer.rules.catalogue import RULE_SETS
from scorer.rules.message import msg
from scorer.web.game import MAX_NAME, MAX_TITLE
from scorer.web.page import form_of, page, store_of
from scorer.web.pages import with_results
from scorer.web.statistics import CRITERIA, best, entries, standings, terrain_averages
from scorer.web.store import NotKept


def history(request: Request) -> Response:
    """All players, or one of them."""
    store = store_of(request)
    player = request.query_params.get("player", "")[:MAX_NAME]
    played = entries(with_results(store))
    chosen = [entry for entry in played if entry.player == player] if player else played
    return page(
        request,
        "history.html",
        player=player,
        standings=standings(played),
        best=best(chosen),
        points=[entry.total for entry in reversed(chosen)] if player else [],
        terrains=terrain_averages(chosen),
        all_series=store.series(),
        kinds=CRITERIA,
        max_title=MAX_TITLE,
    )


def series(request: Request) -> Response:
    store = store_of(request)
    number = request.path_params["number"]
    one = next((series for series in store.series() if series.id == number), None)
    if one is None:
        raise NotKept(msg("there is no such series; it may have been deleted"))
    games = with_results(store, series=number)
    played = standings(entries(games), CRITERIA[one.kind])
    return page(request, "series.html", series=one, games=games, standings=played, rule_sets=RULE_SETS)


def new_series(request: Request) -> Response:
    form = form_of(request)
    name, kind = form.get("name", [""])[0].strip()[:MAX_TITLE], form.get("kind", [""])[0]
    if not name or kind not in CRITERIA:
        raise UsageError(msg("a series needs a name"))
    return RedirectResponse(f"/history/series/{store_of(request).new_series(name, kind)}", 303)


def delete_series(request: Request) -> Response:
    store_of(request).delete_series(request.path_params["number"])
    return RedirectResponse("/history", 303)


ROUTES = [
    Route("/history", history),
    Route("/history/series", new_series, methods=["POST"]),
    Route("/history/series/{number:int}", series),
    Route("/history/series/{number:int}/delete", delete_series, methods=["POST"]),
]
