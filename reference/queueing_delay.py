"""The queueing delay of LEDBAT: RFC 6817, section 2.4.2, applied to round-trip times."""

import math
from collections import deque

BASE_HISTORY = 10
"""Minutes."""
CURRENT_FILTER = 4
"""Samples."""


class QueueingDelay:
    """FILTER(current_delays) - MIN(base_delays)."""

    def __init__(self) -> None:
        self.current_delays: deque[float] = deque(maxlen=CURRENT_FILTER)
        self.base_delays: deque[float] = deque(maxlen=BASE_HISTORY)
        self.last_rollover: int | None = None

    def sample(self, now: float, delay: float) -> None:
        """update_base_delay and update_current_delay."""
        minute = math.floor(now / 60.0)
        if minute != self.last_rollover:
            self.last_rollover = minute
            self.base_delays.append(delay)
        else:
            self.base_delays[-1] = min(self.base_delays[-1], delay)
        self.current_delays.append(delay)

    def base_delay(self) -> float | None:
        """The smallest delay of the last ten minutes."""
        return min(self.base_delays) if self.base_delays else None

    def queuing_delay(self) -> float:
        """Zero before the first sample."""
        if not self.current_delays:
            return 0.0
        return min(self.current_delays) - min(self.base_delays)
