"""The path of cases whose acknowledgments arrive in bursts."""

from __future__ import annotations

from ackclock.conformance.specifications.paths import one_flow

__all__ = ["AGGREGATING"]

AGGREGATING = one_flow(
    "10 Mbit/s",
    40,
    5,
    buffer="400 packets",
    reverse={"rate": "10 Mbit/s", "impairments": ["aggregation(period=10 ms)"]},
)
"""Acknowledgments wait for the next multiple of 10 ms, in which the link carries 8 packets."""
