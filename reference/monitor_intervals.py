"""Monitor intervals: a sender tries rates, and learns a round trip later what came of each.

From Dong et al., NSDI 2015 and 2018, whose senders both choose the next rate by the results of the last. A
plan is a list of rates, each for an interval. When it is sent, the sender keeps another rate until all
results are in, and decides. Or it is a row of rates without end, whose results are judged one by one.

Left open there, and chosen here:

- intervals begin and end with acknowledgments, the first of them with the first round-trip time; before it
  the initial window is sent without pacing;
- no rate is decided for below two packets in a round trip; what is tried around it may be below;
- a packet was sent a round-trip time before its acknowledgment, and is of the interval of that time. One
  that measured none is of the interval of the last that did;
- losses are found by three later packets: they are of the interval of the packet acknowledged three
  acknowledgments before, and an interval has its results when that packet was sent after it;
- an interval in which nothing was counted, or which the application held down, says nothing: the same is
  tried again, in the same order, and those under way are dropped. So it is after a pause;
- the timeout of an interval is the transport's, or a loss after which it starts with one packet. One before
  the first interval is none;
- the window is what two round trips send, four packets at least; from a timeout or a pause to the next
  delivery it is the restart window;
- losses, marks and undone losses in themselves change nothing.
"""

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from reference.facts import Ack, Congestion, Signal, Start, nanoseconds
from reference.split_mix import output

DUPLICATES = 3
LEAST_PACKETS = 2.0
LEAST_WINDOW = 4.0
SHORTEST_PACKETS = 10.0
"""An interval is long enough to send as many."""


@dataclass
class Interval:
    """A rate in packets per second, tried from ``start`` until ``end``, in nanoseconds."""

    rate: float
    start: int
    due: int
    end: int | None = None
    delivered: float = 0.0
    lost: float = 0.0
    limited: bool = False
    rtts: list[tuple[int, int]] = field(default_factory=list)
    """Times of sending and round-trip times in nanoseconds."""

    def holds(self, sent: int) -> bool:
        """True if a packet of this time was sent in it."""
        return self.start <= sent and (self.end is None or sent < self.end)

    @property
    def counted(self) -> float:
        """Packets that arrived or were lost."""
        return self.delivered + self.lost

    @property
    def loss(self) -> float:
        """The share of them that was lost."""
        return self.lost / self.counted

    @property
    def slope(self) -> float:
        """The slope of the regression line of round-trip times over times of sending."""
        if len({sent for sent, _ in self.rtts}) < 2:
            return 0.0
        sent_mean = sum(sent - self.start for sent, _ in self.rtts) / len(self.rtts)
        rtt_mean = sum(rtt for _, rtt in self.rtts) / len(self.rtts)
        above = below = 0.0
        for sent, rtt in self.rtts:
            x = sent - self.start - sent_mean
            above += x * (rtt - rtt_mean)
            below += x * x
        return above / below


class MonitoredRate(ABC):
    """A controller that decides about its rate by what intervals tell."""

    rate: float
    """The rate that the decisions are about, in packets per second."""

    seed: float

    def begin(self, start: Start) -> None:
        """The connection begins."""
        self.cwnd = start.initial_window
        self.restart_window = start.restart_window
        self.pacing_rate = math.inf
        self.restarting = False
        """The plan waits for a packet to be delivered."""
        self.began: int | None = None
        self.age = 0
        self.srtt = 0.0
        self.plan: list[float] = []
        self.follow: Callable[[], None] | None = None
        self.waiting_rate = math.inf
        self.begun = self.judged = 0
        """The numbers of intervals of the plan that have begun, and that were judged."""
        self.intervals: list[Interval] = []
        """Those of the plan that have begun, and of a row those not judged."""
        self.places: deque[int] = deque(maxlen=DUPLICATES)
        """The times of sending of the packets acknowledged last."""
        self.settled: int | None = None
        """The time up to which losses are known."""

    @abstractmethod
    def first(self) -> None:
        """Plans the first interval."""

    @abstractmethod
    def length(self, rate: float) -> float:
        """The seconds that an interval lasts."""

    @abstractmethod
    def decide(self, results: list[Interval]) -> None:
        """Makes the next plan."""

    def send(self, plan: list[float], waiting_rate: float) -> None:
        """Plans these rates, and one for the time until their results are in."""
        self.plan, self.waiting_rate = plan, waiting_rate
        self.begun = self.judged = 0
        self.intervals = []
        self.follow = None

    def send_row(self, rate: float, follow: Callable[[], None]) -> None:
        """Plans a rate. When it was sent, ``follow`` adds another one, or makes another plan."""
        self.send([rate], rate)
        self.follow = follow

    def again(self) -> None:
        """Tries again what has no result: of a row the rates from there on, else all of the plan."""
        self.begun = self.judged
        self.intervals = []
        if self.follow is not None:
            self.plan = self.plan[: self.judged + 1]

    def at_least(self, rate: float) -> float:
        """Two packets in a round trip."""
        return max(rate, LEAST_PACKETS / self.srtt)

    def chance(self) -> int:
        """64 random bits of this moment."""
        return output(self.age, int(self.seed))

    def on_ack(self, ack: Ack) -> None:
        """Counts, decides, and goes on with the plan."""
        now = nanoseconds(ack.now)
        self.srtt = ack.srtt
        if self.began is None:
            if ack.rtt is None:
                return
            self.began = now
            self.first()
        self.age = now - self.began
        self.count(ack, now)
        while results := self.results():
            self.decide_by(results)
        if ack.delivered > 0.0:
            self.restarting = False
        if not self.restarting:
            self.go_on(now)
            self.cwnd = max(2.0 * self.pacing_rate * ack.srtt, LEAST_WINDOW)

    def decide_by(self, results: list[Interval]) -> None:
        """Makes the next plan, or this one again where trials said nothing."""
        if any(result.limited or result.counted == 0.0 for result in results):
            self.again()
        else:
            self.judged += len(results)
            self.intervals = self.intervals[len(results) :]
            self.decide(results)

    def count(self, ack: Ack, now: int) -> None:
        """Losses, then deliveries."""
        self.settled = self.places[0] if len(self.places) == DUPLICATES else None
        if ack.rtt is not None:
            self.places.append(now - nanoseconds(ack.rtt))
        place = self.places[-1]
        for interval in self.intervals:
            if self.settled is not None and interval.holds(self.settled):
                interval.lost += ack.lost
            if interval.holds(place):
                interval.delivered += ack.delivered
                interval.limited |= ack.rate is not None and ack.rate.app_limited
                if ack.rtt is not None:
                    interval.rtts.append((place, nanoseconds(ack.rtt)))

    def results(self) -> list[Interval]:
        """All of the plan, or the next of a row, if no loss of it can still be found."""
        if self.follow is None and self.begun < len(self.plan):
            return []
        known = self.intervals[:1] if self.follow else self.intervals
        if not known or known[-1].end is None or self.settled is None or self.settled < known[-1].end:
            return []
        return known

    def go_on(self, now: int) -> None:
        """Ends the interval that is due, and begins the next of the plan."""
        current = self.intervals[-1] if self.intervals and self.intervals[-1].end is None else None
        if current is not None and now >= current.due:
            current.end = now
            current = None
        if current is None and self.follow is not None and self.begun == len(self.plan):
            self.follow()
        if current is None and self.begun < len(self.plan):
            rate = self.plan[self.begun]
            self.begun += 1
            current = Interval(rate, now, now + nanoseconds(self.length(rate)))
            self.intervals.append(current)
        self.pacing_rate = self.waiting_rate if current is None else current.rate

    def on_congestion(self, event: Congestion) -> None:
        """A timeout."""
        if event.restart or event.signal == Signal.TIMEOUT:
            self.cwnd = min(self.cwnd, self.restart_window)
            self.restarting = True
            if self.began is not None:
                self.age = nanoseconds(event.now) - self.began
                self.on_timeout()

    @abstractmethod
    def on_timeout(self) -> None:
        """The results of an interval did not come for the time of a timeout."""

    def on_spurious(self) -> None:  # noqa: B027  nothing was reduced
        """Nothing."""

    def on_idle_restart(self, restart_window: float) -> None:
        """Begins the plan anew, from at most this window."""
        self.cwnd = min(self.cwnd, max(restart_window, 1.0))
        self.restarting = True
        self.again()
