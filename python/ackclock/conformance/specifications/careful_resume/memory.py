"""The memory of the earlier connection in all cases, and paths where it is right and where it is not."""

from __future__ import annotations

from ackclock.conformance.specifications.paths import one_flow

__all__ = ["JUMP", "PHASE", "PIPE_SIZE", "RETREAT", "RIGHT", "SAVED", "WRONG"]

PHASE = "careful_resume_phase"
PIPE_SIZE = "careful_resume_pipe_size"
RETREAT = 4
"""The number of the phase Safe Retreat."""

SAVED = {"saved_cwnd": 200.0, "saved_rtt": 100.0}
"""A window of 200 packets and a round trip of 100 ms, in packets and milliseconds."""

JUMP = SAVED["saved_cwnd"] / 2
"""The largest window that may be tried, in packets."""

RIGHT = one_flow("900 Mbit/s", 100, 1, buffer="9000 packets", tcp={"segments_per_ack": 1})
"""A path of the saved round trip, whose pipe of 7500 packets stays empty."""

WRONG = one_flow("4 Mbit/s", 100, 6, buffer="20 packets", tcp={"segments_per_ack": 1})
"""A path of the saved round trip that holds 33 packets, and 20 in its queue."""
