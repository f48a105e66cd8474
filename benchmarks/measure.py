"""What the benchmarks share: intervals, plain decoding as the unit of time, times taken in turns, memory, arguments."""

from __future__ import annotations

import argparse
import io
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import cv2
import numpy as np
from PIL import Image as Pillow

from scorer.vision.rectify import Image

QUALITY = 92
"""Of the JPEG files that photos are written to."""


def wilson(right: int, total: int) -> str:
    """The share with its 95 % interval after Wilson (1927)."""
    if not total:
        return "-"
    z, share = 1.96, right / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    reach = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (
        f"{right}/{total} = {100 * share:.2f} % ({100 * max(0, middle - reach):.2f}-{100 * min(1, middle + reach):.2f})"
    )


def jpeg(image: Image) -> bytes:
    """A picture (H, W, 3) RGB as a file."""
    file = io.BytesIO()
    Pillow.fromarray(image).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def decoded(file: bytes) -> Image:
    """Plain decoding by Pillow: the unit that times of readings are told in."""
    with Pillow.open(io.BytesIO(file)) as picture:
        return np.asarray(picture.convert("RGB"))


def medians(
    *calls: Callable[[], object], times: int = 9, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Median seconds of each call, taken in turns so that what else the machine does falls on all alike."""
    taken = [[seconds(call, clock) for call in calls] for _ in range(times)]
    return [median(column) for column in zip(*taken, strict=True)]


def seconds(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    start = clock()
    call()
    return clock() - start


def peak_memory(code: str, file: bytes) -> float:
    """Megabytes that a process of its own needs at most for code in which `photo` is the path of the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "photo.jpg"
        path.write_bytes(file)
        # Not getrusage: a new process inherits its parent's peak there.
        told = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
        command = [sys.executable, "-c", f"photo = {str(path)!r}\n{code}\n{told}"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(ran.stdout) / 1024


def scorer(*arguments: str) -> list[str]:
    """A command line that runs `scorer` from this tree."""
    return [sys.executable, "-c", "from scorer.cli import main; main()", *arguments]


def arguments(documentation: str | None, data: bool = False) -> argparse.ArgumentParser:
    """A parser that shows the module's documentation as it stands, and that knows where the photographs are."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    if data:
        folder = os.environ.get("SCORER_DATA")
        help_ = "the folder of photographs, else SCORER_DATA"
        parser.add_argument("--data", type=Path, default=Path(folder) if folder else None, help=help_)
    return parser


def parse_with_data(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The options, with a folder of photographs; everything is then measured on one thread."""
    options = parser.parse_args()
    if options.data is None:
        parser.error("name the folder of photographs with --data or SCORER_DATA")
    cv2.setNumThreads(1)
    return options
