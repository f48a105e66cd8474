"""Time to think, told by the work done: a limit ends a search at the same place on any machine, busy or not.

Equal input gives equal results only if no search depends on how many programs share the cores. The processor's time is
the last resort, for tables whose steps take far longer than usual.
"""

import threading
from time import perf_counter, thread_time

STEP = 30e-6
"""Seconds between two looks at the clock; measured 10 to 60 millionths for real kingdoms, more for larger tables."""
LAG, GRACE = 2.0, 0.5
"""A search may take this many times its limit, and so many seconds, of the processor's time."""


class _Thinking(threading.local):
    steps = 0


_here = _Thinking()


def now() -> float:
    """Seconds that this thread has spent thinking."""
    return _here.steps * STEP


def tick() -> float:
    """The same, one step later."""
    _here.steps += 1
    return _here.steps * STEP


def run_out(deadline: float) -> None:
    """Lets a deadline pass."""
    _here.steps = max(_here.steps, int(deadline / STEP) + 1)


class LastResort:
    """The processor's time that a search with this deadline may take at most."""

    def __init__(self, deadline: float) -> None:
        allowed = LAG * max(0.0, deadline - now()) + GRACE
        self.clock, self.processor = perf_counter() + allowed, thread_time() + allowed

    def passed(self) -> bool:
        # The clock on the wall is cheap to ask, and never behind the processor's.
        return perf_counter() > self.clock and thread_time() > self.processor
