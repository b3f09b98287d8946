"""Elephants by their share of a link, by latent heat and by sample-and-hold."""

import numpy as np
import pytest

from ackclock.errors import InputError
from ackclock.measures import elephants


def test_a_share_of_the_link_is_judged_in_each_interval() -> None:
    rates = [[60, 30, 10], [10, 30, 60]]
    assert elephants.by_share(rates, 0.5).tolist() == [[True, False, False], [False, False, True]]
    assert elephants.by_load(rates, 0.8).tolist() == [[True, True, False], [False, True, True]]
    assert elephants.by_load([[0, 0], [1, 0]], 0.9).tolist() == [[False, False], [True, False]]


def test_latent_heat_keeps_a_flow_in_its_class_through_a_short_burst_or_pause() -> None:
    # Over the threshold of 5 but for one interval, and below it but for one.
    rates = np.array([[9, 1], [9, 1], [0, 9], [9, 1], [9, 1]])
    assert (rates > 5).tolist()[2] == [False, True], "by its rate alone each changes its class"
    assert elephants.latent_heat(rates, 5, intervals=3).tolist() == [[True, False]] * 5
    assert elephants.latent_heat(rates, 5, intervals=1).tolist() == (rates > 5).tolist()


def test_latent_heat_forgets_what_is_older_than_its_intervals() -> None:
    rates = np.array([[100]] + [[0]] * 4)
    assert elephants.latent_heat(rates, 1, intervals=2)[:, 0].tolist() == [True, True, False, False, False]


def test_sample_and_hold_finds_large_flows_and_misses_the_inverse_of_its_probability() -> None:
    probability, packets, runs = 1e-5, 1000, 300
    missed = []
    for seed in range(runs):
        held = elephants.sample_and_hold(np.zeros(packets, int), np.full(packets, 1000), probability, seed)
        missed.append(1000 * packets - held[0])
    # A packet that is sampled is counted whole.
    error = 3 * np.std(missed) / runs**0.5
    assert np.mean(missed) == pytest.approx(1 / probability, abs=error + 1000)


def test_sample_and_hold_keeps_little_of_many_small_flows() -> None:
    flows = np.arange(10_000)
    held = elephants.sample_and_hold(flows, np.full(10_000, 1000), 1e-5)
    assert len(held) == pytest.approx(10_000 * 0.00995, rel=0.4)


def test_wrong_input_is_named() -> None:
    with pytest.raises(InputError, match=r"1\.5 is no share"):
        elephants.by_share([[1]], 1.5)
    with pytest.raises(InputError, match="row per interval"):
        elephants.by_load([1, 2], 0.5)
    with pytest.raises(InputError, match="2 flows and 1 sizes"):
        elephants.sample_and_hold([1, 2], [3], 0.1)
