"""The page as an ASGI application."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from scorer.errors import ScorerError
from scorer.web import api, device, history, pages, sharing, teach
from scorer.web.page import page, score_of, words_for
from scorer.web.profiles import Profiles
from scorer.web.readers import Readers
from scorer.web.safety import Guard, Safety, TooMuch
from scorer.web.statistics import outcome
from scorer.web.store import NotKept, Store

STATIC = Path(__file__).parent / "static"
FORESEEN = (ScorerError, TooMuch, HTTPException, ValueError, OverflowError, sqlite3.OperationalError)
"""What a request may lead to: OverflowError is of numbers too large to be kept, the last one of a full disk."""


def make_app(store: Store, readers: Readers, guard: Guard, address: str | None = None, warm: bool = True) -> Starlette:
    """The page on a store; `address` is what phones open, with the token, when it is open to them."""

    profiles = Profiles(store, readers)
    store.summarise = lambda game: outcome(game, score_of(game))

    @asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        if warm:
            await asyncio.to_thread(readers.warm)
        profiles.resume()
        yield
        profiles.close()
        await asyncio.to_thread(readers.close)

    app = Starlette(
        routes=[
            *pages.ROUTES,
            *history.ROUTES,
            *sharing.ROUTES,
            *device.ROUTES,
            *teach.ROUTES,
            *api.ROUTES,
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Safety, guard=guard)],
        exception_handlers=dict.fromkeys(FORESEEN, _told),
        lifespan=running,
    )
    app.state.store, app.state.readers, app.state.guard, app.state.address = store, readers, guard, address
    app.state.profiles = profiles
    return app


async def _told(request: Request, error: Exception) -> Response:
    """One sentence about what went wrong, as the asker understands it."""
    status = 400
    if isinstance(error, NotKept):
        status = 404
    elif isinstance(error, TooMuch):
        status = 413
    elif isinstance(error, HTTPException):
        status = error.status_code
    elif isinstance(error, sqlite3.OperationalError):
        status = 507
    elif isinstance(error, ScorerError) and error.exit_code != 2:
        status = 422
    words = words_for(request)
    message = error.detail if isinstance(error, HTTPException) else words.error(error) or words("too_much")
    if request.url.path.startswith("/api/"):
        form: dict[str, Any] = {"message": message}
        return JSONResponse(form, status)
    return page(request, "error.html", status, message=message)
