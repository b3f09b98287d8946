"""The queueing delay of LEDBAT: RFC 6817, section 2.4.2, by round-trip times."""

BASE_HISTORY = 10
"""Minutes."""
CURRENT_FILTER = 4
"""Samples, of which the smallest counts."""


class QueueingDelay:
    """The delays of the last samples and of the last minutes, in nanoseconds."""

    def __init__(self) -> None:
        self.base_delays: list[int] = []
        self.current_delays: list[int] = []
        self.minute: int | None = None

    def measure(self, now: float, rtt: float) -> None:
        """The RFC's update_base_delay and update_current_delay; times in seconds."""
        delay = round(rtt * 1e9)
        minute = round(now * 1e9) // 60_000_000_000
        if minute != self.minute:
            self.minute = minute
            self.base_delays = [*self.base_delays[1 - BASE_HISTORY :], delay]
        self.base_delays[-1] = min(self.base_delays[-1], delay)
        self.current_delays = [*self.current_delays[1 - CURRENT_FILTER :], delay]

    @property
    def base(self) -> int:
        """MIN(base_delays); zero before the first."""
        return min(self.base_delays, default=0)

    @property
    def value(self) -> int:
        """FILTER(current_delays) - MIN(base_delays)."""
        return min(self.current_delays, default=0) - self.base
