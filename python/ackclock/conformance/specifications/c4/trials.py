"""The downloads of the test draft, whose rule is the time at which one is complete."""

from __future__ import annotations

from typing import Any

from ackclock.conformance.specifications.c4.states import path
from ackclock.conformance.specifications.paths import with_others
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict

__all__ = ["completes", "shared", "trial"]

PACKET_BYTES = 1460


def packets(megabytes: float) -> int:
    """A file of this size in whole packets."""
    return -int(-megabytes * 1e6 // PACKET_BYTES)


def trial(rate: object, rtt_ms: float, megabytes: float, **link: object) -> dict[str, Any]:
    """A download alone."""
    return path(rate, rtt_ms, 40, flow={"packets": packets(megabytes)}, sample="5 ms", **link)


def shared(
    rate: str,
    rtt_ms: float,
    megabytes: float,
    of_the_other: float,
    *,
    main_s: float = 0.0,
    other_s: float = 0.0,
    algorithm: str | None = None,
) -> dict[str, Any]:
    """A download with another one, by the same algorithm if none is named."""
    scenario = trial(rate, rtt_ms, megabytes)
    scenario["flow"][0]["start"] = f"{main_s:g} s"
    other: dict[str, Any] = {"name": "other", "start": f"{other_s:g} s", "packets": packets(of_the_other)}
    return with_others(scenario, {**other, "algorithm": algorithm} if algorithm else other)


def completes(trace: Trace, before_s: float) -> Verdict:
    """The verdict on the time at which the download is complete."""
    return Verdict.within("end of the download in seconds", trace.finished_s, 0.0, before_s)
