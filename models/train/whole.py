"""Trains the network that reads a kingdom as a whole and writes it to ``models/``.

python -m models.train.whole train --pictures FOLDER --steps 15000
python -m models.train.whole export
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from models.train.blocks import conv
from models.train.classify import relight
from models.train.classify_crops import ASKED, UNKNOWN
from models.train.classify_network import CHANNELS, CROWN_CLASSES, EMBEDDING, TERRAIN_CLASSES, SquareNet
from models.train.course import MODELS, Course, arguments, schedule, take_over, write_onnx
from models.train.whole_kingdoms import BORDER as STORED_BORDER
from models.train.whole_kingdoms import FEET, Pictured, load
from models.train.whole_kingdoms import SQUARE as STORED_SQUARE
from scorer.vision import classify as reader
from scorer.vision.pieces import HEADS, SIGNS
from scorer.vision.whole import ANSWERS, BORDER, SQUARE

PEAK = 1e-3
NARROW = 96
"""Channels inside a block that looks around."""
QUESTIONS = (*ASKED, *SIGNS)
"""Columns of the targets."""
CELLS = 4
"""Cells along a square in which feet are looked for: two pieces never share one."""
WINDOW = 5
"""Places along the part of a kingdom that is shown."""
BATCH = 6
SHARES = {"scenes": 0.72, "mosaics": 0.22, "boards": 0.06}
RELIT = 0.5
"""Part of the pictures that are shown in yet another light."""
FOOT_WEIGHT, FOOT_ODDS = 30.0, 4.0
"""How much feet count beside the answers, and a foot beside a cell without one."""
MIRRORED = 0.35
"""Part of the pictures that are shown as in a mirror."""
HELD = 4
"""Files of scenes that are kept back to validate."""


class Around(nn.Module):
    """What is near joins what is seen of a cell (a bottleneck of ResNet). It begins by adding nothing."""

    def __init__(self, channels: int, inside: int) -> None:
        super().__init__()
        last = nn.BatchNorm2d(channels)
        nn.init.zeros_(last.weight)
        self.body = nn.Sequential(conv(channels, inside), nn.Conv2d(inside, channels, 3, 1, 1, bias=False), last)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.relu(x + self.body(x))


class WholeNet(nn.Module):
    """RGB (N, 3, 64 (R + 1), 64 (C + 1)), 0..255, a kingdom of R rows and C columns with half a square around it, to
    logits of terrain (N R C, 9), of crowns (N R C, 4), of all of `HEADS` and of all of `SIGNS` side by side; while it
    trains also where feet stand. It begins as `SquareNet`, laid over the whole kingdom."""

    def __init__(self) -> None:
        super().__init__()
        self.body = SquareNet().body
        self.everywhere = nn.Linear(CHANNELS, CHANNELS)
        nn.init.zeros_(self.everywhere.weight)
        nn.init.zeros_(self.everywhere.bias)
        self.around = nn.Sequential(Around(CHANNELS, NARROW), Around(CHANNELS, NARROW))
        self.feet = nn.Conv2d(CHANNELS, len(FEET), 1)
        inside = EMBEDDING + len(FEET)
        self.drop = nn.Dropout(0.1)
        self.terrain = nn.Linear(inside, TERRAIN_CLASSES)
        self.crowns = nn.Linear(inside, CROWN_CLASSES)
        self.pieces = nn.Linear(inside, sum(map(len, HEADS.values())))
        self.signs = nn.Linear(inside, sum(map(len, SIGNS.values())))

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        seen = self.body(x * (1 / 64) - 2)
        # How the whole table looks: what is wheat there depends on it.
        seen = torch.relu(seen + self.everywhere(seen.mean((2, 3)))[:, :, None, None])
        seen = self.around(seen)
        feet = self.feet(seen)
        edge = round(CELLS * BORDER)
        inner, counted = (part[:, :, edge:-edge, edge:-edge] for part in (seen, feet))
        pooled = torch.cat(
            [
                nn.functional.avg_pool2d(inner, CELLS),
                nn.functional.max_pool2d(inner, CELLS),
                CELLS * CELLS * nn.functional.avg_pool2d(torch.sigmoid(counted), CELLS),
            ],
            1,
        )
        squares = self.drop(pooled.permute(0, 2, 3, 1).reshape(-1, pooled.shape[1]))
        answers = (self.terrain(squares), self.crowns(squares), self.pieces(squares), self.signs(squares))
        return (*answers, feet) if self.training else answers

    def begin_as(self, path: Path, shown: Tensor) -> None:
        """The weights of a `SquareNet`'s ONNX file; `shown`: crops as it is shown them."""
        squares = SquareNet()
        take_over(squares, path, shown)
        self.body.load_state_dict(squares.body.state_dict())
        for name in ("terrain", "crowns", "pieces"):
            own, known = getattr(self, name), getattr(squares, name)
            with torch.no_grad():
                own.weight.zero_()
                own.weight[:, :EMBEDDING] = known.weight
                own.bias.copy_(known.bias)


def shown(pictures: list[Pictured], generator: torch.Generator, varied: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Parts of as many rows and columns of some kingdoms as the network is shown them, (N, 3, H, W); the right answers
    (N R C, heads), and in which cells feet stand (N, kinds, cells down, cells across), nan where nobody knows."""
    rows, columns = (min(WINDOW, *(one.targets.shape[axis] for one in pictures)) for axis in (0, 1))
    images, targets, feet = [], [], []
    for one in pictures:
        tall, wide = one.targets.shape[:2]
        top = int(torch.randint(tall - rows + 1, (1,), generator=generator))
        left = int(torch.randint(wide - columns + 1, (1,), generator=generator))
        view = _View(rows, columns, tall, wide, top, left, generator if varied else None)
        image = torch.from_numpy(one.image).permute(2, 0, 1)[None].float()
        images.append(nn.functional.grid_sample(image, view.grid, padding_mode="border", align_corners=False))
        targets.append(view.turned(one.targets[top : top + rows, left : left + columns]))
        feet.append(view.cells(one.feet))
    x = torch.cat(images)
    if varied:
        # Rendered photos have many lights already.
        relit = torch.nonzero(torch.rand(len(x), generator=generator) < RELIT).flatten()
        if len(relit):
            x[relit] = relight(x[relit], generator, 0.1)
    answers = torch.from_numpy(np.stack(targets).astype(np.int64)).reshape(-1, len(QUESTIONS))
    return x, answers, torch.from_numpy(np.stack(feet))


class _View:
    """A part of a kingdom, shifted, turned and zoomed a little, some of them mirrored. Never upside down: what stands
    leans away from the camera, upwards in nearly every photo."""

    def __init__(
        self, rows: int, columns: int, tall: int, wide: int, top: int, left: int, generator: torch.Generator | None
    ) -> None:
        self.rows, self.columns, self.top, self.left = rows, columns, top, left
        draw = torch.rand(9, generator=generator).numpy() if generator else np.full(9, 0.5)
        self.flip = -1 if draw[0] < MIRRORED else 1
        angle, zoom = 0.06 * (draw[1] - 0.5), 1 + 0.08 * (draw[2] - 0.5)
        # From the shown part's middle, in squares, to the stored picture's.
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]) * zoom
        lean = np.eye(2) + 0.05 * (draw[3:7].reshape(2, 2) - 0.5)
        self.matrix = turn @ lean @ np.diag((self.flip, 1))
        self.shift = 0.12 * (draw[7:9] - 0.5)
        self.middle = np.array([left + columns / 2, top + rows / 2])
        stored = np.array([wide, tall]) + 2 * STORED_BORDER
        half = np.array([columns, rows]) / 2 + BORDER
        offset = (self.middle + self.shift + STORED_BORDER) * 2 / stored - 1
        theta = np.column_stack([self.matrix * half * 2 / stored[:, None], offset])
        size = [1, 3, round(2 * half[1] * SQUARE), round(2 * half[0] * SQUARE)]
        self.grid = nn.functional.affine_grid(torch.tensor(theta[None], dtype=torch.float32), size, align_corners=False)

    def turned(self, targets: np.ndarray) -> np.ndarray:
        """Numbers on buildings are not what they are in a mirror: nobody asks for them there."""
        if self.flip > 0:
            return targets
        targets = targets[:, ::-1].copy()
        targets[..., len(ASKED) :] = UNKNOWN
        return targets

    def cells(self, feet: np.ndarray | None) -> np.ndarray:
        """Each foot shared among the four cells nearest to it."""
        edge = CELLS * BORDER
        tall, wide = (round(CELLS * count + 2 * edge) for count in (self.rows, self.columns))
        found = np.zeros((len(FEET), tall, wide), np.float32)
        if feet is None:
            return np.full_like(found, np.nan)
        back = np.linalg.inv(self.matrix)
        for kind, *at in feet:
            seen = back @ (np.array(at) - self.middle - self.shift) + np.array([self.columns, self.rows]) / 2
            x, y = seen * CELLS + edge
            left, top = math.floor(x - 0.5), math.floor(y - 0.5)
            for cell_x, cell_y in ((left, top), (left + 1, top), (left, top + 1), (left + 1, top + 1)):
                if 0 <= cell_y < tall and 0 <= cell_x < wide:
                    found[int(kind), cell_y, cell_x] += (1 - abs(x - 0.5 - cell_x)) * (1 - abs(y - 0.5 - cell_y))
        return found.clip(0, 1)


def loss(answers: tuple[Tensor, ...], targets: Tensor, feet: Tensor) -> Tensor:
    """Cross entropy of all answers, and of the cells in which feet stand."""
    total = answers[0].new_zeros(())
    for k, head in enumerate(heads(answers)):
        if (targets[:, k] != UNKNOWN).any():
            total = total + nn.functional.cross_entropy(head, targets[:, k], ignore_index=UNKNOWN)
    known = ~feet.isnan()
    if known.any():
        weight = 1 + (FOOT_ODDS - 1) * feet[known]
        each = nn.functional.binary_cross_entropy_with_logits(answers[-1].float()[known], feet[known], weight)
        total = total + FOOT_WEIGHT * each
    return total


def heads(answers: tuple[Tensor, ...]) -> list[Tensor]:
    """Logits of every head, in the order of the targets' columns."""
    terrain, crowns, *several = (answer.float() for answer in answers[: len(ANSWERS)])
    parts = (
        said.split([len(known) for known in asked.values()], 1)
        for said, asked in zip(several, (HEADS, SIGNS), strict=True)
    )
    return [terrain, crowns, *itertools.chain.from_iterable(parts)]


def validate(net: WholeNet, pictures: list[Pictured]) -> dict[str, float]:
    """Share of answers that are right, by head, of squares right in everything, and of pictures."""
    net.eval()
    wrong = np.zeros(len(QUESTIONS))
    squares = bad = whole = 0
    with torch.no_grad():
        for one in pictures:
            x, targets, _ = _all_of(one)
            seen = np.stack([head.argmax(1).numpy() for head in heads(net(x))], 1)
            miss = (seen != targets.numpy()) & (targets.numpy() != UNKNOWN)
            wrong += miss.sum(0)
            squares, bad, whole = squares + len(seen), bad + miss.any(1).sum(), whole + (not miss.any())
    net.train()
    figures = {name: round(float(count) / squares, 5) for name, count in zip(QUESTIONS, wrong, strict=True) if count}
    return {"whole": round(whole / len(pictures), 4), "wrong": round(float(bad) / squares, 5), **figures}


def _all_of(one: Pictured) -> tuple[Tensor, Tensor, Tensor]:
    rows, columns = one.targets.shape[:2]
    view = _View(rows, columns, rows, columns, 0, 0, None)
    image = torch.from_numpy(one.image).permute(2, 0, 1)[None].float()
    x = nn.functional.grid_sample(image, view.grid, padding_mode="border", align_corners=False)
    return x, torch.from_numpy(one.targets.reshape(-1, len(QUESTIONS)).astype(np.int64)), torch.zeros(0)


def batches(kinds: dict[str, list[Pictured]], rng: np.random.Generator) -> Iterator[list[Pictured]]:
    """Pictures of all kinds together, those of one batch at least as large as the part that is shown, or all of one
    smaller shape."""
    large = {name: [one for one in kept if min(one.targets.shape[:2]) >= WINDOW] for name, kept in kinds.items()}
    small: dict[tuple[int, ...], list[Pictured]] = {}
    for kept in kinds.values():
        for one in kept:
            if min(one.targets.shape[:2]) < WINDOW:
                small.setdefault(tuple(min(WINDOW, side) for side in one.targets.shape[:2]), []).append(one)
    shapes = [shape for shape, kept in small.items() if len(kept) >= BATCH]
    weights = np.array([len(small[shape]) for shape in shapes], float)
    few = weights.sum() / sum(map(len, kinds.values()))
    names = list(kinds)
    shares = np.array([SHARES[name] for name in names])
    while True:
        if rng.random() < few:
            kept = small[shapes[int(rng.choice(len(shapes), p=weights / weights.sum()))]]
            yield [kept[int(rng.integers(len(kept)))] for _ in range(BATCH)]
        else:
            chosen = rng.choice(len(names), BATCH, p=shares / shares.sum())
            yield [large[names[k]][int(rng.integers(len(large[names[k]])))] for k in chosen]


def material(folder: Path) -> tuple[dict[str, list[Pictured]], list[Pictured]]:
    """What to train on by kind, and the scenes kept back."""
    files = sorted(folder.glob("scenes-*.npz"))
    kinds = {name: load(folder / f"{name}.npz") for name in ("mosaics", "boards")}
    kinds["scenes"] = [one for file in files[HELD:] for one in load(file)]
    return kinds, [one for file in files[:HELD] for one in load(file)]


def train(pictures: Path, work: Path, steps: int, seed: int, threads: int, start: Path | None, peak: float) -> None:
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    kinds, held = material(pictures)
    net = WholeNet()
    if start:
        net.load_state_dict(torch.load(start)["best"])
    else:
        net.begin_as(MODELS / "classify.onnx", _crops([one for kept in kinds.values() for one in kept[:40]]))
    course = Course(net, work / "whole.pt", steps, peak, warm=300, newest=0.002)
    generator = torch.Generator().manual_seed(seed + course.step)
    for chosen in batches(kinds, np.random.default_rng(seed + course.step)):
        x, targets, feet = shown(chosen, generator)
        # Half precision: on processors that multiply matrices of it, a step takes a third of the time.
        with torch.autocast("cpu", torch.bfloat16):
            answers = net(x.contiguous(memory_format=torch.channels_last))
        value = loss(answers, targets, feet)
        course.learn(value)
        if course.due():
            course.save(loss=round(value.item(), 4), **validate(course.average.module, held))
        if course.step >= steps:
            return


def _crops(pictures: list[Pictured]) -> Tensor:
    """Squares of kingdoms as `classify` is shown them."""
    off = round(STORED_SQUARE * STORED_BORDER) - (reader.SIZE - STORED_SQUARE) // 2
    cut = [
        one.image[off + STORED_SQUARE * k :, off + STORED_SQUARE * k :][: reader.SIZE, : reader.SIZE]
        for one in pictures
        for k in range(min(one.targets.shape[:2]))
    ]
    return torch.from_numpy(np.stack(cut)).permute(0, 3, 1, 2).float()


def export(work: Path, models: Path) -> None:
    net = WholeNet()
    net.load_state_dict(torch.load(work / "whole.pt")["best"])
    example = torch.zeros(1, 3, 4 * SQUARE, 5 * SQUARE)
    write_onnx(net, example, models / "whole.onnx", "kingdom", ANSWERS, {0: "n"}, 8, {2: "h", 3: "w"})


def main() -> None:
    parser = arguments(__doc__, ["train", "export"], "build/whole", 15000, PEAK)
    parser.add_argument("--pictures", type=Path, help="folder that models.train.whole_kingdoms wrote")
    options = parser.parse_args()
    if options.task == "export":
        export(options.work, options.models)
    else:
        train(options.pictures, **schedule(options))


if __name__ == "__main__":
    main()
