"""A second timeout of a segment keeps the threshold."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import losing, one_flow
from ackclock.conformance.specifications.windows import falls
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

SILENCE = (2.0, 9.5)
"""A time in which everything is lost, in seconds."""


def observe(trace: Trace) -> Iterator[Verdict]:
    """The thresholds while one segment is sent again and again."""
    begin, end = SILENCE
    sent_again = trace.retransmitted(begin, end)
    yield Verdict.within("packets sent again in the silence", sent_again, 2, 4)
    thresholds = trace.during("ssthresh_packets", begin, end)
    yield Verdict.within("reductions of the threshold", falls(thresholds), 1, 1)
    yield Verdict.within("threshold at the end in packets", float(thresholds[-1]), 15, 32)


CASE = Case(
    number=8,
    section="RFC 5681, 3.1, equation 4; RFC 6298, 5.5",
    title="A second timeout of a segment keeps the threshold",
    statement=(
        "The threshold is reduced by the first timeout of a segment alone, and the timer doubles with each."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        100,
        12,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets", "rto_min": "1 s"},
        loss=losing(1.0, *SILENCE),
    ),
    rule=(
        "In a silence of 7.5 s two to four packets are sent again; the threshold falls once, and is 15 to "
        "32 packets at its end."
    ),
    why=(
        "With a timeout of 1 s the timer expires after 1, 3 and 7 s; a recovery that probes the tail "
        "sends one packet more."
    ),
    observe=observe,
    needs_retransmission_timer=True,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
