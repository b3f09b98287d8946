"""The paper sub-packet: every claim gets a verdict, and verdicts follow the data."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock import papers
from ackclock.models import SubPacketModel
from ackclock.papers import Measured, judge

KEY = "sub-packet"
PUBLISHED = papers.paper_folder().resolve().parent / "published" / "papers" / KEY
VERDICTS = {"reproduced", "not reproduced", "inconclusive", "not run"}


def verdict(paper: papers.Paper, measured: Measured, name: str) -> str:
    claim = next(claim for claim in paper.claims if claim.id == name)
    return judge(claim, measured).verdict


def outcome(module: ModuleType, got: Sequence[Any], **numbers: Any) -> Any:
    """A run that gave flows so much in each slice, a row per slice."""
    case = module.Case(flows=len(got[0]))
    values = {
        "loss": 0.128,
        "utilisation": 1.0,
        "goodput": 0.99,
        "packets_sent": 1e5,
        "timeouts": 1000.0,
        "repeated": 300.0,
        "max_delay_s": 0.2,
        "mean_rtt_s": 0.4,
    }
    return module.validation.Outcome(case, got=np.array(got, dtype=float), **{**values, **numbers})


def test_every_claim_gets_a_verdict(paper: papers.Paper, quick: papers.Reproduction) -> None:
    assert [verdict.claim.id for verdict in quick.verdicts] == [claim.id for claim in paper.claims]
    for found in quick.verdicts:
        assert found.verdict in VERDICTS
        assert found.measured is not None or found.note, (
            f"{found.claim.id}: nothing was measured, nor said why"
        )
    measured = [found for found in quick.verdicts if found.measured is not None]
    assert len(measured) > 0.9 * len(quick.verdicts)
    json.dumps(quick.document("somewhere"))


def test_what_does_not_hang_on_luck_comes_out_the_same_in_a_quick_check(quick: papers.Reproduction) -> None:
    found = {verdict.claim.id: verdict.verdict for verdict in quick.verdicts}
    for kind in ("clockwork", "random"):
        for name in ("goodput", "breakdown-sack", "breakdown-newreno"):
            assert found[f"{name}-{kind}"] == "reproduced"
        assert found[f"gateway-droptail-{kind}"] != "not reproduced", "two seeds leave wide intervals"
    assert found["nobody-starves-random"] == "reproduced"
    assert found["model-limit"] == found["tcp-friendly"] == found["model-shift"] == "reproduced"
    assert found["locked-out-random"] == "not reproduced", "a random overhead makes the regime milder"


def test_the_figures_and_tables_that_are_published_are_made(
    paper: papers.Paper, quick: papers.Reproduction
) -> None:
    page = PUBLISHED.joinpath("figures.md").read_text(encoding="utf-8")
    numbers = (1, 2, 3, 4, 5, 6, 9, 10, 11, 12)
    drawn = {figure.name for figure in quick.figures}
    assert drawn == {f"figure-{n}" for n in numbers} | {"readings", "forecasts"}
    for figure in quick.figures:
        assert f"(figures/{figure.name}.json)" in page
    published = tomllib.loads((paper.folder / "tables.toml").read_text(encoding="utf-8"))
    others = {"forecasts", "remedies", "early-retransmit", "users"}
    assert set(published) == {"readings", "algorithms", "choices", "timers", *others}
    for name, columns in published.items():
        assert set(columns) <= set(quick.tables[name].columns)


def test_slices_are_read_by_hand(module: ModuleType) -> None:
    run = outcome(module, [[0, 0, 1, 2, 7], [4, 4, 1, 1, 0]])
    assert run.silent.tolist() == [0.4, 0.2]
    assert run.part(0, 0.4).tolist() == pytest.approx([0.9, 0.8])
    assert run.part(0.4, 1).tolist() == pytest.approx([0.1, 0.2])
    assert run.short_term == pytest.approx((100 / (5 * 54) + 100 / (5 * 34)) / 2)
    assert run.of_longer_slices(2) == pytest.approx(400 / (5 * (16 + 16 + 4 + 9 + 49)))


def test_verdicts_on_figure_3_follow_the_slices(paper: papers.Paper, module: ModuleType) -> None:
    """The paper's picture: 30 of 100 get nothing, 30 share a fifth, 40 have the rest; others take turns."""
    slice_ = np.concatenate((np.zeros(30), np.full(30, 20 / 30), np.full(40, 2.0)))
    turns = [np.roll(slice_, 17 * k) for k in range(50)]
    names = ["most-active", "locked-out", "top", "middle", "consistent", "nobody-starves", "repetitive"]
    told = module.fairness._figure_3([outcome(module, turns)] * 3)
    assert {verdict(paper, told[name], f"{name}-clockwork") for name in names} == {"reproduced"}
    fair = module.fairness._figure_3([outcome(module, [np.ones(100)] * 50, repeated=0.0)] * 3)
    assert {verdict(paper, fair[name], f"{name}-clockwork") for name in names[:4]} == {"not reproduced"}
    assert verdict(paper, fair["repetitive"], "repetitive-clockwork") == "not reproduced"
    stuck = module.fairness._figure_3([outcome(module, [slice_] * 50)] * 3)
    assert verdict(paper, stuck["nobody-starves"], "nobody-starves-clockwork") == "not reproduced"


def test_the_onset_of_unfairness_is_where_the_index_crosses(module: ModuleType) -> None:
    """Flows of which a share gets nothing: the index is the share of the others."""

    def run(flows: int, index: float) -> Any:
        active = round(flows * index)
        return outcome(module, [[1.0] * active + [0.0] * (flows - active)])

    runs = [run(200, 0.5), run(100, 0.8), run(50, 1.0)]
    assert module.fairness.onset(runs) == pytest.approx(np.sqrt(10 * 20))
    assert np.isnan(module.fairness.onset(runs[2:]))


def test_a_simulation_that_is_the_model_is_no_distance_from_it(module: ModuleType) -> None:
    model = SubPacketModel()
    shares = np.tile(model.at(0.15).sent, (10, 1))
    run = replace(outcome(module, [[1.0] * 10]), loss=0.15, shares=shares)
    assert module.validation.distance(run, model) == pytest.approx(0)
    assert all(module.validation.inside(run, model))
    shifted = replace(run, shares=np.roll(shares, 1, axis=1))
    assert module.validation.distance(shifted, model) > 0.05
    assert not all(module.validation.inside(shifted, model))
    assert np.isnan(module.validation.distance(replace(run, loss=0.6), model))


def test_silences_follow_the_epochs_before_them(module: ModuleType) -> None:
    counts = np.array([[2, 0], [0, 3], [0, 1], [1, 0], [0, 0]])
    assert module.forecasts.silences(counts).tolist() == [[2, 0], [1, 0], [0, 2], [1, 1], [0, 0]]


def test_early_retransmit_acts_where_it_is_judged(paper: papers.Paper, module: ModuleType) -> None:
    """Over five seeds: synchronised senders may have more timeouts with it in one of them."""
    context = papers.Context(paper, quick=True)
    cases = [
        module.Case(flows=100, seconds=100, seed=seed, settings=settings)
        for settings in module.early.SENDERS.values()
        for seed in range(1, 6)
    ]
    timeouts = {
        kind: np.reshape([one.timeouts for one in outcomes], (2, -1)).sum(axis=1)
        for kind, outcomes in module.early.simulate_kinds(context, cases).items()
    }
    left = [with_it / without for without, with_it in timeouts.values()]
    assert max(left) < 0.95
    assert min(left) < 0.8, "random senders lose more"


def test_forecasts_are_scored_by_what_came(module: ModuleType) -> None:
    came = np.array([True, True, False, False, False, False, False, False, False, False])
    never_wrong = module.forecasts.score(came.astype(float), came)
    assert (never_wrong.skill, never_wrong.off) == (1, 0)
    same_for_all = module.forecasts.score(np.full(10, 0.2), came)
    assert same_for_all.skill == pytest.approx(0)
    assert same_for_all.off == pytest.approx(0)
    too_high = module.forecasts.score(np.full(10, 0.5), came)
    assert too_high.skill < 0
    assert (too_high.off, too_high.bias) == pytest.approx((0.3, 0.3))
    assert (too_high.frequency, too_high.mean) == pytest.approx((0.2, 0.5))


def test_packets_are_counted_in_the_round_trips_of_their_flow(module: ModuleType) -> None:
    class Run:
        flows = pl.DataFrame({"flow": [0, 1], "mean_rtt_s": [0.5, 1.0]})
        packets = pl.DataFrame(
            {
                "time_s": [99.0, 100.1, 100.6, 100.9, 101.4, 102.9],
                "flow": [0, 0, 0, 1, 1, 0],
                "kind": ["data"] * 5 + ["ack"],
            }
        )
        scenario = type("Scenario", (), {"duration_s": 103.0})

    assert module.forecasts.packets(Run(), 2).tolist() == [[1, 1], [1, 1], [0, 0]]


def test_what_breaks_down_has_all_three_signs(module: ModuleType) -> None:
    silent = [[0.0] * 20 + [1.0] * 80] * 3
    assert module.variants.breaks_down(outcome(module, silent))
    assert not module.variants.breaks_down(outcome(module, silent, loss=0.05))
    assert not module.variants.breaks_down(outcome(module, [[1.0] * 100]))


def test_every_algorithm_of_the_registry_stands_in_the_table(module: ModuleType) -> None:
    names = module.variants.registered()
    for name in ("sack", "rack", "tfrc", "acknak", "bbr3", "cubic (avoidance)", "btcp (slow start)"):
        assert name in names


def test_the_link_is_the_papers(paper: papers.Paper, module: ModuleType) -> None:
    case = module.Case()
    assert case.buffer_packets == 50, "one propagation RTT's worth"
    assert case.packets_per_rtt == pytest.approx(1), "10 kbps of 500 bytes, 400 ms with a full buffer"
    tree = case.tree(papers.Context(paper, quick=True))
    assert tree["tcp"]["mss"] == "460 bytes"
    assert tree["topology"]["dumbbell"]["pairs"] == 50, "two flows per user"
    mixed = replace(case, rtts_s=module.validation.RTTS_S)
    links = mixed.tree(papers.Context(paper, quick=True))["topology"]["graph"]["link"]
    found = [2 * (float(link["delay"].split()[0]) + 98 + 1) for link in links if link["to"] == "left"]
    assert found == pytest.approx([1000 * rtt for rtt in module.validation.RTTS_S])


def test_users_of_the_proxy_fetch_as_much_as_the_text_says(module: ModuleType) -> None:
    context = papers.Context(papers.load_paper(KEY), quick=False)
    scenario = context.scenario("proxy", {"duration": "7500 s"})
    fetched = module.webusers._downloads(ackclock.run(scenario), 7500.0).gigabytes
    assert fetched == pytest.approx(1.5, abs=0.05), "2.2: 1.5 GB in two hours"
