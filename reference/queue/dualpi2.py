"""DualPI2, the dual queue of L4S: RFC 9332, appendix A, with the overload strategy of A.2.

Left open there, and chosen here:

- p' stays within 0 and 1, and the coupled probability is at most 1;
- updates are due at multiples of Tupdate from time 0, and come before other events of that instant; a queue's
  delay is the sojourn time of its head, and zero if it is empty;
- the native AQM of a packet uses the sojourn time of that packet, and Th_len the packets that it leaves;
- weighted round robin: a credit that L4S packets raise and Classic ones lower, if the other queue has
  packets as they leave; L4S packets go first while it is not positive. Drops cost nothing;
- the buffer has room for this many packets, and a packet that finds it full is dropped.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from reference.queue.codel import Waiting

__all__ = ["DualPi2"]

SECOND = 1_000_000_000
NOT_ECT = 0
MOST_L4S = 1.0
"""p_Lmax."""


@dataclass
class Lane:
    """One of the two queues, with the count of `recur`."""

    packets: deque[Waiting] = field(default_factory=deque)
    count: float = 0.0

    def delay(self, now: int) -> float:
        """`time()`: the sojourn time of the head."""
        return now - self.packets[0].came if self.packets else 0.0

    def recur(self, likelihood: float) -> bool:
        """Figure 5: "Returns TRUE with a certain likelihood", at regular intervals."""
        self.count += likelihood
        if self.count > 1:
            self.count -= 1
            return True
        return False


@dataclass
class DualPi2:
    """Figures 2 to 7; times are in nanoseconds."""

    target: int = 15_000_000
    max_rtt: int = 100_000_000
    """RTT_max."""
    coupling: float = 2.0
    """k."""
    min_threshold: int = 800_000
    """minTh."""
    range: int = 400_000
    min_packets: int = 1
    """Th_len."""
    classic_weight: float = 0.1
    time_shift: int = 0
    """Above zero: a time-shifted FIFO instead of weighted round robin."""
    limit: int = 10_000
    l4s: Lane = field(default_factory=Lane)
    classic: Lane = field(default_factory=Lane)
    base: float = 0.0
    """p'."""
    delay_before: float = 0.0
    """prevq."""
    updates: int = 0
    credit: float = 0.0
    dropped: list[Waiting] = field(default_factory=list)
    marked: list[Waiting] = field(default_factory=list)

    @property
    def every(self) -> int:
        """Tupdate."""
        return min(self.target, self.max_rtt // 3)

    @property
    def coupled(self) -> float:
        """p_CL."""
        return min(self.coupling * self.base, 1.0)

    @property
    def squared(self) -> float:
        """p_C."""
        return self.base**2

    def update_until(self, now: int) -> None:
        """Figure 6, for each Tupdate that has passed."""
        alpha = 0.1 * (self.every / SECOND) / (self.max_rtt / SECOND) ** 2
        beta = 0.3 / (self.max_rtt / SECOND)
        while (due := (self.updates + 1) * self.every) <= now:
            self.updates += 1
            delay = max(self.l4s.delay(due), self.classic.delay(due))
            change = alpha * (delay - self.target) + beta * (delay - self.delay_before)
            self.base = min(max(self.base + change / SECOND, 0.0), 1.0)
            self.delay_before = delay

    def enqueue(self, packet: Waiting) -> None:
        """Figure 3: the low bit of the ECN field selects the queue."""
        self.update_until(int(packet.came))
        if len(self.l4s.packets) + len(self.classic.packets) >= self.limit:
            self.dropped.append(packet)
        else:
            (self.l4s if packet.ecn % 2 == 1 else self.classic).packets.append(packet)

    def dequeue(self, now: int) -> Waiting | None:
        """Figure 7."""
        self.update_until(now)
        while self.l4s.packets or self.classic.packets:
            is_l4s = self.l4s_is_next()
            packet = (self.l4s if is_l4s else self.classic).packets.popleft()
            verdict = self.judge_l4s(packet, now) if is_l4s else self.judge_classic(packet)
            if verdict == "drop":
                self.dropped.append(packet)
                continue
            if verdict == "mark":
                self.marked.append(packet)
            self.charge(packet, is_l4s=is_l4s)
            return packet
        return None

    def l4s_is_next(self) -> bool:
        """The scheduler."""
        if not self.l4s.packets or not self.classic.packets:
            return bool(self.l4s.packets)
        if self.time_shift > 0:
            return self.l4s.packets[0].came - self.time_shift <= self.classic.packets[0].came
        return self.credit <= 0

    def charge(self, packet: Waiting, *, is_l4s: bool) -> None:
        """A packet that leaves while the other queue waits."""
        if is_l4s and self.classic.packets:
            self.credit += self.classic_weight * packet.size
        if not is_l4s and self.l4s.packets:
            self.credit -= (1 - self.classic_weight) * packet.size

    def native(self, delay: float) -> float:
        """`laqm`, figure 5: a ramp, or a step if its range is zero."""
        if delay >= self.min_threshold + self.range:
            return 1.0
        return max(0.0, (delay - self.min_threshold) / self.range) if self.range else 0.0

    def judge_l4s(self, packet: Waiting, now: int) -> str:
        """Marks; from overload on, Classic drops, and marks for the rest."""
        if self.coupled < MOST_L4S:
            suppressed = len(self.l4s.packets) <= self.min_packets
            native = 0.0 if suppressed else self.native(now - packet.came)
            return "mark" if self.l4s.recur(max(native, self.coupled)) else "send"
        if self.l4s.recur(self.squared):
            return "drop"
        return "mark" if self.l4s.recur(self.coupled) else "send"

    def judge_classic(self, packet: Waiting) -> str:
        """Overload disables ECN: p_Cmax."""
        if not self.classic.recur(self.squared):
            return "send"
        most = min(1 / self.coupling**2, 1.0)
        return "drop" if packet.ecn == NOT_ECT or self.squared >= most else "mark"
