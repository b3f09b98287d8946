"""The limit takes nothing away."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rate_limited.responses import answering
from ackclock.conformance.specifications.windows import falls
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The windows of the run."""
    window = trace.series("cwnd_packets")
    yield Verdict.same("falls of the window", falls(window), 0)
    yield Verdict.within("largest window in packets", float(window.max()), 10.0, 20.0)


CASE = Case(
    number=3,
    section="the draft, 3",
    title="The limit takes nothing away",
    statement="A window that is above the limit already stays as it is, since only growth is limited.",
    scenario=answering(3),
    rule="With responses of three packets the window never falls, and is at most 20 packets.",
    why="The initial window of ten packets counts as a flight. Nothing is lost, and no idle time is long.",
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets"),
)
