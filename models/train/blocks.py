"""Blocks that several networks are built of."""

from __future__ import annotations

from torch import Tensor, nn


def conv(inside: int, outside: int, size: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inside, outside, size, stride, size // 2, bias=False), nn.BatchNorm2d(outside), nn.ReLU()
    )


class Residual(nn.Module):
    """Two plain convolutions added to the input (ResNet). It begins by adding nothing, so that it can join a trained
    network without harm."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        last = nn.BatchNorm2d(channels)
        nn.init.zeros_(last.weight)
        self.body = nn.Sequential(conv(channels, channels), nn.Conv2d(channels, channels, 3, 1, 1, bias=False), last)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.relu(x + self.body(x))
