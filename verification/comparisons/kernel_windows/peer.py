"""The other side of a connection: it acknowledges each segment a round trip after it was sent."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

MSS = 1448
"""Bytes of a full segment, with timestamps."""


@dataclass(frozen=True)
class Sent:
    """A segment of the examined TCP."""

    at_s: float
    sequence: int
    """The sequence number of its first byte; the connection begins with 1."""
    length: int


@dataclass(frozen=True)
class Acknowledgment:
    """An acknowledgment on its way."""

    due_s: float
    next: int
    echo: int
    """The timestamp of the segment that it answers."""


class Peer:
    """A receiver at the end of a path without a queue, which loses nothing while it is alive."""

    def __init__(self, rtt_s: float) -> None:
        self.rtt_s = rtt_s
        self.is_dead = False
        """Segments do not arrive any more."""
        self.sent: list[Sent] = []
        self.next = 1
        self._due: deque[Acknowledgment] = deque()

    def take(self, segment: Sent, echo: int = 0) -> None:
        """A segment leaves the examined TCP."""
        self.sent.append(segment)
        if self.is_dead:
            return
        self.next = max(self.next, segment.sequence + segment.length)
        self._due.append(Acknowledgment(segment.at_s + self.rtt_s, self.next, echo))

    @property
    def due_s(self) -> float | None:
        """The time at which the next acknowledgment arrives."""
        return self._due[0].due_s if self._due else None

    def told(self, now_s: float) -> Acknowledgment | None:
        """The next acknowledgment that is due."""
        return self._due.popleft() if self._due and self._due[0].due_s <= now_s else None
