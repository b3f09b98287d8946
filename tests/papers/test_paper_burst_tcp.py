"""The paper burst-tcp: the settings that its numbers imply, and every claim's verdict under every stack."""

import importlib
import json
import re
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock import papers
from ackclock.papers import judge

KEY = "burst-tcp"
PUBLISHED = papers.paper_folder().resolve().parent / "published" / "papers" / KEY
TO_THE_DIGIT = 5e-7

NS_2_S = {
    2: {4: 0.291538, 5: 0.297213, 6: 0.302887, 7: 0.383518, 8: 0.389193, 9: 0.394867, 10: 0.400542},
    4: {4: 0.205233, 6: 0.291538, 7: 0.297213, 8: 0.302887, 9: 0.308562},
    8: {4: 0.205233, 6: 0.216582, 7: 0.222257, 8: 0.227932, 9: 0.285863},
}
"""Times of files of this many packets in ns-2 2.35, by files.tcl with NewReno, by its initial window."""


@pytest.mark.parametrize("window", NS_2_S)
def test_single_files_take_what_they_take_in_ns_2(paper: papers.Paper, window: int) -> None:
    context = papers.Context(paper, quick=True)
    settings = {"flow.0.count": 1, "flow.0.start_jitter": "0 s", "duration": "10 s"}
    base = context.scenario("base", {**settings, "tcp.initial_window": f"{window} packets"})
    for packets, expected in NS_2_S[window].items():
        size = {"flow.0.size": f'{{ constant = "{packets} packets" }}'}
        file = context.run(base, settings=size).transfers.row(0, named=True)
        assert file["finish_s"] - file["start_s"] == pytest.approx(expected, abs=TO_THE_DIGIT), packets


NS_2_DELAYED_S = {
    "delay_fin_ack": {4: 0.297213, 5: 0.502887, 6: 0.394867},
    "delay_syn_ack": {4: 0.497213, 5: 0.702887, 6: 0.594867},
}
"""The same with acknowledgments delayed by 200 ms: of data, and of SYNs, too (SYN_immediate_ack_ false)."""


@pytest.mark.parametrize("delayed", NS_2_DELAYED_S)
def test_delayed_acknowledgments_take_what_they_take_in_ns_2(paper: papers.Paper, delayed: str) -> None:
    context = papers.Context(paper, quick=True)
    keys = ["delay_fin_ack", delayed]
    settings = {
        "flow.0.count": 1,
        "flow.0.start_jitter": "0 s",
        "duration": "10 s",
        "tcp.segments_per_ack": 2,
    }
    base = context.scenario("base", settings | {f"tcp.{key}": True for key in keys})
    for packets, expected in NS_2_DELAYED_S[delayed].items():
        size = {"flow.0.size": f'{{ constant = "{packets} packets" }}'}
        file = context.run(base, settings=size).transfers.row(0, named=True)
        assert file["finish_s"] - file["start_s"] == pytest.approx(expected, abs=TO_THE_DIGIT), packets


@pytest.mark.parametrize(("window", "lost"), [(8, 0), (9, 1), (10, 2), (12, 4)])
def test_a_burst_loses_what_a_queue_limit_of_seven_loses_in_ns_2(
    paper: papers.Paper, window: int, lost: int
) -> None:
    context = papers.Context(paper, quick=True)
    settings = {
        "flow.0.count": 1,
        "flow.0.start_jitter": "0 s",
        "flow.0.size": '{ constant = "12 packets" }',
        "duration": "10 s",
        "tcp.initial_window": f"{window} packets",
    }
    file = context.run(context.scenario("base", settings)).transfers.row(0, named=True)
    assert file["packets_lost"] == lost


def test_without_the_head_start_table_ii_is_not_met(paper: papers.Paper, module: ModuleType) -> None:
    context = papers.Context(paper, quick=True)
    _, even, described, _ = module.STACKS  # today's initial window sends all eight packets at once, too
    medians = module.PARTS["chapter5"].medians
    published = {"btcp4": 0.227932, "btcp8": 0.302887}
    for variant, expected in published.items():
        assert medians.idle_times(context, variant)[8] == pytest.approx(expected, abs=TO_THE_DIGIT)
        for stack in (even, described):
            other = medians.idle_times(context, variant, stack)[8]
            assert other != pytest.approx(expected, abs=TO_THE_DIGIT), (stack.name, variant)


def test_gains_are_ratios_of_means_with_a_sample_for_each_seed(module: ModuleType) -> None:
    better = importlib.import_module(".file_runs", module.__package__).better
    standard, other = [4.0, 6.0, 5.0, 9.0], [4.0, 5.0, 3.0, 4.0]
    assert np.mean(better(standard, other)) == pytest.approx(50, abs=2), "24 over 16"
    assert better([3.0], [2.0]) == pytest.approx([50])
    assert better([3.0, 6.0, 9.0], [2.0, 4.0, 6.0]) == pytest.approx([50] * 3), "nothing to doubt"
    assert np.std(better(standard, other)) > 0


def test_a_median_drawn_anew_lies_among_the_values(module: ModuleType) -> None:
    runs = [np.asarray([0.3, 0.4, 0.5]), np.asarray([0.4, 0.4]), np.asarray([0.4, 0.7, 0.9])]
    drawn = module.PARTS["chapter5"].medians.resampled(runs)
    assert set(np.round(drawn, 3)) <= {0.3, 0.4, 0.5, 0.7, 0.9}
    assert len(set(drawn)) > 1
    alike = module.PARTS["chapter5"].medians.resampled([np.asarray([0.4, 0.4, 0.5])] * 4)
    assert set(alike) == {0.4}


def test_cells_of_table_i_that_do_not_count_are_those_that_could_not_come_out_otherwise(
    paper: papers.Paper, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    table1 = module.PARTS["table1"]
    seen: list[pl.DataFrame] = []
    run = ackclock.run

    def noted(scenario: Any) -> ackclock.Result:
        result = run(scenario)
        seen.extend((result.transfers, result.pages))
        return result

    monkeypatch.setattr(ackclock, "run", noted)

    @cache
    def files_of(key: str, sources: int, quantity: str) -> list[pl.DataFrame]:
        seen.clear()
        table1.QUANTITIES[quantity](proposals[key], sources, 1)
        return list(seen)

    def is_standard(proposal: Any, quantity: str) -> bool:
        own, standard = (
            files_of(key, proposal.sources, quantity) for key in (proposal.key, table1.STANDARD.key)
        )
        return all(a.equals(b) for a, b in zip(own, standard, strict=True))

    proposals = {one.key: one for one in (table1.STANDARD, *table1.PROPOSALS)}
    beside = {claim.id for claim in paper.claims if claim.claim_class is papers.ClaimClass.ILLUSTRATION}
    for proposal in table1.PROPOSALS:
        for problem in table1.PROBLEMS:
            cell = f"table-1-{proposal.key}-{problem}"
            quantity = table1.quantity(proposal, problem)
            could_not = is_standard(proposal, quantity)
            if problem == "probing" and not proposal.keeps_state():
                could_not = True
                assert table1.probing(proposal, proposal.sources, 1) == pytest.approx(1, abs=1e-12), cell
            assert (cell in beside) == could_not, cell
            if quantity != problem:
                assert proposal.solves[list(table1.PROBLEMS).index(problem)] == "Y", cell
                assert is_standard(proposal, problem), f"{cell} has no need of another experiment"


def test_the_second_user_of_table_i_begins_anywhere_in_a_cycle_under_every_proposal_alike(
    module: ModuleType,
) -> None:
    users = importlib.import_module(".chapter3.s3_3_4_users", module.__package__)
    cbi = next(row for row in module.PARTS["table1"].PROPOSALS if row.key == "cbi")
    cycle = users.Setting(module.PARTS["table1"].STANDARD, 1, 1, (users.Path(32),))
    starts = users.pages(cycle.run())["start_s"]
    seen = []
    for seed in range(1, 6):
        of = [
            users.Setting(row, 2, seed, (users.Path(32),)).second_starts()[32]
            for row in (module.PARTS["table1"].STANDARD, cbi)
        ]
        assert of[0] == of[1]
        seen.append(of[0])
    assert 0 < seen[0] < starts[4] - starts[3]
    assert max(seen) > 2 * min(seen)


def test_a_small_run(paper: papers.Paper, module: ModuleType) -> None:
    # One test, so that the run is made once, however many processes share the tests.
    context = papers.Context(paper, quick=True)
    study = module.Study(context, seeds=2, seeds_beside=1, loads=(250, 1250), heavy_loads=(1500,))
    measured = module.measured(study)
    verdicts = {claim.id: judge(claim, measured[claim.id]) for claim in paper.claims}
    what_is_deterministic_is_decided(verdicts)
    it_draws_the_figures_that_are_published(context)
    every_stack_has_its_say(context)


def what_is_deterministic_is_decided(verdicts: dict[str, Any]) -> None:
    for name in ("file-newreno-7", "file-btcp4-8", "factor-slower", "mice-forty", "loss-nine", "nagle"):
        assert verdicts[name].verdict == "reproduced", verdicts[name].finding
    for name in ("btcp4-earlier", "btcp8-as-slow-start", "collapse-zero", "base-2-sent"):
        assert verdicts[name].verdict == "not reproduced", verdicts[name].finding
    assert json.dumps([verdict.document() for verdict in verdicts.values()])


def it_draws_the_figures_that_are_published(context: papers.Context) -> None:
    page = PUBLISHED.joinpath("figures.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\(figures/([\w-]+)\.json\)", page))
    assert shown == {figure.name for figure in context.figures}


def every_stack_has_its_say(context: papers.Context) -> None:
    table = context.tables["stacks"]
    assert {"thesis", "even", "described", "modern"} <= set(table.columns)
    row = table.row(by_predicate=pl.col("claim") == "factor-slower", named=True)
    assert row["thesis_verdict"] == "reproduced"
    assert row["even_verdict"] == "not reproduced", "from f = 4 on slower without the head start"
