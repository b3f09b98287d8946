"""The parts common to TCP senders with any recovery: RFC 5681, RFC 6298 and RFC 3042.

Long because what senders have in common is one class, whatever their recovery.

Segments are full-sized and have numbers, beginning with 0. Times are in integer nanoseconds, unlike elsewhere
in ``reference``: rounding must not decide whether a timer expires before an acknowledgment comes.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from reference.facts import Ack, Congestion, Signal
from reference.recovery.growth import LimitedGrowth, PipeAck, Validation
from reference.recovery.pacing import Pace
from reference.recovery.persist import Persist
from reference.recovery.segment import Seen, Segment
from reference.recovery.spurious import Duplicates, FRto
from reference.recovery.timer import SECOND, RetransmissionTimeout, nearest
from reference.windowed import Windowed

DUP_THRESH = 3
"""Duplicate acknowledgments that mean a loss."""

Block = tuple[int, int]
"""Segments that arrived out of order, from the first to the one after the last."""


class Phase(Enum):
    """Where a sender stands."""

    OPEN = "open"
    """No loss is known."""
    RECOVERY = "recovery"
    """Fast recovery."""
    RESTART = "restart"
    """Data outstanding at a timeout is retransmitted, in slow start."""


@dataclass(frozen=True)
class Settings:
    """The settings of a connection."""

    packets: int
    """The segments that the application writes at the start."""
    initial_window: float = 10.0
    least_timeout: int = SECOND
    limited_transmit: bool = True
    ack_delay: int | None = None
    """The receiver's delay of acknowledgments, if any."""
    rearm_at_fast_retransmit: bool = False
    """True if a fast retransmit sets the timer anew: RFC 6675, section 6, leaves a sender the choice."""
    any_sample_ends_backoff: bool = False
    """True if the round-trip time of a segment that was selectively acknowledged ends the back-off too."""
    clear_after: int | None = None
    """Timeouts in a row after which SRTT and RTTVAR are cleared, which RFC 6298, section 5, permits."""
    fast_retransmit_beyond: str = "restart"
    """The bound that an acknowledgment has to exceed for its duplicates to mean a loss (RFC 6582, section
    4)."""
    reordering_timer_slack: int = 0
    """The delay added to RACK's reordering timer."""
    paced: bool = False
    """True if departures are paced as in Linux: see :mod:`reference.recovery.pacing`."""
    dsack: bool = False
    """True if receivers report duplicates, which may undo an episode (RFC 2883, RFC 3708)."""
    frto: bool = False
    """True if timeouts are judged (RFC 5682)."""
    early_retransmit: bool = False
    """True if RFC 5827 applies."""
    window: int | None = None
    """The receive window at the start, in segments; none for one without a limit."""
    limited_growth: str = "rate-limited"
    """The growth of a window that is not used in full: see :mod:`reference.recovery.growth`."""
    grows_by_sack: bool = False
    """True if segments that are selectively acknowledged grow cwnd under reordering
    (``tcp_may_raise_cwnd``)."""
    reduces_window: bool = False
    """True if a response reduces cwnd, as in Linux, and not FlightSize (RFC 5681, equation 4)."""
    proportional_rate: str = "rfc6937"
    """The proportional rate reduction: `rfc6937`, `rfc9937` or `linux`."""
    growth_at_end_of_recovery: bool = False
    """True if the acknowledgment that ends recovery grows cwnd like any other (``tcp_cong_control``)."""
    reduces_again: bool = True
    """True if the loss of a retransmission is another indication of congestion (RFC 8985, 9.3)."""
    probes_as_linux: bool = False
    """True if loss probes wait as in ``tcp_schedule_loss_probe``."""
    rack_rtt_as_linux: bool = False
    """True if RACK.rtt is that of the segment which Linux examines last."""
    adapts_loss_thresholds: bool = False
    """True if packets that are acknowledged after they were declared lost raise the thresholds of QUIC's loss
    detection, and undo a reduction (RFC 9002, 6.1)."""
    least_variation: bool = False
    """True if it is the variation that the least timeout bounds, as in ``tcp_rtt_estimator``."""


class Sender(ABC):
    """A sender of an open connection."""

    uses_sack = False

    def __init__(self, controller: Windowed, settings: Settings) -> None:
        self.controller = controller
        self.settings = settings
        self.limit = settings.packets
        """The number of segments that the application has written."""
        self.timeout = RetransmissionTimeout(
            settings.least_timeout,
            clear_after=settings.clear_after,
            bounds_variation=settings.least_variation,
        )
        first = 0.0 if settings.limited_growth == "linux" else float(int(controller.cwnd))
        self.growth = LimitedGrowth(settings.limited_growth, first, cwnd=controller.cwnd)
        if settings.limited_growth == "rfc7661":
            self.growth.validation = Validation(
                1, settings.initial_window, controller.cwnd, controller.ssthresh, PipeAck(0)
            )
        self.cwnd_before = controller.cwnd
        """cwnd before the acknowledgment that is taken."""
        self.seen: Seen | None = None
        self.newly_lost = 0
        self.outstanding: list[Segment] = []
        self.high_ack = 0
        """The first segment that is not cumulatively acknowledged."""
        self.high_data = 0
        """The next segment to be sent for the first time."""
        self.phase = Phase.OPEN
        self.recover = -1
        """The next sequence number at the beginning of the latest recovery or restart."""
        self.duplicates = 0
        self.retransmit_now = False
        """A retransmission is due whatever the window says."""
        self.keep_timer = False
        self.rto_at: int | None = None
        self.last_sent_at = 0
        self.window_limited = True
        self.delivered = 0
        self.round = 0
        self.round_ends_at = 0
        """The round ends with the delivery of a segment that left when this many had been delivered."""
        self.next_signal_in_round = 0
        self.growth_in_round = 0
        self.began_recovery = False
        self.repaired: dict[int, Segment] = {}
        """The segments sent again in this recovery."""
        self.pace = Pace() if settings.paced else Pace(unpaced=0)
        self.frto = FRto()
        self.reported = Duplicates()
        self.persist = Persist()
        self.edge = math.inf if settings.window is None else settings.window
        """The first segment beyond the receive window."""

    # The rules in which recoveries differ.

    @abstractmethod
    def detect(self, seen: Seen) -> None:
        """Finds the lost segments from an acknowledgment."""

    def count_delivered(self, seen: Seen) -> int:
        """The number of segments newly known to have arrived."""
        return len(seen.delivered)

    def inflation(self) -> int:
        """The number of outstanding segments that have left the network, although it is unknown which."""
        return 0

    def lose_at_timeout(self, now: int) -> None:  # noqa: ARG002  of use to RACK alone
        """The timer expired: every segment that is not known to have arrived is lost."""
        for segment in self.outstanding:
            self.lose(segment)

    def is_suspended(self, *, was_recovering: bool) -> bool:
        """RFC 5681, 3.2, step 6: the end of recovery sets cwnd to ssthresh.

        In Linux tcp_cong_control then grows it with the same acknowledgment.
        """
        ends = was_recovering and not self.settings.growth_at_end_of_recovery
        return ends or self.phase is Phase.RECOVERY or self.round < self.growth_in_round

    def grows_by_sack(self) -> bool:
        """True if what is selectively acknowledged grows cwnd, under reordering that RACK alone sees."""
        return False

    def last_resort(self, now: int) -> Segment | None:  # noqa: ARG002  of use to SACK alone
        """A segment to retransmit without loss, if there is no new data to send."""
        return None

    # Events. Each returns the numbers of the segments that are sent.

    def start(self, now: int) -> list[int]:
        """The application begins to write."""
        self.last_sent_at = now
        return self.transmit(now)

    def write(self, now: int, packets: int) -> list[int]:
        """The application writes more."""
        self.limit += packets
        self.set_pace()
        return self.transmit(now)

    def on_ack(
        self, now: int, high_ack: int, blocks: Sequence[Block] = (), window: int | None = None
    ) -> list[int]:
        """An acknowledgment arrives: ``high_ack`` is the first segment that is still missing."""
        flight_size = len(self.outstanding)
        if window is not None:
            self.edge = max(self.edge, high_ack + window)
        seen = self.update(now, high_ack, blocks)
        delivered = self.count_delivered(seen)
        self.measure(seen, flight_size)
        self.count_rounds(delivered, seen.delivered)
        self.validate(now, advanced=seen.advanced)
        self.judge(seen)
        was_recovering = self.phase is Phase.RECOVERY
        self.began_recovery = self.keep_timer = False
        if self.growth.is_repaired(self.high_ack):
            # Before another may begin.
            self.end_recovery()
        self.seen, self.cwnd_before, pipe = seen, self.controller.cwnd, self.pipe
        self.detect(seen)
        self.newly_lost = pipe - self.pipe
        if was_recovering and self.phase is Phase.OPEN:
            self.end_recovery()
        # RFC 6298, 5.2 and 5.3.
        if (seen.advanced and not self.keep_timer) or (
            self.began_recovery and self.settings.rearm_at_fast_retransmit
        ):
            self.rto_at = now + self.timeout.value if self.outstanding else None
        self.after_timers(seen)
        self.inform(
            now,
            delivered,
            advanced=seen.advanced or (self.grows_by_sack() and bool(seen.selective)),
            suspended=self.is_suspended(was_recovering=was_recovering),
        )
        self.after_ack(delivered)
        return self.transmit(now)

    def on_timer(self, now: int) -> list[int]:
        """Time passes to the deadline."""
        if self.rto_at is not None and now >= self.rto_at:
            self.on_timeout(now)
        if self.persist.at is not None and now >= self.persist.at:
            self.persist.probe(now)
        return self.transmit(now)

    @property
    def deadline(self) -> int | None:
        """The time at which :meth:`on_timer` has to be called."""
        times = (*self.timers(), self.pace.held_until, self.persist.at)
        return min((time for time in times if time is not None), default=None)

    def timers(self) -> list[int | None]:
        """The timers of retransmission."""
        return [self.rto_at]

    def take_probes(self) -> list[int]:
        """The times of the probes of the receive window since the last call."""
        probes, self.persist.sent = self.persist.sent, []
        return probes

    # The state of the network.

    @property
    def pipe(self) -> int:
        """Copies of segments that may be in the network, counted afresh."""
        return sum(segment.in_network for segment in self.outstanding)

    @property
    def in_network(self) -> int:
        """The part of the window in use.

        Outside recovery duplicates release at most two segments (RFC 3042), and none without limited
        transmit.
        """
        if self.phase is not Phase.OPEN:
            return max(self.pipe - self.inflation(), 0)
        if not self.settings.limited_transmit:
            return len(self.outstanding)
        return max(self.pipe - min(self.inflation(), 2), 0)

    def has_room(self) -> bool:
        """True if the window permits a segment; a window of less than one packet permits one."""
        return self.in_network + 1 <= max(self.controller.cwnd, 1.0)

    @property
    def head(self) -> Segment:
        """The first unacknowledged segment."""
        return self.outstanding[0]

    def lose(self, segment: Segment) -> None:
        """No copy of it is believed to arrive."""
        if not segment.sacked:
            segment.lost = len(segment.sent)

    # Implementation.

    def update(self, now: int, high_ack: int, blocks: Sequence[Block]) -> Seen:
        """Takes it into the scoreboard."""
        duplicated = None
        if self.settings.dsack and blocks:
            # RFC 2883, 4: a first block below the acknowledgment, or within the second.
            (first, end), second = blocks[0], blocks[1] if len(blocks) > 1 else (0, 0)
            if end <= high_ack or (second[0] <= first and end <= second[1]):
                duplicated, blocks = first, blocks[1:]
        is_first_report = duplicated == self.high_ack and not blocks
        is_first_report = is_first_report and not any(segment.sacked for segment in self.outstanding)
        cumulative = [segment for segment in self.outstanding if segment.number < high_ack]
        advanced = high_ack > self.high_ack
        self.high_ack = max(self.high_ack, high_ack)
        self.outstanding = [segment for segment in self.outstanding if segment.number >= high_ack]
        selective = [
            segment
            for segment in self.outstanding
            if not segment.sacked and any(first <= segment.number < end for first, end in blocks)
        ]
        for segment in selective:
            segment.sacked = True
        # RFC 5681, section 2; with SACK, RFC 6675, section 2: an acknowledgment with new selective
        # information.
        same_number = not advanced and high_ack == self.high_ack and bool(self.outstanding)
        duplicate = bool(selective) if self.uses_sack else same_number
        repeats = not advanced and high_ack == self.high_ack and not blocks and duplicated is None
        above = [segment for segment in self.outstanding if segment.sacked]
        return Seen(
            now,
            advanced,
            cumulative,
            selective,
            duplicate,
            repeats,
            above,
            duplicated,
            same_number,
            is_first_report,
        )

    def judge(self, seen: Seen) -> None:
        """The latest timeout, or the latest episode, may turn out to be spurious."""
        if self.frto.step:
            has_new = self.high_data < self.limit
            verdict = self.frto.on_ack(seen, self.high_ack, has_new=has_new, uses_sack=self.uses_sack)
            if verdict:
                self.undo()
            elif verdict is False and not self.uses_sack:
                # Slow start continues with all unacknowledged segments.
                for segment in self.outstanding:
                    self.lose(segment)
                self.restart()
        if seen.duplicated is not None and self.reported.on_report(
            seen.duplicated, is_first_and_scoreboard_empty=seen.is_first_report
        ):
            self.undo()

    def end_recovery(self) -> None:
        """All that was outstanding at the beginning of recovery has arrived, or what stands for that."""
        lost = sum(segment.lost > 0 for segment in self.repaired.values())
        self.growth.on_recovered(lost, self.controller)
        self.repaired.clear()

    def undo(self) -> None:
        """Nothing was lost: the segments that wait to be sent again are still in the network."""
        self.reported.waits = False
        self.frto.step = self.frto.new_segments = 0
        for segment in self.outstanding:
            if segment.is_missing:
                segment.lost -= 1
        if self.phase is not Phase.OPEN:
            self.growth.forget()
        self.phase = Phase.OPEN
        # RFC 5682, 2.1, step 3b: duplicates of SND.UNA, and of later acknowledgments, mean a loss again.
        self.recover = self.high_ack - 1
        self.forget_arrivals()
        self.growth_in_round = 0
        self.repaired.clear()
        self.controller.on_spurious()
        self.set_pace()

    def forget_arrivals(self) -> None:  # noqa: B027  of use without SACK alone
        """Duplicates counted since the loss no longer count."""

    def threshold(self) -> int:
        """RFC 5827, 2: one less than the outstanding segments, if below four and nothing new can be sent."""
        segments = len(self.outstanding)
        if self.settings.early_retransmit and 2 <= segments < 4 and self.high_data >= self.limit:
            return segments - 1
        return DUP_THRESH

    def measure(self, seen: Seen, flight_size: int) -> None:
        """Karn's rule (RFC 6298, section 3): segments that were sent again give no round-trip time.

        Of several segments the latest sent is measured, since its acknowledgment was delayed least.
        """
        if any(segment.was_sent_again for segment in seen.cumulative):
            return
        once = [segment.sent[0] for segment in seen.delivered if not segment.was_sent_again]
        if once:
            self.timeout.sample(seen.now - max(once), self.expected_samples(flight_size))
            # RFC 6298, section 5: the timeout collapses with a measurement, "which can only happen when new
            # data has been sent and acknowledged". What "acknowledges new data" restarts the timer too (5.3),
            # so it is a cumulative acknowledgment.
            if seen.advanced or self.settings.any_sample_ends_backoff:
                self.timeout.backoffs = 0

    def expected_samples(self, flight_size: int) -> int:
        """ExpectedSamples of RFC 7323, appendix G: one per two segments in flight."""
        return max(math.ceil(flight_size / 2), 1)

    def count_rounds(self, delivered: int, segments: list[Segment]) -> None:
        """A round trip is over when a segment is delivered that left after its beginning."""
        if segments and delivered:
            latest = max(segments, key=lambda segment: segment.sent[-1])
            ends = latest.delivered_before >= self.round_ends_at
            self.delivered += delivered
            if ends:
                self.round += 1
                self.round_ends_at = self.delivered
        else:
            self.delivered += delivered

    def inform(self, now: int, delivered: int, *, advanced: bool, suspended: bool) -> None:
        """Tells the controller."""
        grows, largest_flight = True, math.inf
        if not self.window_limited:
            grows, largest_flight = self.growth.permits(self.controller.cwnd, self.controller.ssthresh, now)
        self.controller.on_ack(
            Ack(
                now=now / SECOND,
                delivered=float(delivered),
                in_flight=float(self.in_network),
                rtt=None,
                srtt=self.timeout.srtt / SECOND,
                min_rtt=(self.timeout.min_rtt or 0) / SECOND,
                round=self.round,
                advanced=advanced,
                suspended=suspended,
                window_limited=grows,
                largest_flight=largest_flight,
            )
        )
        self.set_pace()

    def set_pace(self) -> None:
        """The controller has decided."""
        self.growth.on_window(self.controller.cwnd)
        if self.settings.paced:
            window = self.controller.window
            srtt = nearest(self.timeout.srtt)
            self.pace.set(self.controller.cwnd, window.ssthresh, len(self.outstanding), srtt)
        elif self.growth.validation is not None:
            self.pace.interval = self.growth.validation.interval

    def validate(self, now: int, *, advanced: bool) -> None:
        """An acknowledgment was measured (RFC 7661)."""
        if (validation := self.growth.validation) is not None:
            # 4.2: "the sender stops collecting pipeACK samples during loss recovery".
            validation.recovering = self.phase is not Phase.OPEN
            validation.pipe.rtt = nearest(self.timeout.srtt)
            if advanced:
                self.growth.on_ack(now, self.high_ack, self.high_data, self.controller)

    def congestion(self, now: int, *, restart: bool = False) -> None:
        """An episode begins: the controller is told, at most once in a round trip.

        The window then rests for the round trip, unless it begins anew.
        """
        self.began_recovery = True
        if self.round < self.next_signal_in_round:
            return
        self.next_signal_in_round = self.round + 1
        self.reported.begin(self.high_ack)
        self.growth_in_round = 0 if restart else self.round + 1
        self.tell(now, Signal.LOSS, restart=restart, repeated=False)
        if self.phase is not Phase.RECOVERY:
            # A probe has repaired the loss.
            self.growth.forget()

    def tell(self, now: int, signal: Signal, *, restart: bool, repeated: bool) -> None:
        """Tells the controller of congestion."""
        flight = float(len(self.outstanding))
        used = self.controller.cwnd if self.settings.reduces_window else flight
        if signal is Signal.LOSS:
            used = self.growth.lost_from(now, flight, used, self.high_data)
        if restart:
            self.growth.forget()
        self.controller.on_congestion(
            Congestion(now=now / SECOND, signal=signal, flight=used, restart=restart, repeated=repeated)
        )
        self.set_pace()

    def on_timeout(self, now: int) -> None:
        """RFC 6298, 5.4 to 5.6: send the earliest again, back off, and start the timer.

        This ends any recovery (RFC 6582, 3.2, step 4; RFC 6675, 5.1).
        """
        # RFC 5682, 2.1, step 1: not in RTO recovery; 3.1: not in any.
        may_judge = self.phase is Phase.OPEN or (self.phase is Phase.RECOVERY and not self.uses_sack)
        repeated, self.head.timed_out = self.head.timed_out, True
        self.tell(now, Signal.TIMEOUT, restart=True, repeated=repeated)
        self.next_signal_in_round = self.growth_in_round = 0
        self.lose_at_timeout(now)
        self.restart()
        self.repaired.clear()
        self.timeout.back_off()
        if not repeated:
            self.reported.begin(self.high_ack)
        if self.settings.frto:
            self.frto.on_timeout(self.high_data, may_enter=may_judge)
        self.rto_at = now + self.timeout.value

    def restart(self) -> None:
        """Retransmits from the beginning of the outstanding data."""
        self.phase = Phase.RESTART
        self.recover = self.high_data
        self.duplicates = 0
        self.retransmit_now = True

    def after_timers(self, seen: Seen) -> None:  # noqa: B027  of use to RACK alone
        """The retransmission timer was set."""

    def after_ack(self, delivered: int) -> None:  # noqa: B027  of use to proportional rate reduction alone
        """The controller was told."""

    def transmit(self, now: int) -> list[int]:
        """Sends all that may be sent."""
        numbers = []
        while (segment := self.next_segment(now)) is not None:
            self.send(now, segment)
            numbers.append(segment.number)
        return numbers

    def stop(self, *, by_window: bool) -> None:
        """Nothing more goes now, for the window's sake or for another reason."""
        self.window_limited = by_window
        self.note_flight(by_window=by_window)

    def note_flight(self, *, by_window: bool) -> None:
        """FlightSize is what it is until the next acknowledgment."""
        self.growth.on_flight(len(self.outstanding), self.high_ack, self.high_data, by_window=by_window)

    def next_segment(self, now: int) -> Segment | None:
        """Sends lost segments first, then new data."""
        self.pace.held_until = None
        forced, self.retransmit_now = self.retransmit_now, False
        missing = next((segment for segment in self.outstanding if segment.is_missing), None)
        if self.frto.step and not forced and missing is not None:
            # New data is sent instead, if there is any.
            self.stop(by_window=True)
            if not self.frto.new_segments:
                return None
            missing = None
        if missing is None and self.high_data >= self.limit:
            self.stop(by_window=False)
            return self.last_resort(now)
        if missing is None:
            before = self.controller.cwnd, self.controller.ssthresh
            self.growth.on_due(now, self.controller)
            if not self.settings.paced or before != (self.controller.cwnd, self.controller.ssthresh):
                self.set_pace()
        if missing is None and self.high_data >= self.edge:
            self.stop(by_window=False)
            if not self.outstanding:
                self.persist.wait(now, self.timeout.value)
            return self.last_resort(now)
        self.persist.stop()
        if not (forced and missing is not None):
            if not self.has_room():
                self.stop(by_window=True)
                return None
            if self.pace.holds_back(now):
                self.note_flight(by_window=False)
                return None
        if missing is not None:
            return missing
        self.frto.new_segments = max(self.frto.new_segments - 1, 0)
        return self.new_segment(now)

    def new_segment(self, now: int) -> Segment:
        """The next segment of new data.

        After a silence longer than the timeout the window begins again (RFC 5681, 4.1), unless RFC 7661 keeps
        it.
        """
        keeps = self.growth.validation is not None
        if not keeps and not self.outstanding and now - self.last_sent_at > self.timeout.value:
            self.controller.on_idle_restart(self.settings.initial_window)
            self.set_pace()
        self.growth.on_window(self.controller.cwnd)
        segment = Segment(self.high_data)
        self.outstanding.append(segment)
        self.high_data += 1
        return segment

    def send(self, now: int, segment: Segment) -> None:
        """Whatever is sent starts the timer, if it is not running (RFC 6298, 5.1)."""
        if segment.sent:
            self.reported.on_sent_again(segment.number, self.high_ack)
            if self.phase is Phase.RECOVERY:
                self.repaired[segment.number] = segment
        segment.sent.append(now)
        segment.delivered_before = self.delivered
        self.last_sent_at = now
        self.pace.on_sent(now)
        if self.rto_at is None:
            self.rto_at = now + self.timeout.value
