"""The network that reads one square: its terrain and its crowns."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from models.train.classify_crops import EMPTY

TERRAIN_CLASSES = EMPTY + 1
CROWN_CLASSES = 4
EMBEDDING = 160


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


class SquareNet(nn.Module):
    """RGB (N, 3, 72, 72), 0..255, to logits (N, 9) of terrain, (N, 4) of crowns, and the embedding (N, 160).

    Every further head reads the embedding, which also serves to compare squares.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 24, 3, 2, 1, bias=False),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            _Residual(24, 32, 2),
            _Residual(32, 64, 2),
            _Residual(64, 64),
            _Residual(64, 128, 2),
            _Residual(128, EMBEDDING),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )
        self.drop = nn.Dropout(0.2)
        self.terrain = nn.Linear(EMBEDDING, TERRAIN_CLASSES)
        self.crowns = nn.Linear(EMBEDDING, CROWN_CLASSES)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        embedding = self.body(x * (1 / 64) - 2)
        dropped = self.drop(embedding)
        return self.terrain(dropped), self.crowns(dropped), embedding
