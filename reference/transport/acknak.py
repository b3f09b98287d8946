"""The abstract transport of mesonet, sections 5.1 and 5.3: packets, each answered by an ACK or a NAK.

Times are whole nanoseconds here, so that a deadline is the same in any language; windows are in packets.
Read otherwise than printed:

- equation 42 leaves out what was delivered, though it asks for "the segments required to complete the flow";
- the number that is compared with the noted one is that of the answered packet, and the answer carries one
  more; - after a timeout the answer to the noted packet is ignored as well: it is a NAK for all abandoned
  packets.

Left open, and chosen here:

- only a NAK that counts moves the note, though "whenever a NAK is received (..) a source notes": if the
  others moved it too, a NAK in every window would keep the window from ever shrinking or growing again,
  against "Qualified NAKs include the first NAK received within any given round-trip time" (5.3.3.2);
- the smoothed round-trip time gives a new sample an eighth (RFC 6298), and begins with the first answer;
- a NAK that counts shrinks the window before periodic procedures see it;
- a round trip, for those that count them, ends with the answer to the packet that was next when it began;
- a window below one packet counts as one, and a propagation delay below a millisecond as that;
- after an application stops, the flow consists of the written packets; losses are still repaired.
"""

import math
from dataclasses import dataclass
from enum import Enum

from reference.facts import Ack, Congestion, Signal
from reference.windowed import Windowed

LEAST_ROUND_TRIP_NS = 1_000_000


class Kind(Enum):
    """The kind of a message."""

    SYN = "syn"
    SYN_ACK = "syn-ack"
    DATA = "data"
    ACK = "ack"
    NAK = "nak"


@dataclass(frozen=True)
class Message:
    """A packet or an answer to one."""

    kind: Kind
    number: int
    """The number of a data packet, from one on; an answer has the number expected next."""
    sent_ns: int
    """When the packet was sent, repeated in its answer."""


class Receiver:
    """Answers every message.

    Section 5.3.1: "When the sequence number is as expected, the receiver sends an ACK back to the source.
    When the sequence number is higher than expected, the receiver sends a NAK back to the source. The ACK or
    NAK is numbered with the next expected sequence number", "one greater than the most recently received".
    """

    def __init__(self) -> None:
        self.expected = 1

    def on_message(self, message: Message) -> Message:
        """The answer."""
        if message.kind is Kind.SYN:
            return Message(Kind.SYN_ACK, self.expected, message.sent_ns)
        kind = Kind.ACK if message.number == self.expected else Kind.NAK
        self.expected = message.number + 1
        return Message(kind, self.expected, message.sent_ns)


class State(Enum):
    """Where a flow stands."""

    IDLE = "idle"
    CONNECTING = "connecting"
    TRANSFER = "transfer"
    FINISHED = "finished"
    FAILED = "failed"


class Source:
    """The sender of a flow of ``flow_packets``, over a path of this round-trip propagation delay."""

    def __init__(
        self,
        controller: Windowed,
        round_trip_ns: int,
        flow_packets: float = math.inf,
        syn_interval_ns: int = 3_000_000_000,
        syn_max: int = 3,
    ) -> None:
        self.controller = controller
        self.propagation_ns = max(round_trip_ns, LEAST_ROUND_TRIP_NS)
        self.flow_packets = flow_packets
        self.syn_interval_ns = syn_interval_ns
        self.syn_max = syn_max
        self.syn_sent = 0
        self.state = State.IDLE
        self.next = 1  # nextSeq
        self.high = 1  # highSeq
        self.note = 0
        self.delivered = 0
        self.written = 0  # packets of the flow that were sent at least once
        self.round = 0
        self.round_ends = 0
        self.srtt_ns: float | None = None
        self.min_rtt_ns = 0
        # "Upon initiation of a flow's transfer phase, RTO is set to twice the round-trip propagation delay."
        self.rto_ns = 2 * self.propagation_ns
        self.deadline_ns: int | None = None

    def open(self, now_ns: int) -> list[Message]:
        """Equation 1."""
        self.state = State.CONNECTING
        return self.send_syn(now_ns)

    def send_syn(self, now_ns: int) -> list[Message]:
        """The last three lines of equations 1 and 2."""
        self.deadline_ns = now_ns + self.syn_interval_ns
        self.syn_sent += 1
        return [Message(Kind.SYN, 0, now_ns)]

    def close(self) -> None:
        """The application sends no more: the flow ends with the last written packet.

        Losses are still repaired.
        """
        self.flow_packets = min(self.flow_packets, self.written)
        if self.state is State.CONNECTING:
            # Nothing was written, and no SYN is sent again.
            self.state, self.deadline_ns = State.FINISHED, None
        elif self.state is State.TRANSFER:
            self.finish_if_complete()

    def on_message(self, now_ns: int, message: Message) -> list[Message]:
        """An answer arrives; returns the packets sent in response."""
        if self.state is State.CONNECTING and message.kind is Kind.SYN_ACK:
            # Equation 3.
            self.state = State.TRANSFER
            self.deadline_ns = now_ns + self.rto_ns
        elif self.state is State.TRANSFER and message.kind in {Kind.ACK, Kind.NAK}:
            self.on_answer(now_ns, message)
        if self.state is State.TRANSFER:
            self.finish_if_complete()
        return self.send(now_ns)

    def on_answer(self, now_ns: int, message: Message) -> None:
        """Section 5.3.1: an ACK or NAK is "evidence that one DT segment has been delivered successfully"."""
        nak = message.kind is Kind.NAK
        missing = max(message.number - (self.high + 1), 1) if nak else 0
        self.delivered += 1
        self.high = max(self.high, message.number)
        rtt_ns = max(now_ns - message.sent_ns, 1)
        srtt_ns = self.smooth(rtt_ns)
        if message.number > self.round_ends:
            self.round += 1
            self.round_ends = self.next
        # "Upon receipt of an ACK or NAK, a flow's RTO is set to the maximum of 1.5 times the measured,
        # smoothed round-trip time (SRTT) or twice the round-trip propagation delay"; "no greater than 32".
        self.rto_ns = max(math.floor(1.5 * srtt_ns + 0.5), 2 * self.propagation_ns)
        self.rto_ns = min(self.rto_ns, 32 * self.propagation_ns)
        self.deadline_ns = now_ns + self.rto_ns
        # The packet answered is not lower than the one that was next at the last signal.
        qualifies = message.number - 1 >= self.note
        if nak and qualifies:
            self.note = self.next
            self.congest(now_ns, Signal.LOSS)
        self.controller.on_ack(
            Ack(
                now=now_ns / 1e9,
                delivered=1.0,
                lost=float(missing),
                in_flight=float(self.unacknowledged()),
                rtt=rtt_ns / 1e9,
                srtt=math.floor(srtt_ns + 0.5) / 1e9,
                min_rtt=self.min_rtt_ns / 1e9,
                round=self.round,
                suspended=nak or not qualifies,
            )
        )

    def smooth(self, rtt_ns: int) -> float:
        """The smoothed round-trip time, with a new sample."""
        if self.srtt_ns is None:
            self.srtt_ns, self.min_rtt_ns = float(rtt_ns), rtt_ns
        else:
            self.srtt_ns += (rtt_ns - self.srtt_ns) / 8
            self.min_rtt_ns = min(self.min_rtt_ns, rtt_ns)
        return self.srtt_ns

    def on_deadline(self, now_ns: int) -> list[Message]:
        """No answer came for too long; returns the packets sent in response."""
        if self.state is State.CONNECTING:
            # Equation 2.
            if self.syn_sent < self.syn_max:
                self.syn_interval_ns *= 2
                return self.send_syn(now_ns)
            self.state, self.deadline_ns = State.FAILED, None
            return []
        # "A source notes the next sequence number that it intends to send on the flow." Packets count from
        # there on, except for the first, whose answer reports the same loss.
        self.note = self.next + 1
        self.congest(now_ns, Signal.TIMEOUT)
        # "A timeout causes highSeq to be set to nextSeq."
        self.high = self.next
        # "With each timeout the RTO is doubled", "up to the maximum RTO".
        self.rto_ns = min(2 * self.rto_ns, 32 * self.propagation_ns)
        self.deadline_ns = now_ns + self.rto_ns
        return self.send(now_ns)

    def congest(self, now_ns: int, signal: Signal) -> None:
        """The procedures of a loss or a timeout, which reduce the window itself (7, 8)."""
        self.controller.on_congestion(
            Congestion(
                now=now_ns / 1e9,
                signal=signal,
                flight=self.controller.cwnd,
                restart=signal == Signal.TIMEOUT,
                repeated=False,
            )
        )

    def unacknowledged(self) -> int:
        """Equation 41: unAkedDTs."""
        return self.next - self.high

    def unsent(self) -> int:
        """Equations 41 and 42: unsentDTs."""
        window = math.floor(max(self.controller.cwnd, 1.0)) - self.unacknowledged()
        residual = self.flow_packets - self.delivered - self.unacknowledged()
        return max(int(min(window, residual)), 0)

    def send(self, now_ns: int) -> list[Message]:
        """All packets for which the window has room."""
        if self.state is not State.TRANSFER:
            return []
        sent = [Message(Kind.DATA, self.next + extra, now_ns) for extra in range(self.unsent())]
        self.next += len(sent)
        self.written = max(self.written, self.delivered + self.unacknowledged())
        return sent

    def finish_if_complete(self) -> None:
        """The flow ends with "one ACK or NAK for each segment comprising the flow"."""
        if self.delivered >= self.flow_packets:
            self.state, self.deadline_ns = State.FINISHED, None
