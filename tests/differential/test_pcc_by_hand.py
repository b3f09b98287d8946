"""PCC Allegro and PCC Vivace by hand: intervals, utilities, and the rates that follow from them.

Packets have 1250 bytes, so that 1000 of them in a second are 10 Mbit/s. A round trip takes 100 ms.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

import ackclock
from reference import Ack, Congestion, RateSample, Signal, Start
from reference.controllers.allegro import Allegro
from reference.controllers.vivace import Vivace
from reference.controllers.vivace_linux import Trial, VivaceLinux
from reference.facts import nanoseconds
from reference.monitor_intervals import Interval, MonitoredRate

MS = 1_000_000
START = Start(initial_window=10.0)


def vivace(**values: float) -> Vivace:
    return Vivace(packet_size=1250.0, **values)


def ack(now_ms: int, *, lost: float = 0.0, limited: bool = False, rtt_ms: int | None = 100) -> Ack:
    """An acknowledgment of one packet."""
    rtt = None if rtt_ms is None else rtt_ms / 1e3
    rate = RateSample(rate=100.0, app_limited=limited)
    return Ack(
        now=now_ms / 1e3,
        delivered=1.0,
        lost=lost,
        in_flight=10.0,
        rtt=rtt,
        srtt=0.1,
        min_rtt=0.1,
        round=0,
        rate=rate,
    )


Rate = TypeVar("Rate", bound=MonitoredRate)


def begun(controller: Rate) -> Rate:
    """A sender that knows the round-trip time since 100 ms."""
    controller.begin(START)
    controller.on_ack(ack(100))
    return controller


def result(rate: float, lost: float = 0.0, slope: float = 0.0) -> Interval:
    """An interval of 100 packets, 10 ms apart."""
    found = Interval(rate, 0, 0, delivered=100.0 - lost, lost=lost)
    found.rtts = [(10 * MS * place, round((100 + 10 * place * slope) * MS)) for place in range(100)]
    return found


# Intervals


def test_an_interval_has_the_packets_that_were_sent_in_it() -> None:
    """20 packets/s are 2 in a round trip; 10 of them take 500 ms, from 100 ms to 600 ms.

    Those sent from 100 ms to 590 ms are acknowledged from 200 ms to 690 ms, 50 of them. What is lost by
    720 ms was sent before the one acknowledged at 690 ms; what is lost later, after the interval. So at
    730 ms the result is known.
    """
    controller = begun(vivace())
    assert (controller.pacing_rate, controller.cwnd) == (20.0, 4.0)
    for now_ms in range(110, 720, 10):
        controller.on_ack(ack(now_ms))
    (interval,) = controller.intervals
    assert (interval.end, interval.counted, controller.pacing_rate) == (600 * MS, 50.0, 20.0)
    controller.on_ack(ack(720, lost=1.0))
    assert interval.lost == 1.0
    controller.on_ack(ack(730, lost=1.0))
    assert (interval.lost, controller.pacing_rate) == (1.0, 40.0)


def test_losses_before_the_interval_are_not_of_it() -> None:
    """At 220 ms three of its packets have arrived before, the first of which was sent at 100 ms."""
    controller = begun(vivace())
    for now_ms in range(110, 230, 10):
        controller.on_ack(ack(now_ms, lost=1.0))
    assert controller.intervals[0].lost == 0.0
    controller.on_ack(ack(230, lost=1.0))
    assert controller.intervals[0].lost == 1.0


def test_a_packet_sent_again_is_of_the_interval_of_the_last_one() -> None:
    controller = begun(vivace())
    for now_ms in range(110, 210, 10):
        controller.on_ack(ack(now_ms))
    controller.on_ack(ack(210, rtt_ms=None))
    (interval,) = controller.intervals
    assert (interval.delivered, len(interval.rtts)) == (2.0, 1)


@pytest.mark.parametrize("limited", [True, False])
def test_an_interval_that_the_application_held_down_is_sent_again(limited: bool) -> None:
    controller = begun(vivace())
    for now_ms in range(110, 740, 10):
        controller.on_ack(ack(now_ms, limited=limited and now_ms == 300))
    assert controller.pacing_rate == (20.0 if limited else 40.0)
    assert controller.intervals[0].start == 730 * MS


def timed_out(controller: MonitoredRate | VivaceLinux) -> None:
    controller.on_congestion(
        Congestion(now=0.3, signal=Signal.TIMEOUT, flight=4.0, restart=True, repeated=False)
    )


def test_after_a_pause_the_plan_begins_anew_from_the_restart_window() -> None:
    controller = begun(Allegro())
    controller.on_idle_restart(3.0)
    assert (controller.cwnd, controller.intervals) == (3.0, [])
    controller.on_ack(ack(400))
    assert (controller.cwnd, controller.pacing_rate, controller.intervals[0].start) == (4.0, 20.0, 400 * MS)


def test_a_timeout_halves_vivaces_rate_and_ends_its_start() -> None:
    controller = begun(vivace())
    controller.rate = 100.0
    timed_out(controller)
    assert controller.cwnd == 1.0
    controller.on_ack(ack(400))
    assert sorted(controller.plan) == [47.5, 52.5]


def test_a_timeout_drops_what_allegro_has_under_way() -> None:
    """At 600 ms the second rate of the row begins, and the first has no result: it begins there again."""
    controller = begun(Allegro())
    for now_ms in range(110, 610, 10):
        controller.on_ack(ack(now_ms))
    timed_out(controller)
    assert controller.intervals == []
    controller.on_ack(ack(800))
    assert (controller.pacing_rate, [found.start for found in controller.intervals]) == (20.0, [800 * MS])
    assert controller.plan == [20.0]


def test_an_interval_lasts_whole_nanoseconds_with_halves_rounded_up() -> None:
    """Ten packets at 4 in a round trip of 3 ns take 7.5 ns."""
    assert nanoseconds(10.0 / (4.0 / 3e-9)) == 8
    assert (nanoseconds(6.4e-9), nanoseconds(6.6e-9)) == (6, 7)
    controller = begun(vivace())
    controller.on_ack(replace(ack(110), rtt=0.068242553, srtt=0.068242553))
    assert nanoseconds(controller.length(4.0 / 0.068242553)) == 170606383


def test_results_that_come_at_once_are_judged_at_once() -> None:
    """A queue empties, and packets sent 200 ms later are acknowledged: two intervals have their results.

    Nothing was counted in the second: the row goes on there, with 40 packets/s, and not with the 160 after them.
    """
    controller = begun(Allegro())
    ends = [(20.0, 100, 200), (40.0, 200, 300)]
    controller.intervals = [Interval(rate, start * MS, end * MS, end=end * MS) for rate, start, end in ends]
    controller.intervals[0].delivered = 5.0
    controller.intervals.append(Interval(80.0, 300 * MS, 500 * MS))
    controller.plan, controller.begun = [20.0, 40.0, 80.0], 3
    controller.places.extend([400 * MS] * 3)
    controller.on_ack(ack(600))
    assert (controller.judged, controller.pacing_rate) == (1, 40.0)


def test_a_row_that_is_taken_up_keeps_its_number() -> None:
    """The second step is 2 %, also after the interval before it said nothing."""
    controller = deciding()
    controller.decide([result(1010.0), result(990.0), result(990.0), result(1010.0)])
    tried = row(controller, 4)
    controller.judged = 2
    controller.again()
    assert controller.plan == tried[:3]
    controller.further()
    assert controller.plan == pytest.approx(tried)
    assert tried[3] == pytest.approx(1.03 * tried[2])


@pytest.mark.parametrize("signal", [Signal.LOSS, Signal.ECN])
def test_a_loss_or_a_mark_in_itself_changes_nothing(signal: Signal) -> None:
    controller = begun(vivace())
    controller.on_congestion(Congestion(now=0.3, signal=signal, flight=4.0, restart=False, repeated=False))
    controller.on_spurious()
    assert (controller.cwnd, controller.pacing_rate, len(controller.intervals)) == (4.0, 20.0, 1)


# Vivace


@pytest.mark.parametrize(
    ("lost", "slope", "utility"),
    [(0.0, 0.0, 7.943282), (1.0, 0.0, 7.943282 - 1.135), (0.0, 0.02, 7.943282 - 180), (0.0, 0.009, 7.943282)],
)
def test_vivaces_utility(lost: float, slope: float, utility: float) -> None:
    """10^0.9 at 10 Mbit/s; a loss costs 11.35 * 10 * 1 %, and 2 ms more in 100 ms 900 * 10 * 2 %."""
    assert vivace().utility(result(1000.0, lost, slope)) == pytest.approx(utility, rel=1e-6)


def test_a_falling_delay_is_a_gain() -> None:
    assert vivace().utility(result(1000.0, slope=-0.02)) == pytest.approx(10**0.9 + 180)


def moved(controller: Vivace, gradients: Iterable[float]) -> list[float]:
    """The rates in Mbit/s after steps by these gradients, from 10 Mbit/s."""
    controller.rate = 1000.0
    rates = []
    for gradient in gradients:
        controller.step(gradient)
        rates.append(controller.rate / 100)
    return rates


def test_confidence_amplifies_steps_in_one_direction() -> None:
    """Times 1, 2, 3, then 5 and 7; another direction, and a step of zero, begin again."""
    rates = moved(begun(vivace()), [0.01] * 5 + [-0.01] * 2 + [0.0, -0.01])
    assert rates == pytest.approx([10.01, 10.03, 10.06, 10.11, 10.18, 10.17, 10.15, 10.15, 10.14])


def test_the_boundary_grows_while_steps_exceed_it() -> None:
    """5, 15 and 25 %; then a step of 5 * 0.01 fits 5 %. Down, by 5 % of what is there."""
    rates = moved(begun(vivace()), [50.0, 50.0, 50.0, 0.01, 50.0, -50.0])
    expected = [10.5, 12.075, 15.09375, 15.14375, 15.14375 * 1.05, 15.14375 * 1.05 * 0.95]
    assert rates == pytest.approx(expected)


def test_the_boundary_falls_to_the_smallest_that_holds_the_step() -> None:
    """After 5 and 15 %, three times 0.5 of 12.075 Mbit/s is 12.4 %: it needs 15 %, and so may the next be."""
    rates = moved(begun(vivace()), [50.0, 50.0, 0.5, 50.0])
    assert rates == pytest.approx([10.5, 12.075, 13.575, 13.575 * 1.15])


def test_the_rate_is_two_packets_in_a_round_trip_at_least() -> None:
    controller = in_pairs(10.0)
    controller.rate = 20.5
    controller.decide([result(19.0), result(21.0, lost=50.0)])
    assert controller.rate == 20.0


def in_pairs(rate: float = 1000.0, **values: float) -> Vivace:
    """A sender that has begun to try pairs."""
    controller = begun(vivace(**values))
    controller.rate = 2 * rate
    controller.last_utility = math.inf
    controller.double(0.0)
    return controller


def test_vivace_doubles_until_utility_falls_and_then_tries_five_percent() -> None:
    """With 40 % lost the utility of 40 packets/s is below zero, and 20 packets/s come back."""
    controller = begun(vivace())
    controller.decide([result(20.0)])
    assert controller.plan == [40.0]
    controller.decide([result(40.0, lost=40.0)])
    assert sorted(controller.plan) == pytest.approx([19.0, 21.0])
    assert controller.waiting_rate == 20.0


def test_the_gradient_of_a_pair_moves_the_rate() -> None:
    """(10.5^0.9 - 9.5^0.9) / 1 Mbit/s = 0.7149 is more than 5 % of 10 Mbit/s, and a tenth of it is not."""
    for theta, rate in [(1.0, 1050.0), (0.1, 1007.149)]:
        controller = in_pairs(theta=theta)
        controller.decide([result(1050.0), result(950.0)])
        assert controller.rate == pytest.approx(rate, abs=1e-3)
        assert sorted(controller.plan) == pytest.approx([0.95 * rate, 1.05 * rate], abs=1e-3)


def test_a_pair_against_intuition_is_measured_twice() -> None:
    """The faster one lost less. Then it loses 30 %: the means of both pairs speak for less."""
    controller = in_pairs()
    controller.decide([result(950.0, lost=1.0), result(1050.0)])
    assert controller.rate == 1000.0
    controller.decide([result(950.0), result(1050.0, lost=30.0)])
    assert controller.rate == 950.0
    # A pair that speaks for less is not doubted, whatever else it shows.
    controller = in_pairs()
    controller.decide([result(950.0, lost=1.0), result(1050.0, slope=0.02)])
    assert controller.rate == 950.0


def test_chance_orders_the_pairs() -> None:
    orders = {tuple(in_pairs(seed=float(seed)).plan) for seed in range(20)}
    assert len(orders) == 2


# Allegro


@pytest.mark.parametrize(
    ("lost", "utility"),
    [(0.0, 1000 / (1 + math.exp(-5))), (5.0, 950 / 2 - 50), (10.0, 900 / (1 + math.exp(5)) - 100)],
)
def test_allegros_utility_falls_off_at_five_percent(lost: float, utility: float) -> None:
    assert Allegro().utility(result(1000.0, lost)) == pytest.approx(utility)


def test_allegros_intervals_last_about_two_round_trips() -> None:
    """1.7 to 2.2 of them; 10 packets at 20 packets/s take 5."""
    lengths = []
    for seed in range(40):
        controller = begun(Allegro(seed=float(seed)))
        assert controller.length(20.0) == 0.5
        lengths.append(controller.length(1000.0))
    assert 0.17 <= min(lengths) < 0.18
    assert 0.21 < max(lengths) <= 0.22


def test_allegros_start_doubles_with_every_interval() -> None:
    """At 20 packets/s until 600 ms; at 40 until 850 ms, when only the result of 20 is known."""
    controller = begun(Allegro())
    rates = {100: controller.pacing_rate}
    for now_ms in range(110, 860, 10):
        controller.on_ack(ack(now_ms))
        rates[now_ms] = controller.pacing_rate
    assert [rates[now_ms] for now_ms in (100, 590, 600, 840, 850)] == [20.0, 20.0, 40.0, 40.0, 80.0]
    assert (controller.last_rate, len(controller.intervals)) == (20.0, 2)


def test_the_start_ends_with_the_rate_before_utility_fell() -> None:
    """While 80 packets/s are sent, the result of 40 comes: 20."""
    controller = begun(Allegro())
    controller.decide([result(20.0)])
    controller.decide([result(40.0, lost=10.0)])
    assert controller.waiting_rate == 20.0
    assert sorted(controller.plan) == pytest.approx([19.8, 19.8, 20.2, 20.2])


def deciding(rate: float = 1000.0) -> Allegro:
    """A sender that has begun to make decisions."""
    controller = begun(Allegro())
    controller.decide([result(rate)])
    controller.decide([result(2 * rate, lost=50.0)])
    return controller


def row(controller: Allegro, length: int) -> list[float]:
    """The first rates of a row."""
    while len(controller.plan) < length:
        assert controller.follow is not None
        controller.follow()
    return controller.plan[:length]


def test_two_pairs_that_agree_begin_a_row_of_larger_steps() -> None:
    """1 % to the winner, then 1, 2 and 3 % more, until utility falls; then pairs of 1 % again."""
    controller = deciding()
    assert sorted(controller.plan) == pytest.approx([990.0, 990.0, 1010.0, 1010.0])
    controller.decide([result(1010.0), result(990.0), result(990.0), result(1010.0)])
    rates = row(controller, 4)[1:]
    assert rates == pytest.approx([1010 * 1.01, 1010 * 1.01 * 1.02, 1010 * 1.01 * 1.02 * 1.03])
    controller.decide([result(rates[0])])
    controller.decide([result(rates[1])])
    assert controller.state == "adjusting"
    controller.decide([result(rates[2], lost=10.0)])
    assert controller.waiting_rate == rates[1]
    assert min(controller.plan) == pytest.approx(0.99 * rates[1])


def test_the_first_step_is_compared_with_the_second_pair() -> None:
    """3 % are lost by then: 0.97 / (1 + e^-2) - 0.03 = 0.82 of each rate, where the first pair had 0.99."""
    controller = deciding()
    controller.decide([result(1010.0), result(990.0), result(1010.0, lost=3.0), result(990.0, lost=4.0)])
    controller.decide([result(1020.1, lost=3.0)])
    assert controller.state == "adjusting"


def test_a_row_of_steps_down() -> None:
    """10 % of the faster packets are lost: 1 % less, and then 1 % and 2 % less than that.

    Without losses less is worse; the rate before is 990.
    """
    controller = deciding()
    controller.decide([result(1010.0, lost=10.0), result(990.0), result(990.0), result(1010.0, lost=10.0)])
    rates = row(controller, 3)[1:]
    assert rates == pytest.approx([990 * 0.99, 990 * 0.99 * 0.98])
    controller.decide([result(rates[0])])
    assert (controller.state, controller.waiting_rate) == ("deciding", 990.0)


def test_pairs_that_disagree_are_spread() -> None:
    """2, 3, 4 and 5 %, and no more. A pair of equal utilities agrees with nothing."""
    controller = deciding()
    for epsilon in (0.02, 0.03, 0.04, 0.05, 0.05):
        faster, slower = max(controller.plan), min(controller.plan)
        controller.decide([result(faster), result(slower), result(slower), result(faster, lost=10.0)])
        assert max(controller.plan) == pytest.approx(1000 * (1 + epsilon))
    controller.decide([result(1000.0)] * 4)
    assert controller.state == "deciding"


def test_steps_down_end_at_two_packets_in_a_round_trip() -> None:
    controller = deciding(20.0)
    lossy = result(20.2, lost=10.0)
    controller.decide([lossy, result(19.8), result(19.8), lossy])
    assert row(controller, 4)[1:] != [20.0] * 3
    assert (controller.state, controller.waiting_rate) == ("deciding", 20.0)


# The module for Linux


def begun_module() -> VivaceLinux:
    controller = VivaceLinux(packet_size=1250.0)
    controller.begin(START)
    controller.on_ack(ack(100))
    return controller


def module(rate: float = 1e6) -> VivaceLinux:
    controller = begun_module()
    controller.state = "probing"
    controller.rate = rate
    return controller


def trial(rate: float, lost: float = 0.0, rise_ms: float = 0.0) -> Trial:
    """100 packets, sent and acknowledged in 100 ms, over which the smoothed round-trip time rises."""
    found = Trial(rate, send_start=0.2, send_end=0.3, delivered=100.0 - lost, lost=lost)
    found.first, found.last = (0.3, 0.1), (0.4, 0.1 + rise_ms / 1e3)
    return found


def decided(controller: VivaceLinux, *trials: Trial) -> float:
    controller.trials = list(trials)
    controller.decide()
    return controller.rate


@pytest.mark.parametrize(
    ("lost", "rise_ms", "utility", "in_start"),
    [
        (0.0, 0.0, 1.0, 1.0),
        (5.0, 0.0, 1 - 0.55, 1.0),
        (10.0, 0.0, -0.1, -0.1),
        (0.0, 4.0, 1 - 36.0, 1 - 36.0),
        (0.0, -4.0, 37.0, 1.0),
        (0.0, 2.9, 1.0, 1.0),
    ],
)
def test_the_modules_utility(lost: float, rise_ms: float, utility: float, in_start: float) -> None:
    """In MB/s at 1 MB/s: 11 times the loss, and 900 times 4 ms in 100 ms; 2.9 ms in 100 ms are below 3 %."""
    controller = module()
    assert controller.utility(trial(1e6, lost, rise_ms)) == pytest.approx(utility * 1e6)
    controller.state = "start"
    assert controller.utility(trial(1e6, lost, rise_ms)) == pytest.approx(in_start * 1e6)


def test_a_rise_shorter_than_two_packets_is_none() -> None:
    """100 packets in 100 ms: 2 ms. Over 50 ms of sending that would be 4 %."""
    controller = module()
    for rise_ms, utility in [(1.9, 1.0), (2.1, 1 - 900 * 0.042)]:
        found = trial(1e6, rise_ms=rise_ms)
        found.send_start = 0.25
        assert controller.utility(found) == pytest.approx(utility * 1e6)


def test_the_module_starts_with_half_as_much_again() -> None:
    controller = module()
    controller.state, controller.rate = "start", 524288.0
    assert decided(controller, trial(524288.0)) == 786432.0
    assert decided(controller, trial(786432.0, lost=20.0)) == 524288.0
    rates = [0.95 * 524288.0] * 2 + [1.05 * 524288.0] * 2
    assert sorted(found.rate for found in controller.trials) == pytest.approx(rates)


def test_the_module_moves_while_it_goes_up() -> None:
    """Without losses the gradient is 1: 25 kB/s times 4, 5 (which is above 10 %), 6 (below 17 %).

    Before, both rates are equal, and the step is the smallest of 2.2 %. Then half of the packets are lost:
    the utility falls from 1.2342 to -6.2289 MB/s in 0.15 MB/s, by 49.8: 10 % down, and probing.
    """
    controller = module(1e6 / 1.05)
    winner, loser = trial(1e6), trial(0.9e6)
    assert decided(controller, winner, loser, loser, winner) == 1e6
    rate = 1e6
    for step in (0.022e6, 0.1e6, 0.1122e6, 0.15e6):
        assert decided(controller, trial(rate)) == pytest.approx(rate + step)
        rate += step
    assert rate == pytest.approx(1.3842e6)
    assert controller.state == "moving"
    assert decided(controller, trial(rate, lost=50.0)) == pytest.approx(0.9 * rate)
    assert (controller.state, controller.swings, controller.amplifier) == ("probing", 1, 2)


def test_the_module_probes_again_where_pairs_disagree() -> None:
    controller = module()
    assert decided(controller, trial(1.05e6), trial(0.95e6), trial(0.95e6), trial(1.05e6, lost=20.0)) == 1e6
    assert controller.state == "probing"


def test_the_module_counts_from_ten_packets_after_the_first_to_ten_before_the_last() -> None:
    """With 10 in flight, 11 are sent by the first acknowledgment, and 50 more by the 51st: 61.

    Results begin when more than 10 + 11 were counted before, with the 23rd; they end with the 52nd, when more
    than 61 - 10 are counted.
    """
    controller = begun_module()
    (found,) = controller.trials
    for number, ended, delivered in [(22, None, 0), (50, None, 28), (51, 61.0, 29), (52, 61.0, 30)]:
        while controller.counted < number:
            controller.on_ack(ack(100 + 10 * int(controller.counted)))
        assert (found.base, found.ended, found.delivered) == (11.0, ended, delivered)
    assert controller.rate == 786432.0


def test_a_timeout_leaves_the_modules_rate_at_once() -> None:
    """Trials of 5 % more or less end; at the next acknowledgment they begin anew."""
    controller = module()
    controller.measure()
    controller.set_pace()
    assert controller.pacing_rate in (760.0, 840.0)
    timed_out(controller)
    assert (controller.pacing_rate, controller.cwnd) == (800.0, 1.0)
    controller.on_ack(ack(400))
    assert controller.pacing_rate in (760.0, 840.0)


def test_the_module_measures_nothing_while_a_timeout_before_its_first_round_trip_is_repaired() -> None:
    controller = VivaceLinux(packet_size=1250.0)
    controller.begin(START)
    timed_out(controller)
    for now_ms, recovering, trials in [(400, True, 0), (410, True, 0), (420, False, 1)]:
        controller.on_ack(replace(ack(now_ms), recovering=recovering))
        assert len(controller.trials) == trials
    assert controller.trials[0].send_start == 0.42


def test_the_modules_first_result_is_that_of_a_packet() -> None:
    """An acknowledgment that counts nothing is none: its smoothed round-trip time is not the first one."""
    controller = begun_module()
    for number in range(2, 23):
        controller.on_ack(ack(100 + 10 * number))
    controller.on_ack(replace(ack(330), delivered=0.0, srtt=0.5))
    controller.on_ack(ack(340))
    assert controller.trials[0].first == (0.34, 0.1)


# Alone on a path


def run_alone(controls: Callable[[], Any], loss: float) -> Any:
    def make(start: Start) -> object:
        controller = controls()
        controller.begin(start)
        return controller

    bottleneck = {"rate": "10 Mbit/s", "delay": "20 ms", "buffer": "100% bdp", "loss": {"bernoulli": loss}}
    scenario = {
        "name": "alone",
        "duration": "20 s",
        "warm_up": "10 s",
        "topology": {"dumbbell": {"bottleneck": bottleneck, "access": {"rate": "1 Gbit/s", "delay": "1 ms"}}},
        "flow": [{"name": "alone", "algorithm": "rack+twin"}],
    }
    algorithms: dict[str, Callable[[Start], object]] = {"twin": make}
    return ackclock.run(scenario, algorithms=algorithms).flows


@pytest.mark.parametrize(
    ("controls", "loss", "least", "longest_ms"),
    [
        (Vivace, 0.0, 8.0, 65.0),
        (Vivace, 0.01, 6.0, 65.0),
        (VivaceLinux, 0.0, 9.5, 100.0),
        (Allegro, 0.01, 9.4, 100.0),
    ],
)
def test_alone_they_use_the_path(
    controls: Callable[[], Any], loss: float, least: float, longest_ms: float
) -> None:
    """The round trip is 44 ms without a queue. By its latency Vivace keeps the queue short."""
    flows = run_alone(controls, loss)
    assert flows["goodput_bit_per_s"][0] > least * 1e6
    assert flows["mean_rtt_s"][0] < longest_ms / 1e3


def test_beyond_the_margin_allegro_gives_the_path_up() -> None:
    assert run_alone(Allegro, 0.1)["goodput_bit_per_s"][0] < 3e6
