"""A tenth of the bandwidth behind a deep buffer."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ackclock.conformance.case import Case, Law
from ackclock.conformance.specifications.bbr.decrease import judged, slower
from ackclock.conformance.specifications.bbr.states import MAX_BANDWIDTH, REFILL, STATE, phases
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time until the maximum is known."""
    yield from judged(trace)


def everywhere(trace: Trace) -> Iterator[Verdict]:
    """The maximum three round trips after each second REFILL, in the highest rate since the first began."""
    shares = []
    for first, second in pairwise(phases(trace, REFILL)):
        later = second.end_s + 3 * trace.at("rtt_s", second.end_s)
        if later < trace.time_s[-1]:
            inside = (trace.time_s >= first.begin_s) & (trace.time_s <= later)
            highest = float(trace.capacity_bit_per_s[inside].max()) / trace.packet_bits
            shares.append(trace.at(MAX_BANDWIDTH, later) / highest)
    if shares:
        yield Verdict.within("max_bw in the highest rates", float(np.max(shares)), -np.inf, 1.25)


CASE = Case(
    number=23,
    section="5.5.3 to 5.5.6, 5.3.4; no case of the appendix",
    title="A tenth of the bandwidth is known behind a deep buffer too",
    statement=(
        "The maximum is to cover two ProbeBW cycles, also where a queue of 2000 packets makes a round "
        "trip of seconds, so that ProbeRTT cuts each probe off."
    ),
    scenario=one_flow("100 Mbit/s", 40, 40, buffer="2000 packets", sample="5 ms"),
    then=slower,
    rule=(
        "As with a shallow buffer: max_bw is 0.5 to 1.02 of the new rate three round trips after the "
        "second probe."
    ),
    why=(
        "The prose of 5.5.6 advances the filter a round trip after each probe; the pseudocode of 5.3.3.9 "
        "does not after one that ProbeRTT cuts off. The page on findings in the draft has the trace."
    ),
    observe=observe,
    law=Law(
        "Three round trips after a REFILL, which ends a cycle whether or not its probe is cut off, max_bw is "
        "at most 1.25 of the highest rate since the REFILL before it began. The quarter is for "
        "acknowledgments in bursts.",
        everywhere,
    ),
    shown=(STATE, MAX_BANDWIDTH, "rtt_s"),
)
