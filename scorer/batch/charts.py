"""Small bar charts as SVG, without any library: they take their colours from the page around them."""

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, FOOT, HEAD = 360, 150, 18, 14
MAX_BARS = 20


def bars(title: str, values: Sequence[tuple[str, int]]) -> str:
    """A bar for each label, its value above it."""
    highest = max((value for _, value in values), default=0) or 1
    step = WIDTH / max(len(values), 1)
    parts = []
    for i, (label, value) in enumerate(values):
        height = (HEIGHT - HEAD - FOOT) * value / highest
        top, middle = HEIGHT - FOOT - height, (i + 0.5) * step
        parts.append(
            f'<g><title>{escape(label)}: {value}</title><rect x="{i * step + 1:.1f}" y="{top:.1f}"'
            f' width="{step - 2:.1f}" height="{height:.1f}"/>'
            f'<text x="{middle:.1f}" y="{HEIGHT - 4}">{escape(label)}</text>'
            + (f'<text x="{middle:.1f}" y="{top - 3:.1f}">{value}</text>' if value else "")
            + "</g>"
        )
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{escape(title)}">{"".join(parts)}</svg></figure>'
    )


def histogram(counts: Mapping[int, int]) -> list[tuple[str, int]]:
    """Counts of numbers in at most MAX_BARS equal steps of a round width; each is labelled by its first number."""
    if not counts:
        return []
    low, high = min(counts), max(counts)
    width = next(w for w in _widths() if high // w - low // w < MAX_BARS)
    return [
        (str(first * width), sum(count for number, count in counts.items() if number // width == first))
        for first in range(low // width, high // width + 1)
    ]


def _widths() -> "Sequence[int]":
    return [digit * 10**power for power in range(9) for digit in (1, 2, 5)]
