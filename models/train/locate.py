"""Trains the networks of ``scorer.vision.locate`` and writes them to ``models/``.

python -m models.train.locate spotter --scenes FOLDER --data FOLDER --steps 2600
python -m models.train.locate straightener|straightener2 --scenes FOLDER --data FOLDER --steps 1600
python -m models.train.locate export
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from models.train import locate_scenes, locate_targets
from models.train.course import Course, arguments, schedule, take_over, write_onnx
from models.train.locate_networks import SQUARE, Spotter, Straightener

NETWORKS: dict[str, type[nn.Module]] = {
    "spotter": Spotter,
    "straightener": Straightener,
    "straightener2": Straightener,
}
FILES = {"spotter": "locate", "straightener": "straighten", "straightener2": "straighten2"}
PEAK = 3e-3
FRAME = 192
"""Width and height of what the spotter is shown."""
DRAWS = 3
"""Samples taken from a scene each time it is loaded."""
REAL_SHARE = 0.06
"""Share of samples from real boards, half of them laid on another table: they are few, and more of them would be
learnt by heart."""


class Batches(IterableDataset[tuple[Tensor, ...]]):
    """Whole batches of freshly varied samples; ``validation`` takes every 20th scene, training the others."""

    def __init__(self, what: str, scenes: Path, data: Path | None, size: int, seed: int, validation: bool) -> None:
        self.scenes = scenes
        self.boards: list[locate_scenes.KnownScene] = []
        self.tables: list[np.ndarray] = []
        if data is not None and not validation:
            for folder in ("boards", "boards_loose"):
                self.boards += list(locate_scenes.boards(data, folder, held_out=False).values())
            self.tables = locate_scenes.tables(data)
        self.what, self.size, self.seed, self.validation = what, size, seed, validation

    def files(self) -> list[Path]:
        """Looked up anew now and then, so that training can start while scenes are still being rendered."""
        return [file for file in sorted(self.scenes.glob("*.npz")) if (int(file.stem) % 20 == 0) == self.validation]

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        cv2.setNumThreads(1)
        info = torch.utils.data.get_worker_info()
        worker = info.id if info else 0
        rng = np.random.default_rng((self.seed, worker))
        order = itertools.cycle(self.files()) if self.validation else None
        for number in itertools.count():
            if number % 400 == 0:
                files = self.files()
                costs = np.array([locate_scenes.Mistakes.load(file).costs.sum() for file in files])
                chance = locate_targets.shares(costs, len(files))
            samples = []
            for index in range(self.size):
                if index % DRAWS == 0:
                    scene = locate_scenes.load(next(order) if order else files[rng.choice(len(files), p=chance)])
                    if self.validation:
                        scene = replace(scene, mistakes=locate_scenes.Mistakes(scene.mistakes.lattices))
                shown = scene
                if self.boards and rng.random() < REAL_SHARE:
                    shown = self.boards[int(rng.integers(len(self.boards)))]
                    if rng.random() < 0.5:
                        table = self.tables[int(rng.integers(len(self.tables)))]
                        shown = locate_scenes.on_table(shown, table, rng)
                if self.what == "spotter":
                    samples.append(locate_targets.spotter_sample(shown, FRAME, rng))
                else:
                    samples.append(locate_targets.straightener_sample(shown, rng))
            images, answers, weights = (np.stack(part) for part in zip(*samples, strict=True))
            yield torch.from_numpy(images), torch.from_numpy(answers), torch.from_numpy(weights)


def spotter_loss(out: Tensor, answer: Tensor, weight: Tensor) -> dict[str, Tensor]:
    crossed = nn.functional.binary_cross_entropy_with_logits(out[:, :3], answer[:, :3], reduction="none")
    crossed = crossed * weight[:, 1:]
    # A missed centre is rare in pixels but costs a tile: pixels near a centre count more.
    extra = 20 * torch.tensor([0.02, 1, 0.1]) * (crossed * answer[:, :3] ** 2).mean((0, 2, 3))
    crossed = crossed.mean((0, 2, 3)) + extra
    near = weight[:, :1] / (weight[:, 0].sum() + 1e-3)
    off = nn.functional.smooth_l1_loss(out[:, 3:], answer[:, 3:], reduction="none", beta=0.05)
    off = (off * near).sum((0, 2, 3))
    return {
        "tile": crossed[0],
        "centre": 2 * crossed[1],
        "castle": crossed[2],
        "offset": off[:2].sum(),
        "side": off[2],
        "steps": 0.5 * off[3:7].sum(),
    }


def straightener_loss(out: Tensor, answer: Tensor, weight: Tensor) -> dict[str, Tensor]:
    crossed = nn.functional.binary_cross_entropy_with_logits(out[:, 0], answer[:, 0], reduction="none")
    tile_or_not = (crossed * weight[:, 0]).sum() / (weight[:, 0].sum() + 1e-3)
    off = nn.functional.smooth_l1_loss(out[:, 2:], answer[:, 2:], reduction="none", beta=0.02)
    tile = (off[:, :8].mean(1) * weight[:, 1]).sum() / (weight[:, 1].sum() + 1e-3)
    place = (off[:, 8:].mean(1) * weight[:, 2]).sum() / (weight[:, 2].sum() + 1e-3)
    # One tile in twenty is a castle, and nothing but a tile can be one.
    lies = answer[:, 0] > 0.5
    castle = nn.functional.binary_cross_entropy_with_logits(
        out[:, 1][lies], answer[:, 1][lies], pos_weight=torch.tensor(4.0)
    )
    return {"tile": tile_or_not, "castle": castle, "corners": 5 * tile, "places": 5 * place}


def shown(images: Tensor) -> Tensor:
    """Pictures uint8 (N, H, W, 3) as a network takes them."""
    return images.permute(0, 3, 1, 2).float().contiguous(memory_format=torch.channels_last)


def validate(net: nn.Module, loss: object, batches: list[tuple[Tensor, ...]], what: str) -> dict[str, float]:
    net.eval()
    sums: dict[str, float] = {}
    with torch.no_grad():
        for images, answer, weight in batches:
            out = net(shown(images))
            parts = loss(out, answer, weight)  # type: ignore[operator]
            wrong = ((out[:, 0] > 0) != (answer[:, 0] > 0.5)).float()
            counts = weight[:, 1 if what == "spotter" else 0]
            parts["tile_wrong"] = (wrong * counts).sum() / counts.sum()
            if what != "spotter":
                far = (out[:, 2:10] - answer[:, 2:10]).abs().mean(1)
                parts["corner_off"] = (far * weight[:, 1]).sum() / weight[:, 1].sum()
            for name, value in parts.items():
                sums[name] = sums.get(name, 0.0) + float(value) / len(batches)
    net.train()
    return {name: round(value, 5) for name, value in sums.items()}


def train(
    what: str,
    scenes: Path,
    data: Path | None,
    work: Path,
    steps: int,
    seed: int,
    threads: int,
    start: Path | None,
    peak: float,
) -> None:
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    net = NETWORKS[what]()
    loss = spotter_loss if what == "spotter" else straightener_loss
    size = 12 if what == "spotter" else 16
    held = Batches(what, scenes, None, size, 1, validation=True)
    validation = list(itertools.islice(iter(held), max(2, min(25, len(held.files()) * DRAWS // size))))
    if start:
        take_over(net, start, shown(torch.cat([images for images, _, _ in validation])))
    course = Course(net, work / f"{what}.pt", steps, peak, warm=150, newest=0.004)
    known = Batches(what, scenes, data, size, seed + course.step, validation=False)
    loader = DataLoader(known, batch_size=None, num_workers=1, prefetch_factor=6)
    running: dict[str, float] = {}
    for images, answer, weight in loader:
        if course.step >= steps:
            break
        parts = loss(net(shown(images)), answer, weight)
        course.learn(torch.stack(list(parts.values())).sum())
        for name, value in parts.items():
            running[name] = running.get(name, value.item()) * 0.98 + value.item() * 0.02
        if course.due():
            figures = {name: round(value, 4) for name, value in running.items()}
            course.save(train=figures, validation=validate(course.average.module, loss, validation, what))


def export(work: Path, models: Path) -> None:
    """Those checkpoints that are there as ONNX files."""
    for what, name in FILES.items():
        if not (work / f"{what}.pt").exists():
            continue
        net, side = NETWORKS[what](), 7 * SQUARE
        net.load_state_dict(torch.load(work / f"{what}.pt")["best"])
        free = {0: "n", 2: "h", 3: "w"}
        write_onnx(net, torch.zeros(1, 3, side, side), models / f"{name}.onnx", "image", ["answer"], free, bits=8)


def main() -> None:
    parser = arguments(__doc__, [*NETWORKS, "export"], "build/locate", 2600, PEAK)
    parser.add_argument("--scenes", type=Path, help="folder of cached scenes (.npz)")
    parser.add_argument("--data", type=Path, help="folder with boards/ and boards_loose/")
    options = parser.parse_args()
    if options.task == "export":
        export(options.work, options.models)
    else:
        train(options.task, options.scenes, options.data, **schedule(options))


if __name__ == "__main__":
    main()
