"""What a worker does with a photo: read it, and make the picture that is kept of it."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image

from scorer.vision.reading import Reading, read_at, read_photo
from scorer.web.board import Board, as_data
from scorer.web.readers import QUALITY


def answer(ask: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    """The kingdoms as data, and the picture to keep; none when it is the kept one that was read again."""
    if ask["task"] == "read_at":
        reading = read_at(data, ask["corners"], ask["rows"], ask["columns"], rules=ask["rules"])
        return _data(reading), b""
    reading = read_photo(data, rules=ask["rules"], name="photo")
    return _data(reading), _picture(reading)


def _picture(reading: Reading) -> bytes:
    """Encoded anew from its pixels alone: place, time and camera stay behind."""
    out = io.BytesIO()
    Image.fromarray(reading.image.image).save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


def _data(reading: Reading) -> dict[str, Any]:
    height, width = reading.image.image.shape[:2]
    across, down = width / reading.width, height / reading.height
    boards = []
    for kingdom in reading.kingdoms:
        corners = tuple((round(x * across, 1), round(y * down, 1)) for x, y in kingdom.corners)
        boards.append(as_data(Board(kingdom.kingdom, kingdom.doubts, None, corners)))
    return {
        "boards": boards,
        "colours": [None for _ in reading.kingdoms],
        "rules": reading.rules,
        "notes": list(reading.notes),
        "size": [width, height],
    }
