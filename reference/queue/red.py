"""Random early detection, from Floyd and Jacobson (1993) and Floyd's note on the gentle variant (2000).

`least_gap` is ns-2's setting `wait_`, by its description: with *n* packets since the last drop, the arriving
one included, and *p* by the average, the packet is dropped with probability 0 while *n p* < 1, with
*p* / (2 - *n p*) while *n p* < 2, and else for certain. `least_queue` is the number of waiting packets below
which ns-2 drops none and counts anew. The paper has neither rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Red"]


@dataclass
class Red:
    """Decides for each arriving packet whether it may wait."""

    chance: Callable[[], float]
    """A random number from 0 to 1."""
    min: float = 5.0
    max: float = 15.0
    max_p: float = 0.1
    weight: float = 0.002
    gentle: bool = True
    in_bytes: bool = False
    packet: float = 1000.0
    """A usual packet, in bytes."""
    service: float = 0.001
    """The transmission time, in the same unit as all times."""
    least_gap: bool = False
    """Drops nothing before 1/p packets have come since the last drop."""
    least_queue: int = 0
    """Drops nothing, and counts anew, while fewer packets wait."""
    average: float = 0.0
    passed: int = 0
    """Packets since the last drop that passed between the thresholds."""

    def passes(self, now: float, packets: int, bytes_: int, idle_since: float | None, size: float) -> bool:
        """True if a packet that finds this queue length is admitted; `idle_since` if the link is idle."""
        if idle_since is not None:
            self.average *= (1 - self.weight) ** ((now - idle_since) / self.service)
        else:
            length = bytes_ / self.packet if self.in_bytes else packets
            self.average += self.weight * (length - self.average)
        if self.average < self.min or packets < self.least_queue:
            self.passed = 0
            return True
        if self.average >= (2 * self.max if self.gentle else self.max):
            self.passed = 0
            return False
        p = self.max_p * (self.average - self.min) / (self.max - self.min)
        if self.average >= self.max:
            p = self.max_p + (1 - self.max_p) * (self.average - self.max) / self.max
        if self.in_bytes:
            p *= size / self.packet
        if self._survives(p):
            self.passed += 1
            return True
        self.passed = 0
        return False

    def _survives(self, p: float) -> bool:
        """True if the packet escapes; chance decides only while the gap may end, but need not."""
        if self.least_gap:
            number = self.passed + 1
            if number * p < 1:
                return True
            return number * p < 2 and self.chance() >= p / (2 - number * p)
        left = 1 - self.passed * p
        return left > p and self.chance() >= p / left
