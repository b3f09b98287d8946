"""PCC Vivace by hand: utilities and the rates that follow."""

import math
from collections.abc import Iterable

import pytest

from reference.controllers.vivace import Vivace
from tests.differential.monitored import begun, result, vivace


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
