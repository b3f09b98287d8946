"""A short delay is forgotten in some cycles."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    MAX_RTT,
    RATE,
    STATE,
    path,
)
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The nominal max RTT after the delay, above that before."""
    before = trace.at(MAX_RTT, 3.9)
    after = float(np.median(trace.during(MAX_RTT, 9.0, 10.0)))
    yield Verdict.within("nominal max RTT above that before in ms", 1e3 * (after - before), -50.0, 10.0)


CASE = Case(
    number=19,
    section="draft-huitema-ccwg-c4-spec, Nominal max RTT",
    title="A short delay is forgotten after several cycles",
    statement=(
        "The decrease is tuned so that jitter is remembered for several cycles of cruising, push and "
        "recovery, and no longer."
    ),
    scenario=path(
        "20 Mbit/s", 40, 12, buffer="500 packets", delay=stepped("18 ms", (4.0, "58 ms"), (4.5, "18 ms"))
    ),
    rule=(
        "Five seconds after the path has been 80 ms longer for half a second, the nominal max RTT is at "
        "most 10 ms above that of the time before."
    ),
    why=(
        "An eighth in an era of 40 to 60 ms leaves a tenth after 17 eras, and one era in six does not "
        "count: a second and a half."
    ),
    observe=observe,
    shown=(STATE, RATE, MAX_RTT, "rtt_s"),
)
