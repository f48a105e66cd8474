"""Trains the network that reads handwritten numbers and writes it to ``models/``.

python -m models.train.digits_cells --out FOLDER --photos 1600       cells of rendered photos
python -m models.train.digits train --cells FOLDER
python -m models.train.digits export
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.train.blocks import Residual
from models.train.course import Course, arguments, schedule, take_over, write_onnx
from models.train.digits_cells import compose, load_cells
from models.train.digits_mnist import digits
from scorer.vision.pads.cells import HEIGHT, WIDTH
from scorer.vision.pads.numbers import SYMBOLS

VALIDATION = 2000
"""Cells held back."""
COMPOSED = 0.6
"""Share of a batch that is composed anew, the rest from rendered photos."""
BATCH = 128
PEAK = 3e-3
WARP = 0.025
"""How far strokes are bent, in half widths of a cell."""


class NumberNet(nn.Module):
    """Cells (N, 1, 32, 64), 0..1, to log-probabilities of symbols at 32 places from left to right (N, 32, symbols)."""

    def __init__(self) -> None:
        super().__init__()

        def block(
            inside: int, outside: int, kernel: int | tuple[int, int], stride: int | tuple[int, int] = 1
        ) -> nn.Sequential:
            padding = kernel // 2 if isinstance(kernel, int) else (0, kernel[1] // 2)
            return nn.Sequential(
                nn.Conv2d(inside, outside, kernel, stride, padding, bias=False), nn.BatchNorm2d(outside), nn.ReLU()
            )

        self.body = nn.ModuleList(
            [
                block(1, 16, 5, 2),
                block(16, 32, 3, (2, 1)),
                block(32, 48, 3),
                block(48, 64, 3, (2, 1)),
                block(64, 128, (4, 5)),
            ]
        )
        self.added = nn.ModuleList(
            [Residual(16), Residual(32), Residual(48), nn.Sequential(Residual(64), Residual(64))]
        )
        self.drop = nn.Dropout(0.05)
        self.head = nn.Conv1d(128, len(SYMBOLS), 1)

    def forward(self, cells: Tensor) -> Tensor:
        seen = cells
        for block, added in zip(self.body, [*self.added, self.drop], strict=True):
            seen = added(block(seen))
        return functional.log_softmax(self.head(seen.squeeze(2)).transpose(1, 2), dim=2)


def vary(cells: Tensor, generator: torch.Generator) -> Tensor:
    """Cells (N, 1, 32, 64): shifted, stretched, sheared, bent, fainter or stronger, noisy."""
    count = len(cells)

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(shape, generator=generator) * (high - low) + low

    theta = torch.zeros(count, 2, 3)
    theta[:, 0, 0] = 1 / uniform(0.85, 1.12, count)
    theta[:, 1, 1] = 1 / uniform(0.88, 1.1, count)
    theta[:, 0, 1] = uniform(-0.12, 0.12, count)
    theta[:, 1, 0] = uniform(-0.04, 0.04, count)
    theta[:, 0, 2] = uniform(-0.08, 0.08, count)
    theta[:, 1, 2] = uniform(-0.08, 0.08, count)
    grid = functional.affine_grid(theta, list(cells.shape), align_corners=False)
    bent = torch.randn((count, 2, 4, 8), generator=generator) * uniform(0, WARP, count, 1, 1, 1)
    bent = functional.interpolate(bent, cells.shape[2:], mode="bicubic") * torch.tensor([1.0, 2.0]).view(1, 2, 1, 1)
    moved = functional.grid_sample(cells, grid + bent.permute(0, 2, 3, 1), align_corners=False)
    moved = moved * uniform(0.65, 1.35, count, 1, 1, 1)
    noise = torch.randn(moved.shape, generator=generator) * uniform(0, 0.03, count, 1, 1, 1)
    return (moved + noise).clamp(0, 1)


def targets(texts: NDArray[np.str_]) -> tuple[Tensor, Tensor]:
    symbols = [SYMBOLS.index(character) for text in texts for character in text]
    return torch.tensor(symbols, dtype=torch.long), torch.tensor([len(text) for text in texts], dtype=torch.long)


def loss_of(network: nn.Module, cells: Tensor, texts: NDArray[np.str_]) -> Tensor:
    places = network(cells).transpose(0, 1)
    lengths = torch.full((len(texts),), places.shape[0], dtype=torch.long)
    wanted, sizes = targets(texts)
    return functional.ctc_loss(places, wanted, lengths, sizes, blank=0, zero_infinity=True)


def greedy(places: Tensor) -> list[str]:
    """The likeliest symbol of every place, repeats and gaps taken out."""
    read = []
    for row in places.argmax(dim=2).tolist():
        kept = [symbol for symbol, before in zip(row, [0, *row[:-1]], strict=True) if symbol and symbol != before]
        read.append("".join(SYMBOLS[symbol] for symbol in kept))
    return read


def validate(network: nn.Module, images: NDArray[np.uint8], texts: NDArray[np.str_]) -> float:
    """Share of cells that are read right."""
    network.eval()
    with torch.no_grad():
        shown = torch.from_numpy(images)[:, None].float() / 255
        read = [text for part in shown.split(512) for text in greedy(network(part))]
    return float(np.mean([a == b for a, b in zip(read, texts, strict=True)]))


def train(folder: Path, work: Path, steps: int, seed: int, threads: int, start: Path | None, peak: float) -> None:
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    images, texts = load_cells(folder)
    source = digits("train")
    network = NumberNet()
    if start:
        take_over(network, start, torch.from_numpy(images[:VALIDATION])[:, None].float() / 255)
    course = Course(network, work / "digits.pt", steps, peak, warm=100, newest=0.005)
    generator = torch.Generator().manual_seed(seed + course.step)
    while course.step < steps:
        fresh, wanted = compose(round(COMPOSED * BATCH), source, np.random.default_rng((seed, course.step)))
        chosen = torch.randint(VALIDATION, len(images), (BATCH - len(fresh),), generator=generator).numpy()
        cells = torch.from_numpy(np.concatenate([images[chosen], fresh]))[:, None].float() / 255
        cells = vary(cells, generator).to(memory_format=torch.channels_last)
        loss = loss_of(network, cells, np.concatenate([texts[chosen], wanted]))
        course.learn(loss)
        if course.due():
            right = validate(course.average.module, images[:VALIDATION], texts[:VALIDATION])
            course.save(loss=round(loss.item(), 4), right=round(right, 4))


def export(work: Path, models: Path) -> None:
    network = NumberNet()
    network.load_state_dict(torch.load(work / "digits.pt")["best"])
    example = torch.zeros(2, 1, HEIGHT, WIDTH)
    write_onnx(network, example, models / "digits.onnx", "cells", ["places"], {0: "count"}, bits=8)


def main() -> None:
    parser = arguments(__doc__, ["train", "export"], "runs/digits", 16000, PEAK)
    parser.add_argument("--cells", type=Path, default=Path("runs/digits/cells"))
    options = parser.parse_args()
    if options.task == "train":
        train(options.cells, **schedule(options))
    else:
        export(options.work, options.models)


if __name__ == "__main__":
    main()
