"""A recovery sends all along, in proportion to what is acknowledged."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import first_loss_s, lost, no_loss
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The flight in the middle of a recovery and at its end."""
    loss = first_loss_s(trace)
    again = trace.time_s[trace.series("retransmissions") > 0]
    if not np.isfinite(loss) or not again.size:
        yield no_loss()
        return
    begin = float(again[0])
    trip = trace.at("rtt_s", begin)
    before = trace.at("in_flight_packets", loss)
    threshold = trace.at("ssthresh_packets", begin + trip / 2)
    middle = trace.at("in_flight_packets", begin + trip / 2)
    expected = (before + threshold) / 2
    yield Verdict.within("flight in the middle of the recovery, of the mean", middle / expected, 0.9, 1.1)
    end = trace.at("in_flight_packets", begin + 0.95 * trip)
    yield Verdict.within("flight at its end, less the threshold", end - threshold, -3.0, 2.5)


CASE = Case(
    number=1,
    section="RFC 9937, 5 and 6.2",
    title="A recovery sends all along, in proportion to what is acknowledged",
    scenario=one_flow(
        "5 Mbit/s",
        100,
        5,
        buffer="200 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "45 packets", "proportional_rate": "rfc9937"},
        loss=lost(300),
    ),
    statement=(
        "During the round trip of a recovery the flight falls evenly from what it was to the threshold, "
        "and is the threshold at the end."
    ),
    rule=(
        "Half a round trip after the first retransmission the flight is within a tenth of the mean of "
        "flight and threshold; at its end it is at most 3 packets below and 2.5 above the threshold."
    ),
    why=(
        "A recovery that waits until the flight fits the new window is at the threshold in the middle "
        "already: a third lower than the mean."
    ),
    observe=observe,
    shown=("in_flight_packets", "ssthresh_packets", "cwnd_packets"),
)
