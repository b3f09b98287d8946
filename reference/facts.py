"""What a sender learns, as its congestion control is told."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, kw_only=True)
class RateSample:
    """What happened between the sending of a packet and its acknowledgment."""

    rate: float
    """Packets delivered per second."""
    app_limited: bool = False
    """Whether the application may have held the rate down."""
    interval: float = 0.0
    """How long sending or acknowledging what was delivered took, whichever is longer, in seconds."""
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
    """What is known of a packet declared lost."""

    tx_in_flight: float
    """Packets in flight when it had been sent, itself included."""
    lost: float
    """Packets declared lost since it was sent, itself included."""
    app_limited: bool = False
    """Whether the application may have held the sender back when it was sent."""


@dataclass(frozen=True, kw_only=True)
class Ack:
    """Everything one arriving acknowledgment taught the sender."""

    now: float
    """When it arrived, in seconds."""
    delivered: float
    """Packets newly known to be delivered."""
    lost: float = 0.0
    """Packets newly declared lost."""
    ce_marked: float = 0.0
    """Packets newly known to carry a congestion mark."""
    in_flight: float
    """Packets in flight after it."""
    rtt: float | None
    """The round-trip time it measured in seconds, never from a retransmission (Karn's rule)."""
    srtt: float
    """The smoothed round-trip time of RFC 6298 in seconds; 0 before the first sample."""
    min_rtt: float
    """The smallest round-trip time of the connection so far in seconds; 0 before the first sample."""
    round: int
    """Round trips completed."""
    may_grow: bool
    """False in the round trip after a congestion signal, and when the window held nothing back."""
    recovering: bool = False
    """Whether what was lost is still being sent again."""
    rate: RateSample | None = None
    """The delivery rate it measured."""
    loss: LossSample | None = None
    """The latest-sent of the packets declared lost since the last acknowledgment."""


class Signal(Enum):
    """What told the sender that the network is congested."""

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
    """What was noticed."""
    flight: float
    """RFC 5681's FlightSize: packets sent and not yet acknowledged."""
    restart: bool
    """Whether the sender starts again from one packet: after a timeout, and after any loss under Tahoe."""
    repeated: bool
    """Whether this is the timeout of a packet that had timed out before."""
