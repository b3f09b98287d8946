"""The quantities that figures show over time, with titles, units and explanations."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QUANTITIES", "THRESHOLD", "Quantity"]

THRESHOLD = "Dashed: the slow-start threshold."
"""The note of a figure of windows that shows it."""


@dataclass(frozen=True)
class Quantity:
    """A quantity drawn over time. `factor` converts base units into `unit`."""

    key: str
    title: str
    axis: str
    unit: str
    factor: float
    explanation: str
    from_zero: bool = True


QUANTITIES = {
    quantity.key: quantity
    for quantity in (
        Quantity(
            "window",
            "Congestion window",
            "cwnd",
            "packets",
            1,
            "The limit of packets in flight.",
        ),
        Quantity(
            "goodput-over-time",
            "Goodput over time",
            "goodput",
            "kbit/s",
            1e-3,
            "Payload as it arrives, also where it waits for data before it, averaged over one fortieth of "
            "the time shown.",
        ),
        Quantity(
            "rtt",
            "Round-trip time",
            "RTT",
            "ms",
            1e3,
            "The latest sample, never from a retransmission.",
            False,
        ),
        Quantity(
            "in_flight", "Packets in flight", "in flight", "packets", 1, "Sent and not yet accounted for."
        ),
        Quantity(
            "queue",
            "Queue at the bottleneck",
            "waiting",
            "packets",
            1,
            "Packets waiting, without the one being sent; ticks on top mark drops.",
        ),
        Quantity(
            "time-sequence",
            "Time and sequence",
            "sequence number",
            "kB",
            1e-3,
            "Each segment where its packet passes the captured link, and the acknowledged sequence number.",
            False,
        ),
        Quantity(
            "active", "Flows active", "active", "flows", 1, "Flows whose connection is open or being opened."
        ),
        Quantity(
            "mean_window",
            "Mean congestion window",
            "mean cwnd",
            "packets",
            1,
            "Over the flows that are active.",
        ),
        Quantity(
            "retransmission_rate",
            "Retransmission rate",
            "retransmissions",
            "% of packets",
            100,
            "Retransmitted packets, of all sent in the interval.",
        ),
        Quantity(
            "goodput_of_all",
            "Goodput of all flows",
            "goodput",
            "Mbit/s",
            1e-6,
            "Payload delivered to applications in the interval.",
        ),
        Quantity(
            "competition-over-time",
            "Shares of competitors over time",
            "share",
            "%",
            100,
            "Each competitor's part of the goodput where all share the bottleneck, in fortieths of a run.",
        ),
        Quantity(
            "calls",
            "Rates of calls",
            "rate",
            "Mbit/s",
            1e-6,
            "Payload received, and dashed the rate, headers included, that the congestion control asks of "
            "the encoder; ticks on top mark freezes.",
        ),
        Quantity(
            "film-rate",
            "Rate of the film",
            "rate",
            "kbit/s",
            1e-3,
            "The mean rate of the quality of the segment that is being fetched, or was fetched last.",
        ),
        Quantity(
            "film-buffer",
            "Buffer of the film",
            "buffer",
            "s",
            1,
            "The film that the player has and has not played; it stands still while the buffer is empty.",
        ),
        Quantity(
            "drops",
            "Cumulative drops",
            "cumulative drops",
            "packets",
            1,
            "Packets dropped at the bottleneck since the start of the run, all flows.",
        ),
    )
}
