"""The rules: kingdoms in, points and reasons out. Nothing here knows of pixels, files or screens."""

from .doubt import Doubt
from .kingdom import Kingdom, Square
from .notation import Fault, NotationError, parse, to_text
from .problem import Problem
from .score import PlayerScore, Score, as_json, score

__all__ = [
    "Doubt",
    "Fault",
    "Kingdom",
    "NotationError",
    "PlayerScore",
    "Problem",
    "Score",
    "Square",
    "as_json",
    "parse",
    "score",
    "to_text",
]
