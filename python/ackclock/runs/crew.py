"""Threads that can be ended: also one in which a class of the user never returns."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ackclock.scenarios.own_code import is_own_file

__all__ = ["Crew", "end_all", "endable", "is_any_left_behind", "is_told_to_end"]

LOOK_EVERY_S = 0.1
"""The interval in seconds of looks at threads that are being ended."""

WILLING_S = 0.5
"""The time in which a thread ends of itself when it is told to."""

PATIENCE_S = 1.6
"""The time after which a thread that does not end is left behind."""


_left: list[threading.Thread] = []


def is_any_left_behind() -> bool:
    """True while a thread goes on that could not be ended: the program must not wait for it at its end."""
    return any(thread.is_alive() for thread in _left)


_told: set[int] = set()


def is_told_to_end() -> bool:
    """True in a thread that did not end of itself, in which SystemExit is raised."""
    return threading.get_ident() in _told


_endable: set[int] = set()


@contextmanager
def endable() -> Iterator[None]:
    """Lets `end_all` end what goes on in this block, in a thread that somebody else has made."""
    number = threading.get_ident()
    _told.discard(number)
    _endable.add(number)
    try:
        yield
    except SystemExit:
        if not is_told_to_end():
            raise
        raise RuntimeError("the run was ended") from None  # SystemExit would end the thread
    finally:
        _endable.discard(number)


def end_all() -> None:
    """Ends what goes on in blocks of `endable` in this process."""
    for number in list(_endable):
        _raise_in(number)


class Crew:
    """Threads that do the same work. They are daemons: a program ends without one that does not return."""

    def __init__(self, count: int, work: Callable[[], None]) -> None:
        self._over: list[int] = []
        self._failures: list[BaseException] = []
        self._changed = threading.Event()
        self._threads = [
            threading.Thread(target=self._done, args=(number, work), daemon=True) for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def _done(self, number: int, work: Callable[[], None]) -> None:
        _told.discard(threading.get_ident())  # numbers of threads are used again
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
            self._failures.append(error)
        finally:
            self._over.append(number)
            self._changed.set()

    @property
    def is_working(self) -> bool:
        """True while a thread works."""
        return bool(self._working())

    def _working(self) -> list[threading.Thread]:
        over = set(self._over)
        return [
            thread for number, thread in enumerate(self._threads) if number not in over and thread.is_alive()
        ]

    def wait(self, seconds: float) -> None:
        """Waits this long, or until a thread is done. Raises the exception that one ended with."""
        self._changed.wait(seconds)
        self._changed.clear()
        if self._failures:
            raise self._failures[0]

    def end(self, may_leave: Callable[[], bool]) -> None:
        """Ends the threads, which have been told to; leaves those behind that do not end, with a warning.

        `may_leave` says whether somebody asked again and wants to wait no longer.
        """
        began = time.monotonic()
        while (working := self._working()) and not may_leave():
            waited = time.monotonic() - began
            if waited > PATIENCE_S:
                _left.extend(working)
                for thread in working:
                    warnings.warn(_left_behind(thread), RuntimeWarning, stacklevel=2)
                return
            if waited > WILLING_S:
                for thread in working:
                    _raise_in(thread.ident or 0)
            self._changed.wait(LOOK_EVERY_S)
            self._changed.clear()


def _raise_in(number: int) -> None:
    """Raises SystemExit, of which a thread prints no report, as soon as the thread executes Python."""
    _told.add(number)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(number), ctypes.py_object(SystemExit))


def _left_behind(thread: threading.Thread) -> str:
    """A sentence with the innermost line of the user's code that the thread executes."""
    frame = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - there is no other way
    while frame is not None and not is_own_file(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return "a run could not be stopped and is left behind"
    place = f"{frame.f_code.co_name}, line {frame.f_lineno} of {Path(frame.f_code.co_filename).name}"
    return f"a run could not be stopped and is left behind: {place}, does not return"
