"""The other side of a connection: it acknowledges each segment a round trip after it was sent."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

Block = tuple[int, int]

MSS = 1448
"""Bytes of a full segment, with timestamps."""


@dataclass(frozen=True)
class Sent:
    """A segment of the examined TCP."""

    at_s: float
    sequence: int
    """The sequence number of its first byte; the connection begins with 1."""
    length: int


@dataclass(frozen=True, order=True)
class Acknowledgment:
    """An acknowledgment on its way."""

    due_s: float
    number: int
    next: int = field(compare=False)
    blocks: tuple[Block, ...] = field(compare=False)
    echo: int = field(compare=False, default=0)
    """The timestamp of the segment that it answers."""


class Peer:
    """A receiver at the end of a path without a queue."""

    def __init__(self, rtt_s: float, *, loses: frozenset[int] = frozenset()) -> None:
        self.rtt_s = rtt_s
        self.loses = loses
        """The segments that are lost, counted from one in the order of their first transmission."""
        self.is_dead = False
        """Nothing arrives any more."""
        self.sent: list[Sent] = []
        self.next = 1
        self._held: list[Block] = []
        self._highest = 1
        self._first_copies = 0
        self._due: list[Acknowledgment] = []
        self._count = 0

    def take(self, segment: Sent, echo: int = 0) -> None:
        """A segment leaves the examined TCP."""
        self.sent.append(segment)
        is_first = segment.sequence >= self._highest
        self._highest = max(self._highest, segment.sequence + segment.length)
        self._first_copies += is_first
        if self.is_dead or (is_first and self._first_copies in self.loses):
            return
        self._arrive((segment.sequence, segment.sequence + segment.length))
        self._count += 1
        blocks = tuple(reversed(self._held[-3:]))
        due = Acknowledgment(segment.at_s + self.rtt_s, self._count, self.next, blocks, echo)
        heapq.heappush(self._due, due)

    def _arrive(self, block: Block) -> None:
        held: list[Block] = []
        for start, end in sorted([*self._held, block]):
            if start <= self.next:
                self.next = max(self.next, end)
            elif held and start <= held[-1][1]:
                held[-1] = (held[-1][0], max(held[-1][1], end))
            else:
                held.append((start, end))
        self._held = held

    @property
    def due_s(self) -> float | None:
        """The time at which the next acknowledgment arrives."""
        return self._due[0].due_s if self._due else None

    def told(self, now_s: float) -> Acknowledgment | None:
        """The next acknowledgment that is due."""
        return heapq.heappop(self._due) if self._due and self._due[0].due_s <= now_s else None
