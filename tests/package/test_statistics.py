"""Statistics against published values, against simulation, and against what their definitions imply."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ackclock.measures import statistics

REPLICATIONS = 2000


def covers(interval: statistics.Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def assert_coverage(hits: int, trials: int, nominal: float) -> None:
    """The share of hits is within four standard errors of the nominal coverage."""
    error = math.sqrt(nominal * (1 - nominal) / trials)
    assert abs(hits / trials - nominal) < 4 * error


def test_the_interval_of_five_numbers_uses_the_tabulated_t_quantile() -> None:
    # t(0.975, 4) = 2.7764 in every table; the standard deviation of 1..5 is sqrt(2.5).
    interval = statistics.mean_interval([1, 2, 3, 4, 5])
    assert interval.estimate == 3
    assert interval.half_width == pytest.approx(2.7764 * math.sqrt(2.5 / 5), rel=1e-4)
    assert interval.n == 5


def test_student_intervals_of_small_samples_cover_the_mean_as_often_as_they_say() -> None:
    source = np.random.default_rng(1)
    hits = sum(covers(statistics.mean_interval(source.normal(7, 3, size=5)), 7) for _ in range(REPLICATIONS))
    assert_coverage(hits, REPLICATIONS, 0.95)


def test_a_lower_confidence_covers_less_often() -> None:
    source = np.random.default_rng(2)
    hits = sum(
        covers(statistics.mean_interval(source.normal(0, 1, size=8), confidence=0.8), 0)
        for _ in range(REPLICATIONS)
    )
    assert_coverage(hits, REPLICATIONS, 0.8)


def test_bootstrap_intervals_of_the_median_cover_it_under_a_heavy_tail() -> None:
    source = np.random.default_rng(3)
    median = 2 ** (1 / 1.5)  # of a Pareto distribution with index 1.5, whose variance is infinite
    trials = 300
    samples = (1 + source.pareto(1.5, size=(trials, 40)) for _ in range(1))
    hits = sum(covers(statistics.bootstrap_interval(row, resamples=400), median) for row in next(samples))
    assert 0.90 < hits / trials < 0.99


def test_the_bootstrap_gives_the_same_interval_again() -> None:
    values = np.random.default_rng(4).exponential(size=25)
    assert statistics.median_interval(values) == statistics.median_interval(values)


def test_one_observation_says_nothing_about_spread() -> None:
    for interval in (statistics.mean_interval([4.0]), statistics.median_interval([4.0])):
        assert interval.estimate == 4
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
        assert not interval.excludes_zero


def test_pairing_cancels_what_both_share() -> None:
    source = np.random.default_rng(5)
    shared = source.normal(0, 100, size=20)
    first, second = shared + 1 + source.normal(0, 0.1, 20), shared + source.normal(0, 0.1, 20)
    paired = statistics.paired_difference(first, second)
    assert 1 in paired
    assert paired.excludes_zero
    assert paired.half_width < statistics.mean_interval(first).half_width / 100


def test_pairs_must_match() -> None:
    with pytest.raises(ValueError, match="3 and 2"):
        statistics.paired_difference([1, 2, 3], [1, 2])


@pytest.mark.parametrize("bad", [[], [1.0, float("nan")], [float("inf")], [[1.0, 2.0]]])
def test_missing_values_are_refused_not_dropped(bad: list[float]) -> None:
    with pytest.raises(ValueError, match=r"finite|at least"):
        statistics.mean_interval(bad)


def test_exact_proportion_intervals_are_the_published_ones() -> None:
    # Clopper and Pearson's limits as printed in tables: 5 of 10, and the closed form where all succeed.
    half = statistics.proportion_interval(5, 10)
    assert [half.low, half.high] == pytest.approx([0.1871, 0.8129], abs=1e-4)
    every = statistics.proportion_interval(10, 10)
    assert [every.low, every.high] == pytest.approx([0.025 ** (1 / 10), 1])
    assert statistics.proportion_interval(0, 10).low == 0


def test_jain_index_is_one_for_equal_shares_and_one_over_n_for_a_winner() -> None:
    assert statistics.jain_index([3, 3, 3, 3]) == pytest.approx(1)
    assert statistics.jain_index([0, 0, 5, 0]) == pytest.approx(1 / 4)
    assert statistics.jain_index([0, 0]) == 1


@given(st.lists(st.floats(0.001, 1e9), min_size=1, max_size=20), st.floats(0.01, 100))
def test_jain_index_does_not_depend_on_the_unit(shares: list[float], factor: float) -> None:
    index = statistics.jain_index(shares)
    assert 1 / len(shares) - 1e-9 <= index <= 1 + 1e-9
    assert statistics.jain_index([share * factor for share in shares]) == pytest.approx(index)


def test_coefficient_of_variation_of_known_distributions() -> None:
    source = np.random.default_rng(6)
    assert statistics.coefficient_of_variation(source.exponential(5, 200_000)) == pytest.approx(1, abs=0.02)
    assert statistics.coefficient_of_variation([2, 2, 2]) == 0
    assert math.isnan(statistics.coefficient_of_variation([-1, 1]))


def test_cdf_counts_the_values_not_above() -> None:
    values, shares = statistics.cdf([3, 1, 2, 2])
    assert values.tolist() == [1, 2, 2, 3]
    assert shares.tolist() == [0.25, 0.5, 0.75, 1]


def test_time_average_weighs_values_by_how_long_they_last() -> None:
    # 10 for one second, 0 for three, seen from 0.5 s to 4 s.
    assert statistics.time_average([0, 1], [10, 0], begin=0.5, end=4) == pytest.approx(5 / 3.5)


def test_bins_keep_the_mean_of_a_rate() -> None:
    times = np.arange(1, 101) * 0.1
    rates = np.random.default_rng(7).exponential(size=100)
    centres, means = statistics.binned_mean(times, rates, width=1.0, end=10.0)
    assert centres.tolist() == [0.5 + i for i in range(10)]
    assert means.mean() == pytest.approx(rates.mean())
    assert means[0] == pytest.approx(rates[:10].mean())


def test_an_empty_bin_has_no_value() -> None:
    _, means = statistics.binned_mean([0.5, 2.5], [1, 3], width=1.0, end=3.0)
    assert means[0] == 1
    assert math.isnan(means[1])
    assert means[2] == 3


def test_warm_up_is_cut_where_the_transient_ends() -> None:
    source = np.random.default_rng(8)
    series = np.concatenate((np.linspace(20, 0, 200), np.zeros(1800))) + source.normal(0, 1, 2000)
    cut = statistics.warm_up_samples(series)
    assert 150 <= cut <= 260


def test_nothing_is_cut_from_a_series_without_a_transient() -> None:
    assert statistics.warm_up_samples([1.0, 2.0] * 100) == 0


def test_the_geometric_mean_of_ratios_is_that_of_their_reciprocals() -> None:
    """To double and to halve is to stay; which of two is the base does not matter."""
    assert statistics.geometric_interval([0.5, 2.0]).estimate == pytest.approx(1)
    ratios = [2.0, 3.0, 40.0, 700.0]
    found = statistics.geometric_interval(ratios)
    other = statistics.geometric_interval([1 / ratio for ratio in ratios])
    assert found.estimate == pytest.approx(1 / other.estimate)
    assert (found.low, found.high) == pytest.approx((1 / other.high, 1 / other.low))
    assert statistics.mean_interval(ratios).low < 0 < found.low
    with pytest.raises(ValueError, match="above zero"):
        statistics.geometric_interval([0.0, 1.0])


def test_correlation_time_of_an_autoregression_is_the_closed_form() -> None:
    source = np.random.default_rng(9)
    phi, series = 0.8, np.zeros(200_000)
    noise = source.normal(size=series.size)
    for index in range(1, series.size):
        series[index] = phi * series[index - 1] + noise[index]
    assert statistics.correlation_time(series) == pytest.approx((1 + phi) / (1 - phi), rel=0.1)


def test_batch_means_cover_the_mean_of_a_correlated_series_where_plain_intervals_do_not() -> None:
    source = np.random.default_rng(10)
    hits = naive = 0
    trials = 200
    for _ in range(trials):
        noise = source.normal(size=4000)
        series = np.zeros(4000)
        for index in range(1, series.size):
            series[index] = 0.9 * series[index - 1] + noise[index]
        hits += covers(statistics.batch_means(series), 0)
        naive += covers(statistics.mean_interval(series), 0)
    assert hits / trials > 0.88
    assert naive / trials < 0.6
