"""The two dumbbells, and the algorithms under their names in each simulator."""

from __future__ import annotations

from dataclasses import dataclass, replace

WIRE_BYTES = 1500
HEADER_BYTES = 40
STEP_S = 0.01
"""The interval at which windows and queue are recorded."""


@dataclass(frozen=True)
class Dumbbell:
    """Two flows over one bottleneck with a drop-tail queue; the second starts at a quarter of the time."""

    key: str
    name: str
    rate_bit_per_s: int
    limit: int
    """Packets that may wait at the bottleneck, in addition to the one in transmission: 20 % of the path's
    capacity."""
    end_s: float
    delay_s: float = 0.021
    access_bit_per_s: int = 960_000_000

    @property
    def second_s(self) -> float:
        """The time at which the second flow starts."""
        return self.end_s / 4

    @property
    def capacity(self) -> float:
        """Packets per second."""
        return self.rate_bit_per_s / (8 * WIRE_BYTES)

    def shorter(self, end_s: float) -> Dumbbell:
        """The dumbbell, simulated for another duration."""
        return replace(self, end_s=end_s)


FAST = Dumbbell("fast", "252 Mbit/s", 252_000_000, 176, 60.0)
SLOW = Dumbbell("slow", "25.2 Mbit/s", 25_200_000, 17, 120.0)
DUMBBELLS = (FAST, SLOW)


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, and its name in each simulator."""

    key: str
    title: str
    ours: tuple[str, ...]
    """Avoidances: first with the defaults of its paper, last with values equal to Linux's parameters."""
    ns2: str
    ns3: str


ALGORITHMS = (
    Algorithm("htcp", "H-TCP", ("htcp", "htcp(rtt_scaling=0)", "htcp(rtt_scaling=10)"), "htcp", "TcpHtcp"),
    Algorithm("bic", "BIC", ("bic", "bic(smax=16)", "bic(sigma=10.3,smax=31)"), "bic", "TcpBic"),
    Algorithm("hstcp", "HSTCP", ("hstcp", "hstcp(low_window=38,offset=0)"), "highspeed", "TcpHighSpeed"),
    Algorithm("scalable", "Scalable", ("scalable", "scalable(alpha=0.02)"), "scalable", "TcpScalable"),
)
