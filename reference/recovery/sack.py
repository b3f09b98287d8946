"""Recovery by selective acknowledgments: RFC 6675."""

from reference.recovery.segment import Seen, Segment
from reference.recovery.sender import DUP_THRESH, Phase, Sender, Settings
from reference.windowed import Windowed


class Sack(Sender):
    """The scoreboard shows the losses, and the pipe limits the packets to send."""

    uses_sack = True

    def __init__(self, controller: Windowed, settings: Settings) -> None:
        super().__init__(controller, settings)
        self.rescue_rxt = -1

    def is_lost(self, segment: Segment, threshold: int = DUP_THRESH) -> bool:
        """Section 4, IsLost.

        "either DupThresh discontiguous SACKed sequences have arrived above 'SeqNum' or more than
        (DupThresh - 1) * SMSS bytes with sequence numbers greater than 'SeqNum' have been SACKed". All
        segments being full-sized, the second is so whenever the first is.
        """
        above = sum(other.sacked for other in self.outstanding if other.number > segment.number)
        return not segment.sacked and above > threshold - 1

    def detect(self, seen: Seen) -> None:
        """Section 5.

        Losses among the segments sent after a restart begin a recovery as soon as the restart is complete, by
        an acknowledgment that need not be a duplicate.
        """
        was_restart = self.phase is Phase.RESTART
        if seen.advanced:
            self.duplicates = 0
            if self.high_ack >= self.recover:
                self.phase = Phase.OPEN
        # A duplicate is one "regardless of its status as a cumulative acknowledgment".
        self.duplicates += seen.duplicate
        if self.phase is Phase.RECOVERY:
            self.mark_lost()
        elif self.phase is Phase.OPEN and (seen.duplicate or was_restart):
            self.consider_recovery(seen.now)

    def consider_recovery(self, now: int) -> None:
        """Steps 1, 2 and 4: DupThresh duplicates, or IsLost(HighACK + 1), begin a recovery.

        Step 4.3 sends the first segment again. If the recovery before had found it lost and has sent it
        already, this recovery does not: see :meth:`mark_lost`.
        """
        threshold = self.threshold()
        if not self.outstanding or not (self.duplicates >= threshold or self.is_lost(self.head, threshold)):
            return
        self.phase = Phase.RECOVERY
        self.recover = self.high_data
        self.retransmit_now = True
        # 4.3: HighRxt and RescueRxt are the end of the segment sent again.
        self.rescue_rxt = self.head.number
        self.mark_lost(threshold)
        self.congestion(now)

    def mark_lost(self, threshold: int = DUP_THRESH) -> None:
        """The evidence of IsLost is against the first copy of a segment.

        SetPipe expresses the same by counting segments below HighRxt once more: a lost segment that was sent
        again counts once in the pipe, and one that rule 3 of NextSeg sent again counts twice. Here what was
        sent again is known by segment instead, so that it is not forgotten when the next recovery begins, and
        the copy that rule 4 sends counts too.
        """
        for segment in self.outstanding:
            if self.is_lost(segment, threshold):
                segment.lost = max(segment.lost, 1)

    def last_resort(self, now: int) -> Segment | None:
        """Section 4, NextSeg, rules 3 and 4. The common sender carries out rules 1 and 2."""
        if self.phase is not Phase.RECOVERY or not self.has_room() or self.pace.holds_back(now):
            return None
        waiting = [segment for segment in self.outstanding if not segment.sacked]
        highest = max((segment.number for segment in self.outstanding if segment.sacked), default=-1)
        for segment in waiting:
            if segment.number < highest and not segment.was_sent_again:
                return segment
        if not waiting or self.high_ack - 1 <= self.rescue_rxt:
            return None
        # The segment with the highest unSACKed sequence number; but not if it was sent again already, or
        # for the first time after RecoveryPoint.
        last = waiting[-1]
        if last.was_sent_again or last.number >= self.recover:
            return None
        self.rescue_rxt = self.recover
        return last
