"""PCC Allegro: Dong et al., NSDI 2015 ("PCC: Re-architecting Congestion Control").

- Utility: T S(L - 0.05) - x L, with T = x (1 - L) and S(y) = 1 / (1 + e^(alpha y)), alpha = 100.
- An interval lasts a random 1.7 to 2.2 round trips, and as long as 10 packets take. Measuring goes on with
  every interval; a change of the rate begins a new one at once.
- Starting: from 2 packets per round trip, the rate doubles with each interval until utility falls; then it is
  the one before.
- Decision making: two pairs of r (1 + eps) and r (1 - eps), each in random order, then r. Where both pairs
  prefer the same, it becomes the rate; else eps grows by 0.01, to 0.05 at most, and the pairs are sent again.
- Rate adjusting: the n-th interval has the last rate times 1 + 0.01 n, or times 1 - 0.01 n; when utility
  falls, the last one returns, and decision making with eps = 0.01.

Left open there, and chosen here:

- a timeout drops the intervals under way; pairs are sent again in a new order, and a row goes on from its
  first rate without a result;
- an equal utility has not fallen, and a pair of equal ones prefers neither;
- the first rate in adjusting is compared with the second pair's winner;
- adjusting ends, too, at the least rate;
- random is SplitMix64's output function of the nanoseconds since the first round-trip time, as the state
  ``seed`` steps before: its highest bit set sends the faster one of a pair first, the next bit is for the
  second pair, and the upper 53 bits are the place between 1.7 and 2.2.
"""

import math

from reference.monitor_intervals import LEAST_PACKETS, SHORTEST_PACKETS, Interval, MonitoredRate
from reference.registered import controller
from reference.split_mix import share

SHORTEST, LONGEST = 1.7, 2.2
MOST_EXPONENT = 700.0
"""e to a larger power is no number here, and the sigmoid is nothing long before."""


@controller("allegro")
class Allegro(MonitoredRate):
    """A rate whose trials are repeated until they agree."""

    def __init__(
        self,
        alpha: float = 100.0,
        margin: float = 0.05,
        epsilon_min: float = 0.01,
        epsilon_max: float = 0.05,
        seed: float = 0.0,
    ) -> None:
        self.seed = seed
        self.alpha = alpha
        self.margin = margin
        self.epsilon_min = epsilon_min
        self.epsilon_max = epsilon_max

    def length(self, rate: float) -> float:
        """Random, against intervals of several senders in step."""
        round_trips = SHORTEST + (LONGEST - SHORTEST) * share(self.chance())
        return max(round_trips * self.srtt, SHORTEST_PACKETS / rate)

    def utility(self, result: Interval) -> float:
        """Section 2.2's safe utility."""
        loss = result.loss
        exponent = min(self.alpha * (loss - self.margin), MOST_EXPONENT)
        return result.rate * (1.0 - loss) / (1.0 + math.exp(exponent)) - result.rate * loss

    def first(self) -> None:
        """Starting."""
        self.state = "starting"
        self.last_rate, self.last_utility = 0.0, -math.inf
        self.send_row(LEAST_PACKETS / self.srtt, self.double)

    def double(self) -> None:
        """The next rate in starting."""
        self.plan.append(2.0 * self.plan[-1])

    def decide(self, results: list[Interval]) -> None:
        """The next state, and the rates to try in it."""
        utilities = [self.utility(result) for result in results]
        if self.state == "deciding":
            self.compare(results, utilities)
        elif utilities[0] < self.last_utility:
            self.make_decisions(self.last_rate)
        else:
            self.last_rate, self.last_utility = results[0].rate, utilities[0]

    def on_timeout(self) -> None:
        """The pairs in another order, or the row from its first rate without a result."""
        if self.state == "deciding":
            self.send_pairs()
        else:
            self.again()

    def make_decisions(self, rate: float) -> None:
        """Enters decision making."""
        self.state = "deciding"
        self.rate = self.at_least(rate)
        self.epsilon = self.epsilon_min
        self.send_pairs()

    def send_pairs(self) -> None:
        """Four intervals."""
        chance = self.chance()
        faster, slower = self.rate * (1.0 + self.epsilon), self.rate * (1.0 - self.epsilon)
        plan = []
        for bit in (63, 62):
            plan += [faster, slower] if chance >> bit & 1 else [slower, faster]
        self.send(plan, self.rate)

    def compare(self, results: list[Interval], utilities: list[float]) -> None:
        """Decision making."""
        preferred = []
        for one, other in ((0, 1), (2, 3)):
            first_wins = utilities[one] > utilities[other]
            if utilities[one] == utilities[other]:
                preferred.append(0)
            else:
                preferred.append(1 if first_wins == (results[one].rate > results[other].rate) else -1)
        if preferred[0] == preferred[1] != 0:
            self.state = "adjusting"
            self.direction = preferred[0]
            self.last_utility = max(utilities[2:])
            self.last_rate = self.at_least(self.rate * (1.0 + self.direction * self.epsilon))
            self.send_row(self.last_rate, self.further)
            self.begun = self.judged = 1
        else:
            self.epsilon = min(self.epsilon + self.epsilon_min, self.epsilon_max)
            self.send_pairs()

    def further(self) -> None:
        """The next rate in adjusting; where it would be the last one again, decision making."""
        rate = self.at_least(self.plan[-1] * (1.0 + len(self.plan) * self.epsilon_min * self.direction))
        if rate == self.plan[-1]:
            self.make_decisions(rate)
        else:
            self.plan.append(rate)
