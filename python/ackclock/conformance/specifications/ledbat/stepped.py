"""A path that becomes longer, which looks like a queue of a known delay."""

from __future__ import annotations

from ackclock.conformance.specifications import paths

__all__ = ["BEGIN_S", "longer"]

BEGIN_S = 3.0


def longer(by_ms: float) -> dict[str, object]:
    """A pipe that never fills, whose round trip becomes longer by this at 3 s."""
    return paths.one_flow(
        "100 Mbit/s",
        60,
        9,
        buffer="1000 packets",
        tcp={"segments_per_ack": 1, "initial_ssthresh": "40 packets"},
        delay=paths.stepped("28 ms", (BEGIN_S, f"{28 + by_ms / 2:g} ms")),
    )
