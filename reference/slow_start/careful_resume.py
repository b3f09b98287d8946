"""Careful Resume: draft-ietf-tsvwg-careful-resume-24, which is RFC 9959, section 3.

A connection that knows the capacity of its path from an earlier one jumps to half of it, once a first
flight has confirmed the path, and retreats where the jump was too far. The text leaves these points open,
and is read as follows:

- Without sequence numbers, the packets in flight at the jump are taken to arrive before those that the jump
  adds. The first unvalidated packet is acknowledged when more than these have been delivered or lost.
- PipeSize is at least the flight at the jump, and counts acknowledgments of unvalidated packets beyond it:
  both examples of appendix 2 have 29 + 34 = 63. (Their 120 at the end leaves out the 29; here it is 149.)
- The path is confirmed by the first acknowledgment with a sample that may grow the window, once as much as
  the initial window has been delivered. The jump is made at once, and only if it is one: to more than the
  window, at most ssthresh.
- Without a saved round-trip time any path is the right one. A least round-trip time above ten times the
  saved one, which section 4.2.1 calls "indicative of a path change", ends Careful Resume, as half of it or
  less does.
- The window is in full use where less than a packet of it is left. "More than one RTT" is longer than the
  sample of the acknowledgment at the jump.
- The flight that ends the Unvalidated Phase is the one after the acknowledgment. The last unvalidated
  packet is acknowledged when as many have been delivered or lost since.
- In Safe Retreat the window is half of PipeSize and two packets at least, not the initial window as in the
  example of 2.4; and never more than the avoidance keeps. The phase lasts as long as growth is suspended; a
  second episode ends it, and so does a timeout.
"""

import math
from enum import Enum, auto

from reference.facts import Ack
from reference.registered import slow_start
from reference.windowed import SlowStart, Window


class Phase(Enum):
    """The phases of a connection that resumes; afterwards it is as any other."""

    RECONNAISSANCE = auto()
    UNVALIDATED = auto()
    VALIDATING = auto()
    SAFE_RETREAT = auto()
    NORMAL = auto()


@slow_start("careful-resume")
class CarefulResume(SlowStart):
    """Slow start with a jump to half of the saved window.

    saved_rtt is in milliseconds; 0 stands for no knowledge.
    """

    def __init__(
        self,
        saved_cwnd: float = 0.0,
        saved_rtt: float = 0.0,
        max_jump: float = math.inf,
        beta: float = 0.5,
        limit: float = math.inf,
    ) -> None:
        self.saved_cwnd = saved_cwnd
        self.saved_rtt = saved_rtt / 1e3
        self.max_jump = max_jump
        self.beta = beta
        self.limit = limit
        self.phase = Phase.RECONNAISSANCE
        self.retreats = False
        self.initial_window = self.delivered = 0.0
        self.flight_at_jump = self.delivered_since = self.lost_since = 0.0
        self.jumped_at = self.rtt_at_jump = 0.0
        self.unvalidated = 0.0
        """Packets of the Unvalidated Phase that are still in flight while they are validated."""

    def begin(self, window: Window) -> None:
        """Takes the IW, to which "the CWND is initialised"."""
        self.initial_window = window.cwnd

    @property
    def pipe_size(self) -> float:
        """The validated capacity."""
        return max(self.flight_at_jump, self.delivered_since)

    def measure(self, ack: Ack, window: Window) -> None:
        """Counts, and leaves the phases after the jump."""
        self.delivered += ack.delivered
        if self.phase not in (Phase.RECONNAISSANCE, Phase.NORMAL):
            self.delivered_since += ack.delivered
            self.lost_since += ack.lost
        if self.phase is Phase.UNVALIDATED:
            full = ack.in_flight + ack.delivered + ack.lost > window.cwnd - 1
            first_arrived = self.delivered_since + self.lost_since > self.flight_at_jump
            if full or first_arrived or ack.now - self.jumped_at > self.rtt_at_jump:
                self.check_flight_size(ack.in_flight, window)
        elif self.phase is Phase.VALIDATING:
            self.unvalidated -= ack.delivered + ack.lost
            if self.unvalidated <= 0:
                self.phase = Phase.NORMAL
        elif self.phase is Phase.SAFE_RETREAT and not ack.suspended:
            # "the ssthresh MUST be set to no larger than the most recently measured PipeSize * Beta"
            window.ssthresh = max(self.beta * self.pipe_size, 2.0)
            self.phase = Phase.NORMAL

    def check_flight_size(self, flight_size: float, window: Window) -> None:
        """Leaves the Unvalidated Phase.

        If "(flight_size is less than IW) or (flight_size is less than or equal to the PipeSize) then the
        CWND is reset to the PipeSize", and is "not reduced below IW". "Otherwise, the CWND MUST be set to
        the flight_size".
        """
        if flight_size < self.initial_window or flight_size <= self.pipe_size:
            window.cwnd = min(window.cwnd, max(self.pipe_size, self.initial_window))
            self.phase = Phase.NORMAL
        else:
            window.cwnd = min(window.cwnd, flight_size)
            self.unvalidated = flight_size
            self.phase = Phase.VALIDATING

    def grow(self, ack: Ack, window: Window) -> None:
        """Increases the CWND "using normal CC", except where the jump is not validated or was too far.

        "jump_cwnd is less than or equal to Min(max_jump,(saved_cwnd/2)). CWND = jump_cwnd."
        """
        confirmed = ack.rtt is not None and self.delivered >= self.initial_window
        if self.phase is Phase.RECONNAISSANCE and confirmed:
            jump_cwnd = min(self.max_jump, self.saved_cwnd / 2, window.ssthresh)
            if self.confirms(ack.min_rtt) and jump_cwnd > window.cwnd:
                self.phase = Phase.UNVALIDATED
                self.flight_at_jump = ack.in_flight
                self.jumped_at, self.rtt_at_jump = ack.now, ack.rtt or 0.0
                window.cwnd = jump_cwnd
                return
            self.phase = Phase.NORMAL
        if self.phase in (Phase.UNVALIDATED, Phase.SAFE_RETREAT):
            return
        window.cwnd = min(window.cwnd + min(ack.delivered, self.limit * ack.acks), window.ssthresh)

    def confirms(self, min_rtt: float) -> bool:
        """The path is the saved one, by its least round-trip time."""
        return self.saved_rtt == 0 or self.saved_rtt / 2 < min_rtt <= 10 * self.saved_rtt

    def pacing_rate(self, window: Window) -> float | None:
        """The rate of the Unvalidated Phase, which "MUST use pacing based on the current RTT"."""
        return window.cwnd / self.rtt_at_jump if self.phase is Phase.UNVALIDATED else None

    def on_congestion(self) -> None:
        """Before the jump and after it the answer is the ordinary one."""
        self.retreats = self.phase in (Phase.UNVALIDATED, Phase.VALIDATING)
        self.phase = Phase.NORMAL

    def on_reduction(self, before: Window, share: float, window: Window) -> None:  # noqa: ARG002  of Rapid Start
        """Reduces the CWND "to no more than (PipeSize/2)"."""
        if self.retreats:
            self.phase = Phase.SAFE_RETREAT
            window.cwnd = min(window.cwnd, max(self.pipe_size / 2, 2.0))
