"""TCP Session's loss recovery: burst-tcp, 3.3.2, and the choices that docs/algorithms/sharing.md states.

"In the loss detection case, for instance, mice flows can use duplicated ACKs detection loss information of
elephants to obtain a better estimative of congestion state."

Chosen there: a connection with at least one duplicate also counts, as duplicates, the acknowledgments that
other connections between the same hosts get for segments sent later than its first unacknowledged one. Three
together mean a loss.
"""

from collections.abc import Sequence
from dataclasses import dataclass

ENOUGH = 3
"""Duplicates that mean a loss (RFC 5681, 3.2)."""


@dataclass(frozen=True)
class Burst:
    """Segments of another connection that leave together, each of which is acknowledged by itself."""

    sent_at_s: float
    segments: int


def retransmitted_at(
    sent_at_s: float, packets: int, others: Sequence[Burst], round_trip_s: float
) -> float | None:
    """The time at which the first of this many packets that left together is sent again, since it was lost.

    None if only a timeout shows the loss. The path has a delay but no transmission times.
    """
    duplicates_at = sent_at_s + round_trip_s
    counted = packets - 1
    if counted == 0:
        return None
    if counted >= ENOUGH:
        return duplicates_at
    for burst in sorted(others, key=lambda burst: burst.sent_at_s):
        if burst.sent_at_s <= sent_at_s:
            continue
        counted += burst.segments
        if counted >= ENOUGH:
            return max(burst.sent_at_s + round_trip_s, duplicates_at)
    return None
