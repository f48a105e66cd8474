"""The score as data: the `score/1` form."""

from collections.abc import Iterable
from typing import Any

from .doubt import Doubt
from .kingdom import Place
from .score import PlayerScore, Score


def _squares(places: Iterable[Place]) -> list[list[int]]:
    return [list(place) for place in places]


def as_json(result: Score) -> dict[str, Any]:
    """The `score/1` form, ready for JSON."""
    return {
        "format": result.format,
        "rules": result.rules,
        "players": [_player_json(player) for player in result.players],
        "ranking": result.ranking,
        "decided_by": result.decided_by,
    }


def _player_json(player: PlayerScore) -> dict[str, Any]:
    return {
        "player": player.player,
        "source": player.source,
        "total": player.total,
        "rows": player.rows,
        "territories": [
            {**territory._asdict(), "squares": _squares(territory.squares)} for territory in player.territories
        ],
        "largest_territory": player.largest_territory,
        "crowns": player.crowns,
        "hosts_queen": player.hosts_queen,
        "queen_choices": list(player.queen_choices),
        "explanation": [
            {"row": item.row, "points": item.points, "text": item.text, "squares": _squares(item.squares)}
            for item in player.explanation
        ],
        "problems": [
            {"code": p.code, "message": p.message, "square": None if p.square is None else list(p.square)}
            for p in player.problems
        ],
        "doubts": [_doubt_json(doubt) for doubt in player.doubts],
        "if_doubts": [
            {
                "doubt": other.doubt,
                "total": other.total,
                "winner_changes": other.winner_changes,
                "alternatives": [
                    {"or": o.choice, "total": o.total, "winner_changes": o.winner_changes} for o in other.alternatives
                ],
            }
            for other in player.if_doubts
        ],
    }


def _doubt_json(doubt: Doubt) -> dict[str, Any]:
    form: dict[str, Any] = {"code": doubt.code, "why": doubt.why}
    if doubt.square is not None:
        form |= {"square": list(doubt.square), "read": doubt.read}
    if len(doubt.alternatives) == 1:
        form["or"] = doubt.alternatives[0]
    if doubt.confidence is not None:
        form["confidence"] = doubt.confidence
    if doubt.between:
        form["between"] = list(doubt.between)
    return form
