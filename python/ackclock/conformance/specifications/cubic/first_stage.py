"""Without a loss before, the curve begins flat at the window."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.cubic.curve import FACTOR, long_path
from ackclock.conformance.specifications.windows import window_at
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict

BEGIN = 300


def observe(trace: Trace) -> Iterator[Verdict]:
    """The growth over nine seconds, next to the cube of the time."""
    window = trace.series("cwnd_packets")
    begin = first(trace.time_s[window >= BEGIN], f"a window of {BEGIN} packets")
    for seconds in (7.0, 9.0):
        growth = window_at(trace, begin + seconds) - BEGIN
        least = FACTOR * seconds**3 - 2
        most = FACTOR * (seconds + 2 * trace.path_rtt_s) ** 3 + 1
        yield Verdict.within(f"growth in {seconds:g} s in packets", growth, least, most)


CASE = Case(
    number=9,
    section="RFC 9438, 4.10",
    title="After a slow start without a loss the curve begins flat",
    statement=(
        "Where slow start ends without a loss, K is zero and the plateau is the window, so that growth is "
        "the cube of the time."
    ),
    scenario=long_path(100, 11),
    rule=(
        "After 7 s and 9 s the window is 0.4 t^3 packets above 300, at most what two round trips more give, "
        "and at least 2 less."
    ),
    why=(
        "The target looks a round trip ahead, and the clock of the curve begins with an acknowledgment. "
        "Until 5 s the Reno-friendly estimate, a packet per round trip, is larger."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets"),
)
