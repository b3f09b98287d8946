"""A loss before the jump rules it out."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import JUMP, PHASE
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import first_loss_s, lost, no_loss
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window of eight round trips, and the threshold."""
    if first_loss_s(trace) > 2 * trace.path_rtt_s:
        yield no_loss()
        return
    largest = float(trace.during("cwnd_packets", 0.0, 8 * trace.path_rtt_s).max())
    yield Verdict.within("largest window in packets", largest, 10, 0.5 * JUMP)
    threshold = trace.at("ssthresh_packets", 5 * trace.path_rtt_s)
    yield Verdict.within("threshold in packets", threshold, 4, 10)


CASE = Case(
    number=7,
    section="RFC 9959, 3.2; appendix B.3",
    title="A loss before the jump rules it out",
    statement=(
        "Congestion in the Reconnaissance Phase shows a limit: the memory is not used, and the sender "
        "answers as if it had none."
    ),
    scenario=one_flow(
        "900 Mbit/s", 100, 1.5, buffer="9000 packets", tcp={"segments_per_ack": 1}, loss=lost(1)
    ),
    rule=(
        "In eight round trips the window is at most half of the jump, and after five of them the threshold "
        "is 4 to 10 packets."
    ),
    why=(
        "The first of ten packets is lost. A threshold of half of what was in flight, and growth by one in "
        "a round trip, stay far below the jump."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", PHASE),
)
