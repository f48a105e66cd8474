"""Cells to train on: cut from rendered photos, or composed without a photo, which is faster.

python -m models.train.digits_cells --out FOLDER --photos 1600
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.digits_hand import entry, hand
from models.train.digits_mnist import Digits, digits
from models.train.digits_sheets import any_number, sheet_photo
from scorer.vision.pads.cells import HEIGHT, OUTSET, WIDTH, cut

SHARD = 100
"""Photos to a file of cells."""
REALISTIC = 0.25
"""Share of the photos with numbers as on a pad; in the others every digit is as frequent."""
SIZES = (1134, 1344, 1512)
STRUCK = 0.15
"""Share of composed cells with a number struck out: five times as many as people write, for a third of all errors."""


def make_cells(out: Path, photos: int) -> None:
    """Cells of rendered photos, cut where a finder that is slightly off would cut them."""
    out.mkdir(parents=True, exist_ok=True)
    source = digits("train")
    cv2.setNumThreads(1)
    for first in range(0, photos, SHARD):
        file = out / f"{first:06d}.npz"
        if file.exists():
            continue
        images, texts = [], []
        for seed in range(first, min(first + SHARD, photos)):
            rng = np.random.default_rng((seed, 1))
            photo = sheet_photo(
                seed,
                source,
                printed=bool(rng.random() < 0.5),
                training=bool(rng.random() >= REALISTIC),
                longest=int(rng.choice(SIZES)),
                least_columns=4,
            )
            row = float(np.linalg.norm(photo.quads[:, :, 3] - photo.quads[:, :, 0], axis=-1).mean())
            off = rng.normal(0, 0.025, (1, 1, 1, 2)) + rng.normal(0, 0.02, (*photo.quads.shape[:3], 2))
            cells = cut(photo.image, (photo.quads + row * off).astype(np.float32))
            images.append(cells.transpose(1, 0, 2, 3).reshape(-1, HEIGHT, WIDTH))
            texts += [text for column in photo.texts for text in column]
        np.savez(file, images=np.concatenate(images), texts=np.array(texts))
        print(file, len(texts), flush=True)


def load_cells(folder: Path) -> tuple[NDArray[np.uint8], NDArray[np.str_]]:
    shards = [np.load(file) for file in sorted(folder.glob("*.npz"))]
    return np.concatenate([s["images"] for s in shards]), np.concatenate([s["texts"] for s in shards])


def compose(count: int, source: Digits, rng: np.random.Generator) -> tuple[NDArray[np.uint8], NDArray[np.str_]]:
    """Cells with numbers as `cut` would give them: uint8 (count, HEIGHT, WIDTH), and what they say."""
    texts = [any_number(rng) for _ in range(count)]
    return np.stack([_composed(text, source, rng) for text in texts]), np.array(texts)


def _composed(text: str, source: Digits, rng: np.random.Generator) -> NDArray[np.uint8]:
    row = HEIGHT / (1 + 2 * OUTSET)
    width = row * float(rng.uniform(1.3, 2.8))
    cell = np.zeros((HEIGHT, WIDTH), np.float32)
    ruled = float(rng.uniform(0.2, 0.9))
    middle = np.array([WIDTH / 2, HEIGHT / 2]) + rng.normal(0, 0.8, 2)
    for side in (-1, 1):
        thick = int(rng.integers(1, 3))
        lean = float(rng.normal(0, 0.7))
        y, x = middle[1] + side * row / 2, middle[0] + side * width / 2
        cv2.line(cell, (0, round(y - lean)), (WIDTH, round(y + lean)), ruled, thick, cv2.LINE_AA)
        cv2.line(cell, (round(x - lean), 0), (round(x + lean), HEIGHT), ruled, thick, cv2.LINE_AA)
    shape = entry(text, hand(rng), round(row), source, rng, STRUCK)
    room = min(width, WIDTH) * 0.94
    if shape.shape[1] > room:
        fit = room / shape.shape[1]
        shape = cv2.resize(shape, None, fx=fit, fy=fit, interpolation=cv2.INTER_AREA)
    free = np.maximum(0, [(room - shape.shape[1]) / 2, (row - shape.shape[0]) / 2])
    x, y = middle - np.array(shape.shape[::-1]) / 2 + free * np.clip(rng.normal(0, 0.35, 2), -0.9, 0.9)
    shift = np.array([[1, 0, x], [0, 1, y]], np.float32)
    written = cv2.warpAffine(shape, shift, (WIDTH, HEIGHT)) * float(rng.uniform(0.35, 0.95))
    seen = cv2.GaussianBlur(np.maximum(cell, written), (0, 0), float(rng.uniform(0.3, 0.95)))
    return np.clip(255 * seen, 0, 255).astype(np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("runs/digits/cells"))
    parser.add_argument("--photos", type=int, default=1600)
    options = parser.parse_args()
    make_cells(options.out, options.photos)


if __name__ == "__main__":
    main()
