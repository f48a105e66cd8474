"""All games, photos and series as one file, and back.

A backup is a ZIP of one JSON file and the photos. It may come from anywhere, so nothing in it is believed: sizes are
limited while they are unpacked, names are never used as paths, every game passes the same checks as a form, and photos
are decoded in a worker only.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
from collections.abc import Mapping
from datetime import datetime
from typing import IO, Any

from scorer.errors import UnreadableInput
from scorer.rules.message import msg
from scorer.web import board as boards
from scorer.web.game import (
    MAX_SEATS,
    MAX_TITLE,
    Game,
    Queen,
    Seat,
    colour_from,
    members_from,
    settings_data,
    settings_from,
)
from scorer.web.statistics import CRITERIA
from scorer.web.store import Photo, Store

FORMAT = "scorer-backup/1"
CONTENTS = "games.json"
MAX_CONTENTS = 128 * 2**20
"""A game is about 10 kB: ten thousand of them."""
MAX_JPEG = 16 * 2**20
"""A kept photo has at most 2400 pixels a side; ten times what those need."""
ID = re.compile(r"[A-Za-z0-9_-]{8,40}")


def write(store: Store, out: IO[bytes]) -> None:
    """Writes everything; one game is in memory at a time."""
    names = {series.id: series for series in store.series()}
    games = []
    # JPEGs are as small as they get: stored, not deflated.
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for summary in store.summaries():
            game = store.game(summary.uid)
            photos = {seat.board.photo for seat in game.seats if seat.board.photo}
            games.append(_game_data(game, names, [store.photo(id_) for id_ in sorted(photos)], archive))
        series = [{"uid": one.uid, "name": one.name, "kind": one.kind} for one in names.values()]
        contents = {"format": FORMAT, "series": series, "games": games}
        archive.writestr(CONTENTS, json.dumps(contents, ensure_ascii=False), zipfile.ZIP_DEFLATED)


def _game_data(game: Game, names: Mapping[int, Any], photos: list[Photo], archive: zipfile.ZipFile) -> dict[str, Any]:
    for photo in photos:
        archive.writestr(f"photos/{photo.id}.jpg", photo.jpeg)
    return {
        "uid": game.uid,
        "created": game.created,
        "changed": game.changed,
        "settings": settings_data(game.settings),
        "queen": [game.queen.host, game.queen.abducted] if game.queen else None,
        "series": names[game.series].uid if game.series is not None else None,
        "seats": [
            {"members": seat.members, "colour": seat.colour, "board": boards.as_data(seat.board)} for seat in game.seats
        ],
        "photos": [[photo.id, photo.width, photo.height] for photo in photos],
    }


def restore(store: Store, source: IO[bytes]) -> int:
    """Adds the games of a backup that are not here yet, each whole or not at all; returns how many."""
    try:
        with zipfile.ZipFile(source) as archive:
            contents = json.loads(_unpacked(archive, CONTENTS, MAX_CONTENTS))
            if contents["format"] != FORMAT:
                raise ValueError("another format")
            # Everything is checked before anything is kept.
            games = [_game(data) for data in contents["games"]]
            kinds = {one["uid"]: (_text(one["name"]), one["kind"]) for one in contents["series"]}
            if not all(ID.fullmatch(uid) and kind in CRITERIA for uid, (_, kind) in kinds.items()):
                raise ValueError("a series")
            count = 0
            for game, series, photos in games:
                kept = [_photo(archive, *photo) for photo in photos]
                number = store.series_called(series, *kinds[series]) if series else None
                count += store.add_game(game, number, kept)
            return count
    except sqlite3.Error:
        raise
    except Exception:  # a hostile archive can make its decoders raise nearly anything
        raise UnreadableInput(msg("This is no backup of the scorer, or it is damaged.")) from None


def _unpacked(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    with archive.open(name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{name} is too large")
    return data


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a name")
    return value.strip()[:MAX_TITLE]


def _game(data: Mapping[str, Any]) -> tuple[Game, str | None, list[tuple[str, int, int]]]:
    photos = [(str(id_), int(width), int(height)) for id_, width, height in data["photos"]]
    known = {id_ for id_, _, _ in photos}
    seats = tuple(_seat(seat, known) for seat in data["seats"])
    queen = Queen(int(data["queen"][0]), bool(data["queen"][1])) if data["queen"] else None
    if not 1 <= len(seats) <= MAX_SEATS or (queen and not 0 <= queen.host < len(seats)):
        raise ValueError("seats")
    if not ID.fullmatch(data["uid"]):
        raise ValueError("a name")
    created, changed = (datetime.fromisoformat(data[key]).isoformat() for key in ("created", "changed"))
    game = Game(data["uid"], created, changed, 1, settings_from(data["settings"]), seats, queen)
    return game, data["series"], photos


def _seat(data: Mapping[str, Any], photos: set[str]) -> Seat:
    board = boards.from_data(data["board"])
    if board.photo is not None and board.photo not in photos:
        raise ValueError("a photo")
    return Seat(members_from(data["members"]), colour_from(data["colour"]), board)


def _photo(archive: zipfile.ZipFile, id_: str, width: int, height: int) -> Photo:
    if not ID.fullmatch(id_) or width < 1 or height < 1:
        raise ValueError("a photo")
    jpeg = _unpacked(archive, f"photos/{id_}.jpg", MAX_JPEG)
    if not jpeg.startswith(b"\xff\xd8\xff"):
        raise ValueError("a photo")
    return Photo(id_, width, height, jpeg)
