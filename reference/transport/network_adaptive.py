"""Network adaptive slow start (3.3.2 of burst-tcp): a way to transfer a file, chosen by its size.

"It proposes to use the file size to choose the best possible way to transfer it: at a constant rate which
uses congestion window cached values, or starting at a higher initial window, or using just standard TCP." The
thesis says no more, and we do not have the source. `docs/algorithms/sharing.md` has the choice: standard TCP
sends a file of at most the initial window, or one without cached values. A file that fits into the cached
window is sent at the rate of that window per round-trip time; one of at most four cached windows begins with
half of the window, and with the whole as its threshold; standard TCP sends longer ones.

Links take no time to transmit, every segment is acknowledged, and nothing is lost.
"""

from __future__ import annotations

from math import inf

from reference.transport.control_block_sharing import Sender

__all__ = ["LONG", "at_constant_rate", "departures", "from_higher", "in_windows", "way"]

LONG = 4
"""A file of more cached windows than this is long: its start is a small part of it."""


def way(packets: int, initial_window: float, cached: float | None) -> str:
    """The way in which a file of this many packets is sent."""
    if cached is None or cached <= initial_window or packets <= initial_window:
        return "standard"
    if packets <= cached:
        return "constant rate"
    return "higher initial window" if packets <= LONG * cached else "standard"


def departures(packets: int, initial_window: float, cached: float | None) -> list[float]:
    """The time at which each packet leaves, in round trips since the connection is established."""
    chosen = way(packets, initial_window, cached)
    if cached is None or chosen == "standard":
        return in_windows(packets, Sender(initial_window, inf))
    return at_constant_rate(packets, cached) if chosen == "constant rate" else from_higher(packets, cached)


def at_constant_rate(packets: int, cached: float) -> list[float]:
    """The cached window in a round trip."""
    return [number / cached for number in range(packets)]


def from_higher(packets: int, cached: float) -> list[float]:
    """From half of the cached window."""
    return in_windows(packets, Sender(cached / 2, cached))


def in_windows(packets: int, sender: Sender) -> list[float]:
    """Whole windows, one in each round trip; the acknowledgment of a window releases the next."""
    found: list[float] = []
    flight = 0
    while len(found) < packets:
        window = int(sender.window)
        found += [float(flight)] * min(window, packets - len(found))
        sender.acknowledge(window)
        flight += 1
    return found
