"""Copa: Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", NSDI 2018.

Sections 2.1, 2.2 and 3. Left open there, and chosen here:

- windows of data are the transport's round trips, and directions are compared when one ends;
- a change of direction within a round trip resets the velocity at once;
- the velocity is at most the window times delta, so that a round trip changes the window by itself at most;
- the queue was nearly empty before the first round trip, so that a flow begins in the default mode;
- in the default mode losses change nothing; in the competitive one a loss or a mark halves 1/delta;
- a timeout begins again from the restart window, in slow start;
- two packets at least are allowed.
"""

import copy
import math

from reference.facts import Ack, Congestion, Signal, Start

LEAST = 2.0
LONG = 10_000_000_000
"""RTTmin is the smallest round-trip time of ten seconds."""


class Copa:
    """A window that goes up and down about the target rate 1 / (delta * d_q)."""

    def __init__(self, delta: float = 0.5, competitive: float = 1.0) -> None:
        self.least_inverse = 1.0 / delta
        self.switches = competitive > 0

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.window = start.initial_window
        self.restart_window = start.restart_window
        self.before: float | None = None
        self.slow_start = True
        self.inverse_delta = self.least_inverse
        self.samples: list[tuple[int, int]] = []
        self.round: int | None = None
        self.longest: list[int] = []
        self.emptied_in = 0
        self.lost_in_round = False
        self.velocity = 1.0
        self.direction = 0
        self.rounds_alike = 0
        self.window_at_round = start.initial_window
        self.standing = 0

    @property
    def cwnd(self) -> float:
        """The window in packets."""
        return self.window

    @property
    def pacing_rate(self) -> float:
        """2 * cwnd / RTTstanding."""
        return 2.0 * self.cwnd / (self.standing / 1e9) if self.standing else math.inf

    def delay(self, now: int, srtt: int) -> int:
        """RTTstanding, the smallest of half a smoothed round-trip time, less RTTmin: d_q."""
        self.samples = [sample for sample in self.samples if now - sample[0] <= LONG]
        recent = [rtt for time, rtt in self.samples if now - time <= srtt // 2]
        self.standing = min(recent)
        return self.standing - min(rtt for _, rtt in self.samples)

    def on_ack(self, ack: Ack) -> None:
        """Section 2.1, steps 1 to 4, and the mode of section 2.2."""
        if ack.rtt is None:
            return
        now, rtt = round(ack.now * 1e9), round(ack.rtt * 1e9)
        self.samples.append((now, rtt))
        queueing = self.delay(now, round(ack.srtt * 1e9))
        if ack.round != self.round:
            self.end_round(ack.round)
        self.longest[-1] = max(self.longest[-1], rtt)
        shortest = self.standing - queueing
        if queueing <= 0.1 * (max(self.longest) - shortest):
            self.emptied_in = ack.round
        if ack.delivered <= 0:
            return
        above = self.cwnd * queueing > self.inverse_delta * self.standing
        if self.slow_start and above:
            self.slow_start = False
        if above:
            self.move(-1, ack.delivered)
        elif ack.window_limited and ack.advanced and not ack.recovering:
            if self.slow_start:
                self.window += ack.delivered
            else:
                self.move(1, ack.delivered)

    def move(self, direction: int, delivered: float) -> None:
        """Cwnd +- v / (delta * cwnd) for every packet."""
        if self.direction != direction and self.velocity > 1:
            self.velocity, self.rounds_alike = 1.0, 0
        most = max(self.cwnd / self.inverse_delta, 1.0)
        step = min(self.velocity, most) * self.inverse_delta * min(delivered / self.cwnd, 1.0)
        self.window = max(self.cwnd + direction * step, LEAST)

    def end_round(self, number: int) -> None:
        """The velocity doubles once the direction was the same for three round trips; the mode is chosen."""
        first = self.round is None
        self.round = number
        self.longest = [*self.longest[-3:], 0]
        if first:
            self.emptied_in = number
            return
        direction = (self.cwnd > self.window_at_round) - (self.cwnd < self.window_at_round)
        self.rounds_alike = self.rounds_alike + 1 if direction == self.direction else 0
        self.velocity = self.velocity * 2 if self.rounds_alike >= 3 else 1.0
        self.direction = direction
        self.window_at_round = self.cwnd
        if not self.switches or number - self.emptied_in <= 5:
            self.inverse_delta = self.least_inverse
        elif not self.lost_in_round:
            self.inverse_delta += 1.0
        self.lost_in_round = False

    def on_congestion(self, event: Congestion) -> None:
        """Section 2.2: additive increase, multiplicative decrease of 1 / delta."""
        restart = event.restart or event.signal == Signal.TIMEOUT
        self.lost_in_round = True
        self.inverse_delta = max(self.inverse_delta / 2.0, self.least_inverse)
        if not event.repeated:
            self.before = copy.copy(self.window)
        if restart:
            self.window = min(self.window, self.restart_window)
            self.slow_start = True
            self.velocity, self.rounds_alike, self.direction = 1.0, 0, 0
            self.window_at_round = self.window

    def on_spurious(self) -> None:
        """The window is as before, except that it may have grown since."""
        if self.before is not None:
            self.window = max(self.window, self.before)
            self.before = None

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again after idleness."""
        self.window = min(self.window, max(restart_window, LEAST))
