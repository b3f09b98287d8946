"""CDG by hand, from the rules of Linux' module: gradients, backoffs and what losses leave.

A round trip takes 100 ms and more; its acknowledgments are of 2 packets each, so that all of them are
measured.
"""

import math

import pytest

from reference import Ack, Congestion, Signal, Start
from reference.controllers.cdg import Cdg, MinMax

ALWAYS, NEVER = 1.0, 0.0


class Path:
    """A sender with 20 packets in flight, whose round trips take the times that a test says."""

    def __init__(self, cdg: Cdg, window: float = 20, ssthresh: float = 20, draw: float = NEVER) -> None:
        self.cdg = cdg
        self.now_us = 0
        self.round = 0
        self.cdg.draw = lambda age_ns: draw  # type: ignore[method-assign]  # noqa: ARG005 - at any age
        self.cdg.begin(Start(initial_window=window, initial_ssthresh=ssthresh))

    def ack(
        self,
        rtt_us: int,
        packets: int = 2,
        *,
        flight: int = 18,
        limited: bool = True,
        suspended: bool = False,
        recovering: bool = False,
    ) -> None:
        """One acknowledgment, 20 ms after the last."""
        self.now_us += 20_000
        self.cdg.on_ack(
            Ack(
                now=self.now_us / 1e6,
                delivered=packets,
                in_flight=flight,
                rtt=rtt_us / 1e6,
                srtt=0.1,
                min_rtt=0.1,
                round=self.round,
                window_limited=limited,
                suspended=suspended,
                recovering=recovering,
            )
        )

    def trip(self, rtt_us: int) -> None:
        """A round trip, which ends with the tenth acknowledgment of 2 packets: 18 were in flight."""
        self.round += 1
        for _ in range(10):
            self.ack(rtt_us)

    def lose(self, signal: Signal = Signal.LOSS) -> None:
        """A loss, a mark or a timeout with the whole window in flight."""
        self.cdg.on_congestion(
            Congestion(
                now=self.now_us / 1e6,
                signal=signal,
                flight=self.cdg.cwnd,
                restart=signal is Signal.TIMEOUT,
                repeated=False,
            )
        )


def test_gradients_are_summed_and_extrapolated() -> None:
    """The round-trip time grows by 1 ms in each trip after the first, and the window of gradients has eight.

    One gradient of zero: 0 * 8 / 1. Then 1 ms * 8 / 2, 2 ms * 8 / 3, .. and, with all eight, 7 ms and 8 ms.
    """
    path = Path(Cdg())
    found: list[int] = []

    def grad() -> int:
        found.append(Cdg.grad(path.cdg))
        return found[-1]

    path.cdg.grad = grad  # type: ignore[method-assign]
    # The first acknowledgment ends a round of its own.
    path.ack(100_000)
    for number in range(10):
        path.trip(100_000 + 1000 * number)
    assert found == [0, 4000, 5333, 6000, 6400, 6666, 6857, 7000, 8000, 8000]


def test_maxima_count_where_minima_do_not_grow() -> None:
    """The maxima grow by 500 us, and the window of gradients has one."""
    for least, grad in [(0, 500), (1, 1)]:
        cdg = Path(Cdg(window=1.0)).cdg
        cdg.rtt_prev = MinMax(1000, 2000)
        cdg.rtt = MinMax(1000 + least, 2500)
        assert cdg.grad() == grad


def test_the_probability_of_a_backoff() -> None:
    """1 - exp(-4000 * 42 / 1e6) = 1 - 0.8454, which is the bound of the random number."""
    for draw, falls in [(0.8453, False), (0.8454, True)]:
        path = Path(Cdg(), draw=draw)
        path.ack(100_000)
        path.trip(100_000)
        path.trip(101_000)
        assert (path.cdg.state == "backoff") is falls


def test_a_backoff_leaves_seven_tenths_and_rests_for_a_round_trip() -> None:
    """724 / 1024 of 20 are 14.1. 18 are in flight: the tenth acknowledgment is of something sent after it.

    Half way the window has fallen half way, to 17. A mark on the way changes nothing, a loss ends it at 14,
    reduces no further, and ends when the transport says. Nothing is undone. Then a window of 14 grows by a
    packet with the 14th packet acknowledged.
    """
    path = Path(Cdg(), draw=ALWAYS)
    path.ack(100_000)
    path.ack(100_000)
    path.cdg.packets_to_rtt_seq = 0.0
    path.ack(101_000)
    assert path.cdg.cwnd == 20
    for _ in range(5):
        path.ack(101_000)
    path.lose(Signal.ECN)
    assert path.cdg.cwnd == pytest.approx(17)
    for _ in range(4):
        path.ack(101_000)
    assert path.cdg.cwnd == pytest.approx(14.6)
    assert path.cdg.state == "backoff"
    path.lose()
    path.cdg.on_spurious()
    assert path.cdg.cwnd == 14
    path.ack(101_000, suspended=True)
    assert path.cdg.state == "backoff"
    path.ack(101_000)
    assert path.cdg.state == "unknown"
    for _ in range(5):
        path.ack(101_000)
    assert path.cdg.cwnd == 14
    path.ack(101_000)
    assert path.cdg.cwnd == 15


def test_backoffs_that_do_not_help_end() -> None:
    """Five in a row; then none until a sum of gradients has fallen by 32 us."""
    path = Path(Cdg(), draw=ALWAYS)
    ack = Ack(now=1.0, delivered=1.0, in_flight=18, rtt=0.1, srtt=0.1, min_rtt=0.1, round=1)
    assert [path.cdg.backoff(1, ack) for _ in range(7)] == [True] * 5 + [False] * 2
    for least in (31, 32):
        path.cdg.rtt_prev.min = path.cdg.rtt_prev.max = 1000
        path.cdg.rtt.min = path.cdg.rtt.max = 1000 - least
        path.cdg.gsum.min = path.cdg.gsum.max = 0
        path.cdg.grad()
        assert path.cdg.backoff_cnt == (7 if least == 31 else 0)


def test_losses_halve_but_for_the_shadow_window() -> None:
    """After a backoff from 20 the shadow window is 20: a loss at 14 leaves max(20 / 2, 14 / 2) = 10.

    Then the shadow window is 10, and the next loss leaves max(5, 5). Without it a loss at 14 leaves 7.
    """
    for use_shadow, left in [(1.0, 10), (0.0, 7)]:
        path = Path(Cdg(use_shadow=use_shadow), draw=ALWAYS)
        ack = Ack(now=1.0, delivered=1.0, in_flight=18, rtt=0.1, srtt=0.1, min_rtt=0.1, round=1)
        path.cdg.backoff(1, ack)
        path.ack(100_000, packets=19)
        path.lose()
        assert path.cdg.cwnd == left
        path.ack(100_000, suspended=True)
        path.ack(100_000)
        path.lose(Signal.ECN)
        assert path.cdg.cwnd == left // 2
        path.cdg.on_spurious()
        assert path.cdg.cwnd == left


def test_tolerance_takes_losses_before_a_full_queue_for_random_ones() -> None:
    """Both sums grow: the queue is not full, and a loss leaves the window. Only the minimum: it is full."""
    for most, left in [(32, 20), (31, 10)]:
        path = Path(Cdg(use_tolerance=1.0))
        path.cdg.rtt_prev.min = path.cdg.rtt_prev.max = 1000
        path.cdg.rtt.min, path.cdg.rtt.max = 1032, 1000 + most
        path.cdg.grad()
        path.lose()
        assert path.cdg.cwnd == left


def test_delayed_acknowledgments_are_filtered() -> None:
    """One of two packets excuses one of a single packet, which counts only below a known minimum."""
    path = Path(Cdg())
    path.cdg.delack = 1
    path.cdg.acked(ack_of(1), 500)
    assert (path.cdg.rtt.min, path.cdg.rtt.max, path.cdg.delack) == (0, 0, 0)
    path.cdg.acked(ack_of(2), 300)
    path.cdg.acked(ack_of(1), 200)
    assert (path.cdg.rtt.min, path.cdg.rtt.max, path.cdg.delack) == (200, 300, 0)
    path.cdg.acked(ack_of(1), 400)
    assert (path.cdg.rtt.min, path.cdg.rtt.max) == (200, 400)


def ack_of(packets: int) -> Ack:
    """An acknowledgment of packets."""
    return Ack(now=1.0, delivered=packets, in_flight=9, rtt=0.1, srtt=0.1, min_rtt=0.1, round=1)


@pytest.mark.parametrize(
    ("detect", "gap_us", "ends_after"), [(1.0, 2_000, 27), (2.0, 20_000, 9), (0.0, 2_000, None)]
)
def test_slow_start_ends_by_an_ack_train_or_a_delay(
    detect: float, gap_us: int, ends_after: int | None
) -> None:
    """A train longer than half of 100 ms ends slow start: 26 gaps of 2 ms are 52 ms.

    The first acknowledgment, number 0, ends a round of its own, so the train begins with number 1: number 26
    is 50 ms after it, which is not more. A round-trip time above 9 / 8 of the least ends it after eight
    samples.
    """
    cdg = Cdg(hystart_detect=detect)
    cdg.begin(Start(initial_window=400))
    for number in range(60):
        rtt = 0.1 if number == 0 else 0.1126
        cdg.on_ack(
            Ack(
                now=1 + number * gap_us / 1e6,
                delivered=2.0,
                in_flight=398.0,
                rtt=rtt,
                srtt=0.1,
                min_rtt=0.1,
                round=1,
            )
        )
        if cdg.snd.ssthresh < math.inf:
            assert number == ends_after
            return
    assert ends_after is None


def test_a_window_that_is_not_used_neither_grows_nor_keeps_its_shadow() -> None:
    """The shadow window falls to the window; after a pause the module knows nothing."""
    path = Path(Cdg())
    path.cdg.shadow_wnd = 50.0
    path.ack(100_000, limited=False)
    assert (path.cdg.cwnd, path.cdg.shadow_wnd) == (20, 20)
    path.cdg.on_idle_restart(10.0)
    assert (path.cdg.cwnd, path.cdg.shadow_wnd, path.cdg.rtt.min) == (10, 20, 0)


def test_a_timeout_begins_again_with_half_as_the_threshold() -> None:
    """max(20 / 2, 20 / 2); the window grows from one by slow start while lost packets are repaired."""
    path = Path(Cdg())
    path.lose(Signal.TIMEOUT)
    assert (path.cdg.cwnd, path.cdg.snd.ssthresh) == (1, 10)
    path.ack(100_000, recovering=True)
    assert path.cdg.cwnd == 3
