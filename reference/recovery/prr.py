"""Proportional rate reduction: RFC 6937 or RFC 9937, over the losses of RFC 6675."""

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
        rule = "rfc6937" if self.conservative else self.settings.proportional_rate
        if self.began_recovery:
            self.prr_delivered, self.prr_out, self.recover_fs = 0, 0, self.initial_recover_fs(rule)
        self.prr_delivered += delivered
        ssthresh = self.controller.window.ssthresh
        if rule != "rfc6937":
            self.sndcnt = self.by_rfc_9937(delivered, ssthresh)
            return
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

    def initial_recover_fs(self, rule: str) -> int:
        """RFC 6937: FlightSize. RFC 9937, 6.1, without bytes SACKed before, with those delivered now.

        Linux takes prior_cwnd instead.
        """
        if rule == "linux":
            return max(int(self.cwnd_before), 1)
        recover_fs = len(self.outstanding)
        if rule == "rfc9937":
            recover_fs -= sum(segment.sacked for segment in self.outstanding)
            if self.seen is not None:
                recover_fs += len(self.seen.selective) + len(self.seen.cumulative)
        return max(recover_fs, 1)

    def by_rfc_9937(self, delivered: int, ssthresh: float) -> int:
        """RFC 9937, 6.2: SafeACK, and a fast retransmit that is forced upon entering recovery."""
        safe_ack = self.seen is not None and self.seen.advanced and self.newly_lost == 0
        if self.pipe > ssthresh:
            sndcnt = math.ceil(self.prr_delivered * ssthresh / self.recover_fs) - self.prr_out
        else:
            sndcnt = max(self.prr_delivered - self.prr_out, delivered) + safe_ack
            sndcnt = min(math.floor(ssthresh) - self.pipe, sndcnt)
        return max(sndcnt, 1) if self.prr_out == 0 else sndcnt

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
