"""The growth of a window and its response to losses, which are seen of any algorithm from outside."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict

__all__ = [
    "falls",
    "first_loss_s",
    "growth_per_round_trip",
    "lost",
    "no_loss",
    "recovered_s",
    "reduction",
    "reduction_of_window",
    "slow_start_is_over",
    "window_at",
]


def lost(*packets: int) -> dict[str, object]:
    """The losses of a link: these data packets of the flow, counted from 1 with those sent again."""
    return {"scripted": {"flow": 0, "packets": list(packets)}}


def first_loss_s(trace: Trace, number: int = 0) -> float:
    """The time of a loss; infinite without it."""
    losses = trace.losses()
    return float(losses[number]) if losses.size > number else math.inf


def no_loss() -> Verdict:
    """The open verdict on a run without the loss that the case needs."""
    return Verdict("the run", "no packet was lost", "one is", Outcome.UNDECIDED)


def window_at(trace: Trace, time_s: float) -> float:
    """The window at a time."""
    return trace.at("cwnd_packets", time_s)


def growth_per_round_trip(trace: Trace, begin_s: float, round_trips: float) -> float:
    """The mean growth of the window in packets per round trip, from a time on."""
    end_s = begin_s + round_trips * trace.path_rtt_s
    return (window_at(trace, end_s) - window_at(trace, begin_s)) / round_trips


def recovered_s(trace: Trace, loss_s: float) -> float:
    """Two and a half round trips after a loss, when it is known and repaired."""
    return loss_s + 2.5 * trace.path_rtt_s


def slow_start_is_over(trace: Trace) -> Iterator[Verdict]:
    """The growth after the first loss."""
    after = recovered_s(trace, first_loss_s(trace)) + trace.path_rtt_s
    growth = growth_per_round_trip(trace, after, 5)
    yield Verdict.within("growth after recovery in packets per round trip", growth, 0.0, 6.0)


def reduction(trace: Trace, loss_s: float, low: float, high: float) -> Iterator[Verdict]:
    """The threshold that a loss leaves, as a share of what was outstanding when it was found."""
    after = recovered_s(trace, loss_s)
    flights = trace.during("in_flight_packets", loss_s, after)
    if not flights.size:
        yield no_loss()
        return
    thresholds = trace.during("ssthresh_packets", loss_s, after)
    changed = np.flatnonzero(thresholds[1:] != thresholds[:-1])
    place = int(changed[0]) if changed.size else len(flights) - 1
    flight = float(np.max(flights[: place + 1]))
    share = trace.at("ssthresh_packets", after) / flight
    yield Verdict.within("threshold after a loss, as a share of the flight", share, low, high)


def reduction_of_window(trace: Trace, loss_s: float, low: float, high: float) -> Iterator[Verdict]:
    """The window after a loss, as a share of what was outstanding, of a sender that shows no threshold."""
    after = recovered_s(trace, loss_s)
    flights = trace.during("in_flight_packets", loss_s, after)
    if not flights.size:
        yield no_loss()
        return
    share = window_at(trace, after) / float(np.max(flights))
    yield Verdict.within("window after a loss, as a share of the flight", share, low, high)


def falls(values: np.ndarray) -> int:
    """The number of times that a series falls."""
    return int(np.sum(values[1:] < values[:-1]))
