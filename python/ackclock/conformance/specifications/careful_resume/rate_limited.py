"""The part of the jump that the sender did not use is taken back."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import JUMP, PHASE, PIPE_SIZE
from ackclock.conformance.specifications.paths import client, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window, and the one at the end."""
    window = trace.series("cwnd_packets")
    yield Verdict.within("largest window in packets", float(window.max()), 0.98 * JUMP, JUMP)
    yield Verdict.within("window at the end in packets", float(window[-1]), 10, 62)


CASE = Case(
    number=10,
    section="RFC 9959, 3.3 (check flight_size); appendix B.2",
    title="What the sender did not use of the jump is taken back",
    statement=(
        "If the sender has too little to send for the window of the jump, it is reset to what was used, and "
        "at least to the initial window."
    ),
    scenario=one_flow(
        "900 Mbit/s",
        100,
        2,
        buffer="9000 packets",
        tcp={"segments_per_ack": 1},
        flow=client({"constant": "30 packets"}, "1 ms"),
    ),
    rule="The largest window is 98 to 100 packets, and the window after 2 s is 10 to 62.",
    why=(
        "A response has 30 packets, so that no more than 30 are used and validated. Slow start then grows a "
        "window that is not used to twice the largest flight at most, which is 60."
    ),
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets", PHASE, PIPE_SIZE),
)
