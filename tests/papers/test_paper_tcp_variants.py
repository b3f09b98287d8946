"""The paper tcp-variants: every claim gets a verdict, and verdicts follow the data."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock import papers
from ackclock.papers import Measured, judge

KEY = "tcp-variants"
PUBLISHED = papers.paper_folder().resolve().parent / "published" / "papers" / KEY
JSON_KEYS = {"id", "place", "statement", "expected", "tolerance", "why", "measured", "interval", "verdict"}
VERDICTS = {"reproduced", "not reproduced", "inconclusive", "not run"}


@pytest.fixture(scope="module")
def traces(paper: papers.Paper, module: ModuleType) -> Mapping[str, Sequence[Any]]:
    scenario = paper.folder / "scenarios" / "figure-1.toml"
    race = ackclock.compare(module.VARIANTS, scenario, settings={"trace.interval": "2 ms"})
    return {name: [module.Trace.of(race.result(name))] for name in module.VARIANTS}


def verdict(paper: papers.Paper, measured: Mapping[str, Measured], name: str) -> str:
    claim = next(claim for claim in paper.claims if claim.id == name)
    return judge(claim, measured[name]).verdict


def test_every_claim_gets_a_verdict_from_a_measurement(
    paper: papers.Paper, quick: papers.Reproduction
) -> None:
    rows = tomllib.loads((paper.folder / "claims.toml").read_text(encoding="utf-8"))["claim"]
    # A claim with definitions has a verdict for each.
    of_claims = [row["id"] for row in rows for _ in row.get("definitions", [""])]
    assert [verdict.claim.rule_id for verdict in quick.verdicts] == of_claims
    for found in quick.verdicts:
        assert found.verdict in VERDICTS
        assert found.measured is not None, f"{found.claim.id}: nothing was measured"


def test_json_holds_claims_with_their_rule_measurement_and_verdict(quick: papers.Reproduction) -> None:
    document = json.loads(json.dumps(quick.document("somewhere")))
    assert document["paper"]["key"] == KEY
    assert document["quick"] is True
    for claim in document["claims"]:
        assert set(claim) >= JSON_KEYS
        assert isinstance(claim["measured"], int | float | dict)
    order = next(claim for claim in document["claims"] if claim["id"] == "throughput-order")
    assert set(order["measured"]) == {"vegas", "newreno", "tahoe"}


def test_the_figures_that_are_published_are_drawn(quick: papers.Reproduction) -> None:
    page = PUBLISHED.joinpath("figures.md").read_text(encoding="utf-8")
    names = {figure.name for figure in quick.figures}
    assert names == {"windows", "throughput", "udp-rates", "choices"}
    for name in names:
        assert f"(figures/{name}.json)" in page


def test_swapped_throughputs_turn_the_verdicts(paper: papers.Paper, module: ModuleType) -> None:
    published = {"vegas": 974.803, "newreno": 918.249, "tahoe": 810.187}
    as_published = {name: [value, value + 0.1] for name, value in published.items()}
    swapped = {**as_published, "vegas": as_published["tahoe"], "tahoe": as_published["vegas"]}
    names = ["throughput-order", "throughput-vegas", "throughput-newreno", "throughput-tahoe"]
    assert [verdict(paper, module.throughputs(as_published), name) for name in names] == ["reproduced"] * 4
    assert [verdict(paper, module.throughputs(swapped), name) for name in names] == [
        "not reproduced",
        "not reproduced",
        "reproduced",
        "not reproduced",
    ]


def test_another_variants_window_turns_the_verdicts(
    paper: papers.Paper, module: ModuleType, traces: Mapping[str, Sequence[Any]]
) -> None:
    tahoe, newreno, vegas = (traces[name] for name in ("tahoe", "newreno", "vegas"))
    assert verdict(paper, module.after_tahoe_cuts(newreno), "tahoe-window") == "not reproduced"
    assert verdict(paper, module.after_tahoe_cuts(newreno), "tahoe-restart") == "not reproduced"
    assert verdict(paper, module.after_newreno_cuts(tahoe), "newreno-window") == "not reproduced"
    assert verdict(paper, module.after_newreno_cuts(tahoe), "newreno-restart") == "not reproduced"
    impostor = module.vegas_window({"vegas": newreno, "newreno": newreno, "tahoe": tahoe})
    assert verdict(paper, impostor, "vegas-slow-start") == "not reproduced"
    assert verdict(paper, impostor, "vegas-constant") == "not reproduced"
    slow = module.halving("tahoe", vegas)
    assert verdict(paper, slow, "tahoe-threshold") == "not reproduced"


def drawn(module: ModuleType, cwnd: Any, ssthresh: float) -> Any:
    """A window of our own, sampled every 10 ms, with a round trip of 100 ms."""
    time = 0.01 * np.arange(len(cwnd))
    rtt = 0.0999 + 1e-7 * np.arange(len(cwnd))  # a new sample every time
    return module.Trace(time, np.asarray(cwnd), np.full(len(cwnd), ssthresh), rtt, np.full(len(cwnd), 1e6))


def test_growth_is_read_off_a_window_that_is_known(module: ModuleType) -> None:
    time = 0.01 * np.arange(60)
    doubling = drawn(module, 2.0 ** (10 * time), 1e9)
    assert doubling.doubling_factor() == pytest.approx(2, rel=0.1)
    line = drawn(module, 10 + 5 * time, 1.0)
    assert line.growth_per_round_trip() == pytest.approx(0.5, rel=0.1)
    saw = drawn(module, np.concatenate((np.linspace(8, 16, 40), np.linspace(8, 16, 40))), 8.0)
    assert [(round(cut.before), cut.after) for cut in saw.cuts()] == [(16, 8.0)]


def test_duplicates_are_counted_and_those_of_lost_segments_told_apart(module: ModuleType) -> None:
    arrivals = [(0.1, 1000), (0.2, 1000), (0.3, 1000), (0.4, 4000), (0.5, 5000), *[(1.0, 9000)] * 4]

    class Run:
        packets = pl.DataFrame(
            {
                "flow": 0,
                "kind": "ack",
                "time_s": [time for time, _ in arrivals],
                "acknowledgment": [number for _, number in arrivals],
            }
        )
        drops = pl.DataFrame({"flow": [0, 1], "time_s": [0.9, 0.0], "sequence_bytes": [9000, 1000]})

    found = module.links.duplicates(Run())
    assert [(one.duplicates, one.is_lost) for one in found] == [(2, False), (3, True)]


def test_unevenness_sees_what_drift_averages_out(module: ModuleType) -> None:
    trace = drawn(module, np.full(2000, 10.0), 8.0)
    trace.goodput[:] = np.where(trace.time % 4 < 2, 1.2e6, 0.8e6)
    assert trace.unevenness(2.0, 5.0) == pytest.approx(0.2, abs=0.03)
    assert trace.drift(19.0) < 0.05
    assert trace.rises_within(0.5, 0.9) == pytest.approx(0.5)


def test_the_built_in_scenario_is_the_papers(paper: papers.Paper) -> None:
    """But for byte counting (the paper counts acknowledgments) and for rules newer than the paper."""
    built_in = json.loads(ackclock.load_scenario("two-megabit").to_json())
    ours = json.loads(ackclock.load_scenario(paper.folder / "scenarios" / "figure-1.toml").to_json())
    for scenario in (built_in, ours):
        for key in ("name", "title", "description", "trace"):
            scenario.pop(key, None)
        for flow in (*scenario["flow"], *scenario["udp"]):
            flow.pop("name")
    for rule in ("limited_growth", "window_after_lost_syn"):
        del ours["tcp"][rule]
    assert built_in["tcp"].pop("algorithm") == "newreno"
    assert ours["tcp"].pop("algorithm") == "newreno+reno(limit=1)"
    assert built_in == ours
