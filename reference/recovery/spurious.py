"""Episodes without congestion: F-RTO (RFC 5682) and duplicates reported (RFC 2883, RFC 3708)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference.recovery.sender import Seen


@dataclass
class FRto:
    """Sections 2.1 (basic) and 3.1 (SACK-enhanced) of RFC 5682. Its steps are numbered alike."""

    step: int = 0
    """The step to take with the next acknowledgment; 0 while none is to be judged."""
    recover: int = -1
    new_segments: int = 0
    """Previously unsent segments that step 2 lets go yet."""

    def on_timeout(self, high_data: int, *, was_open: bool) -> None:
        """Step 1: not where a recovery is underway, unless it is by timeouts of the same segment (3.2)."""
        self.step = 2 if was_open or self.step == 2 else 0
        self.recover, self.new_segments = high_data, 0

    def on_ack(self, seen: Seen, high_ack: int, *, has_new: bool, uses_sack: bool) -> bool | None:
        """Whether the timeout was spurious; none where that is not known (yet)."""
        if self.step == 2:
            if seen.advanced:
                goes_on = high_ack < self.recover and has_new
                self.step, self.new_segments = (3, 2) if goes_on else (0, 0)
            elif seen.duplicate and not uses_sack:
                # 2a. With SACK a duplicate leaves the sender in step 2.
                self.step = 0
            return None
        verdict = self.third_step(seen, high_ack) if uses_sack else self.basic_third_step(seen)
        if verdict is not None:
            self.step = self.new_segments = 0
        return verdict

    def basic_third_step(self, seen: Seen) -> bool | None:
        """A duplicate: 3a. An acknowledgment that advances the window: 3b."""
        if seen.advanced:
            return True
        return False if seen.duplicate else None

    def third_step(self, seen: Seen, high_ack: int) -> bool | None:
        """Something above RecoveryPoint arrived: 3a. A segment below it that was not sent again: 3b."""
        if high_ack > self.recover or any(segment.number >= self.recover for segment in seen.above):
            return False
        if any(not segment.was_sent_again and segment.number < self.recover for segment in seen.delivered):
            return True
        return False if high_ack >= self.recover else None


@dataclass
class Duplicates:
    """RFC 3708, 3: nothing was lost if all retransmissions of an episode are reported to have arrived twice.

    A report of a segment that was sent once shows that the network duplicates packets: then no report can be
    trusted.
    """

    waits: bool = False
    again: list[int] = field(default_factory=list)
    """The retransmissions since the latest episode began."""
    ever: set[int] = field(default_factory=set)
    network_duplicates: bool = False

    def begin(self) -> None:
        """An episode begins."""
        self.waits = True
        self.again.clear()

    def on_sent_again(self, number: int) -> None:
        """A retransmission, be it a probe."""
        if not self.network_duplicates:
            self.again.append(number)
            self.ever.add(number)

    def on_report(self, number: int) -> bool:
        """Whether this was the last."""
        if number not in self.again:
            # An earlier one than the highest that was ever sent again may have been sent again itself.
            if number > max(self.ever, default=-1):
                self.network_duplicates = True
            return False
        self.again.remove(number)
        return self.waits and not self.network_duplicates and not self.again
