"""Two losses of a flight are repaired in one round trip."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.specifications.rack.departures import WINDOW
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

LOST = (600, 606)


def observe(trace: Trace) -> Iterator[Verdict]:
    """The times after which both are sent again."""
    for ordinal in LOST:
        departures = trace.sent.times(ordinal - 1)
        waited = (departures[1] - departures[0]) / trace.path_rtt_s if len(departures) > 1 else float("inf")
        yield Verdict.within(f"round trips until packet {ordinal} is sent again", waited, 0.99, 1.3)


CASE = Case(
    number=7,
    section="RFC 8985, 3.3.2, rule 1, and 6.2, step 4",
    title="Two losses of a flight are repaired in one round trip",
    statement=(
        "During a recovery without reordering the window is zero, so that each further loss of the flight is "
        "found with the first segment after it."
    ),
    scenario=one_flow(
        "100 Mbit/s",
        100,
        5,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": f"{WINDOW} packets"},
        watch=FORWARD,
        loss=lost(*LOST),
    ),
    rule="Both packets are sent again 0.99 to 1.3 round trips after they were sent.",
    why=(
        "Proportional rate reduction lets a packet go with every second acknowledgment, so that the second "
        "waits for a few."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
