"""The pages: what a browser shows, made on the server in the user's language."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from scorer import __version__
from scorer.inputs import MAX_BYTES as MAX_PHOTO
from scorer.rules import Score
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
from scorer.rules.notation import BONUSES
from scorer.texts import LANGUAGES, SOURCE_LANGUAGE, translator
from scorer.web import game as games
from scorer.web.board import MAX_CROWNS, NUMBERS, SIDES
from scorer.web.game import COLOURS, MAX_NAME, MAX_SEATS, MAX_TITLE, SIZES, Game, score
from scorer.web.safety import YEAR
from scorer.web.store import Store
from scorer.web.view import Words, board_view, doubt_views, pad_view, player_of

TEMPLATES = Path(__file__).parent / "templates"
RIGHT_TO_LEFT = ("he",)
LANGUAGE_NAMES = {
    "en": "English",
    "fr": "Français",
    "de": "Deutsch",
    "es": "Español",
    "it": "Italiano",
    "pt": "Português",
    "ru": "Русский",
    "he": "עברית",
}
THEMES = ("system", "light", "dark")
GAMES_LISTED = 50
USUAL_SEATS = 4

environment = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _json(value: Any) -> Markup:
    """Data inside a script element, where only `<` could end it."""
    return Markup(json.dumps(value, ensure_ascii=False).replace("<", "\\u003c"))


environment.filters["json"] = _json


def language_of(request: Request) -> str:
    """As chosen on this device, else the first language of the browser that we speak."""
    chosen = request.cookies.get("language", "")
    if chosen in LANGUAGES:
        return chosen
    wishes = request.headers.get("accept-language", "").split(",")
    spoken = (wish.split(";")[0].split("-")[0].strip().lower() for wish in wishes)
    return next((language for language in spoken if language in LANGUAGES), SOURCE_LANGUAGE)


def words_for(request: Request) -> Words:
    return Words(translator(language_of(request)))


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """A page with what all of them need."""
    language = language_of(request)
    words = Words(translator(language))
    text = environment.get_template(template).render(
        t=words,
        language=language,
        direction="rtl" if language in RIGHT_TO_LEFT else "ltr",
        theme=request.cookies.get("theme", "system"),
        csrf=request.app.state.guard.csrf,
        path=request.url.path,
        version=__version__,
        script_words=_script_words(words),
        day=lambda when: _day(when),
        **values,
    )
    return HTMLResponse(text, status)


def _script_words(words: Words) -> dict[str, str]:
    """What scripts say themselves, with what they fill in left open."""
    return {
        "sending": words("sending", percent="{percent}"),
        "waiting": words("waiting", ahead="{ahead}"),
        "left_over": words("left_over", count="{count}"),
        "corner_number": words("corner_number", number="{number}"),
        "too_large": words("too_large", most=MAX_PHOTO // 2**20),
        "most_bytes": str(MAX_PHOTO),
        **{name: words(name) for name in ("reading", "read", "failed", "swap_hint")},
    }


def _day(when: str) -> str:
    return datetime.fromisoformat(when).astimezone().strftime("%Y-%m-%d")


def store_of(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def form_of(request: Request) -> dict[str, list[str]]:
    """The form that came in, each field with all its values."""
    fields: dict[str, list[str]] = {}
    for name, value in request.state.form:
        fields.setdefault(name, []).append(value)
    return fields


_scores: dict[tuple[str, int], Score | None] = {}
SCORES_KEPT = 64
"""A handful of tables at once; scoring one anew takes some ten milliseconds."""


def score_of(game: Game) -> Score | None:
    """The score of this version of a game."""
    key = (game.uid, game.version)
    if key not in _scores:
        while len(_scores) >= SCORES_KEPT:
            _scores.pop(next(iter(_scores)), None)
        _scores[key] = score(game)
    return _scores[key]


def view_of(store: Store, game: Game, number: int, words: Words) -> dict[str, Any]:
    photo = game.seats[number].board.photo
    size = store.photo_size(photo) if photo else (1, 1)
    return board_view(game, number, score_of(game), words, size)


# Games


def home(request: Request) -> Response:
    search = request.query_params.get("search", "")[:MAX_TITLE]
    found = store_of(request).summaries(search, limit=GAMES_LISTED)
    return page(request, "home.html", games=found, search=search, rule_sets=RULE_SETS)


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
    words = words_for(request)
    seats = []
    for number in range(min(count, MAX_SEATS)):
        names = [one.get(f"name{number}", ""), one.get(f"partner{number}", "") if "teams" in one else ""]
        if not any(name.strip() for name in names):
            names = [words("player_number", number=number + 1)]
        seats.append((games.members_from(names), games.colour_from(one.get(f"colour{number}", COLOURS[number]))))
    series = one.get("series", "")
    uid = store_of(request).new_game(settings, seats, int(series) if series.isdecimal() else None)
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
        colours=COLOURS,
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
    views = [view_of(store, game, number, words) for number in game.laid]
    if shared:
        for view in views:
            if view["photo"]:
                view["photo"]["src"] = f"/shared/{game.share}{view['photo']['src']}"
    return page(
        request,
        "result.html",
        game=game,
        shared=shared,
        rules=RULE_SETS[game.settings.rules],
        pad=pad_view(game, total, words) if total else None,
        doubts=[view for player in total.players for view in doubt_views(player, words)] if total else [],
        problems=[problem for view in views for problem in view["problems"]],
        whole=len(game.laid) == len(game.seats),
        parts=game.settings.in_force.parts,
        boards=dict(zip(game.laid, views, strict=True)),
        all_series=store.series(),
        link=_link(request, game),
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
    if store.game_of_photo(request.path_params["photo"]) != game.share:
        raise ValueError("nothing is shared under this address")
    return _jpeg(store.photo(request.path_params["photo"]).jpeg)


def _jpeg(data: bytes) -> Response:
    # A photo never changes under its name.
    return Response(data, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=31536000, immutable"})


# Settings and what a phone's home screen needs


def preferences(request: Request) -> Response:
    return page(
        request,
        "settings.html",
        languages=LANGUAGE_NAMES,
        themes=THEMES,
        address=request.app.state.address,
        qr=_qr(request.app.state.address),
    )


@cache
def _qr(address: str | None) -> str | None:
    """The address as an SVG picture."""
    if address is None:
        return None
    import segno

    return str(segno.make(address, error="m").svg_inline(scale=6, border=2, dark="#000", light="#fff"))


def prefer(request: Request) -> Response:
    form = form_of(request)
    answer = RedirectResponse("/settings", 303)
    for name, known in (("language", LANGUAGES), ("theme", THEMES)):
        if (value := form.get(name, [""])[0]) in known:
            answer.set_cookie(name, value, max_age=YEAR, samesite="strict")
    return answer


def manifest(request: Request) -> Response:
    words = words_for(request)
    return JSONResponse(
        {
            "name": words("app"),
            "short_name": "Scorer",
            "start_url": "/",
            "display": "standalone",
            "background_color": "#f6f1e5",
            "theme_color": "#27407a",
            "icons": [
                {"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"},
                {"src": "/static/icon-192.png", "sizes": "192x192", "type": "image/png"},
                {"src": "/static/icon-512.png", "sizes": "512x512", "type": "image/png", "purpose": "any maskable"},
            ],
        },
        media_type="application/manifest+json",
    )


def service_worker(request: Request) -> Response:
    """At the root, as it may only answer for what lies below it."""
    text = environment.get_template("worker.js").render(version=__version__)
    return Response(text, media_type="text/javascript", headers={"Cache-Control": "no-cache"})


def offline(request: Request) -> Response:
    return page(request, "offline.html")


ROUTES = [
    Route("/", home),
    Route("/new", new),
    Route("/new", create, methods=["POST"]),
    Route("/game/{uid}", table),
    Route("/game/{uid}/kingdom/{number:int}", kingdom),
    Route("/game/{uid}/result", result),
    Route("/shared/{key}", shared),
    Route("/shared/{key}/photo/{photo}.jpg", shared_photo),
    Route("/photo/{photo}.jpg", photo),
    Route("/settings", preferences),
    Route("/settings", prefer, methods=["POST"]),
    Route("/offline", offline),
]
