"""The times at which packets leave: CAKE before a transmitter."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reference.queue.cake.packets import Packet
from reference.queue.cake.scheduler import Cake

__all__ = ["departures"]


def at_once(packet: Packet) -> int:  # noqa: ARG001 - of any packet
    """No transmission time: only the shaper holds packets back."""
    return 0


def departures(
    cake: Cake,
    arrivals: Iterable[Packet],
    transmission: Callable[[Packet], int] = at_once,
) -> list[tuple[int, Packet]]:
    """Each packet that leaves, with the nanosecond at which its transmission begins.

    At the same instant a packet leaves before another one comes.
    """
    sent: list[tuple[int, Packet]] = []
    now = free = 0

    def run(until: float) -> None:
        nonlocal free
        while (opens := cake.opens) is not None and (moment := max(opens, free, now)) <= until:
            packet = cake.dequeue(moment)
            if packet is not None:
                sent.append((moment, packet))
                free = moment + transmission(packet)

    for packet in arrivals:
        run(packet.came)
        cake.enqueue(packet)
        now = int(packet.came)
    run(float("inf"))
    return sent
