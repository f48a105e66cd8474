"""Boards and scores in the user's words: what templates and scripts show, ready made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scorer.errors import ScorerError
from scorer.pad import row_name, verdict
from scorer.rules import Doubt, PlayerScore, Score, Square
from scorer.rules.catalogue import BUILDINGS, CHARACTERS, COURT_BUILDINGS, RESOURCES
from scorer.rules.doubt import IfDoubt
from scorer.rules.kingdom import MEEPLES, UNKNOWN, Place
from scorer.rules.message import Message, Term
from scorer.rules.notation import parse_square, square_text
from scorer.texts import Translate
from scorer.web.board import NUMBERS
from scorer.web.game import Game
from scorer.web.words import WORDS

MAX_CHOICES = 6
"""Alternatives of a doubt that get a button of their own; beyond, the square is set by hand."""


class Words:
    """The page's texts in one language: `words("undo")`."""

    def __init__(self, say: Translate) -> None:
        self.say = say

    def __call__(self, name: str, /, **values: Any) -> str:
        return self.say(Message(WORDS[name].template, values))

    def error(self, error: Exception) -> str:
        """What went wrong, without the name of the input: the page has only one at a time."""
        message = error.message if isinstance(error, ScorerError) else str(error)
        return self.say(message) if isinstance(message, Message) else message

    def term(self, name: str) -> str:
        """A name out of the rules' data."""
        return self.say(Term(name))

    def row(self, row: str) -> str:
        return row_name(row, self.say)


def square_name(square: Square, words: Words) -> str:
    """A square with everything on it, in words."""
    if square.unknown:
        name = words("unknown")
    elif square.castle:
        name = words("castle")
    elif square.terrain is None:
        name = words("empty")
    elif square.building is not None:
        kind = words("unknown_building") if square.building == UNKNOWN else words.term(BUILDINGS[square.building].name)
        name = f"{words.term(square.terrain)}, {kind}" + (f", {words('turned_over')}" if square.turned else "")
    else:
        name = words.term(square.terrain)
        if square.crowns is None:
            name = words("with_unknown_crowns", what=name)
        elif square.crowns:
            name = words("with_crowns", what=name, count=square.crowns)
    return ", ".join([name, *_standing(square, words)])


def _standing(square: Square, words: Words) -> Iterable[str]:
    for name in MEEPLES:
        if count := getattr(square, name):
            yield words(name) + (f" × {count}" if count > 1 else "")
    yield from (words.term(RESOURCES[name].name) for name in square.resources)
    for tile, turned in square.court:
        yield words.term((CHARACTERS.get(tile) or COURT_BUILDINGS[tile]).name) + (
            f", {words('turned_over')}" if turned else ""
        )


def square_view(square: Square, place: Place, words: Words) -> dict[str, Any]:
    """A square for the page's scripts: which picture, what on it, and how it is called."""
    if square.terrain is not None:
        art: str = square.terrain
    else:
        art = "castle" if square.castle else "unknown" if square.unknown else "empty"
    what = square_name(square, words)
    return {
        "cell": square_text(square),
        "art": art,
        "crowns": square.crowns,
        "building": square.building,
        "turned": square.turned,
        "pieces": {name: getattr(square, name) for name in MEEPLES if getattr(square, name)},
        "resource": square.resources[0] if square.resources else "",
        "court": square.court[0].id + ("~" if square.court[0].turned else "") if square.court else "",
        "label": words("at_place", row=place[0] + 1, column=place[1] + 1, what=what),
    }


def board_view(game: Game, number: int, result: Score | None, words: Words, size: tuple[int, int]) -> dict[str, Any]:
    """Everything the page shows of one seat; `size` is that of its photo."""
    seat = game.seats[number]
    board = seat.board
    player = player_of(game, number, result)
    kingdom = board.kingdom
    return {
        "version": game.version,
        "name": seat.name,
        "rows": kingdom.height,
        "columns": kingdom.width,
        "laid": board.laid,
        "squares": [
            [square_view(square, (r, c), words) for c, square in enumerate(row)] for r, row in enumerate(kingdom.rows)
        ],
        "territories": [
            {
                "terrain": territory.terrain,
                "squares": territory.squares,
                "points": territory.points,
                "sum": f"{territory.size} × {territory.crowns} = {territory.points}",
            }
            for territory in (player.territories if player else ())
        ],
        "photo": board.photo and {"src": f"/photo/{board.photo}.jpg", "width": size[0], "height": size[1]},
        "corners": board.corners,
        "numbers": {key: getattr(kingdom, key) or 0 for key in NUMBERS},
        "total": player.total if player else None,
        "points": words("points", points=player.total) if player else words("no_kingdom_yet"),
        "doubts": list(doubt_views(player, words)) if player else [],
        "problems": [
            {"text": _placed(problem.square, words.say(problem.text), words), "square": problem.square}
            for problem in (player.problems if player else ())
        ],
        "notes": [note_view(note, words) for note in board.notes],
        "undo": seat.can_undo,
        "redo": seat.can_redo,
    }


def note_view(note: Message, words: Words) -> str:
    """A remark on a reading."""
    # What the command line does by an option is a button here.
    if "--same" in note.template:
        return words("one_more_photo", part=words.say(note.values["part"]))
    return words.say(note)


def player_of(game: Game, number: int, result: Score | None) -> PlayerScore | None:
    """The pad of a seat, if it has a kingdom."""
    if result is None or number not in game.laid:
        return None
    return result.players[game.laid.index(number)]


def doubt_views(player: PlayerScore, words: Words) -> Iterable[dict[str, Any]]:
    effects = {effect.doubt: effect for effect in player.if_doubts}
    for number, doubt in enumerate(player.doubts):
        yield {
            "square": doubt.square,
            # What was seen beside the kingdom is confirmed by its number.
            "number": number if doubt.code in ("beside", "beyond") else None,
            "text": doubt_text(doubt, words),
            "choices": [loose_view(cell, words) for cell in _choices(doubt)],
            "effect": effect_text(player, effects.get(number), words),
            "winner_changes": number in effects and effects[number].winner_changes,
        }


def _choices(doubt: Doubt) -> list[str]:
    if doubt.square is None or doubt.code == "unknown-square" or len(doubt.alternatives) >= MAX_CHOICES:
        return []
    return [doubt.read, *doubt.alternatives]


def loose_view(cell: str, words: Words) -> dict[str, Any]:
    """A square that lies nowhere: a choice, or a tile shown by itself."""
    square = parse_square(cell)
    return {**square_view(square, (0, 0), words), "label": square_name(square, words)}


def doubt_text(doubt: Doubt, words: Words) -> str:
    """A doubt with the names of squares, not their codes."""
    if doubt.square is None:
        return words.say(doubt.text)
    if doubt.code == "unknown-square":
        text = words("not_known")
    elif not doubt.alternatives:
        text = words.say(doubt.text)
    else:
        read = square_name(parse_square(doubt.read), words)
        other = ", ".join(square_name(parse_square(cell), words) for cell in doubt.alternatives)
        text = words("read_as_or", read=read, other=other)
        if f"why_{doubt.code}" in WORDS:
            text += " " + words(f"why_{doubt.code}")
    return _placed(doubt.square, text, words)


def _placed(square: Place | None, what: str, words: Words) -> str:
    return what if square is None else words("at_place", row=square[0] + 1, column=square[1] + 1, what=what)


def effect_text(player: PlayerScore, effect: IfDoubt | None, words: Words) -> str:
    """What a doubt, settled another way, would make of total and winner."""
    if effect is None:
        return ""
    totals = sorted({other.total for other in effect.alternatives} - {player.total})
    if not totals:
        return words("no_difference")
    if len(totals) == 1:
        text = words("could_be", player=player.player, total=totals[0])
    else:
        text = words("could_be_range", player=player.player, least=totals[0], most=totals[-1])
    return f"{text}; {words('winner_could_change' if effect.winner_changes else 'winner_stays')}"


def pad_view(game: Game, result: Score, words: Words) -> dict[str, Any]:
    """The table's pad: a line for each row, a number for each player with its reasons."""
    winners = result.winners if len(result.players) > 1 else []
    return {
        "verdict": verdict(result, words.say),
        "players": [
            {
                "seat": seat,
                "name": player.player,
                "colour": game.seats[seat].colour,
                "won": player.player in winners,
                "queen": player.hosts_queen,
                "total": player.total,
            }
            for seat, player in zip(game.laid, result.players, strict=True)
        ],
        "lines": [
            {"row": row, "name": words.row(row), "cells": [_cell(row, p, words) for p in result.players]}
            for row in result.players[0].rows
        ],
    }


def _cell(row: str, player: PlayerScore, words: Words) -> dict[str, Any]:
    items = [item for item in player.explanation if item.row == row]
    return {
        "points": player.rows[row],
        "reasons": [{"text": words.say(item.reason), "squares": item.squares} for item in items],
    }
