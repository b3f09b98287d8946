"""Loss detection of QUIC (RFC 9002), read for TCP: every transmission of a segment is a packet with a number.

An acknowledgment of TCP names a segment, where QUIC's names a packet. :meth:`Rfc9002.acknowledged` has
the rule that takes its place.

Section 6.1 lets implementations detect packets that were declared lost and arrive, and raise the thresholds.
How, it leaves to them: :meth:`Rfc9002.look_at_lost` raises them as Google's quiche does
(``GeneralLossAlgorithm::SpuriousLossDetected``), both of them, and :meth:`Rfc9002.is_spurious` undoes a
reduction as quinn, neqo and msquic do, once all packets of it have arrived. They forget a lost packet two
probe timeouts after it was sent; here that also means that it was lost.
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
TIME_SHIFT = 3
"""kTimeThreshold is 1 + 1 / 2**3."""
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
    in_episode: bool = True
    """It belongs to the latest congestion, once it is lost."""


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
        self.packet_threshold = PACKET_THRESHOLD
        self.time_shift = TIME_SHIFT
        self.lost_packets: list[Packet] = []
        """Those that may arrive after all."""
        self.undoable = False
        """The latest congestion is spurious if all of its lost packets arrive."""

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
        previous_largest = self.largest_acked
        latest = self.acknowledged(seen, delivered)
        start = self.recovery_start
        # 7.3.2: recovery ends when a packet sent during it is acknowledged.
        ends = start is not None and latest > start
        if delivered:
            self.pto_count = 0
            if ends or self.high_ack >= self.recover:
                self.phase = Phase.OPEN
        arrived = bool(delivered) and self.look_at_lost(seen, previous_largest)
        self.detect_lost(seen.now)
        if arrived and self.is_spurious():
            self.undo()
            self.recovery_start = None

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

    # 6.1, on spurious losses.

    def look_at_lost(self, seen: Seen, previous_largest: int) -> bool:
        """True if a packet of the latest congestion was declared lost and has arrived.

        A packet number would say so for certain. Of a segment it is certain if this was its latest packet, or
        if it was the one before and the latest was sent less than the smallest round-trip time ago.
        """
        found = False
        least = self.timeout.min_rtt or 0
        for packet in list(self.lost_packets):
            segment = next((one for one in seen.delivered if one.number == packet.segment), None)
            if segment is None:
                if seen.now - packet.time_sent > 2 * self.period:
                    self.give_up(packet)
                continue
            *_, before, latest = (0, *segment.sent)
            is_too_young = seen.now - latest < least
            if packet.time_sent == latest or (packet.time_sent == before and is_too_young):
                found |= packet.in_episode
                self.lost_packets.remove(packet)
                if self.settings.adapts_loss_thresholds:
                    self.raise_thresholds(packet, seen.now, previous_largest)
            else:
                self.give_up(packet)
        return found

    def give_up(self, packet: Packet) -> None:
        """It was lost indeed."""
        self.lost_packets.remove(packet)
        self.undoable &= not packet.in_episode

    def raise_thresholds(self, packet: Packet, now: int, previous_largest: int) -> None:
        """So that the packet would not have been declared lost."""
        self.packet_threshold = max(self.packet_threshold, previous_largest - packet.number + 1)
        while self.time_shift and self.later_than_sent(self.time_shift) < now - packet.time_sent:
            self.time_shift -= 1

    def later_than_sent(self, shift: int) -> int:
        """The time threshold, with a part of 1 / 2**shift."""
        smoothed_rtt = nearest(self.timeout.srtt) if self.timeout.samples else INITIAL_RTT
        rtt = max(self.latest_rtt, smoothed_rtt)
        return rtt + (rtt >> shift)

    def is_spurious(self) -> bool:
        """True if the latest congestion was none."""
        waits = any(packet.in_episode for packet in self.lost_packets)
        return self.settings.adapts_loss_thresholds and self.undoable and not waits

    def undo(self) -> None:
        """Whatever has found it."""
        super().undo()
        self.undoable = False

    # A.10, B.8.

    def detect_lost(self, now: int) -> bool:
        """DetectAndRemoveLostPackets and OnPacketsLost; true if packets in flight were lost."""
        pipe = self.pipe
        loss_delay = whole(max(self.later_than_sent(self.time_shift), TICK))
        self.loss_time = None
        found = []
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
                packet.time_sent <= now - loss_delay
                or self.largest_acked >= packet.number + self.packet_threshold
            ):
                self.sent_packets.remove(packet)
                found.append(packet)
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
        self.lost_packets += found
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
            for packet in self.lost_packets:
                packet.in_episode = False
            # Otherwise the controller is not told of another.
            self.undoable = self.round >= self.next_signal_in_round
            self.phase, self.recover = Phase.RECOVERY, self.high_data
            self.retransmit_now = True
            self.congestion(now)
            self.growth_in_round = 0
        if persistent:
            # The threshold stays: the controller receives the same fact as for a segment that times out
            # again.
            self.tell(now, Signal.TIMEOUT, restart=True, repeated=True)
            self.growth_in_round = 0
            self.recovery_start, self.undoable = None, False
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
