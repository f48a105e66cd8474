"""Loads the networks that ship with the package.

A model is read whole into memory and compared with the checksum pinned here before any parser sees it, so a
swapped or damaged file is refused; a model that refers to data outside itself is refused too.
"""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.errors import ModelError

if TYPE_CHECKING:
    import onnxruntime  # type: ignore[import-untyped]

PACKAGE = Path(__file__).resolve().parent.parent
# Installed, the models lie inside the package; in the repository beside it.
FOLDER = next((path for path in (PACKAGE / "models", PACKAGE.parent / "models") if path.is_dir()), PACKAGE / "models")

CHECKSUMS = {
    "buildings": "9115014b9a354eadd0476de8789e838e37bffd82d6bb7f3920ea67923c4c89f1",
    "classify": "2eb2b537c78115697eaa5a50aced2eaecec22f40e9fb1a08ac779b2b658426b4",
    "context": "567a5adbf92e8f1ec49a79f559ec87c027df3924ac271bf1d0dc58b7543672c4",
    "digits": "41d4e3f9ca4d1e5ebb4c8c73ae9183d83c097908e44fcc7c29253def9e319c47",
    "locate": "f3437dd2c149b489148d0575e89c19250586d82d27dcac8ec0515c605df8227e",
    "straighten": "de91eeabde12a95611d231110098fc137cb6f4fbfc3f1d8aab32ae771a024576",
    "straighten2": "bddefa31238e0033a3f6818f09e45ef8dcc31c51315101a4cd71a814a62546d4",
    "whole": "3bdf6d651f3dc5757d973dbbf31c066c789457d06ecb508af9893b1fb3cd6127",
    "wider": "e46b08b834383b6a8b7ac6125fca894059d5cf12fc6e1eb46ed068ad334e73b6",
}
"""SHA-256 of every model, by name."""

THREADS = "SCORER_THREADS"
"""Environment variable: threads a network may use; one unless told."""


def content(name: str) -> bytes:
    """The file of a model; raises ModelError when it is missing or not the pinned one."""
    path = FOLDER / f"{name}.onnx"
    try:
        whole = path.read_bytes()
    except OSError as error:
        raise ModelError(f"model {path.name} is missing: install the package again") from error
    if hashlib.sha256(whole).hexdigest() != CHECKSUMS[name]:
        raise ModelError(f"model {path.name} has a wrong checksum: install the package again")
    return whole


def ids() -> str:
    """The models by name with the beginning of their checksums, for people to compare."""
    return ", ".join(f"{name} {checksum[:8]}" for name, checksum in sorted(CHECKSUMS.items()))


@functools.cache
def load(name: str) -> onnxruntime.InferenceSession:
    """The session of a model, made once; raises ModelError when the file is missing or not the pinned one."""
    import onnxruntime

    whole = content(name)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get(THREADS, "1"))
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        # From bytes, a model has no folder of its own: references to external data cannot be followed.
        return onnxruntime.InferenceSession(whole, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ModelError(f"model {name}.onnx cannot be used by this ONNX Runtime: {error}") from error
