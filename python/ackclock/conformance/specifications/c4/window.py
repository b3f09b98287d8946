"""The window is what the rate takes in the nominal max RTT."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    ALONE,
    ALPHA,
    INITIAL,
    MAX_RTT,
    RATE,
    STATE,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The windows in products of rate and time, where nothing changes between two samples."""
    states = trace.gauge(STATE)
    rate = trace.gauge(ALPHA) * trace.gauge(RATE)
    steady = (trace.time_s > 3.0) & (states > INITIAL)
    window, time_s = trace.series("cwnd_packets")[steady], trace.gauge(MAX_RTT)[steady]
    least, most = rate[steady] * time_s, rate[steady] * (time_s + 0.015)
    inside = (window >= 0.98 * least) & (window <= 1.02 * most)
    yield Verdict.within("share of the samples within the bounds", float(inside.mean()), 0.98, 1.0)


CASE = Case(
    number=8,
    section="draft-huitema-ccwg-c4-spec, Setting pacing rate, congestion window and quantum",
    title="The window is what the paced rate takes in the nominal max RTT",
    statement=(
        "The window is alpha times the nominal rate times the nominal max RTT, and two packets at least. "
        "The version of February 2026 adds a margin of 15 ms at most."
    ),
    scenario=ALONE,
    rule=(
        "From 3 s on, in Recovery, Cruising and Pushing, the window is that product for the nominal max "
        "RTT and 0 to 15 ms more, within 2 %."
    ),
    why=(
        "The window, the rate and the time are sampled at the same moment, each a little after its last "
        "change."
    ),
    observe=observe,
    shown=("cwnd_packets", RATE, MAX_RTT),
)
