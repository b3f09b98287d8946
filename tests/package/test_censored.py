"""Times of which some are not over: against published estimates of Kaplan and Meier's kind, and by hand."""

import math

import numpy as np
import pytest

from ackclock.measures import censored

RELAPSED_WEEKS = [6, 6, 6, 7, 10, 13, 16, 22, 23]
IN_REMISSION_WEEKS = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
"""Remissions under 6-MP of Freireich et al. (1963), the standard example of the product-limit estimate."""


@pytest.mark.parametrize(
    ("weeks", "survival"),
    [(6, 0.857), (7, 0.807), (10, 0.753), (13, 0.690), (16, 0.627), (22, 0.538), (23, 0.448)],
)
def test_the_published_survival_of_the_standard_example(weeks: int, survival: float) -> None:
    """As textbooks print it: the share that relapses within these weeks, and not before."""
    relapsed = 1 - survival
    assert censored.quantile(RELAPSED_WEEKS, IN_REMISSION_WEEKS, relapsed - 0.001) == weeks
    assert censored.quantile(RELAPSED_WEEKS, IN_REMISSION_WEEKS, relapsed + 0.001) > weeks


def test_the_published_median_of_the_standard_example() -> None:
    assert censored.median(RELAPSED_WEEKS, IN_REMISSION_WEEKS) == 23


@pytest.mark.parametrize("count", [1, 2, 7, 10])
def test_if_everything_is_over_the_median_is_the_usual_one(count: int) -> None:
    times = np.random.default_rng(count).exponential(size=count)
    assert censored.median(times, []) == pytest.approx(np.median(times))


def test_unfinished_times_count() -> None:
    """Of four the slowest is not over: the median lies between the second and the third."""
    assert censored.median([2, 4, 6], [7]) == 5


def test_what_half_never_reach_is_as_long_as_the_longest_time() -> None:
    assert censored.median([2], [3, 9, 9]) == 9
    assert censored.median([], [3, 9, 9]) == 9
    assert math.isnan(censored.median([], []))
