"""NADA by hand, from RFC 8698: what its equations and its sentences say, in numbers."""

import math

import pytest

from tests.differential.call import Call

pytestmark = pytest.mark.usefixtures("side")


def settle(call: Call, queue_ms: float, reports: int) -> None:
    """A report every 100 ms about 20 packets that wait in a queue; the first packet of all meets none."""
    for number in range(reports):
        delays = [50 + queue_ms] * 20
        if number == 0:
            delays[0] = 50.0
        call.report(delays, gap_ms=5, size=50)


@pytest.mark.parametrize(("rtt_ms", "kbps"), [(0, 1227.273), (100, 1156.25), (200, 1119.048)])
def test_ramps_up_by_the_queue_that_it_may_cause(rtt_ms: float, kbps: float) -> None:
    """(3): gamma = 50 / (rtt + 100 + 120) = 50 / 220, 50 / 320 or 50 / 420; (4): (1 + gamma) of 1 Mbit/s.

    Ten packets of 1250 bytes in 100 ms are 1 Mbit/s, counted over LOGWIN = 500 ms. What the sender adds until
    it can see the queue is gamma x (rtt + 220 ms) = QBOUND = 50 ms of the path's capacity.
    """
    call = Call("nada", initial_kbps=150)
    for _ in range(6):
        call.report([50.0] * 10, gap_ms=10, size=1250, rtt_ms=rtt_ms)
    assert call.kbps == pytest.approx(kbps, abs=0.001)


def test_one_late_packet_ends_the_ramp_up_for_the_observation_window() -> None:
    """QEPS = 10 ms, LOGWIN = 500 ms: the first packet is 10 ms later than the others.

    Packets 0 to 49 are sent in 490 ms, and the fifth report still has the first in its log; the sixth has
    only packets sent later than 590 - 500 ms. The minimum filter hides the late packet from x_curr, which is
    0: the first report adds KAPPA x 100/500 x (10 x 1500/150)/500 = 0.5 x 0.2 x 0.2 = 2 % to RMIN.
    """
    call = Call("nada", initial_kbps=150)
    call.report([60.0] + [50.0] * 9, gap_ms=10, size=1250)
    assert call.kbps == pytest.approx(153)
    for _ in range(4):
        call.report([50.0] * 10, gap_ms=10, size=1250)
    assert call.kbps < 170
    call.report([50.0] * 10, gap_ms=10, size=1250)
    assert call.kbps == pytest.approx(1156.25)
    earlier = Call("nada", initial_kbps=150)
    earlier.report([59.9] + [50.0] * 9, gap_ms=10, size=1250)
    assert earlier.kbps == pytest.approx(1.15625 * 200)


@pytest.mark.parametrize(
    ("queue_ms", "priority", "kbps"),
    [(30, 1, 500), (30, 2, 1000), (20, 1, 750), (60, 4, 1000), (10, 2, 1500)],
)
def test_settles_where_the_signal_is_prio_xref_rmax_over_r_ref(
    queue_ms: float, priority: float, kbps: float
) -> None:
    """4.3: x_curr = PRIO x XREF x RMAX / r_ref, so r_ref = PRIO x 10 ms x 1500 kbit/s / x_curr.

    The text's consequences: at a common signal, rates are "proportional to their respective priority levels";
    and RMAX is achieved "when the observed congestion signal level is below PRIO*XREF", as 10 ms of 20 are.
    """
    call = Call("nada", priority=priority)
    settle(call, queue_ms, 1500)
    assert call.kbps == pytest.approx(kbps, rel=1e-3)


def test_follows_the_change_ten_times_as_much_as_the_offset() -> None:
    """6.3: "a relative ratio of 1:10 between the gains of the integral and proportional terms".

    PRIO x XREF x RMAX = 15000 ms kbit/s; KAPPA x 100/500 = 0.1, KAPPA x ETA = 1.

    - 30 ms at 500 kbit/s: x_offset = 30 - 15000/500 = 0, x_diff = 30 - 0: -30/500 = -6 %: 470.
    - 30 ms again: x_offset = 30 - 15000/470 = -1.9149, x_diff = 0: +0.1 x 1.9149/500: 470.18.
    - 40 ms: x_offset = 40 - 15000/470.18 = 8.0973: -0.1 x 8.0973/500 = -0.162 %, and x_diff = 10: -10/500 =
      -2 %: 470.18 x 0.978381 = 460.015.
    """
    call = Call("nada")
    settle(call, 30, 1)
    assert call.kbps == pytest.approx(470)
    call.report([80.0] * 20, gap_ms=5, size=50)
    assert call.kbps == pytest.approx(470.18)
    call.report([90.0] * 20, gap_ms=5, size=50)
    assert call.kbps == pytest.approx(460.015, abs=0.001)


@pytest.mark.parametrize(("late", "kbps"), [(14, 503), (15, 470)])
def test_a_queue_is_one_when_fifteen_packets_have_met_it(late: int, kbps: float) -> None:
    """5.1.1: "a minimum filter with a window size of 15 samples".

    Fourteen late packets and the first one: d_queue = 0, x_offset = -30: +0.1 x 30/500 = 0.6 %. Fifteen:
    -6 %.
    """
    call = Call("nada")
    call.report([50.0] + [80.0] * late, gap_ms=5, size=50)
    assert call.kbps == pytest.approx(kbps)


@pytest.mark.parametrize(
    ("lost", "kbps"),
    [
        # p_inst = 2/20, p_loss = 0.1 x 0.1 = 1 % = PLRREF: x_curr = DLOSS = 10 ms. x_offset = -20: +0.4 %,
        # x_diff = 10: -2 %.
        (2, 492),
        # Twice the loss is four times the signal, 40 ms: x_offset = 10: -0.2 %, x_diff = 40: -8 %.
        (4, 459),
    ],
)
def test_losses_count_as_delay_by_their_square(lost: int, kbps: float) -> None:
    """(2) and (10), without a queue."""
    call = Call("nada")
    call.report([*[50.0] * (20 - lost), *[None] * lost], gap_ms=5, size=50)
    assert call.kbps == pytest.approx(kbps)


@pytest.mark.parametrize(("marked", "kbps"), [(2, 500.8), (4, 494.2)])
def test_a_mark_counts_a_fifth_of_a_loss(marked: int, kbps: float) -> None:
    """p_mark = PMRREF: DMARK = 2 ms. x_offset = 2 - 30 = -28: +0.56 %, x_diff = 2: -0.4 %: 500 x 1.0016.

    Twice the marks are 8 ms: x_offset = -22: +0.44 %, x_diff = 8: -1.6 %. A packet 10 ms late sees to it that
    the rate is updated gradually: marks alone do not (4.2).
    """
    call = Call("nada")
    call.report([60.0, *[50.0] * 19], gap_ms=5, size=50, marked=marked)
    assert call.kbps == pytest.approx(kbps)
    unmoved = Call("nada")
    unmoved.report([50.0] * 20, gap_ms=5, size=50, marked=20)
    assert unmoved.kbps == pytest.approx(500)


@pytest.mark.parametrize(
    ("queue_ms", "signal_ms"), [(49, 49), (50, 50), (100, 50 * math.exp(-0.5)), (200, 50 * math.exp(-1.5))]
)
def test_a_long_queue_counts_less_while_there_are_losses(queue_ms: float, signal_ms: float) -> None:
    """(1) with QTH = 50 ms and LAMBDA = 0.5: 50, 30.33 and 11.16 ms. DLOSS = 0 leaves only the delay.

    x_offset = x - 30, x_diff = x: -(0.1 (x - 30) + x) / 500. Without a loss the queue counts in full.
    """
    for lost, x in ((None, signal_ms), (50.0 + queue_ms, queue_ms)):
        call = Call("nada", dloss=0.0)
        late = 50.0 + queue_ms
        call.report([50.0, *[late] * 9, lost, *[late] * 15], gap_ms=4, size=50)
        assert call.kbps == pytest.approx(max(500 * (1 - (0.1 * (x - 30) + x) / 500), 150))


def test_a_loss_expires_after_seven_times_the_average_interval() -> None:
    """loss_exp = MULTILOSS x loss_int = 7 x 10 packets: ten packets arrived before the lost one, number 10.

    Packet 79 is the 69th after it, packet 80 the 70th. Then the queue of 100 ms counts in full again:
    x_diff = 100 - 30.33 = 69.67, a loss of more than 13.9 %.
    """
    call = Call("nada", dloss=0.0)
    call.report([50.0, *[150.0] * 9, None, *[150.0] * 69], gap_ms=1.25, size=50)
    before = call.kbps
    call.report([150.0], gap_ms=100, size=50)
    assert call.kbps < (1 - 0.139) * before
    longer = Call("nada", dloss=0.0)
    longer.report([50.0, *[150.0] * 9, None, *[150.0] * 68], gap_ms=1.25, size=50)
    before = longer.kbps
    longer.report([150.0], gap_ms=100, size=50)
    assert longer.kbps == pytest.approx(before, rel=0.01)


@pytest.mark.parametrize(
    ("kbps", "waiting", "by"),
    [(1000, 2000, 48), (1000, 4000, 50), (600, 2000, 30), (1000, 0, 0)],
)
def test_the_shaping_buffer_moves_both_rates_apart(kbps: float, waiting: int, by: float) -> None:
    """5.2.2: "a rate-shaping buffer of 2000 bytes will lead to a rate adjustment of 48 Kbps", at most 5 %."""
    call = Call("nada", initial_kbps=kbps)
    decision = call.frame(queued_bytes=waiting)
    assert decision.target == pytest.approx(1e3 * (kbps - by))
    assert decision.pacing == pytest.approx(1e3 * (kbps + by))


def test_stays_within_the_range_of_the_encoder() -> None:
    """(8) and (9): RMIN under a queue of a second, RMAX on a path of 10 Mbit/s."""
    low = Call("nada")
    settle(low, 1000, 20)
    assert low.kbps == 150
    high = Call("nada")
    for _ in range(5):
        high.report([50.0] * 100, gap_ms=1, size=1250)
    assert high.kbps == 1500
