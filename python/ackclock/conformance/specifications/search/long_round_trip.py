"""A round trip of fifteen bins or more is not looked back over."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.paths import one_flow, stepped
from ackclock.conformance.specifications.search.phases import DRAINING
from ackclock.conformance.specifications.windows import first_loss_s
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The drain before the first loss, and the length of round trips then."""
    lost = min(first_loss_s(trace), float(trace.time_s[-1]))
    drained = float(np.nanmax(trace.during(DRAINING, 0.0, lost)))
    yield Verdict.same("drain before the first loss", drained, 0.0)
    longest = trace.at("rtt_s", lost) / trace.path_rtt_s
    yield Verdict.within("round trip at the first loss, in those of the path", longest, 5.3, 40.0)


CASE = Case(
    number=7,
    section="draft-chung-ccwg-search-09, 3.2, EXTRA_BINS",
    title="A round trip of fifteen bins or more is not looked back over",
    statement=(
        "Bins are kept for fifteen more than a window: where the round trip has become longer, the capacity "
        "is not looked for, and slow start goes on."
    ),
    scenario=one_flow(
        stepped("50 Mbit/s", (0.35, "1 Mbit/s")),
        100,
        6,
        buffer="200 packets",
        tcp={"segments_per_ack": 1},
    ),
    rule=(
        "There is no drain before the first loss, when the round trip is more than 5.3 of the path's first."
    ),
    why=(
        "Fifteen bins are 5.25 initial round trips. When enough bins are known for a look back, 55 packets "
        "or more wait at 83 in a second, which is six round trips or more; the buffer overflows later."
    ),
    observe=observe,
    shown=("cwnd_packets", DRAINING, "rtt_s"),
)
