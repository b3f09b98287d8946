"""Episodes without congestion: F-RTO (RFC 5682) and duplicates reported (RFC 2883, RFC 3708)."""

from dataclasses import dataclass, field

from reference.recovery.segment import Seen


@dataclass
class FRto:
    """Sections 2.1 (basic) and 3.1 (SACK-enhanced) of RFC 5682. Its steps are numbered alike."""

    step: int = 0
    """The step to take with the next acknowledgment; 0 while no timeout is judged."""
    recover: int = -1
    new_segments: int = 0
    """The previously unsent segments that step 2 may still send."""

    def on_timeout(self, high_data: int, *, may_enter: bool) -> None:
        """Step 1: not where a recovery is underway, unless it is by timeouts of the same segment (3.2)."""
        self.step = 2 if may_enter or self.step == 2 else 0
        self.recover, self.new_segments = high_data, 0

    def on_ack(self, seen: Seen, high_ack: int, *, has_new: bool, uses_sack: bool) -> bool | None:
        """True if the timeout was spurious; None if that is not known (yet)."""
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
        """If the acknowledgment covers something above RecoveryPoint: 3a. New data below it: 3b.

        A duplicate with neither: 3a.
        """
        if high_ack > self.recover or any(segment.number >= self.recover for segment in seen.above):
            return False
        if seen.delivered:
            return True
        return False if seen.same_number else None


@dataclass
class Duplicates:
    """RFC 3708, section 3. Its steps are numbered alike.

    The history of retransmissions is that of the latest episode's window: from SND.UNA at its beginning.
    """

    waits: bool = False
    """The congestion control state may be reverted."""
    retransmitted: dict[int, int] = field(default_factory=dict)
    """The number of times that each segment was retransmitted."""
    marked: set[int] = field(default_factory=set)
    """The segments acknowledged as duplicates."""
    history_from: int = 0
    """The segment below which retransmissions are unknown."""
    ceased: bool = False
    """The algorithm is not used for the remainder of the connection."""

    def begin(self, high_ack: int) -> None:
        """An episode begins."""
        self.waits = True
        self.forget(high_ack)

    def forget(self, high_ack: int) -> None:
        """The acknowledged data is of an earlier window."""
        earlier = [number for number in self.retransmitted if number < high_ack]
        self.history_from = max([self.history_from, *(number + 1 for number in earlier)])
        for number in earlier:
            del self.retransmitted[number]

    def on_sent_again(self, number: int, high_ack: int) -> None:
        """A retransmission, which may be a probe."""
        if not self.waits:
            self.forget(high_ack)
        self.retransmitted[number] = self.retransmitted.get(number, 0) + 1

    def on_report(self, number: int, *, is_first_and_scoreboard_empty: bool) -> bool:
        """True if all retransmissions of the window were spurious and no loss occurred."""
        times = self.retransmitted.get(number, 0)
        if is_first_and_scoreboard_empty:
            self.waits = False  # (A.1)
        elif times == 0 and number >= self.history_from:
            self.ceased = True  # (A.4)
        elif times > 1:
            self.waits = False  # (A.3)
        elif times == 1:
            self.marked.add(number)  # (A.2)
            # Step (B):
            all_marked = all(self.retransmitted[n] == 1 and n in self.marked for n in self.retransmitted)
            return self.waits and not self.ceased and all_marked
        return False
