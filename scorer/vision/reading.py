"""A photo read: load -> locate -> classify -> decode, and the value that comes out of it."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import cv2
import numpy as np

from scorer.errors import NoKingdom, UsageError
from scorer.rules import Doubt, Kingdom
from scorer.rules.message import msg
from scorer.rules.notation import parse_square, square_text
from scorer.vision import models
from scorer.vision.classify import EMPTY, LABELS, MARGIN, SIZE, classify
from scorer.vision.decode import Decoded, decode
from scorer.vision.load import Photo, load_photo
from scorer.vision.locate import Lattice, crops, locate
from scorer.vision.quality import judge, square_width, window
from scorer.vision.rectify import Floats, Pyramid, places, project
from scorer.vision.straighten import LARGEST, RING, look

Source = Path | str | bytes | BinaryIO | Photo
"""A photo's file, its bytes, or the photo already loaded."""

SURE = 0.9
"""A square read with less confidence is a doubt."""
SURE_GAP = math.log(1 / (1 - SURE) - 1)
"""Nats that the runner-up must be away, for the same confidence."""
SURENESS = 0.995
"""How sure the locator may be of a tile or an empty place at most: it has seen few tables."""

LEAST_TURN = 100.0
"""Square pixels that two neighbouring edges of a kingdom span at least."""


@dataclass(frozen=True)
class ReadKingdom:
    """One kingdom of a photo; field names are those of the JSON form. `corners` are in pixels of the photo."""

    corners: tuple[tuple[float, float], ...]
    rows: int
    columns: int
    grid: tuple[tuple[str, ...], ...]
    confidence: tuple[tuple[float, ...], ...]
    doubts: tuple[Doubt, ...]
    kingdom: Kingdom = field(repr=False)
    quads: Floats = field(repr=False)
    """(rows, columns, 4, 2) corners of every place, in pixels of the photo."""

    @property
    def notation(self) -> str:
        return str(self.kingdom)


@dataclass(frozen=True)
class Reading:
    """What was seen in one photo."""

    photo: str
    width: int
    height: int
    kingdoms: tuple[ReadKingdom, ...]
    rules: str
    notes: tuple[str, ...]
    model: dict[str, str]
    timings_ms: dict[str, float]
    image: Photo = field(repr=False)

    @property
    def doubtful(self) -> bool:
        return any(kingdom.doubts for kingdom in self.kingdoms)


class _Watch:
    """Milliseconds of each stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.timings[name] = round(1000 * (time.perf_counter() - start), 1)


def read_photo(source: Source, *, rules: str | None = None, name: str | None = None) -> Reading:
    """All kingdoms of a photo; raises UnreadableInput or NoKingdom."""
    watch = _Watch()
    photo, name = _loaded(source, name, watch)
    with watch.stage("locate"):
        pyramid = Pyramid.of(photo.image)
        lattices = locate(pyramid)
    if not lattices:
        raise NoKingdom(f"{name}: no kingdom found. {_why_none(photo)}")
    return _read(photo, pyramid, lattices, rules, name, watch)


def read_at(
    source: Source,
    corners: Sequence[Sequence[float]],
    rows: int,
    columns: int,
    *,
    rules: str | None = None,
    name: str | None = None,
) -> Reading:
    """The one kingdom whose outer corners somebody pointed out, in pixels of the photo; raises UnreadableInput, or
    UsageError for corners that frame no grid.

    `corners`: the grid's top-left, top-right, bottom-right and bottom-left; rows, columns: the places between them.
    """
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        raise UsageError(f"a kingdom has 1 to {LARGEST} rows and columns, not {rows} x {columns}")
    at = np.asarray(corners, np.float32)
    if at.shape != (4, 2) or not np.isfinite(at).all() or not _frames(at):
        raise UsageError("the four corners must frame the grid: top-left, top-right, bottom-right, bottom-left")
    watch = _Watch()
    photo, name = _loaded(source, name, watch)
    with watch.stage("locate"):
        pyramid = Pyramid.of(photo.image)
        lattice = _lattice_at(pyramid, photo.from_photo(at), rows, columns)
    return _read(photo, pyramid, [lattice], rules, name, watch)


def _loaded(source: Source, name: str | None, watch: _Watch) -> tuple[Photo, str]:
    name = name or (str(source) if isinstance(source, str | Path) else "photo")
    with watch.stage("load"):
        return (source if isinstance(source, Photo) else load_photo(source, name=name)), name


def _frames(corners: Floats) -> bool:
    """Whether four points go clockwise around a convex quad of more than a few pixels."""
    edges = np.roll(corners, -1, axis=0) - corners
    turns = edges[:, 0] * np.roll(edges, -1, axis=0)[:, 1] - edges[:, 1] * np.roll(edges, -1, axis=0)[:, 0]
    return bool((turns > LEAST_TURN).all())


def _lattice_at(pyramid: Pyramid, corners: Floats, rows: int, columns: int) -> Lattice:
    """The lattice between given corners; the straightener says where on it tiles lie."""
    frame = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
    homography = np.asarray(cv2.getPerspectiveTransform(frame, corners), np.float64)
    seen = look(pyramid, homography, rows, columns)
    inside = (slice(RING, RING + rows), slice(RING, RING + columns))
    tile, castle = seen.tile[inside], seen.castle[inside]
    quads = project(places(rows, columns), homography)
    quads[tile > 0.5] = project(seen.tile_corners[inside][tile > 0.5], homography)
    best = divmod(int(castle.argmax()), columns)
    at = best if castle[best] > 0.5 else None
    return Lattice(homography, rows, columns, corners, quads, tile, at, float(tile.max()))


def _read(
    photo: Photo, pyramid: Pyramid, lattices: list[Lattice], rules: str | None, name: str, watch: _Watch
) -> Reading:
    """Classifies and decodes the kingdoms that were located."""
    notes = [*photo.notes, *_flaws(photo, lattices)]
    with watch.stage("classify"):
        likely = [_likely(pyramid, lattice) for lattice in lattices]
    with watch.stage("decode"):
        decoded = decode(likely, rules)
    if not decoded.by_box:
        notes.append("what was read cannot be laid with the dominoes of the box: squares were read one by one")
    kingdoms = tuple(
        _kingdom(photo, lattice, seen, i, decoded, name)
        for i, (lattice, seen) in enumerate(zip(lattices, likely, strict=True))
    )
    return Reading(
        name, photo.width, photo.height, kingdoms, decoded.rules, tuple(notes), _model(), watch.timings, photo
    )


def _why_none(photo: Photo) -> str:
    flaws = judge(photo.image, max(photo.image.shape) / 10, scale=photo.scale)
    if flaws:
        return flaws[0].message[0].upper() + flaws[0].message[1:] + "."
    return "Take the photo from above, with the whole kingdom in the frame."


def _flaws(photo: Photo, lattices: list[Lattice]) -> list[str]:
    found = {}
    for lattice in lattices:
        part = window(photo.image, lattice.corners)
        for flaw in judge(part, square_width(lattice.quads), scale=photo.scale):
            found[flaw.code] = flaw.message
    return list(found.values())


def _likely(pyramid: Pyramid, lattice: Lattice) -> Floats:
    """Log-probabilities (rows, columns, labels): the network's, and the locator's word on what is empty."""
    seen = classify(crops(pyramid, lattice, SIZE, MARGIN))
    tile = np.clip(lattice.occupied.reshape(-1, 1), 1 - SURENESS, SURENESS)
    empty = np.array([[label == EMPTY for label in LABELS]])
    joint = seen + np.where(empty, np.log(1 - tile), np.log(tile))
    joint -= np.log(np.exp(joint).sum(axis=1, keepdims=True))
    return np.asarray(joint.reshape(lattice.rows, lattice.columns, -1), np.float32)


def _kingdom(photo: Photo, lattice: Lattice, likely: Floats, number: int, decoded: Decoded, name: str) -> ReadKingdom:
    labels = decoded.labels[number]
    other = decoded.other[number] if decoded.other else labels
    confidence: list[tuple[float, ...]] = []
    doubts: list[Doubt] = []
    for r, row in enumerate(labels):
        line = []
        for c, label in enumerate(row):
            sure = float(np.exp(likely[r, c, LABELS.index(label)]))
            alternative = LABELS[
                int(np.argsort(likely[r, c])[-2 if likely[r, c].argmax() == LABELS.index(label) else -1])
            ]
            if other[r][c] != label:
                alternative = other[r][c]
                sure = min(sure, 1 / (1 + math.exp(-decoded.gap)))
            elif decoded.by_box:
                # The box excludes what the square alone leaves open.
                sure = max(sure, 1 / (1 + math.exp(-decoded.gap)))
            line.append(round(sure, 4))
            if sure < SURE:
                doubts.append(_doubt((r, c), label, alternative, sure))
        confidence.append(tuple(line))
    grid = tuple(tuple(square_text(parse_square(label)) for label in row) for row in labels)
    rows = tuple(tuple(parse_square(label) for label in row) for row in labels)
    corners = photo.to_photo(lattice.corners)
    return ReadKingdom(
        tuple((round(float(x), 1), round(float(y), 1)) for x, y in corners),
        lattice.rows,
        lattice.columns,
        grid,
        tuple(confidence),
        tuple(doubts),
        Kingdom(rows, rules=decoded.rules, source=name),
        photo.to_photo(lattice.quads).astype(np.float32),
    )


def _doubt(place: tuple[int, int], label: str, alternative: str, sure: float) -> Doubt:
    read, other = (square_text(parse_square(cell)) for cell in (label, alternative))
    text = msg(
        "square {row},{column} read as {read} may be {other}", row=place[0], column=place[1], read=read, other=other
    )
    return Doubt("reading", text, place, read, (other,), round(sure, 4), needed=False)


def _model() -> dict[str, str]:
    """One id for all networks of a reading, and the checksum over theirs."""
    joint = hashlib.sha256("".join(models.CHECKSUMS[name] for name in sorted(models.CHECKSUMS)).encode()).hexdigest()
    return {"id": f"reader-{joint[:8]}", "sha256": joint}


def as_json(reading: Reading) -> dict[str, Any]:
    """The `reading/1` form."""
    return {
        "format": "reading/1",
        "photo": reading.photo,
        "width": reading.width,
        "height": reading.height,
        "kingdoms": [
            {
                "corners": [list(corner) for corner in kingdom.corners],
                "rows": kingdom.rows,
                "columns": kingdom.columns,
                "grid": [list(row) for row in kingdom.grid],
                "confidence": [list(row) for row in kingdom.confidence],
                "doubts": [
                    {
                        "square": list(doubt.square or ()),
                        "read": doubt.read,
                        "or": doubt.alternatives[0],
                        "confidence": doubt.confidence,
                        "why": doubt.why,
                    }
                    for doubt in kingdom.doubts
                ],
                "notation": kingdom.notation,
            }
            for kingdom in reading.kingdoms
        ],
        "notes": list(reading.notes),
        "model": reading.model,
        "timings_ms": reading.timings_ms,
    }
