"""In slow start the window grows to twice the largest flight."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rate_limited.responses import answering
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The largest window, in largest flights."""
    window = trace.series("cwnd_packets")
    flight = float(trace.series("in_flight_packets").max())
    yield Verdict.within("largest window in largest flights", float(window.max()) / flight, 1.9, 2.0)


CASE = Case(
    number=1,
    section="the draft, 3",
    title="In slow start the window grows to twice the largest flight",
    statement=(
        "A sender in slow start that never has more than sixteen packets to send grows its window to "
        "thirty-two and no further."
    ),
    scenario=answering(16),
    rule="The largest window is 1.9 to 2 times the largest flight.",
    why="The limit is the draft's; a window in whole packets reaches it.",
    observe=observe,
    shown=("cwnd_packets", "in_flight_packets"),
)
