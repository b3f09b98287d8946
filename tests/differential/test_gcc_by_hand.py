"""GCC by hand, from draft-ietf-rmcat-gcc-02: what its equations and its sentences say, in numbers.

Packets are a group each: they are sent more than 5 ms apart. Times are parts of 1024 ms, which floating point
and RFC 8888's timestamps have exactly.
"""

import math
from itertools import accumulate
from typing import Any

import pytest

from reference.media.gcc import Gcc, Signal, State
from tests.differential.call import Call

pytestmark = pytest.mark.usefixtures("side")
of_the_reading = pytest.mark.parametrize("side", ["reading"], indirect=True)
"""Tests that look inside, or want more noise than the registry permits."""

STEP = 1000 / 32
"""31.25 ms."""
HASTY = 1e9
"""A process noise in which the filter's gain is 1: the estimate m(i) is the delay variation d(i)."""


def calm(call: Call, reports: int, size: int = 2500) -> None:
    """Four packets in 125 ms, without a queue."""
    for _ in range(reports):
        call.report([50.0] * 4, gap_ms=STEP, size=size)


def vary(call: Call, *variations_ms: float) -> bool:
    """A report of packets whose delays differ by these amounts, and of one more that ends the last group.

    About 400 kbit/s arrive. Returns whether the rate falls.
    """
    calm(call, 5, size=1562)
    before = call.kbps
    delays = [50 + queue for queue in accumulate((*variations_ms, 0.0))]
    call.report(delays, gap_ms=STEP, size=1562)
    return call.kbps < before


def test_grows_by_eight_percent_a_second() -> None:
    """5.5: eta = 1.08^min(time / 1000 ms, 1). The first report begins the clock.

    Eight reports of 125 ms are a second: 300 x 1.08 = 324 kbit/s. After two seconds without a report there
    are again 8 %, not 16.64. The loss-based estimate begins with the highest rate.
    """
    call = Call("gcc", initial_kbps=300)
    calm(call, 9)
    assert call.kbps == pytest.approx(324)
    call.next_ms += 2000 - 125
    calm(call, 1, size=10_000)
    assert call.kbps == pytest.approx(324 * 1.08)


def test_grows_up_to_one_and_a_half_of_what_arrives() -> None:
    """5.5: A_hat < 1.5 R_hat ends an increase. 16 packets of 625 bytes in T = 500 ms are 160 kbit/s, so 240.

    From 230 the estimate would come to 246 in nine reports. An estimate above the bound stays.
    """
    for initial_kbps, kbps in ((230, 240), (300, 300)):
        call = Call("gcc", initial_kbps=initial_kbps)
        calm(call, 13, size=625)
        assert call.kbps == pytest.approx(kbps)


def test_over_use_brings_the_rate_to_85_percent_of_what_arrives() -> None:
    """5.5: A_hat = beta R_hat. Packets sent every 31.25 ms arrive every 62.5 ms: 31.25 ms more delay each.

    Eight of 6250 bytes in 500 ms are 800 kbit/s: 680. Until then nothing lowers the megabit of the beginning.
    """
    call = Call("gcc", initial_kbps=1000)
    rates = []
    for number in range(0, 80, 2):
        queue = STEP * number
        call.report([50 + queue, 50 + queue + STEP], gap_ms=STEP, size=6250)
        rates.append(call.kbps)
    fallen = next(place for place, rate in enumerate(rates) if rate < 1000)
    assert rates[fallen] == pytest.approx(680)
    assert rates[:fallen] == sorted(rates[:fallen])


@pytest.mark.parametrize(
    ("lost", "of", "factor"),
    [(1, 100, 1.05), (1, 50, 1), (1, 20, 1), (2, 20, 1), (4, 20, 0.9), (20, 20, 0.5)],
)
def test_losses_above_a_tenth_lower_the_rate_by_half_of_their_part(lost: int, of: int, factor: float) -> None:
    """6: 1.05 below 2 %, unchanged from 2 to 10 %, 1 - 0.5 p above, once a second.

    The first second loses all: half of 1000 kbit/s, above which the other estimate stays.
    """
    call = Call("gcc", initial_kbps=1000, increase=1.0)
    call.report([None] * 20, gap_ms=1024 / 20, size=625)
    assert call.kbps == pytest.approx(1000)
    call.report([None] * 20, gap_ms=1024 / 20, size=625)
    assert call.kbps == pytest.approx(500)
    call.report([*[50.0] * (of - lost), *[None] * lost], gap_ms=1024 / of, size=625)
    assert call.kbps == pytest.approx(500 * factor)


@of_the_reading
@pytest.mark.parametrize(
    ("variations_ms", "falls"),
    [
        ((20.0,), False),
        ((20.0, 21.0), True),
        ((20.0, 20.0), True),
        ((20.0, 19.0), False),
        ((20.0, 19.0, 20.0), True),
        ((20.0, 0.0, 20.0), False),
        ((11.0, 11.0, 11.0), False),
    ],
)
def test_over_use_must_last_and_not_decline(variations_ms: tuple[float, ...], falls: bool) -> None:
    """5.4: two groups above the threshold, of which the second came 10 ms later or more and is no smaller."""
    assert vary(Call("gcc", initial_kbps=400, process_noise=HASTY), *variations_ms) == falls


@of_the_reading
@pytest.mark.parametrize(("overuse_time", "falls"), [(51.0, True), (52.0, False)])
def test_over_use_lasts_from_the_arrival_of_its_first_group(overuse_time: float, falls: bool) -> None:
    """Groups whose delay grows by 20 ms arrive every 51.25 ms, so with the second over-use lasts 51.25 ms."""
    call = Call("gcc", initial_kbps=400, process_noise=HASTY, overuse_time=overuse_time)
    assert vary(call, 20.0, 20.0) == falls


def fresh(initial_kbps: float = 500) -> Any:
    """A controller whose parts are looked at."""
    controller = Call("gcc", initial_kbps=initial_kbps).controller
    assert isinstance(controller, Gcc)
    return controller


@of_the_reading
@pytest.mark.parametrize(
    ("m", "threshold"),
    [
        # K_u = 0.01: 12.5 + 10 x 0.01 x (20 - 12.5)
        (20.0, 13.25),
        (-20.0, 13.25),
        # K_d = 0.00018: 12.5 + 10 x 0.00018 x (2 - 12.5)
        (2.0, 12.4811),
        # 27.5 - 12.5 = 15 is not more than 15; 27.6 - 12.5 is.
        (27.5, 14.0),
        (27.6, 12.5),
    ],
)
def test_the_threshold_rises_fast_and_falls_slowly(m: float, threshold: float) -> None:
    """5.4, 10 ms after the group before."""
    controller = fresh()
    controller.m_hat = m
    controller.adapt(10.0)
    assert controller.del_var_th == pytest.approx(threshold)


@of_the_reading
def test_the_threshold_stays_between_6_and_600() -> None:
    """5.4. From 12.5 ms to 6 with an estimate of 0 takes ln(12.5 / 6) / 0.00018 = 4077 ms."""
    controller = fresh()
    for number in range(4200):
        controller.adapt(1.0)
        if number == 4000:
            assert controller.del_var_th > 6
    assert controller.del_var_th == 6
    controller.m_hat = 14.0
    controller.adapt(1e6)
    assert controller.del_var_th == 600


@of_the_reading
def test_the_first_step_of_the_filter() -> None:
    """5.3 with d = 5 ms, groups 5 ms apart, chi = 0.01.

    alpha = 0.99^(30 / (1000 x 0.2)) = 0.99^0.15 = 0.9984936. z = 5 is above 3 sqrt(1): var_v_hat = 0.9984936
    x 1 + 0.0015064 x 9 = 1.0120514. e + q = 0.1 + 0.001: k = 0.101 / (1.0120514 + 0.101) = 0.0907415; m_hat =
    5 k = 0.4537077; e = (1 - k) x 0.101 = 0.0918351.
    """
    controller = fresh()
    controller.filter(5.0, 5.0)
    assert controller.var_v_hat == pytest.approx(1.0120514, abs=1e-7)
    assert controller.m_hat == pytest.approx(0.4537077, abs=1e-6)
    assert controller.e == pytest.approx(0.0918351, abs=1e-7)


@of_the_reading
def test_noise_counts_once_a_frame_of_thirty_a_second() -> None:
    """5.3: alpha = (1 - chi)^(30 / (1000 f_max)). Groups every 100/3 ms, 30 a second: alpha is 1 - chi.

    z = -2: var_v_hat = max(0.99 + 0.01 x 4, 1) = 1.03; then d = m_hat: max(0.99 x 1.03, 1) = 1.0197. A single
    gap of a tenth of that time makes alpha 0.99^0.1 = 0.9989955: 0.9989955 x 1.0197 = 1.0186757. It remains
    "the highest rate at which the last K packet groups have been received": 0.9989955 x 1.0186757 =
    1.0176525.
    """
    controller = fresh()
    controller.filter(-2.0, 100 / 3)
    assert controller.var_v_hat == pytest.approx(1.03)
    controller.filter(controller.m_hat, 100 / 3)
    assert controller.var_v_hat == pytest.approx(1.0197)
    controller.filter(controller.m_hat, 10 / 3)
    assert controller.var_v_hat == pytest.approx(1.0186757, abs=1e-6)
    controller.filter(controller.m_hat, 100 / 3)
    assert controller.var_v_hat == pytest.approx(1.0176525, abs=1e-6)


@of_the_reading
@pytest.mark.parametrize(
    ("since_ms", "bits"),
    [
        # 1.2 Mbit/s: 40000 bits a frame, ceil(40000 / 9600) = 5 packets of 8000. The response time is 200 ms.
        # 0.5 x 100/200 x 8000
        (100.0, 2000.0),
        # half a packet at most
        (500.0, 4000.0),
        # 0.5 x 20/200 x 8000 = 400 is less than 1000.
        (20.0, 1000.0),
    ],
)
def test_near_convergence_half_a_packet_a_response_time(since_ms: float, bits: float) -> None:
    """5.5: additive increase."""
    controller = fresh(initial_kbps=1200)
    controller.rtt = 100.0
    assert controller.additive(since_ms) == pytest.approx(bits)


@of_the_reading
def test_two_decreases_tell_what_is_close() -> None:
    """5.5, smoothing 0.95: 1000 and then 800 kbit/s.

    One has no deviation, for which 2.5 % are taken: 75 are three. With both the average is 0.95 x 1000 + 0.05
    x 800 = 990, the variance 0.05 x 200^2 = 2000: three deviations are 134.16.
    """
    controller = fresh()
    assert not controller.converged_before()
    controller.remember(1000e3)
    for kbps, close in ((924, False), (926, True), (1074, True), (1076, False)):
        assert controller.close(kbps * 1e3) == close
    controller.remember(800e3)
    assert controller.converged_before()
    for kbps, close in ((855, False), (856, True), (1124, True), (1125, False)):
        assert controller.close(kbps * 1e3) == close


@of_the_reading
@pytest.mark.parametrize(
    ("signals", "states", "kbps"),
    [
        # R_hat is 500 kbit/s: over-use sets 425; a second goes by without it (Hold), then it grows, near what
        # arrived, by half a packet: 425000 / 30 bits in two packets.
        ("ONN", "DHI", (425, 425, 425 + 425 / 30 / 4)),
        # "Hold" waits until the queue has drained: under-use keeps it.
        ("OUUN", "DHHI", (425, 425, 425, 425 + 425 / 30 / 4)),
        ("UN", "HI", (450, 450 * 1.08)),
        ("OO", "DD", (425, 425)),
    ],
)
def test_the_states_of_the_rate_control(signals: str, states: str, kbps: tuple[float, ...]) -> None:
    """The table of 5.5, from the Increase state at 450 kbit/s; an update every second."""
    controller = fresh(initial_kbps=450)
    controller.latest_arrival = 1000.0
    controller.received.append((1000.0, 31250))
    names = {"O": Signal.OVERUSE, "N": Signal.NORMAL, "U": Signal.UNDERUSE}
    for signal, state, rate in zip(signals, states, kbps, strict=False):
        controller.control(names[signal], 1000.0)
        assert controller.state is {"H": State.HOLD, "I": State.INCREASE, "D": State.DECREASE}[state]
        assert controller.a_hat == pytest.approx(rate * 1e3)


@of_the_reading
def test_packets_that_arrive_in_a_burst_are_one_group() -> None:
    """5.2: an outage of 300 ms ends; ten packets sent every 31.25 ms come within a millisecond each.

    Each comes less than burst_time after the last, and earlier than its departure would have it. Without the
    merging each would have a variation of about -30 ms: under-use. The merged group ends later by what it
    waited, 281.25 ms of departures less than 10 of arrivals.
    """
    call = Call("gcc", process_noise=HASTY)
    calm(call, 4)
    controller = call.controller
    assert isinstance(controller, Gcc)
    judged: list[float] = []
    call.report([50.0], gap_ms=STEP)
    for number in range(10):
        call.report([350.0 - 30.25 * number], gap_ms=STEP)
        judged.append(controller.m_hat)
    assert judged == [0.0] * 10
    call.report([60.0], gap_ms=STEP)
    assert controller.m_hat == pytest.approx(350 - 30.25 * 9 - 50)
    assert math.isfinite(controller.a_hat)
