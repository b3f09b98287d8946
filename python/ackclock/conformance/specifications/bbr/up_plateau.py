"""A probe ends on a plateau of the delivery rate."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.states import (
    DOWN,
    FULL_ROUNDS,
    MAX_BANDWIDTH,
    PACING_GAIN,
    ROUND,
    STATE,
    UP,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Each probe of the run."""
    probes = phases(trace, UP)
    if not probes:
        yield never_came(UP)
        return
    for probe in probes:
        yield Verdict.same("packets sent again in UP", trace.retransmitted(probe.begin_s, probe.end_s), 0)
        yield followed_by(trace, probe, DOWN)
        yield Verdict.same("rounds without growth", int(trace.at(FULL_ROUNDS, probe.end_s)), 3)
        rounds = int(trace.at(ROUND, probe.end_s) - trace.at(ROUND, probe.begin_s))
        yield Verdict.within("rounds in UP", rounds, 3, 5)
        gain = float(trace.during(PACING_GAIN, probe.begin_s, probe.end_s).min())
        yield Verdict.near("pacing gain in UP", gain, 1.25, 1e-9)


CASE = Case(
    number=5,
    section='appendix, "Exiting PROBE_UP on Bandwidth Plateau"; 5.3.3.7',
    title="A probe ends on a plateau of the delivery rate",
    statement=(
        "A probe without losses ends after three rounds in a row whose delivery rate is less than 25 % "
        "higher; DOWN follows."
    ),
    scenario=one_flow("10 Mbit/s", 40, 4.9),
    rule=(
        "In every probe: the pacing gain is 1.25, nothing is sent again, DOWN follows, the count of "
        "rounds without growth is 3, and UP lasts 3 to 5 rounds."
    ),
    why=(
        "A round with growth may come before the three without. The run ends before the first ProbeRTT, "
        "which may cut a probe off."
    ),
    observe=observe,
    shown=(STATE, "in_flight_packets", MAX_BANDWIDTH),
)
