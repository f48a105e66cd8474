"""The pages on which the reader is taught: profiles, the switch for corrections, the guided round."""

from __future__ import annotations

import base64
import json
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from scorer.calibration import folder
from scorer.errors import UsageError
from scorer.rules import Square
from scorer.rules.catalogue import BUILDINGS, TERRAINS
from scorer.rules.kingdom import UNKNOWN
from scorer.rules.notation import parse_square, square_text
from scorer.web.api import json_of, upload
from scorer.web.board import MAX_CROWNS, MAX_SIDE, changed_square
from scorer.web.page import form_of, page, words_for
from scorer.web.profiles import Profiles
from scorer.web.readers import Readers, answered
from scorer.web.view import loose_view

TILES = 6
"""Of a guided round: few enough for the room on a table and for patience."""
KINDS = {
    "buildings": square_text(Square("town", building=UNKNOWN)),
    "tiles": square_text(Square(unknown=True)),
}
"""What is laid in a round, and how its tiles are noted before they are named."""


def profiles_of(request: Request) -> Profiles:
    profiles: Profiles = request.app.state.profiles
    return profiles


def teach(request: Request) -> Response:
    profiles = profiles_of(request)
    return page(
        request,
        "teach.html",
        profiles=profiles.all(),
        used=profiles.used,
        taught=profiles.taught,
        by_corrections=profiles.by_corrections,
    )


def decide(request: Request) -> Response:
    """Switches teaching by corrections, chooses a profile, deletes one."""
    form = {name: values[0] for name, values in form_of(request).items()}
    profiles = profiles_of(request)
    if "corrections" in form:
        profiles.teach_by_corrections(form["corrections"] == "on")
    if "use" in form:
        profiles.use(form["use"] or None)
    if "delete" in form:
        profiles.delete(form["delete"])
    return RedirectResponse("/teach", 303)


def export(request: Request) -> Response:
    name = request.path_params["name"]
    data = folder.file_of(name).read_bytes()
    # The name in the address serves as that of the file: any other would have to be encoded.
    return Response(data, media_type="application/json", headers={"Content-Disposition": "attachment"})


async def import_(request: Request) -> Response:
    data = await upload(request)
    name = await run_in_threadpool(profiles_of(request).take, data)
    return _done(name=name)


def lay(request: Request) -> Response:
    """The guided round."""
    kind = request.path_params["kind"]
    if kind not in KINDS:
        raise UsageError("there is no such round")
    return page(
        request,
        "round.html",
        kind=kind,
        blank=loose_view(KINDS[kind], words_for(request)),
        wanted=_least_taught(profiles_of(request)) if kind == "buildings" else [],
        terrains=TERRAINS,
        crowns=range(MAX_CROWNS + 1),
        parts=("buildings",),
        meeples=(),
        buildings=BUILDINGS,
        most=MAX_SIDE,
    )


def _least_taught(profiles: Profiles) -> list[str]:
    """The buildings that were shown least often, in the order of the game."""
    own, _ = folder.names()
    shown = profiles.tell(profiles.taught)["buildings"] if profiles.taught in own else {}
    return sorted(BUILDINGS, key=lambda building: shown.get(building, 0))[:TILES]


async def look(request: Request) -> Response:
    """The photo of a round: the picture to name its tiles on, and where they lie. Nothing of it is kept."""
    readers: Readers = request.app.state.readers
    data = await upload(request)
    found, jpeg = await run_in_threadpool(lambda: answered(readers.submit_lesson("look", data)))
    return _done(**found, picture=base64.b64encode(jpeg).decode())


async def name_tile(request: Request) -> Response:
    """A tile of a round after one tap."""
    wanted = await json_of(request)
    square = changed_square(parse_square(str(wanted.get("cell"))), wanted)
    return JSONResponse(loose_view(square_text(square), words_for(request)))


async def show(request: Request) -> Response:
    """A round with all its tiles named: they are taught."""
    words, profiles = words_for(request), profiles_of(request)
    try:
        grid = json.loads(request.query_params.get("grid", ""))
        corners = [[float(x), float(y)] for x, y in grid["corners"]]
        cells = [[str(cell) for cell in row] for row in grid["cells"]]
        if len(corners) != 4 or not cells or len({len(row) for row in cells}) != 1 or not cells[0]:
            raise ValueError("no grid")
    except (ValueError, TypeError, KeyError):
        raise UsageError("four corners and the tiles between them are needed") from None
    jpeg = await upload(request)
    told = await run_in_threadpool(profiles.show, jpeg, corners, cells)
    lines = [words.say(line) for line in told["lines"]]
    return _done(message=words("taught", name=told["name"], count=told["squares"]), lines=lines)


def _done(**values: Any) -> Response:
    return Response(json.dumps({"stage": "done", **values}) + "\n", media_type="application/x-ndjson")


ROUTES = [
    Route("/teach", teach),
    Route("/teach", decide, methods=["POST"]),
    Route("/teach/profile/{name}.json", export),
    Route("/teach/round/{kind}", lay),
    Route("/api/teach/profile", import_, methods=["PUT"]),
    Route("/api/teach/look/photo", look, methods=["PUT"]),
    Route("/api/teach/square", name_tile, methods=["POST"]),
    Route("/api/teach/photo", show, methods=["PUT"]),
]
