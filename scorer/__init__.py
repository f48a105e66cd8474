"""Scores Kingdomino and Queendomino kingdoms: `Kingdom` and `score` are all most programs need."""

from scorer.rules import Kingdom, score

__all__ = ["Kingdom", "score"]
__version__ = "0.1.0"
