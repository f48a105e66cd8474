"""Writes the split files: which photographs may be trained on, and which are kept for honest tests.

    python -m models.splits.make --data FOLDER

Whole sittings, games and pictures are held out, never single squares of them: two squares of one photo share
light, camera and often the very domino.
"""

from __future__ import annotations

import argparse
import json
import zlib
from pathlib import Path

from scorer.render.splits import FOLDER, sha256

TEST_GAMES = ("5", "6")
# Saturated daylight, plain daylight, grey with glare, warm lamp with castles, cool and greenish.
TEST_SITTINGS = ("I3", "I14", "UN", "D20180512", "I9")
VALIDATION_SITTINGS = ("kd", "D20180405")
TEST_TEXTURES = (0, 1, 5, 10, 15)  # checksum of the name modulo 20: a quarter
TEST_PICTURES = ("16", "17", "18", "24")  # the Queendomino kingdom


def _by_label(
    data: Path, labels: str, key: str, test: tuple[str, ...], validation: tuple[str, ...] = ()
) -> dict[str, object]:
    path = data / labels
    groups = sorted({str(label[key]) for label in json.loads(path.read_text(encoding="utf-8")).values()})
    return {
        "labels": labels,
        "sha256": sha256(path),
        "by": key,
        "train": [g for g in groups if g not in test + validation],
        "validation": [g for g in groups if g in validation],
        "test": [g for g in groups if g in test],
    }


def _by_name(names: list[str], test: list[str], **about: str) -> dict[str, object]:
    return {**about, "by": "name", "train": [n for n in names if n not in test], "validation": [], "test": test}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    data: Path = parser.parse_args().data
    textures = sorted(file.name for file in (data / "textures").iterdir())
    pictures = sorted(file.name for file in (data / "queendomino" / "photos").iterdir())
    crops = sorted(file.name for file in (data / "queendomino" / "crops").iterdir())
    photos = sorted(file.name for file in (data / "photos").iterdir())
    dominoes = sorted(json.loads((data / "dominoes.json").read_text(encoding="utf-8")))
    splits = {
        "boards": _by_label(data, "boards.json", "game", TEST_GAMES),
        "boards_loose": _by_label(data, "boards_loose.json", "game", TEST_GAMES),
        "squares": _by_label(data, "squares.json", "sitting", TEST_SITTINGS, VALIDATION_SITTINGS),
        "textures": _by_name(textures, [n for n in textures if zlib.crc32(n.encode()) % 20 in TEST_TEXTURES]),
        "dominoes": _by_name(dominoes, [], labels="dominoes.json", sha256=sha256(data / "dominoes.json")),
        "photos": _by_name(photos, photos, labels="photos.json", sha256=sha256(data / "photos.json")),
        "queendomino_photos": _by_name(
            pictures,
            [n for n in pictures if Path(n).stem in TEST_PICTURES],
            labels="queendomino/photos.json",
            sha256=sha256(data / "queendomino" / "photos.json"),
        ),
        "queendomino_crops": _by_name(crops, [n for n in crops if Path(n).stem.rpartition("__p")[2] in TEST_PICTURES]),
    }
    for name, split in splits.items():
        (FOLDER / f"{name}.json").write_text(json.dumps(split, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
