"""The nominal max RTT follows a longer path."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    MAX_RTT,
    STATE,
    path,
)
from ackclock.conformance.specifications.paths import stepped
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

STEP_S = 4.0


def observe(trace: Trace) -> Iterator[Verdict]:
    """The nominal max RTT in round trips of the longer path."""
    longer = float(np.nanmin(trace.during("rtt_s", STEP_S + 1.0, STEP_S + 4.0)))
    share = trace.at(MAX_RTT, STEP_S + 1.5) / longer
    yield Verdict.within("nominal max RTT in round trips of the longer path", share, 0.99, 3.0)


CASE = Case(
    number=17,
    section="draft-huitema-ccwg-c4-spec, Nominal max RTT",
    title="The nominal max RTT follows a longer path",
    statement=(
        "The largest round trip of an era whose packets were sent at the nominal rate or below becomes the "
        "nominal max RTT, if it is larger."
    ),
    scenario=path("20 Mbit/s", 40, 8, buffer="500 packets", delay=stepped("18 ms", (4.0, "58 ms"))),
    rule=(
        "A second and a half after the path has become 80 ms longer the nominal max RTT is at least the "
        "round trip of the longer path."
    ),
    why="A cycle of six eras of 120 ms takes 0.7 s, and the era of a push does not count.",
    observe=observe,
    shown=(STATE, MAX_RTT, "rtt_s"),
)
