"""Losses in a probe lower a bound that was set."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case, Settings
from ackclock.conformance.specifications.bbr.states import (
    DOWN,
    LONGTERM,
    STATE,
    UP,
    bdp_packets,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.specifications.paths import BOTTLENECK, losing, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def bounded(trace: Trace) -> list[float]:
    """The beginnings of probes with a bound."""
    return [
        probe.begin_s
        for probe in trace.phases(STATE)
        if probe.value == UP and math.isfinite(trace.at(LONGTERM, probe.begin_s))
    ]


def lossy(trace: Trace) -> Settings | None:
    """A tenth of the packets of a probe is lost, from its beginning on for three round trips."""
    begun = bounded(trace)
    if not begun:
        return None
    return {f"{BOTTLENECK}.loss": losing(0.1, begun[0], begun[0] + 0.15)}


def observe(trace: Trace) -> Iterator[Verdict]:
    """The first probe with a bound."""
    begun = bounded(trace)
    probes = [probe for probe in phases(trace, UP) if begun and probe.begin_s == begun[0]]
    if not probes:
        yield never_came(UP)
        return
    probe = probes[0]
    losses = trace.losses()
    first = float(losses[losses >= probe.begin_s][0]) if np.any(losses >= probe.begin_s) else math.inf
    yield followed_by(trace, probe, DOWN)
    yield Verdict.within("UP ends after the first loss by seconds", probe.end_s - first, 0.0, 0.2)
    before, after = trace.at(LONGTERM, probe.begin_s), trace.at(LONGTERM, probe.end_s + 0.002)
    yield Verdict.within("inflight_longterm after, in values before", after / before, 0.3, 0.999)
    least = 0.7 * bdp_packets(trace, probe.end_s)
    yield Verdict.within("inflight_longterm after, less 0.7 BDP", after - least, -0.5, math.inf)


CASE = Case(
    number=21,
    section='appendix, "Handling Loss During PROBE_UP After inflight_longterm is Set"; 5.5.10.2',
    title="Losses in a probe lower a bound that was set",
    statement=(
        "A probe that loses more than 2 % ends at once in DOWN. Its bound becomes what was in flight when "
        "the losses passed 2 %, and at least 0.7 of the target."
    ),
    scenario=one_flow("10 Mbit/s", 40, 12, buffer="25 packets"),
    then=lossy,
    rule=(
        "DOWN follows within 200 ms of the first loss; inflight_longterm is lower than before, and at "
        "most half a packet below 0.7 of the estimated bandwidth-delay product."
    ),
    why=(
        "A loss is found after a round trip of up to 70 ms with the queue and RACK's wait of a quarter; "
        "one that the tail of a flight hides takes a second one."
    ),
    observe=observe,
    shown=(STATE, "in_flight_packets", LONGTERM),
)
