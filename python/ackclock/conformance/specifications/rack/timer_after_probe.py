"""The retransmission timer begins anew with the probe."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.rack.departures import SILENT, nothing_sent, silence_begins_s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The time from the probe to the first packet that is sent again."""
    begin = silence_begins_s(trace) + trace.path_rtt_s
    again, _ = trace.sent.first_again()
    probes = trace.sent.time_s[(trace.sent.time_s > begin) & (trace.sent.time_s < again)]
    if not probes.size:
        yield nothing_sent("a probe")
        return
    yield Verdict.within("seconds from the probe to the timeout", again - float(probes[0]), 0.98, 1.1)


CASE = Case(
    number=13,
    section="RFC 8985, 7.3",
    title="The retransmission timer begins anew with the probe",
    statement="After a probe the retransmission timer is armed with its whole interval, as the last resort.",
    scenario=SILENT,
    rule="The first packet is sent again 0.98 to 1.1 s after the probe.",
    why="The timeout is a second, its least value, at round trips of 100 ms.",
    observe=observe,
    needs_retransmission_timer=True,
    shown=("cwnd_packets", "retransmissions"),
)
