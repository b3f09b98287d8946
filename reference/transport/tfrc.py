"""TFRC, TCP Friendly Rate Control: RFC 5348.

The estimates of the receiver, and the rate that the sender derives from them. Times are in seconds, rates in
bytes per second; a packet carries `size` bytes. Left open in the RFC, and chosen here:

- a packet that arrives after it was declared lost stays lost (the receiver may repair its history, 5.1);
- the first loss interval is found by bisection, to more than the 5 % the RFC allows (6.3.1);
- the only packet of a round-trip time counts even if it came exactly at its beginning (6.2);
- an idle sender at or below its recovery rate lets the nofeedback timer rest until it sends (4.4).
"""

import math
from dataclasses import dataclass

TICK = 0.5e-9
"""Times closer than half a nanosecond are the same."""


@dataclass
class Parameters:
    """The parameters of a specification."""

    size: int = 1460
    intervals: int = 8
    discounting: bool = False
    discount_floor: float = 0.25
    reordering: int = 3
    oscillation_reduction: bool = False
    rtt_weight: float = 0.9
    min_rto: float = 0.0
    estimated_rto: bool = False
    """ns-2 (tfrc.cc): the timeout that TCP would have, where 3.1 recommends t_RTO = max(4 R, one second)."""
    max_backoff: float = 64.0


def throughput(s: float, rtt: float, t_rto: float, p: float) -> float:
    """Section 3.1 with b = 1."""
    return s / (rtt * math.sqrt(2 * p / 3) + t_rto * (3 * math.sqrt(3 * p / 8)) * p * (1 + 32 * p**2))


def loss_event_rate_for(s: float, rtt: float, t_rto: float, rate: float) -> float:
    """Section 6.3.1: the p for which the throughput equation gives `rate`."""
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = (low + high) / 2
        if throughput(s, rtt, t_rto, middle) > rate:
            low = middle
        else:
            high = middle
    return high


def weights(n: int) -> list[float]:
    """Section 5.4: 1 for the first half, 2 (n - i) / (n + 2) for the others."""
    return [1.0 if i < n / 2 else 2.0 * (n - i) / (n + 2) for i in range(n)]


@dataclass
class Loss:
    """The first loss of a loss event: its number, and when it was or would have been received."""

    number: int
    time: float


@dataclass
class Interval:
    """A loss interval, and its discount factor DF_i."""

    length: float
    discount: float = 1.0


class Receiver:
    """Sections 5 and 6."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.received: dict[int, float] = {}
        """All packets and their times of arrival, in the order of arrival."""
        self.highest = -1
        self.judged = 0
        """Every packet below this number has been received or given up."""
        self.arrivals: list[float] = []
        self.last: tuple[float, float] = (0.0, 0.0)
        self.rtt = 0.0
        self.event: Loss | None = None
        self.closed: list[Interval] = []
        self.p = 0.0
        self.max_rate = 0.0
        self.timer: float | None = None
        self.new_data = False
        self.feedback_due = False

    def on_packet(self, now: float, number: int, timestamp: float, rtt: float, *, marked: bool) -> None:
        """Section 6.1; `rtt` is 0 before the sender has one."""
        if self.received:
            if number in self.received or number < self.judged:
                return
        else:
            self.judged = number
        self.received[number] = now
        self.highest = max(self.highest, number)
        self.arrivals.append(now)
        self.last = (timestamp, now)
        self.new_data = True
        knew_rtt = self.rtt > 0
        if number == self.highest and rtt > 0:
            self.rtt = rtt
        if not self.rtt > 0:
            # Section 6.3: every packet is answered until one has an estimate.
            self.feedback_due = True
            return
        # 5.1: a congestion event that a mark shows begins with the packets that are missing before it.
        self.judge(now, number if marked else 0)
        if marked:
            self.lose(Loss(number, now), now)
        previous = self.p
        self.p = self.loss_event_rate()
        if not knew_rtt:
            self.timer = now + self.rtt
        if self.p > previous or self.timer is None:
            self.feedback_due = True

    def on_timer(self, now: float) -> None:
        """Section 6.2: feedback is due if data came since the last."""
        if self.timer is not None and now >= self.timer:
            self.timer = None
            if self.new_data:
                self.feedback_due = True

    def feedback(self, now: float) -> tuple[float, float, float, float] | None:
        """Section 3.2.2: t_recvdata, t_delay, X_recv and p, if they are to be sent now."""
        if not self.feedback_due:
            return None
        self.feedback_due = False
        self.new_data = False
        if self.rtt > 0:
            self.timer = now + self.rtt
        rate = self.receive_rate(now)
        self.max_rate = max(self.max_rate, rate)
        self.p = self.loss_event_rate()
        return self.last[0], now - self.last[1], rate, self.p

    def receive_rate(self, now: float) -> float:
        """Section 6.2: from the packets received within the previous R_m seconds."""
        if not self.rtt > 0:
            return 0.0
        recent = [at for at in self.arrivals if self.rtt - (now - at) > TICK]
        return max(len(recent), 1) * self.parameters.size / self.rtt

    def judge(self, now: float, lost_below: int) -> None:
        """Section 5.1: a packet is lost with NDUPACK arrivals of higher number, or that of a mark."""
        while True:
            missing = self.judged
            while missing in self.received:
                missing += 1
            self.judged = missing
            late = self.above(missing) >= self.parameters.reordering or missing < lost_below
            if missing > self.highest or not late:
                return
            self.judged = missing + 1
            self.lose(Loss(missing, self.nominal(missing)), now)

    def above(self, missing: int) -> int:
        """The number of packets with higher numbers that have arrived."""
        return sum(number > missing for number in self.received)

    def nominal(self, number: int) -> float:
        """Section 5.2: when the packet would have arrived, between the first arrivals around it.

        Reordered packets that filled a part of the gap do not count: S_before and S_after are the two packets
        that revealed the gap: the highest number until then, and the number that came instead of the next.
        """
        highest, before = -1, 0.0
        for other, time in self.received.items():
            if other > number and highest >= 0:
                share = (number - highest) / (other - highest)
                return before + (time - before) * share
            if other > highest:
                highest, before = other, time
        raise AssertionError(f"nothing arrived around {number}")

    def lose(self, loss: Loss, now: float) -> None:
        """Section 5.2: if T_old + R_i >= T_new, it is part of the same loss event."""
        if self.event is None:
            self.event = loss
            target = max(self.max_rate, self.receive_rate(now), self.parameters.size / (2 * self.rtt))
            t_rto = max(4 * self.rtt, self.parameters.min_rto)
            p = loss_event_rate_for(self.parameters.size, self.rtt, t_rto, target)
            self.closed = [Interval(1 / p)]
            return
        if self.event.time + self.rtt >= loss.time or loss.number <= self.event.number:
            return
        length = float(loss.number - self.event.number)
        factor = self.discount_factor(length)
        for interval in self.closed:
            interval.discount *= factor
        self.closed = [Interval(length), *self.closed][: self.parameters.intervals]
        self.event = loss

    def discount_factor(self, current: float) -> float:
        """Section 5.5: DF."""
        if not self.parameters.discounting:
            return 1.0
        w = weights(self.parameters.intervals)
        total = sum(w[i] * interval.discount * interval.length for i, interval in enumerate(self.closed))
        mean = total / sum(w[i] * interval.discount for i, interval in enumerate(self.closed))
        if current > 2 * mean:
            return max(2 * mean / current, self.parameters.discount_floor)
        return 1.0

    def loss_event_rate(self) -> float:
        """Section 5.4, with the factors of 5.5."""
        if self.event is None:
            return 0.0
        w = weights(self.parameters.intervals)
        current = float(max(self.highest - self.event.number, 0) + 1)
        df = self.discount_factor(current)
        i_tot0, w_tot0 = current * w[0], w[0]
        for i in range(1, len(self.closed)):
            share = w[i] * self.closed[i - 1].discount * df
            i_tot0 += self.closed[i - 1].length * share
            w_tot0 += share
        i_tot1 = w_tot1 = 0.0
        for i, interval in enumerate(self.closed):
            i_tot1 += interval.length * w[i] * interval.discount
            w_tot1 += w[i] * interval.discount
        return min(w_tot0 / i_tot0, w_tot1 / i_tot1, 1.0)


class Sender:
    """Section 4: the rate of a sender that always has data, except where it says it is idle."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.s = float(parameters.size)
        self.x = self.s
        """The allowed rate: 1 packet per second at first (4.2)."""
        self.x_inst = self.x
        self.x_bps = 0.0
        self.rtt = 0.0
        """R; 0 before the first feedback."""
        self.r_sqmean: float | None = None
        self.rtts: list[float] = []
        """All samples."""
        self.p = 0.0
        self.x_recv_set: list[tuple[float, float]] = []
        self.tld = 0.0
        self.idle = True

    @property
    def w_init(self) -> float:
        """Section 4.2: min(4*MSS, max(2*MSS, 4380)) bytes."""
        return min(4 * self.s, max(2 * self.s, 4380.0))

    @property
    def least(self) -> float:
        """One packet in t_mbi."""
        return self.s / self.parameters.max_backoff

    def timeout(self) -> float:
        """The time until the nofeedback timer expires: max(4*R, 2*s/X), and at first 2 seconds."""
        spacing = 2 * self.s / self.x
        return max(spacing, 2.0) if not self.rtt else max(spacing, 4 * self.rtt)

    def on_feedback(
        self, now: float, sample: float, x_recv: float, p: float, *, data_limited: bool = False
    ) -> None:
        """Section 4.3; `sample` is its step 1."""
        self.rtts.append(sample)
        if not self.rtt:
            self.rtt = sample
            self.x = self.w_init / sample
            self.x_recv_set = [(now, math.inf)]
            self.tld = now
        else:
            q = self.parameters.rtt_weight
            self.rtt = q * self.rtt + (1 - q) * sample
        if data_limited:
            rates = [rate for _, rate in self.x_recv_set if rate < math.inf]
            if p > self.p:
                rates = [rate / 2 for rate in rates]
                x_recv *= 0.85
                factor = 1
            else:
                factor = 2
            self.x_recv_set = [(now, max([x_recv, *rates]))]
        else:
            self.x_recv_set.append((now, x_recv))
            self.x_recv_set = [(at, rate) for at, rate in self.x_recv_set if now - at <= 2 * self.rtt]
            factor = 2
        self.p = p
        self.step_4(now, factor * max(rate for _, rate in self.x_recv_set))
        self.oscillation(sample)
        self.idle = True

    def step_4(self, now: float, recv_limit: float) -> None:
        """The second part of step 4."""
        if self.p > 0:
            self.x_bps = throughput(self.s, self.rtt, self.t_rto(), self.p)
            self.x = max(min(self.x_bps, recv_limit), self.least)
        elif now - self.tld >= self.rtt:
            self.x = max(min(2 * self.x, recv_limit), self.w_init / self.rtt)
            self.tld = now

    def t_rto(self) -> float:
        """Section 3.1, or RFC 6298, 2.2 and 2.3, over all samples."""
        if not self.parameters.estimated_rto:
            return max(4 * self.rtt, self.parameters.min_rto)
        first, *others = self.rtts
        srtt, rttvar = first, first / 2
        for r in others:
            rttvar = (1 - 1 / 4) * rttvar + 1 / 4 * abs(srtt - r)
            srtt = (1 - 1 / 8) * srtt + 1 / 8 * r
        return max(srtt + 4 * rttvar, self.parameters.min_rto)

    def oscillation(self, sample: float) -> None:
        """Section 4.5."""
        self.x_inst = self.x
        if self.parameters.oscillation_reduction:
            root = math.sqrt(sample)
            self.r_sqmean = root if self.r_sqmean is None else 0.9 * self.r_sqmean + 0.1 * root
            self.x_inst = max(self.x * self.r_sqmean / root, self.least)

    def on_packet_sent(self) -> None:
        """It is not idle."""
        self.idle = False

    def on_nofeedback_timer(self, now: float) -> None:
        """Section 4.4."""
        x_recv = max((rate for _, rate in self.x_recv_set), default=math.inf)
        if not self.rtt:
            if not self.idle:
                self.x = max(self.x / 2, self.least)
        elif self.idle and self.below_recovery(x_recv):
            pass
        elif self.p == 0:
            self.x = max(self.x / 2, self.least)
        elif self.x_bps > 2 * x_recv:
            self.update_limits(now, x_recv)
        else:
            self.update_limits(now, self.x_bps / 2)
        self.x_inst = self.x
        self.idle = True

    def below_recovery(self, x_recv: float) -> bool:
        """True if the sender may send faster after an idle time anyway."""
        recover_rate = self.w_init / self.rtt
        return self.x < 2 * recover_rate if self.p == 0 else x_recv < recover_rate

    def update_limits(self, now: float, timer_limit: float) -> None:
        """Section 4.4, Update_Limits."""
        timer_limit = max(timer_limit, self.least)
        self.x_recv_set = [(now, timer_limit / 2)]
        self.step_4(now, timer_limit)
