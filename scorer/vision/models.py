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
    "buildings": "813898516487ae2cf36fb3fe8a9654b7f4e19a6affcdce4b8d5bc2b4b45d9548",
    "classify": "b80f69ff53383b9c42c6e3d4dca8156221a5fce82322c6ec0922c3fe3315ff53",
    "context": "fa3ffe04329c17d2d5be35b83c2acbe65e5a57c0bc091d6d2c5fa509c7427d1a",
    "digits": "509719ba59c8f086b737032ab399424b86e8819fcf7faee94b173e7e9f84d1e9",
    "locate": "414968a0e9addfbe42db4ce34477acba7d9482bc6b8230790aae3ecf3a3d325e",
    "straighten": "3b88bf53b75c41eea94574844262378c57d6a68587726793c3ffe91f4d666cb1",
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
