"""Reno: fast retransmit and fast recovery (RFC 5681, 3.2)."""

from reference.recovery.duplicates import ByDuplicates
from reference.recovery.segment import Seen
from reference.recovery.sender import Phase


class Reno(ByDuplicates):
    """Fast recovery for one loss."""

    def detect(self, seen: Seen) -> None:
        """Recovery ends with the first acknowledgment of new data (step 6)."""
        if seen.advanced:
            if self.phase is Phase.RECOVERY:
                self.phase = Phase.OPEN
            self.advance()
        elif seen.duplicate:
            self.count_duplicate()
            if self.is_loss():
                self.fast_retransmit()
                self.congestion(seen.now)
