"""Paths and algorithms to compare, and the times of a run."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FULL", "QUICK", "Bottleneck", "Case"]


@dataclass(frozen=True)
class Bottleneck:
    """A link that one flow has to itself, with drop-tail queues."""

    megabits: int
    delay_ms: int
    """One way."""
    buffer_packets: int

    @property
    def label(self) -> str:
        """The path in words."""
        return f"{self.megabits} Mbit/s, {2 * self.delay_ms} ms, {self.buffer_packets} packets"


@dataclass(frozen=True)
class Case:
    """An algorithm on a path, for a time."""

    algorithm: str
    bottleneck: Bottleneck
    segments_per_ack: int = 2
    """The packets that one acknowledgment covers."""
    duration_s: int = 60

    @property
    def warm_up_s(self) -> int:
        """The beginning of a run that averages leave out."""
        return self.duration_s // 4


_SHALLOW = Bottleneck(20, 20, 20)
_DEEP = Bottleneck(20, 20, 80)
_FAST = Bottleneck(100, 10, 160)
_RENO = "reno(limit=inf)"

# Three loss periods of most algorithms after the warm-up: two to four seconds each on the first path, five on
# the second.
QUICK = (
    *(
        Case(algorithm, _SHALLOW, duration_s=17)
        for algorithm in (_RENO, "cubic", "htcp(rtt_step=0.02)", "hetcp", "bbr3")
    ),
    *(Case(algorithm, _FAST, duration_s=21) for algorithm in (_RENO, "bbr3")),
)
FULL = tuple(
    Case(algorithm, bottleneck)
    for bottleneck in (_SHALLOW, _DEEP, _FAST)
    for algorithm in (_RENO, "cubic", "htcp(rtt_step=0.02)", "hetcp", "bbr3", "vegas(base_since_idle=1)")
)
