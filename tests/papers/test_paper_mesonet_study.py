"""The larger network of the MesoNet chapter: its design, its sizes, and verdicts that follow the data."""

import importlib
import math
from types import ModuleType

import numpy as np
import pytest

from ackclock import papers
from ackclock.papers import judge
from ackclock.papers.judge import NOT_RUN

KEY = "mesonet-study"


def test_other_sizes_keep_the_load_of_an_access_router(module: ModuleType) -> None:
    resized = importlib.import_module(".study", module.__package__).resized
    for size in (0.25, 1, 21):
        scenario = resized(size)["scenario"]
        tiers = scenario["topology"]["three_tier"]
        routers = tiers["backbone"]["count"] * tiers["pop"]["count"] * tiers["access"]["count"]
        sources = sum(group["count"] for group in scenario["flow"][:4])
        assert sources / routers == pytest.approx(800 / 32, rel=0.01)
        capacity = (
            float(tiers["pop"]["link"]["rate"].split()[0])
            * tiers["backbone"]["count"]
            * tiers["pop"]["count"]
        )
        if size >= 1:
            assert capacity / routers == pytest.approx(12 * 8 / 32)


def test_every_claim_gets_a_verdict_from_the_quick_run(quick: papers.Reproduction) -> None:
    found = {verdict.claim.id: verdict for verdict in quick.verdicts}
    assert found.pop("capacity").verdict == NOT_RUN
    later = [name for name in found if name.endswith(("-ten-thousand", "-hundreds-short"))]
    assert len(later) == 19 + 2
    assert {found.pop(name).verdict for name in later} == {NOT_RUN}
    assert all(verdict.measurement is not None for verdict in found.values())
    names = {figure.name for figure in quick.figures}
    assert names >= {"active", "retransmissions", "half-normal", "correlation", "components", "clusters"}
    assert names >= {"against-tcp", "classes", "fairness", "web"}
    assert all(
        figure.caption.endswith(" The network has some hundreds of active flows.") for figure in quick.figures
    )


def test_settings_without_a_ratio_are_counted(module: ModuleType) -> None:
    """Standard TCP loses nothing at the first setting, and the other has no value at the second."""
    study = importlib.import_module(".study", module.__package__)
    lost = {"tcp": [0.0, 0.01, 0.02], "fast": [0.1, math.nan, 0.2]}

    class Given(study.Study):  # type: ignore[name-defined,misc]
        def values(self, _metric: str, label: str) -> np.ndarray:
            return np.array(lost[label])

        def where(self, **_levels: str) -> np.ndarray:
            return np.array([True] * 3)

    given = Given(None)
    assert given.ratios("retransmission_rate", "fast") == [10]
    said = given.left_out("retransmission_rate", "fast")
    assert said == "of 3 settings left out: 1 where standard TCP's is 0 and 1 where one has no value"
    assert (
        not Given(None)
        .left_out("retransmission_rate", "tcp", base="fast")
        .startswith("of 3 settings left out: 0")
    )


def test_verdicts_follow_the_data(paper: papers.Paper) -> None:
    claims = {claim.id: claim for claim in paper.claims}
    sparse = papers.Values([0.7, 0.75, 0.72, 0.71])
    full = papers.Values([1.0, 0.99, 1.01, 1.0])
    assert judge(claims["underutilisation-hundreds"], sparse).verdict == "reproduced"
    assert judge(claims["underutilisation-hundreds"], full).verdict == "not reproduced"
    lossy, calm = papers.Values([2.0, 2.1, 1.9]), papers.Values([1.0, 1.1, 0.9])
    assert judge(claims["fast-floods-ten-thousand"], lossy).verdict == "reproduced"
    assert judge(claims["fast-floods-ten-thousand"], calm).verdict == "not reproduced"


def test_a_response_that_no_setting_has_leaves_its_claims_open(module: ModuleType) -> None:
    decidable = importlib.import_module(".sentences", module.__package__)._decidable
    assert isinstance(decidable(papers.Values([1.0])), papers.Undecidable)
    assert isinstance(decidable(papers.Each({"bic": [1.0, 1.0], "fast": []})), papers.Undecidable)
    pairs = decidable(papers.Ordered({"tcp": [1.0, float("nan"), 3.0], "fast": [1.0, 2.0, 4.0]}))
    assert pairs == papers.Ordered({"tcp": [1.0, 3.0], "fast": [1.0, 4.0]})
