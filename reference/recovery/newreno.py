"""NewReno: fast recovery for a whole window (RFC 6582)."""

from reference.recovery.duplicates import ByDuplicates
from reference.recovery.segment import Seen
from reference.recovery.sender import Phase, Settings
from reference.windowed import Windowed


class NewReno(ByDuplicates):
    """Choices that RFC 6582 leaves open: the impatient timer, and the end at the reduced window."""

    def __init__(self, controller: Windowed, settings: Settings) -> None:
        super().__init__(controller, settings)
        self.had_partial = False

    def detect(self, seen: Seen) -> None:
        """Recovery ends when all that was outstanding at its beginning is acknowledged (section 3.2)."""
        if seen.advanced and self.phase is Phase.RECOVERY and self.high_ack < self.recover:
            self.on_partial(len(seen.cumulative))
        elif seen.advanced:
            self.advance()
        elif seen.duplicate:
            self.count_duplicate()
            # Step 2: the acknowledgment has to cover more than recover.
            if self.is_loss() and self.high_ack > self.recover:
                self.fast_retransmit()
                self.had_partial = False
                self.congestion(seen.now)

    def on_partial(self, acknowledged: int) -> None:
        """Step 3, partial acknowledgments: the first unacknowledged segment is sent again.

        "Deflate the congestion window by the amount of new data acknowledged by the Cumulative Acknowledgment
        field. If the partial ACK acknowledges at least one SMSS of new data, then add back SMSS bytes to the
        congestion window." If duplicates were lost on their way, the window is then less than ssthresh. Only
        the first partial acknowledgment restarts the timer. The inflation does not exceed the segments in the
        network.
        """
        self.duplicates = 0
        self.lose(self.head)
        self.retransmit_now = True
        self.inflated_by = min(self.inflated_by + 1 - acknowledged, self.pipe)
        self.keep_timer, self.had_partial = self.had_partial, True
