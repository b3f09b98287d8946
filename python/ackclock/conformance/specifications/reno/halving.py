"""A loss halves the window."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.qlog import Log
from ackclock.conformance.specifications import logs
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import (
    first_loss_s,
    growth_per_round_trip,
    lost,
    recovered_s,
    reduction,
    reduction_of_window,
    window_at,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window after the loss, and its growth from there."""
    loss = first_loss_s(trace)
    yield from reduction(trace, loss, 0.45, 0.55)
    after = recovered_s(trace, loss)
    share = window_at(trace, after + trace.path_rtt_s) / trace.at("ssthresh_packets", after)
    yield Verdict.within("window after recovery in thresholds", share, 0.95, 1.15)
    growth = growth_per_round_trip(trace, after + trace.path_rtt_s, 10)
    yield Verdict.within("growth after recovery in packets per round trip", growth, 0.85, 1.1)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The window after the loss alone."""
    yield from reduction_of_window(trace, first_loss_s(trace), 0.45, 0.58)


LOSS_OF_ONE = one_flow(
    "100 Mbit/s",
    100,
    5,
    buffer="1000 packets",
    tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets"},
    loss=lost(600),
)


def on_log(log: Log) -> Iterator[Verdict]:
    """The share that reductions leave."""
    yield from logs.left(log, 0.5)


CASE = Case(
    number=5,
    section="RFC 5681, 3.1, equation 4, and 3.2",
    title="A loss halves the window",
    statement=(
        "A loss that duplicates show sets the threshold to half of what is outstanding, and the window to "
        "it once the loss is repaired; congestion avoidance goes on from there."
    ),
    scenario=LOSS_OF_ONE,
    rule=(
        "The threshold is 0.45 to 0.55 of the flight; a round trip after recovery the window is 0.95 to "
        "1.15 thresholds; over the next ten it grows by 0.85 to 1.1 packets per round trip in the mean. "
        "Without a threshold to be seen, the window after recovery is 0.45 to 0.58 of the flight."
    ),
    why=(
        "The flight is counted in whole packets, of which there are some 45, and limited transmit adds two. "
        "A window grows by a packet in a round trip."
    ),
    observe=observe,
    outside=outside,
    on_log=on_log,
    shown=("cwnd_packets", "ssthresh_packets", "in_flight_packets"),
)
