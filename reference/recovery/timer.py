"""The retransmission timeout: RFC 6298."""

import math
from dataclasses import dataclass

SECOND = 1_000_000_000
TICK = 1_000_000
"""RFC 6298's clock granularity G: a millisecond."""
LARGEST = 60 * SECOND


def nearest(nanoseconds: float) -> int:
    """A half is rounded up."""
    return math.floor(nanoseconds + 0.5)


@dataclass
class RetransmissionTimeout:
    """SRTT, RTTVAR and RTO, in nanoseconds."""

    least: int = SECOND
    """Rule 2.4: a second."""
    srtt: float = 0.0
    rttvar: float = 0.0
    min_rtt: int | None = None
    samples: int = 0
    backoffs: int = 0
    clear_after: int | None = None
    """Back-offs in a row after which the next sample counts as the first, since SRTT and RTTVAR are likely
    bogus."""
    cleared: bool = False
    bounds_variation: bool = False
    """Linux: `tp->rttvar` is `tcp_rto_min` at least, and the timeout its sum with SRTT."""

    def sample(self, rtt: int, expected_samples: int) -> None:
        """Rules 2.2 and 2.3: alpha is 1/8 and beta 1/4, and RTTVAR uses the SRTT from before.

        RFC 7323, appendix G, divides both by the expected samples of a round trip, since they are meant for
        one sample per round trip.
        """
        if self.samples == 0 or self.cleared:
            self.srtt, self.rttvar = float(rtt), rtt / 2
            self.cleared = False
        else:
            alpha, beta = 1 / 8 / expected_samples, 1 / 4 / expected_samples
            self.rttvar = (1 - beta) * self.rttvar + beta * abs(self.srtt - rtt)
            self.srtt = (1 - alpha) * self.srtt + alpha * rtt
        self.min_rtt = rtt if self.min_rtt is None else min(self.min_rtt, rtt)
        self.samples += 1

    def back_off(self) -> None:
        """Rule 5.5, and the clearing of SRTT and RTTVAR, which section 5 permits after 5.7."""
        self.backoffs += 1
        if self.clear_after is not None and self.backoffs >= self.clear_after:
            self.cleared = True

    @property
    def value(self) -> int:
        """Rule 2.3: SRTT + max(G, K * RTTVAR) with K = 4, in whole ticks of the clock.

        Rule 2.1: one second before the first sample. Rule 5.5: twice as much with each expiry. Rule 2.5: at
        most a minute.
        """
        if self.samples == 0:
            timeout = SECOND
        else:
            least = self.least if self.bounds_variation else TICK
            timeout = nearest(self.srtt) + max(least, nearest(4 * self.rttvar))
            timeout = math.ceil(timeout / TICK) * TICK if timeout > self.least else self.least
        return int(min(timeout * 2**self.backoffs, LARGEST))

    @property
    def fine(self) -> int:
        """The timeout without tick, minimum and back-off, as in Vegas."""
        return nearest(self.srtt) + nearest(4 * self.rttvar) if self.samples and not self.cleared else SECOND
