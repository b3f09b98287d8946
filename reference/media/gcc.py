"""GCC, Google's congestion control: draft-ietf-rmcat-gcc-02, with both of its controllers at the sender.

Times are in milliseconds, as in the draft. It leaves these points open, and is read as follows:

- A group's burst_time runs from its first packet; the second condition of 5.2 compares a packet with the last
  one of the group. A group is judged when the next one begins. A packet is out of order if one of a higher
  number has arrived before it.
- 5.3 does not give K, var_v_hat(0) or m_hat(0): they are 60 groups, 1 (the least that the filter allows) and
  0. f_max is in groups per millisecond, the unit in which "30/(1000 * f_max)" is a part of a frame. Only z(i)
  above 3 sqrt(var_v_hat(i-1)) is an outlier, as written, not one below the negative of it.
- 5.4: m(i) is compared with del_var_th(i), which m(i) has already moved, as the indices say; the condition
  |m(i)| - del_var_th(i) > 15 can only mean del_var_th(i-1). Over-use has been detected since the arrival of
  the first group above the threshold. Over-use that is not signaled is the normal state.
- 5.5: rate control runs once a report; for the first, no time has passed since an update. Over-use that any
  group of the report signals counts, otherwise the signal of its last group. A report that completes no
  group is taken for normal.
- Every update in the Decrease state sets A_hat to beta * R_hat, but never raises it: the text says
  "decreased". The average and deviation of R_hat are those of the updates in the Decrease state, an
  exponentially weighted mean and variance. One is enough for valid estimates, since a deviation below 2.5 %
  of the average counts as this much: a choice, as the text does not say when they are valid.
- R_hat above three deviations resets the average in every state.
- R_hat is over T before the latest arrival, and divided by T from the beginning on, as written.
- A_hat < 1.5 * R_hat ends an increase and does not lower the estimate: a choice. The text says what should
  hold, and not what happens when R_hat falls, after a pause for example.
- The draft has no least or highest rate; both estimates stay within the encoder's range.
- 6: exactly 2 % and 10 % keep As_hat as it is. Three departures, for feedback of today: As_hat begins with
  the highest rate; it is updated once a second, over the packets told since, because the text is of the
  receiver reports of RTCP; and it falls from the actual rate instead of from itself.
- 4 paces groups of target * burst_time. Here packets leave at `pacing` times the target.

As written, a steady overload is signaled only if the delay grows by more than del_var_th, 6 ms at the least,
from one group to the next: groups 10 ms apart at 125 % of the capacity, 2.5 ms each, never do this.
"""

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

from reference.facts import nanoseconds
from reference.media.facts import MediaDecision, MediaFrame, MediaReport, MediaStart
from reference.registered import media

K = 60
"""Groups over which f_max is taken."""
OUTLIER = 3.0
LEAST_VARIANCE = 1.0
STATE_COVARIANCE = 0.1
"""e(0)."""
NO_ADAPTATION = 15.0
LEAST_THRESHOLD, MOST_THRESHOLD = 6.0, 600.0
SMOOTHING = 0.95
LEAST_DEVIATION = 0.025
"""Of the average."""
EVALUATION = 1000.0
"""Between two updates of As_hat."""


class Signal(Enum):
    """The signals of the over-use detector to the rate control."""

    OVERUSE = auto()
    NORMAL = auto()
    UNDERUSE = auto()


class State(Enum):
    """The states of the rate control."""

    HOLD = auto()
    INCREASE = auto()
    DECREASE = auto()


TRANSITIONS = {
    (State.HOLD, Signal.OVERUSE): State.DECREASE,
    (State.INCREASE, Signal.OVERUSE): State.DECREASE,
    (State.HOLD, Signal.NORMAL): State.INCREASE,
    (State.DECREASE, Signal.NORMAL): State.HOLD,
    (State.INCREASE, Signal.UNDERUSE): State.HOLD,
    (State.DECREASE, Signal.UNDERUSE): State.HOLD,
}
"""The table of 5.5 without its blank fields, "meaning 'remain in state'"."""


@dataclass
class Group:
    """A group of packets: the times of its first and its last packet."""

    first_sent: float
    sent: float
    arrived: float


@media("gcc")
@dataclass
class Gcc:
    """The delay-based and the loss-based controller."""

    start: MediaStart
    burst: float = 5.0
    overuse_time: float = 10.0
    process_noise: float = 1e-3
    chi: float = 0.01
    k_up: float = 0.01
    k_down: float = 0.00018
    threshold: float = 12.5
    beta: float = 0.85
    window: float = 500.0
    increase: float = 1.08
    pacing: float = 2.5
    scaled: float = 0.0
    """1: libwebrtc's comparison, by m(i) times the number of groups, up to K."""

    def __post_init__(self) -> None:
        self.highest = -1
        self.group: Group | None = None
        self.before: Group | None = None
        self.departures: deque[float] = deque(maxlen=K)
        """Inter-departure times of the last groups."""
        self.m_hat = 0.0
        self.groups = 0
        self.e = STATE_COVARIANCE
        self.var_v_hat = LEAST_VARIANCE
        self.del_var_th = self.threshold
        self.overuse_since: float | None = None
        self.signal = Signal.NORMAL
        self.received: deque[tuple[float, int]] = deque()
        """Arrival and size of the packets of the window."""
        self.latest_arrival = -math.inf
        self.state = State.INCREASE
        self.decreases = 0
        self.average = self.variance = 0.0
        self.rtt = 0.0
        self.last_update: float | None = None
        self.a_hat = self.clip(self.start.initial_rate)
        self.as_hat = self.start.max_rate
        self.last_evaluation: float | None = None
        """Of the losses."""
        self.told = self.lost = 0

    def clip(self, rate: float) -> float:
        """The encoder's range."""
        return max(min(rate, self.start.max_rate), self.start.min_rate)

    # 5.1 to 5.4: from packets to a signal.

    def receive(self, sequence: int, sent: float, arrived: float) -> Signal | None:
        """The arrival-time model and what follows; the signal if a group is complete."""
        if sequence < self.highest:
            return None
        self.highest = sequence
        group = self.group
        if group is None:
            self.group = Group(sent, sent, arrived)
            return None
        if self.belongs(group, sent, arrived):
            group.sent, group.arrived = sent, max(group.arrived, arrived)
            return None
        signal = self.judge(group)
        self.before, self.group = group, Group(sent, sent, arrived)
        return signal

    def belongs(self, group: Group, sent: float, arrived: float) -> bool:
        """Section 5.2."""
        burst = nanoseconds(self.burst / 1e3)
        if nanoseconds((sent - group.first_sent) / 1e3) <= burst:
            return True
        inter_arrival = nanoseconds((arrived - group.arrived) / 1e3)
        return inter_arrival < burst and inter_arrival < nanoseconds((sent - group.sent) / 1e3)

    def judge(self, group: Group) -> Signal | None:
        """Sections 5.3 and 5.4 for a group that is complete; none for the first."""
        if self.before is None:
            return None
        inter_arrival = group.arrived - self.before.arrived
        inter_departure = group.sent - self.before.sent
        m_before = self.m_hat
        self.filter(inter_arrival - inter_departure, inter_departure)
        self.adapt(inter_arrival)
        self.detect(group.arrived, m_before)
        return self.signal

    def filter(self, d: float, inter_departure: float) -> None:
        """Section 5.3."""
        self.groups += 1
        self.departures.append(inter_departure)
        alpha = (1 - self.chi) ** (30 * min(self.departures) / 1000)  # f_max is 1 over this minimum
        z = d - self.m_hat
        z_bounded = min(z, OUTLIER * math.sqrt(self.var_v_hat))
        self.var_v_hat = max(alpha * self.var_v_hat + (1 - alpha) * z_bounded**2, LEAST_VARIANCE)
        k = (self.e + self.process_noise) / (self.var_v_hat + (self.e + self.process_noise))
        self.m_hat += z * k
        self.e = (1 - k) * (self.e + self.process_noise)

    @property
    def compared(self) -> float:
        """The estimate that 5.4 compares with the threshold."""
        return self.m_hat * min(self.groups, K) if self.scaled else self.m_hat

    def adapt(self, inter_arrival: float) -> None:
        """The threshold of 5.4."""
        m = abs(self.compared)
        if m - self.del_var_th > NO_ADAPTATION:
            return
        k = self.k_down if m < self.del_var_th else self.k_up
        self.del_var_th += inter_arrival * k * (m - self.del_var_th)
        self.del_var_th = min(max(self.del_var_th, LEAST_THRESHOLD), MOST_THRESHOLD)

    def detect(self, arrived: float, m_before: float) -> None:
        """The detector of 5.4."""
        self.signal = Signal.NORMAL
        if self.compared > self.del_var_th:
            if self.overuse_since is None:
                self.overuse_since = arrived
            lasts = nanoseconds((arrived - self.overuse_since) / 1e3)
            if lasts >= nanoseconds(self.overuse_time / 1e3) and self.m_hat >= m_before:
                self.signal = Signal.OVERUSE
            return
        self.overuse_since = None
        if self.compared < -self.del_var_th:
            self.signal = Signal.UNDERUSE

    # 5.5: the rate.

    def count(self, arrived: float, size: int) -> None:
        """The packets of the past T."""
        self.latest_arrival = max(self.latest_arrival, arrived)
        self.received.append((arrived, size))
        since = self.latest_arrival - self.window
        self.received = deque(item for item in self.received if item[0] > since)

    @property
    def r_hat(self) -> float:
        """The incoming rate in bit/s."""
        return 8 * sum(size for _, size in self.received) / (self.window / 1e3)

    def control(self, signal: Signal, since_last_update: float) -> None:
        """An update of A_hat."""
        self.state = TRANSITIONS.get((self.state, signal), self.state)
        r_hat = self.r_hat
        if self.converged_before() and r_hat > self.average + self.three_deviations():
            self.decreases = 0
        if self.state is State.INCREASE:
            if self.converged_before() and self.close(r_hat):
                increased = self.a_hat + self.additive(since_last_update)
            else:
                increased = self.a_hat * self.increase ** min(since_last_update / 1000, 1.0)
            self.a_hat = max(self.a_hat, min(increased, 1.5 * r_hat))
        elif self.state is State.DECREASE:
            self.a_hat = min(self.a_hat, self.beta * r_hat)
            self.remember(r_hat)
        self.a_hat = self.clip(self.a_hat)

    def additive(self, since_last_update: float) -> float:
        """Half a packet per response time."""
        response_time = 100 + self.rtt
        alpha = 0.5 * min(since_last_update / response_time, 1.0)
        bits_per_frame = self.a_hat / 30
        packets_per_frame = math.ceil(bits_per_frame / (1200 * 8))
        return max(1000.0, alpha * bits_per_frame / packets_per_frame)

    def remember(self, r_hat: float) -> None:
        """The average and the variance of R_hat in the Decrease state."""
        self.decreases += 1
        if self.decreases == 1:
            self.average, self.variance = r_hat, 0.0
            return
        deviation = r_hat - self.average
        self.average = SMOOTHING * self.average + (1 - SMOOTHING) * r_hat
        self.variance = SMOOTHING * self.variance + (1 - SMOOTHING) * deviation**2

    def converged_before(self) -> bool:
        """The estimates are valid."""
        return self.decreases >= 1

    def three_deviations(self) -> float:
        """The distance from the average that is close."""
        return 3 * max(math.sqrt(self.variance), LEAST_DEVIATION * self.average)

    def close(self, r_hat: float) -> bool:
        """R_hat is near the average of the Decrease state."""
        return abs(r_hat - self.average) <= self.three_deviations()

    # 6: the losses.

    def on_losses(self, now: float, told: int, lost: int) -> None:
        """Section 6, once a second."""
        self.told += told
        self.lost += lost
        if self.last_evaluation is None:
            self.last_evaluation = now
        if nanoseconds((now - self.last_evaluation) / 1e3) < nanoseconds(EVALUATION / 1e3):
            return
        p = self.lost / self.told
        if p > 0.1:
            self.as_hat = min(self.as_hat, self.a_hat) * (1 - 0.5 * p)
        elif p < 0.02:
            self.as_hat *= 1.05
        self.as_hat = self.clip(self.as_hat)
        self.last_evaluation = now
        self.told = self.lost = 0

    def on_report(self, report: MediaReport) -> MediaDecision:
        """Both controllers, the delay-based one first."""
        if report.rtt is not None:
            self.rtt = report.rtt * 1e3
        packets = report.packets
        arrivals = sorted((p.arrived * 1e3, p.sequence, p) for p in packets if p.arrived is not None)
        signals = []
        for arrived, sequence, packet in arrivals:
            self.count(arrived, packet.size)
            signals.append(self.receive(sequence, packet.sent * 1e3, arrived))
        known = [signal for signal in signals if signal is not None] or [Signal.NORMAL]
        now = report.now * 1e3
        since_last_update = 0.0 if self.last_update is None else now - self.last_update
        self.control(Signal.OVERUSE if Signal.OVERUSE in known else known[-1], since_last_update)
        self.last_update = now
        self.on_losses(now, len(packets), len(packets) - len(arrivals))
        return self.decision()

    def on_frame(self, frame: MediaFrame) -> MediaDecision:  # noqa: ARG002
        """Frames change nothing."""
        return self.decision()

    def decision(self) -> MediaDecision:
        """Section 6: "the minimum between As_hat and A_hat"."""
        target = min(self.as_hat, self.a_hat)
        return MediaDecision(target=target, pacing=self.pacing * target)
