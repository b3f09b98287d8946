"""Where SEARCH finds the capacity and where its drain ends, and the paths of its cases."""

from __future__ import annotations

import numpy as np

from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Phase, Trace, first

__all__ = ["DRAINING", "EMPTY", "PIPE", "drain", "exit_s", "pipe_packets"]

DRAINING = "search_draining"

PIPE = one_flow("50 Mbit/s", 100, 4, buffer="4000 packets", tcp={"segments_per_ack": 1})
"""A pipe of 417 packets, and a buffer of ten of them that slow start alone overflows."""

EMPTY = one_flow("900 Mbit/s", 100, 1, buffer="9000 packets", tcp={"segments_per_ack": 1})
"""A pipe of 7500 packets, which stays empty for the run."""


def pipe_packets(trace: Trace) -> float:
    """The packets that the path holds without a queue."""
    return trace.rate_packets_per_s(0.0) * trace.path_rtt_s


def exit_s(trace: Trace) -> float:
    """The time from which on there is a threshold. Raises NotSeenError."""
    return first(trace.time_s[np.isfinite(trace.series("ssthresh_packets"))], "a threshold")


def drain(trace: Trace) -> Phase:
    """The first drain that ended before the run did. Raises NotSeenError."""
    phases = [phase for phase in trace.phases(DRAINING) if phase.value == 1 and phase.is_whole]
    begin = first(np.array([phase.begin_s for phase in phases]), "a drain that ends")
    return next(phase for phase in phases if phase.begin_s == begin)
