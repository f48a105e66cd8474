"""The networks that read squares: what a place shows, and what is printed on a building."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from models.train.classify_crops import EMPTY
from scorer.vision.pieces import HEADS, SIGNS

TERRAIN_CLASSES = EMPTY + 1
CROWN_CLASSES = 4
CHANNELS = 160
EMBEDDING = 2 * CHANNELS
"""Averages over the square, and the strongest answers anywhere: small pieces drown in an average."""
HALF_WAY = 6
"""Layers of the body after which texture is looked at."""


class _Residual(nn.Module):
    """Two 3x3 convolutions added to their input, which a strided 1x1 fits to another size (He et al. 2016)."""

    def __init__(self, inside: int, outside: int, stride: int = 1) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outside),
            nn.ReLU(),
            nn.Conv2d(outside, outside, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outside),
        )
        self.skip: nn.Module = nn.Identity()
        if stride != 1 or inside != outside:
            self.skip = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.body(x) + self.skip(x))


def _body() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, 24, 3, 2, 1, bias=False),
        nn.BatchNorm2d(24),
        nn.ReLU(),
        _Residual(24, 32, 2),
        _Residual(32, 64, 2),
        _Residual(64, 64),
        _Residual(64, 128, 2),
        _Residual(128, CHANNELS),
    )


def _pooled(seen: Tensor) -> Tensor:
    return torch.cat([seen.mean((2, 3)), seen.amax((2, 3))], 1)


class SquareNet(nn.Module):
    """RGB (N, 3, 72, 72), 0..255, to logits of terrain (N, 9), of crowns (N, 4) and of all of `HEADS` side by side, the
    embedding (N, 320) that every head reads, and the texture (N, 128), of which no head has chosen what it needs: new
    art is told apart by both."""

    size = 72
    outputs = ("terrain", "crowns", "pieces", "embedding", "texture")
    heads: ClassVar = {
        "terrain": TERRAIN_CLASSES,
        "crowns": CROWN_CLASSES,
        **{name: len(names) for name, names in HEADS.items()},
    }

    def __init__(self) -> None:
        super().__init__()
        self.body = _body()
        self.drop = nn.Dropout(0.2)
        self.terrain = nn.Linear(EMBEDDING, TERRAIN_CLASSES)
        self.crowns = nn.Linear(EMBEDDING, CROWN_CLASSES)
        self.pieces = nn.Linear(EMBEDDING, sum(len(names) for names in HEADS.values()))

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        half_way = self.body[:HALF_WAY](x * (1 / 64) - 2)
        embedding = _pooled(self.body[HALF_WAY:](half_way))
        dropped = self.drop(embedding)
        return self.terrain(dropped), self.crowns(dropped), self.pieces(dropped), embedding, _pooled(half_way)


class WiderNet(SquareNet):
    """`SquareNet` for (N, 3, 84, 84): it sees twice as much around a square, and what stands there in full."""

    size = 84


class BuildingNet(nn.Module):
    """RGB (N, 3, 96, 96), 0..255, of a square with a building to the logits of all of `SIGNS` side by side, and the
    embedding (N, 320) they are read from. It starts as a copy of `SquareNet` and sees a square a little larger."""

    size = 96
    outputs = ("signs", "embedding")
    heads: ClassVar = {name: len(names) for name, names in SIGNS.items()}

    def __init__(self) -> None:
        super().__init__()
        self.body = _body()
        self.drop = nn.Dropout(0.2)
        self.signs = nn.Linear(EMBEDDING, sum(self.heads.values()))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        embedding = _pooled(self.body(x * (1 / 64) - 2))
        return self.signs(self.drop(embedding)), embedding
