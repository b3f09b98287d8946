"""Duplicates of what a timeout sent again begin no recovery."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.specifications.windows import falls
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

HELD_S = (2.0, 3.6)
"""A silence in which packets wait and none is lost."""


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets sent again, and the thresholds."""
    again = int(trace.sent.is_again.sum())
    yield Verdict.within("packets sent again", again, 4, 100)
    yield Verdict.same("reductions of the threshold", falls(trace.series("ssthresh_packets")), 1)


CASE = Case(
    number=7,
    section="RFC 6582, 3.2, steps 2 and 4, and 4",
    title="Duplicates of what a timeout sent again begin no recovery",
    statement=(
        "After a timeout duplicates that do not cover more than what was outstanding then are answers to "
        "needless retransmissions, and begin no fast recovery."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        100,
        8,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets"},
        watch=FORWARD,
        outage={"spans": [[f"{HELD_S[0]} s", f"{HELD_S[1]} s"]]},
    ),
    rule="At least four packets are sent again, and the threshold falls once, with the timeout.",
    why=(
        "The link is silent for 1.6 s and loses nothing, so that all that the timeout sends again arrives "
        "twice."
    ),
    observe=observe,
    needs_retransmission_timer=True,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
