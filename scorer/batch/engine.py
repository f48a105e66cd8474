"""Hands out photos to workers, here or on a cluster, and takes in what becomes of them."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from scorer.batch import record
from scorer.batch.record import Origin
from scorer.batch.task import Task, failed_line, failure, prepare, read
from scorer.batch.workers import Limits, LostWorker, Workers
from scorer.errors import ScorerError, UsageError

AHEAD = 2
"""Tasks per worker that are handed out in advance, so that none waits for its next one."""
AHEAD_OF_CLUSTER = 1000
"""The same for a whole cluster: enough for hundreds of workers, little enough for a scheduler's memory."""


class Progress:
    """Is told how far a run is; this one keeps it to itself."""

    def start(self, photos: int, known: int) -> None:
        """So many photos, of which so many are known already."""

    def done(self, status: str) -> None:
        """One more photo is read."""

    def finish(self) -> None:
        """All are read, or the run ends early."""


@dataclass(frozen=True)
class Engine:
    """Where the work is done. `jobs`: processes, 0 for as many as cores; `scheduler`: address of a Dask cluster."""

    jobs: int = 0
    scheduler: str | None = None
    limits: Limits = field(default_factory=Limits)


Submit = Callable[[Task], "Future[str]"]


def read_all(tasks: Sequence[Task], engine: Engine, progress: Progress) -> dict[str, str]:
    """Has the workers read photos; returns the lines of those that failed for a reason outside of them, by source."""
    failures: dict[str, str] = {}
    pending: dict[Future[str], Task] = {}
    with _started(engine, len(tasks)) as (submit, ahead):
        try:
            for task in tasks:
                while len(pending) >= ahead:
                    _collect(pending, failures, progress)
                pending[submit(task)] = task
            while pending:
                _collect(pending, failures, progress)
        except BaseException:
            for future in pending:
                future.cancel()
            raise
    return failures


@contextmanager
def _started(engine: Engine, tasks: int) -> Iterator[tuple[Submit, int]]:
    """How to hand out a task, and how many in advance."""
    if engine.scheduler:
        from scorer.batch.cluster import connected, read_isolated

        with connected(engine.scheduler) as cluster:
            yield lambda task: cluster.submit(read_isolated, task, engine.limits), AHEAD_OF_CLUSTER
        return
    count = min(engine.jobs or cores(), tasks)
    workers = Workers(count, engine.limits, prepare)
    try:
        yield lambda task: workers.submit(read, task), AHEAD * count
    except BaseException:
        workers.shutdown(cancel_futures=True)
        raise
    workers.shutdown()


def cores() -> int:
    """Cores that this program may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _collect(pending: "dict[Future[str], Task]", failures: dict[str, str], progress: Progress) -> None:
    """Waits until some photos are done."""
    for future in wait(pending, return_when=FIRST_COMPLETED).done:
        task = pending.pop(future)
        status = "failed"
        try:
            status = future.result()
        except ScorerError:
            raise
        except CancelledError:
            raise UsageError("the cluster is gone: start it again and run the same command") from None
        except LostWorker as error:
            record.write(Path(task.out), task.source, failure(task.source, str(error), _origin(task)))
        except Exception as error:
            # A cluster's own trouble says nothing about the photo: it is not kept, so that the next run tries again.
            failures[task.source] = failed_line(task.source, f"{type(error).__name__}: {error}")
        progress.done(status)


def _origin(task: Task) -> Origin:
    """Size and time of a photo that nobody could read."""
    with suppress(OSError):
        about = os.stat(os.path.join(task.folder, task.source))
        return Origin(task.terms, about.st_size, about.st_mtime_ns, "")
    return Origin(task.terms, 0, 0, "")
