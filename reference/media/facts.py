"""The facts that a media transport reports to its congestion control, and the decision that comes back.

Times are in seconds, sizes in bytes on the wire, rates in bit/s. The sender's and the receiver's clocks may
differ by a constant.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class MediaStart:
    """The facts that are known before the first packet."""

    min_rate: float
    """The least rate of the encoder."""
    max_rate: float
    """The highest rate of the encoder."""
    initial_rate: float
    """The target before the first report."""
    frame_period: float
    """The nominal time between two frames."""
    mss: int
    """The largest packet."""
    l4s: bool = False
    """The packets are sent as ECT(1), so that a mark means what it means to L4S."""


@dataclass(frozen=True, kw_only=True)
class MediaPacket:
    """A packet whose fate has become known."""

    sequence: int
    """From 0, one more for each packet."""
    size: int
    """With its headers."""
    sent: float
    """When it was sent, by the sender's clock."""
    arrived: float | None
    """When it arrived, by the receiver's clock; None if it is lost."""
    marked: bool = False
    """It arrived with a congestion mark."""


@dataclass(frozen=True, kw_only=True)
class MediaReport:
    """Feedback with news: each packet is in one report only."""

    now: float
    """When it arrived at the sender."""
    packets: list[MediaPacket]
    """At least one, ascending by sequence."""
    rtt: float | None
    """The round-trip time of the highest packet that arrived, without the time for which the receiver held
    the report; None if no packet arrived."""
    in_flight: float
    """Bytes sent after the highest packet that is known to have arrived."""
    most_in_flight: float
    """The largest flight after a packet was sent, since the report before."""


@dataclass(frozen=True, kw_only=True)
class MediaFrame:
    """The encoder hands over a frame."""

    now: float
    """When it does."""
    size: float
    """The bytes of its packets."""
    queued: float
    """The age of the oldest packet that waits to be sent, before this frame; 0 if none waits."""
    queued_bytes: float
    """The bytes that wait to be sent, with this frame."""


@dataclass(frozen=True, kw_only=True)
class MediaDecision:
    """The rates and the window that encoder and pacer follow."""

    target: float
    """The rate that is asked of the encoder, headers included."""
    pacing: float
    """The rate at which packets leave."""
    window: float = math.inf
    """A packet leaves only while it fits into this with those in flight, or while none is in flight."""
