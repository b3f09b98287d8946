"""A probe that was not needed reduces nothing."""

from collections.abc import Iterator

from ackclock.conformance.case import Case, Settings
from ackclock.conformance.specifications.paths import BOTTLENECK
from ackclock.conformance.specifications.rack.departures import answers
from ackclock.conformance.specifications.windows import falls
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

RESPONSE = 40
HELD_S = 0.3


def held(trace: Trace) -> Settings | None:
    """The acknowledgments of the third response are held up from its last packet on."""
    departures = trace.sent.times(3 * RESPONSE - 1)
    if not departures:
        return None
    begin = departures[0]
    spans = [[f"{begin:.6f} s", f"{begin + HELD_S:.6f} s"]]
    return {f"{BOTTLENECK}.reverse": {"rate": "100 Mbit/s", "outage": {"spans": spans}}}


def observe(trace: Trace) -> Iterator[Verdict]:
    """The packets sent again, and what becomes of the threshold."""
    yield Verdict.same("packets sent again", int(trace.sent.is_again.sum()), 1)
    yield Verdict.same("falls of the threshold", falls(trace.series("ssthresh_packets")), 0)


CASE = Case(
    number=18,
    section="RFC 8985, 7.4.2, cases 1 and 2",
    title="A probe that was not needed reduces nothing",
    statement=(
        "Where the acknowledgment was late and not lost, the receiver reports the probe as a duplicate, and "
        "the window stays as it was."
    ),
    scenario=answers(RESPONSE, "300 ms", dsack=True, rto_min="200 ms"),
    then=held,
    rule="One packet is sent again, and the threshold never falls.",
    why=(
        "Acknowledgments wait for 300 ms. The probe goes after 200 ms, and the timer then has as much again; "
        "without the probe it would expire."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", "retransmissions"),
)
