"""Validation of ECN (RFC 9000, 13.4.2 and A.4): whether a path carries ECN marks and its peer reports them.

Every packet has a number, and counts are numbers of packets, as in the RFC. What it leaves open:

- The test lasts for ten packets or three probe timeouts, whichever ends first (13.4.2 has "or").
- A path is capable at the first acknowledgment after the test whose counts are valid, once a marked packet is
  acknowledged (A.4). It fails at any time, during the test too.
- "Can also mark .. as failed" (A.4) is done: where all packets of the test are lost, or where none of them is
  outstanding and all that arrived were marked CE.
- A count above what was sent "can" fail (13.4.2.1), and does; so does a count that decreases, which no valid
  peer reports.
- A path that failed is not tested again (13.4.2.2: MAY).
- The RFC has no word about marks that arrive after a failure. 13.4.2.1 validates counts "before using them",
  so that the counts of a failed path are not used.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum

TEST_PACKETS = 10
TEST_TIMEOUTS = 3


class State(Enum):
    """The states of A.4."""

    TESTING = "testing"
    UNKNOWN = "unknown"
    FAILED = "failed"
    CAPABLE = "capable"


@dataclass(frozen=True)
class Counts:
    """The ECN counts of an ACK frame."""

    ect0: int = 0
    ect1: int = 0
    ce: int = 0


@dataclass
class EcnValidation:
    """The sender's side of one path."""

    uses_ect1: bool = False
    state: State = State.TESTING
    began: float | None = None
    """When the first marked packet was sent."""
    period: float = 0.0
    sent: int = 0
    """Packets sent with ECT."""
    tested: set[int] = field(default_factory=set)
    """Packets of the test that are neither acknowledged nor lost."""
    outstanding: set[int] = field(default_factory=set)
    """Packets sent with ECT that are not acknowledged, lost or not."""
    test_arrived: int = 0
    """Packets of the test that were acknowledged."""
    any_acknowledged: bool = False
    largest: int = -1
    valid: Counts = Counts()
    """The counts of "the last successfully processed ACK frame"."""

    def look(self, now: float) -> None:
        """The end of the testing period, by time."""
        if self.state is State.TESTING and self.began is not None and now - self.began >= self.period:
            self.state = State.UNKNOWN

    def on_sent(self, now: float, number: int, probe_timeout: float) -> bool:
        """Returns whether the packet that is sent now is marked with ECT."""
        self.look(now)
        if self.state not in (State.TESTING, State.CAPABLE):
            return False
        self.outstanding.add(number)
        self.sent += 1
        if self.state is State.TESTING:
            if self.began is None:
                self.began, self.period = now, TEST_TIMEOUTS * probe_timeout
            self.tested.add(number)
            if self.sent == TEST_PACKETS:
                self.state = State.UNKNOWN
        return True

    def on_lost(self, number: int) -> None:
        """The packet is declared lost; it may still be acknowledged (13.4.2)."""
        self.tested.discard(number)
        if not self.tested and self.test_arrived == 0 and self.state is State.UNKNOWN:
            self.state = State.FAILED

    def on_ack(self, now: float, newly: Collection[int], counts: Counts | None) -> bool:
        """Takes the packets that an ACK frame newly acknowledges. Returns whether its counts may be used."""
        self.look(now)
        marked = [number for number in newly if number in self.outstanding]
        self.outstanding.difference_update(marked)
        in_test = [number for number in marked if number in self.tested]
        self.tested.difference_update(in_test)
        self.test_arrived += len(in_test)
        self.any_acknowledged |= bool(marked)
        if self.state is State.FAILED:
            return False
        largest = max(newly, default=-1)
        if largest <= self.largest:
            # "An endpoint MUST NOT fail ECN validation as a result of processing" it.
            return False
        self.largest = largest
        if counts is None:
            if marked:
                self.state = State.FAILED
            return False
        if not self.are_valid(counts, len(marked)):
            self.state = State.FAILED
            return False
        self.valid = counts
        if self.state is State.UNKNOWN and self.any_acknowledged:
            self.state = State.CAPABLE
        is_test_over = self.state is not State.TESTING and not self.tested
        if is_test_over and self.test_arrived > 0 and counts.ect0 == counts.ect1 == 0:
            self.state = State.FAILED
            return False
        return True

    def are_valid(self, counts: Counts, marked: int) -> bool:
        """Section 13.4.2.1, of an acknowledgment that covers this many packets sent with ECT."""
        ect0 = counts.ect0 - self.valid.ect0
        ect1 = counts.ect1 - self.valid.ect1
        ce = counts.ce - self.valid.ce
        if min(ect0, ect1, ce) < 0:
            return False
        if (ect1 if self.uses_ect1 else ect0) + ce < marked:
            return False
        sent0, sent1 = (0, self.sent) if self.uses_ect1 else (self.sent, 0)
        return counts.ect0 <= sent0 and counts.ect1 <= sent1
