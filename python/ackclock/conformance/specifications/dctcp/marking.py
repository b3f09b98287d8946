"""The paths of DCTCP's cases: a link that marks above 40 packets, and one that never does."""

from __future__ import annotations

from ackclock.conformance.specifications.paths import one_flow

__all__ = ["ALPHA", "MARKING", "THRESHOLD", "UNMARKED"]

ALPHA = "dctcp_alpha"

THRESHOLD = 40
"""Packets in the queue from which on packets are marked, a quarter of the pipe."""

MARKING = one_flow(
    "100 Mbit/s",
    20,
    4,
    buffer="500 packets",
    tcp={"segments_per_ack": 1},
    ecn_threshold=f"{THRESHOLD} packets",
)

UNMARKED = one_flow(
    "100 Mbit/s",
    20,
    3,
    buffer="2000 packets",
    tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets"},
)
