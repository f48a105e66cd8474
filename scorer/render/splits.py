"""The committed split of the photographed material into training, validation and test.

The files lie in the repository's `models/splits`; photographs themselves are found through a folder given by the
caller or by the environment variable SCORER_DATA.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Part = Literal["train", "validation", "test"]

FOLDER = Path(__file__).parents[2] / "models" / "splits"
CORRECTIONS = FOLDER.parent / "labels" / "corrections.json"
"""Labels that turned out wrong when the pictures were looked at again."""


class SplitError(Exception):
    """The split does not belong to this data."""


@dataclass(frozen=True)
class Split:
    """`by` is the label's key that groups are made by, or "name" where files are listed one by one."""

    by: str
    groups: Mapping[str, frozenset[str]]
    labels: str
    sha256: str

    def part(self, name: str, label: Mapping[str, Any] | None = None) -> Part | None:
        """The part that a file belongs to, or None when the split does not know it."""
        group = name if self.by == "name" or label is None else str(label[self.by])
        for part in ("train", "validation", "test"):
            if group in self.groups[part]:
                return part
        return None


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def split(name: str) -> Split:
    """The committed split of one kind of material, such as "squares" or "boards"."""
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    groups = {part: frozenset(stored[part]) for part in ("train", "validation", "test")}
    return Split(stored["by"], groups, stored.get("labels", ""), stored.get("sha256", ""))


@cache
def labels(data: Path, name: str, part: Part) -> dict[str, Any]:
    """The label entries of one part, corrected; refuses label files other than those the split was made for."""
    chosen = split(name)
    path = data / chosen.labels
    if sha256(path) != chosen.sha256:
        raise SplitError(f"{path} is not the file that the split was made for: make the splits anew")
    entries = json.loads(path.read_text(encoding="utf-8"))
    for file, right in json.loads(CORRECTIONS.read_text(encoding="utf-8")).get(name, {}).items():
        entries[file]["label"] = right
    return {file: label for file, label in entries.items() if chosen.part(file, label) == part}


def data_folder() -> Path | None:
    """The folder of photographs named by SCORER_DATA, or None."""
    named = os.environ.get("SCORER_DATA")
    return Path(named) if named else None
