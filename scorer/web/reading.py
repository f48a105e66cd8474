"""What a worker does with a photo: read it, and make the picture that is kept of it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from scorer.calibration import store
from scorer.calibration.applied import Applied
from scorer.calibration.folder import file_of
from scorer.vision.castle import colour_shares, owners
from scorer.vision.load import Photo, load_photo
from scorer.vision.pads.reading import read_pad_photo
from scorer.vision.reading import Reading, read_at, read_photo
from scorer.vision.rectify import Pyramid, quad_views
from scorer.web.board import Board, as_data
from scorer.web.game import MAX_SEATS

SIZE = 64
"""Pixels of a castle that are looked at for its colour, squared."""
PAD_SIDE = 1400
"""Longest side of the picture that shows a checked pad."""
QUALITY = 88
"""JPEG quality of the kept photo."""

Answer = tuple[dict[str, Any], bytes]
"""The kingdoms as data, and the picture to keep."""


def applied(name: str | None) -> Applied | None:
    """A profile for readings; its lessons are kept in mind while its file stays as it is."""
    if name is None:
        return None
    return _applied(name, file_of(name).stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _applied(name: str, _changed: int) -> Applied:
    # A profile of another model is looked at again here too, but that is no news to the user.
    return replace(store.current(store.load(name), keep=False), notes=())


def answer_photo(data: bytes, rules: str | None, colours: Sequence[str], profile: str | None) -> Answer:
    # The photo is kept as it was taken: whatever a profile changes can be read anew, or taught.
    photo = load_photo(data, name="photo")
    reading = read_photo(photo, rules=rules, name="photo", profile=applied(profile))
    return {**_data(reading), "owners": owners(_castles(reading), colours)}, picture(photo)


def picture(photo: Photo) -> bytes:
    """Encoded anew from its pixels alone: place, time and camera stay behind."""
    out = io.BytesIO()
    Image.fromarray(photo.image).save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


def answer_corners(
    jpeg: bytes, corners: Sequence[Sequence[float]], rows: int, columns: int, rules: str, profile: str | None
) -> Answer:
    return _data(read_at(jpeg, corners, rows, columns, rules=rules, name="photo", profile=applied(profile))), b""


def answer_pad(data: bytes) -> Answer:
    """A handwritten pad: what it says, where its cells lie in the picture, and the picture."""
    photo = load_photo(data, name="photo", max_side=PAD_SIDE)
    read = read_pad_photo(data, name="photo")
    quads = photo.from_photo(read.quads).round(1).tolist()
    height, width = photo.image.shape[:2]
    return {"pad": read.pad, "rows": read.rows, "quads": quads, "size": [width, height]}, picture(photo)


def _castles(reading: Reading) -> list[dict[str, float] | None]:
    """The colours of every castle that was seen."""
    image = reading.image
    shares: list[dict[str, float] | None] = []
    for kingdom in reading.kingdoms[:MAX_SEATS]:
        place = kingdom.kingdom.castle
        if place is None:
            shares.append(None)
            continue
        quad = image.from_photo(kingdom.quads[place]).astype(np.float32)
        (square,) = quad_views(Pyramid.of(image.image), quad[None], SIZE, 0)
        shares.append(colour_shares(square))
    return shares


def _data(reading: Reading) -> dict[str, Any]:
    height, width = reading.image.image.shape[:2]
    across, down = width / reading.width, height / reading.height
    boards = []
    for kingdom in reading.kingdoms[:MAX_SEATS]:
        corners = tuple((round(x * across, 1), round(y * down, 1)) for x, y in kingdom.corners)
        boards.append(as_data(Board(kingdom.kingdom, kingdom.doubts, None, corners)))
    return {
        "boards": boards,
        "owners": [None] * len(boards),
        "notes": reading.notes,
        "size": [width, height],
    }
