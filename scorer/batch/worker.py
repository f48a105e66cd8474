"""The program of a worker process: takes tasks from its standard input, answers on its standard output.

It limits its own memory where the system can do that (not on Windows, where only the time limit holds), and ends with
the program that started it, even if that was killed.
"""

import contextlib
import os
import pickle
import queue
import sys
import threading
from typing import Any, BinaryIO

from scorer.batch.workers import receive, send

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


def main() -> None:
    # Whatever a decoder prints must not get among the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    tasks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, tasks), daemon=True).start()
    start, ready = tasks.get(), False
    while True:
        task = tasks.get()
        answer: tuple[bool, Any]
        try:
            if not ready:
                megabytes, prepare = pickle.loads(start)
                prepare()
                limit_memory(megabytes)
                ready = True
            function, arguments = pickle.loads(task)
            answer = (True, function(*arguments))
        except Exception as error:
            answer = (False, error)
        send(answers, answer)


def _listen(pipe: BinaryIO, tasks: "queue.SimpleQueue[bytes]") -> None:
    """Passes tasks on. When the other end is closed nobody waits for an answer, so the process ends at once."""
    try:
        while True:
            tasks.put(receive(pipe))
    except EOFError:
        os._exit(0)


def limit_memory(megabytes: int) -> None:
    """Lets this process take so much more memory than now; beyond that, allocating fails."""
    if resource is None:
        return
    try:
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # no Linux: what the libraries map without using it is unknown
        now = 4 * 2**30
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = now + megabytes * 2**20
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    # Not every system can limit the memory of a process (macOS cannot always).
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
