"""What all pages share: templates, the user's language, the form that came in, the score of a game."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from scorer import __version__
from scorer.rules import Score
from scorer.source import MAX_BYTES as MAX_PHOTO
from scorer.texts import LANGUAGES, SOURCE_LANGUAGE, translator
from scorer.web.game import Game, score
from scorer.web.store import Store
from scorer.web.view import Words, board_view

TEMPLATES = Path(__file__).parent / "templates"
RIGHT_TO_LEFT = ("he",)

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
        # Who may only look is not told the word that changes need.
        csrf="" if request.url.path.startswith("/shared/") else request.app.state.guard.csrf,
        path=request.url.path,
        version=__version__,
        script_words=_script_words(words),
        day=day,
        **values,
    )
    return HTMLResponse(text, status)


def _script_words(words: Words) -> dict[str, str]:
    """What scripts say themselves, with what they fill in left open."""
    return {
        "sending": words("sending", percent="{percent}"),
        "waiting": words("waiting", ahead="{ahead}"),
        "left_over": words("left_over", count="{count}"),
        "at_place": words("at_place", row="{row}", column="{column}", what="{what}"),
        "corner_number": words("corner_number", number="{number}"),
        "too_large": words("too_large", most=MAX_PHOTO // 2**20),
        "most_bytes": str(MAX_PHOTO),
        **{name: words(name) for name in ("reading", "read", "failed", "swap_hint", "is_right", "teaching")},
    }


def day(when: str) -> str:
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
    try:
        return _scores[key]
    except KeyError:  # not asked first, as another thread may clear them in between
        pass
    if len(_scores) >= SCORES_KEPT:
        _scores.clear()
    return _scores.setdefault(key, score(game))


def view_of(store: Store, game: Game, number: int, words: Words) -> dict[str, Any]:
    photo = game.seats[number].board.photo
    size = store.photo_size(photo) if photo else (1, 1)
    return board_view(game, number, score_of(game), words, size)
