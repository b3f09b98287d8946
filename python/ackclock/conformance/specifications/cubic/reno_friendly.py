"""At small windows the flow grows as Reno would."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cubic.curve import Curve
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import growth_per_round_trip, lost
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth below the window before the loss, and above it."""
    curve = Curve(trace)
    early = growth_per_round_trip(trace, curve.begin_s + 2 * trace.path_rtt_s, 12)
    yield Verdict.within("growth below the plateau in packets per round trip", early, 0.45, 0.6)
    above = trace.time_s[(trace.series("cwnd_packets") > curve.plateau + 1) & (trace.time_s > curve.begin_s)]
    if above.size:
        late = growth_per_round_trip(trace, float(above[0]), 12)
        yield Verdict.within("growth above the plateau in packets per round trip", late, 0.85, 1.1)


CASE = Case(
    number=7,
    section="RFC 9438, 4.3, equation 4",
    title="At small windows the flow grows as Reno would",
    statement=(
        "Where the curve is slower than a Reno flow of the same mean window, the window grows by 3 (1 - "
        "0.7) / (1 + 0.7) = 0.53 packets in a round trip, and by 1 above the window before the loss."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        20,
        3,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets"},
        loss=lost(600),
    ),
    rule="The growth is 0.45 to 0.6 packets per round trip below the plateau, and 0.85 to 1.1 above.",
    why="A round trip lengthens by a tenth with the window, and growth is spread over acknowledgments.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets"),
)
