"""Trains the network that reads squares and writes it to ``models/``.

    python -m models.train.classify train --crops FOLDER --steps 6000
    python -m models.train.classify export

The learning rate falls to zero over the steps asked for; a checkpoint is written every minute and an interrupted run
goes on from it. The log is a line of JSON for each validation.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from models.train.classify_crops import MARGIN, NO_CROWNS, Crops
from models.train.classify_network import SquareNet
from models.train.locate import MODELS

SHOWN = 72
SHOWN_MARGIN = 0.1
BATCH = 96
PEAK = 2e-3
REAL_SHARE = 0.5
"""Share of a batch from real squares and boards; the rest from scenes."""
SAVE_SECONDS = 60.0


def vary(images: Tensor, generator: torch.Generator) -> Tensor:
    """Crops uint8 (N, S, S, 3) as float (N, 3, 72, 72), 0..255: turned, shifted, recoloured, blurred, covered."""
    count = len(images)

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(count, *shape, generator=generator) * (high - low) + low

    x = images.permute(0, 3, 1, 2).float()
    turn = torch.randint(4, (count,), generator=generator) * (math.pi / 2) + uniform(-0.1, 0.1)
    zoom = (1 + 2 * SHOWN_MARGIN) / (1 + 2 * MARGIN) * uniform(0.9, 1.1)
    cos, sin = torch.cos(turn) * zoom, torch.sin(turn) * zoom
    shear = uniform(-0.08, 0.08, 2)
    shift = uniform(-0.09, 0.09, 2)
    theta = torch.stack(
        [
            torch.stack([cos, -sin + shear[:, 0], shift[:, 0]], 1),
            torch.stack([sin + shear[:, 1], cos, shift[:, 1]], 1),
        ],
        1,
    )
    grid = nn.functional.affine_grid(theta, [count, 3, SHOWN, SHOWN], align_corners=False)
    x = nn.functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
    # Light: exposure, contrast, colour cast, and a slope of brightness across the square.
    gain = uniform(0.55, 1.5, 1, 1, 1) * uniform(0.82, 1.2, 3, 1, 1)
    along = torch.linspace(-1, 1, SHOWN)
    slope = (
        uniform(-0.2, 0.2, 1, 1, 1) * along[None, None, None] + uniform(-0.2, 0.2, 1, 1, 1) * along[None, None, :, None]
    )
    mean = x.mean((1, 2, 3), keepdim=True)
    x = (x - mean) * uniform(0.7, 1.3, 1, 1, 1) + mean
    grey = x.mean(1, keepdim=True)
    x = (x - grey) * uniform(0.6, 1.3, 1, 1, 1) + grey
    x = 255 * (x.clamp(1, 255) / 255) ** uniform(0.75, 1.35, 1, 1, 1) * gain * (1 + slope)
    for some, sigma in ((0.2, 0.8), (0.12, 1.6)):
        blurred = _blur(x, sigma)
        x = torch.where(uniform(0, 1, 1, 1, 1) < some, blurred, x)
    x = x + torch.randn(x.shape, generator=generator) * uniform(0, 12, 1, 1, 1)
    return _cover(x, generator).clamp(0, 255)


def _blur(x: Tensor, sigma: float) -> Tensor:
    radius = math.ceil(2.5 * sigma)
    taps = torch.exp(-0.5 * (torch.arange(-radius, radius + 1) / sigma) ** 2)
    taps = (taps / taps.sum()).repeat(3, 1)
    x = nn.functional.conv2d(
        nn.functional.pad(x, (radius, radius, 0, 0), mode="replicate"), taps[:, None, None], groups=3
    )
    padded = nn.functional.pad(x, (0, 0, radius, radius), mode="replicate")
    return nn.functional.conv2d(padded, taps[:, None, :, None], groups=3)


def _cover(x: Tensor, generator: torch.Generator, share: float = 0.25) -> Tensor:
    """Glare or a thing in front: a patch of one colour over some of the squares."""
    for i in torch.nonzero(torch.rand(len(x), generator=generator) < share).flatten().tolist():
        high, wide = torch.randint(8, 26, (2,), generator=generator).tolist()
        top, left = (int(torch.randint(0, SHOWN - side, (1,), generator=generator)) for side in (high, wide))
        colour = torch.rand(3, 1, 1, generator=generator) * 255
        x[i, :, top : top + high, left : left + wide] = colour
    return x


def centre(images: Tensor) -> Tensor:
    """Crops as the reader will show them, without variation."""
    x = images.permute(0, 3, 1, 2).float()
    zoom = (1 + 2 * SHOWN_MARGIN) / (1 + 2 * MARGIN)
    theta = torch.tensor([[zoom, 0.0, 0.0], [0.0, zoom, 0.0]]).repeat(len(x), 1, 1)
    grid = nn.functional.affine_grid(theta, [len(x), 3, SHOWN, SHOWN], align_corners=False)
    return nn.functional.grid_sample(x, grid, align_corners=False)


def loss(net: SquareNet, x: Tensor, terrain: Tensor, crowns: Tensor) -> Tensor:
    terrain_logits, crown_logits, _ = net(x)
    of_terrain = nn.functional.cross_entropy(terrain_logits, terrain, label_smoothing=0.02)
    of_crowns = nn.functional.cross_entropy(crown_logits, crowns, ignore_index=NO_CROWNS, label_smoothing=0.02)
    return of_terrain + of_crowns


def validate(net: SquareNet, crops: Crops) -> dict[str, float]:
    """Share of squares whose terrain, and whose terrain and crowns together, are right."""
    net.eval()
    right_terrain, right = 0, 0
    with torch.no_grad():
        for begin in range(0, len(crops.terrain), 256):
            part = slice(begin, begin + 256)
            terrain, crowns, _ = net(centre(torch.from_numpy(crops.images[part])))
            same = terrain.argmax(1).numpy() == crops.terrain[part]
            wanted = crops.crowns[part]
            right_terrain += int(same.sum())
            right += int((same & ((wanted == NO_CROWNS) | (crowns.argmax(1).numpy() == wanted))).sum())
    net.train()
    return {"terrain": round(right_terrain / len(crops.terrain), 5), "both": round(right / len(crops.terrain), 5)}


def train(folder: Path, work: Path, steps: int, seed: int, threads: int) -> None:
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    work.mkdir(parents=True, exist_ok=True)
    real = Crops.load(folder / "real-train.npz")
    files = sorted(folder.glob("scenes-*.npz"))
    held = max(1, len(files) // 20)
    scenes = Crops.join([Crops.load(file) for file in files[held:]])
    validation = {
        "real": Crops.load(folder / "real-validation.npz"),
        "scenes": Crops.join([Crops.load(file) for file in files[:held]]),
    }
    net = SquareNet()
    average = torch.optim.swa_utils.AveragedModel(
        net, avg_fn=lambda old, new, count: old + (new - old) * max(0.005, 1 / (1 + int(count) / 8)), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=PEAK, weight_decay=0.02)
    checkpoint, log = work / "classify.pt", work / "classify.log"
    step, spent = 0, 0.0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        net.load_state_dict(state["net"])
        average.load_state_dict(state["average"])
        optimiser.load_state_dict(state["optimiser"])
        step, spent = state["step"], state["spent"]
    generator = torch.Generator().manual_seed(seed + step)
    rng = np.random.default_rng(seed + step)
    # Rare squares are drawn more often: each kind by the root of its share.
    weights = [_weights(real), _weights(scenes)]
    begin = saved = time.monotonic()
    begin -= spent
    net.train()
    while step < steps:
        rate = PEAK * min(1.0, (step + 1) / 200) * 0.5 * (1 + math.cos(math.pi * step / steps))
        for group in optimiser.param_groups:
            group["lr"] = rate
        parts = []
        for crops, weight, share in zip((real, scenes), weights, (REAL_SHARE, 1 - REAL_SHARE), strict=True):
            chosen = np.sort(rng.choice(len(weight), round(BATCH * share), p=weight))
            parts.append(Crops(crops.images[chosen], crops.terrain[chosen], crops.crowns[chosen]))
        batch = Crops.join(parts)
        value = loss(
            net,
            vary(torch.from_numpy(batch.images), generator),
            torch.from_numpy(batch.terrain),
            torch.from_numpy(batch.crowns),
        )
        optimiser.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        average.update_parameters(net)
        step += 1
        if time.monotonic() - saved > SAVE_SECONDS or step == steps:
            spent, saved = time.monotonic() - begin, time.monotonic()
            state = {
                "net": net.state_dict(),
                "average": average.state_dict(),
                "best": average.module.state_dict(),
                "optimiser": optimiser.state_dict(),
                "step": step,
                "spent": spent,
            }
            torch.save(state, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)
            line = {"step": step, "minutes": round(spent / 60, 1), "loss": round(value.item(), 4)}
            line |= {name: validate(average.module, crops) for name, crops in validation.items()}
            with log.open("a") as file:
                file.write(json.dumps(line) + "\n")


def _weights(crops: Crops) -> np.ndarray:
    kinds = crops.terrain * 8 + crops.crowns + 1
    counts = np.bincount(kinds)
    weight = counts[kinds] ** -0.5
    return weight / weight.sum()


def export(work: Path, models: Path) -> None:
    """The averaged weights as ONNX; prints size and checksum."""
    import onnx

    from models.train.locate import _halve

    net = SquareNet()
    net.load_state_dict(torch.load(work / "classify.pt")["best"])
    net.eval()
    path = models / "classify.onnx"
    names = ["terrain", "crowns", "embedding"]
    torch.onnx.export(
        net,
        (torch.zeros(2, 3, SHOWN, SHOWN),),
        str(path),
        dynamo=False,
        input_names=["squares"],
        output_names=names,
        dynamic_axes={name: {0: "n"} for name in ("squares", *names)},
        opset_version=17,
    )
    model = onnx.load(path)
    _halve(model)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    print("classify", path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "export"])
    parser.add_argument("--crops", type=Path, help="folder that models.train.classify_crops wrote")
    parser.add_argument("--work", type=Path, default=Path("build/classify"), help="checkpoint and log")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.what == "export":
        export(options.work, options.models)
    else:
        train(options.crops, options.work, options.steps, options.seed, options.threads)


if __name__ == "__main__":
    main()
