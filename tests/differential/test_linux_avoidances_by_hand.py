"""Veno, TCP-LP and Illinois as in Linux by hand, from the rules of the modules' source."""

import math

import pytest

from reference import Ack, Avoidance, Congestion, Signal, Start, Windowed
from reference.avoidance.illinois_linux import IllinoisLinux
from reference.avoidance.lp_linux import LpLinux
from reference.avoidance.veno_linux import VenoLinux
from reference.slow_start.standard import StandardSlowStart


def sender(avoidance: Avoidance, window: float, ssthresh: float) -> Windowed:
    """A sender with standard slow start."""
    return Windowed(StandardSlowStart(), avoidance, Start(initial_window=window, initial_ssthresh=ssthresh))


def ack(now_ms: int, rtt_ms: int | None, packets: int = 1, *, trip: int = 1) -> Ack:
    """An acknowledgment that may grow the window."""
    return Ack(
        now=now_ms / 1e3,
        delivered=float(packets),
        in_flight=10.0,
        rtt=None if rtt_ms is None else rtt_ms / 1e3,
        srtt=0.1,
        min_rtt=0.1,
        round=trip,
    )


def lose(controller: Windowed, signal: Signal = Signal.LOSS) -> None:
    """A loss with a window in flight."""
    restart = signal == Signal.TIMEOUT
    controller.on_congestion(
        Congestion(now=9.0, signal=signal, flight=controller.cwnd, restart=restart, repeated=False)
    )


def test_veno_counts_half_packets_of_backlog() -> None:
    """Four packets with each acknowledgment, from a window of 10, in congestion avoidance.

    - 1 to 3, of 100 ms: Reno with two samples, then diff = 20 - 20. 4, 8, 12 packets are counted, of which
      10 make a window of 11 and 2 stay.
    - 4 to 6, of 140 ms: diff = 22 - floor(22 * 100001 / 140001) = 22 - 15 = 7, and from 6 on it is congested.
      6, 10, 14.
    - 7 finds 14 >= 11: 12, and 0 counted.
    - 8 to 10: diff = 24 - 17 = 7. 4, 8, 12. 11 finds 12 >= 12: not this time, and 0 counted.
    - 12 to 14: 4, 8, 12. 15: 13.
    """
    controller = sender(VenoLinux(), 10.0, 5.0)
    found = []
    for number in range(1, 16):
        controller.on_ack(ack(100 + number, 100 if number <= 3 else 140, 4))
        found.append(controller.cwnd)
    assert found == [10, 10, 11, 11, 11, 11, 12, 12, 12, 12, 12, 12, 12, 12, 13]


def test_veno_keeps_its_base_after_a_loss() -> None:
    """Three samples of 100 ms, diff = 0 and then 2 * 13 - floor(26 * 100001 / 140001) = 8 at a window of 13.

    - A loss while congested leaves floor(13 / 2) = 6.
    - The next two, of 100 ms: diff = 0; 8 packets are counted, of which 6 make 7.
    - A loss, not congested: floor(7 * 4 / 5) = 5.
    - Two acknowledgments of 100 ms, then one without a sample: diff is 0, then 10. A timeout leaves
      floor(5 / 2) = 2.
    """
    controller = sender(VenoLinux(), 13.0, 5.0)
    for number in range(3):
        controller.on_ack(ack(100 + number, 100))
    controller.on_ack(ack(140, 140))
    lose(controller)
    assert controller.cwnd == 6
    controller.on_ack(ack(200, 100, 4, trip=2))
    assert controller.cwnd == 6
    controller.on_ack(ack(201, 100, 4, trip=2))
    assert controller.cwnd == 7
    lose(controller)
    assert controller.cwnd == 5
    controller.on_ack(ack(300, 100, trip=3))
    controller.on_ack(ack(301, 100, trip=3))
    controller.on_ack(ack(302, None, trip=3))
    assert controller.cwnd == 5
    lose(controller, Signal.TIMEOUT)
    assert (controller.cwnd, controller.ssthresh) == (1, 2)


def test_illinois_grows_and_gives_up_by_the_mean_delay() -> None:
    """From a window of 20, in congestion avoidance. Delays in us, alpha in 128ths, beta in 64ths.

    - Round 1, of 100 ms: alpha = 1280. Two packets count floor(2 * 1280 / 128) = 20: the window is 21.
    - Round 2 begins with 200 ms: the mean of the round before is 150 ms, da = 50000, dm = 100000. alpha =
      floor(99000 * 1280 / (99000 + floor(49000 * 1242 / 38))) = floor(126720000 / 1700526) = 74; beta =
      floor((8 * 80000 - 32 * 10000 + 24 * 50000) / 70000) = 21.
    - 36 packets more make floor(37 * 74 / 128) = 21: the window is 22.
    - A loss leaves 22 - floor(22 * 21 / 64) = 15.
    - Rounds 3 to 6, of 100 ms: below a hundredth of dm, but one round was above: alpha stays. Four packets
      count 2. Round 7 is the fifth: alpha = 1280, and five packets count 50: floor(50 / 15) = 3 more, 18.
    - A loss leaves 18 - floor(18 * 8 / 64) = 16; a timeout then 16 - 2 = 14.
    """
    controller = sender(IllinoisLinux(), 20.0, 10.0)
    controller.on_ack(ack(100, 100))
    controller.on_ack(ack(101, 100))
    assert controller.cwnd == 21
    controller.on_ack(ack(300, 200, trip=2))
    assert controller.cwnd == 21
    controller.on_ack(ack(301, None, 35, trip=2))
    assert controller.cwnd == 21
    controller.on_ack(ack(302, None, trip=2))
    assert controller.cwnd == 22
    lose(controller)
    assert controller.cwnd == 15
    for trip in range(3, 7):
        controller.on_ack(ack(100 * trip, 100, trip=trip))
        assert controller.cwnd == 15
    controller.on_ack(ack(700, 100, trip=7))
    assert controller.cwnd == 18
    lose(controller)
    assert controller.cwnd == 16
    lose(controller, Signal.TIMEOUT)
    assert (controller.cwnd, controller.ssthresh) == (1, 14)


@pytest.mark.parametrize(("window", "after", "left"), [(14.0, 15.0, 8.0), (15.0, 24.0, 21.0)])
def test_illinois_is_reno_below_a_window_of_15(window: float, after: float, left: float) -> None:
    """An acknowledgment of 14 packets, then a loss.

    14, with alpha 1 and beta 1/2: floor(14 / 14) = 1 more; 15 - floor(15 * 32 / 64) = 8.
    15, with alpha 10 and beta 1/8: floor(140 / 15) = 9 more; 24 - floor(24 * 8 / 64) = 21.
    """
    controller = sender(IllinoisLinux(), window, 10.0)
    controller.on_ack(ack(100, 100, 14))
    assert controller.cwnd == after
    lose(controller)
    assert controller.cwnd == left


def test_lp_holds_slow_start_within_inference() -> None:
    """From a window of 10 in slow start; sowd in eighths of a millisecond.

    - 99 ms, 98 ms: no sample before the other clock is known; slow start: 11.
    - 100 ms, 100 ms: sowd = 800, the range is empty: a reduction to 5, and slow start adds 1. The range is
      100 to 200, the threshold 115. The inference lasts 300 ms.
    - 101 and 399 ms: within. 400 ms: over, 7.
    - 401 ms, 220 ms: sowd = 800 + 220 - 100 = 920, 115 ms: not below 115. The inference is 660 ms now:
      within, 1 packet. The range is 115 to 230, the threshold 115 + 17 = 132.
    - 402 ms, 120 ms: within 360 ms. 1000 ms: over, 2.
    - A loss: 2, the least. Two packets acknowledged make 3.
    """
    controller = sender(LpLinux(), 10.0, math.inf)
    for now, rtt, window in (
        (99, 98, 11),
        (100, 100, 6),
        (101, 100, 6),
        (399, 100, 6),
        (400, 100, 7),
        (401, 220, 1),
        (402, 120, 1),
        (1000, 120, 2),
    ):
        controller.on_ack(ack(now, rtt))
        assert controller.cwnd == window, now
    assert controller.ssthresh == math.inf
    lose(controller)
    assert (controller.cwnd, controller.ssthresh) == (2, 2)
    controller.on_ack(ack(1001, 120))
    assert controller.cwnd == 2
    controller.on_ack(ack(1002, 120))
    assert controller.cwnd == 3


def test_lp_cuts_off_fifteen_hundredths_of_a_short_range() -> None:
    """5 ms: floor(15 * 5 / 100) = 0. Each acknowledgment is a reduction, first to half, then to 1."""
    controller = sender(LpLinux(), 16.0, 8.0)
    controller.on_ack(ack(98, 4))
    controller.on_ack(ack(100, 5))
    assert controller.cwnd == 8
    controller.on_ack(ack(101, 5))
    assert controller.cwnd == 1


def test_lp_leaves_the_window_alone_in_recovery() -> None:
    """The first sample, of recovery's second acknowledgment, sets the range, and begins inference alone."""
    controller = sender(LpLinux(), 15.0, 8.0)
    lose(controller)
    assert controller.cwnd == 7
    for now, rtt in ((0.099, 0.098), (0.1, 0.1)):
        repaired = Ack(
            now=now, delivered=1.0, in_flight=7.0, rtt=rtt, srtt=0.1, min_rtt=0.1, round=1, suspended=True
        )
        controller.on_ack(repaired)
        assert controller.cwnd == 7
    controller.on_ack(ack(101, 100, 7))
    assert controller.cwnd == 7
