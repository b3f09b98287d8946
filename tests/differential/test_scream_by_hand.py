"""SCReAMv2 by hand, from draft-ietf-ccwg-rfc8298bis-screamv2: what its code and sentences say, in numbers.

A report stands for a round trip, MSS is 1000 bytes, the window of the decision is three reference windows.
"""

import pytest

from tests.differential.call import Call

pytestmark = pytest.mark.usefixtures("side")
of_the_reading = pytest.mark.parametrize("side", ["reading"], indirect=True)
"""Tests that look inside, or at what the compiled controller leaves out."""

LONG_AFTER = 1e6
"""Milliseconds after the first report, where the draft's times begin: nothing was congested lately."""


def long_after(rtt_ms: float = 100, *, max_kbps: float = 1500, l4s: bool = False, **values: float) -> Call:
    """A call whose first report, without room to grow, was long ago."""
    call = Call("scream2", max_kbps=max_kbps, l4s=l4s, **values)
    call.report([rtt_ms / 2], gap_ms=0, rtt_ms=rtt_ms, in_flight=0)
    call.next_ms = LONG_AFTER
    return call


def ref_wnd(call: Call) -> float:
    """REF_WND_OVERHEAD_MAX = 3, since nothing says that the delay varies."""
    window = call.controller.decision().window
    assert isinstance(window, float)
    return window / 3


def round_trip(
    call: Call,
    *,
    rtt_ms: float = 100,
    queue_ms: float = 0,
    lost: int = 0,
    marked: int = 0,
    growing: bool = True,
) -> None:
    """A report of a window of packets, at the end of a round trip."""
    packets = max(round(ref_wnd(call) / 1000), 1)
    delays = [*[rtt_ms / 2 + queue_ms] * (packets - lost), *[None] * lost]
    call.report(
        delays[::-1],
        gap_ms=rtt_ms / packets,
        rtt_ms=rtt_ms,
        marked=marked,
        in_flight=10**9 if growing else 0,
    )


def grow(call: Call, window: float, *, rtt_ms: float = 100) -> None:
    """Round trips without congestion, up to this window."""
    for _ in range(200):
        if ref_wnd(call) >= window:
            return
        round_trip(call, rtt_ms=rtt_ms)
    raise AssertionError(f"{ref_wnd(call)} bytes after 200 round trips")


def grown(rtt_ms: float = 100, *, l4s: bool = False, **values: float) -> Call:
    """A call at its maximum of 2 Mbit/s, which "inhibits" the window's growth."""
    call = long_after(rtt_ms, max_kbps=2000, l4s=l4s, **values)
    for _ in range(200):
        round_trip(call, rtt_ms=rtt_ms)
    assert call.kbps == 2000
    return call


@pytest.mark.parametrize(
    ("rtt_ms", "windows"),
    [
        # 1000 x (1 + 0.02 x 3000 / 1000) = 1060; four packets of the window of 4060: 4000 / 4060 x 1000 x
        # (1 + 0.02 x 4.06) = 1065.2.
        (100, (4060, 5125)),
        # Below VIRTUAL_RTT = 25 ms the increase is that of 25 ms in sum: a half with 12.5 ms.
        (12.5, (3530, 3530 + 606)),
    ],
)
def test_grows_by_a_packet_and_two_percent_a_round_trip(rtt_ms: float, windows: tuple[float, ...]) -> None:
    """Increase: (MSS + MUL_INCREASE_FACTOR x ref_wnd) a round trip, long after congestion.

    3530 bytes with four packets: 4000 / 3530 x 1000 x (1 + 0.02 x 3.53) / 2 = 606.6, cut off to whole bytes.
    """
    call = long_after(rtt_ms, max_kbps=5000)
    assert ref_wnd(call) == 3000
    for window in windows:
        round_trip(call, rtt_ms=rtt_ms)
        assert ref_wnd(call) == pytest.approx(window)


def test_grows_no_further_than_half_beyond_the_flight() -> None:
    """Increase: ref_wnd + increment <= MSS + 1.5 x bytes in flight.

    With 2000 bytes in flight 4000 are allowed: 4060 are too many. With 2040, 4060 are just allowed.
    """
    for in_flight, window in ((2039, 3000), (2040, 4060)):
        call = long_after()
        call.report([50.0] * 3, gap_ms=33, in_flight=in_flight)
        assert ref_wnd(call) == window


def test_the_flight_of_the_round_trip_before_counts_too() -> None:
    """The larger of two round trips' largest flights allows the growth.

    What is in flight at the end of the first belongs to the second too, and to none of the last two.
    """
    call = long_after()
    for in_flight, window in ((10**9, 4060), (0, 5125), (0, 5985), (0, 5985)):
        call.report([50.0] * 4 if window > 4060 else [50.0] * 3, gap_ms=35, in_flight=in_flight)
        assert ref_wnd(call) == window


@pytest.mark.parametrize("rtt_ms", [50, 100])
def test_a_loss_leaves_70_percent_and_a_classic_mark_80(rtt_ms: float) -> None:
    """BETA_LOSS and BETA_ECN; a loss counts if there are both."""
    for lost, marked, left in ((1, 0, 0.7), (0, 1, 0.8), (1, 1, 0.7)):
        call = grown(rtt_ms)
        before = ref_wnd(call)
        round_trip(call, rtt_ms=rtt_ms, lost=lost, marked=marked)
        assert ref_wnd(call) == pytest.approx(left * before)


def test_reacts_once_in_25_ms() -> None:
    """At most every min(VIRTUAL_RTT, s_rtt). What was lost meanwhile counts at the end of that time.

    The reports come 20 and 30 ms after the first: 0.7 x 0.7 = 0.49, and what grows in between.
    """
    call = grown()
    before = ref_wnd(call)
    call.report([None, 50.0], gap_ms=10)
    call.report([None, 50.0], gap_ms=10, in_flight=0)
    assert ref_wnd(call) >= 0.7 * before
    call.report([50.0], gap_ms=10, in_flight=0)
    assert 0.48 * before < ref_wnd(call) < 0.52 * before


def test_never_falls_below_3000_bytes() -> None:
    """MIN_REF_WND; three windows are 9000."""
    call = grown()
    for _ in range(20):
        round_trip(call, lost=1, growing=False)
    assert ref_wnd(call) == 3000


def test_growth_is_additive_after_congestion_and_multiplicative_a_hundred_round_trips_later() -> None:
    """POST_CONGESTION_DELAY_RTTS = 100.

    The first round trip after a loss has a hundredth of the multiplicative part, the hundredth has it whole.
    A window of w packets grows by 1 + 0.02 w x (round trips since / 100) packets, while it is more than an
    eighth below the window before the loss, or above it.
    """
    call = long_after(max_kbps=1e5)
    grow(call, 50_000)
    round_trip(call, lost=1)
    after_loss = ref_wnd(call)
    round_trip(call)
    assert ref_wnd(call) - after_loss == pytest.approx(1000 * (1 + 0.02 * after_loss / 1000 * 0.01), rel=0.02)
    for _ in range(110):
        round_trip(call)
    window = ref_wnd(call)
    round_trip(call)
    assert ref_wnd(call) - window == pytest.approx(1000 * (1 + 0.02 * window / 1000), rel=0.02)


def test_growth_is_a_quarter_near_the_last_inflection_point() -> None:
    """scl_t = (8 (ref_wnd - ref_wnd_i) / ref_wnd_i)^2, at least 0.25 for the increase.

    5 % below the inflection point: (8 x 0.05)^2 = 0.16. Short after congestion there is only the additive
    part: 250 bytes a round trip.
    """
    call = long_after(max_kbps=1e5)
    grow(call, 50_000)
    inflection = ref_wnd(call)
    round_trip(call, lost=1)
    grow(call, 0.95 * inflection)
    window = ref_wnd(call)
    round_trip(call)
    assert ref_wnd(call) - window == pytest.approx(250, rel=0.1)


@pytest.mark.parametrize(("rtt_ms", "part"), [(25, 1), (100, 4)])
def test_a_queue_above_30_ms_is_taken_for_marks(rtt_ms: float, part: float) -> None:
    """qdelay_target = 60 ms: "increases linearly from 0 to 100% as qdelay_avg goes from" 30 to 60 ms.

    A queue of 60 ms: qdelay_avg is 15, 26.25, 34.6875 ms (QDELAY_AVG_G = 1/4, "slow attack"). The third is
    15.625 % of the way, the backoff half of that, 7.8125 %, divided by s_rtt / VIRTUAL_RTT. Four round trips
    later the average is 52 ms, but with no queue it is 0 at once ("fast decay"), and nothing is reduced.
    """
    call = grown(rtt_ms)
    before = ref_wnd(call)
    for _ in range(2):
        round_trip(call, rtt_ms=rtt_ms, queue_ms=60)
        assert ref_wnd(call) == before
    round_trip(call, rtt_ms=rtt_ms, queue_ms=60)
    assert ref_wnd(call) == pytest.approx(before * (1 - 0.078125 / part))
    for _ in range(4):
        round_trip(call, rtt_ms=rtt_ms, queue_ms=60, growing=False)
    low = ref_wnd(call)
    round_trip(call, rtt_ms=rtt_ms, growing=False)
    assert ref_wnd(call) >= low


@pytest.mark.parametrize(("rtt_ms", "part"), [(25, 1), (100, 4)])
def test_marks_of_l4s_reduce_by_half_of_their_average_part(rtt_ms: float, part: float) -> None:
    """l4s_alpha: 1/8 after a round trip of marks alone (L4S_AVG_G_UP), then 1/8 + 7/8 x 1/8 = 15/64.

    The backoff is half of it, divided by s_rtt / VIRTUAL_RTT: first 1/16. Without a queue it is scaled by
    scl_t, at least a quarter. The first has no inflection point yet: 1. The second is close to it:
    (8 / 16)^2 = 0.25 or less: a quarter of 15/128. Marked packets bring no growth.
    """
    call = grown(rtt_ms, l4s=True)
    before = ref_wnd(call)
    packets = round(before / 1000)
    call.report([rtt_ms / 2] * packets, gap_ms=rtt_ms / packets, rtt_ms=rtt_ms, marked=packets)
    first = 1 - 1 / 16 / part
    assert ref_wnd(call) == pytest.approx(before * first)
    call.report([rtt_ms / 2] * packets, gap_ms=rtt_ms / packets, rtt_ms=rtt_ms, marked=packets)
    assert ref_wnd(call) == pytest.approx(before * first * (1 - 15 / 128 / 4 / part), abs=1)


@of_the_reading
def test_l4s_alpha_falls_slowly() -> None:
    """L4S_AVG_G_DOWN = 1/128: 1/8 after a marked round trip, half of it 89 round trips later.

    ln 2 / -ln(127/128) = 88.4.
    """
    call = grown(25, l4s=True)
    packets = round(ref_wnd(call) / 1000)
    call.report([12.5] * packets, gap_ms=25 / packets, rtt_ms=25, marked=packets)
    assert call.controller.l4s_alpha == 1 / 8
    for _ in range(88):
        call.report([12.5] * 2, gap_ms=12.5, rtt_ms=25)
    assert call.controller.l4s_alpha > 1 / 16
    call.report([12.5] * 2, gap_ms=12.5, rtt_ms=25)
    assert call.controller.l4s_alpha < 1 / 16


@pytest.mark.parametrize(("marks", "least", "most"), [(1, 1.05, 2), (2, 0.9, 1.02), (4, 0, 0.95)])
def test_two_marks_a_round_trip_hold_the_window(marks: int, least: float, most: float) -> None:
    """The text: "a one-MSS-increase of the reference window per RTT is offset by two marked packets per RTT".

    2 of w packets are marked: l4s_alpha / 2 x w packets = 1 packet. With one it grows, with four it falls.
    """
    call = long_after(25, max_kbps=1e5, l4s=True)
    grow(call, 100_000, rtt_ms=25)
    for _ in range(100):
        round_trip(call, rtt_ms=25, marked=2)
    before = ref_wnd(call)
    for _ in range(200):
        round_trip(call, rtt_ms=25, marked=marks)
    assert least * before < ref_wnd(call) < most * before


@pytest.mark.parametrize(
    ("window", "kbps"),
    [
        # 20 packets in 100 ms: 1600 kbit/s x 1000/1020 / 1.2.
        (20_000, 1307.19),
        # MSS / ref_wnd = 0.2 is 0.1 above 0.1: 400 kbit/s x 0.9 x 1000/1020 / 1.2.
        (5000, 294.118),
        # 1/3 is 0.233 above it, and counts 0.2: 240 x 0.8 / 1.224.
        (3000, 156.863),
    ],
)
def test_the_target_is_somewhat_below_the_window_per_round_trip(window: float, kbps: float) -> None:
    """Media rate control: 8 ref_wnd / s_rtt, less for small windows, 20 bytes of headers, the factor 1.2."""
    call = Call("scream2", min_ref_wnd=window)
    call.report([50.0], gap_ms=100, in_flight=0)
    assert call.kbps == pytest.approx(kbps, abs=0.001)


def test_round_trip_times_are_smoothed() -> None:
    """RFC 6298: 100 ms and then 7/8 x 100 + 1/8 x 180 = 110 ms: 20000 x 8 / 0.11 / 1.02 / 1.2."""
    call = Call("scream2", min_ref_wnd=20_000)
    for rtt_ms in (100, 180):
        call.report([50.0], gap_ms=100, rtt_ms=rtt_ms, in_flight=0)
    assert call.kbps == pytest.approx(20_000 * 8 / 110 / 1.02 / 1.2)


@pytest.mark.parametrize(
    ("queued_ms", "frames", "factor"),
    [
        # error = (1/30 - 1/120) x 30 = 0.75, a sixteenth of it: 0.046875
        (1000 / 30, 1, 0.046875),
        (1000 / 30, 2, 0.09375),
        # not more than 0.5
        (1000 / 30, 100, 0.5),
        # A quarter of a frame's time is allowed.
        (1000 / 120, 50, 0.0),
    ],
)
def test_packets_that_wait_lower_the_target(queued_ms: float, frames: int, factor: float) -> None:
    """rate_adjust_factor by RATE_ADJUST_GAIN = 1/16: 1600 kbit/s x 1000/1020 / (1.2 + factor)."""
    call = Call("scream2", min_ref_wnd=20_000)
    call.report([50.0], gap_ms=100, in_flight=0)
    for _ in range(frames):
        call.frame(queued_ms=queued_ms)
    call.report([50.0], gap_ms=100, in_flight=0)
    assert call.kbps == pytest.approx(1600 / 1.02 / (1.2 + factor))


def test_large_frames_lower_the_target() -> None:
    """frame_size_dev, a 64th of the deviation: twice the nominal size is 1/64.

    Nominal are 480 kbit/s / 30 / 8 = 2000 bytes. A deviation of 30 times would be 30 / 64 = 0.47, but 0.2
    is the most.
    """
    for times, deviation in ((2, 1 / 64), (31, 0.2), (1, 0.0), (0.5, 0.0)):
        call = Call("scream2", initial_kbps=480, min_ref_wnd=20_000)
        call.frame(size=int(times * 2000), queued_ms=1000 / 120)
        call.report([50.0], gap_ms=100, in_flight=0)
        assert call.kbps == pytest.approx(1600 / 1.02 / (1.2 + deviation))


@pytest.mark.parametrize(("part", "headroom"), [(0.5, 1.5), (0.8, 1.5), (0.9, 3.0), (1.0, 6.0)])
def test_pacing_is_relaxed_near_the_highest_rate(part: float, headroom: float) -> None:
    """PACKET_PACING_HEADROOM = 1.5; from 80 % on relaxed, four times at the most.

    At 90 %: (0.9 - 0.8) / 0.2 = 0.5, divided by 1 - 0.5.
    """
    call = Call("scream2", initial_kbps=1500 * part, max_kbps=1500)
    decision = call.controller.decision()
    assert decision.pacing == pytest.approx(headroom * 1500e3 * part)
    assert decision.window == 9000


def test_the_average_delay_moves_every_25_ms() -> None:
    """Reports 10 ms apart move qdelay_avg at 0, 30 and 60 ms; the third time, 34.69 ms, is the seventh."""
    call = grown()
    call.next_ms += 100
    before = ref_wnd(call)
    for _ in range(6):
        call.report([110.0], gap_ms=10, in_flight=0)
        assert ref_wnd(call) == before
    call.report([110.0], gap_ms=10, in_flight=0)
    assert ref_wnd(call) < before


def test_a_window_that_nothing_congested_for_long_falls_to_the_flight_first() -> None:
    """More than a hundred round trips since the last reaction: ref_wnd = min(ref_wnd, the flight before).

    The window for 2 Mbit/s in 25 ms is larger. Two packets, both marked: 5000 x (1 - 1/16), and of 1500
    MIN_REF_WND.
    """
    for in_flight, window in ((5000, 4687.5), (1500, 3000)):
        call = grown(25, l4s=True)
        assert ref_wnd(call) > 7000
        for marked in (0, 0, 0, 2):
            call.report([12.5] * 2, gap_ms=12.5, rtt_ms=25, marked=marked, in_flight=in_flight)
        assert ref_wnd(call) == pytest.approx(window)


@of_the_reading
def test_an_unsteady_queue_lowers_the_target_of_the_delay() -> None:
    """Variance of 200 samples in units of 60 ms: from 0.2 on the target falls by a tenth.

    After a steady queue of 90 ms (1.5) come queues of 300 ms (5). Three of them: 3.5^2 x 0.015 x 0.985 =
    0.181, the average of 50 is (47 x 1.5 + 3 x 5) / 50 = 1.71: (1.71 + 0.42543) x 60 = 128.126 ms. With four
    the variance is 0.24.
    """
    call = Call("scream2", competing=1.0)
    call.report([50.0], gap_ms=100, in_flight=0)
    for _ in range(200):
        call.report([140.0], gap_ms=100, in_flight=0)
    for _ in range(3):
        call.report([350.0], gap_ms=100, in_flight=0)
    assert call.controller.qdelay_target_s == pytest.approx(0.128126, abs=1e-6)
    call.report([350.0], gap_ms=100, in_flight=0)
    assert call.controller.qdelay_target_s == pytest.approx(0.9 * 0.128126, abs=1e-6)


@of_the_reading
def test_competing_flows_raise_the_target_of_the_delay() -> None:
    """A steady queue of 90 ms has no variance: qdelay_target = 90 ms; 400 ms at most, then 60 again.

    Once the 200 samples are all of 90 ms, the threshold is 45 instead of 30 ms.
    """
    call = Call("scream2", competing=1.0)
    call.report([50.0], gap_ms=100, in_flight=0)
    for _ in range(200):
        call.report([140.0], gap_ms=100, in_flight=0)
    assert call.controller.qdelay_target_s == pytest.approx(0.09)
    for _ in range(200):
        call.report([1050.0], gap_ms=100, in_flight=0)
    assert call.controller.qdelay_target_s == pytest.approx(0.4)
    for _ in range(200):
        call.report([50.0], gap_ms=100, in_flight=0)
    assert call.controller.qdelay_target_s == pytest.approx(0.06)
