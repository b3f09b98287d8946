"""PCC Allegro by hand: utilities, and the rates that follow from them."""

import math

import pytest

from reference.controllers.allegro import Allegro
from reference.monitor_intervals import Interval
from tests.differential.monitored import MS, ack, begun, result


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


def test_results_that_come_at_once_are_judged_at_once() -> None:
    """A queue empties, and packets sent 200 ms later are acknowledged: two intervals have their results.

    Nothing was counted in the second: the row goes on there, with 40 packets/s, not with the 160 after them.
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
