"""Vegas' retransmission: Reno's with fine-grained timeouts.

Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC 13(8), 1995,
section 3.1.
"""

from reference.recovery.duplicates import ByDuplicates
from reference.recovery.segment import Seen
from reference.recovery.sender import Phase, Settings
from reference.windowed import Windowed


class Vegas(ByDuplicates):
    """The clock is asked at duplicates, and at the first two acknowledgments after a retransmission."""

    def __init__(self, controller: Windowed, settings: Settings) -> None:
        super().__init__(controller, settings)
        self.cut_at: int | None = None
        """The time of the last reduction of the window."""
        self.checks_left = 0

    def expected_samples(self, flight_size: int) -> int:  # noqa: ARG002  however many there are
        """Every round-trip time counts in full."""
        return 1

    def detect(self, seen: Seen) -> None:
        """Looks at the clock with every duplicate, and twice after a retransmission."""
        if seen.advanced:
            if self.phase is Phase.RECOVERY:
                self.phase = Phase.OPEN
            self.advance()
            # The first or second one after a retransmission.
            if self.checks_left > 0:
                self.checks_left -= 1
                self.check(seen.now, certain=False)
        elif seen.duplicate:
            # A late segment need not wait for the third duplicate.
            self.count_duplicate()
            self.check(seen.now, certain=self.is_loss())

    def check(self, now: int, *, certain: bool) -> None:
        """Sends the first segment again if it is lost, or late.

        The window is reduced only for losses at the present rate: losses of segments sent after the last
        reduction.
        """
        if self.phase is Phase.RESTART or not self.outstanding:
            return
        sent_at = self.head.sent[-1]
        if not certain and now - sent_at <= self.timeout.fine:
            return
        self.fast_retransmit()
        self.checks_left = 2
        if self.cut_at is None or sent_at > self.cut_at:
            self.cut_at = now
            self.congestion(now)
