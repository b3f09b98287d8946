"""The persist timer of RFC 9293, 3.8.6.1: probes of a closed receive window, while nothing is outstanding.

The first probe follows after the retransmission timeout, each further one after twice the last interval. The
sender never gives up.
"""

from dataclasses import dataclass, field

LONGEST = 60_000_000_000


@dataclass
class Persist:
    """The timer of one sender."""

    at: int | None = None
    interval: int = 0
    timeout: int = 0
    sent: list[int] = field(default_factory=list)

    def wait(self, now: int, timeout: int) -> None:
        """Nothing can be sent; the timer runs already, or starts."""
        if self.at is None:
            self.interval, self.timeout = timeout, timeout
            self.at = now + timeout

    def probe(self, now: int) -> None:
        """The timer expired."""
        self.sent.append(now)
        self.interval = min(2 * self.interval, LONGEST)
        self.at = now + self.interval

    def stop(self) -> None:
        """There is room."""
        self.at = None
