"""The rules: kingdoms in, points and reasons out. Nothing here knows of pixels, files or screens."""

from .doubt import Doubt
from .form import as_json
from .kingdom import Kingdom, Square
from .notation import Fault, NotationError, parse, to_text
from .problem import Problem
from .score import PlayerScore, Score, score

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
