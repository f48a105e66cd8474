"""Scores Kingdomino and Queendomino kingdoms: `read_photo`, `Kingdom` and `score` are all most programs need."""

from typing import Any

from scorer.rules import Kingdom, score

__all__ = ["Kingdom", "read_photo", "score"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Loads the photo reader when first asked for: the rules work without OpenCV, NumPy and ONNX Runtime."""
    if name == "read_photo":
        from scorer.vision.reading import read_photo

        return read_photo
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
