"""The growth of a window and its reductions, as the log of a stack shows them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ackclock.conformance.qlog import Log, Loss
from ackclock.measures.verdict import Outcome, Verdict

__all__ = ["Reduction", "bursts", "least", "left", "once", "persistent", "reductions", "slow_start_growth"]

LEAST = 0.97
"""A window that falls to less than this share of itself was reduced; more may be rounding."""

SMALL = 4.5
"""Packets: at windows below it the least window of two packets decides what a reduction leaves."""

LEAST_QUIC_BYTES = 1200
"""The smallest largest size of a packet that QUIC permits (RFC 9000, 14), with which each path begins."""

LEAST_PACKETS = 2.0
"""The least window of QUIC (RFC 9002, 7.2), which persistent congestion leaves."""

FIRST_BYTES = 14720
"""The bound of the first window (RFC 9002, 7.2), and of what leaves at once (7.7)."""

SPAN = 0.05
"""The share of a round trip in which what leaves has left at once."""

SURE = 1.5
"""The durations that losses last to be judged, since the peer may delay acknowledgments for longer."""


@dataclass(frozen=True)
class Reduction:
    """A fall of the window."""

    time_s: float
    before: float
    after: float
    in_flight: tuple[float, float]
    """The data in flight before it, and at it, where lost packets may be taken out."""

    def share(self, expected: float) -> float:
        """The share that it left of the window or of the flight, whichever is nearer to the expected one."""
        bases = [base for base in (self.before, *self.in_flight) if base > 0]
        return min((self.after / base for base in bases), key=lambda share: abs(share - expected))


def reductions(log: Log) -> list[Reduction]:
    """Each fall of the window."""
    window, flight = log.window_packets, log.in_flight_packets
    places = np.flatnonzero(window[1:] < LEAST * window[:-1]).tolist()
    return [
        Reduction(
            float(log.time_s[at + 1]),
            float(window[at]),
            float(window[at + 1]),
            (float(flight[at]), float(flight[at + 1])),
        )
        for at in places
    ]


def left(log: Log, share: float) -> Iterator[Verdict]:
    """The share that each reduction leaves of the window, or of what is in flight.

    Stacks reduce one or the other, and some take out the lost packets first. Those of persistent congestion
    leave the least window.
    """
    collapses = [loss.time_s for loss in _persistent(log)]
    found = [
        each
        for each in reductions(log)
        if each.before > SMALL
        and not any(abs(each.time_s - collapse) <= log.round_trip_s for collapse in collapses)
    ]
    if not found:
        yield Verdict("the log", "no reduction of the window", "at least one", Outcome.UNDECIDED)
    for each in found:
        what = f"share left by the reduction at {each.time_s:.3f} s"
        yield Verdict.near(what, each.share(share), share, 0.02)


def once(log: Log) -> Iterator[Verdict]:
    """The time between reductions, which is a round trip at least."""
    found = reductions(log)
    if len(found) < 2 or not log.losses_s.size:
        yield Verdict("the log", "fewer than two reductions of the window", "two", Outcome.UNDECIDED)
        return
    if not math.isfinite(log.round_trip_s):
        yield Verdict("the log", "no round-trip time", "events with min_rtt", Outcome.UNDECIDED)
        return
    shortest = min(np.diff([each.time_s for each in found]))
    what = "shortest time between two reductions, in smallest round trips"
    yield Verdict.within(what, float(shortest) / log.round_trip_s, 0.99, math.inf)


def slow_start_growth(log: Log) -> Iterator[Verdict]:
    """The fastest growth of a round trip before the first reduction."""
    found = reductions(log)
    end = found[0].time_s if found else float(log.time_s[-1])
    known = math.isfinite(log.round_trip_s)
    times = log.time_s[log.time_s < end - log.round_trip_s].tolist() if known else []
    if not times:
        yield Verdict("the log", "no round trip before a reduction", "at least one", Outcome.UNDECIDED)
        return
    growth = max(log.window_at(time + 0.99 * log.round_trip_s) / log.window_at(time) for time in times)
    yield Verdict.within("fastest growth in a smallest round trip", growth, 1.0, 2.05)


def least(log: Log, packets: float) -> Iterator[Verdict]:
    """The smallest window that a reduction leaves, which stays at this number of packets or more.

    A packet here has the size that QUIC begins with, if a search for a larger one sends larger ones. A
    timeout of TCP leaves one packet. A larger least window is judged up to persistent congestion, which
    leaves two packets.
    """
    size = log.packet_bytes if log.is_of_tcp else min(log.packet_bytes, LEAST_QUIC_BYTES)
    collapses = [loss.time_s for loss in _persistent(log)] if packets > LEAST_PACKETS else []
    first_s = min((each.time_s for each in reductions(log)), default=math.inf)
    is_judged = (log.time_s >= first_s) & (log.time_s < min(collapses, default=math.inf))
    judged = log.window_packets[is_judged]
    if not judged.size:
        yield Verdict("the log", "no reduction of the window", "at least one", Outcome.UNDECIDED)
        return
    smallest = float(np.min(judged)) * log.packet_bytes / size
    if smallest > packets + 0.5:
        finding = f"{smallest:.1f} packets are the smallest window"
        yield Verdict("the log", finding, f"one of about {packets:g} packets", Outcome.UNDECIDED)
        return
    expected = 1.0 if log.is_of_tcp else packets
    yield Verdict.within("smallest window in packets", smallest, 0.99 * expected, math.inf)


def persistent(log: Log) -> Iterator[Verdict]:
    """The window after losses that last for longer than persistent congestion, which is the least one."""
    if log.is_of_tcp:
        yield Verdict("the log", "TCP", "QUIC, which has persistent congestion", Outcome.NOT_APPLICABLE)
        return
    found = [loss for loss in _persistent(log) if log.window_at(loss.time_s - log.round_trip_s) > SMALL]
    if not found:
        yield Verdict("the log", "no persistent congestion", "some", Outcome.UNDECIDED)
    for loss in found:
        after = (log.time_s >= loss.time_s) & (log.time_s <= loss.time_s + log.round_trip_s)
        windows = log.window_packets[after] if after.any() else np.array([log.window_at(loss.time_s)])
        what = f"window after persistent congestion at {loss.time_s:.3f} s, in packets"
        yield Verdict.within(what, float(windows.min()), 1.0, SMALL)


def _persistent(log: Log) -> Iterator[Loss]:
    """Of each run of losses that lasts for longer than the duration, the loss that shows it.

    In a run the numbers follow one another, so that none of the packets between was acknowledged.
    """
    run: list[Loss] = []
    is_told = False
    for loss in sorted(log.losses, key=lambda one: one.number):
        if run and loss.number == run[-1].number + 1:
            run.append(loss)
        else:
            run, is_told = [loss], False
        if not is_told and loss.sent_s - run[0].sent_s > SURE * loss.persistent_s:
            is_told = True
            yield loss


def bursts(log: Log) -> Iterator[Verdict]:
    """The packets of a twentieth of a round trip, which are at most a first window and a tenth of the window.

    A pace of two windows in a round trip sends the tenth. A hundredth of the packets may begin a larger
    burst, since a machine wakes its programs late now and then.
    """
    if log.is_of_tcp:
        yield Verdict("the log", "TCP", "QUIC, which paces or limits bursts", Outcome.NOT_APPLICABLE)
        return
    if not math.isfinite(log.round_trip_s):
        yield Verdict("the log", "no round-trip time", "events with min_rtt", Outcome.UNDECIDED)
        return
    sums = np.concatenate(([0.0], np.cumsum(log.sent_packets)))
    ends = np.searchsorted(log.sent_s, log.sent_s + SPAN * log.round_trip_s)
    sent = sums[ends] - sums[:-1]
    windows = np.array([log.window_at(time) for time in log.sent_s])
    allowed = FIRST_BYTES / log.packet_bytes + 2 * SPAN * windows
    what = "bursts of a twentieth of a round trip, 99 % of them, as shares of what may leave at once"
    yield Verdict.within(what, float(np.quantile(sent / allowed, 0.99)), 0.0, 1.0)
