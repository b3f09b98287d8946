"""A server that answers with small responses, one after the other, over one connection."""

from __future__ import annotations

from ackclock.conformance.specifications.paths import client, one_flow

__all__ = ["answering"]


def answering(packets: int, **tcp: object) -> dict[str, object]:
    """A client that asks again at once for responses of this size, for 4 s and some 75 responses."""
    return one_flow(
        "100 Mbit/s",
        50,
        4,
        buffer="1000 packets",
        flow=client({"constant": f"{packets} packets"}, "1 ms"),
        tcp={"segments_per_ack": 1, **tcp},
    )
