"""The same work on an existing Dask cluster (`pip install "kingdom-scorer[cluster]"`).

Every thread of a Dask worker has a worker process of its own to read photos in, so that a photo that crashes or hangs
costs neither the Dask worker nor its other tasks. The folders must have the same path on all machines.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress

from scorer.batch.task import Task, prepare, read
from scorer.batch.workers import Limits, Worker
from scorer.errors import UsageError

PATIENCE = "30s"
"""How long to wait for a scheduler to answer."""

_here = threading.local()
_all: list[Worker] = []


@contextmanager
def connected(scheduler: str) -> Iterator[Executor]:
    """The cluster as an executor; its worker processes are ended afterwards."""
    try:
        from distributed import Client
    except ImportError:
        raise UsageError('--engine dask needs Dask: pip install "kingdom-scorer[cluster]"') from None
    try:
        client = Client(scheduler, timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler {scheduler}: no Dask scheduler answers there: {error}") from None
    with client:
        try:
            yield client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        finally:
            with suppress(Exception):  # a cluster that is gone has nothing to release
                client.run(release)


def read_isolated(task: Task, limits: Limits) -> str:
    """Reads a photo in this thread's worker process."""
    worker: Worker | None = getattr(_here, "worker", None)
    if worker is None or worker.limits != limits:
        if worker:
            worker.close()
        worker = _here.worker = Worker(limits, prepare)
        _all.append(worker)
    return str(worker.run(read, task))


def release() -> None:
    """Ends the worker processes of this Dask worker."""
    while _all:
        _all.pop().close()
