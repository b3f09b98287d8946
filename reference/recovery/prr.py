"""Proportional rate reduction: RFC 6937, over the losses of RFC 6675."""

import math

from reference.recovery.sack import Sack
from reference.recovery.segment import Segment
from reference.recovery.sender import Phase, Settings
from reference.windowed import Windowed


class Prr(Sack):
    """PRR-SSRB: once the pipe has fallen to ssthresh, it grows as in slow start."""

    conservative = False

    def __init__(self, controller: Windowed, settings: Settings) -> None:
        super().__init__(controller, settings)
        self.prr_delivered = 0
        self.prr_out = 0
        self.recover_fs = 0
        self.sndcnt = 0

    def after_ack(self, delivered: int) -> None:
        """Section 3. The acknowledgment that begins recovery is the first that counts."""
        if self.phase is not Phase.RECOVERY:
            return
        if self.began_recovery:
            # RecoverFS is FlightSize.
            self.prr_delivered, self.prr_out, self.recover_fs = 0, 0, len(self.outstanding)
        self.prr_delivered += delivered
        ssthresh = self.controller.window.ssthresh
        if self.pipe > ssthresh:
            # "Proportional Rate Reduction"
            self.sndcnt = math.ceil(self.prr_delivered * ssthresh / self.recover_fs) - self.prr_out
        else:
            # "Two versions of the Reduction Bound"
            if self.conservative:
                limit = self.prr_delivered - self.prr_out
            else:
                limit = max(self.prr_delivered - self.prr_out, delivered) + 1
            # Whole segments.
            self.sndcnt = math.floor(min(ssthresh - self.pipe, limit))

    def has_room(self) -> bool:
        """In recovery sndcnt takes the window's place."""
        if self.phase is not Phase.RECOVERY:
            return super().has_room()
        return self.sndcnt > 0

    def send(self, now: int, segment: Segment) -> None:
        """Counts a segment that is sent, new or again."""
        super().send(now, segment)
        self.prr_out += 1
        self.sndcnt -= 1


class PrrCrb(Prr):
    """PRR-CRB: no more is sent than was delivered."""

    conservative = True
