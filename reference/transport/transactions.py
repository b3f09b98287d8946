"""T/TCP's accelerated open (RFC 1644), for files of one packet from a client to a server over an idle path.

A client counts its connections, and a server keeps the last valid count it has had from the client. The lost
SYNs are given; an unanswered SYN is sent again after the timeout.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["opened"]


def opened(
    starts_s: Sequence[float], lost: Collection[int], one_way_s: float, timeout_s: float
) -> list[tuple[bool, float]]:
    """For each connection, True if its SYN is accepted at once, and the time of its acknowledgment.

    Connections are counted from one in the order of their starts; the first SYN of those in `lost` does not
    arrive.
    """
    arrivals = sorted(
        (start + one_way_s + (timeout_s if count in lost else 0.0), count)
        for count, start in enumerate(starts_s, 1)
    )
    cached = 0
    validated: list[tuple[float, int]] = []
    found: dict[int, tuple[bool, float]] = {}
    for time, count in arrivals:
        # A handshake is over when the client's acknowledgment has come, a round trip after the SYN.
        for known in [one for one in validated if one[0] <= time]:
            cached = max(cached, known[1])
            validated.remove(known)
        # Section 2.1: a count above the cached one is that of a new SYN. The client's first has CC.NEW.
        if count > 1 and 0 < cached < count:
            cached = count
            found[count] = (True, time + one_way_s)
        else:
            validated.append((time + 2 * one_way_s, count))
            found[count] = (False, time + 3 * one_way_s)
    return [found[count] for count in sorted(found)]
