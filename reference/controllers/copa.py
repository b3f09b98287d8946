"""Copa: Arun and Balakrishnan, NSDI 2018, section 2.

- 2.1: RTTstanding is the smallest round-trip time of the last srtt / 2, RTTmin of the last 10 s;
  d_q = RTTstanding - RTTmin. The target rate is 1 / (delta d_q). With every acknowledgment, where
  cwnd / RTTstanding is at most that, cwnd grows by v / (delta cwnd), else it shrinks by it.
- 2.1: v begins with 1. "Once per window, the sender compares the current cwnd to the cwnd value at the time
  that the latest acknowledged packet was sent": a larger one is the direction up, a smaller one down. The
  same direction as in the window before doubles v, but "only after the direction has remained the same for
  three RTTs"; another one resets v to 1.
- 2.1: in slow start "cwnd doubles once per RTT" until the rate exceeds the target.
- 2.1: "The sender paces packets at a rate of 2 cwnd / RTTstanding".
- 2.2: if the sender saw a nearly empty queue in the last 5 round trips, d_q < 0.1 (RTTmax - RTTmin) with
  RTTmax of the last four, the mode is the default one, with delta 0.5; else it is competitive: AIMD on
  1 / delta, "based on packet success or loss", and delta <= 0.5.

Left open there, and chosen here:

- windows of data, and the round trips of 2.2, are the transport's; the mode is chosen when one ends;
- no queueing delay at all is nearly empty, also where no round-trip time was longer; before the first round
  trip the queue was nearly empty;
- AIMD is Reno's: 1 / delta grows by 1 with each round trip in competitive mode that had no loss, and a loss,
  mark or timeout halves it;
- v doubles at the end of the fourth window in a row with one direction. A window without change has none;
- a step against the direction of the last window resets v at once;
- v counts for delta cwnd at most, and one acknowledgment for a window's packets, so that a round trip doubles
  the window at most;
- the acknowledgment that finds the rate above the target ends slow start and shrinks the window;
- without a round-trip time no acknowledgment moves the window. It grows where it limited the sender, with
  acknowledgments that advance, and not while losses are repaired; it shrinks whenever it should;
- a timeout begins slow start again with the window of restart; otherwise two packets at least are allowed;
- an undone reduction gives back the window, but not 1 / delta.
"""

import math

from reference.facts import Ack, Congestion, Signal, Start, nanoseconds
from reference.registered import controller

SECOND = 1_000_000_000
MIN_CWND = 2.0


@controller("copa")
class Copa:
    """A window that follows a target rate."""

    def __init__(self, delta: float = 0.5, competitive: float = 1.0) -> None:
        self.default_delta = delta
        self.competitive = bool(competitive)

    def begin(self, start: Start) -> None:
        """The connection begins, in slow start and in the default mode."""
        self.cwnd = start.initial_window
        self.restart_window = start.restart_window
        self.slow_start = True
        self.after_timeout = False
        self.inverse_delta = 1.0 / self.default_delta
        self.rtts: list[tuple[int, int]] = []
        self.standing: int | None = None
        self.round: int | None = None
        self.longest_of_rounds: list[int] = []
        self.nearly_empty_in = 0
        self.loss_in_round = False
        self.before: float | None = None
        self.begin_directions()

    def begin_directions(self) -> None:
        """No direction yet, and v = 1."""
        self.velocity = 1.0
        self.direction = 0
        self.windows_alike = 0
        self.cwnd_at_round = self.cwnd

    @property
    def pacing_rate(self) -> float:
        """2 cwnd / RTTstanding."""
        return math.inf if self.standing is None else 2.0 * self.cwnd / (self.standing / SECOND)

    def on_ack(self, ack: Ack) -> None:
        """2.1, steps 1 to 4."""
        if ack.rtt is None:
            return
        now = nanoseconds(ack.now)
        newest = nanoseconds(ack.rtt)
        # A value that a later one equals or undercuts is no longer the minimum of any span.
        self.rtts = [(when, rtt) for when, rtt in self.rtts if now - when <= 10 * SECOND and rtt < newest]
        self.rtts.append((now, newest))
        recent = nanoseconds(ack.srtt) // 2
        self.standing = min(rtt for when, rtt in self.rtts if now - when <= recent)
        rtt_min = min(rtt for _, rtt in self.rtts)
        queueing = self.standing - rtt_min
        if ack.round != self.round:
            self.end_round(ack.round)
        self.look_for_an_empty_queue(queueing, rtt_min)
        if not (ack.recovering and self.slow_start):
            self.after_timeout = False
        if ack.delivered <= 0:
            return
        if self.cwnd * queueing > self.inverse_delta * self.standing:
            self.slow_start = False
            self.step(-1, ack.delivered)
        elif ack.window_limited and ack.advanced and (not ack.recovering or self.after_timeout):
            if self.slow_start:
                self.cwnd += ack.delivered
            else:
                self.step(1, ack.delivered)

    def step(self, direction: int, packets: float) -> None:
        """Step 3: v / (delta cwnd) for each packet."""
        if direction != self.direction and self.velocity > 1.0:
            self.velocity = 1.0
            self.windows_alike = 0
        v = min(self.velocity, max(self.cwnd / self.inverse_delta, 1.0))
        self.cwnd += direction * v * self.inverse_delta * min(packets / self.cwnd, 1.0)
        self.cwnd = max(self.cwnd, MIN_CWND)

    def end_round(self, number: int) -> None:
        """Once per window: v, and the mode."""
        if self.round is None:
            self.nearly_empty_in = number
        else:
            self.choose_velocity()
            self.choose_delta(number)
        self.round = number
        self.loss_in_round = False
        self.longest_of_rounds = [*self.longest_of_rounds[-3:], 0]

    def choose_velocity(self) -> None:
        """Step 4."""
        direction = (self.cwnd > self.cwnd_at_round) - (self.cwnd < self.cwnd_at_round)
        if direction != 0 and direction == self.direction:
            self.windows_alike += 1
            if self.windows_alike >= 3:
                self.velocity *= 2.0
        else:
            self.windows_alike = 0
            self.velocity = 1.0
        self.direction = direction
        self.cwnd_at_round = self.cwnd

    def choose_delta(self, number: int) -> None:
        """2.2, with each round trip."""
        if not self.competitive or number - self.nearly_empty_in <= 5:
            self.inverse_delta = 1.0 / self.default_delta
        elif not self.loss_in_round:
            self.inverse_delta += 1.0

    def look_for_an_empty_queue(self, queueing: int, rtt_min: int) -> None:
        """2.2, with each acknowledgment."""
        if self.round is None:
            raise AssertionError("a round trip has begun")
        self.longest_of_rounds[-1] = max(self.longest_of_rounds[-1], self.rtts[-1][1])
        if queueing == 0 or 10 * queueing < max(self.longest_of_rounds) - rtt_min:
            self.nearly_empty_in = self.round

    def on_congestion(self, event: Congestion) -> None:
        """2.2: halves 1 / delta; a timeout begins slow start."""
        if not event.repeated:
            self.before = self.cwnd
        self.loss_in_round = True
        self.inverse_delta = max(self.inverse_delta / 2.0, 1.0 / self.default_delta)
        if event.restart or event.signal == Signal.TIMEOUT:
            self.cwnd = min(self.cwnd, self.restart_window)
            self.slow_start = self.after_timeout = True
            self.begin_directions()

    def on_spurious(self) -> None:
        """The window before the episode, or the present one if that is larger."""
        if self.before is not None:
            self.cwnd = max(self.cwnd, self.before)
            self.before = None

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again from at most the restart window."""
        self.cwnd = min(self.cwnd, max(restart_window, MIN_CWND))
