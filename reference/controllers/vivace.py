"""PCC Vivace: Dong et al., "PCC Vivace: Online-Learning Congestion Control", NSDI 2018, sections 3 and 4.

- Utility: x^0.9 - 900 x dRTT/dT - 11.35 x L, with the rate x in Mbit/s.
- An interval lasts a round trip, and as long as 10 packets take.
- The rate doubles until utility falls; then it is the one before.
- Gradient: (u(r (1 + eps)) - u(r (1 - eps))) / (2 eps r), of two intervals in random order, eps = 0.05.
- Step: theta0 m(tau) times the gradient, theta0 = 1; tau counts steps in one direction, m(tau) = tau up to
  3, then 2 tau - 3.
- Boundary: a step is (0.05 + 0.1 k) r at most. k grows by one where it would be more, and falls to the
  smallest that holds the step where it is not. Another direction begins with tau = 1 and k = 0.
- dRTT/dT is the slope of the regression of round-trip times, and nothing below 0.01.
- A pair that contradicts intuition is measured once more.
- Where the results of an interval do not come for the time of a timeout, the rate is halved.

Left open there, and chosen here:

- doubling begins with 2 packets per round trip; the next rate waits for the utility of the last;
- a pair contradicts intuition if it speaks for more although its faster one had less loss, or a smaller
  slope; then the means of two pairs decide;
- a gradient of zero is no step, and ends the direction;
- the timeout is the transport's. Doubling ends with it, and a pair is tried; the direction stays;
- random is SplitMix64's output function of the nanoseconds since the first round-trip time, as the state
  ``seed`` steps before: its highest bit set sends the faster one first.

With ``reading`` 1 it is the module for Linux of the authors' group: see ``vivace_module.py``.
"""

from dataclasses import dataclass
from typing import Any

from reference.controllers.vivace_module import VivaceModule
from reference.facts import Ack, Congestion, Start
from reference.monitor_intervals import LEAST_PACKETS, SHORTEST_PACKETS, Interval, MonitoredRate
from reference.registered import controller


@dataclass(kw_only=True)
class Settings:
    """The parameters of the paper."""

    exponent: float = 0.9
    latency: float = 900.0
    loss: float = 11.35
    epsilon: float = 0.05
    theta: float = 1.0
    omega: float = 0.05
    delta: float = 0.1
    tolerance: float = 0.01
    packet_size: float = 1460.0
    seed: float = 0.0
    reading: float = 0.0


class VivacePaper(MonitoredRate):
    """Gradient ascent on utility."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings.seed)
        self.settings = settings
        self.megabits = settings.packet_size * 8.0 / 1e6

    def length(self, rate: float) -> float:
        """Section 4.1."""
        return max(self.srtt, SHORTEST_PACKETS / rate)

    def slope(self, result: Interval) -> float:
        """Without what is taken for noise."""
        return 0.0 if abs(result.slope) < self.settings.tolerance else result.slope

    def utility(self, result: Interval) -> float:
        """Section 3."""
        x = result.rate * self.megabits
        gain: float = x**self.settings.exponent
        return gain - self.settings.latency * x * self.slope(result) - self.settings.loss * x * result.loss

    def first(self) -> None:
        """Doubling."""
        self.doubles = True
        self.last_utility: float | None = None
        self.direction = 0
        self.tau = 0
        self.k = 0
        self.measured: list[tuple[float, float]] = []
        self.try_rate(LEAST_PACKETS / self.srtt)

    def try_rate(self, rate: float) -> None:
        """One interval, and the same rate afterwards."""
        self.rate = rate
        self.send([rate], rate)

    def try_pair(self) -> None:
        """Two intervals."""
        faster, slower = self.rate * (1.0 + self.settings.epsilon), self.rate * (1.0 - self.settings.epsilon)
        self.send([faster, slower] if self.chance() >> 63 else [slower, faster], self.rate)

    def decide(self, results: list[Interval]) -> None:
        """The next rates to try."""
        if self.doubles:
            self.double(self.utility(results[0]))
            return
        slower, faster = sorted(results, key=lambda result: result.rate)
        self.measured.append((self.utility(slower), self.utility(faster)))
        less, more = (sum(utilities) / len(self.measured) for utilities in zip(*self.measured, strict=True))
        odd = faster.loss < slower.loss or self.slope(faster) < self.slope(slower)
        if len(self.measured) == 1 and more > less and odd:
            self.try_pair()
            return
        self.step((more - less) / (2.0 * self.settings.epsilon * self.rate * self.megabits))
        self.measured = []
        self.try_pair()

    def double(self, utility: float) -> None:
        """Until utility falls."""
        if self.last_utility is None or utility >= self.last_utility:
            self.last_utility = utility
            self.try_rate(2.0 * self.rate)
        else:
            self.halve()

    def halve(self) -> None:
        """Ends doubling, if it lasts still."""
        self.doubles = False
        self.measured = []
        self.rate = self.at_least(self.rate / 2.0)
        self.try_pair()

    def on_timeout(self) -> None:
        """Section 4.3."""
        self.halve()

    def step(self, gradient: float) -> None:
        """Section 4.2."""
        direction = (gradient > 0.0) - (gradient < 0.0)
        if direction != self.direction:
            self.direction, self.tau, self.k = direction, 0, 0
        if direction == 0:
            return
        self.tau += 1
        amplifier = self.tau if self.tau <= 3 else 2 * self.tau - 3
        change = self.settings.theta * amplifier * abs(gradient) / self.megabits
        if change > self.boundary(self.k):
            change = self.boundary(self.k)
            self.k += 1
        else:
            while self.k > 0 and change <= self.boundary(self.k - 1):
                self.k -= 1
        self.rate = self.at_least(self.rate + direction * change)

    def boundary(self, k: int) -> float:
        """The largest step."""
        return (self.settings.omega + k * self.settings.delta) * self.rate


@controller("vivace")
class Vivace(Settings):
    """Either reading."""

    def begin(self, start: Start) -> None:
        """The connection begins, with the reading that was asked for."""
        is_module = self.reading > 0.0
        self.model: Any = VivaceModule(self.packet_size, self.seed) if is_module else VivacePaper(self)
        self.model.begin(start)

    @property
    def cwnd(self) -> float:
        """Packets that may be in the network."""
        return float(self.model.cwnd)

    @property
    def pacing_rate(self) -> float:
        """Packets per second."""
        return float(self.model.pacing_rate)

    def on_ack(self, ack: Ack) -> None:
        """An acknowledgment."""
        self.model.on_ack(ack)

    def on_congestion(self, event: Congestion) -> None:
        """A loss, a mark or a timeout."""
        self.model.on_congestion(event)

    def on_spurious(self) -> None:
        """Nothing."""

    def on_idle_restart(self, restart_window: float) -> None:
        """A pause."""
        self.model.on_idle_restart(restart_window)
