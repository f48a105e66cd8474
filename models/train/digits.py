"""Trains the network that reads handwritten numbers and writes it to ``models/``.

    python -m models.train.digits_cells --out FOLDER --photos 400       cells of rendered photos
    python -m models.train.digits train --cells FOLDER --steps 2650
    python -m models.train.digits export

One thread; an interrupted training goes on from its last checkpoint.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.train.course import MODELS, rate, write_onnx
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
SAVE_SECONDS = 60.0


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

        self.body = nn.Sequential(
            block(1, 16, 5, 2),
            block(16, 32, 3, (2, 1)),
            block(32, 48, 3),
            block(48, 64, 3, (2, 1)),
            block(64, 128, (4, 5)),
            nn.Dropout(0.05),
        )
        self.head = nn.Conv1d(128, len(SYMBOLS), 1)

    def forward(self, cells: Tensor) -> Tensor:
        seen = self.body(cells).squeeze(2)
        return functional.log_softmax(self.head(seen).transpose(1, 2), dim=2)


def vary(cells: Tensor, generator: torch.Generator) -> Tensor:
    """Cells (N, 1, 32, 64): shifted, stretched, sheared, fainter or stronger, noisy."""
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
    moved = functional.grid_sample(cells, grid, align_corners=False)
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


def train(folder: Path, steps: int, work: Path) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    images, texts = load_cells(folder)
    source = digits("train")
    network = NumberNet().to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(network.parameters(), PEAK, weight_decay=1e-3)
    step = 0
    work.mkdir(parents=True, exist_ok=True)
    state = work / "digits.pt"
    if state.exists():
        saved = torch.load(state, weights_only=True)
        network.load_state_dict(saved["network"])
        optimiser.load_state_dict(saved["optimiser"])
        step = saved["step"]
        generator.manual_seed(step)
    start = saved_at = time.monotonic()
    print(f"{len(images)} cells, {sum(p.numel() for p in network.parameters())} parameters", flush=True)
    while step < steps:
        for group in optimiser.param_groups:
            group["lr"] = rate(PEAK, step, steps, warm=100)
        network.train()
        fresh, wanted = compose(round(COMPOSED * BATCH), source, np.random.default_rng(step))
        chosen = torch.randint(VALIDATION, len(images), (BATCH - len(fresh),), generator=generator).numpy()
        cells = torch.from_numpy(np.concatenate([images[chosen], fresh]))[:, None].float() / 255
        cells = vary(cells, generator).to(memory_format=torch.channels_last)
        loss = loss_of(network, cells, np.concatenate([texts[chosen], wanted]))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        step += 1
        if step % 500 == 0 or step == steps:
            network.eval()
            with torch.no_grad():
                shown = torch.from_numpy(images[:VALIDATION])[:, None].float() / 255
                read = [text for part in shown.split(512) for text in greedy(network(part))]
            right = np.mean([a == b for a, b in zip(read, texts[:VALIDATION], strict=True)])
            print(
                f"{step} {time.monotonic() - start:.0f} s, loss {loss.item():.4f}, cells right {right:.4f}", flush=True
            )
        if time.monotonic() - saved_at > SAVE_SECONDS or step == steps:
            saved_at = time.monotonic()
            torch.save({"network": network.state_dict(), "optimiser": optimiser.state_dict(), "step": step}, state)


def export(work: Path, models: Path) -> None:
    network = NumberNet()
    network.load_state_dict(torch.load(work / "digits.pt", weights_only=True)["network"])
    example = torch.zeros(2, 1, HEIGHT, WIDTH)
    write_onnx(network, example, models / "digits.onnx", "cells", ["places"], {0: "count"}, halved=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["train", "export"])
    parser.add_argument("--cells", type=Path, default=Path("runs/digits/cells"))
    parser.add_argument("--steps", type=int, default=2650)
    parser.add_argument("--work", type=Path, default=Path("runs/digits"))
    parser.add_argument("--models", type=Path, default=MODELS)
    options = parser.parse_args()
    if options.task == "train":
        train(options.cells, options.steps, options.work)
    else:
        export(options.work, options.models)


if __name__ == "__main__":
    main()
