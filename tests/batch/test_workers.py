"""Workers that die, hang or take too much: only their task is lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, wait
from pathlib import Path

import pytest

from scorer.batch.workers import Limits, LostWorker, Workers
from tests.batch import runs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(2, Limits(seconds=5, megabytes=300), runs.nothing) as workers:
        yield workers


def test_results_and_errors_come_back(workers: Workers) -> None:
    assert list(workers.map(runs.add, range(20), range(20))) == list(range(0, 40, 2))
    with pytest.raises(ValueError, match="no"):
        workers.submit(runs.fail).result()
    assert workers.submit(runs.print_noise).result() == "quiet"


def test_a_crash_costs_one_task_only(workers: Workers) -> None:
    futures: list[Future[object]] = []
    for number in range(10):
        futures.append(workers.submit(runs.crash) if number % 3 == 0 else workers.submit(runs.add, number, 0))
    wait(futures)
    for number, future in enumerate(futures):
        if number % 3 == 0:
            with pytest.raises(LostWorker, match="crashed"):
                future.result()
        else:
            assert future.result() == number


def test_a_task_that_takes_too_long_is_stopped() -> None:
    with Workers(1, Limits(seconds=1.5), runs.nothing) as workers:
        hanging, next_one = workers.submit(runs.hang), workers.submit(runs.add, 1, 2)
        with pytest.raises(LostWorker, match=r"not finished after 1\.5 seconds"):
            hanging.result()
        assert next_one.result() == 3


def test_memory_is_limited(workers: Workers) -> None:
    with pytest.raises(MemoryError):
        workers.submit(runs.fill_memory).result()
    assert workers.submit(runs.add, 1, 2).result() == 3


def test_shutting_down_stops_what_hangs() -> None:
    workers = Workers(1, Limits(), runs.nothing)
    hanging, waiting = workers.submit(runs.hang), workers.submit(runs.add, 1, 2)
    while not hanging.running():
        time.sleep(0.01)
    start = time.monotonic()
    workers.shutdown(cancel_futures=True)
    assert time.monotonic() - start < 5
    assert waiting.cancelled()
    with pytest.raises(RuntimeError):
        workers.submit(runs.add, 1, 2)


def test_workers_end_with_a_killed_program() -> None:
    code = (
        "from scorer.batch.workers import *; from tests.batch import runs; w = Workers(1, Limits(), runs.nothing)\n"
        "print(w.submit(runs.process).result(), flush=True); w.submit(runs.hang).result()"
    )
    root = Path(__file__).parents[2]
    program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root)
    assert program.stdout
    worker = int(program.stdout.readline())
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    program.stdout.close()
    deadline = time.monotonic() + 10
    while _runs(worker):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A child that nobody waits for any more stays as a zombie where there is no init.
    state = Path(f"/proc/{pid}/stat")
    return not (state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z")
