"""A photo read: load -> locate -> classify -> decode, and the value that comes out of it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from scorer.errors import NoKingdom, UsageError
from scorer.rules import Doubt, Kingdom
from scorer.rules.message import Message, msg
from scorer.rules.notation import parse_square, square_text
from scorer.rules.play import rules_named
from scorer.vision import models
from scorer.vision.beside import beside, propose
from scorer.vision.castle import COLOURS, colours_apart
from scorer.vision.decode import DecodedKingdom, decode
from scorer.vision.doubts import doubts_of, worth_another_photo
from scorer.vision.fuse import fuse
from scorer.vision.layable import LARGEST
from scorer.vision.load import Photo, load_photo
from scorer.vision.locate import Lattice, locate
from scorer.vision.pieces import Furnished, carry, contradictions, furnish, look_closely
from scorer.vision.quality import judge
from scorer.vision.rectify import Floats, Pyramid
from scorer.vision.seen import Seen, kingdoms_among, lattice_at, see, shows_castle
from scorer.vision.taught import Taught

Source = Path | str | bytes | BinaryIO | Photo
"""A photo's file, its bytes, or the photo already loaded."""
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
    sure: float
    """How likely it is that every square is right."""
    doubts: tuple[Doubt, ...]
    colour: str | None
    """Of the castle or its starting tile, where it tells the kingdoms of a photo apart."""
    kingdom: Kingdom = field(repr=False)
    quads: Floats = field(repr=False)
    """(rows, columns, 4, 2) corners of every place, in pixels of the photo."""
    seen: Seen = field(repr=False)
    decoded: DecodedKingdom = field(repr=False)

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
    notes: tuple[Message, ...]
    model: dict[str, str]
    timings_ms: dict[str, float]
    image: Photo = field(repr=False)

    @property
    def doubtful(self) -> bool:
        return any(kingdom.doubts for kingdom in self.kingdoms)


@dataclass(frozen=True)
class Sight:
    """A photo with its kingdoms located and looked at, not yet decoded."""

    name: str
    photo: Photo
    kingdoms: tuple[Seen, ...]
    notes: tuple[Message, ...]
    timings: dict[str, float]


class _Watch:
    """Milliseconds of each stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.timings[name] = round(1000 * (time.perf_counter() - start), 1)


def read_photo(
    source: Source, *, rules: str | None = None, name: str | None = None, profile: Taught | None = None
) -> Reading:
    """All kingdoms of a photo; raises UnreadableInput or NoKingdom."""
    return read_together([sight(source, name=name, profile=profile)], rules)[0]


def read_at(
    source: Source,
    corners: Sequence[Sequence[float]],
    rows: int,
    columns: int,
    *,
    rules: str | None = None,
    name: str | None = None,
    profile: Taught | None = None,
) -> Reading:
    """The one kingdom whose outer corners somebody pointed out, in pixels of the photo; raises UnreadableInput, or
    UsageError for corners that frame no grid.

    `corners`: the grid's top-left, top-right, bottom-right and bottom-left; rows, columns: the places between them.
    """
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        raise UsageError(msg("a kingdom has at most {most} rows and columns", most=LARGEST))
    at = np.asarray(corners, np.float32)
    if at.shape != (4, 2) or not np.isfinite(at).all() or not _frames(at):
        raise UsageError(msg("the four corners must frame the grid: top-left, top-right, bottom-right, bottom-left"))
    watch = _Watch()
    photo, name = _loaded(source, name, watch, profile)
    with watch.stage("locate"):
        pyramid = Pyramid.of(photo.image)
        lattice = lattice_at(pyramid, photo.from_photo(at), rows, columns)
    return read_together([_sight(photo, pyramid, [lattice], name, watch, profile)], rules)[0]


def sight(source: Source, *, name: str | None = None, profile: Taught | None = None) -> Sight:
    """What is seen in a photo, not yet decoded; raises UnreadableInput or NoKingdom."""
    watch = _Watch()
    photo, name = _loaded(source, name, watch, profile)
    with watch.stage("locate"):
        pyramid = Pyramid.of(photo.image)
        lattices = locate(pyramid)
    found = _sight(photo, pyramid, lattices, name, watch, profile)
    kingdoms = kingdoms_among(found.kingdoms)
    if not kingdoms:
        raise NoKingdom(msg("no kingdom found: {why}", why=_why_none(photo)), name)
    return replace(found, kingdoms=kingdoms)


def _loaded(source: Source, name: str | None, watch: _Watch, profile: Taught | None) -> tuple[Photo, str]:
    name = name or (str(source) if isinstance(source, str | Path) else "photo")
    with watch.stage("load"):
        photo = source if isinstance(source, Photo) else load_photo(source, name=name)
        return (profile.photo(photo) if profile else photo), name


def _frames(corners: Floats) -> bool:
    """Whether four points go clockwise around a convex quad of more than a few pixels."""
    edges = np.roll(corners, -1, axis=0) - corners
    turns = edges[:, 0] * np.roll(edges, -1, axis=0)[:, 1] - edges[:, 1] * np.roll(edges, -1, axis=0)[:, 0]
    return bool((turns > LEAST_TURN).all())


def same(sights: Sequence[Sight]) -> Sight:
    """One sight from several photos of the same kingdoms: what is hidden in one is seen in another."""
    kingdoms, strangers = fuse([sight.kingdoms for sight in sights])
    chosen = next(sight for sight in sights if sight.photo is kingdoms[0].photo)
    notes = tuple(dict.fromkeys(note for sight in sights for note in sight.notes))
    if strangers:
        notes += (
            msg(
                "{count} of the kingdoms in the other photos look unlike those in {photo}: left out",
                count=strangers,
                photo=chosen.name,
            ),
        )
    stages = dict.fromkeys(stage for sight in sights for stage in sight.timings)
    timings = {stage: round(sum(sight.timings.get(stage, 0.0) for sight in sights), 1) for stage in stages}
    return replace(chosen, kingdoms=kingdoms, notes=notes, timings=timings)


def _sight(
    photo: Photo, pyramid: Pyramid, lattices: list[Lattice], name: str, watch: _Watch, profile: Taught | None
) -> Sight:
    with watch.stage("classify"):
        seen = see(photo, pyramid, lattices, profile)
    return Sight(name, photo, seen, (*(profile.notes if profile else ()), *photo.notes), watch.timings)


def read_together(sights: Sequence[Sight], rules: str | None = None) -> tuple[Reading, ...]:
    """The readings of photos that show one table: no domino is read more often than the box holds it."""
    watch = _Watch()
    with watch.stage("decode"):
        decoded = decode([seen.likely for sight in sights for seen in sight.kingdoms], rules)
    readings, done = [], 0
    for sight in sights:
        kingdoms = decoded.kingdoms[done : done + len(sight.kingdoms)]
        done += len(sight.kingdoms)
        some = any(kingdom.by_box for kingdom in kingdoms)
        # Beside a kingdom that the box can lay, a grid that it cannot and that shows no castle is a mat or a cloth.
        read = _named(
            [
                _kingdom(seen, kingdom, decoded.rules, sight.name)
                for seen, kingdom in zip(sight.kingdoms, kingdoms, strict=True)
                if kingdom.by_box or shows_castle(seen) or not some
            ]
        )
        notes = [*sight.notes, *_flaws(read), *decoded.notes, *(kingdom.decoded.why_odd for kingdom in read)]
        notes += [*_left_out(len(kingdoms) - len(read)), *_another_photos(read)]
        wrong = contradictions([kingdom.kingdom for kingdom in read], decoded.rules)
        read = tuple(
            replace(kingdom, doubts=(*kingdom.doubts, *more)) for kingdom, more in zip(read, wrong, strict=True)
        )
        readings.append(
            Reading(
                sight.name,
                sight.photo.width,
                sight.photo.height,
                read,
                decoded.rules,
                tuple(filter(None, dict.fromkeys(notes))),
                _model(),
                sight.timings | watch.timings,
                sight.photo,
            )
        )
    return tuple(readings)


def _why_none(photo: Photo) -> Message:
    flaws = judge(photo.image, max(photo.image.shape) / 10, scale=photo.scale)
    return flaws[0].message if flaws else msg("take the photo from above, with the whole kingdom in the frame")


def _kingdom(seen: Seen, read: DecodedKingdom, rules: str, name: str) -> ReadKingdom:
    rows = tuple(tuple(parse_square(label) for label in row) for row in read.labels)
    confidence, sure, doubts = read.confidence, read.sure, doubts_of(seen, read)
    photo, lattice = seen.photo, seen.lattice
    furnished = _furnished(seen, read, rules)
    if furnished:
        rows, confidence = furnished.rows, confidence * furnished.confidence
        sure *= float(furnished.confidence.prod())
        doubts = (*(carry(doubt, rows) for doubt in doubts), *furnished.doubts)
    kingdom = Kingdom(rows, rules=rules, source=name)
    if furnished and "coins" in rules_named(rules).pad:
        kingdom, more = propose(kingdom, beside(seen.pyramid, lattice))
        doubts += more
    return ReadKingdom(
        tuple((round(float(x), 1), round(float(y), 1)) for x, y in photo.to_photo(lattice.corners)),
        lattice.rows,
        lattice.columns,
        tuple(tuple(map(square_text, row)) for row in rows),
        tuple(tuple(round(float(value), 4) for value in row) for row in confidence),
        round(sure, 4),
        doubts,
        None,
        kingdom,
        photo.to_photo(lattice.quads).astype(np.float32),
        seen,
        read,
    )


def _furnished(seen: Seen, read: DecodedKingdom, rules: str) -> Furnished | None:
    """What stands on the squares, if the network was asked."""
    pieces = seen.said.get("pieces")
    if pieces is None:
        return None
    signs = look_closely(seen.pyramid, seen.lattice.quads, seen.said, seen.profile)
    return furnish(read.labels, pieces, signs, rules)


def _named(kingdoms: Sequence[ReadKingdom]) -> tuple[ReadKingdom, ...]:
    """Several kingdoms of a photo are told apart by the colours of their castles."""
    castles = {i: place for i, read in enumerate(kingdoms) if (place := read.kingdom.castle)}
    profile = kingdoms[0].seen.profile if kingdoms else None
    in_box = (profile.castles if profile else ()) or COLOURS
    colours = colours_apart([kingdoms[i].seen.squares[place] for i, place in castles.items()], in_box)
    named = list(kingdoms)
    for i, colour in zip(castles, colours, strict=True):
        if colour:
            kingdom = replace(named[i].kingdom, player=colour.capitalize())
            named[i] = replace(named[i], colour=colour, kingdom=kingdom)
    return tuple(named)


def _flaws(kingdoms: Sequence[ReadKingdom]) -> Iterator[Message]:
    yield from (flaw.message for read in kingdoms for flaw in read.seen.flaws)


def _left_out(count: int) -> Iterator[Message]:
    if count:
        yield msg("grids without a castle that no dominoes make: {count}, left out", count=count)


def _another_photos(kingdoms: Sequence[ReadKingdom]) -> Iterator[Message]:
    for read in kingdoms:
        if part := worth_another_photo(read.doubts, read.rows, read.columns):
            values = {"part": part, "player": read.kingdom.player}
            yield (
                msg("{player}: take one more photo, from another side ({part}), and read both with --same", **values)
                if read.kingdom.player
                else msg("take one more photo, from another side ({part}), and read both with --same", **values)
            )


def _model() -> dict[str, str]:
    """One id for all networks of a reading, and the checksum over theirs."""
    joint = hashlib.sha256("".join(models.CHECKSUMS[name] for name in sorted(models.CHECKSUMS)).encode()).hexdigest()
    return {"id": f"reader-{joint[:8]}", "sha256": joint}


def as_text(reading: Reading) -> str:
    """Kingdom notation to correct in an editor: what is doubtful stands above each kingdom as a comment."""
    return "---\n".join(
        "".join(f"# {doubt.why}\n" for doubt in kingdom.doubts) + kingdom.notation for kingdom in reading.kingdoms
    )


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
                        **({"square": list(doubt.square)} if doubt.square else {}),
                        "read": doubt.read,
                        **({"or": doubt.alternatives[0]} if doubt.alternatives else {}),
                        **({} if doubt.confidence is None else {"confidence": doubt.confidence}),
                        "why": doubt.why,
                    }
                    for doubt in kingdom.doubts
                ],
                "sure": kingdom.sure,
                "colour": kingdom.colour,
                "notation": kingdom.notation,
            }
            for kingdom in reading.kingdoms
        ],
        "notes": [str(note) for note in reading.notes],
        "model": reading.model,
        "timings_ms": reading.timings_ms,
    }
