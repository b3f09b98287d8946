"""NADA, Network-Assisted Dynamic Adaptation: RFC 8698, with its receiver's part at the sender (6.4).

Its packets' delays, losses and marks make one signal, `x_curr`, in seconds; the rate follows it. The text
leaves these points open, or asks for things that contradict each other, and is read as follows:

- 4.2 updates p_loss and p_mark with each packet, 5.3 needs them once a report. Here (10) is applied once a
  report, to a ratio over the packets sent less than LOGWIN before the highest that has been reported.
- "All previous delay samples" of rmode are the unfiltered ones; only the delay in (1) and (2) has passed the
  minimum filter of 5.1.1. The baseline is the least delay of the whole call: it never expires.
- By the criteria of rmode a mark does not end the accelerated ramp-up, as a loss does: (2) counts marks, but
  only in gradual updates.
- r_recv counts LOGWIN before the latest arrival, and is divided by the whole of LOGWIN from the beginning on.
- The observed interval delta of (7) is at most TAU; the text has no bound. The interval of the first report
  is DELTA. A pause would otherwise count as one long time of congestion.
- loss_int follows 5.4 of RFC 5348 with every lost packet as a loss event: the text does not say that losses
  of one round trip are one event, as 5.2 of RFC 5348 does. The first interval is the packets before the
  first loss. The interval that is still open never counts: where RFC 5348 counts it, in I_tot0, it has at
  least a sixth of the weight, and 7 / 6 of it is more than the packets since the loss, so that no loss would
  ever expire.
- The warped delay is not blended with the other over a further loss_int, which 4.2 recommends without saying
  whether the time lies before or after the expiration.
- r_ref begins with the encoder's initial rate instead of RMIN, within its range.
- The pacer is the rate-shaping buffer: its bytes are those of the latest frame's hand-over. The sending rate
  is never below the encoder's.

With the defaults GAMMA_MAX never binds: gamma is at most 50 / (0 + 100 + 120) = 0.227.
"""

import math
from collections import deque
from dataclasses import dataclass

from reference.media.facts import MediaDecision, MediaFrame, MediaPacket, MediaReport, MediaStart
from reference.registered import media

WEIGHTS = (1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2)
"""RFC 5348, 5.4: of the latest interval first."""


@media("nada")
@dataclass
class Nada:
    """Sender and receiver. Parameters are as in table 2; times in milliseconds."""

    start: MediaStart
    priority: float = 1.0
    xref: float = 10.0
    kappa: float = 0.5
    eta: float = 2.0
    tau: float = 500.0
    delta: float = 100.0
    logwin: float = 500.0
    qeps: float = 10.0
    dfilt: float = 120.0
    gamma_max: float = 0.5
    qbound: float = 50.0
    multiloss: float = 7.0
    qth: float = 50.0
    lambda_: float = 0.5
    """`lambda` is a word of Python."""
    plrref: float = 0.01
    pmrref: float = 0.01
    dloss: float = 10.0
    dmark: float = 2.0
    alpha: float = 0.1
    taps: int = 15
    beta_s: float = 0.1
    beta_v: float = 0.1

    def __post_init__(self) -> None:
        self.d_base = math.inf
        self.latest_delays: deque[float] = deque(maxlen=int(self.taps))
        self.log: list[MediaPacket] = []
        """Packets sent less than LOGWIN before the highest."""
        self.arrivals: list[tuple[float, int]] = []
        """Times and sizes of the packets that arrived less than LOGWIN before the latest arrival."""
        self.p_loss = self.p_mark = 0.0
        self.loss_intervals: list[int] = []
        """The closed ones, the latest first."""
        self.first_sequence: int | None = None
        self.highest = -1
        self.last_lost: int | None = None
        self.r_ref = self.clip(self.start.initial_rate)
        self.rtt = 0.0
        self.x_prev = 0.0
        self.t_last: float | None = None
        self.buffer_len = 0.0

    def clip(self, rate: float) -> float:
        """Equations (8) and (9)."""
        return max(min(rate, self.start.max_rate), self.start.min_rate)

    # The receiver's side: 4.2 and 5.1.

    def receive(self, packet: MediaPacket) -> None:
        """The outline of 4.2, "on receiving a media packet"; and a packet that was expected in vain."""
        if self.first_sequence is None:
            self.first_sequence = packet.sequence
        self.highest = max(self.highest, packet.sequence)
        self.log.append(packet)
        if packet.arrived is None:
            since = self.first_sequence if self.last_lost is None else self.last_lost
            self.loss_intervals.insert(0, packet.sequence - since)
            self.last_lost = packet.sequence
            return
        d_fwd = packet.arrived - packet.sent
        self.d_base = min(self.d_base, d_fwd)
        self.latest_delays.append(d_fwd)
        self.arrivals.append((packet.arrived, packet.size))

    def forget(self) -> None:
        """Both windows of LOGWIN move on."""
        logwin = self.logwin / 1e3
        highest = max(packet.sent for packet in self.log)
        self.log = [packet for packet in self.log if packet.sent > highest - logwin]
        if self.arrivals:
            latest, _ = max(self.arrivals)
            self.arrivals = [(arrived, size) for arrived, size in self.arrivals if arrived > latest - logwin]

    @property
    def r_recv(self) -> float:
        """Section 5.1.3."""
        return 8 * sum(size for _, size in self.arrivals) / (self.logwin / 1e3)

    @property
    def d_queue(self) -> float:
        """Section 5.1.1: the least of the latest 15 queuing delays."""
        return min(self.latest_delays) - self.d_base if self.latest_delays else 0.0

    def update_ratios(self) -> None:
        """Equation (10)."""
        lost = sum(packet.arrived is None for packet in self.log) / len(self.log)
        marked = sum(packet.marked for packet in self.log) / len(self.log)
        self.p_loss = self.alpha * lost + (1 - self.alpha) * self.p_loss
        self.p_mark = self.alpha * marked + (1 - self.alpha) * self.p_mark

    @property
    def loss_int(self) -> float:
        """RFC 5348, 5.4: I_mean of the intervals that are closed."""
        intervals = self.loss_intervals[: len(WEIGHTS)]
        weighted = sum(interval * w for interval, w in zip(intervals, WEIGHTS, strict=False))
        return weighted / sum(WEIGHTS[: len(intervals)])

    @property
    def d_tilde(self) -> float:
        """Equation (1), while the last loss is within loss_exp = MULTILOSS * loss_int."""
        d_queue, qth = self.d_queue, self.qth / 1e3
        if self.last_lost is None or d_queue < qth:
            return d_queue
        if self.highest - self.last_lost >= self.multiloss * self.loss_int:
            return d_queue
        return qth * math.exp(-self.lambda_ * (d_queue - qth) / qth)

    @property
    def x_curr(self) -> float:
        """Equation (2)."""
        return (
            self.d_tilde
            + self.dmark / 1e3 * (self.p_mark / self.pmrref) ** 2
            + self.dloss / 1e3 * (self.p_loss / self.plrref) ** 2
        )

    @property
    def rmode(self) -> int:
        """Section 4.2: 0, accelerated ramp-up, without losses and a queue within LOGWIN; otherwise 1."""
        for packet in self.log:
            if packet.arrived is None or packet.arrived - packet.sent - self.d_base >= self.qeps / 1e3:
                return 1
        return 0

    # The sender's side: 4.3 and 5.2.

    def on_report(self, report: MediaReport) -> MediaDecision:
        """The outline of 4.3, after that of 4.2 for each packet."""
        for packet in report.packets:
            self.receive(packet)
        self.forget()
        self.update_ratios()
        x_curr = self.x_curr
        if report.rtt is not None:
            self.rtt = report.rtt
        if self.rmode == 0:
            self.ramp_up()
        else:
            delta = self.delta / 1e3 if self.t_last is None else report.now - self.t_last
            self.update_gradually(x_curr, min(delta, self.tau / 1e3))
        self.r_ref = self.clip(self.r_ref)
        self.x_prev = x_curr
        self.t_last = report.now
        return self.decision()

    def ramp_up(self) -> None:
        """Equations (3) and (4)."""
        gamma = min(self.gamma_max, self.qbound / 1e3 / (self.rtt + self.delta / 1e3 + self.dfilt / 1e3))
        self.r_ref = max(self.r_ref, (1 + gamma) * self.r_recv)

    def update_gradually(self, x_curr: float, delta: float) -> None:
        """Equations (5) to (7)."""
        tau = self.tau / 1e3
        x_offset = x_curr - self.priority * self.xref / 1e3 * self.start.max_rate / self.r_ref
        x_diff = x_curr - self.x_prev
        self.r_ref = (
            self.r_ref
            - self.kappa * (delta / tau) * (x_offset / tau) * self.r_ref
            - self.kappa * self.eta * (x_diff / tau) * self.r_ref
        )

    def on_frame(self, frame: MediaFrame) -> MediaDecision:
        """The occupancy of the rate-shaping buffer."""
        self.buffer_len = frame.queued_bytes
        return self.decision()

    def decision(self) -> MediaDecision:
        """Equations (11) to (14)."""
        drain = 8 * self.buffer_len / self.start.frame_period
        r_diff_v = min(0.05 * self.r_ref, self.beta_v * drain)
        r_diff_s = min(0.05 * self.r_ref, self.beta_s * drain)
        r_vin = max(self.start.min_rate, self.r_ref - r_diff_v)
        r_send = min(self.start.max_rate, self.r_ref + r_diff_s)
        return MediaDecision(target=r_vin, pacing=max(r_send, r_vin))
