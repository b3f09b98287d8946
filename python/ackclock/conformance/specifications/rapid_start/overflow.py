"""After an overflow the window is the share of what path and queue hold."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.rapid_start.phases import TRIPLING, falls_at
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

BUFFER = 200


def observe(trace: Trace) -> Iterator[Verdict]:
    """The window two round trips after the loss was found, of what path and queue hold."""
    found = falls_at(trace)
    held = trace.rate_packets_per_s(0.0) * trace.path_rtt_s + BUFFER
    end = found + 2 * trace.at("rtt_s", found)
    yield Verdict.within("packets lost, of what path and queue hold", len(trace.losses()) / held, 0.3, 2.2)
    share = window_at(trace, end) / held
    yield Verdict.within("window after the recovery, of what path and queue hold", share, 0.42, 0.75)


CASE = Case(
    number=9,
    section="draft-kazuho-ccwg-rapid-start-02, 3.3.1 and appendix A",
    title="After an overflow the window is the share of what path and queue hold",
    statement=(
        "If packets are lost only because the queue overflows, the window after the recovery is the "
        "avoidance's share of what path and queue hold, however many were lost."
    ),
    scenario=one_flow("50 Mbit/s", 100, 4, buffer=f"{BUFFER} packets", tcp={"segments_per_ack": 1}),
    rule=(
        "Two of its round trips after the window first falls it is 0.42 to 0.75 of what path and queue "
        "hold, and the packets lost are 0.3 to 2.2 of that."
    ),
    why=(
        "A half is left, or 0.7. Appendix A counts what is acknowledged in the recovery as exactly what "
        "path and queue hold, which bursts and the packets sent meanwhile change by some."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "in_flight_packets", TRIPLING),
)
