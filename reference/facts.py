"""The facts that a transport reports to its congestion control.

Times are in seconds, windows in packets. Controllers written in Python get the same facts from the simulator.
"""

import math
from dataclasses import dataclass
from enum import StrEnum


def nanoseconds(seconds: float) -> int:
    """A time in whole nanoseconds, halves rounded up: compared in them, rounding decides nothing."""
    return math.floor(seconds * 1e9 + 0.5)


@dataclass(frozen=True, kw_only=True)
class Start:
    """The windows with which a connection begins, in packets."""

    initial_window: float = 10.0
    """The initial congestion window."""
    initial_ssthresh: float = math.inf
    """The initial slow-start threshold."""
    restart_window: float = 1.0
    """The window from which the sender begins again when the ACK clock is lost."""


@dataclass(frozen=True, kw_only=True)
class RateSample:
    """A delivery-rate sample, from the sending of a packet to its acknowledgment."""

    rate: float
    """Packets delivered per second."""
    app_limited: bool = False
    """True if the application may have held the rate down."""
    interval: float = 0.0
    """The time in seconds in which the counted packets were sent or acknowledged, whichever is longer."""
    delivered: float = 0.0
    """Packets delivered over the interval."""
    prior_delivered: float = 0.0
    """Packets delivered before the packet was sent, since the connection began."""
    lost: float = 0.0
    """Packets declared lost since the packet was sent."""
    tx_in_flight: float = 0.0
    """Packets in flight when the packet had been sent, itself included."""


@dataclass(frozen=True, kw_only=True)
class LossSample:
    """The facts of a packet declared lost."""

    tx_in_flight: float
    """Packets in flight when it had been sent, itself included."""
    lost: float
    """Packets declared lost since it was sent, itself included."""
    app_limited: bool = False
    """True if the application may have held the sender back when it was sent."""


@dataclass(kw_only=True)  # not frozen: a frozen one takes four times as long to make, and tests make millions
class Ack:
    """The facts of one arriving acknowledgment, or of a batch of them; nothing writes to it."""

    now: float
    """When it arrived, in seconds."""
    acks: int = 1
    """The acknowledgments for which it stands: more than 1 if a driver reports a batch."""
    delivered: float
    """Packets newly known to be delivered."""
    lost: float = 0.0
    """Packets newly declared lost."""
    ce_marked: float = 0.0
    """Packets newly known to carry a congestion mark."""
    in_flight: float
    """Packets in flight after it."""
    largest_flight: float = math.inf
    """The largest flight since the window was reduced, of a sender that does not use its window in full."""
    rtt: float | None
    """The round-trip time it measured in seconds, never from a retransmission (Karn's rule)."""
    srtt: float
    """The smoothed round-trip time of RFC 6298 in seconds; 0 before the first sample."""
    min_rtt: float
    """The smallest round-trip time of the connection so far in seconds; 0 before the first sample."""
    round: int
    """Round trips completed."""
    suspended: bool = False
    """Growth is suspended: a congestion signal came in this round trip, or its recovery lasts."""
    advanced: bool = True
    """The cumulative acknowledgment advanced; False for a duplicate."""
    window_limited: bool = True
    """The window limited the sender."""
    recovering: bool = False
    """Lost packets are still being retransmitted: fast recovery, or the restart after a timeout."""
    rate: RateSample | None = None
    """The delivery rate it measured."""
    loss: LossSample | None = None
    """The latest-sent of the packets declared lost since the last acknowledgment."""
    feedback: float | None = None
    """The change of the rate that the routers of the path grant, in packets per second."""

    @property
    def may_grow(self) -> bool:
        """Growth is not suspended, the acknowledgment is of new data, and the window may grow."""
        return not self.suspended and self.advanced and self.window_limited and self.delivered > 0


class Signal(StrEnum):
    """The kinds of congestion signals."""

    LOSS = "loss"
    """A loss found from acknowledgments."""
    ECN = "ecn"
    """A congestion mark echoed by the receiver."""
    TIMEOUT = "timeout"
    """The retransmission timer expired."""


@dataclass(frozen=True, kw_only=True)
class Congestion:
    """The start of a congestion episode."""

    now: float
    """When it was noticed, in seconds."""
    signal: Signal
    """The kind of signal."""
    flight: float
    """RFC 5681's FlightSize: packets sent and not yet acknowledged."""
    restart: bool
    """True if the sender starts again from one packet: after a timeout, and after any loss under Tahoe."""
    repeated: bool
    """True if this is the timeout of a packet that had timed out before."""
