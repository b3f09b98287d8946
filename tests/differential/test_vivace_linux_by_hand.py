"""PCC Vivace as in the module for Linux, by hand."""

from dataclasses import replace

import pytest

from reference.controllers.vivace_linux import Trial, VivaceLinux
from tests.differential.monitored import START, ack, timed_out


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
