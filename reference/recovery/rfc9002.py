"""Loss detection of QUIC (RFC 9002), read for TCP: every transmission of a segment is a packet with a number.

An acknowledgment of TCP names a segment, where QUIC's names a packet. :meth:`Rfc9002.acknowledged` has
the rule that takes its place.
"""

from dataclasses import dataclass

from reference.facts import Signal
from reference.recovery.segment import Seen, Segment
from reference.recovery.sender import Phase, Sender, Settings
from reference.recovery.timer import SECOND, TICK, nearest
from reference.windowed import Windowed

PACKET_THRESHOLD = 3
"""kPacketThreshold."""
PERSISTENT_CONGESTION_THRESHOLD = 3
"""kPersistentCongestionThreshold."""
PROBES = 2
"""Packets sent at a PTO, which may be one or two (6.2.4)."""
MINIMUM_WINDOW = 2.0
"""kMinimumWindow, in packets."""
INITIAL_RTT = SECOND // 3
"""kInitialRtt: a PTO of three of it is the initial timeout (6.2.2)."""


def whole(nanoseconds: int) -> int:
    """In whole microseconds."""
    return -(-nanoseconds // 1000) * 1000


@dataclass
class Packet:
    """An entry of ``sent_packets`` (A.1.1), until it is known to be acknowledged or lost."""

    number: int
    segment: int
    time_sent: int
    had_sample: bool
    """A round-trip time had been measured when it was sent."""
    acknowledged: bool = False


class Rfc9002(Sender):
    """Appendix A.3 and B.2 have the names of its state."""

    uses_sack = True

    def __init__(self, controller: Windowed, settings: Settings) -> None:
        super().__init__(controller, settings)
        controller.restart_window = MINIMUM_WINDOW
        self.sent_packets: list[Packet] = []
        self.next_number = 0
        self.largest_acked = -1
        self.time_of_last_packet = 0
        self.latest_rtt = 0
        self.pto_count = 0
        self.loss_time: int | None = None
        self.alarm: int | None = None
        """loss_detection_timer."""
        self.recovery_start: int | None = None
        """congestion_recovery_start_time."""
        self.probes = 0
        """Packets that a PTO sends whatever the window says."""
        self.collapsed = False
        """The acknowledgment taken now has established persistent congestion."""

    @property
    def pipe(self) -> int:
        """Section 7.5: probes are in flight in addition. The latest two packets of a segment count."""
        return sum(min(segment.in_network, 2) for segment in self.outstanding)

    @property
    def in_network(self) -> int:
        """B.2, bytes_in_flight: the packets that are neither acknowledged nor lost, in any phase."""
        return self.pipe

    def inform(self, now: int, delivered: int, *, advanced: bool, suspended: bool) -> None:
        """The contract of controllers: the acknowledgment that finds congestion grows no window.

        B.5 would have it grow the minimum window.
        """
        suspended = suspended or self.collapsed
        super().inform(now, delivered, advanced=advanced, suspended=suspended)
        self.collapsed = False

    # A.7.

    def detect(self, seen: Seen) -> None:
        """OnAckReceived."""
        delivered = seen.delivered
        latest = self.acknowledged(seen, delivered)
        start = self.recovery_start
        # 7.3.2: recovery ends when a packet sent during it is acknowledged.
        ends = start is not None and latest > start
        if delivered:
            self.pto_count = 0
            if ends or self.high_ack >= self.recover:
                self.phase = Phase.OPEN
        self.detect_lost(seen.now)

    def acknowledged(self, seen: Seen, delivered: list[Segment]) -> int:
        """The latest packet of a segment is acknowledged, if that is known.

        A segment that was sent again less than the smallest round-trip time ago may have been acknowledged
        for an earlier packet (RFC 8985, 6.2, step 2), unless a packet sent after the latest is acknowledged.
        All packets of it are settled then, and none is lost.
        """
        latest = -1
        for segment in delivered:
            uncertain = segment.was_sent_again and seen.now - segment.sent[-1] < (self.timeout.min_rtt or 0)
            if uncertain:
                continue
            numbers = [packet.number for packet in self.sent_packets if packet.segment == segment.number]
            self.largest_acked = max([self.largest_acked, *numbers])
            latest = max(latest, segment.sent[-1])
        for segment in delivered:
            copies = [packet for packet in self.sent_packets if packet.segment == segment.number]
            known = bool(copies) and copies[-1].number <= self.largest_acked
            for packet in copies[-1:] if known else copies:
                packet.acknowledged = True
        return latest

    # A.10, B.8.

    def detect_lost(self, now: int) -> bool:
        """DetectAndRemoveLostPackets and OnPacketsLost; true if packets in flight were lost."""
        pipe = self.pipe
        smoothed_rtt = nearest(self.timeout.srtt) if self.timeout.samples else INITIAL_RTT
        loss_delay = whole(max(max(self.latest_rtt, smoothed_rtt) * 9 // 8, TICK))
        self.loss_time = None
        last_lost: int | None = None
        period_start: int | None = None
        persistent = False
        for packet in list(self.sent_packets):
            if packet.number > self.largest_acked:
                break
            if packet.acknowledged:
                self.sent_packets.remove(packet)
                period_start = None
            elif (
                packet.time_sent <= now - loss_delay or self.largest_acked >= packet.number + PACKET_THRESHOLD
            ):
                self.sent_packets.remove(packet)
                self.lose_packet(packet)
                last_lost = packet.time_sent
                # 7.6.2: packets that were sent when there was a sample, none acknowledged between them.
                if packet.had_sample:
                    period_start = packet.time_sent if period_start is None else period_start
                    duration = self.period * PERSISTENT_CONGESTION_THRESHOLD
                    persistent |= packet.time_sent - period_start > duration
            elif self.loss_time is None:
                self.loss_time = packet.time_sent + loss_delay
        self.respond(now, last_lost, persistent=persistent)
        return self.pipe < pipe or self.began_recovery

    def lose_packet(self, packet: Packet) -> None:
        """One packet of a segment fewer is in flight."""
        for segment in self.outstanding:
            if segment.number == packet.segment and not segment.sacked:
                segment.lost += 1

    def respond(self, now: int, last_lost: int | None, *, persistent: bool) -> None:
        """B.6 and the end of B.8."""
        start = self.recovery_start
        if last_lost is not None and (start is None or last_lost > start):
            self.recovery_start = now
            self.phase, self.recover = Phase.RECOVERY, self.high_data
            self.retransmit_now = True
            self.congestion(now)
            self.growth_in_round = 0
        if persistent:
            # The threshold stays: the controller receives the same fact as for a segment that times out
            # again.
            self.tell(now, Signal.TIMEOUT, restart=True, repeated=True)
            self.growth_in_round = 0
            self.recovery_start = None
            self.restart()
            self.collapsed = True

    def measure(self, seen: Seen, flight_size: int) -> None:
        """Section 5.1: the sample is of the packet sent last."""
        samples = self.timeout.samples
        super().measure(seen, flight_size)
        if self.timeout.samples > samples:
            once = [segment.sent[0] for segment in seen.delivered if not segment.was_sent_again]
            self.latest_rtt = seen.now - max(once)

    @property
    def period(self) -> int:
        """smoothed_rtt + max(4*rttvar, kGranularity) + max_ack_delay."""
        if not self.timeout.samples:
            period = SECOND
        else:
            period = whole(nearest(self.timeout.srtt) + max(nearest(4 * self.timeout.rttvar), TICK))
        return period + (self.settings.ack_delay or 0)

    def set_alarm(self, now: int) -> None:
        """SetLossDetectionTimer. It replaces the retransmission timer."""
        self.rto_at = None
        if self.loss_time is not None:
            self.alarm = self.loss_time
        elif self.pipe == 0:
            self.alarm = None
        else:
            self.alarm = max(now, self.time_of_last_packet + self.period * 2**self.pto_count)

    def after_timers(self, seen: Seen) -> None:
        """The end of OnAckReceived."""
        self.set_alarm(seen.now)

    def on_timer(self, now: int) -> list[int]:
        """OnLossDetectionTimeout."""
        if self.alarm is not None and now >= self.alarm:
            if self.loss_time is not None:
                self.began_recovery = False
                if self.detect_lost(now):
                    self.inform(now, 0, advanced=False, suspended=True)
            else:
                self.pto_count += 1
                self.probes = PROBES
            self.set_alarm(now)
        return super().on_timer(now)

    def next_segment(self, now: int) -> Segment | None:
        """6.2.4: two packets of data found lost or new; without either, the first segment once more."""
        if not self.probes:
            return super().next_segment(now)
        is_first, self.probes = self.probes == PROBES, self.probes - 1
        self.pace.held_until = None
        self.retransmit_now = False
        missing = next((segment for segment in self.outstanding if segment.is_missing), None)
        if missing is not None:
            return missing
        if self.high_data < min(self.limit, self.edge):
            return self.new_segment(now)
        self.probes = 0
        return self.head if is_first else super().next_segment(now)

    def send(self, now: int, segment: Segment) -> None:
        """OnPacketSent."""
        super().send(now, segment)
        self.sent_packets.append(Packet(self.next_number, segment.number, now, self.timeout.samples > 0))
        self.next_number += 1
        self.time_of_last_packet = now
        self.set_alarm(now)

    def timers(self) -> list[int | None]:
        """One."""
        return [self.alarm]
