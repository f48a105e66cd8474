"""What belongs to the device that looks: its language and appearance, its home screen, what it shows offline."""

from __future__ import annotations

from functools import cache

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from scorer import __version__
from scorer.texts import LANGUAGES
from scorer.web.page import environment, form_of, page, words_for
from scorer.web.safety import YEAR

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
    Route("/settings", preferences),
    Route("/settings", prefer, methods=["POST"]),
    Route("/offline", offline),
    Route("/manifest.webmanifest", manifest),
    Route("/worker.js", service_worker),
]
