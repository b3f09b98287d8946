"""Compound TCP, with the parameters of mesonet, Table 5-4.

K. Tan, J. Song, Q. Zhang, M. Sridharan, "A Compound TCP Approach for High-Speed and Long Distance Networks",
INFOCOM 2006; draft-sridharan-tcpm-ctcp-02. Equations 14 to 17 of mesonet describe it with misprints: they add
dwnd to cwnd on every acknowledgment, and have min[0, ..] where only max[0, ..] makes sense.
"""

from reference.avoidance.vegas import RoundTrips
from reference.facts import Ack, Congestion, Signal
from reference.registered import avoidance
from reference.windowed import Avoidance, Window


@avoidance("compound")
class Compound(Avoidance):
    """A loss-based and a delay-based window: "win = cwnd + dwnd"."""

    def __init__(
        self,
        alpha: float = 0.125,
        beta: float = 0.5,
        gamma: float = 30.0,
        zeta: float = 0.1,
        k: float = 0.8,
        low_window: float = 41.0,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.zeta = zeta
        self.k = k
        self.low_window = low_window
        self.dwnd = 0.0
        self.cwnd = 0.0
        self.round_trips = RoundTrips()
        self.finished: list[float] | None = None

    def measure(self, ack: Ack, window: Window) -> None:
        """Notices the end of a round trip."""
        self.cwnd = window.cwnd
        self.finished = self.round_trips.measure(ack)

    def adjust(self, ack: Ack, window: Window) -> None:
        """Standard TCP below the low window; above it "cwnd <- cwnd + 1 / (cwnd + dwnd)" (14)."""
        win = window.cwnd + self.dwnd
        if win < self.low_window:
            self.dwnd = 0.0
            window.cwnd += min(ack.delivered, ack.acks) / window.cwnd
        else:
            if self.finished:
                rtt = sum(self.finished) / len(self.finished)
                self.update(win, ack.min_rtt, rtt)
            window.cwnd += min(ack.delivered, ack.acks) / win
        self.cwnd = window.cwnd

    def update(self, win: float, base_rtt: float, rtt: float) -> None:
        """The control of dwnd, once per round trip.

        expected = win / baseRTT, actual = win / RTT, diff = (expected - actual) baseRTT;
        dwnd + (alpha win^k - 1)+ if diff < gamma, (dwnd - zeta diff)+ otherwise.
        """
        diff = (win / base_rtt - win / rtt) * base_rtt
        if diff < self.gamma:
            self.dwnd += max(self.alpha * win**self.k - 1.0, 0.0)
        else:
            self.dwnd = max(self.dwnd - self.zeta * diff, 0.0)

    def back_off(self, event: Congestion, used: float) -> float:
        """A loss: cwnd is halved, and dwnd becomes win (1 - beta) less the new cwnd.

        If only a part of the window was in use, both parts count in proportion. A timeout sets dwnd to 0
        (16).
        """
        self.round_trips.samples = []
        self.finished = None
        if used < self.low_window:
            self.dwnd = 0.0
            return max(used / 2.0, 2.0)
        cwnd = used if self.dwnd == 0.0 else used * self.cwnd / (self.cwnd + self.dwnd)
        kept = max(cwnd / 2.0, 2.0)
        if event.restart or event.signal == Signal.TIMEOUT:
            self.dwnd = 0.0
        else:
            self.dwnd = max(used * (1.0 - self.beta) - kept, 0.0)
        return kept

    def delay_window(self) -> float:
        """The second window."""
        return self.dwnd

    def on_idle_restart(self) -> None:
        """The restart window stands alone."""
        self.dwnd = 0.0
