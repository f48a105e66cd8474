"""What every benchmark reports: figures with their bars, in one form for the table, the file and CI."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import wilson


@dataclass(frozen=True)
class Figure:
    """One figure.

    what: names it, the same in every run; measured: as people read it, with its interval; bar: what was asked for, ""
    where nothing was; met: whether that is reached, None without a bar. good: an accuracy, the higher the better, that
    CI compares with a floor while the bar is missed, and slack: how much of it one picture more or less is worth; None
    for times and memory, which CI does not judge.
    """

    what: str
    measured: str
    bar: str = ""
    met: bool | None = None
    good: float | None = None
    slack: float = 0.0

    def __str__(self) -> str:
        return " | ".join(["", self.what, self.measured, self.bar, VERDICT[self.met], ""]).strip()


ROUNDING = 1e-6
"""Of a share times a total, which may be a whole number."""
VERDICT = {True: "met", False: "missed", None: ""}


def count_right(what: str, count: int, total: int, bar: float | None = None, asked: str = "") -> Figure:
    """So many of so many are right; the bar is the least share, 1 for all of them, or told in words."""
    measured = wilson(count, total)
    if bar is None or not total:
        return Figure(what, measured)
    asked = asked or ("all" if bar == 1 else f"{100 * bar:g} %")
    return Figure(what, measured, asked, count >= bar * total - ROUNDING, count / total, 1 / total)


def count_wrong(what: str, count: int, total: int, bar: float = 0.0, note: str = "") -> Figure:
    """So many of so many are wrong; the bar is the largest share."""
    measured = wilson(count, total) + note
    if not total:
        return Figure(what, measured)
    asked = f"at most {100 * bar:g} %" if bar else "none"
    return Figure(what, measured, asked, count <= bar * total + ROUNDING, 1 - count / total, 1 / total)


def at_most(
    what: str, value: float, bar: float, unit: str = "", digits: int = 2, note: str = "", judged: bool = False
) -> Figure:
    """A time, a ratio or a size; `judged` where it is an error that CI watches, with room for a tenth more."""
    good, slack = (-value, 0.1 * value) if judged else (None, 0.0)
    return Figure(what, f"{value:.{digits}f}{unit}{note}", f"at most {bar:g}{unit}", value <= bar, good, slack)


@dataclass(frozen=True)
class Form:
    """How much is measured. share: part of what is rendered; short: what takes minutes is left out."""

    data: Path | None
    share: float = 1.0
    short: bool = False

    def part(self, whole: int, least: int) -> int:
        return max(least, round(whole * self.share))

    @property
    def photographs(self) -> Path:
        """The folder of photographs, for those that measure nothing without it."""
        if self.data is None:
            raise NotMeasured("needs the photographs (SCORER_DATA)")
        return self.data


class NotMeasured(Exception):
    """What a figure needs is not here; the message says what."""
