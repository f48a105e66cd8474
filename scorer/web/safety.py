"""Who may ask, what they may send, and what a browser may do with the answer. Threat model: docs/security.md.

One wrapper around the whole page checks, in this order: the Host header (other sites' names that resolve to us), the
token of `--lan`, where a change comes from (Origin, Sec-Fetch-Site and the CSRF word), and how much is sent, counted
while it streams in. Every answer carries a content security policy that allows this page's own files and nothing else.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scorer.source import MAX_BYTES as MAX_PHOTO

MAX_FORM = 64 * 2**10
"""A new game with eight teams and all quests is 3 kB."""
MAX_BACKUP = 2 * 2**30
"""A thousand games with four photos each."""
MAX_FIELDS = 300
COOKIE = "scorer-token"
CSRF = "X-CSRF"
CSRF_FIELD = "csrf"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
OPEN_PATHS = ("/static/", "/shared/", "/manifest.webmanifest", "/favicon.ico")
"""What needs no token: our own files, and results that somebody shared by a key of their own."""
YEAR = 365 * 24 * 3600

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(), microphone=()",
}


class TooMuch(Exception):
    """More was sent than is taken."""


@dataclass(frozen=True)
class Guard:
    """The rules of one server. `token` is None when only this machine can reach it."""

    hosts: frozenset[str]
    csrf: str
    token: str | None = None

    def knows_host(self, header: str) -> bool:
        name = header.rsplit(":", 1)[0] if not header.endswith("]") else header
        return name.lower() in self.hosts

    def knows_token(self, given: str) -> bool:
        return self.token is None or hmac.compare_digest(given.encode(), self.token.encode())

    def knows_csrf(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.csrf.encode())


class Safety:
    """The wrapper; forms that were checked are handed on as `request.state.form`."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app = app
        self.guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    out[name] = value
                if "cache-control" not in out:
                    # Our own files may be kept, but are asked for anew: an update must not meet old scripts.
                    out["Cache-Control"] = "no-cache" if scope["path"].startswith("/static/") else "no-store"
            await send(message)

        limited = _limited(receive, _limit_of(scope["path"]))
        try:
            refusal = self._refusal(scope, headers)
            if refusal is None and scope["method"] not in SAFE_METHODS:
                refusal = await self._forged(scope, headers, limited)
        except (TooMuch, ValueError):  # ValueError: of more than MAX_FIELDS
            refusal = PlainTextResponse("too much was sent", 413)
        if refusal is not None:
            await refusal(scope, receive, send_safely)
        else:
            await self.app(scope, limited, send_safely)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        if not self.guard.knows_host(headers.get("host", "")):
            return PlainTextResponse("this page does not go by that name", 421)
        if self.guard.token is None or scope["path"].startswith(OPEN_PATHS):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=MAX_FIELDS)
        for name, value in query:
            if name == "token" and scope["method"] == "GET" and self.guard.knows_token(value):
                return self._welcome(scope["path"], [pair for pair in query if pair[0] != "token"])
        if not self.guard.knows_token(_cookie(headers.get("cookie", ""))):
            return PlainTextResponse("Open the page by the address or QR code that `scorer serve --lan` shows.", 403)
        return None

    def _welcome(self, path: str, query: list[tuple[str, str]]) -> Response:
        """Keeps the token in a cookie and takes it out of the address, where it could be seen or sent on."""
        # One slash only: two would lead to another machine.
        target = "/" + path.lstrip("/\\") + (f"?{urlencode(query)}" if query else "")
        answer = RedirectResponse(target, 303)
        answer.set_cookie(COOKIE, self.guard.token or "", max_age=YEAR, httponly=True, samesite="strict")
        return answer

    async def _forged(self, scope: Scope, headers: Headers, receive: Receive) -> Response | None:
        """A change must come from our own pages."""
        origin = headers.get("origin")
        if origin is not None and origin != f"{scope['scheme']}://{headers.get('host', '')}":
            return PlainTextResponse("changes from other sites are refused", 403)
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return PlainTextResponse("changes from other sites are refused", 403)
        if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            body = await _body(receive)
            fields = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
            scope.setdefault("state", {})["form"] = fields
            word = next((value for name, value in fields if name == CSRF_FIELD), "")
        else:
            word = headers.get(CSRF, "")
        if not self.guard.knows_csrf(word):
            return PlainTextResponse("This page is out of date: go back, load it again and repeat.", 403)
        return None


def _cookie(header: str) -> str:
    try:
        morsel = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _limit_of(path: str) -> int:
    if path.endswith("/photo") or path == "/api/teach/profile":
        return MAX_PHOTO
    return MAX_BACKUP if path == "/api/restore" else MAX_FORM


def _limited(receive: Receive, most: int) -> Receive:
    """The same stream, cut off as soon as it is longer than `most`."""
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise TooMuch
        return message

    return counted


async def _body(receive: Receive) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def local_hosts(others: Iterable[str] = ()) -> frozenset[str]:
    """Names under which this machine reaches itself, and others it is known by."""
    return frozenset({"127.0.0.1", "localhost", "[::1]", *(name.lower() for name in others)})
