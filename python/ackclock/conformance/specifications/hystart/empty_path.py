"""Without a queue slow start goes on."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.hystart.phases import CONSERVATIVE
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The phase and the window after six round trips."""
    yield Verdict.same("conservative slow start", float(trace.gauge(CONSERVATIVE).max()), 0.0)
    yield from outside(trace)


def outside(trace: Trace) -> Iterator[Verdict]:
    """The window after six round trips with data."""
    window = trace.at("cwnd_packets", 7.9 * trace.path_rtt_s)
    yield Verdict.within("window after six round trips in packets", window, 550, 641)


CASE = Case(
    number=4,
    section="RFC 9406, 4.2",
    title="Without a queue slow start goes on",
    statement=(
        "Where round trips do not grow by the threshold, at least 4 ms, the window doubles in each round."
    ),
    scenario=one_flow("900 Mbit/s", 100, 1, buffer="9000 packets", tcp={"segments_per_ack": 1}),
    rule=(
        "After six round trips with data the window is 550 to 641 packets, and conservative slow start "
        "did not begin."
    ),
    why=(
        "Ten packets double six times to 640. A burst of 640 packets takes 8 ms at this rate, less than "
        "the threshold of 12.5 ms."
    ),
    observe=observe,
    outside=outside,
    shown=("cwnd_packets", CONSERVATIVE, "rtt_s"),
)
