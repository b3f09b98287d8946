"""A spurious timeout is undone."""

from collections.abc import Iterator

from ackclock.conformance.case import Case, Settings
from ackclock.conformance.specifications.bbr.states import LONGTERM, SHORTTERM, STATE
from ackclock.conformance.specifications.bbr.undo import probe_s, restored
from ackclock.conformance.specifications.paths import BOTTLENECK, one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def held(trace: Trace) -> Settings | None:
    """The bottleneck is silent for 600 ms from a quarter of a probe on, and loses nothing."""
    middle = probe_s(trace)
    if middle is None:
        return None
    return {f"{BOTTLENECK}.outage": {"spans": [[f"{middle:.6f} s", f"{middle + 0.6:.6f} s"]]}}


def observe(trace: Trace) -> Iterator[Verdict]:
    """State and bounds one and a half seconds after the first packet is sent again."""
    yield from restored(trace, 1.5)


CASE = Case(
    number=19,
    section='appendix, "Handling Spurious RTO Recovery"; 5.5.11, 5.6.4.4',
    title="A spurious timeout is undone",
    statement=(
        "A timeout cuts the window to one packet. When the transport learns that the packets were only "
        "late, the window, the bounds and the state return."
    ),
    scenario=one_flow(
        "10 Mbit/s",
        40,
        8,
        buffer="400 packets",
        tcp={"frto": True, "dsack": True, "rto_min": "200 ms"},
    ),
    then=held,
    rule=(
        "One and a half seconds after the first packet is sent again no packet was dropped, UP or REFILL "
        "was there since, the three bounds are at least what they were, max_bw is at least 98 % of what it "
        "was, and the next second uses 85 % of the link or more."
    ),
    why="The silence lasts 600 ms, the timer some 250 ms; F-RTO needs two acknowledgments after the silence.",
    observe=observe,
    needs_retransmission_timer=True,
    shown=(STATE, "cwnd_packets", LONGTERM, SHORTTERM),
)
