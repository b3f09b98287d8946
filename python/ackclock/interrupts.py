"""Ctrl-C, and the signals that end a session or a job, put off while results are being saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ackclock import _native

__all__ = ["held", "ignore", "raise_on_termination"]

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

_holding: list[int] | None = None

_came: list[int] = []
"""The signals that have come to the program; one within an import or a destructor may raise nothing."""


def _interrupt(number: int, _frame: FrameType | None) -> None:
    _came.append(number)
    raise KeyboardInterrupt


def _nothing(_number: int, _frame: FrameType | None) -> None:
    pass


RAISING = (_interrupt, signal.default_int_handler)


def raise_on_termination() -> None:
    """Makes SIGTERM and SIGHUP what Ctrl-C is, a KeyboardInterrupt; one that is ignored (nohup) stays so.

    A signal ends the program too where a call of a user's class keeps the interpreter for itself.
    """
    watched = _native.watch_signals()
    if watched is not None:
        signal.set_wakeup_fd(watched, warn_on_full_buffer=False)
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    _came.clear()


def ignore() -> None:
    """Ignores these signals from here on: the program has said how it ends, and ends so.

    By a handler: what is ignored as SIG_IGN, the programs that this one starts would ignore, too.
    """
    for number in SIGNALS:
        if signal.getsignal(number) is _interrupt:
            signal.signal(number, _nothing)


@contextmanager
def held() -> Iterator[list[int]]:
    """Collects the signals that came instead of raising KeyboardInterrupt, in this block and those inside it.

    The caller looks at the list when it can stop. It begins with signals that came before and ended nothing.
    Outside the main thread, which alone gets signals, and for signals that do not raise KeyboardInterrupt,
    nothing changes.
    """
    global _holding  # noqa: PLW0603 - handlers of signals are global
    if threading.current_thread() is not threading.main_thread():
        yield []
        return
    if _holding is not None:
        yield _holding
        return
    came = list(_came)

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    raising = {number: signal.getsignal(number) for number in SIGNALS}
    raising = {number: handler for number, handler in raising.items() if handler in RAISING}
    _holding = came
    try:
        for number in raising:
            signal.signal(number, note)
        yield came
    finally:
        _holding = None
        for number, handler in raising.items():
            signal.signal(number, handler)
