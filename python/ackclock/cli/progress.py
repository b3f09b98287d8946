"""Progress on standard error, with an estimate of the time left, for work that takes longer than a second."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from ackclock.report.text import for_terminal
from ackclock.scenarios import own_code

__all__ = ["ProgressBar"]

PATIENCE_S = 1.0
"""The time after which progress is displayed."""

ROOM_FOR_BAR = 75
"""The letters of a line that are not the title: bar, share and times."""

LINE_EVERY_S = 10.0
"""The interval of printed lines if no bar can be drawn (in a log file, a pipe)."""


NOTE_AFTER_S = 10.0
"""The time after which a run with a class in Python says what the class costs."""

NOTE = (
    "ackclock: the class in Python is called for each acknowledgment, which takes some 3 µs; a built-in "
    "algorithm takes a hundredth of that"
)


class ProgressBar:
    """Displays progress: `with ProgressBar("Comparing") as bar: compare(..., progress=bar.tell)`."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._console = Console(stderr=True)
        self._begun = time.monotonic()
        self._next_line = self._begun + LINE_EVERY_S
        self._bar: Progress | None = None
        self._has_noted = False

    def tell(self, done: float, total: float, found: str = "", paused_s: float = 0.0) -> None:
        """Takes the work done and the total, in any unit (simulated seconds), and what was found so far.

        `paused_s` seconds of the time until now say nothing of the time that the rest takes; NaN if it is not
        known how long that is.
        """
        now = time.monotonic()
        if now - self._begun < PATIENCE_S:
            return
        if now - self._begun > NOTE_AFTER_S and not self._has_noted:
            self._has_noted = True
            if own_code.is_any_loaded():
                self._console.print(NOTE, soft_wrap=True, highlight=False)
        if not self._console.is_terminal:
            self._tell_in_lines(now, done, total, found, paused_s)
            return
        if self._bar is None:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TextColumn("elapsed"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=self._console,
                transient=True,
            )
            self._bar.start()
            self._bar.add_task(self.what, total=total)
        self._bar.update(
            self._bar.task_ids[0], completed=done, total=total, description=self._described(found)
        )

    def _described(self, found: str) -> str:
        """The title, and as much of what was found as the line has room for."""
        room = max(self._console.width - len(self.what) - ROOM_FOR_BAR, 0)
        return escape(f"{self.what}  {for_terminal(found)[:room]}".rstrip())

    def _tell_in_lines(self, now: float, done: float, total: float, found: str, paused_s: float) -> None:
        if now < self._next_line or done <= 0:
            return
        self._next_line = now + LINE_EVERY_S
        left = (now - self._begun - paused_s) * (total - done) / done
        after = f"; {for_terminal(found)}" if found else ""
        about = f", about {left:.0f} s left" if math.isfinite(left) else ""
        print(f"{self.what}: {done / total:.0%}{about}{after}", file=sys.stderr, flush=True)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
