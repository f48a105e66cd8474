"""Trains the networks of ``scorer.vision.locate`` and writes them to ``models/``.

    python -m models.train.locate spotter --scenes FOLDER --data FOLDER --steps 2600
    python -m models.train.locate straightener --scenes FOLDER --data FOLDER --steps 1600
    python -m models.train.locate export

The learning rate falls to zero over the steps asked for; a checkpoint is written every two minutes and an interrupted
run goes on from it.  The log is a line of JSON for each validation.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from models.train import locate_scenes, locate_targets
from models.train.locate_networks import Spotter, Straightener

MODELS = Path(__file__).resolve().parent.parent
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
            if number % 100 == 0:
                files = self.files()
            samples = []
            for index in range(self.size):
                if index % DRAWS == 0:
                    scene = locate_scenes.load(next(order) if order else files[int(rng.integers(len(files)))])
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


def validate(net: nn.Module, loss: object, batches: list[tuple[Tensor, ...]], what: str) -> dict[str, float]:
    net.eval()
    sums: dict[str, float] = {}
    with torch.no_grad():
        for images, answer, weight in batches:
            out = net(images.permute(0, 3, 1, 2).float().contiguous(memory_format=torch.channels_last))
            parts = loss(out, answer, weight)  # type: ignore[operator]
            wrong = ((out[:, 0] > 0) != (answer[:, 0] > 0.5)).float()
            counts = weight[:, 1 if what == "spotter" else 0]
            parts["tile_wrong"] = (wrong * counts).sum() / counts.sum()
            if what == "straightener":
                far = (out[:, 2:10] - answer[:, 2:10]).abs().mean(1)
                parts["corner_off"] = (far * weight[:, 1]).sum() / weight[:, 1].sum()
            for name, value in parts.items():
                sums[name] = sums.get(name, 0.0) + float(value) / len(batches)
    net.train()
    return {name: round(value, 5) for name, value in sums.items()}


def train(
    what: str, scenes: Path, data: Path | None, work: Path, steps: int, seed: int, threads: int, start: Path | None
) -> None:
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    work.mkdir(parents=True, exist_ok=True)
    net: nn.Module = Spotter() if what == "spotter" else Straightener()
    loss = spotter_loss if what == "spotter" else straightener_loss
    size, peak = (12, 3e-3) if what == "spotter" else (16, 3e-3)
    net = net.to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        net, avg_fn=lambda old, new, count: old + (new - old) * max(0.004, 1 / (1 + int(count) / 8)), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=peak, weight_decay=0.02)
    checkpoint, log = work / f"{what}.pt", work / f"{what}.log"
    spent, step = 0.0, 0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        net.load_state_dict(state["net"])
        average.load_state_dict(state["average"])
        optimiser.load_state_dict(state["optimiser"])
        spent, step = state["spent"], state["step"]
    elif start is not None:
        net.load_state_dict(torch.load(start)["best"], strict=False)
        average.module.load_state_dict(net.state_dict())

    known = Batches(what, scenes, data, size, seed + step, validation=False)
    held = Batches(what, scenes, None, size, 1, validation=True)
    validation = list(itertools.islice(iter(held), max(2, min(25, len(held.files()) * DRAWS // size))))
    loader = DataLoader(known, batch_size=None, num_workers=1, prefetch_factor=6)
    begin, saved, running = time.monotonic() - spent, time.monotonic(), dict[str, float]()
    net.train()
    for images, answer, weight in loader:
        spent = time.monotonic() - begin
        progress = step / steps
        if progress >= 1:
            break
        rate = peak * min(1.0, (step + 1) / 150) * 0.5 * (1 + math.cos(math.pi * progress))
        for group in optimiser.param_groups:
            group["lr"] = rate
        parts = loss(
            net(images.permute(0, 3, 1, 2).float().contiguous(memory_format=torch.channels_last)), answer, weight
        )
        optimiser.zero_grad()
        sum(parts.values()).backward()  # type: ignore[union-attr]
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        average.update_parameters(net)
        step += 1
        for name, value in parts.items():
            running[name] = running.get(name, value.item()) * 0.98 + value.item() * 0.02
        if time.monotonic() - saved > 120:
            _save(checkpoint, net, average, optimiser, spent, step)
            _note(log, step, spent, running, validate(average.module, loss, validation, what))
            saved = time.monotonic()
    _save(checkpoint, net, average, optimiser, spent, step)
    _note(log, step, spent, running, validate(average.module, loss, validation, what))


def _save(
    path: Path,
    net: nn.Module,
    average: torch.optim.swa_utils.AveragedModel,
    optimiser: torch.optim.Optimizer,
    spent: float,
    step: int,
) -> None:
    state = {
        "net": net.state_dict(),
        "average": average.state_dict(),
        "best": average.module.state_dict(),
        "optimiser": optimiser.state_dict(),
        "spent": spent,
        "step": step,
    }
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def _note(log: Path, step: int, spent: float, running: dict[str, float], validation: dict[str, float]) -> None:
    line = {
        "step": step,
        "minutes": round(spent / 60, 1),
        "train": {name: round(value, 4) for name, value in running.items()},
        "validation": validation,
    }
    with log.open("a") as file:
        file.write(json.dumps(line) + "\n")


def export(work: Path, models: Path) -> None:
    """Checkpoints to ONNX, weights kept in half precision (they are widened when loaded); prints the checksums."""
    import onnx

    for what, name, shape in (
        ("spotter", "locate", (1, 3, 256, 256)),
        ("straightener", "straighten", (1, 3, 224, 224)),
    ):
        if not (work / f"{what}.pt").exists():
            continue
        net: nn.Module = Spotter() if what == "spotter" else Straightener()
        net.load_state_dict(torch.load(work / f"{what}.pt")["best"])
        net.eval()
        path = models / f"{name}.onnx"
        axes = {0: "n", 2: "h", 3: "w"}
        torch.onnx.export(
            net,
            (torch.zeros(shape),),
            str(path),
            dynamo=False,
            input_names=["image"],
            output_names=["answer"],
            dynamic_axes={"image": axes, "answer": axes},
            opset_version=17,
        )
        model = onnx.load(path)
        _halve(model)
        onnx.checker.check_model(model)
        onnx.save(model, path)
        print(name, path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())


def _halve(model: object) -> None:
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph  # type: ignore[attr-defined]
    for weights in list(graph.initializer):
        array = numpy_helper.to_array(weights)
        if array.dtype != np.float32 or array.size < 256:
            continue
        name = weights.name
        weights.CopyFrom(numpy_helper.from_array(array.astype(np.float16), name + "_half"))
        graph.node.insert(0, helper.make_node("Cast", [name + "_half"], [name], to=TensorProto.FLOAT))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["spotter", "straightener", "export"])
    parser.add_argument("--scenes", type=Path, help="folder of cached scenes (.npz)")
    parser.add_argument("--data", type=Path, help="folder with boards/ and boards_loose/")
    parser.add_argument("--work", type=Path, default=Path("build/locate"), help="checkpoints and logs")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--steps", type=int, default=2600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--start", type=Path, help="checkpoint of an earlier run to start from")
    options = parser.parse_args()
    if options.what == "export":
        export(options.work, options.models)
    else:
        train(
            options.what,
            options.scenes,
            options.data,
            options.work,
            options.steps,
            options.seed,
            options.threads,
            options.start,
        )


if __name__ == "__main__":
    main()
