"""Runs work in parallel threads, with progress, until it is done or Ctrl-C stops it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TypeVar

from ackclock.interrupts import held

__all__ = ["Progress", "ProgressCallback", "available_processors", "run_parallel"]

Progress = Callable[[float, float], None]
"""A callback with the simulated seconds done and in total, a few times a second, in the caller's thread."""

ProgressCallback = Callable[[float], bool]
"""A callback of one simulation with the simulated seconds done; it returns False to stop the simulation."""


def available_processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


LOOK_EVERY_S = 0.1
"""The interval in seconds of checks for Ctrl-C, and of calls of the progress callback, while no run ends."""

T = TypeVar("T")
Item = TypeVar("Item")


def run_parallel(
    items: Sequence[tuple[float, Item]],
    work: Callable[[Item, ProgressCallback], T],
    take: Callable[[T], None],
    workers: int | None,
    progress: Progress | None,
) -> bool:
    """Does the work on every item in threads, and takes each outcome in the caller's thread when it is done.

    Each item comes with its simulated seconds, for the progress. True if Ctrl-C stopped it; outcomes finished
    before are taken. After a second Ctrl-C, it does not wait for the runs that are being stopped.
    """
    total = sum(duration for duration, _ in items)
    done = [0.0] * len(items)
    stop = threading.Event()

    def one(index: int) -> T:
        def report(seconds: float) -> bool:
            done[index] = seconds
            return not stop.is_set()

        duration, item = items[index]
        outcome = work(item, report)
        done[index] = duration
        return outcome

    threads = workers or max(1, min(len(items), available_processors()))
    interrupted = False
    pool = ThreadPoolExecutor(threads)
    pending: set[Future[T]] = set()
    finished: SimpleQueue[Future[T]] = SimpleQueue()
    waiting = iter(range(len(items)))
    with held() as pressed:
        try:
            while not (interrupted := bool(pressed)):
                # Few items are submitted at a time, so that Ctrl-C takes effect soon.
                for index in islice(waiting, 2 * threads - len(pending)):
                    future = pool.submit(one, index)
                    pending.add(future)
                    future.add_done_callback(finished.put)
                if not pending:
                    break
                for future in _take_all(finished):
                    pending.remove(future)
                    take(future.result())
                if progress:
                    progress(sum(done), total)
        except KeyboardInterrupt:  # raised by the progress
            interrupted = True
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            running = {future for future in pending if not future.cancelled()}
            while running and len(pressed) < 2:
                running = wait(running, timeout=LOOK_EVERY_S).not_done
        for future in pending:  # finished while the others were being stopped
            if future.done() and not future.cancelled() and future.exception() is None:
                take(future.result())
    return interrupted


def _take_all(finished: SimpleQueue[T]) -> Iterator[T]:
    """The futures in the queue; waits at most `LOOK_EVERY_S` for the first."""
    try:
        yield finished.get(timeout=LOOK_EVERY_S)
        while True:
            yield finished.get_nowait()
    except Empty:
        return
