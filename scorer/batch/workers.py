"""Processes that a photo may crash, hang or fill up without harm to anybody else.

`concurrent.futures.ProcessPoolExecutor` gives up as a whole when one of its processes dies, and cannot stop a task.
Here every worker is a program of its own (no state is inherited, so that networks are loaded after it started), spoken
to through its standard input and output; one that dies or takes too long costs the task it had, and is replaced.

This protects a run from accidents, not the machine from attackers: a worker has all rights of its user.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import scorer

HEADER_BYTES = 8
"""Before each message: its length."""


@dataclass(frozen=True)
class Limits:
    """What one task may take: seconds on the clock, and megabytes beyond those of the idle worker."""

    seconds: float = 120.0
    megabytes: int = 2000


class LostWorker(Exception):
    """A task cost its worker: it crashed, or had to be stopped."""


def send(pipe: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message)
    pipe.write(len(data).to_bytes(HEADER_BYTES, "big") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """The next message, still pickled; EOFError when the other side is gone."""
    header = pipe.read(HEADER_BYTES)
    data = pipe.read(int.from_bytes(header, "big"))
    if len(header) < HEADER_BYTES or len(data) < int.from_bytes(header, "big"):
        raise EOFError
    return data


class Worker:
    """One worker process. It is started with its first task, and again after it was lost."""

    def __init__(self, limits: Limits, prepare: Callable[[], None]) -> None:
        self.limits = limits
        self.prepare = prepare
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function returns or raises over there; raises LostWorker if there is no answer."""
        process = self.process = self.process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        overdue = threading.Event()

        def stop() -> None:
            overdue.set()
            process.kill()

        timer = threading.Timer(self.limits.seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            send(process.stdin, (function, arguments))
            done, value = pickle.loads(receive(process.stdout))
        except (EOFError, OSError):
            self.close()
            if overdue.is_set():
                raise LostWorker(f"not finished after {self.limits.seconds:g} seconds") from None
            raise LostWorker(f"its worker crashed (exit status {process.returncode})") from None
        finally:
            timer.cancel()
        if done:
            return value
        raise value

    def _start(self) -> subprocess.Popen[bytes]:
        paths = [str(Path(scorer.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "SCORER_THREADS": "1"}
        # As many workers as cores: threads of numerical libraries would only be in each other's way.
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        process = subprocess.Popen(
            # -P: a folder of strangers' files may be the current one, and must not be imported from.
            [sys.executable, "-P", "-c", "from scorer.batch.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            # Ctrl-C is for the program; its workers end with it.
            start_new_session=True,
        )
        assert process.stdin is not None
        send(process.stdin, (self.limits.megabytes, self.prepare))
        return process

    def close(self) -> None:
        """Ends the process at once, whatever it is doing."""
        process, self.process = self.process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with suppress(OSError):  # an unsent message to a process that is no more
                    pipe.close()


class Workers(Executor):
    """So many workers behind the interface of `concurrent.futures`; each is prepared before its first task."""

    def __init__(self, count: int, limits: Limits, prepare: Callable[[], None]) -> None:
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Any] | None] = queue.SimpleQueue()
        self._workers = [Worker(limits, prepare) for _ in range(count)]
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._serve, args=(w,), daemon=True) for w in self._workers]
        for thread in self._threads:
            thread.start()

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> "Future[Any]":
        if named:
            raise TypeError("workers take positional arguments only")
        if self._stopped.is_set():
            raise RuntimeError("these workers have been shut down")
        future: Future[Any] = Future()
        self._tasks.put((future, (function, *arguments)))
        return future

    def _serve(self, worker: Worker) -> None:
        while (task := self._tasks.get()) is not None:
            future, call = task
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(worker.run(*call))
                except BaseException as error:
                    future.set_exception(error)
        worker.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Lets the tasks at hand finish; with `cancel_futures` those that wait are dropped and the others stopped."""
        self._stopped.set()
        if cancel_futures:
            while not self._tasks.empty():
                if (task := self._tasks.get()) is not None:
                    task[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        if cancel_futures:
            for worker in self._workers:
                if worker.process:
                    worker.process.kill()
        if wait:
            for thread in self._threads:
                thread.join()
