"""The flow of cases that the application limits: mostly small responses, and a few large ones."""

from __future__ import annotations

from ackclock.conformance.specifications.bbr.states import CRUISE, DOWN, STATE
from ackclock.conformance.specifications.paths import client, one_flow
from ackclock.conformance.trace import Phase, Trace

__all__ = ["MOSTLY_SMALL", "SMALL", "is_app_limited", "known", "limited"]

SMALL = 5
"""Packets of a small response, which is less than the pipe of 33 packets holds."""

LARGE = 600

MOSTLY_SMALL = one_flow(
    "10 Mbit/s",
    40,
    20,
    flow=client({"table": {"packets": [SMALL, LARGE], "weights": [60, 1]}}, "1 ms"),
)
"""A client that asks again at once. About each three seconds a large response fills the pipe."""


def is_app_limited(trace: Trace, begin_s: float, end_s: float) -> bool:
    """True if all responses between two times were small."""
    flights = trace.during("in_flight_packets", begin_s, end_s)
    return bool(flights.size) and float(flights.max()) <= SMALL


def known(trace: Trace) -> float:
    """The time from which on the bandwidth is known: the first one in ProbeBW; infinite without one."""
    begun = [phase.begin_s for phase in trace.phases(STATE) if phase.value in (DOWN, CRUISE)]
    return min(begun, default=float("inf"))


def limited(trace: Trace, phases: list[Phase]) -> list[Phase]:
    """The phases of which all was limited by the application, and the 100 ms before them too."""
    return [phase for phase in phases if is_app_limited(trace, phase.begin_s - 0.1, phase.end_s)]
