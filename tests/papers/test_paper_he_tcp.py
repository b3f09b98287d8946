"""The paper he-tcp: every claim gets a verdict, and what is read off windows is what they are."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ackclock import papers
from ackclock.papers import Values, judge

KEY = "he-tcp"
PUBLISHED = papers.paper_folder().resolve().parent / "published" / "papers" / KEY
UNDECIDABLE_QUICKLY = {"section-2-window", "section-2-standard"}
"""They need the path of 10 Gbit/s."""


def test_the_path_is_the_papers(paper: papers.Paper, module: ModuleType) -> None:
    scenario = module.pipe(papers.Context(paper, quick=True), {"duration": "2 s", "warm_up": "0 s"})
    text = scenario.to_toml()
    assert 'rate = "800 Mbit/s"' in text
    assert 'buffer = "10000 packets"' in text
    bits = 8 * (960 + 40) * module.PIPE_PACKETS
    assert bits == pytest.approx(800e6 * 0.2)
    parameters = "low_window=31,high_window=83000"
    assert parameters in module.ALGORITHMS["hstcp"]


STEP_S = 0.1


def trace(module: ModuleType, cwnd: Any, queue_drops: Any = ()) -> Any:
    """A window of our own, sampled every 0.1 s."""
    window = np.asarray(cwnd, dtype=float)
    time = STEP_S * np.arange(window.size)
    drops = np.asarray(queue_drops, dtype=float)
    return module.Trace(time, window, np.full(window.size, 20_000.0), np.zeros(window.size), drops, 0.0)


def landing(half: float, full: float, seconds: float) -> Any:
    """A rise that comes nearer to `full` by a factor of e in each second, then linear growth."""
    time = np.arange(0, seconds, STEP_S)
    return full - (full - half) * np.exp(-time) + time / 0.2


def test_phases_are_read_off_a_window_that_is_known(module: ModuleType) -> None:
    window = np.concatenate(
        (landing(100, 20_000, 30), landing(10_000, 20_000, 30), landing(10_000, 20_000, 3))
    )
    rises = trace(module, window).rises()
    assert [round(rise.duration_s) for rise in rises] == [30, 30, 3]
    assert rises[0].is_first
    assert [module.in_order(rise) for rise in rises] == [True, True, False], "3 s are too few to land"
    # From 10,000 to within 50 of what remains: the gain of 0.2 s is 0.18 of the distance.
    where = float(rises[1].time[rises[1].landing] - rises[1].time[0])
    assert where == pytest.approx(np.log(10_000 * (1 - np.exp(-0.2)) / 9), abs=0.2)
    assert rises[1].time_to(19_000) == pytest.approx(np.log(10), abs=0.15)
    assert rises[1].braking(19_000) == pytest.approx(0.1, abs=0.02)
    assert trace(module, window).kept() == pytest.approx([0.5, 0.5], abs=0.01)


def test_drops_in_a_rise_are_overshoot_and_later_ones_are_not(module: ModuleType) -> None:
    window = landing(100, 20_000, 30)
    assert module.overshoots(trace(module, window, [2.0]))
    assert not module.overshoots(trace(module, window, [29.0]))
    assert trace(module, window, [2.0, 2.1, 25.0]).early_queue_drops(20.0) == 2


def test_a_loss_for_five_billion_packets_is_the_square_root_law(module: ModuleType) -> None:
    # Windows of 55,556 to 111,111: 3/8 of the square of the largest from loss to loss.
    assert module.estimators.packets_per_loss(83_333) == pytest.approx(3 / 8 * (4 / 3 * 83_333) ** 2)


def test_linear_growth_alone_is_no_rise_of_he_tcp(module: ModuleType) -> None:
    assert not module.in_order(trace(module, 10_000 + 0.5 * np.arange(300)).rises()[0])


def falling(*windows: float) -> Any:
    """Linear growth from each of these windows for 12 s, so that every one but the first follows a loss."""
    return np.concatenate([start + 0.5 * np.arange(120) for start in windows])


def test_growth_after_losses_is_compared_seed_by_seed(module: ModuleType) -> None:
    # Of the second algorithm the first seed has no loss past the start: the second seed alone has both.
    lossy, whole = falling(9_000, 8_000, 4_000), falling(9_000)
    rapid = np.concatenate((falling(9_000, 8_000), 4_000 + 50.0 * np.arange(120)))
    found = module.climbs(
        {
            "one": [trace(module, lossy), trace(module, rapid)],
            "other": [trace(module, whole), trace(module, lossy)],
        }
    )
    assert found.samples["one"] == pytest.approx([500.0], rel=0.01)
    assert found.samples["other"] == pytest.approx([5.0], rel=0.01)
    assert "1 of 2" in found.note


def test_recoveries_cut_short_are_told_and_not_counted(module: ModuleType) -> None:
    window = np.concatenate(
        (
            landing(100, 20_000, 30),
            landing(10_000, 20_000, 30),
            landing(10_000, 20_000, 5),
            landing(10_000, 20_000, 2),
        )
    )
    found = module.recoveries([trace(module, window)])
    assert found.samples == pytest.approx([np.log(10)], abs=0.15)
    assert found.note.startswith("1 of 3 losses; after the other 2 ")
    assert "after 1 of them" in found.note
    assert found.note.endswith("after the last 1 within 1.9 s")


def test_a_ratio_and_its_inverse_average_to_one(module: ModuleType) -> None:
    table = module.figure_4_table({1e-6: {"hetcp": [0.2, 0.8], "hstcp": [0.8, 0.2]}})
    row = table.row(0, named=True)
    assert row["ratio"] == pytest.approx(1.0)
    assert row["ratio_low"] * row["ratio_high"] == pytest.approx(1.0)


def test_a_path_that_others_use_too_is_filled_sooner(module: ModuleType) -> None:
    window = landing(0, 20_000, 30)
    assert trace(module, window).filled_s() == pytest.approx(np.log(10), abs=0.15)
    assert trace(module, window).filled_s(0.9) == pytest.approx(np.log(1 / 0.19), abs=0.15)


def test_dropped_acknowledgments_are_no_overshoot(paper: papers.Paper, module: ModuleType) -> None:
    context = papers.Context(paper, quick=True)
    narrow = {
        "duration": "3 s",
        "warm_up": "0 s",
        "trace.interval": "100 ms",
        "topology.dumbbell.bottleneck.reverse.buffer": "1 packets",
        "topology.dumbbell.bottleneck.reverse.rate": "1 Mbit/s",
    }
    result = context.run(module.pipe(context, narrow))
    assert result.drops.filter(result.drops["reason"] == "queue").height > 0
    assert module.Trace.of(result).queue_drops.size == 0


def test_two_equal_flows_are_fair_and_one_alone_is_half_fair(module: ModuleType) -> None:
    both = module.Fairness.index(np.array([1.0, 1.0, 3.0]), np.array([1.0, 0.0, 1.0]))
    assert both == pytest.approx([1.0, 0.5, 0.8])


def test_the_quick_check(paper: papers.Paper, tmp_path: Path) -> None:
    # One test, so that the run is made once, however many processes share the tests.
    quick = papers.check(paper, quick=True)
    every_claim_is_measured(quick)
    it_draws_the_figures_that_are_published(quick)
    a_number_changed_in_the_claims_turns_its_verdict(paper, quick, tmp_path)


def every_claim_is_measured(quick: papers.Reproduction) -> None:
    verdicts = {verdict.claim.id: verdict for verdict in quick.verdicts}
    for name, found in verdicts.items():
        assert found.measured is not None or name in UNDECIDABLE_QUICKLY, name
    for name in (
        "figure-1-level", "figure-1-halved", "start-no-overshoot", "figure-3-slow-increase",
        "start-standard-overshoots",
    ):  # fmt: skip
        assert verdicts[name].verdict == "reproduced", verdicts[name].finding


def it_draws_the_figures_that_are_published(quick: papers.Reproduction) -> None:
    page = PUBLISHED.joinpath("figures.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\(figures/([\w-]+)\.json\)", page))
    assert shown == {figure.name for figure in quick.figures}


def a_number_changed_in_the_claims_turns_its_verdict(
    paper: papers.Paper, quick: papers.Reproduction, tmp_path: Path
) -> None:
    text = (paper.folder / "claims.toml").read_text(encoding="utf-8")
    broken = text.replace("expected = 20000", "expected = 30000")
    assert broken != text
    (tmp_path / "claims.toml").write_text(broken, encoding="utf-8")
    changed = next(claim for claim in papers.load_paper(tmp_path).claims if claim.id == "figure-1-level")
    found = next(verdict for verdict in quick.verdicts if verdict.claim.id == "figure-1-level")
    assert isinstance(found.measured, float)
    assert judge(changed, Values([found.measured])).verdict == "not reproduced"
