"""A reduction that was not needed is undone."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow, stepped
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 3.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets sent again, and the window before and after."""
    yield Verdict.same("packets lost", len(trace.losses()), 0)
    again, _ = trace.sent.first_again()
    share = window_at(trace, again + 3 * trace.path_rtt_s) / window_at(trace, again - trace.path_rtt_s / 2)
    yield Verdict.within("window three round trips later, in windows before", share, 0.97, 1.2)


CASE = Case(
    number=14,
    section="RFC 9438, 4.9.2",
    title="A reduction that was not needed is undone",
    statement=(
        "Where duplicates that the receiver reports show that nothing was lost, the window, the threshold "
        "and the curve may be restored."
    ),
    scenario=one_flow(
        "10 Mbit/s",
        100,
        5,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "95 packets", "dsack": True},
        watch=FORWARD,
        delay=stepped("68 ms", (STEP_S, "34 ms")),
        impairments=["overtaking"],
    ),
    rule=(
        "Nothing is lost, a packet is sent again, and three round trips later the window is 0.97 to 1.2 of "
        "what it was."
    ),
    why="The path becomes 34 ms shorter, where 28 packets overtake. The report comes a round trip after.",
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
