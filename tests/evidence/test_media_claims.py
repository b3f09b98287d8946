"""The claims of the sources about congestion controls of calls: those that fail are known, with a reason."""

from __future__ import annotations

import math

import pytest

from verification.media.claim import Claim, judged
from verification.media.claims import CLAIMS


@pytest.mark.parametrize("name", list(CLAIMS))
def test_claims_hold_except_for_those_with_a_reason(name: str) -> None:
    for each in judged(CLAIMS[name]):
        assert math.isfinite(each.value), each.claim.quantity
        assert each.holds == (not each.claim.reason), (
            f"{each.claim.quantity}: {each.found}, {each.claim.bounds}"
        )


def test_a_value_outside_of_the_bounds_fails() -> None:
    claim = Claim("k", "1", "s", "q", "ms", 1, lambda: 51.0, high=50, stated=True)
    (found,) = judged((claim,))
    assert (found.verdict, found.found, claim.bounds) == ("fails", "51.0 ms", "at most 50.0 (source)")
