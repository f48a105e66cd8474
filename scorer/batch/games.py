"""Photos of one game are scored together, games of one event make a table."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scorer.batch import record
from scorer.batch.sheet import Seat
from scorer.batch.task import status_of
from scorer.output import make_folder, write_bytes
from scorer.rules import Doubt, Kingdom, PlayerScore, Score, as_json, score
from scorer.rules.catalogue import RULE_SETS
from scorer.rules.message import Message
from scorer.rules.series import Series, series

FORMAT = "game/1"
OF_SCORING = ("unknown-square", "queen-unknown", "queen-host")
"""Doubts that scoring adds by itself; all others are the reader's."""

Form = dict[str, Any]
"""A kingdom's result as in `results.jsonl`."""


@dataclass(frozen=True)
class Game:
    """The kingdoms that a sheet puts together."""

    name: str
    event: str
    seats: tuple[Seat, ...]


@dataclass(frozen=True)
class Played:
    """A scored game: its form and the results of its kingdoms, by photo and number. `missing`: seats without result."""

    form: Form
    results: Mapping[tuple[str, int], Form]
    missing: tuple[Seat, ...]

    @property
    def sound(self) -> bool:
        """Nothing is missing, nothing doubtful."""
        return not self.missing and all(form["status"] == "ok" for form in self.results.values())


def games_of(seats: Iterable[Seat]) -> list[Game]:
    by_name: dict[str, list[Seat]] = {}
    for seat in seats:
        if seat.game:
            by_name.setdefault(seat.game, []).append(seat)
    return [
        Game(name, next((seat.event for seat in of_game if seat.event), ""), tuple(of_game))
        for name, of_game in by_name.items()
    ]


def play(out: Path, game: Game, result_of: Callable[[Seat], Form | None]) -> Played:
    """The game scored anew, or as its record says if no kingdom of it has changed."""
    found = {(seat.source, seat.kingdom): form for seat in game.seats if (form := result_of(seat))}
    missing = tuple(seat for seat in game.seats if (seat.source, seat.kingdom) not in found)
    key = record.digest([FORMAT, game.name, game.event, len(missing), list(found.values())])
    path = out / record.FOLDER / "games" / f"{record.digest(game.name)[:32]}.json"
    try:
        kept = json.loads(path.read_bytes())
        if kept["key"] == key and kept["checksum"] == record.digest([kept["game"], kept["results"]]):
            return Played(kept["game"], dict(zip(found, kept["results"], strict=True)), missing)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    form, results = _score(game, list(found.values()), complete=not missing)
    make_folder(path.parent)
    kept = {"key": key, "checksum": record.digest([form, results]), "game": form, "results": results}
    write_bytes(path, json.dumps(kept).encode(), out / record.NEW)
    return Played(form, dict(zip(found, results, strict=True)), missing)


def _score(game: Game, forms: Sequence[Form], complete: bool) -> tuple[Form, list[Form]]:
    about = {"format": FORMAT, "game": game.name, "event": game.event or None, "complete": complete}
    if not forms:
        return {**about, "score": None}, []
    kingdoms = [replace(Kingdom.parse(form["notation"]), source=form["source"]) for form in forms]
    stated = [rules for seat in game.seats if (rules := seat.stated().get("rules"))]
    # Where nobody says what was played, the largest box that any photo shows.
    rules = stated[0] if stated else max((form["rules"] for form in forms), key=list(RULE_SETS).index)
    doubts = [[_doubt(doubt) for doubt in form["doubts"] if doubt["code"] not in OF_SCORING] for form in forms]
    table = score([replace(kingdom, rules=rules) for kingdom in kingdoms], doubts=doubts, whole=complete)
    scored = as_json(table)
    results = []
    for form, pad, own, read in zip(forms, table.players, scored["players"], doubts, strict=True):
        status = status_of(pad, bool(read), form["corrected"])
        stated_by_game = {"status": status, "rules": rules, "game": game.name, "event": game.event or None}
        results.append({**form, **own, **stated_by_game, "place": place_of(pad.player, table.ranking)})
    return {**about, "score": scored}, results


def place_of(player: str, ranking: Sequence[Sequence[str]]) -> int:
    """The place of a player; after two who share the first comes the third."""
    before = 1
    for names in ranking:
        if player in names:
            break
        before += len(names)
    return before


def _doubt(form: Form) -> Doubt:
    """A reading's doubt from its form."""
    text = Message(form["why"].replace("{", "{{").replace("}", "}}"), {})
    if "square" not in form:
        return Doubt(form["code"], text, confidence=form.get("confidence"), needed=False)
    alternatives = (form["or"],) if "or" in form else ()
    row, column = form["square"]
    return Doubt(form["code"], text, (row, column), form["read"], alternatives, form.get("confidence"), needed=False)


def tournament(games: Sequence[Played]) -> dict[str, Series]:
    """The table of each event, by the rules of a series: totals added, then games won."""
    events: dict[str, list[Score]] = {}
    for game in games:
        if game.form["event"] and game.form["score"]:
            events.setdefault(game.form["event"], []).append(_result(game.form["score"]))
    return {event: series(results) for event, results in events.items()}


def _result(form: Form) -> Score:
    """What a series needs of a game's score."""
    players = tuple(
        PlayerScore(
            player=pad["player"],
            source=pad["source"],
            total=pad["total"],
            rows=pad["rows"],
            territories=(),
            largest_territory=pad["largest_territory"],
            queen_choices=(),
            crowns=pad["crowns"],
            hosts_queen=pad["hosts_queen"],
            wins_queen_ties=False,
            explanation=(),
        )
        for pad in form["players"]
    )
    return Score(form["rules"], players, form["ranking"], form["decided_by"])
