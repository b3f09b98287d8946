"""The larger network of the MesoNet chapter: its design, its sizes, and verdicts that follow the data."""

import importlib
from types import ModuleType

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
    assert all(verdict.measurement is not None for verdict in found.values())
    names = {figure.name for figure in quick.figures}
    assert names >= {"active", "retransmissions", "half-normal", "correlation", "components", "clusters"}
    assert names >= {"against-tcp", "classes", "fairness", "web"}


def test_verdicts_follow_the_data(paper: papers.Paper) -> None:
    claims = {claim.id: claim for claim in paper.claims}
    sparse = papers.Values([0.7, 0.75, 0.72, 0.71])
    full = papers.Values([1.0, 0.99, 1.01, 1.0])
    assert judge(claims["underutilisation"], sparse).verdict == "reproduced"
    assert judge(claims["underutilisation"], full).verdict == "not reproduced"
    lossy, calm = papers.Values([2.0, 2.1, 1.9]), papers.Values([1.0, 1.1, 0.9])
    assert judge(claims["fast-floods"], lossy).verdict == "reproduced"
    assert judge(claims["fast-floods"], calm).verdict == "not reproduced"
