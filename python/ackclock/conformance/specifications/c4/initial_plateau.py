"""Initial ends three eras after the last increase."""

from collections.abc import Iterator

import numpy as np

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.c4.states import (
    INITIAL,
    RATE,
    RECOVERY,
    STATE,
    path,
    round_trips,
    whole_phases,
)
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The eras of Initial without an increase, and the state after it."""
    first_phase = whole_phases(trace, INITIAL)[0]
    end_s = first_phase.end_s
    rates = trace.during(RATE, 0.0, end_s)
    place = int(np.flatnonzero(rates >= 0.95 * trace.at(RATE, end_s - 0.002))[0])
    begin_s = float(trace.time_s[place])
    yield Verdict.within("round trips without increase", round_trips(trace, begin_s, end_s), 1.5, 4.5)
    yield Verdict.same("state after Initial", int(trace.at(STATE, end_s)), RECOVERY)


CASE = Case(
    number=2,
    section="draft-huitema-ccwg-c4-spec, Initial state",
    title="Initial ends three eras after the last increase",
    statement=(
        "The initial state ends when the nominal rate does not increase for three consecutive eras, and "
        "Recovery follows. A signal of delay ends it when two eras have passed."
    ),
    scenario=path("20 Mbit/s", 80, 4, buffer="1000 packets"),
    rule=(
        "After the nominal rate has reached 95 % of its value at the end, the first phase of Initial lasts "
        "1.5 to 4.5 round trips, and Recovery follows."
    ),
    why=(
        "Three eras and the one in which the rate rises; two if the delay ends it. A round trip is the "
        "mean one measured then, with its queue."
    ),
    observe=observe,
    shown=(STATE, RATE, "rtt_s"),
)
