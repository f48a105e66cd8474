"""Trains the networks that read squares and buildings and writes them to ``models/``.

python -m models.train.classify squares|wider --crops FOLDER --steps 9000
python -m models.train.classify buildings --crops FOLDER --steps 4000
python -m models.train.classify export
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from models.train import buildings_tiles, classify_crops
from models.train.classify_crops import UNKNOWN, Crops
from models.train.classify_network import BuildingNet, SquareNet, WiderNet
from models.train.course import Course, arguments, schedule, take_over, write_onnx
from scorer.vision import classify as reader
from scorer.vision import pieces

SHOWN_MARGIN = {"squares": reader.MARGIN, "wider": reader.WIDE_MARGIN, "buildings": pieces.MARGIN}
BATCH = 64
PEAK = 2e-3
NETWORKS: dict[str, type[SquareNet | BuildingNet]] = {
    "squares": SquareNet,
    "wider": WiderNet,
    "buildings": BuildingNet,
}
FILES = {"squares": "classify", "wider": "wider", "buildings": "buildings"}
STORED_MARGIN = {
    "squares": classify_crops.MARGIN,
    "wider": classify_crops.MARGIN,
    "buildings": buildings_tiles.MARGIN,
}
COARSE = {"squares": 0.1, "wider": 0.1, "buildings": 0.25}
"""Share of a batch that is shown as if from afar: signs must be read near their limit."""
MIRRORED = {"squares", "wider"}
"""Numbers on buildings are not what they are in a mirror."""
RARE = {*pieces.HEADS, "cross", "per", "crown", "label"}
"""Heads whose first answer says that there is nothing, which is right nine times in ten: the others weigh more."""
RARE_WEIGHT = 4.0
MOST_COST = 4.0
"""Nats that a square counts at most when squares are drawn by their cost: what costs more may be labelled wrongly, or
be more than anybody can see."""
HELD = 600
"""Samples of a kind that are kept back to validate."""


def vary(images: Tensor, what: str, generator: torch.Generator) -> Tensor:
    """Stored crops uint8 (N, S, S, 3) as a network is shown them, float (N, 3, size, size), 0..255: turned, mirrored,
    shifted, recoloured, blurred, covered, and some of them coarse, as if photographed from afar."""
    count, size = len(images), NETWORKS[what].size

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(count, *shape, generator=generator) * (high - low) + low

    x = images.permute(0, 3, 1, 2).float()
    turn = torch.randint(4, (count,), generator=generator) * (math.pi / 2) + uniform(-0.1, 0.1)
    zoom = _zoom(what) * uniform(0.9, 1.1)
    cos, sin = torch.cos(turn) * zoom, torch.sin(turn) * zoom
    mirror = 1.0 - 2 * torch.randint(2, (count,), generator=generator) if what in MIRRORED else torch.ones(count)
    shear = uniform(-0.08, 0.08, 2)
    shift = uniform(-0.09, 0.09, 2)
    theta = torch.stack(
        [
            torch.stack([cos * mirror, -sin + shear[:, 0], shift[:, 0]], 1),
            torch.stack([(sin + shear[:, 1]) * mirror, cos, shift[:, 1]], 1),
        ],
        1,
    )
    grid = nn.functional.affine_grid(theta, [count, 3, size, size], align_corners=False)
    x = nn.functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
    return relight(x, generator, COARSE[what])


def relight(x: Tensor, generator: torch.Generator, coarse: float = 0.0) -> Tensor:
    """Pictures (N, 3, H, W), 0..255, in another light: recoloured, blurred, noisy, partly covered, and a share of them
    coarse."""
    count, _, height, width = x.shape

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return torch.rand(count, *shape, generator=generator) * (high - low) + low

    # Light: exposure, contrast, colour cast, and a slope of brightness across the picture.
    gain = uniform(0.55, 1.5, 1, 1, 1) * uniform(0.82, 1.2, 3, 1, 1)
    across, down = torch.linspace(-1, 1, width)[None, None, None], torch.linspace(-1, 1, height)[None, None, :, None]
    slope = uniform(-0.2, 0.2, 1, 1, 1) * across + uniform(-0.2, 0.2, 1, 1, 1) * down
    mean = x.mean((1, 2, 3), keepdim=True)
    x = (x - mean) * uniform(0.7, 1.3, 1, 1, 1) + mean
    grey = x.mean(1, keepdim=True)
    x = (x - grey) * uniform(0.6, 1.3, 1, 1, 1) + grey
    x = 255 * (x.clamp(1, 255) / 255) ** uniform(0.75, 1.35, 1, 1, 1) * gain * (1 + slope)
    far = torch.nonzero(torch.rand(count, generator=generator) < coarse).flatten()
    if len(far):
        small = float(torch.rand(1, generator=generator) * 1.8 + 1.3)
        less = nn.functional.interpolate(x[far], (round(height / small), round(width / small)), mode="area")
        x[far] = nn.functional.interpolate(less, (height, width), mode="bilinear", align_corners=False)
    for some, sigma in ((0.2, 0.8), (0.12, 1.6)):
        chosen = torch.nonzero(torch.rand(count, generator=generator) < some).flatten()
        x[chosen] = _blur(x[chosen], sigma)
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
        top = int(torch.randint(0, x.shape[2] - high, (1,), generator=generator))
        left = int(torch.randint(0, x.shape[3] - wide, (1,), generator=generator))
        colour = torch.rand(3, 1, 1, generator=generator) * 255
        x[i, :, top : top + high, left : left + wide] = colour
    return x


def _zoom(what: str) -> float:
    return (1 + 2 * SHOWN_MARGIN[what]) / (1 + 2 * STORED_MARGIN[what])


def centre(images: Tensor, what: str) -> Tensor:
    """Crops as the reader will show them, without variation."""
    x = images.permute(0, 3, 1, 2).float()
    zoom, size = _zoom(what), NETWORKS[what].size
    theta = torch.tensor([[zoom, 0.0, 0.0], [0.0, zoom, 0.0]]).repeat(len(x), 1, 1)
    grid = nn.functional.affine_grid(theta, [len(x), 3, size, size], align_corners=False)
    return nn.functional.grid_sample(x, grid, align_corners=False)


def answers(net: SquareNet | BuildingNet, x: Tensor) -> list[Tensor]:
    """Logits of every head, in the order of the targets' columns."""
    logits = [answer for name, answer in zip(net.outputs, net(x), strict=True) if name not in reader.FELT]
    return list(torch.cat(logits, 1).split(list(net.heads.values()), 1))


def loss(what: str, logits: list[Tensor], targets: Tensor) -> Tensor:
    """Cross entropy of all heads; what is not known is not asked."""
    total = logits[0].new_zeros(())
    for k, (name, head) in enumerate(zip(NETWORKS[what].heads, logits, strict=True)):
        if (targets[:, k] != UNKNOWN).any():
            rare = name in RARE
            weight = torch.full((head.shape[1],), RARE_WEIGHT if rare else 1.0)
            weight[0] = 1.0
            part = nn.functional.cross_entropy(
                head, targets[:, k], weight, ignore_index=UNKNOWN, label_smoothing=0.0 if rare else 0.02
            )
            total = total + part
    return total


def validate(what: str, net: SquareNet | BuildingNet, crops: Crops) -> dict[str, float]:
    """Share of known answers that are right, by head, and of squares right in everything known."""
    net.eval()
    right = []
    with torch.no_grad():
        for begin in range(0, len(crops.targets), 256):
            part = slice(begin, begin + 256)
            seen = answers(net, centre(torch.from_numpy(crops.images[part]), what))
            right.append(np.stack([head.argmax(1).numpy() for head in seen], 1) == crops.targets[part])
    net.train()
    known = crops.targets != UNKNOWN
    good = np.concatenate(right)
    heads = {
        name: round(float(good[:, k][known[:, k]].mean()), 4) for k, name in enumerate(net.heads) if known[:, k].any()
    }
    wrong = {name: share for name, share in heads.items() if share < 1}
    return {"all": round(float((good | ~known).all(1).mean()), 4), **wrong}


Material = tuple[list[tuple[Crops, float]], dict[str, Crops]]
"""What to train on, with the share of each kind in a batch, and what to validate on."""


def material(what: str, folder: Path) -> Material:
    """Of the folder that models.train.classify_crops wrote."""
    if what == "buildings":
        tiles = Crops.load(folder / "buildings.npz")
        return [(_part(tiles, slice(HELD, None)), 1.0)], {"tiles": _part(tiles, slice(HELD))}
    files = sorted(folder.glob("scenes-*.npz"))
    held = max(1, len(files) // 20)
    composed = Crops.load(folder / "composed.npz")
    # What lies on a square may hide its crowns: asked for them here, the network would learn to guess.
    composed.targets[:, 1] = UNKNOWN
    recrowned = Crops.load(folder / "recrowned.npz")
    kinds = [
        (Crops.load(folder / "real-train.npz"), 0.34),
        (_part(composed, slice(HELD, None)), 0.15),
        (Crops.join([Crops.load(file) for file in files[held:]]), 0.39),
        (_part(recrowned, slice(HELD, None)), 0.12),
    ]
    return kinds, {
        "real": Crops.load(folder / "real-validation.npz"),
        "composed": _part(composed, slice(HELD)),
        "recrowned": _part(recrowned, slice(HELD)),
        "scenes": Crops.join([Crops.load(file) for file in files[:held]]),
    }


def _part(crops: Crops, part: slice) -> Crops:
    return Crops(crops.images[part], crops.targets[part])


def train(
    what: str,
    shown: Material,
    work: Path,
    steps: int,
    seed: int = 0,
    threads: int = 1,
    start: Path | None = None,
    peak: float = PEAK,
) -> None:
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    kinds, validation = shown
    net = NETWORKS[what]()
    if start:
        some = [_chosen(crops, np.arange(0, len(crops.targets), len(crops.targets) // BATCH)) for crops, _ in kinds]
        images = torch.from_numpy(Crops.join(some).images)
        take_over(net, start, vary(images, what, torch.Generator().manual_seed(seed)))
        if start.suffix == ".onnx":
            _weigh(net, math.log(RARE_WEIGHT))
    course = Course(net, work / f"{what}.pt", steps, peak, warm=200, newest=0.005)
    generator = torch.Generator().manual_seed(seed + course.step)
    rng = np.random.default_rng(seed + course.step)
    # Half of the draws go by how rare a square is, half by how badly the network read it that training starts from.
    weights = [
        _weights(crops) if start is None else (_weights(crops) + _costs(what, net, crops)) / 2 for crops, _ in kinds
    ]
    while course.step < steps:
        batch = Crops.join(
            [
                _chosen(crops, rng.choice(len(weight), round(BATCH * share), p=weight))
                for (crops, share), weight in zip(kinds, weights, strict=True)
            ]
        )
        x = vary(torch.from_numpy(batch.images), what, generator)
        x = x.contiguous(memory_format=torch.channels_last)
        value = loss(what, answers(net, x), torch.from_numpy(batch.targets).long())
        course.learn(value)
        if course.due():
            right = {name: validate(what, course.average.module, crops) for name, crops in validation.items()}
            course.save(loss=round(value.item(), 4), **right)


def _chosen(crops: Crops, which: np.ndarray) -> Crops:
    which = np.sort(which)
    return Crops(crops.images[which], crops.targets[which])


def _weights(crops: Crops) -> np.ndarray:
    """Rare squares are drawn more often: by the root of the share of the rarest thing they show."""
    weight = np.zeros(len(crops.targets))
    for k in range(crops.targets.shape[1]):
        answer = crops.targets[:, k].astype(np.int64) + 1
        rare = np.bincount(answer)[answer] ** -0.5
        weight = np.maximum(weight, rare)
    return weight / weight.sum()


def _costs(what: str, net: SquareNet | BuildingNet, crops: Crops) -> np.ndarray:
    """What a network's answers cost for each square, as shares."""
    cost = np.zeros(len(crops.targets))
    net.eval()
    with torch.no_grad():
        for begin in range(0, len(cost), 256):
            part = slice(begin, begin + 256)
            targets = torch.from_numpy(crops.targets[part]).long()
            seen = answers(net, centre(torch.from_numpy(crops.images[part]), what))
            for k, head in enumerate(seen):
                cost[part] += nn.functional.cross_entropy(
                    head, targets[:, k], ignore_index=UNKNOWN, reduction="none"
                ).numpy()
    net.train()
    cost = cost.clip(None, MOST_COST)
    return cost / cost.sum()


def export(work: Path, models: Path, whats: Sequence[str]) -> None:
    """The averaged weights as ONNX files."""
    for what in whats:
        net = NETWORKS[what]()
        net.load_state_dict(torch.load(work / f"{what}.pt")["best"])
        _weigh(net, -math.log(RARE_WEIGHT))
        example = torch.zeros(2, 3, net.size, net.size)
        file = models / f"{FILES[what]}.onnx"
        write_onnx(net, example, file, "squares", net.outputs, {0: "n"}, bits=8)


def _weigh(net: SquareNet | BuildingNet, odds: float) -> None:
    """Adds to the odds of rare answers what training puts in by their weight, or takes it out."""
    begin = 0
    head = net.pieces if isinstance(net, SquareNet) else net.signs
    names = [name for name in net.heads if name not in ("terrain", "crowns")]
    with torch.no_grad():
        for name in names:
            if name in RARE:
                head.bias[begin + 1 : begin + net.heads[name]] += odds
            begin += net.heads[name]


def main() -> None:
    parser = arguments(__doc__, [*NETWORKS, "export"], "build/classify", 9000, PEAK)
    parser.add_argument("--crops", type=Path, help="folder that models.train.classify_crops wrote")
    parser.add_argument("--only", choices=list(NETWORKS), help="export this one alone")
    options = parser.parse_args()
    if options.task == "export":
        export(options.work, options.models, [options.only] if options.only else list(NETWORKS))
    else:
        train(options.task, material(options.task, options.crops), **schedule(options))


if __name__ == "__main__":
    main()
