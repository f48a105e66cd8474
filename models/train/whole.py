"""Trains the network that reads a kingdom as a whole and writes it to ``models/``.

python -m models.train.whole train --pictures FOLDER --steps 15000
python -m models.train.whole export
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from models.train.blocks import Residual, conv
from models.train.classify import relight
from models.train.classify_crops import ASKED, UNKNOWN
from models.train.classify_network import CROWN_CLASSES, TERRAIN_CLASSES
from models.train.course import Course, arguments, schedule, write_onnx
from models.train.whole_kingdoms import BORDER as STORED_BORDER
from models.train.whole_kingdoms import FEET, Pictured, load
from models.train.whole_kingdoms import SQUARE as STORED_SQUARE
from scorer.vision.pieces import HEADS
from scorer.vision.whole import ANSWERS, BORDER, SQUARE

PEAK = 2e-3
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
HELD = 4
"""Files of scenes that are kept back to validate."""


class WholeNet(nn.Module):
    """RGB (N, 3, 64 (R + 1), 64 (C + 1)), 0..255, a kingdom of R rows and C columns with half a square around it, to logits
    of terrain (N R C, 9), of crowns (N R C, 4) and of all of `HEADS` side by side; while it trains also where feet stand."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(conv(3, 24, stride=2), conv(24, 40, stride=2), Residual(40), conv(40, 72, stride=2))
        self.pieces_seen = nn.Sequential(Residual(72), Residual(72), conv(72, 112, stride=2), Residual(112))
        self.everywhere = nn.Linear(112, 112)
        self.around = nn.Sequential(Residual(112), Residual(112))
        self.feet = nn.Conv2d(112, len(FEET), 1)
        inside = 2 * 112 + len(FEET)
        self.drop = nn.Dropout(0.1)
        self.terrain = nn.Linear(inside, TERRAIN_CLASSES)
        self.crowns = nn.Linear(inside, CROWN_CLASSES)
        self.pieces = nn.Linear(inside, sum(map(len, HEADS.values())))

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        seen = self.pieces_seen(self.fine(x * (1 / 64) - 2))
        # How the whole table looks: what is wheat there depends on it.
        seen = seen + self.everywhere(seen.mean((2, 3)))[:, :, None, None]
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
        answers = (self.terrain(squares), self.crowns(squares), self.pieces(squares))
        return (*answers, feet) if self.training else answers


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
    answers = torch.from_numpy(np.stack(targets).astype(np.int64)).reshape(-1, len(ASKED))
    return x, answers, torch.from_numpy(np.stack(feet))


class _View:
    """A part of a kingdom, shifted, turned and zoomed a little, half of them mirrored. Never upside down: what stands leans
    away from the camera, upwards in nearly every photo."""

    def __init__(
        self, rows: int, columns: int, tall: int, wide: int, top: int, left: int, generator: torch.Generator | None
    ) -> None:
        self.rows, self.columns, self.top, self.left = rows, columns, top, left
        draw = torch.rand(9, generator=generator).numpy() if generator else np.full(9, 0.5)
        self.flip = -1 if draw[0] < 0.5 else 1
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
        return targets[:, :: self.flip]

    def cells(self, feet: np.ndarray | None) -> np.ndarray:
        """Each foot shared among the four cells nearest to it."""
        edge = CELLS * BORDER
        found = np.zeros((len(FEET), round(CELLS * self.rows + 2 * edge), round(CELLS * self.columns + 2 * edge)), np.float32)
        if feet is None:
            return np.full_like(found, np.nan)
        back = np.linalg.inv(self.matrix)
        for kind, *at in feet:
            x, y = (back @ (np.array(at) - self.middle - self.shift) + np.array([self.columns, self.rows]) / 2) * CELLS + edge
            left, top = math.floor(x - 0.5), math.floor(y - 0.5)
            for cell_x, cell_y in ((left, top), (left + 1, top), (left, top + 1), (left + 1, top + 1)):
                if 0 <= cell_y < found.shape[1] and 0 <= cell_x < found.shape[2]:
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
        each = nn.functional.binary_cross_entropy_with_logits(answers[3][known], feet[known], weight)
        total = total + FOOT_WEIGHT * each
    return total


def heads(answers: tuple[Tensor, ...]) -> list[Tensor]:
    """Logits of every head, in the order of the targets' columns."""
    terrain, crowns, pieces = (answer.float() for answer in answers[:3])
    return [terrain, crowns, *pieces.split(list(map(len, HEADS.values())), 1)]


def validate(net: WholeNet, pictures: list[Pictured]) -> dict[str, float]:
    """Share of answers that are right, by head, of squares right in everything, and of pictures."""
    net.eval()
    wrong = np.zeros(len(ASKED))
    squares = bad = whole = 0
    with torch.no_grad():
        for one in pictures:
            x, targets, _ = _all_of(one)
            seen = np.stack([head.argmax(1).numpy() for head in heads(net(x))], 1)
            miss = (seen != targets.numpy()) & (targets.numpy() != UNKNOWN)
            wrong += miss.sum(0)
            squares, bad, whole = squares + len(seen), bad + miss.any(1).sum(), whole + (not miss.any())
    net.train()
    figures = {name: round(float(count) / squares, 5) for name, count in zip(ASKED, wrong, strict=True) if count}
    return {"whole": round(whole / len(pictures), 4), "wrong": round(float(bad) / squares, 5), **figures}


def _all_of(one: Pictured) -> tuple[Tensor, Tensor, Tensor]:
    rows, columns = one.targets.shape[:2]
    view = _View(rows, columns, rows, columns, 0, 0, None)
    image = torch.from_numpy(one.image).permute(2, 0, 1)[None].float()
    x = nn.functional.grid_sample(image, view.grid, padding_mode="border", align_corners=False)
    return x, torch.from_numpy(one.targets.reshape(-1, len(ASKED)).astype(np.int64)), torch.zeros(0)


def batches(kinds: dict[str, list[Pictured]], rng: np.random.Generator) -> Iterator[list[Pictured]]:
    """Pictures of all kinds together, those of one batch at least as large as the part that is shown, or all smaller."""
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
    course = Course(net, work / "whole.pt", steps, peak, warm=300, newest=0.002)
    generator = torch.Generator().manual_seed(seed + course.step)
    for chosen in batches(kinds, np.random.default_rng(seed + course.step)):
        x, targets, feet = shown(chosen, generator)
        # Half precision: on processors that multiply matrices of it, a step takes a third of the time.
        with torch.autocast("cpu", torch.bfloat16):
            answers = net(x.contiguous(memory_format=torch.channels_last))
        value = loss((*heads_as_said(answers), answers[3].float()), targets, feet)
        course.learn(value)
        if course.due():
            course.save(loss=round(value.item(), 4), **validate(course.average.module, held))
        if course.step >= steps:
            return


def heads_as_said(answers: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(answer.float() for answer in answers[:3])


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
