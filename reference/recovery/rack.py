"""Losses by the clock, and probes of the tail: RACK-TLP, RFC 8985. What may be sent is PRR's decision."""

from reference.recovery.prr import Prr
from reference.recovery.segment import Seen, Segment
from reference.recovery.sender import DUP_THRESH, Phase, Settings
from reference.recovery.timer import SECOND, nearest
from reference.windowed import Windowed


class Rack(Prr):
    """Section 5.3 has the names of its state."""

    def __init__(self, controller: Windowed, settings: Settings) -> None:
        super().__init__(controller, settings)
        self.newest = (0, -1)
        """RACK.xmit_ts and RACK.end_seq."""
        self.rtt = 0
        self.fack = 0
        self.reordering_seen = False
        self.reordering = 0
        """The largest distance in segments, as tcp_check_sack_reordering has it."""
        self.reordering_at: int | None = None
        """The time at which segments within the reordering window count as lost."""
        self.probe_at: int | None = None
        """PTO."""
        self.probe_now = False
        self.tlp_end: int | None = None
        self.tlp_is_retrans = False
        self.samples_at_probe = 0
        self.dsack_round: int | None = None
        self.reo_wnd_mult = 1
        self.reo_wnd_persist = 0

    # RACK: section 6.2.

    def detect(self, seen: Seen) -> None:
        """With every acknowledgment (section 6.2)."""
        was_open = self.phase is Phase.OPEN
        if seen.advanced and self.high_ack >= self.recover:
            self.phase = Phase.OPEN
        self.adapt_window(seen, exits=not was_open and self.phase is Phase.OPEN)
        self.update_newest(seen)
        self.detect_reordering(seen)
        self.detect_loss(seen.now)

    def update_newest(self, seen: Seen) -> None:
        """Step 2, RACK_update: for each segment newly acknowledged, in the order of sending.

        In Linux those in SACK blocks come first (tcp_sacktag_write_queue), and then those below SND.UNA
        (tcp_clean_rtx_queue), each in the order of their sequence numbers. If a segment was sent again less
        than the smallest round-trip time ago, an earlier copy arrived.
        """

        def in_linux(segment: Segment) -> tuple[bool, int]:
            return segment.number < self.high_ack, segment.number

        order = in_linux if self.settings.rack_rtt_as_linux else sent_key
        for segment in sorted(seen.delivered, key=order):
            rtt = seen.now - segment.sent[-1]
            if segment.was_sent_again and rtt < (self.timeout.min_rtt or 0):
                continue
            self.rtt = rtt
            self.newest = max(self.newest, sent_key(segment))

    def detect_reordering(self, seen: Seen) -> None:
        """Step 3: a segment that was sent once arrives below the highest sequence number that arrived."""
        before = self.fack
        sacked = [segment.number + 1 for segment in self.outstanding if segment.sacked]
        self.fack = max([self.fack, self.high_ack, *sacked])
        for segment in seen.delivered:
            if segment.number + 1 < before and not segment.was_sent_again:
                self.reordering_seen = True
                self.reordering = max(self.reordering, self.fack - segment.number)

    def grows_by_sack(self) -> bool:
        """tcp_may_raise_cwnd: under large reordering whatever is delivered grows the window."""
        return self.settings.grows_by_sack and self.reordering > DUP_THRESH

    def adapt_window(self, seen: Seen, *, exits: bool) -> None:
        """Step 4: "Grow the reordering window per round that sees DSACK"; 16 recoveries without end that."""
        if self.dsack_round is not None and self.high_ack >= self.dsack_round:
            self.dsack_round = None
        if self.dsack_round is None and seen.duplicated is not None:
            self.dsack_round = self.high_data
            self.reo_wnd_mult += 1
            self.reo_wnd_persist = 16
        elif exits:
            self.reo_wnd_persist -= 1
            if self.reo_wnd_persist <= 0:
                self.reo_wnd_mult = 1

    def reordering_window(self) -> int:
        """Step 4, RACK_update_reo_wnd."""
        if not self.reordering_seen:
            if self.phase is not Phase.OPEN:
                return 0
            if sum(segment.sacked for segment in self.outstanding) >= DUP_THRESH:
                return 0
        return min(self.reo_wnd_mult * (self.timeout.min_rtt or 0) // 4, nearest(self.timeout.srtt))

    def detect_loss(self, now: int) -> None:
        """Step 5, RACK_detect_loss, for each segment not acknowledged yet."""
        window = self.reordering_window()
        found, found_again, latest = False, False, 0
        for segment in self.outstanding:
            if segment.sacked or segment.is_missing or not self.newest > sent_key(segment):
                continue
            remaining = segment.sent[-1] + self.rtt + window - now
            if remaining <= 0:
                found, found_again = True, found_again or segment.was_sent_again
                self.lose(segment)
            else:
                latest = max(latest, remaining)
        slack = self.settings.reordering_timer_slack
        self.reordering_at = now + latest + slack if latest > 0 else None
        again = found_again and self.settings.reduces_again
        if found and (self.phase is Phase.OPEN or (self.phase is Phase.RECOVERY and again)):
            self.enter_recovery(now)

    def enter_recovery(self, now: int) -> None:
        """Also from recovery: the loss of a retransmission is another indication of congestion (9.3)."""
        self.phase = Phase.RECOVERY
        self.recover = self.high_data
        self.retransmit_now = True
        self.reset_probe()
        self.congestion(now)

    def lose_at_timeout(self, now: int) -> None:
        """Section 6.3, RACK_mark_losses_on_RTO: the first segment, and segments older than a round trip."""
        window = self.reordering_window() if self.reordering_seen else 0
        for segment in self.outstanding:
            if segment is self.head or segment.sent[-1] + self.rtt + window - now <= 0:
                self.lose(segment)
        self.reset_probe()
        self.reordering_at = None

    # TLP: section 7.

    def reset_probe(self) -> None:
        """Section 7.1."""
        self.tlp_end = self.probe_at = None
        self.probe_now = False

    def after_timers(self, seen: Seen) -> None:
        """A probe may have been answered, and the next one is due later."""
        self.process_probe(seen)
        if seen.advanced or seen.selective:
            self.schedule_probe(seen.now)

    def schedule_probe(self, now: int) -> None:
        """Section 7.2: not in recovery, nor with SACKed sequences.

        Section 8 lets only one of the two timers run at a time. While segments wait for the end of the
        reordering window, the reordering timer runs.
        """
        self.probe_at = None
        calm = self.phase is Phase.OPEN and not any(segment.sacked for segment in self.outstanding)
        if not calm or not self.outstanding or self.rto_at is None or self.reordering_at is not None:
            return
        # TLP_calc_PTO
        probe_after = SECOND
        if self.timeout.samples:
            probe_after = 2 * nearest(self.timeout.srtt) + self.wait(alone=len(self.outstanding) == 1)
        self.probe_at = min(now + probe_after, self.rto_at)

    def wait(self, *, alone: bool) -> int:
        """The time that a probe leaves for an acknowledgment beyond two round trips."""
        if self.settings.probes_as_linux:
            # tcp_schedule_loss_probe: TCP_RTO_MIN, or TCP_TIMEOUT_MIN_US.
            return self.settings.least_timeout if alone else 2_000_000
        return self.settings.ack_delay or 0 if alone else 0

    def process_probe(self, seen: Seen) -> None:
        """Section 7.4.2, TLP_process_ack: a probe that repaired a loss is a loss nevertheless."""
        if self.tlp_end is None or self.high_ack < self.tlp_end:
            return
        if not self.tlp_is_retrans or (seen.duplicated is not None and seen.duplicated + 1 == self.tlp_end):
            self.tlp_end = None
        elif self.high_ack > self.tlp_end:
            self.tlp_end = None
            self.congestion(seen.now)
            self.began_recovery = False
        elif seen.repeats:
            # It was needless.
            self.tlp_end = None

    def on_timer(self, now: int) -> list[int]:
        """Three timers share it."""
        if self.reordering_at is not None and now >= self.reordering_at:
            self.on_reordering_timer(now)
        elif self.probe_at is not None and now >= self.probe_at:
            self.on_probe_timer(now)
        return super().on_timer(now)

    def on_reordering_timer(self, now: int) -> None:
        """RACK_detect_loss_and_arm_timer. An acknowledgment of no packets tells the controller of the losses.

        "When arming a RACK reordering timer or TLP PTO timer, the sender SHOULD cancel any other pending
        timers" (section 8), so what is sent now starts the retransmission timer (RFC 6298, 5.1).
        """
        self.began_recovery = False
        self.seen, self.cwnd_before = None, self.controller.cwnd
        missing = sum(segment.is_missing for segment in self.outstanding)
        self.detect_loss(now)
        if sum(segment.is_missing for segment in self.outstanding) > missing:
            self.rto_at = now + self.timeout.value
            self.inform(now, 0, advanced=False, suspended=True)
            self.after_ack(0)

    def on_probe_timer(self, now: int) -> None:
        """Section 7.3: a probe is sent unless another is in flight, or none was measured since the last.

        In any case the retransmission timer runs next.
        """
        self.probe_now = self.tlp_end is None and self.timeout.samples > self.samples_at_probe
        self.probe_at = None
        self.rto_at = now + self.timeout.value

    def next_segment(self, now: int) -> Segment | None:
        """TLP_send_probe: new data if there is some, else the last segment, whatever the window says."""
        if not self.probe_now:
            return super().next_segment(now)
        self.probe_now, self.pace.held_until = False, None
        if self.high_data < self.limit:
            segment = self.new_segment(now)
        else:
            segment = self.outstanding[-1]
            if segment.sacked or segment.is_missing:
                return super().next_segment(now)
        self.tlp_end, self.tlp_is_retrans = self.high_data, bool(segment.sent)
        self.samples_at_probe = self.timeout.samples
        return segment

    def send(self, now: int, segment: Segment) -> None:
        """A probe is due after the latest new data, unless that is a probe itself."""
        super().send(now, segment)
        if not segment.was_sent_again and self.tlp_end != segment.number + 1:
            self.schedule_probe(now)

    def last_resort(self, now: int) -> Segment | None:  # noqa: ARG002
        """None: RFC 6675's rules 3 and 4 do not go with it (section 9.2)."""
        return None

    def timers(self) -> list[int | None]:
        """Two of its own."""
        return [self.rto_at, self.reordering_at, self.probe_at]


def sent_key(segment: Segment) -> tuple[int, int]:
    """RACK_sent_after compares these."""
    return segment.sent[-1], segment.number
