"""A run of a folder and its outputs, and workers' functions that misbehave."""

import json
import os
import time
from pathlib import Path
from typing import Any

from scorer.batch import Engine, Limits, Options, Summary, run
from scorer.batch.task import Task


def read_folder(folder: Path, out: Path, jobs: int = 2, limits: Limits | None = None, **options: Any) -> Summary:
    return run(Options(folder, out, engine=Engine(jobs, limits=limits or Limits()), **options))


def results(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").split("\n")[:-1]]


def files(out: Path) -> dict[str, bytes]:
    """Every file below a folder, except the lock."""
    return {
        os.fsdecode(os.path.relpath(path, out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != "lock"
    }


def nothing() -> None:
    pass


def add(a: int, b: int) -> int:
    return a + b


def crash() -> None:
    os.abort()


def hang() -> None:
    time.sleep(1000)


def fill_memory() -> int:
    return len(bytearray(2**30))


def print_noise() -> str:
    os.write(1, b"noise")
    print("more noise")
    return "quiet"


def fail() -> None:
    raise ValueError("no")


def process() -> int:
    return os.getpid()


def read_or_misbehave(task: Task) -> str:
    """Reads a photo, unless its name says what to do instead."""
    from scorer.batch.work import read_one

    for name, misbehave in {"crash": crash, "hang": hang, "memory": fill_memory}.items():
        if name in task.source:
            misbehave()
    return read_one(task)


def read_isolated_or_misbehave(task: Task, limits: Limits) -> str:
    """The same on a cluster, in the worker process of its thread."""
    from scorer.batch.workers import Worker

    worker = Worker(limits, nothing)
    try:
        return str(worker.run(read_or_misbehave, task))
    finally:
        worker.close()
