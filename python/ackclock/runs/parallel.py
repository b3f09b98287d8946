"""Runs work in parallel threads, with progress, until it is done or Ctrl-C stops it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import TypeVar

from ackclock.arguments import check
from ackclock.errors import InputError
from ackclock.interrupts import held
from ackclock.runs.crew import Crew

__all__ = [
    "Progress",
    "ProgressCallback",
    "available_processors",
    "run_parallel",
]

Progress = Callable[[float, float], None]
"""A callback with the simulated seconds done and in total, a few times a second, in the caller's thread."""

ProgressCallback = Callable[[float], bool]
"""A callback of one simulation with the simulated seconds done; it returns False to stop the simulation."""


def available_processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


LOOK_EVERY_S = 0.1
"""The interval in seconds at which Ctrl-C is checked, the progress callback is called, and outcomes are
taken."""

T = TypeVar("T")
Item = TypeVar("Item")


def run_parallel(
    items: Sequence[tuple[float, Item]],
    work: Callable[[Item, ProgressCallback], T],
    take: Callable[[T], None],
    workers: int | None,
    progress: Progress | None,
) -> bool:
    """Does the work on every item in threads, and takes outcomes in the caller's thread, ten times a second.

    Each item comes with its simulated seconds, for the progress. True if Ctrl-C stopped it; outcomes finished
    before are taken. A run that does not stop within two seconds is left behind, with a warning; after a
    second Ctrl-C, none is waited for. Raises what the work on an item raises, and InputError, also for a
    method of a class that does not return.
    """
    check("workers", workers)
    threads = min(len(items), workers or available_processors())
    total = sum(duration for duration, _ in items)
    done = [0.0] * len(items)
    stop = threading.Event()
    finished: SimpleQueue[T] = SimpleQueue()
    waiting = iter(range(len(items)))  # shared by the threads

    def do_one_after_another() -> None:
        def report(seconds: float) -> bool:
            done[index] = seconds
            return not stop.is_set()

        for index in waiting:
            if stop.is_set():
                return
            duration, item = items[index]
            finished.put(work(item, report))
            done[index] = duration

    def take_finished() -> None:
        while not finished.empty():
            take(finished.get())

    interrupted = False
    with held() as pressed:
        crew = Crew(threads, do_one_after_another)
        try:
            is_over = not items
            while not is_over and not (interrupted := bool(pressed)):
                # Not woken by every outcome: a sweep's runs take less than a millisecond each.
                crew.wait(LOOK_EVERY_S)
                is_over = not crew.is_working
                if not is_over and (said := crew.stuck()):
                    raise InputError(said)
                take_finished()
                if progress:
                    progress(sum(done), total)
        except KeyboardInterrupt:  # raised by the progress
            interrupted = True
        finally:
            stop.set()
            crew.end(lambda: len(pressed) > 1)
        if not interrupted:
            crew.wait(0)
        take_finished()  # what ended while the others were being stopped
    return interrupted
