"""The callbacks of the Congestion Manager (RFC 3124, 3.2), and the source of 5.1.3 that chooses by them.

"the CM SHOULD invoke the callback only when the rate decreases to less than (rate_downthresh * lastrate) or
increases to more than (rate_upthresh * lastrate), where lastrate is the rate last notified to the stream, or
when the round-trip time changes correspondingly by the requisite thresholds."

"It then chooses an encoding that does not exceed these estimates (or, in the case of an invalid estimate,
uses application-specific initial values) and begins transmitting data. [...] The application must change its
choice of audio encoding to ensure that it does not exceed these new estimates."

Left open in the text, and chosen here: a stream that has not been notified yet is told the first estimate;
the initial value is the lowest layer; a rate below every layer leaves the lowest, since the source has
nothing smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

__all__ = ["Thresholds", "layer_of", "layered"]


@dataclass
class Thresholds:
    """The thresholds of cm_thresh(), and the last notified values."""

    rate_down: float
    rate_up: float
    rtt_down: float = 0.0
    rtt_up: float = inf
    last: tuple[float, float] | None = field(default=None, init=False)

    def update(self, rate: float, rtt: float) -> bool:
        """True if the stream is called with this rate and round-trip time."""
        if self.last is not None:
            rate_before, rtt_before = self.last
            same_rate = self.rate_down * rate_before <= rate <= self.rate_up * rate_before
            same_rtt = self.rtt_down * rtt_before <= rtt <= self.rtt_up * rtt_before
            if same_rate and same_rtt:
                return False
        self.last = (rate, rtt)
        return True


def layer_of(rates: Sequence[float], allowed: float) -> int:
    """The highest encoding that does not exceed the rate; the rates ascend."""
    return max((layer for layer, rate in enumerate(rates) if rate <= allowed), default=0)


def layered(
    rates_bps: Sequence[float],
    thresholds: Thresholds,
    *,
    packet_bits: float,
    window: float,
    rtt_s: float,
    until_s: float,
) -> tuple[list[float], list[tuple[float, int]]]:
    """The times at which a source alone on an idle path sends, and the layer after each callback.

    The source begins at zero. A datagram leaves every `packet_bits / rate`; a new layer counts from the next
    on, since a timer that runs is not set anew. Nothing is lost, and links take no time to transmit.
    5.2: "increments cwnd by nsent when cwnd < ssthresh": each acknowledgment adds a packet, and the rate is
    "the current congestion window (cwnd) divided by the smoothed rtt (srtt)".
    """
    layer, next_s = 0, 0.0
    sent: list[float] = []
    changes: list[tuple[float, int]] = []
    acknowledged = 0
    while next_s < until_s:
        if acknowledged < len(sent) and sent[acknowledged] + rtt_s <= next_s:
            now = sent[acknowledged] + rtt_s
            acknowledged += 1
            window += 1
            rate = window * packet_bits / rtt_s
            if thresholds.update(rate, rtt_s):
                layer = layer_of(rates_bps, rate)
                changes.append((now, layer))
            continue
        if len(sent) - acknowledged < window:
            sent.append(next_s)
        next_s += packet_bits / rates_bps[layer]
    return sent, changes
