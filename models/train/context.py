"""Trains the network that reads the squares of a photo together.

    python -m models.train.context train --sets FOLDER      FOLDER as models.train.context_sets wrote it
    python -m models.train.context export

It learns what to add to the answers of the network for single squares, which stays as it is.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from models.train.classify_crops import UNKNOWN
from models.train.classify_network import EMBEDDING, TERRAIN_CLASSES
from models.train.context_sets import Company, load
from models.train.course import Course, arguments, schedule, take_over_linear, write_onnx

SHOWN = EMBEDDING + TERRAIN_CLASSES + 5
WIDTH, HEADS, BLOCKS, DROPPED = 48, 3, 2, 0.15
BATCH, MOST_SQUARES = 24, 120
REAL = 0.25
"""Share of photographed squares and boards in a batch."""
PEAK = 2e-3


class _Block(nn.Module):
    """Every square compared with every other, then thought over by itself (pre-norm transformer, Xiong et al. 2020)."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.asked, self.told = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.own = nn.Sequential(
            nn.Linear(WIDTH, 2 * WIDTH), nn.ReLU(), nn.Dropout(DROPPED), nn.Linear(2 * WIDTH, WIDTH)
        )

    def forward(self, x: Tensor, absent: Tensor) -> Tensor:
        """x (B, N, WIDTH); absent (B, 1, 1, N): -inf where there is no square, 0 elsewhere."""
        batch, count, _ = x.shape
        q, k, v = self.asked(self.before(x)).reshape(batch, count, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        weight = (q @ k.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + absent).softmax(-1)
        x = x + self.told((weight @ v).transpose(1, 2).reshape(batch, count, WIDTH))
        return x + self.own(self.between(x))


class ContextNet(nn.Module):
    """What `scorer.vision.context` shows of all N squares of a photo, (N, SHOWN), to what is to be added to the logits
    of their terrains, (N, 9)."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("middle", torch.zeros(SHOWN))
        self.register_buffer("spread", torch.ones(SHOWN))
        self.drop = nn.Dropout(DROPPED)
        self.enter = nn.Linear(SHOWN, WIDTH)
        self.blocks = nn.ModuleList(_Block() for _ in range(BLOCKS))
        self.leave = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, TERRAIN_CLASSES))
        nn.init.zeros_(self.leave[1].weight)
        nn.init.zeros_(self.leave[1].bias)

    def fit_scale(self, sets: list[Company]) -> None:
        every = torch.from_numpy(np.concatenate([one.shown for one in sets]))
        self.middle, self.spread = every.mean(0), every.std(0) + 0.1

    def forward(self, shown: Tensor, absent: Tensor | None = None) -> Tensor:
        x = shown if shown.dim() == 3 else shown[None]
        x = self.enter(self.drop((x - self.middle) / self.spread))
        masked = torch.zeros(1, 1, 1, 1) if absent is None else absent
        for block in self.blocks:
            x = block(x, masked)
        x = self.leave(x)
        return x if shown.dim() == 3 else x[0]


def batch_of(sets: list[Company], rng: np.random.Generator | None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """shown, said, terrain and absent of several photos; with rng, of each only a part of the squares, at random."""
    parts = []
    for one in sets:
        count = len(one.terrain)
        most = min(count, MOST_SQUARES) if rng is None else min(MOST_SQUARES, int(count * rng.uniform(0.4, 1.0)) + 1)
        which = np.arange(count)[:most] if rng is None else rng.permutation(count)[:most]
        parts.append((one.shown[which], one.said[which], one.terrain[which]))
    longest = max(len(terrain) for *_, terrain in parts)
    shown = torch.zeros(len(parts), longest, SHOWN)
    said = torch.zeros(len(parts), longest, TERRAIN_CLASSES)
    terrain = torch.full((len(parts), longest), UNKNOWN)
    absent = torch.full((len(parts), 1, 1, longest), float("-inf"))
    for i, (a, b, c) in enumerate(parts):
        shown[i, : len(c)], said[i, : len(c)] = torch.from_numpy(a), torch.from_numpy(b)
        terrain[i, : len(c)] = torch.from_numpy(c.astype(np.int64))
        absent[i, ..., : len(c)] = 0
    return shown, said, terrain, absent


def loss(net: nn.Module, batch: tuple[Tensor, Tensor, Tensor, Tensor]) -> Tensor:
    shown, said, terrain, absent = batch
    logits = said + net(shown, absent)
    return nn.functional.cross_entropy(logits.flatten(0, 1), terrain.flatten(), ignore_index=UNKNOWN)


def validate(net: nn.Module, sets: list[Company]) -> dict[str, float]:
    """Squares wrong alone and together, in ten thousand, and the loss."""
    net.eval()
    wrong, count, total = np.zeros(2), 0, 0.0
    with torch.no_grad():
        for begin in range(0, len(sets), 16):
            batch = batch_of(sets[begin : begin + 16], None)
            shown, said, terrain, absent = batch
            asked = terrain != UNKNOWN
            together = said + net(shown, absent)
            total += float(loss(net, batch)) * int(asked.sum())
            count += int(asked.sum())
            wrong += [float(((logits.argmax(-1) != terrain) & asked).sum()) for logits in (said, together)]
    net.train()
    alone, together_wrong = wrong / count * 1e4
    return {"alone": round(alone, 1), "together": round(together_wrong, 1), "loss": round(total / count, 5)}


def train(folder: Path, work: Path, steps: int, seed: int, threads: int, start: Path | None, peak: float) -> None:
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    files = sorted(folder.glob("scenes-*.npz"))
    kept = max(1, len(files) // 20)
    scenes = [one for path in files[kept:] for one in load(path)]
    held = {
        "scenes": [one for path in files[:kept] for one in load(path)],
        "real": load(folder / "real-validation.npz"),
    }
    real = load(folder / "real-train.npz")
    net = ContextNet()
    net.fit_scale(scenes)
    if start is not None:
        take_over_linear(net, start)
    course = Course(net, work / "context.pt", steps, peak, 100, 0.002)
    while course.step < steps:
        chosen = [
            sets[int(rng.integers(len(sets)))]
            for sets, share in ((scenes, 1 - REAL), (real, REAL))
            for _ in range(round(BATCH * share))
        ]
        value = loss(net, batch_of(chosen, rng))
        course.learn(value)
        if course.due():
            average = course.average.module
            course.save(loss=round(value.item(), 4), **{name: validate(average, sets) for name, sets in held.items()})


def export(work: Path, models: Path) -> None:
    net = ContextNet()
    net.load_state_dict(torch.load(work / "context.pt")["best"])
    write_onnx(net, torch.zeros(30, SHOWN), models / "context.onnx", "shown", ["terrain"], {0: "n"}, bits=16)


def main() -> None:
    parser = arguments(__doc__, ["train", "export"], "build/context-work", 6000, PEAK)
    parser.add_argument("--sets", type=Path, help="folder that models.train.context_sets wrote")
    options = parser.parse_args()
    if options.task == "export":
        export(options.work, options.models)
    else:
        train(options.sets, **schedule(options))


if __name__ == "__main__":
    main()
