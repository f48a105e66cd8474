"""The pages of games: list, set-up, table, kingdom, result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from scorer.rules.catalogue import (
    BUILDINGS,
    CHARACTERS,
    COURT_BUILDINGS,
    EXPANSIONS,
    QUESTS,
    RESOURCES,
    RULE_SETS,
    RULINGS,
)
from scorer.rules.kingdom import MEEPLES
from scorer.rules.message import msg
from scorer.rules.notation import BONUSES
from scorer.web import game as games
from scorer.web.board import MAX_CROWNS, NUMBERS, SIDES
from scorer.web.game import COLOURS, MAX_NAME, MAX_SEATS, MAX_TITLE, SIZES, Game
from scorer.web.page import form_of, page, score_of, store_of, view_of, words_for
from scorer.web.sharing import printable
from scorer.web.statistics import outcome
from scorer.web.store import NotKept, Store, Summary
from scorer.web.view import Words, pad_view, player_of

GAMES_LISTED = 50
USUAL_SEATS = 4


# Games


def home(request: Request) -> Response:
    search = request.query_params.get("search", "")[:MAX_TITLE]
    found = with_results(store_of(request), search, limit=GAMES_LISTED)
    return page(request, "home.html", games=found, search=search, rule_sets=RULE_SETS)


def with_results(store: Store, search: str = "", series: int | None = None, limit: int = -1) -> list[Summary]:
    """Games as lists show them; those that changed since are scored anew, and that is kept."""
    found = store.summaries(search, series, limit)
    stale = [store.game(summary.uid) for summary in found if summary.result is None]
    results = [(game, outcome(game, score_of(game))) for game in stale]
    if results:
        store.keep_results(results)
    known = {game.uid: result for game, result in results}
    return [replace(summary, result=summary.result or known.get(summary.uid)) for summary in found]


def new(request: Request) -> Response:
    store = store_of(request)
    last = store.last_game()
    seats = last.get("seats") or [([], COLOURS[i]) for i in range(USUAL_SEATS)]
    seats = [*seats, *(([], _free_colour(seats, i)) for i in range(MAX_SEATS - len(seats)))]
    return page(
        request,
        "new.html",
        last={**games.settings_data(games.Settings()), "series": None, **last},
        rule_sets_data={
            rules.id: {"bonuses": rules.bonuses, "quests": bool(rules.quests), "expansions": rules.expansions}
            for rules in RULE_SETS.values()
        },
        seats=seats,
        seat_count=len(last.get("seats") or []) or USUAL_SEATS,
        teams=any(len(members) > 1 for members, _ in last.get("seats") or []),
        known_players=_known_players(store),
        all_series=store.series(),
        colours=COLOURS,
        sizes=SIZES,
        rule_sets=RULE_SETS,
        expansions=EXPANSIONS,
        quests=QUESTS,
        bonuses=BONUSES,
        rulings=RULINGS,
        max_name=MAX_NAME,
        max_title=MAX_TITLE,
    )


def _free_colour(seats: Sequence[Any], number: int) -> str:
    taken = {colour for _, colour in seats}
    free = [colour for colour in COLOURS if colour not in taken]
    return free[number % len(free)] if free else COLOURS[0]


def _known_players(store: Store) -> list[str]:
    names = Counter(name for game in store.summaries(limit=200) for members, _ in game.seats for name in members)
    return [name for name, _ in names.most_common(30)]


def create(request: Request) -> Response:
    form = form_of(request)
    one = {name: values[0] for name, values in form.items()}
    many = {name: form.get(name, []) for name in ("expansions", "quests", "bonuses", "rulings")}
    settings = games.settings_from({**one, **many})
    count = int(one.get("count", "")) if one.get("count", "").isdecimal() else USUAL_SEATS
    seats = _seats(one, min(count, MAX_SEATS), words_for(request))
    store = store_of(request)
    series = {str(series.id): series.id for series in store.series()}.get(one.get("series", ""))
    uid = store.new_game(settings, seats, series)
    return RedirectResponse(f"/game/{uid}", 303)


def _seats(form: Mapping[str, str], count: int, words: Words) -> list[tuple[tuple[str, ...], str]]:
    """Names and colours of seats as a form has them; whoever gives none is called by number."""
    seats = []
    for number in range(count):
        names = [form.get(f"name{number}", ""), form.get(f"partner{number}", "") if "teams" in form else ""]
        if not any(name.strip() for name in names):
            names = [words("player_number", number=number + 1)]
        seats.append((games.members_from(names), games.colour_from(form.get(f"colour{number}", COLOURS[number]))))
    return seats


def rename(request: Request) -> Response:
    """Other names and colours at a table where the game has begun."""
    store, uid = store_of(request), request.path_params["uid"]
    form = {name: values[0] for name, values in form_of(request).items()}
    store.change_seats(uid, _seats(form, len(store.game(uid).seats), words_for(request)))
    return RedirectResponse(f"/game/{uid}", 303)


def table(request: Request) -> Response:
    store, words = store_of(request), words_for(request)
    game = store.game(request.path_params["uid"])
    result = score_of(game)
    players = [player_of(game, number, result) for number in range(len(game.seats))]
    return page(
        request,
        "table.html",
        game=game,
        rules=RULE_SETS[game.settings.rules],
        players=players,
        parts=game.settings.in_force.parts,
        views=[view_of(store, game, number, words) for number in range(len(game.seats))],
        seats=[(seat.members, seat.colour) for seat in game.seats],
        teams=any(len(seat.members) > 1 for seat in game.seats),
        known_players=_known_players(store),
        colours=COLOURS,
        max_name=MAX_NAME,
    )


def kingdom(request: Request) -> Response:
    store, words = store_of(request), words_for(request)
    game = store.game(request.path_params["uid"])
    number = _seat_number(request, game)
    rules = game.settings.in_force
    return page(
        request,
        "kingdom.html",
        game=game,
        number=number,
        seat=game.seats[number],
        view=view_of(store, game, number, words),
        parts=rules.parts,
        terrains=rules.terrains,
        numbers=_numbers(rules.parts),
        meeples=_meeples(rules.parts),
        crowns=range(MAX_CROWNS + 1),
        sides=SIDES,
        buildings=BUILDINGS,
        resources=RESOURCES,
        court={**CHARACTERS, **COURT_BUILDINGS},
    )


def _seat_number(request: Request, game: Game) -> int:
    number: int = request.path_params["number"]
    if not 0 <= number < len(game.seats):
        raise ValueError("there is no such seat")
    return number


_PART_OF = {
    "coins": "coins",
    "account": "events",
    "guard": "knights",
    "towers": "towers",
    "cemetery": "events",
    "knight": "knights",
    "tower": "towers",
    "fallen": "events",
    "queen": "queen",
    "giant": "giants",
}


def _numbers(parts: frozenset[str]) -> list[str]:
    return [name for name in NUMBERS if _PART_OF[name] in parts]


def _meeples(parts: frozenset[str]) -> list[str]:
    return [name for name in MEEPLES if _PART_OF[name] in parts]


def result(request: Request) -> Response:
    game = store_of(request).game(request.path_params["uid"])
    return _result(request, game, shared=False)


def shared(request: Request) -> Response:
    """A result that somebody shared: to look at, without a token."""
    return _result(request, store_of(request).shared_game(request.path_params["key"]), shared=True)


def _result(request: Request, game: Game, shared: bool) -> Response:
    store, words = store_of(request), words_for(request)
    total = score_of(game)
    laid = {number: view_of(store, game, number, words) for number in game.laid}
    if shared:
        for view in laid.values():
            if view["photo"]:
                view["photo"]["src"] = f"/shared/{game.share}{view['photo']['src']}"
    return page(
        request,
        "result.html",
        game=game,
        shared=shared,
        rules=RULE_SETS[game.settings.rules],
        pad=pad_view(game, total, words) if total else None,
        doubts=[(number, doubt) for number, view in laid.items() for doubt in view["doubts"]],
        problems=[(number, problem) for number, view in laid.items() for problem in view["problems"]],
        whole=len(game.laid) == len(game.seats),
        parts=game.settings.in_force.parts,
        boards=laid,
        all_series=store.series(),
        link=_link(request, game),
        printable=printable(game),
        local=request.app.state.address is None,
    )


def _link(request: Request, game: Game) -> str | None:
    if game.share is None:
        return None
    base = request.app.state.address or str(request.base_url)
    return f"{base.split('?')[0].rstrip('/')}/shared/{game.share}"


def photo(request: Request) -> Response:
    kept = store_of(request).photo(request.path_params["photo"])
    return _jpeg(kept.jpeg)


def shared_photo(request: Request) -> Response:
    store = store_of(request)
    game = store.shared_game(request.path_params["key"])
    if store.share_of_photo(request.path_params["photo"]) != game.share:
        raise NotKept(msg("nothing is shared under this address"))
    return _jpeg(store.photo(request.path_params["photo"]).jpeg)


def _jpeg(data: bytes) -> Response:
    # A photo never changes under its name.
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=31536000, immutable"})


ROUTES = [
    Route("/", home),
    Route("/new", new),
    Route("/new", create, methods=["POST"]),
    Route("/game/{uid}", table),
    Route("/game/{uid}/seats", rename, methods=["POST"]),
    Route("/game/{uid}/kingdom/{number:int}", kingdom),
    Route("/game/{uid}/result", result),
    Route("/shared/{key}", shared),
    Route("/shared/{key}/photo/{photo}.jpg", shared_photo),
    Route("/photo/{photo}.jpg", photo),
]
