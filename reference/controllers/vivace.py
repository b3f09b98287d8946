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
"""

from dataclasses import dataclass

from reference.monitor_intervals import LEAST_PACKETS, SHORTEST_PACKETS, Interval, MonitoredRate
from reference.registered import controller


@controller("vivace")
@dataclass(kw_only=True)
class Vivace(MonitoredRate):
    """Gradient ascent on utility."""

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

    @property
    def megabits(self) -> float:
        """Of a packet."""
        return self.packet_size * 8.0 / 1e6

    def length(self, rate: float) -> float:
        """Section 4.1."""
        return max(self.srtt, SHORTEST_PACKETS / rate)

    def slope(self, result: Interval) -> float:
        """Without what is taken for noise."""
        return 0.0 if abs(result.slope) < self.tolerance else result.slope

    def utility(self, result: Interval) -> float:
        """Section 3."""
        x = result.rate * self.megabits
        gain: float = x**self.exponent
        return gain - self.latency * x * self.slope(result) - self.loss * x * result.loss

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
        faster, slower = self.rate * (1.0 + self.epsilon), self.rate * (1.0 - self.epsilon)
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
        self.step((more - less) / (2.0 * self.epsilon * self.rate * self.megabits))
        self.rate = self.at_least(self.rate)
        self.measured = []
        self.try_pair()

    def double(self, utility: float) -> None:
        """Until utility falls."""
        if self.last_utility is None or utility >= self.last_utility:
            self.last_utility = utility
            self.try_rate(2.0 * self.rate)
        else:
            self.halve()
            self.try_pair()

    def halve(self) -> None:
        """Ends doubling, if it lasts still."""
        self.doubles = False
        self.measured = []
        self.rate = self.at_least(self.rate / 2.0)

    def on_timeout(self) -> None:
        """Section 4.3."""
        self.halve()
        self.try_pair()

    def step(self, gradient: float) -> None:
        """Section 4.2."""
        direction = (gradient > 0.0) - (gradient < 0.0)
        if direction != self.direction:
            self.direction, self.tau, self.k = direction, 0, 0
        if direction == 0:
            return
        self.tau += 1
        amplifier = self.tau if self.tau <= 3 else 2 * self.tau - 3
        change = self.theta * amplifier * abs(gradient) / self.megabits
        if change > self.boundary(self.k):
            change = self.boundary(self.k)
            self.k += 1
        else:
            while self.k > 0 and change <= self.boundary(self.k - 1):
                self.k -= 1
        self.rate += direction * change

    def boundary(self, k: int) -> float:
        """The largest step."""
        return (self.omega + k * self.delta) * self.rate
