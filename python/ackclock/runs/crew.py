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
from types import FrameType

from ackclock.scenarios.own_code import is_own_file

__all__ = ["Crew", "end_all", "endable", "is_any_left_behind", "is_told_to_end"]

LOOK_EVERY_S = 0.1
"""The interval in seconds of looks at threads that are being ended."""

WILLING_S = 0.5
"""The time in which a thread ends of itself when it is told to."""

PATIENCE_S = 1.6
"""The time after which a thread that does not end is left behind."""


CALL_S = 60.0
"""The time after which a call of a class's method counts as one that does not return."""

SIMULATION = str(Path(__file__).with_name("simulate.py"))
"""The file from which a simulation calls the methods of classes."""

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
        self._calls: dict[threading.Thread, tuple[FrameType, float]] = {}
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

    def stuck(self) -> str:
        """A sentence about a method of a class that has not returned for too long; empty if there is none.

        A call is known by its frame, which is another one for each call.
        """
        running = sys._current_frames()  # noqa: SLF001 - there is no other way
        calls = {thread: _call(running.get(thread.ident or 0)) for thread in self._working()}
        now = time.monotonic()
        self._calls = {
            thread: (call, self._calls[thread][1] if self._is_same(thread, call) else now)
            for thread, call in calls.items()
            if call is not None
        }
        for thread, (_, since) in self._calls.items():
            if now - since > CALL_S:
                place = _place_in(thread)
                return f"{place}, has not returned for {CALL_S:.0f} s: is there a loop without an end?"
        return ""

    def _is_same(self, thread: threading.Thread, call: FrameType) -> bool:
        return thread in self._calls and self._calls[thread][0] is call

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


def _call(frame: FrameType | None) -> FrameType | None:
    """The call that a simulation made to a class, of which a frame is part."""
    while frame is not None and frame.f_back is not None:
        if frame.f_back.f_code.co_filename == SIMULATION and is_own_file(frame.f_code.co_filename):
            return frame
        frame = frame.f_back
    return None


def _left_behind(thread: threading.Thread) -> str:
    """A sentence about a thread that could not be ended."""
    place = _place_in(thread)
    told = f": {place}, does not return" if place else ""
    return f"a run could not be stopped and is left behind{told}"


def _place_in(thread: threading.Thread) -> str:
    """The innermost line of the user's code that the thread executes; empty if there is none."""
    frame = sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - there is no other way
    while frame is not None and not is_own_file(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return ""
    return f"{frame.f_code.co_name}, line {frame.f_lineno} of {Path(frame.f_code.co_filename).name}"
