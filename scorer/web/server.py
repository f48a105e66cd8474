"""Starts the page: on this machine only, or open to phones of the same network behind a token."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from pathlib import Path

import uvicorn

from scorer.errors import UsageError
from scorer.web.app import make_app
from scorer.web.readers import Readers
from scorer.web.safety import Guard, local_hosts
from scorer.web.store import Store

LOCAL, EVERYWHERE = "127.0.0.1", "0.0.0.0"
MAX_CONNECTIONS = 200
"""Twenty phones with a handful of connections each."""
KEEP_ALIVE = 30


def usual_file() -> Path:
    """Where games are kept unless told otherwise."""
    try:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    except RuntimeError:
        raise UsageError("there is no home folder to keep games in: name a file with --data") from None
    return Path(base) / "kingdom-scorer" / "games.sqlite"


def run(port: int, lan: bool, data: Path | None) -> None:
    """Serves until interrupted; says where on standard error."""
    store = Store(data or usual_file())
    name = _own_address() if lan else LOCAL
    token = secrets.token_urlsafe(16) if lan else None
    listening = _listen(EVERYWHERE if lan else LOCAL, port)
    port = listening.getsockname()[1]
    address = f"http://{name}:{port}/" + (f"?token={token}" if token else "")
    guard = Guard(local_hosts([name]), store.secret("csrf"), token)
    app = make_app(store, Readers(), guard, address if lan else None)
    print(f"Open {address}  (Ctrl-C ends it)", file=sys.stderr, flush=True)
    if lan:
        _show_code(address)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE,
        )
    )
    try:
        server.run(sockets=[listening])
    finally:
        store.close()


def _listen(host: str, port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        # From now on who comes early waits, and is not turned away.
        listening.listen(MAX_CONNECTIONS)
    except OSError as error:
        raise UsageError(f"port {port} cannot be used ({error.strerror}): choose another with --port") from None
    return listening


def _own_address() -> str:
    """The address by which others in the network reach this machine; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            raise UsageError("this machine is in no network: start without --lan") from None


def _show_code(address: str) -> None:
    if sys.stderr.isatty():
        import segno

        segno.make(address).terminal(out=sys.stderr, compact=True)
