"""What a worker does with one photo: read it, score it, draw it, and write the record."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from scorer.batch import record
from scorer.batch.corrections import corrected_kingdoms, is_of, notation_text
from scorer.batch.names import json_line, player, shown, text
from scorer.batch.record import Origin, Record
from scorer.batch.task import FORMAT, Task, failure, models_key, status_of
from scorer.errors import ModelError, NoKingdom, ScorerError, UnreadableInput, UsageError
from scorer.output import make_folder, write_bytes
from scorer.pad import territory_sums
from scorer.rules import Kingdom, Score, as_json, score, to_text
from scorer.source import read_file
from scorer.vision import models
from scorer.vision.annotate import LEGIBLE, annotate, encode
from scorer.vision.quality import square_width
from scorer.vision.reading import Reading, ReadKingdom, read_photo
from scorer.vision.rectify import Image
from scorer.vision.taught import Taught

SQUARE = 1.1 * LEGIBLE
"""Pixels of the smallest square in a drawn picture: just enough that it need not be enlarged again."""
PICTURE_SIDE = 1600
"""Longest side of a picture on which nothing is drawn."""
THUMBNAIL_SIDE = 160
PICTURE_QUALITY, THUMBNAIL_QUALITY = 85, 70
MAX_PATH_BYTES = 4000
"""Linux takes 4,096; a little is left for temporary names."""


@dataclass(frozen=True)
class Seen:
    """The kingdoms of a photo; `places`: where each was seen. `reading` is None where only a person found them."""

    kingdoms: list[Kingdom]
    places: Sequence[ReadKingdom | None]
    reading: Reading | None
    corrected: bool


def warm_up() -> None:
    """Loads what every photo needs, on one thread: the workers share the cores among themselves."""
    cv2.setNumThreads(1)
    for name in models.CHECKSUMS:
        models.load(name)


def read_one(task: Task) -> str:
    """Reads a photo and writes its picture, its notation file if it is doubtful, and its record; returns the status."""
    if models_key() != task.models:
        raise ModelError("a worker has other models than the program that gave it work: install the same version")
    origin = Origin(task.terms, 0, 0, "")
    try:
        data, origin = _contents(task)
        made = _made(task, data, origin)
    except (ModelError, UsageError):  # a broken installation or a full disk concerns the run, not the photo
        raise
    except MemoryError:
        made = failure(task.source, "reading this photo needs more memory than a worker may use", origin)
    except ScorerError as error:
        made = failure(task.source, str(error), origin, error.exit_code)
    except Exception as error:  # whatever else a photo can cause is that photo's failure
        made = failure(task.source, f"an error of the program: {type(error).__name__}: {error}", origin)
    record.write(Path(task.out), task.source, made)
    return made.status


def _contents(task: Task) -> tuple[bytes, Origin]:
    data, about = read_file(os.path.join(task.folder, task.source), shown(task.source))
    return data, Origin(task.terms, about.st_size, about.st_mtime_ns, hashlib.sha256(data).hexdigest())


def _made(task: Task, data: bytes, origin: Origin) -> Record:
    seen = _seen(task, data, origin)
    result = score(seen.kingdoms, doubts=[place.doubts if place else () for place in seen.places])
    thumbnail = _draw(task, seen, result) if seen.reading else ""
    forms = list(_forms(task, seen, result))
    status = record.worst([form["status"] for form in forms])
    if status == "ok" and not seen.corrected:
        (Path(task.out) / task.notation).unlink(missing_ok=True)
    elif not seen.corrected:
        notation = notation_text(task.source, origin.sha256, _remarks(result), result.kingdoms)
        _store(task, task.notation, notation.encode())
    return Record(origin, status, tuple(map(json_line, forms)), thumbnail)


@cache
def _profile(path: str) -> Taught:
    """Read once: its name changes with its contents."""
    from scorer.calibration.store import applied

    return applied(path)


def _seen(task: Task, data: bytes, origin: Origin) -> Seen:
    """What is in the photo: as read, or as a person corrected it, unless the photo is another one by now."""
    kingdoms = None
    if task.correction is not None and is_of(task.correction, origin.sha256):
        kingdoms = corrected_kingdoms(task.correction, shown(task.notation))
    elif task.correction is not None:
        old = Path(task.out) / task.notation
        old.replace(old.with_name(old.name + ".old"))
    try:
        reading = read_photo(
            data,
            rules=task.rules or task.stated.get(1, {}).get("rules"),
            name=shown(task.source),
            profile=_profile(os.path.join(task.out, task.profile)) if task.profile else None,
        )
        places: Sequence[ReadKingdom | None] = reading.kingdoms
    except (NoKingdom, UnreadableInput):
        if kingdoms is None:
            raise
        reading, places = None, ()
    corrected = kingdoms is not None
    if kingdoms is None:
        kingdoms = [place.kingdom for place in places if place]
    else:
        places = [_as_corrected(kingdom, place) for kingdom, place in _side_by_side(kingdoms, places)]
    kingdoms = [_stated(task, kingdom, number, corrected) for number, kingdom in enumerate(kingdoms, start=1)]
    return Seen(kingdoms, places, reading, corrected)


def _side_by_side(
    kingdoms: Sequence[Kingdom], places: Sequence[ReadKingdom | None]
) -> Iterator[tuple[Kingdom, ReadKingdom | None]]:
    missing = [None] * (len(kingdoms) - len(places))
    yield from zip(kingdoms, [*places, *missing], strict=False)


def _as_corrected(kingdom: Kingdom, place: ReadKingdom | None) -> ReadKingdom | None:
    """Where the photo shows a kingdom that a person wrote down; None if nothing like it was found there."""
    if place is None or (place.rows, place.columns) != (kingdom.height, kingdom.width):
        return None
    sure = tuple((1.0,) * kingdom.width for _ in range(kingdom.height))
    return replace(place, grid=tuple(map(tuple, _grid(kingdom))), confidence=sure, doubts=(), kingdom=kingdom)


def _grid(kingdom: Kingdom) -> list[list[str]]:
    return [line.split() for line in to_text([kingdom]).splitlines()[-kingdom.height :]]


def _stated(task: Task, kingdom: Kingdom, number: int, corrected: bool) -> Kingdom:
    """The kingdom with what the sheet and the options say about it."""
    fields: dict[str, Any] = {"source": text(task.source), "player": kingdom.player or player(task.source)}
    for key, value in task.stated.get(number, {}).items():
        # A correction repeats what the sheet said, and has the last word.
        if not corrected or getattr(kingdom, key) is None:
            fields[key] = value
    if task.rules:
        fields["rules"] = task.rules
    return replace(kingdom, **fields)


def _forms(task: Task, seen: Seen, result: Score) -> Iterator[dict[str, Any]]:
    """The `batch/1` form of each kingdom."""
    pads = zip(as_json(result)["players"], result.players, result.kingdoms, seen.places, strict=True)
    for number, (form, pad, kingdom, place) in enumerate(pads, start=1):
        yield {
            "format": FORMAT,
            "status": status_of(pad, bool(place and place.doubts), seen.corrected),
            "source": text(task.source),
            "kingdom": number,
            "rules": result.rules,
            **{key: value for key, value in form.items() if key != "source"},
            "corrected": seen.corrected,
            "corners": [list(corner) for corner in place.corners] if place else None,
            "columns": kingdom.width,
            "grid": _grid(kingdom),
            "confidence": [list(row) for row in place.confidence] if place else None,
            "notation": to_text([kingdom]),
            "notes": [str(note) for note in seen.reading.notes] if seen.reading else [],
            "game": None,
            "event": None,
            "place": None,
            "model": seen.reading.model if seen.reading else None,
            "picture": text(task.picture) if seen.reading else None,
        }


def _remarks(result: Score) -> Iterator[str]:
    for pad in result.players:
        for remark in (*(doubt.why for doubt in pad.doubts), *(problem.message for problem in pad.problems)):
            yield f"{pad.player}: {remark}"


def _draw(task: Task, seen: Seen, result: Score) -> str:
    """Writes the picture with what was seen; returns a thumbnail of it in base64."""
    assert seen.reading is not None
    photo, places = seen.reading.image, tuple(place for place in seen.places if place)
    squares = [square_width(place.quads) * photo.scale for place in places]
    shrink = min(1.0, SQUARE / min(squares) if squares else PICTURE_SIDE / max(photo.image.shape))
    reduced = replace(seen.reading, image=replace(photo, image=_reduced(photo.image, shrink)), kingdoms=places)
    shown_players = [player for player, place in zip(result.players, seen.places, strict=True) if place]
    picture = annotate(reduced, map(territory_sums, shown_players))
    _store(task, task.picture, encode(picture, Path(task.picture), PICTURE_QUALITY))
    thumbnail = encode(_reduced(picture, THUMBNAIL_SIDE / max(picture.shape)), Path("thumbnail.jpg"), THUMBNAIL_QUALITY)
    return base64.b64encode(thumbnail).decode()


def _reduced(image: Image, part: float) -> Image:
    """The picture at a part of its size. Halved as often as possible: averaging over other shares costs ten times."""
    while part <= 0.5:
        image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        part *= 2
    return np.asarray(cv2.resize(image, None, fx=part, fy=part, interpolation=cv2.INTER_LINEAR), np.uint8)


def _store(task: Task, name: str, data: bytes) -> None:
    path = Path(task.out) / name
    if len(os.fsencode(path)) > MAX_PATH_BYTES:
        raise UnreadableInput(f"{shown(task.source)}: its path is too long to be mirrored: name a shorter --out")
    make_folder(path.parent)
    write_bytes(path, data, Path(task.out) / record.NEW)
