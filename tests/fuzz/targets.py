"""Every parser that meets strangers' bytes: what may come out of it, and sound inputs to start from.

A target takes any bytes. Named errors are fine; any other exception, and a result that breaks a promise, is a find.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from scorer.batch import record
from scorer.batch.games import Game as Table
from scorer.batch.games import play, tournament
from scorer.batch.record import Origin, Record
from scorer.batch.sheet import Seat, read_sheets
from scorer.calibration.profile import from_bytes, to_bytes
from scorer.errors import ScorerError, UsageError
from scorer.inputs import _parse as parse_kingdoms
from scorer.pads.check import check_pad
from scorer.pads.files import parse_pad, to_csv, to_json
from scorer.rules import NotationError, as_json, parse, score, to_text
from scorer.rules.catalogue import BUILDINGS, QUESTS, RULE_SETS
from scorer.rules.notation import COURT_TILES, KEYS
from scorer.vision.load import MAX_SIDE, load_photo
from scorer.web import backup, board
from scorer.web.game import Game, Settings
from scorer.web.game import Seat as SeatOfGame
from scorer.web.game import score as score_game
from scorer.web.store import Photo
from tests.calibration.test_profile import WHOLE
from tests.fuzz.mutate import mutated
from tests.vision.hostile import small_pictures

ROOT = Path(__file__).parents[2]
KINGDOMS = [path.read_bytes() for path in sorted((ROOT / "samples" / "kingdoms").glob("*.kingdom"))]
KNOWN = [path.read_bytes() for path in sorted((ROOT / "tests" / "rules" / "known").rglob("*.kingdom"))]
EXAMPLE = score(parse((ROOT / "samples" / "kingdoms" / "example-71.kingdom").read_text("utf-8")))
MEMORY = Path("/dev/shm")
"""Where small files cost nothing, on Linux."""


@dataclass(frozen=True)
class Target:
    """A parser. `words`: what the parser knows, for a mutator to put in; `most`: bytes of the longest input tried."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]]
    words: Sequence[str] = ()
    most: int = 4096

    def damaged(self, seed: str) -> Iterator[bytes]:
        """Sound inputs with a few things changed, without end; equal seeds give equal inputs."""
        rng, seeds, words = random.Random(seed), list(self.seeds()), [word.encode() for word in self.words]
        while True:
            yield mutated(rng.choice(seeds), words, rng, self.most)


@cache
def _folder() -> Path:
    """Where parsers that read files find them."""
    folder = tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None)
    atexit.register(shutil.rmtree, folder)
    (Path(folder) / record.NEW).mkdir(parents=True)
    (Path(folder) / record.FOLDER / "games").mkdir()
    record.path_of(Path(folder), "a.jpg").parent.mkdir()
    return Path(folder)


def _notation(data: bytes) -> None:
    """What is read prints to a text that reads the same and prints the same."""
    kingdoms = parse_kingdoms(data, "fuzz")
    text = to_text(kingdoms)
    again = parse(text, "fuzz")
    assert again == kingdoms, "not read back"
    assert to_text(again) == text, "not canonical"


def _score(data: bytes) -> None:
    """Whatever can be read can be scored and told."""
    json.dumps(as_json(score(parse_kingdoms(data, "fuzz"))))


def _pad(data: bytes) -> None:
    pad = parse_pad(data, "fuzz")
    assert all(len(player.splitlines()) == 1 for player in pad.players if player), "a name of several lines"
    assert parse_pad(json.dumps(to_json(pad)).encode(), "again") == pad, "not read back"
    to_csv(pad)
    with contextlib.suppress(UsageError):  # the pad of another table
        check_pad(pad, EXAMPLE)


def _photo(data: bytes) -> None:
    image = load_photo(data).image
    assert image.ndim == 3
    assert max(image.shape) <= MAX_SIDE


def _profile(data: bytes) -> None:
    profile = from_bytes(data, "fuzz")
    assert all(map(str.isprintable, (profile.name, profile.about, *profile.lenses))), "cannot be shown"
    assert to_bytes(from_bytes(to_bytes(profile), "again")) == to_bytes(profile), "not read back"


def _record(data: bytes) -> None:
    """A damaged record is none: the photo is read again; also if by chance its checksum is right."""
    for contents in (data, data + record._checksum(data)):
        record.path_of(_folder(), "a.jpg").write_bytes(contents)
        record.load(_folder(), "a.jpg")


SEATS = tuple(Seat(f"{name}.jpg", 1, "final", "cup", f"player: {name}\n", "games.csv") for name in ("Ada", "Bo"))
TABLE = Table("final", "cup", SEATS)


@cache
def _form(seat: Seat) -> dict[str, Any]:
    (kingdom,) = parse("rules: kingdomino\nplayer: " + seat.source[0] + "\n\nC w1 w0\n")
    result = as_json(score([kingdom]))
    about = {"status": "ok", "rules": "kingdomino", "corrected": False, "notation": to_text([kingdom])}
    return {**result["players"][0], **about, "source": seat.source, "doubts": []}


def _game(data: bytes) -> None:
    """A damaged record of a game is none: the game is scored again."""
    (_folder() / record.FOLDER / "games" / f"{record.digest(TABLE.name)[:32]}.json").write_bytes(data)
    tournament([play(_folder(), TABLE, _form)])


def _made(make: Callable[[Path], Any]) -> list[bytes]:
    """The files that our own program makes."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / record.NEW).mkdir(parents=True)
        make(Path(folder))
        return [path.read_bytes() for path in Path(folder).rglob("*.json")]


def _records() -> list[bytes]:
    lines = (json.dumps(_form(SEATS[0])), json.dumps(_form(SEATS[1])))
    kept = Record(Origin("terms", 1, 2, "ab" * 32), "ok", lines, "thumbnail")
    return _made(lambda out: record.write(out, "a.jpg", kept))


def _sheet(data: bytes, name: str) -> None:
    (_folder() / name).write_bytes(data)
    for seat in read_sheets(_folder(), [name]):
        seat.stated()


CSV_SHEETS = (
    b"photo,kingdom,game,event,player,coins,queen\na.jpg,1,final,cup,Ada,9,yes\nb.jpg,2,final,cup,Bo,,\n",
    '\ufeffphoto;player;rules;quests\r\n./x\\a.jpg;Élise;xxxl;"harmony, lost-corner"\r\n'.encode(),
)
TOML_SHEETS = (
    b'[[game]]\nname = "final"\nevent = "cup"\nrules = "queendomino"\nkingdoms = [\n'
    b'  {photo = "a.jpg", player = "Ada", coins = 9, queen = true},\n  {photo = "b.jpg", kingdom = 2}]\n',
    b'[[kingdom]]\nphoto = "c.jpg"\nquests = ["harmony"]\n',
)


def _change(data: bytes) -> None:
    """A correction as the page asks for it, on a board that is then kept."""
    try:
        wanted = json.loads(data)
    except (ValueError, RecursionError):
        return
    for before in (board.blank(), BOARD) if isinstance(wanted, dict) else ():
        after = board.change(before, wanted)
        assert board.from_data(json.loads(json.dumps(board.as_data(after)))) == after, "not kept as it is"


CHANGES: tuple[dict[str, Any], ...] = (
    *({"do": kind, "at": [1, 2], "value": 1} for kind in ("crowns", "knight", "tower", "turned", "confirm", "giant")),
    *({"do": "terrain", "at": [0, 0], "value": value} for value in ("wheat", "castle", "empty", "unknown")),
    *({"do": kind, "value": 3} for kind in ("settle", "coins", "account", "blank", "turn", "clear")),
    *({"do": kind, "side": side} for kind in ("grow", "shrink") for side in ("top", "left")),
    {"do": "building", "at": [1, 1], "value": "statue"},
    {"do": "court", "at": [1, 1], "value": "farmer~"},
    {"do": "resource", "at": [1, 1], "value": "fish"},
    {"do": "cell", "at": [1, 1], "value": "w1+knight"},
)
BOARD = board.from_data(
    {
        "kingdom": "coins: 3\n\nC w1 t:statue\n. ? l2+knight\n",
        "doubts": [
            {
                "code": "crown",
                "text": "read as {read}, or {other}",
                "values": {"read": "w1", "other": {"term": "wheat"}},
                "square": [0, 1],
                "read": "w1",
                "or": ["w0"],
                "confidence": 0.6,
                "needed": False,
            }
        ],
        "photo": "photo-id-1",
        "corners": [[0, 0], [90, 0], [90, 60], [0, 60]],
        "notes": ["blurred"],
    }
)


class Kept:
    """Takes what a backup gives back, as the store does, and shows it."""

    def series_called(self, uid: str, name: str, kind: str) -> int:
        return 1

    def add_game(self, game: Game, series: int | None, photos: Sequence[Photo]) -> bool:
        result = score_game(game)
        json.dumps([board.as_data(seat.board) for seat in game.seats])
        return result is None or bool(result.players)


def _backup(data: bytes) -> None:
    backup.restore(Kept(), io.BytesIO(data))  # type: ignore[arg-type]


def _backed_up(data: bytes) -> None:
    """The contents of a backup, packed rightly."""
    _backup(_packed(data))


def _packed(contents: bytes, compression: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.writestr(backup.CONTENTS, contents)
        archive.writestr("photos/photo-id-1.jpg", b"\xff\xd8\xff")
    return out.getvalue()


def _contents() -> list[bytes]:
    seats = (SeatOfGame(("Ada",), "blue", BOARD), SeatOfGame(("Bo", "Cy"), "red", replace(BOARD, photo=None)))
    rules = Settings("queendomino", 5, quests=("harmony",), title="Friday")
    game = Game("game-id-1", "2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05+00:00", 1, rules, seats, series=1)
    names = {1: type("Series", (), {"uid": "series-id-1"})}
    with zipfile.ZipFile(io.BytesIO(), "w") as archive:
        data = backup._game_data(game, names, [Photo("photo-id-1", 9, 9, b"\xff\xd8\xff")], archive)
    series = [{"uid": "series-id-1", "name": "cup", "kind": "dynasty"}]
    contents = {"format": backup.FORMAT, "series": series, "games": [{**data, "queen": [0, False]}]}
    return [json.dumps(contents).encode()]


def _pads() -> list[bytes]:
    forms = [b"row,White,Red\ncoins,3,0\nwheat,12,\ntotal,15,0\n", b"Joueur;Pi\xc3\xa8ces;Total\nAda;3;-\n\n;;\n"]
    forms += ["row\tWhite\nMünzen\t3.0\ntotal\t3\n".encode("utf-16")]
    for text in (*KINGDOMS, *KNOWN[::20]):
        with contextlib.suppress(NotationError):
            columns = {pad.player: {**pad.rows, "total": pad.total} for pad in score(parse(text.decode())).players}
            forms.append(json.dumps({"format": "pad/1", "players": columns}).encode())
            forms.append(to_csv(parse_pad(forms[-1])).encode())
    return forms


WORDS = (*KEYS, *BUILDINGS, *COURT_TILES, *RULE_SETS, *QUESTS, "+knight", "+tower*2", "+queen", "t:?", "w?", "---", "~")

TARGETS: dict[str, Target] = {
    "notation": Target(_notation, lambda: [*KINGDOMS, *KNOWN], WORDS),
    "score": Target(_score, lambda: [*KINGDOMS, *KNOWN], WORDS),
    "pad": Target(_pad, _pads, ("format", "pad/1", "players", "total", "row", "coins", "–", "quest:harmony")),
    "photo": Target(_photo, lambda: small_pictures().values(), ("Exif\0\0II*\0", "IHDR", "ftypheic"), 16_384),
    "profile": Target(_profile, lambda: [to_bytes(WHOLE), to_bytes(replace(WHOLE, learnt=None))], most=8192),
    "record": Target(_record, _records),
    "game": Target(_game, lambda: _made(lambda out: play(out, TABLE, _form)), most=8192),
    "sheet-csv": Target(lambda data: _sheet(data, "games.csv"), lambda: CSV_SHEETS, WORDS),
    "sheet-toml": Target(lambda data: _sheet(data, "games.toml"), lambda: TOML_SHEETS, WORDS),
    "change": Target(_change, lambda: [json.dumps(change).encode() for change in CHANGES], (*board.PROPERTIES,)),
    "backup": Target(_backup, lambda: [_packed(_contents()[0], kind) for kind in (0, 8)], most=8192),
    "backup-games": Target(_backed_up, _contents, most=8192),
}


NAMED = (ScorerError, NotationError)


def run(target: Target, data: bytes) -> None:
    """Raises what should never have come out of the target."""
    with contextlib.suppress(*NAMED):
        target.run(data)
