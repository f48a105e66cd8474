"""Folders of photos: gain of workers, cost of a photo, memory, killed runs, hostile folders, runs with nothing new.

    python -m benchmarks.batch --cache FOLDER            everything, about twenty minutes on two free cores
    python -m benchmarks.batch --share 0.1               a tenth of the photos
    python -m benchmarks.batch --only rerun kills        some of the measurements

Rendering twelve megapixels takes seconds, so eight different photos are rendered once into the cache. Each is shown in
the eight ways that an EXIF orientation can turn it; from the 65th on photos repeat, with a comment of their own so that
no two files are equal.
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

import cv2
from PIL import Image

from benchmarks.figures import Figure, Form, at_most
from benchmarks.measure import arguments, jpeg, scorer, seconds
from scorer.batch import Engine, Options, Progress, Summary, run
from scorer.render import Recipe, render, sample_photos

DIFFERENT = 8
SIZE = (4032, 3024)
RECIPE = sample_photos(
    Recipe(
        photo_sizes=(SIZE,),
        kingdoms=(1, 1),
        rules=("kingdomino", "queendomino"),
        sizes=(5, 5, 7),
        square_pixels=(200.0, 480.0),
    )
)
SEED = 5_000_000
SAMPLES = 40
"""Photos that are read one by one for comparison."""
ROUNDS = 3
LOOPS = 6_000_000
KILLS = 20
ONE_BY_ONE = """
import sys, time, cv2
from scorer.vision.reading import read_photo
cv2.setNumThreads(1)
read_photo(sys.argv[1])
for photo in sys.argv[1:]:
    start = time.process_time()
    try:
        read_photo(photo)
    except Exception:
        pass
    print(time.process_time() - start)
"""


class Watch(Progress):
    """Takes the memory of the workers after every photo."""

    def __init__(self) -> None:
        self.megabytes: list[float] = []

    def done(self, status: str) -> None:
        sizes = [resident(pid) for pid in children()]
        self.megabytes.append(max(sizes, default=0.0))


def children() -> list[int]:
    """Processes that this one started."""
    found: list[int] = []
    for thread in Path(f"/proc/{os.getpid()}/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            found += map(int, (thread / "children").read_text().split())
    return found


def resident(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:  # it has just ended
        return 0.0
    return pages * resource.getpagesize() / 2**20


def rendered(cache: Path, different: int = DIFFERENT) -> list[bytes]:
    """The different photos, from the cache where it has them."""
    cache.mkdir(parents=True, exist_ok=True)
    photos = []
    for number in range(different):
        path = cache / f"{number}.jpg"
        if not path.exists():
            path.write_bytes(jpeg(render(SEED + number, recipe=RECIPE).image))
        photos.append(path.read_bytes())
    return photos


def variant(photo: bytes, orientation: int, comment: str) -> bytes:
    """The photo with an EXIF orientation and a comment; its pixels are not touched."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    segments = ((0xE1, b"Exif\0\0" + exif.tobytes().removeprefix(b"Exif\0\0")), (0xFE, comment.encode()))
    inserted = b"".join(b"\xff" + bytes([kind]) + struct.pack(">H", len(data) + 2) + data for kind, data in segments)
    return photo[:2] + inserted + photo[2:]


def fill(folder: Path, photos: list[bytes], count: int) -> Path:
    """A folder of so many photos in folders of a hundred."""
    for number in range(count):
        path = folder / f"{number // 100:03}" / f"{number:05}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        turn = 1 + number // len(photos) % 8
        path.write_bytes(variant(photos[number % len(photos)], turn, f"number {number}"))
    return folder


def read(folder: Path, out: Path, jobs: int = 2, watch: Watch | None = None) -> Summary:
    return run(Options(folder, out, engine=Engine(jobs)), watch)


def loop(_: int) -> int:
    total = 0
    for number in range(LOOPS):
        total += number & 3
    return total


def gain_of_loops() -> float:
    """How much more two processes of a pure CPU loop get done than one, now."""
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(loop, range(2)))
        alone = seconds(lambda: pool.submit(loop, 0).result())
        both = seconds(lambda: list(pool.map(loop, range(2))))
    return 2 * alone / both


def one_by_one(paths: list[Path]) -> float:
    """Seconds of CPU that reading a photo takes in one process that has read one already."""
    command = [sys.executable, "-c", ONE_BY_ONE, *map(str, paths)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    return statistics.mean(map(float, said.split()))


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure_workers(photos: list[bytes], count: int, work: Path) -> Iterator[Figure]:
    """Gain of two workers, and CPU per photo: in rounds, because other programs share the machine."""
    folder = fill(work / "photos", photos, count)
    paths = sorted(folder.rglob("*.jpg"))
    parts = [paths[i::ROUNDS] for i in range(ROUNDS)]
    loops, gains, costs = [], [], []
    first = fill(work / "first", photos, 1)
    before = cpu_of_children()
    read(first, work / "start", 1)
    start = cpu_of_children() - before - one_by_one(sorted(first.rglob("*.jpg")))
    yield Figure("starting a worker, CPU", f"{1000 * start:.0f} ms")
    for number, part in enumerate(parts):
        of_round = work / f"round{number}"
        for path in part:
            target = of_round / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, target)
        sample = part[: SAMPLES // ROUNDS]
        loops.append(gain_of_loops())
        plain = one_by_one(sample)
        cpu, own = cpu_of_children(), time.process_time()
        alone = seconds(lambda of_round=of_round, n=number: read(of_round, work / f"alone{n}", 1))
        both = seconds(lambda of_round=of_round, n=number: read(of_round, work / f"both{n}", 2))
        # Three workers were started.
        spent = cpu_of_children() - cpu + time.process_time() - own - 3 * start
        loops.append(gain_of_loops())
        plain = (plain + one_by_one(sample)) / 2
        gains.append(alone / both)
        costs.append(spent / (2 * len(part)) / plain)
        told = (
            f"one worker {len(part) / alone:.2f} photos/s, two {len(part) / both:.2f}; "
            f"CPU per photo {1000 * spent / (2 * len(part)):.0f} ms, of one read alone {1000 * plain:.0f} ms"
        )
        yield Figure(f". round {number + 1}", told)
    gain, loop_gain = statistics.median(gains), statistics.median(loops)
    share = gain / loop_gain
    told = f"{share:.2f} ({gain:.2f} / {loop_gain:.2f})"
    yield Figure("gain of two workers / gain of two CPU loops", told, "at least 0.9", share >= 0.9)
    yield at_most("CPU per photo / one read alone, without start-up", statistics.median(costs), 1.15)


def measure_rerun(photos: list[bytes], count: int, work: Path) -> Iterator[Figure]:
    """Memory over many photos, a run with nothing new, and what the results take on the disk."""
    folder, out = fill(work / "photos", photos, count), work / "out"
    watch = Watch()
    before, own = cpu_of_children(), time.process_time()
    first = seconds(lambda: read(folder, out, 2, watch))
    middle, own = cpu_of_children(), time.process_time() - own
    command = scorer("batch", str(folder), "--out", str(out))
    again = seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    busy = (middle - before + own, cpu_of_children() - middle)
    tenth = max(1, count // 10)
    early, late = max(watch.megabytes[tenth : 2 * tenth]), max(watch.megabytes[-tenth:])
    told = f" over {count} photos; second tenth {early:.0f} MB, last {late:.0f} MB"
    yield at_most("memory of a worker", max(watch.megabytes), 700, " MB", 0, told)
    yield Figure("memory flat: last tenth / second tenth", f"{late / early:.2f}", "at most 1.05", late <= 1.05 * early)
    told = f" ({again:.2f} s after {first:.1f} s over {count} photos; of CPU {busy[1]:.2f} after {busy[0]:.1f} s)"
    yield at_most("a run with nothing new / the first run", 100 * again / first, 2, " %", note=told)
    sizes = {name: size(out / name) / count / 1000 for name in ("pictures", "records", "results.jsonl", "report.html")}
    yield Figure("kB per photo", ", ".join(f"{name} {kilobytes:.1f}" for name, kilobytes in sizes.items()))


def size(path: Path) -> int:
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file()) if path.is_dir() else path.stat().st_size


def contents(out: Path) -> dict[str, bytes]:
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.is_file() and p.name != "lock"}


def measure_kills(photos: list[bytes], count: int, work: Path) -> Iterator[Figure]:
    """Killed at random moments: after a few photos more and a part of a second, however fast the machine is."""
    folder, rng = fill(work / "photos", photos, count), random.Random(20)
    read(folder, work / "whole")
    out, done = work / "killed", [0]
    command = scorer("batch", str(folder), "--out", str(out))
    for _ in range(KILLS):
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wanted = done[-1] + rng.randint(0, max(1, 2 * count // KILLS))
        while program.poll() is None and records(out) < wanted:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 1))
        program.kill()
        program.wait()
        done.append(records(out))
    time.sleep(1)  # the last orphaned worker ends
    summary = read(folder, out)
    same = contents(out) == contents(work / "whole")
    told = f"{KILLS} kills, {count} photos, {summary.read} read at last, {len(contents(out))} files"
    yield judged("killed and resumed: byte-identical to an uninterrupted run", same, told)


def judged(what: str, passed: bool, told: str) -> Figure:
    return Figure(what, f"{'yes' if passed else 'NO'}: {told}", "yes", passed, float(passed))


def records(out: Path) -> int:
    return len(list(out.glob("records/??/*.json")))


def hostile(folder: Path, photo: bytes, rng: random.Random) -> int:
    """Fifty files that somebody made to break things."""
    folder.mkdir(parents=True)
    gif = io.BytesIO()
    Image.new("RGB", (64, 64)).save(gif, "GIF")
    bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0) + bytes(4)
    contents = [
        photo[: rng.randrange(4, len(photo) // 2)],
        bomb,
        b"Dear sir",
        gif.getvalue(),
        b"",
        b"RIFF" + struct.pack("<I", 2**31) + b"WEBPVP8X" + bytes([10, 0, 0, 0, 0, 0, 0, 0]) + b"\xff" * 6,
        bytes(100_000),
        b"\0\0\0\x20ftypheic" + rng.randbytes(5000),
    ]
    names = ["plain", "line\nbreak", "\u202egpj", "=1+1", "-rf", "\x1b[2J", " ", "tab\t"]
    for number in range(40):
        (folder / f"{names[number % 8]}{number}.jpg").write_bytes(contents[number % 7 if number < 35 else 7])
    for number in range(5):
        (folder / f"loop{number}.jpg").symlink_to(f"loop{number}.jpg")
        (folder / f"folder{number}").symlink_to(".." if number % 2 else ".")
    return 50


def measure_hostile(photos: list[bytes], count: int, work: Path) -> Iterator[Figure]:
    folder = fill(work / "photos", photos, count)
    bad = hostile(folder / "bad", photos[0], random.Random(1))
    command = scorer("batch", str(folder), "--out", str(work / "out"))
    said = subprocess.run(command, capture_output=True, text=True)
    lines = (work / "out" / "results.jsonl").read_text().split("\n")[:-1]
    forms = [json.loads(line) for line in lines]
    failed = sum(form["status"] == "failed" for form in forms)
    read = len({form["source"] for form in forms if form["status"] != "failed"})
    trace = "Traceback" in said.stderr + said.stdout + "".join(lines)
    told = f"of {count} photos {read} with results, of {bad} hostile files {failed} named failures"
    good = (read, failed, trace) == (count, bad, False)
    yield judged("good and hostile files: results, named failures, no traceback", good, told)


MEASUREMENTS: dict[str, tuple[Callable[[list[bytes], int, Path], Iterator[Figure]], int]] = {
    "workers": (measure_workers, 200),
    "rerun": (measure_rerun, 1000),
    "kills": (measure_kills, 60),
    "hostile": (measure_hostile, 100),
}
"""Each with its number of photos."""


CACHE = Path(tempfile.gettempdir()) / "scorer-benchmark-photos"


def figures(form: Form, cache: Path = CACHE, only: Iterable[str] | None = None) -> Iterator[Figure]:
    cv2.setNumThreads(1)
    photos = rendered(cache, 1 if form.short else DIFFERENT)
    for name in only or (["hostile"] if form.short else MEASUREMENTS):
        measure, count = MEASUREMENTS[name]
        with tempfile.TemporaryDirectory(prefix=f"scorer-{name}-") as work:
            yield from measure(photos, form.part(count, least=ROUNDS), Path(work))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--share", type=float, default=1.0, help="part of the photos of each measurement")
    parser.add_argument("--only", nargs="+", choices=list(MEASUREMENTS))
    options = parser.parse_args()
    for figure in figures(Form(None, options.share), options.cache, options.only):
        print(figure, flush=True)


if __name__ == "__main__":
    main()
