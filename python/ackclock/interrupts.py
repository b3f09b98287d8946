"""Ctrl-C, and the signals that end a session or a job, put off while results are being saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["held", "raise_on_termination"]

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

_holding: list[int] | None = None


def raise_on_termination() -> None:
    """Makes SIGTERM and SIGHUP what Ctrl-C is, a KeyboardInterrupt; one that is ignored (nohup) stays so."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


@contextmanager
def held() -> Iterator[list[int]]:
    """Collects the signals that came instead of raising KeyboardInterrupt, in this block and those inside it.

    The caller looks at the list when it can stop. Outside the main thread, which alone gets signals, and for
    signals that do not raise KeyboardInterrupt, nothing changes.
    """
    global _holding  # noqa: PLW0603 - handlers of signals are global
    if threading.current_thread() is not threading.main_thread():
        yield []
        return
    if _holding is not None:
        yield _holding
        return
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    raising = [number for number in SIGNALS if signal.getsignal(number) is signal.default_int_handler]
    _holding = came
    try:
        for number in raising:
            signal.signal(number, note)
        yield came
    finally:
        _holding = None
        for number in raising:
            signal.signal(number, signal.default_int_handler)
