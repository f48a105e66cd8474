"""Everything that is kept, in one SQLite file: games, seats with every step of their boards, photos, series.

Each change is one transaction that is on the disk before it is acknowledged (WAL, synchronous=FULL), so that a dead
battery costs nothing. Boards are kept step by step: undo and redo move a pointer. Deleted means overwritten.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scorer.errors import UsageError
from scorer.output import make_folder
from scorer.rules.message import msg
from scorer.web import board as boards
from scorer.web.board import Board
from scorer.web.game import MAX_SEATS, Game, Queen, Seat, Settings, settings_data, settings_from

FORMAT = 1
MAX_STEPS = 200
"""Steps of a board that can be taken back; an evening's corrections are a few dozen."""
BUSY_SECONDS = 10
"""How long a change waits for another one to be written."""
SCHEMA = """
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE series (
    id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, kind TEXT NOT NULL, created TEXT NOT NULL
);
CREATE TABLE game (
    id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, created TEXT NOT NULL, changed TEXT NOT NULL,
    version INTEGER NOT NULL, settings TEXT NOT NULL, queen TEXT,
    series INTEGER REFERENCES series ON DELETE SET NULL, share TEXT UNIQUE,
    result TEXT
);
CREATE TABLE seat (
    id INTEGER PRIMARY KEY, game INTEGER NOT NULL REFERENCES game ON DELETE CASCADE, number INTEGER NOT NULL,
    members TEXT NOT NULL, colour TEXT NOT NULL, step INTEGER NOT NULL, UNIQUE (game, number)
);
CREATE TABLE step (
    seat INTEGER NOT NULL REFERENCES seat ON DELETE CASCADE, number INTEGER NOT NULL, board TEXT NOT NULL,
    PRIMARY KEY (seat, number)
) WITHOUT ROWID;
CREATE TABLE photo (
    id TEXT PRIMARY KEY, game INTEGER NOT NULL REFERENCES game ON DELETE CASCADE,
    width INTEGER NOT NULL, height INTEGER NOT NULL, jpeg BLOB NOT NULL
);
CREATE INDEX photo_of_game ON photo (game);
CREATE INDEX game_by_change ON game (changed);
"""


class NotKept(UsageError):
    """There is no such game, seat or photo."""


@dataclass(frozen=True)
class Photo:
    """A photo as it is kept: decoded and encoded anew, so without any metadata."""

    id: str
    width: int
    height: int
    jpeg: bytes


@dataclass(frozen=True)
class Series:
    """Games that belong together: a Dynasty (totals add up) or a tournament (wins count first)."""

    id: int
    uid: str
    name: str
    kind: str
    games: int = 0


@dataclass(frozen=True)
class Summary:
    """A game as a list shows it; `result` is what was kept of its score, None when it has to be computed anew."""

    uid: str
    created: str
    settings: Settings
    seats: tuple[tuple[tuple[str, ...], str], ...]
    series: int | None
    result: dict[str, Any] | None


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def new_id() -> str:
    return secrets.token_urlsafe(9)


class Store:
    """The database; safe to use from several threads, each operation with a connection of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.summarise: Callable[[Game], Mapping[str, Any]] | None = None
        """What lists show of a game; kept with each change of its boards, so that no list has to score it."""
        make_folder(path.parent)
        try:
            # While this connection is open, closing another does not fold the log back into the file.
            self._anchor = self._connect(check_same_thread=False)
            self._prepare()
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{path}: cannot be used as the page's database: {error}") from None

    def _connect(self, check_same_thread: bool = True) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=check_same_thread)
        db.row_factory = sqlite3.Row
        for pragma in ("foreign_keys = ON", "synchronous = FULL", "secure_delete = ON", "trusted_schema = OFF"):
            db.execute(f"PRAGMA {pragma}")
        return db

    def _prepare(self) -> None:
        self._anchor.execute("PRAGMA journal_mode = WAL")
        version = self._anchor.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self._anchor.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")
        elif version != FORMAT:
            raise UsageError(f"{self.path}: written by another version of scorer (format {version}, not {FORMAT})")

    def close(self) -> None:
        self._anchor.close()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """One consistent look at everything."""
        return self._transaction("BEGIN", "ROLLBACK")

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """One change: all of it on the disk when this ends, or nothing."""
        return self._transaction("BEGIN IMMEDIATE", "COMMIT")

    @contextmanager
    def _transaction(self, begin: str, end: str) -> Iterator[sqlite3.Connection]:
        db = self._connect()
        try:
            db.execute(begin)
            yield db
            db.execute(end)
        finally:
            db.close()

    def intact(self) -> bool:
        with self.reading() as db:
            return bool(db.execute("PRAGMA integrity_check").fetchone()[0] == "ok")

    # Settings of this installation

    def setting(self, key: str) -> str | None:
        with self.reading() as db:
            row = db.execute("SELECT value FROM setting WHERE key = ?", (key,)).fetchone()
        return row["value"] if row else None

    def keep_setting(self, key: str, value: str) -> None:
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", (key, value))

    def secret(self, key: str) -> str:
        """A random word of this installation, made when first asked for."""
        with self.writing() as db:
            db.execute("INSERT OR IGNORE INTO setting VALUES (?, ?)", (key, secrets.token_urlsafe(24)))
            return str(db.execute("SELECT value FROM setting WHERE key = ?", (key,)).fetchone()["value"])

    # Games

    def new_game(
        self, settings: Settings, seats: Sequence[tuple[tuple[str, ...], str]], series: int | None = None
    ) -> str:
        """A game with empty boards; its settings and seats are proposed for the next one."""
        if not 1 <= len(seats) <= MAX_SEATS:
            raise UsageError(f"a table has 1 to {MAX_SEATS} seats")
        uid, when = new_id(), now()
        remembered = {**settings_data(settings), "title": "", "seats": seats, "series": series}
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO setting VALUES ('last game', ?)", (json.dumps(remembered),))
            game = db.execute(
                "INSERT INTO game (uid, created, changed, version, settings, series) VALUES (?, ?, ?, 1, ?, ?)",
                (uid, when, when, _stored(settings), series),
            ).lastrowid
            for number, (members, colour) in enumerate(seats):
                _add_seat(db, game, number, members, colour, boards.nothing())
        return uid

    def last_game(self) -> dict[str, Any]:
        """What was chosen for the latest game."""
        data: dict[str, Any] = json.loads(self.setting("last game") or "{}")
        return data

    def game(self, uid: str) -> Game:
        with self.reading() as db:
            return _game(db, uid)

    def shared_game(self, key: str) -> Game:
        """The game that was shared under a key."""
        with self.reading() as db:
            row = db.execute("SELECT uid FROM game WHERE share = ?", (key,)).fetchone()
            if row is None:
                raise NotKept(msg("nothing is shared under this address"))
            return _game(db, row["uid"])

    def change_game(self, uid: str, **columns: Any) -> None:
        """Sets columns of a game: settings, queen, series, share."""
        with self.writing() as db:
            game = _game_id(db, uid)
            for name, value in columns.items():
                assert name in ("settings", "queen", "series", "share")
                db.execute(f"UPDATE game SET {name} = ? WHERE id = ?", (_stored(value), game))
            _touch(db, game)

    def delete_game(self, uid: str) -> None:
        """Deletes a game with its photos for good: overwritten in the file, and gone from its log."""
        with self.writing() as db:
            db.execute("DELETE FROM game WHERE id = ?", (_game_id(db, uid),))
        self._fold_log()

    def _fold_log(self) -> None:
        """Old pages may still stand in the write-ahead log: fold it into the file and cut it off."""
        db = self._connect()
        try:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            db.close()

    def change_seats(self, uid: str, seats: Sequence[tuple[tuple[str, ...], str]]) -> None:
        """Other names and colours for all seats of a game; their kingdoms stay."""
        with self.writing() as db:
            game = _game_id(db, uid)
            for number, (members, colour) in enumerate(seats):
                values = (json.dumps(members), colour, _seat_row(db, game, number)["id"])
                db.execute("UPDATE seat SET members = ?, colour = ? WHERE id = ?", values)
            self._changed(db, game, uid)

    # Boards

    def change_board(self, uid: str, number: int, change: Callable[[Board], Board]) -> Game:
        """One more step of a board; what was taken back before is dropped."""
        return self.change_boards(uid, [number], lambda old: [change(old[0])])

    def change_boards(
        self, uid: str, numbers: Sequence[int], change: Callable[[list[Board]], list[Board]], photo: Photo | None = None
    ) -> Game:
        """One more step of several boards at once, with the photo they come from; all or nothing."""
        with self.writing() as db:
            game = _game_id(db, uid)
            if photo is not None:
                db.execute(
                    "INSERT INTO photo (id, game, width, height, jpeg) VALUES (?, ?, ?, ?, ?)",
                    (photo.id, game, photo.width, photo.height, photo.jpeg),
                )
            rows = [_seat_row(db, game, number) for number in numbers]
            old = [_board(db, row) for row in rows]
            for row, before, after in zip(rows, old, change(old), strict=True):
                if after != before:
                    _add_step(db, row, after)
            _drop_unused_photos(db, game)
            return self._changed(db, game, uid)

    def step(self, uid: str, number: int, by: int) -> Game:
        """Undo (-1) or redo (+1); nothing happens at either end."""
        with self.writing() as db:
            game = _game_id(db, uid)
            row = _seat_row(db, game, number)
            wanted = row["step"] + by
            if db.execute("SELECT 1 FROM step WHERE seat = ? AND number = ?", (row["id"], wanted)).fetchone():
                db.execute("UPDATE seat SET step = ? WHERE id = ?", (wanted, row["id"]))
            return self._changed(db, game, uid)

    def _changed(self, db: sqlite3.Connection, game: int, uid: str) -> Game:
        _touch(db, game)
        changed = _game(db, uid)
        if self.summarise:
            db.execute("UPDATE game SET result = ? WHERE id = ?", (json.dumps(self.summarise(changed)), game))
        return changed

    def photo(self, id_: str) -> Photo:
        with self.reading() as db:
            row = db.execute("SELECT * FROM photo WHERE id = ?", (id_,)).fetchone()
        if row is None:
            raise NotKept("there is no such photo")
        return Photo(row["id"], row["width"], row["height"], row["jpeg"])

    def photo_size(self, id_: str) -> tuple[int, int]:
        with self.reading() as db:
            row = db.execute("SELECT width, height FROM photo WHERE id = ?", (id_,)).fetchone()
        return (row["width"], row["height"]) if row else (1, 1)

    def share_of_photo(self, id_: str) -> str | None:
        """The key under which the game of a photo is shared, if it is."""
        with self.reading() as db:
            row = db.execute(
                "SELECT game.share FROM photo JOIN game ON game.id = photo.game WHERE photo.id = ?", (id_,)
            ).fetchone()
        return row["share"] if row else None

    # Results, for the history

    def summaries(self, search: str = "", series: int | None = None, limit: int = -1) -> list[Summary]:
        """Games by name of a player, title, rule set or date, the latest first; without their boards."""
        words = [f"%{word}%" for word in _escaped(search).split()]
        where = ["(? IS NULL OR game.series = ?)", *[_MATCHES] * len(words)]
        values = [series, series, *(value for word in words for value in [word] * _MATCHES.count("?"))]
        with self.reading() as db:
            rows = db.execute(
                f"SELECT * FROM game WHERE {' AND '.join(where)} ORDER BY created DESC, id DESC LIMIT ?",
                [*values, limit],
            ).fetchall()
            return [_summary(db, row) for row in rows]

    def keep_results(self, results: Sequence[tuple[Game, Mapping[str, Any]]]) -> None:
        """Keeps results of games that have not changed since they were scored."""
        with self.writing() as db:
            db.executemany(
                "UPDATE game SET result = ? WHERE uid = ? AND version = ?",
                [(json.dumps(result), game.uid, game.version) for game, result in results],
            )

    # Series

    def series(self) -> list[Series]:
        with self.reading() as db:
            rows = db.execute(
                "SELECT series.*, COUNT(game.id) AS games FROM series LEFT JOIN game ON game.series = series.id"
                " GROUP BY series.id ORDER BY series.created DESC, series.id DESC"
            ).fetchall()
        return [Series(row["id"], row["uid"], row["name"], row["kind"], row["games"]) for row in rows]

    def new_series(self, name: str, kind: str) -> int:
        return self.series_called(new_id(), name, kind)

    def series_called(self, uid: str, name: str, kind: str) -> int:
        """The number of a series, which is made if it is not there."""
        with self.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO series (uid, name, kind, created) VALUES (?, ?, ?, ?)", (uid, name, kind, now())
            )
            return int(db.execute("SELECT id FROM series WHERE uid = ?", (uid,)).fetchone()["id"])

    def delete_series(self, number: int) -> None:
        """The series only; its games stay."""
        with self.writing() as db:
            db.execute("DELETE FROM series WHERE id = ?", (number,))

    # Backups

    def add_game(self, game: Game, series: int | None, photos: Sequence[Photo]) -> bool:
        """A game out of a backup, all of it or nothing; False when it is here already."""
        with self.writing() as db:
            if db.execute("SELECT 1 FROM game WHERE uid = ?", (game.uid,)).fetchone():
                return False
            id_ = db.execute(
                "INSERT INTO game (uid, created, changed, version, settings, queen, series)"
                " VALUES (?, ?, ?, 1, ?, ?, ?)",
                (game.uid, game.created, game.changed, _stored(game.settings), _stored(game.queen), series),
            ).lastrowid
            for photo in photos:
                db.execute(
                    "INSERT INTO photo (id, game, width, height, jpeg) VALUES (?, ?, ?, ?, ?)",
                    (photo.id, id_, photo.width, photo.height, photo.jpeg),
                )
            for number, seat in enumerate(game.seats):
                _add_seat(db, id_, number, seat.members, seat.colour, seat.board)
            return True


def _stored(value: Any) -> Any:
    """A value as its column holds it."""
    if isinstance(value, Settings):
        return json.dumps(settings_data(value))
    return json.dumps([value.host, value.abducted]) if isinstance(value, Queen) else value


def _game_id(db: sqlite3.Connection, uid: str) -> int:
    row = db.execute("SELECT id FROM game WHERE uid = ?", (uid,)).fetchone()
    if row is None:
        raise NotKept(msg("there is no such game; it may have been deleted"))
    return int(row["id"])


def _game(db: sqlite3.Connection, uid: str) -> Game:
    row = db.execute("SELECT * FROM game WHERE id = ?", (_game_id(db, uid),)).fetchone()
    seats = db.execute("SELECT * FROM seat WHERE game = ? ORDER BY number", (row["id"],)).fetchall()
    return Game(
        uid=row["uid"],
        created=row["created"],
        changed=row["changed"],
        version=row["version"],
        settings=settings_from(json.loads(row["settings"])),
        seats=tuple(_seat(db, seat) for seat in seats),
        queen=Queen(*json.loads(row["queen"])) if row["queen"] else None,
        series=row["series"],
        share=row["share"],
    )


_MATCHES = """(game.created LIKE ? ESCAPE '\\' OR json_extract(game.settings, '$.title') LIKE ? ESCAPE '\\'
    OR json_extract(game.settings, '$.rules') LIKE ? ESCAPE '\\'
    OR EXISTS (SELECT 1 FROM seat, json_each(seat.members) WHERE seat.game = game.id
        AND json_each.value LIKE ? ESCAPE '\\'))"""


def _escaped(search: str) -> str:
    """Signs that mean something to LIKE stand for themselves."""
    return search.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def _summary(db: sqlite3.Connection, row: sqlite3.Row) -> Summary:
    seats = db.execute("SELECT members, colour FROM seat WHERE game = ? ORDER BY number", (row["id"],))
    return Summary(
        row["uid"],
        row["created"],
        settings_from(json.loads(row["settings"])),
        tuple((tuple(json.loads(seat["members"])), seat["colour"]) for seat in seats),
        row["series"],
        json.loads(row["result"]) if row["result"] else None,
    )


def _seat_row(db: sqlite3.Connection, game: int, number: int) -> sqlite3.Row:
    row: sqlite3.Row | None = db.execute("SELECT * FROM seat WHERE game = ? AND number = ?", (game, number)).fetchone()
    if row is None:
        raise NotKept("there is no such seat")
    return row


def _seat(db: sqlite3.Connection, row: sqlite3.Row) -> Seat:
    first, last = db.execute("SELECT MIN(number), MAX(number) FROM step WHERE seat = ?", (row["id"],)).fetchone()
    board = _board(db, row)
    return Seat(tuple(json.loads(row["members"])), row["colour"], board, row["step"] > first, row["step"] < last)


def _board(db: sqlite3.Connection, row: sqlite3.Row) -> Board:
    kept = db.execute("SELECT board FROM step WHERE seat = ? AND number = ?", (row["id"], row["step"])).fetchone()
    return boards.from_data(json.loads(kept["board"]))


def _add_seat(
    db: sqlite3.Connection, game: int | None, number: int, members: tuple[str, ...], colour: str, board: Board
) -> None:
    seat = db.execute(
        "INSERT INTO seat (game, number, members, colour, step) VALUES (?, ?, ?, ?, 0)",
        (game, number, json.dumps(members), colour),
    ).lastrowid
    db.execute("INSERT INTO step VALUES (?, 0, ?)", (seat, json.dumps(boards.as_data(board))))


def _add_step(db: sqlite3.Connection, row: sqlite3.Row, board: Board) -> None:
    seat, step = row["id"], row["step"] + 1
    db.execute("DELETE FROM step WHERE seat = ? AND (number >= ? OR number < ?)", (seat, step, step - MAX_STEPS))
    db.execute("INSERT INTO step VALUES (?, ?, ?)", (seat, step, json.dumps(boards.as_data(board))))
    db.execute("UPDATE seat SET step = ? WHERE id = ?", (step, seat))


def _drop_unused_photos(db: sqlite3.Connection, game: int) -> None:
    """A photo that no step shows any more is deleted."""
    db.execute(
        "DELETE FROM photo WHERE game = ? AND id NOT IN (SELECT json_extract(board, '$.photo') FROM step"
        " JOIN seat ON seat.id = step.seat WHERE seat.game = ? AND json_extract(board, '$.photo') IS NOT NULL)",
        (game, game),
    )


def _touch(db: sqlite3.Connection, game: int) -> None:
    db.execute("UPDATE game SET version = version + 1, changed = ?, result = NULL WHERE id = ?", (now(), game))
