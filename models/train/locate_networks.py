"""The two networks that locate kingdoms.

``Spotter`` looks at the photo in several sizes, always for squares about 30 pixels wide, and says for every fourth
pixel whether a tile lies there, where the centre of its square is, how wide and how turned the square is.
``Straightener`` looks at one kingdom already roughly straightened, 32 pixels a square, and says for every place
whether one of the kingdom's tiles lies there and by how much its corners are off.
"""

from __future__ import annotations

from torch import Tensor, nn

from models.train.blocks import Residual, conv

SPOTTER_STRIDE = 4
SPOTTER_CHANNELS = (
    "tile",
    "centre",
    "castle",
    "offset_x",
    "offset_y",
    "log_side",
    "sum_re",
    "sum_im",
    "product_re",
    "product_im",
)
SQUARE = 32
STRAIGHTENER_CHANNELS = ("tile", "castle", *(f"tile_{i}" for i in range(8)), *(f"place_{i}" for i in range(8)))


class _Block(nn.Module):
    """Depthwise, then two pointwise convolutions, added to the input (an inverted residual, MobileNetV2).

    All three are normalised: with one normalisation a block, or with plain 3x3 convolutions, training got nowhere
    near as far in the same time. It begins by adding nothing, so that blocks can join a trained network without harm.
    """

    def __init__(self, channels: int, size: int, expand: int = 2) -> None:
        super().__init__()
        last = nn.BatchNorm2d(channels)
        nn.init.zeros_(last.weight)
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, size, 1, size // 2, groups=channels, bias=False),
            nn.BatchNorm2d(channels),
            nn.Conv2d(channels, channels * expand, 1, bias=False),
            nn.BatchNorm2d(channels * expand),
            nn.ReLU(),
            nn.Conv2d(channels * expand, channels, 1, bias=False),
            last,
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)


def _stage(inside: int, outside: int, blocks: int, size: int) -> nn.Sequential:
    return nn.Sequential(conv(inside, outside, 3, 2), *(_Block(outside, size) for _ in range(blocks)))


class _Normalise(nn.Module):
    """RGB 0..255 to about -1..1, inside the network so that no caller can get it wrong."""

    def forward(self, x: Tensor) -> Tensor:
        return x * (1 / 64) - 2


class Spotter(nn.Module):
    """RGB (N, 3, H, W), 0..255, H and W multiples of 16, to (N, 10, H/4, W/4) as in SPOTTER_CHANNELS."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(_Normalise(), conv(3, 16, 3, 2))
        self.down4 = _stage(16, 32, 1, 3)
        self.down8 = _stage(32, 56, 2, 3)
        self.down16 = _stage(56, 88, 7, 5)
        self.side8, self.side4 = nn.Conv2d(56, 48, 1), nn.Conv2d(32, 32, 1)
        self.top16, self.top8 = nn.Conv2d(88, 48, 1), nn.Conv2d(48, 32, 1)
        self.merge8 = nn.Sequential(_Block(48, 3), _Block(48, 3))
        self.merge4 = _Block(32, 3)
        self.head = nn.Sequential(conv(32, 48, 1), nn.Conv2d(48, len(SPOTTER_CHANNELS), 1))
        nn.init.constant_(self.head[1].bias[:3], -2.0)

    def forward(self, x: Tensor) -> Tensor:
        x4 = self.down4(self.stem(x))
        x8 = self.down8(x4)
        x16 = self.down16(x8)
        up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
        y = self.merge8(self.side8(x8) + up(self.top16(x16)))
        y = self.merge4(self.side4(x4) + up(self.top8(y)))
        out: Tensor = self.head(y)
        return out


class Straightener(nn.Module):
    """RGB (N, 3, 32 R, 32 C), 0..255, to (N, 18, R, C) as in STRAIGHTENER_CHANNELS, offsets in squares."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _Normalise(),
            conv(3, 16, 3, 2),
            conv(16, 24, 3, 2),
            conv(24, 40, 3, 2),
            Residual(40),
            conv(40, 64, 3, 2),
            *(Residual(64) for _ in range(2)),
            conv(64, 96, 3, 2),
            *(Residual(96) for _ in range(7)),
        )
        self.head = nn.Conv2d(96, len(STRAIGHTENER_CHANNELS), 1)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(self.body(x))
        return out
