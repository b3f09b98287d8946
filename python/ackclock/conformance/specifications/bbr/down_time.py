"""DOWN ends when the next probe is due."""

import math
from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case, Law, Settings
from ackclock.conformance.specifications.bbr.states import (
    DOWN,
    REFILL,
    STATE,
    UP,
    bdp_packets,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.specifications.paths import BOTTLENECK, one_flow, stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def slower(trace: Trace) -> Settings | None:
    """The rate falls to less than the pace of DOWN when the first DOWN after a probe begins."""
    probes = phases(trace, UP)
    if not probes:
        return None
    return {f"{BOTTLENECK}.rate": stepped("20 Mbit/s", (probes[0].end_s, "16 Mbit/s"))}


def observe(trace: Trace) -> Iterator[Verdict]:
    """The first DOWN after a probe."""
    probes = phases(trace, UP)
    ended = [down for down in phases(trace, DOWN) if probes and down.begin_s == probes[0].end_s]
    if not ended:
        yield never_came(DOWN)
        return
    yield followed_by(trace, ended[0], REFILL)
    yield Verdict.within("length of DOWN in seconds", ended[0].length_s, 2.0, 3.1)
    excess = trace.at("in_flight_packets", ended[0].end_s - 0.01) - bdp_packets(trace, ended[0].end_s - 0.01)
    yield Verdict.within("flight at the end of DOWN, less the estimated BDP", excess, 0.0, float("inf"))


def everywhere(trace: Trace) -> Iterator[Verdict]:
    """The DOWN that goes furthest beyond the wait, less the time without news from the path."""
    lengths = []
    for down in phases(trace, DOWN):
        rtt_s = float(np.nanmax(trace.during("rtt_s", down.begin_s, down.end_s + 0.01)))
        silent = trace.during("goodput_bit_per_s", down.begin_s, down.end_s) == 0
        lengths.append(down.length_s * (1 - float(silent.mean())) - rtt_s)
    if lengths:
        yield Verdict.within("length of DOWN in seconds", max(lengths), -math.inf, 3.1)


CASE = Case(
    number=9,
    section='appendix, "Exiting PROBE_DOWN After Max Time"; 5.3.3.8',
    title="DOWN ends when the next probe is due",
    statement=(
        "Where the queue of a probe does not drain, the flow stays in DOWN until the wait between probes, "
        "2 to 3 s, is over, and then refills the pipe without cruising."
    ),
    scenario=one_flow("20 Mbit/s", 60, 8, buffer="600 packets", shorter_at_s=1.5),
    then=slower,
    rule=(
        "REFILL follows DOWN after 2 to 3.1 s, with more in flight than the estimated bandwidth-delay "
        "product."
    ),
    why=(
        "The 100 ms are a round trip with the queue. The rate falls by 20 %: at the appendix's 10 %, the "
        "pacing margin of 1 % drains the queue in the time. The path becomes 2 ms shorter after 1.5 s, "
        "which puts off ProbeRTT."
    ),
    observe=observe,
    law=Law(
        "No DOWN is more than a round trip longer than 3.1 s, without the samples in which no data arrive: "
        "the flow acts when an acknowledgment comes.",
        everywhere,
    ),
    shown=(STATE, "in_flight_packets"),
)
