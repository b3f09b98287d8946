"""PCC Vivace as in the authors' group's module for Linux, in real numbers.

Source: PCCproject/PCC-Kernel, branch vivace, November 2018, by Gilad, Jay and Frankel.

- Rates begin with 512 KiB/s and are 1 KiB/s at least; the window is what two round trips send, and 4 packets.
- An interval is sent until it has 50 packets and one of them is counted, as delivered or lost. Its results
  are those from 10 packets after its first to 10 packets before its end.
- Utility: x - x (900 i + 11 L), in bytes per second; zero where nothing is delivered. i is the change of the
  smoothed round-trip time between the results, divided by the time of sending. It is nothing below 0.03, or
  where the change is shorter than two packets take. In the start a negative i is nothing, nor is L below 0.1.
- Start: half as much again while utility rises; then back by one, and probing.
- Probing: two pairs of 5 % more and less, each in random order. Where the same wins twice, its rate is the
  new one, its utility the last one, and moving begins; else probing again.
- Moving: 25 kB/s times the amplifier times the gradient, which is zero for rates that differ by less than
  2 %. A step as before (up after a rate that went up, else not) lowers the swing buffer, or raises the
  amplifier once there is none; another one raises the buffer, to 2, and begins with the amplifier 2 and the
  bound of 10 %. A step beyond the bound is cut to it, and the bound grows by 7 %; one within it makes it 10 %
  again. The rate changes by 2.2 % at least, and is 2 packets in a round trip at least. After a step down it
  is probed.
- After a timeout nothing is measured while it is repaired; then the same state measures anew.

Left open there, or an accident of its set-up, and chosen here:

- the first interval of the start has the rate itself, not 5 % more or less; and so it is after a timeout;
- a tie of a pair goes to its second one;
- random is SplitMix64's output function of the nanoseconds since the first round-trip time, as the state
  ``seed`` steps before: its highest bits set send the faster ones first;
- before the first round-trip time the initial window is sent without pacing, and nothing is measured; what is
  sent was counted or is in flight;
- a pause, a mark, or a loss in itself changes nothing, except that after a pause or a timeout the window is
  the restart window until the next delivery.
"""

import math
from dataclasses import dataclass

from reference.facts import Ack, Congestion, Signal, Start, nanoseconds
from reference.registered import controller
from reference.split_mix import output

FIRST_RATE = 512 * 1024.0
LEAST_RATE = 1024.0
PROBING_SHARE = 0.05
INTERVAL_PACKETS = 50
IGNORED_PACKETS = 10
STEP = 25_000.0
LEAST_DIFFERENCE = 0.02
LEAST_STEP = 0.022
FIRST_BOUND, MORE_BOUND = 0.10, 0.07
LEAST_AMPLIFIER, MOST_SWINGS = 2, 2
LEAST_WINDOW = 4.0


@dataclass
class Trial:
    """One interval; times in seconds, the rate in bytes per second, packets counted from the beginning."""

    rate: float
    base: float = 0.0
    ended: float | None = None
    send_start: float = 0.0
    send_end: float = 0.0
    first: tuple[float, float] | None = None
    """The time and the smoothed round-trip time of its first result."""
    last: tuple[float, float] = (0.0, 0.0)
    delivered: float = 0.0
    lost: float = 0.0


@controller("vivace-linux")
class VivaceLinux:
    """A rate that is probed, and moved while that goes up."""

    def __init__(self, packet_size: float = 1460.0, seed: float = 0.0) -> None:
        self.packet_size = packet_size
        self.seed = int(seed)

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.cwnd = start.initial_window
        self.restart_window = start.restart_window
        self.pacing_rate = math.inf
        self.restarting = self.loss_state = False
        self.began: int | None = None
        self.counted = self.sent = self.now = self.srtt = 0.0
        self.rate = self.last_rate = FIRST_RATE
        self.last_utility = -math.inf
        self.state = "start"
        self.amplifier, self.swings, self.bound = LEAST_AMPLIFIER, 0, FIRST_BOUND
        self.trials: list[Trial] = []

    def on_ack(self, ack: Ack) -> None:
        """Ends what is sent, counts, decides."""
        before = self.counted
        self.counted += ack.delivered + ack.lost
        self.sent = self.counted + ack.in_flight
        self.now, self.srtt = ack.now, ack.srtt
        if ack.delivered > 0.0:
            self.restarting = False
        if self.began is None:
            if ack.rtt is None:
                return
            self.began = nanoseconds(ack.now)
        self.loss_state = self.loss_state and ack.recovering
        if not self.loss_state and not self.trials:
            self.measure()
        elif not self.loss_state:
            self.go_on(ack, before)
        self.set_pace()

    def go_on(self, ack: Ack, before: float) -> None:
        """One acknowledgment while something is measured."""
        if self.sending < len(self.trials):
            trial = self.trials[self.sending]
            if self.sent - trial.base >= INTERVAL_PACKETS and before > trial.base:
                trial.ended, trial.send_end = self.sent, self.now
                self.sending += 1
                if self.sending < len(self.trials):
                    self.start_trial()
        trial = self.trials[self.receiving]
        if self.receiving <= self.sending and before > trial.base + IGNORED_PACKETS and self.began_at(trial):
            trial.last = (self.now, self.srtt)
            if trial.delivered + trial.lost == 0.0:
                trial.first = trial.last
            trial.delivered += ack.delivered
            trial.lost += ack.lost
        if trial.ended is not None and trial.ended - IGNORED_PACKETS < self.counted:
            self.receiving += 1
            if self.receiving == len(self.trials):
                self.decide()

    def began_at(self, trial: Trial) -> bool:
        """True if something of it was sent."""
        return trial.send_start > 0.0 or trial.base > 0.0

    def measure(self) -> None:
        """Begins the intervals of this state."""
        rates = [self.rate]
        if self.state == "probing":
            age = nanoseconds(self.now) - (self.began or 0)
            chance = output(age, self.seed)
            faster, slower = self.rate * (1.0 + PROBING_SHARE), self.rate * (1.0 - PROBING_SHARE)
            rates = []
            for bit in (63, 62):
                rates += [faster, slower] if chance >> bit & 1 else [slower, faster]
        self.trials = [Trial(rate) for rate in rates]
        self.sending = self.receiving = 0
        self.start_trial()

    def start_trial(self) -> None:
        """Begins to send the next of them."""
        trial = self.trials[self.sending]
        trial.base, trial.send_start = max(self.sent, 1.0), self.now

    def set_pace(self) -> None:
        """The rate of what is sent now, and the window for it."""
        rate = self.rate
        if self.trials and self.sending < len(self.trials):
            rate = self.trials[self.sending].rate
        self.pacing_rate = max(rate, LEAST_RATE) / self.packet_size
        if not self.restarting:
            self.cwnd = max(2.0 * self.pacing_rate * self.srtt, LEAST_WINDOW)

    def utility(self, trial: Trial) -> float:
        """``pcc_calc_utility_vivace``."""
        if trial.delivered == 0.0 or trial.first is None:
            return 0.0
        (began, first_rtt), (ended, last_rtt) = trial.first, trial.last
        change = last_rtt - first_rtt
        inflation = change / (trial.send_end - trial.send_start) if trial.send_end > trial.send_start else 0.0
        two_packets = 2.0 * (ended - began) / trial.delivered
        if abs(change) < two_packets or abs(inflation) < 0.03 or (inflation < 0.0 and self.state == "start"):
            inflation = 0.0
        loss = trial.lost / (trial.lost + trial.delivered)
        if self.state == "start" and loss < 0.1:
            loss = 0.0
        return trial.rate - trial.rate * (900.0 * inflation + 11.0 * loss)

    def decide(self) -> None:
        """The next rate and state."""
        utilities = [self.utility(trial) for trial in self.trials]
        if self.state == "start":
            self.raise_by_half(utilities[0])
        elif self.state == "moving":
            self.move(utilities[0])
        else:
            self.compare(utilities)
        self.measure()

    def raise_by_half(self, utility: float) -> None:
        """``pcc_decide_slow_start``."""
        if utility > self.last_utility:
            self.last_rate, self.last_utility = self.rate, utility
            self.rate *= 1.5
        else:
            self.rate, self.last_rate = self.last_rate, self.rate
            self.state = "probing"

    def compare(self, utilities: list[float]) -> None:
        """``pcc_decide``."""
        winners = [one if utilities[one] > utilities[one + 1] else one + 1 for one in (0, 2)]
        rates = [self.trials[winner].rate for winner in winners]
        if rates[0] == rates[1]:
            self.rate = self.last_rate = rates[1]
            self.last_utility = utilities[winners[1]]
            self.state = "moving"

    def move(self, utility: float) -> None:
        """``pcc_decide_rate_moving`` and ``pcc_decide_moving``."""
        difference = self.last_rate - self.rate
        gradient = 0.0
        if abs(difference) >= LEAST_DIFFERENCE * self.rate:
            gradient = (self.last_utility - utility) / difference
        step = STEP * gradient
        if (step > 0.0) == (self.rate > self.last_rate):
            if self.swings > 0:
                self.swings -= 1
            else:
                self.amplifier += 1
        else:
            self.swings = min(self.swings + 1, MOST_SWINGS)
            self.amplifier, self.bound = LEAST_AMPLIFIER, FIRST_BOUND
        size = abs(step) * self.amplifier
        if size > self.bound * self.rate:
            size = self.bound * self.rate
            self.bound += MORE_BOUND
        else:
            self.bound = FIRST_BOUND
        size = max(size, LEAST_STEP * self.rate)
        self.last_rate, self.last_utility = self.rate, utility
        if step < 0.0:
            self.state = "probing"
            size = -size
        self.rate = max(self.rate + size, 2.0 * self.packet_size / self.srtt)

    def on_congestion(self, event: Congestion) -> None:
        """A timeout stops what is measured."""
        if event.restart or event.signal == Signal.TIMEOUT:
            self.cwnd = min(self.cwnd, self.restart_window)
            self.restarting = self.loss_state = True
            self.trials = []
            if self.began is not None:
                self.set_pace()

    def on_spurious(self) -> None:
        """Nothing."""

    def on_idle_restart(self, restart_window: float) -> None:
        """Begins again from at most this window."""
        self.cwnd = min(self.cwnd, max(restart_window, 1.0))
        self.restarting = True
