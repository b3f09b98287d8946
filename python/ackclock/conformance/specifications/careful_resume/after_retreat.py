"""After a retreat the threshold is a share of what was validated."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.careful_resume.memory import PHASE, PIPE_SIZE, RETREAT, WRONG
from ackclock.conformance.trace import Trace, first
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The threshold when the retreat is over, of PipeSize at its end, and the window then."""
    times, inside = trace.time_s, trace.gauge(PHASE) == RETREAT
    begin = first(times[inside], "a retreat")
    end = first(times[(times > begin) & ~inside], "the end of the retreat")
    last = float(trace.gauge(PIPE_SIZE)[inside].max())
    share = trace.at("ssthresh_packets", end) / last
    yield Verdict.within("threshold after it, of the packets validated", share, 0.4, 1.0)
    length = (end - begin) / trace.path_rtt_s
    yield Verdict.within("length of the retreat in round trips of the path", length, 0.5, 20.0)


CASE = Case(
    number=9,
    section="RFC 9959, 3.5",
    title="After a retreat the threshold is a share of what was validated",
    statement=(
        "PipeSize counts on in Safe Retreat. When the phase is over the threshold is at most PipeSize times "
        "a factor of 0.5 to 1."
    ),
    scenario=WRONG,
    rule=(
        "After the phase, of 0.5 to 20 round trips, the threshold is 0.4 to 1 of the largest PipeSize in it."
    ),
    why=(
        "The default factor is a half. The gauge is sampled each millisecond, and the last acknowledgment "
        "may validate some packets. Half of the jump is sent again, by a small window."
    ),
    observe=observe,
    shown=("cwnd_packets", "ssthresh_packets", PHASE, PIPE_SIZE),
)
