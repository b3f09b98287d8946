"""RFC 7661 by hand: timelines worked from its sections, for the plain-Python reading of them.

A segment has 1000 octets, and a round trip takes 100 ms: the pipeACK Sampling Period is max(3 * RTT, 1 s) =
1 s. `mechanism/pipe_ack.rs` of the transport is held to the same timelines where it has the rule.
"""

import math

import pytest

from reference import Start, Windowed
from reference.avoidance.reno import Reno
from reference.recovery import RECOVERIES, Settings
from reference.recovery.growth import PipeAck, Validation
from reference.slow_start.standard import StandardSlowStart

MSS = 1000
MS = 1_000_000
RTT = 100 * MS


class Line:
    """A sender whose flights are acknowledged whole."""

    def __init__(self, cwnd: int, ssthresh: int = 1000) -> None:
        pipe = PipeAck(RTT)
        self.state = Validation(MSS, 10 * MSS, float(cwnd * MSS), float(ssthresh * MSS), pipe)
        self.sent = 0

    def flight(self, now_ms: int, segments: int, *, cwnd_limited: bool = False) -> bool:
        """Sends segments, which are acknowledged an RTT later; true if their ACK may increase the window."""
        self.state.end_periods(now_ms * MS)
        self.sent += segments * MSS
        return self.state.on_ack(now_ms * MS + RTT, self.sent, self.sent, cwnd_limited=cwnd_limited)

    @property
    def window(self) -> tuple[float, float]:
        """The window and the threshold in segments."""
        return self.state.cwnd / MSS, self.state.ssthresh / MSS


def test_the_samples_of_figure_1() -> None:
    """4.5.1: samples of 5, 3, none, 4 and 2; the largest is 5, then "the larger of Sample C or" D.

    The ACKs of A come at 0.1 s, and of C at 0.7 s: A is too old after 1.1 s, and C after 1.7 s.
    """
    pipe, high = PipeAck(RTT), 0
    for sent_ms, volume in [(0, 5), (200, 3), (600, 4), (800, 2)]:
        high += volume
        pipe.on_ack(sent_ms * MS + RTT, high, high)
    assert [pipe.value(now_ms * MS) for now_ms in (900, 1100, 1101, 1700, 1701)] == [5, 5, 4, 4, 2]
    # Nothing is left at 2 s; "may be regarded as zero".
    assert pipe.value(2000 * MS) == 0


def test_a_sample_is_what_a_round_trip_acknowledges() -> None:
    """4.2: "caching the value of HighACK and, after one RTT, measuring the difference".

    Eight segments leave in 60 ms, and two more when the first two are acknowledged, at 100 ms. The RTT of
    those is over when the eight are, at 160 ms; the RTT of the next ACK, at 250 ms, has the two.
    """
    pipe = PipeAck(RTT)
    assert pipe.value(0) is None
    values = []
    for at_ms, high, data in [(100, 2, 8), (120, 4, 10), (140, 6, 10), (160, 8, 10), (250, 10, 10)]:
        pipe.on_ack(at_ms * MS, high, data)
        values.append(pipe.value(at_ms * MS))
    assert values == [None, None, None, 8, 8]
    assert [volume for _, volume in pipe.samples] == [8, 2]


def test_long_paths_have_longer_sampling_periods() -> None:
    """4.2: Max(3*RTT, 1 second): of 600 ms, 1.8 s."""
    pipe = PipeAck(600 * MS)
    pipe.on_ack(600 * MS, 7, 7)
    assert [pipe.value(now_ms * MS) for now_ms in (1700, 2400, 2401)] == [7, 7, 0]


def test_the_window_grows_where_half_of_it_is_used_or_all_of_it() -> None:
    """4.3 and 4.4, with a window of 20 segments.

    The first ACK brings a sample, 9, which is less than half of it; 10 is half. The sample of 10, at 300 ms,
    is 1.1 s old at 1.4 s, when 9 are acknowledged. A sender that is cwnd-limited may grow.
    """
    line = Line(cwnd=20)
    assert line.state.validated(0)
    assert not line.flight(0, 9)
    assert line.flight(200, 10)
    assert line.flight(1100, 1)
    assert not line.flight(1300, 9)
    assert line.flight(1500, 9, cwnd_limited=True)
    assert line.window == (20, 1000)


def test_a_pause_preserves_the_window() -> None:
    """4.4: "neither grows nor reduces". After 100 s, the sender sends all 20 segments at once.

    These are acknowledged in one round trip, and the window is validated.
    """
    line = Line(cwnd=20)
    line.flight(0, 20)
    assert not line.state.validated(100000 * MS)
    assert line.flight(100000, 20)
    assert line.window == (20, 1000)


@pytest.mark.parametrize(
    ("used", "lost_at", "resent", "during", "after"),
    [
        # Pipe of 12: (12 - 2) / 2.
        (12, 8, 2, 6, 5),
        # The sender has just used what it had preserved: (36 - 16) / 2.
        (12, 36, 16, 18, 10),
        # "MUST NOT be reduced below 1": (3 - 3) / 2.
        (3, 3, 3, 1.5, 1),
        # "at most one-quarter of the cwnd": pipeACK is below 20.
        (19, 4, 0, 9.5, 9.5),
    ],
)
def test_a_loss_of_a_window_not_validated(
    used: int, lost_at: int, resent: int, during: float, after: float
) -> None:
    """4.4.1, from a window of 40 segments; "Step 6 ... assigns the ssthresh a value equal to cwnd"."""
    line = Line(cwnd=40)
    line.flight(0, used)
    line.state.on_loss(500 * MS, lost_at * MSS)
    assert line.window == (during, 1000)
    # 4.2: "MUST NOT be updated during TCP Fast Recovery".
    assert not line.flight(500, 30)
    assert line.state.pipe.value(600 * MS) == used * MSS
    line.state.on_recovered(resent * MSS)
    assert line.window == (after, after)
    assert line.state.pipe.value(600 * MS) is None
    assert line.state.validated(600 * MS)


def test_a_loss_of_a_validated_window_is_the_standard_one() -> None:
    """4.3: the standard methods (RFC 5681: half the FlightSize); 4.2: undefined after every recovery."""
    line = Line(cwnd=20)
    line.flight(0, 16)
    line.state.on_loss(500 * MS, 18 * MSS)
    line.state.on_recovered(4 * MSS)
    assert line.window == (9, 9)
    assert line.state.pipe.value(500 * MS) is None


def test_a_timeout_is_the_standard_one() -> None:
    """4.4: the sender leaves the phase; RFC 5681: half the FlightSize, and a window of one segment."""
    line = Line(cwnd=40)
    line.flight(0, 12)
    line.state.on_timeout(8 * MSS)
    assert line.window == (1, 4)
    assert line.state.validated(1000 * MS)


@pytest.mark.parametrize(
    ("resumed_ms", "window"),
    [
        # The last sample, of 0.1 s, is too old at 1.1 s; 301.1 s ends the period.
        (301000, (40, 20)),
        (301200, (20, 30)),
        # Two periods, of which the second leaves ssthresh: max(30, 15).
        (601200, (10, 30)),
        # Three: IW is 10 segments.
        (901200, (10, 30)),
    ],
)
def test_five_minutes_not_validated_halve_the_window(resumed_ms: int, window: tuple[float, float]) -> None:
    """4.4.3: ssthresh = max(ssthresh, 3*cwnd/4), cwnd = max(cwnd/2, IW); 4.5.2: once "for each NVP"."""
    line = Line(cwnd=40, ssthresh=20)
    line.flight(0, 40)
    line.state.end_periods(resumed_ms * MS)
    assert line.window == window


def test_a_little_data_does_not_end_the_period() -> None:
    """Rate-limited and idle are one: 3 segments each 10 s leave the window of 40 not validated since 0.1 s.

    The window is 20 after 300.1 s, and then 3 segments are still less than half.
    """
    line = Line(cwnd=40, ssthresh=20)
    for number in range(31):
        line.flight(10000 * number, 3)
        assert line.window == (40, 20)
    line.flight(310000, 3)
    assert line.window == (20, 30)
    assert not line.state.validated(310000 * MS)


def test_a_window_below_the_initial_one_does_not_rise() -> None:
    """4.4.3: "not greater than" max(6/2, 10); ssthresh is at least 3/4 of the window."""
    line = Line(cwnd=6, ssthresh=2)
    line.flight(0, 2)
    line.state.end_periods(400000 * MS)
    assert line.window == (6, 4.5)


class Connection:
    """A sender in congestion avoidance whose segments are each acknowledged an RTT after they left.

    A burst is a sample, which its last acknowledgment brings. Before the first one the window grows.
    """

    def __init__(self, recovery: str, window: float, *, rule: str = "rfc7661", ssthresh: float = 2.0) -> None:
        start = Start(initial_window=window, initial_ssthresh=ssthresh)
        self.controller = Windowed(StandardSlowStart(), Reno(), start)
        self.sender = RECOVERIES[recovery](
            self.controller, Settings(0, initial_window=10.0, limited_growth=rule)
        )
        self.arrivals: list[tuple[int, int]] = []
        self.departures: list[float] = []
        """In milliseconds."""

    def sent(self, now: int, numbers: list[int]) -> None:
        self.arrivals += [(now + RTT, number) for number in numbers]
        self.departures += [now / MS for _ in numbers]

    def write(self, now_ms: float, segments: int) -> None:
        """Writes, and lets all of it be sent and acknowledged."""
        now = int(now_ms * MS)
        self.departures.clear()
        self.sent(now, self.sender.write(now, segments))
        while self.arrivals or self.sender.pace.held_until is not None:
            turn = self.sender.pace.held_until
            if turn is not None and (not self.arrivals or turn < self.arrivals[0][0]):
                self.sent(turn, self.sender.on_timer(turn))
            else:
                at, number = self.arrivals.pop(0)
                self.sent(at, self.sender.on_ack(at, number + 1))


def test_bursts_of_a_window_not_validated_are_paced() -> None:
    """4.4.2: "paces out the cwnd over its estimate of the RTT": 100 ms / 20 is 5 ms.

    The first segment is a sample of 1. A sample of 12 validates the window: the last acknowledgment, which
    brings it, adds 1 / 20, and the next burst goes at once.
    """
    connection = Connection("sack", 20.0)
    connection.write(0, 1)
    assert connection.departures == [0.0]
    connection.write(10_000, 12)
    assert connection.departures == [10_000.0 + 5 * number for number in range(12)]
    assert connection.controller.cwnd == 20.05
    connection.write(10_200, 10)
    assert connection.departures == [10_200.0] * 10


@pytest.mark.parametrize(
    ("resumed_ms", "window"), [(300_000, (40, 2)), (300_050, (20, 30)), (300_200, (20, 30))]
)
def test_the_period_ends_with_the_first_segment_or_acknowledgment_after_it(
    resumed_ms: int, window: tuple[float, float]
) -> None:
    """4.4.3, from a window of 40: max(2, 30) and max(20, 10), and the pause itself restarts nothing.

    The period begins with the sample of 0.1 s. Of the segment of 300.05 s the acknowledgment comes after it.
    """
    connection = Connection("newreno", 40.0)
    connection.write(0, 1)
    connection.write(resumed_ms, 1)
    assert (connection.controller.cwnd, connection.controller.ssthresh) == window


@pytest.mark.parametrize("recovery", ["sack", "prr", "rack"])
def test_a_recovery_leaves_the_window_without_what_was_lost(recovery: str) -> None:
    """4.4.1, from a window of 40 with a pipeACK of 12: of 10 segments the first 2 are lost.

    During the repair the window is 12 / 2, after it (12 - 2) / 2 = 5, with ssthresh 5.
    """
    connection = Connection(recovery, 40.0)
    connection.write(0, 1)
    connection.write(200, 12)
    sender, now = connection.sender, 500 * MS
    sent = sender.write(now, 10)
    while len(sent) < 10:
        now = connection.sender.pace.held_until or 0
        sent += sender.on_timer(now)
    again: list[int] = []
    for number in range(2, 10):
        now += 10 * MS
        again += sender.on_ack(now, 13, [(15, 13 + number + 1)])
    assert again == [13, 14]
    assert connection.controller.cwnd == 6
    sender.on_ack(now + RTT, 14, [(15, 23)])
    assert connection.controller.cwnd == 6
    sender.on_ack(now + RTT + MS, 23)
    assert (connection.controller.cwnd, connection.controller.ssthresh) == (5, 5)
    assert sender.growth.permits(5.0, 5.0, now + 2 * RTT) == (True, math.inf)


def test_a_timeout_of_a_window_not_validated_is_the_standard_one() -> None:
    """With 1 in flight ssthresh is 2, whatever pipeACK is; nothing of the pipe is known after it."""
    connection = Connection("newreno", 40.0)
    connection.write(0, 12)
    connection.sender.write(5000 * MS, 1)
    connection.sender.on_timer(9000 * MS)
    assert (connection.controller.cwnd, connection.controller.ssthresh) == (1, 2)
    assert connection.sender.growth.permits(1.0, 2.0, 9000 * MS) == (True, math.inf)
