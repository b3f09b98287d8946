"""The other side of a connection: it acknowledges each segment a round trip after it was sent."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

MSS = 1448
"""Bytes of a full segment, with timestamps."""

BLOCKS = 3
"""Blocks of an acknowledgment with timestamps (RFC 2018, 3)."""


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
    """The timestamp of the latest segment in order."""
    blocks: tuple[tuple[int, int], ...]
    """Ranges that have arrived above `next`, the latest first (RFC 2018, 4)."""


class Peer:
    """A receiver at the end of a path without a queue, which loses what it is asked to."""

    def __init__(self, rtt_s: float) -> None:
        self.rtt_s = rtt_s
        self.is_dead = False
        """Segments do not arrive any more."""
        self.loses: int | None = None
        """The next segment with this byte is lost."""
        self.sent: list[Sent] = []
        self.next = 1
        self._above: list[tuple[int, int]] = []
        self._echo = 0
        self._due: deque[Acknowledgment] = deque()

    def take(self, segment: Sent, echo: int = 0) -> None:
        """A segment leaves the examined TCP."""
        self.sent.append(segment)
        end = segment.sequence + segment.length
        if self.loses is not None and segment.sequence <= self.loses < end:
            self.loses = None
            return
        if self.is_dead:
            return
        if segment.sequence > self.next:
            self._hold(segment.sequence, end)
        else:
            self._echo = echo
            self.next = max(self.next, end)
            while reaching := [block for block in self._above if block[0] <= self.next]:
                self.next = max(self.next, *(block[1] for block in reaching))
                self._above = [block for block in self._above if block[0] > self.next]
        blocks = tuple(self._above[:BLOCKS])
        self._due.append(Acknowledgment(segment.at_s + self.rtt_s, self.next, self._echo, blocks))

    def _hold(self, start: int, end: int) -> None:
        touching = [block for block in self._above if block[0] <= end and block[1] >= start]
        whole = min([start, *(block[0] for block in touching)]), max([end, *(block[1] for block in touching)])
        self._above = [whole, *(block for block in self._above if block not in touching)]

    @property
    def due_s(self) -> float | None:
        """The time at which the next acknowledgment arrives."""
        return self._due[0].due_s if self._due else None

    def told(self, now_s: float) -> Acknowledgment | None:
        """The next acknowledgment that is due."""
        return self._due.popleft() if self._due and self._due[0].due_s <= now_s else None
