"""Whether confidence means what it says: calibration error, reliability diagram, and what a threshold of doubt is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

BINS = 15


def bins(confidence: list[float], correct: list[bool], count: int = BINS) -> Iterator[tuple[float, float, int]]:
    """Mean confidence, share right and number of equally filled bins, the least sure first."""
    order = np.argsort(confidence, kind="stable")
    sure, right = np.array(confidence)[order], np.array(correct, float)[order]
    for part in np.array_split(np.arange(len(sure)), count):
        if len(part):
            yield float(sure[part].mean()), float(right[part].mean()), len(part)


def calibration_error(confidence: list[float], correct: list[bool]) -> float:
    """Expected calibration error over equally filled bins."""
    return sum(n * abs(sure - right) for sure, right, n in bins(confidence, correct)) / max(1, len(correct))


def reliability(confidence: list[float], correct: list[bool]) -> str:
    """The reliability diagram as a table."""
    lines = ["| confidence | right | squares |", "| --- | --- | --- |"]
    lines += [f"| {sure:.4f} | {right:.4f} | {n} |" for sure, right, n in bins(confidence, correct)]
    return "\n".join(lines)


def reliability_svg(confidence: list[float], correct: list[bool]) -> str:
    """The same as a picture: how often squares are wrong against how often they say so, both on a log scale."""
    least, size = 1e-4, 400

    def at(share: float) -> float:
        return size * (1 - np.log(max(share, least)) / np.log(least))

    dots = "".join(
        f'<circle cx="{at(1 - sure):.1f}" cy="{size - at(1 - right):.1f}" r="5"><title>{n}</title></circle>'
        for sure, right, n in bins(confidence, correct)
    )
    ticks = "".join(
        f'<text x="{at(10.0**p):.0f}" y="{size + 18}">{10.0**p:g}</text>'
        f'<text x="-40" y="{size - at(10.0**p) + 4:.0f}">{10.0**p:g}</text>'
        for p in range(-4, 1)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-60 -20 {size + 90} {size + 70}" font-family="sans-serif"'
        f' font-size="12"><rect x="-60" y="-20" width="{size + 90}" height="{size + 70}" fill="white"/>'
        f'<path d="M0 {size}L{size} 0M0 0V{size}H{size}" fill="none" stroke="grey"/>{dots}{ticks}'
        f'<text x="90" y="{size + 40}">1 - confidence (said to be wrong)</text>'
        f'<text x="6" y="-4">share of squares that are wrong (0.0001: none)</text></svg>\n'
    )


THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.985, 0.99)


def thresholds(kingdoms: Iterable[tuple[float, bool, bool, float, bool]]) -> str:
    """What a threshold of doubt would mean: how many kingdoms it makes doubtful, how many wrong scores it lets pass.

    Of each kingdom what `Tally.whole` keeps.
    """
    whole = np.array(list(kingdoms), float).reshape(-1, 5)
    least, flat, bad = whole[:, 0], whole[:, 1] > 0, whole[:, 2] > 0
    lines = [
        "| doubted below | doubtful without a standing castle | wrong scores without a doubt |",
        "| --- | --- | --- |",
    ]
    for sure in THRESHOLDS:
        doubted = least < sure
        share = f"{(doubted & flat).sum()} of {flat.sum()}"
        lines.append(f"| {sure} | {share} | {(bad & ~doubted).sum()} of {bad.sum()} |")
    for half in np.array_split(whole[np.argsort(whole[:, 3])], 2):
        lines.append(
            f"{len(half)} kingdoms: right as a whole by their own word {half[:, 3].mean():.3f}, in truth "
            f"{half[:, 4].mean():.3f}"
        )
    return "\n".join(lines)
