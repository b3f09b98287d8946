"""The parts common to recoveries without selective acknowledgments: duplicates stand for arrivals.

RFC 5681 inflates cwnd by a segment for each duplicate, and deflates it at the end of recovery. Here the
window stays that of the controller, and the inflation is counted separately: the inequality is the same.
"""

from reference.recovery.segment import Seen
from reference.recovery.sender import DUP_THRESH, Phase, Sender, Settings
from reference.windowed import Windowed


class ByDuplicates(Sender):
    """A sender that only learns which data arrived in order."""

    def __init__(self, controller: Windowed, settings: Settings) -> None:
        super().__init__(controller, settings)
        self.inflated_by = 0
        self.restarted_at = -1
        """The next sequence number at the latest restart."""
        self.credited = 0
        """Deliveries that duplicates reported and no cumulative acknowledgment has covered yet."""

    def inflation(self) -> int:
        """The inflation of the window by RFC 5681."""
        return self.inflated_by

    def count_delivered(self, seen: Seen) -> int:
        """A duplicate stands for one segment, which does not count again when it is acknowledged.

        The first unacknowledged segment is never among those.
        """
        if seen.advanced:
            counted = min(self.credited, len(seen.cumulative) - 1)
            self.credited = min(self.credited - counted, len(self.outstanding))
            return len(seen.cumulative) - counted
        # After a restart duplicates come from segments that were sent again needlessly.
        if not seen.duplicate or self.phase is Phase.RESTART or self.credited + 1 >= len(self.outstanding):
            return 0
        self.credited += 1
        return 1

    def count_duplicate(self) -> None:
        """Steps 3 and 4 of RFC 5681, 3.2: each duplicate inflates the window by a segment.

        "This artificially inflates the congestion window in order to reflect the additional segment that has
        left the network." So the inflation never exceeds the segments in the network. After a restart there
        is none, since it is unknown which copy arrived.
        """
        self.duplicates += 1
        if self.phase is not Phase.RESTART:
            self.inflated_by = min(self.inflated_by + 1, self.pipe)

    def is_loss(self) -> bool:
        """True if this is the third duplicate in a row.

        Duplicates of segments that a restart may have sent twice do not count: the acknowledgment has to
        cover more than had been sent by then (RFC 6582, section 4). There are two other readings: it also has
        to cover more than the latest fast retransmit, or there is no condition.
        """
        early = self.threshold() < DUP_THRESH and self.duplicates >= self.threshold()
        if not (early or self.duplicates == DUP_THRESH) or self.phase is Phase.RECOVERY:
            return False
        match self.settings.fast_retransmit_beyond:
            case "nothing":
                return True
            case "recover":
                return self.phase is Phase.OPEN and self.high_ack > self.recover
            case _:
                return self.phase is Phase.OPEN and self.high_ack > self.restarted_at

    def advance(self) -> None:
        """New data was acknowledged: duplicates are counted anew, and a restart may be complete."""
        self.duplicates = self.inflated_by = 0
        if self.high_ack >= self.recover:
            self.phase = Phase.OPEN

    def fast_retransmit(self) -> None:
        """Step 3 of RFC 5681, 3.2: the segment at SND.UNA is lost, and sent again."""
        self.phase = Phase.RECOVERY
        self.recover = self.high_data
        self.lose(self.head)
        self.retransmit_now = True

    def forget_arrivals(self) -> None:
        """The window is no longer inflated, and no restart covers anything."""
        self.inflated_by = 0
        self.restarted_at = self.high_ack - 1

    def restart(self) -> None:
        """Clears the count of arrivals since the loss, whose segments are unknown."""
        super().restart()
        self.restarted_at = self.high_data
        self.inflated_by = 0
