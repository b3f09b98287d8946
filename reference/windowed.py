"""The rules of RFC 5681 for every sender, independent of its slow start and its congestion avoidance."""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass

from reference.facts import Ack, Congestion, Signal, Start


@dataclass
class Window:
    """The two state variables of RFC 5681, section 2, in packets."""

    cwnd: float
    """The congestion window."""
    ssthresh: float
    """The slow-start threshold."""

    def limit(self, max_fs: float) -> float:
        """``limit(maxFS)`` of draft-ietf-ccwg-ratelimited-increase, section 3."""
        return 2 * max_fs if self.cwnd < self.ssthresh else max_fs + 1


class SlowStart(ABC):
    """The growth of the window below ssthresh."""

    def begin(self, window: Window) -> None:  # noqa: B027  most begin as the connection does
        """Receives the initial window of the connection, and may set another."""

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: B027  most have nothing to learn
        """Learns from every acknowledgment."""

    @abstractmethod
    def grow(self, ack: Ack, window: Window) -> None:
        """Grows the window, by less than a packet beyond the threshold."""

    def on_congestion(self) -> None:  # noqa: B027  most have nothing to forget
        """A congestion episode begins."""

    def on_timeout(self) -> None:  # noqa: B027  of use to HyStart in Linux alone
        """The retransmission timer expired, not for the same segment again."""

    def on_restart(self) -> None:  # noqa: B027  of use to Burst TCP alone
        """The window begins anew after congestion."""

    def on_reduction(self, before: Window, share: float, window: Window) -> None:  # noqa: B027  for a start of its own
        """The avoidance has reduced the window, to this share of what was in use; it may be another one."""

    def on_idle_restart(self) -> None:  # noqa: B027  of use to SEARCH alone
        """The sender starts again after an idle time."""

    def pacing_rate(self, window: Window) -> float | None:  # noqa: ARG002  most set none
        """Packets per second, if the slow start paces them itself."""
        return None


class Avoidance(ABC):
    """The window from ssthresh on, and its reduction at congestion."""

    accurate_ecn = False
    """True if the receiver must report how many packets were marked."""

    pauses = False
    """True if the window grows in neither phase."""

    def measure(self, ack: Ack, window: Window) -> None:  # noqa: B027  most have nothing to learn
        """Learns from every acknowledgment."""

    @abstractmethod
    def adjust(self, ack: Ack, window: Window) -> None:
        """Moves the window."""

    @abstractmethod
    def back_off(self, event: Congestion, used: float) -> float:
        """The window that remains after congestion, if ``used`` packets of it were in use."""

    def delay_window(self) -> float:
        """Packets allowed in addition to the congestion window: Compound TCP's second window."""
        return 0.0

    def on_idle_restart(self) -> None:  # noqa: B027  most have nothing to give up
        """The sender starts again after an idle time."""


class Windowed:
    """A congestion window between a slow start and a congestion avoidance."""

    def __init__(
        self,
        slow_start: SlowStart,
        avoidance: Avoidance,
        start: Start,
    ) -> None:
        self.window = Window(start.initial_window, start.initial_ssthresh)
        self.restart_window = start.restart_window
        self.slow_start = slow_start
        self.avoidance = avoidance
        self.before: tuple[Window, SlowStart, Avoidance] | None = None
        slow_start.begin(self.window)

    @property
    def cwnd(self) -> float:
        """Packets that may be in the network."""
        return self.window.cwnd + self.avoidance.delay_window()

    @property
    def ssthresh(self) -> float:
        """The slow-start threshold in packets."""
        return self.window.ssthresh

    @property
    def pacing_rate(self) -> float | None:
        """Packets per second; None if the window alone holds them back."""
        return self.slow_start.pacing_rate(self.window)

    @property
    def accurate_ecn(self) -> bool:
        """True if the receiver must report how many packets were marked."""
        return self.avoidance.accurate_ecn

    def on_ack(self, ack: Ack) -> None:
        """Chooses the phase.

        RFC 5681, 3.1: "The slow start algorithm is used when cwnd < ssthresh, while the congestion avoidance
        algorithm is used when cwnd > ssthresh. When cwnd and ssthresh are equal, the sender may use either".
        Here it uses congestion avoidance.
        """
        self.slow_start.measure(ack, self.window)
        self.avoidance.measure(ack, self.window)
        if not ack.may_grow or self.avoidance.pauses:
            return
        cwnd, limit = self.window.cwnd, self.window.limit(ack.largest_flight)
        if cwnd < self.window.ssthresh:
            self.slow_start.grow(ack, self.window)
        else:
            self.avoidance.adjust(ack, self.window)
        # draft-ietf-ccwg-ratelimited-increase, 3: "The sender MUST cap cwnd to be no larger than
        # limit(maxFS)". What it was before stays.
        self.window.cwnd = max(min(self.window.cwnd, max(limit, cwnd)), 1.0)

    def on_congestion(self, event: Congestion) -> None:
        """Backs off.

        RFC 5681, 3.1, on timeouts: ssthresh is set as by equation 4 when "the given segment has not yet been
        resent by way of the retransmission timer"; when it has been, "the value of ssthresh is held
        constant"; and "cwnd MUST be set to no more than the loss window, LW, which equals 1 full-sized
        segment".

        Equation 4 reduces FlightSize, the data in flight. Data in flight beyond cwnd was sent by limited
        transmit, which RFC 5681, 3.2 excludes, or before cwnd fell. So the smaller of the two counts.
        """
        if event.repeated:
            self.window.cwnd = self.restart_window
            return
        self.before = copy.deepcopy((self.window, self.slow_start, self.avoidance))
        used = max(min(self.cwnd, event.flight), 1.0)
        before = copy.copy(self.window)
        self.window.ssthresh = max(self.avoidance.back_off(event, used), 1.0)
        self.slow_start.on_congestion()
        if event.signal == Signal.TIMEOUT:
            self.slow_start.on_timeout()
        if event.restart or event.signal == Signal.TIMEOUT:
            self.slow_start.on_restart()
            self.window.cwnd = self.restart_window
        else:
            self.window.cwnd = self.window.ssthresh
            self.slow_start.on_reduction(before, self.window.ssthresh / used, self.window)

    def on_spurious(self) -> None:
        """There was no congestion: the state before returns, except that the window may have grown since."""
        if self.before is None:
            return
        grown = self.cwnd
        self.window, self.slow_start, self.avoidance = self.before
        self.window.cwnd = max(self.window.cwnd, grown - self.avoidance.delay_window())
        self.before = None

    def on_idle_restart(self, restart_window: float) -> None:
        """Starts again after an idle time.

        RFC 5681, 4.1: "a TCP SHOULD set cwnd to no more than RW before beginning transmission if the TCP has
        not sent data in an interval exceeding the retransmission timeout".
        """
        self.window.cwnd = min(self.window.cwnd, max(restart_window, 1.0))
        self.slow_start.on_idle_restart()
        self.avoidance.on_idle_restart()

    def on_not_validated(self, window: float, ssthresh: float) -> None:
        """RFC 7661, 4.4: the transport found a window "not greater than" this, and the threshold."""
        if self.cwnd > max(window, 1.0):
            self.avoidance.on_idle_restart()
            self.window.cwnd = max(window, 1.0)
        self.window.ssthresh = max(ssthresh, 1.0)
