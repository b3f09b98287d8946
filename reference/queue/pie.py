"""Proportional Integral controller Enhanced, from RFC 8033 alone: section 4, and 5.1, 5.4 and 5.5 as options.

The RFC gives three accounts that differ: the text, appendix A for the basic scheme and appendix B with every
option. Where they do, the text of sections 4 and 5 is followed:

- the burst allowance is checked before the drop probability (4.4 and A; B accumulates and draws during a
  burst);
- the probability decays while the delay is zero (4.2 and A; B has half the reference);
- the burst allowance is renewed at an update: the "current and previous samples of estimated latency" of 4.4
  are those of updates;
- the buffer is checked before anything else (B; the text leaves it out);
- every drop resets the accumulated probability, a forced one too (5.4; in B it is the caller that does);
- it is always active (5.3 is left out), and the delay is known exactly (4.3 allows any technique).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Pie"]

SECOND = 1_000_000_000
LOW, HIGH = 0.85, 8.5
"""Section 5.4: below the first value no packet is dropped, from the second on every packet."""
SCALES = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (0.1, 2))
"""Section 4.2: pairs of a probability and the divisor of the adjustment below it."""


@dataclass
class Pie:
    """Decides for each arriving packet whether it may wait. Times are in nanoseconds."""

    chance: Callable[[], float]
    """A random number from 0 to 1."""
    reference: int = 15_000_000
    """QDELAY_REF."""
    update: int = 15_000_000
    """T_UPDATE."""
    max_burst: int = 150_000_000
    alpha: float = 0.125
    """Per second, as `beta`."""
    beta: float = 1.25
    packet: float = 1000.0
    """MEAN_PKTSIZE, in bytes."""
    mark_up_to: float = 0.1
    """mark_ecnth."""
    derandomised: bool = False
    capped: bool = False
    drop_prob: float = 0.0
    delay_old: int = 0
    accu_prob: float = 0.0
    burst_allowance: int = 150_000_000

    def calculate_drop_prob(self, delay: int) -> None:
        """Every T_UPDATE (4.2)."""
        p = self.alpha * (delay - self.reference) / SECOND + self.beta * (delay - self.delay_old) / SECOND
        p /= next((divisor for below, divisor in SCALES if self.drop_prob < below), 1)
        if self.capped and self.drop_prob >= 0.1:
            p = min(p, 0.02)
        self.drop_prob += p
        if delay == 0 and self.delay_old == 0:
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0.0), 1.0)
        self.burst_allowance = max(0, self.burst_allowance - self.update)
        if self.drop_prob == 0 and max(delay, self.delay_old) < self.reference / 2:
            self.burst_allowance = self.max_burst
        self.delay_old = delay

    def on_arrival(self, waiting_bytes: int, *, capable: bool = False) -> str:
        """Returns "enqueue", "mark" or "drop" for a packet that finds this queue (4.1, 4.4, 5.1)."""
        if self.burst_allowance > 0 or not self._drop_early(waiting_bytes):
            return "enqueue"
        self.accu_prob = 0.0
        # 5.1: "if the calculated drop probability exceeds mark_ecnth, PIE reverts to packet-dropping".
        return "mark" if capable and self.drop_prob <= self.mark_up_to else "drop"

    def on_tail_drop(self) -> None:
        """The buffer was full: a drop as well."""
        self.accu_prob = 0.0

    def _drop_early(self, waiting_bytes: int) -> bool:
        if self.delay_old < self.reference / 2 and self.drop_prob < 0.2:
            return False
        if waiting_bytes <= 2 * self.packet:
            return False
        if self.derandomised:
            if self.drop_prob == 0:
                self.accu_prob = 0.0
            self.accu_prob += self.drop_prob
            if self.accu_prob < LOW:
                return False
            if self.accu_prob >= HIGH:
                return True
        return self.chance() < self.drop_prob
