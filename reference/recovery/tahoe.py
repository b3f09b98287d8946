"""Tahoe: fast retransmit without fast recovery (Jacobson, "Congestion avoidance and control", 1988)."""

from reference.recovery.duplicates import ByDuplicates
from reference.recovery.segment import Seen


class Tahoe(ByDuplicates):
    """The third duplicate is answered as a timeout is: slow start, with everything after the loss again."""

    def detect(self, seen: Seen) -> None:
        """There is no other way to find a loss."""
        if seen.advanced:
            self.advance()
        elif seen.duplicate:
            self.count_duplicate()
            if self.is_loss():
                for segment in self.outstanding:
                    self.lose(segment)
                self.restart()
                self.congestion(seen.now, restart=True)
