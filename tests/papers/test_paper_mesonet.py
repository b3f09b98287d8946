"""The paper mesonet: every cell and sentence gets a verdict, and verdicts follow the data."""

import itertools
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ackclock import papers
from ackclock.papers import Values, judge

KEY = "mesonet"
PUBLISHED = papers.paper_folder().resolve().parent / "published" / "papers" / KEY
CONFIGURATIONS = {"tcp", "bic", "ctcp", "fast-tuning", "fast-80", "fast-200", "hstcp", "htcp", "scalable"}
RTTS = {42, 162, 324}


def test_every_cell_of_the_three_tables_is_a_claim(paper: papers.Paper) -> None:
    claims = {claim.id: claim for claim in paper.claims}
    cells = {
        f"{table}-{name}-{rtt}" for table in ("link", "buffer", "fairness") for name in CONFIGURATIONS
        for rtt in RTTS
    }  # fmt: skip
    capacities = {f"{table}-path-{rtt}" for table in ("bdp", "buffers", "room") for rtt in RTTS}
    assert len(cells) == 81
    assert cells | capacities <= set(claims)
    assert {claim.tolerance for claim in claims.values() if claim.id in cells} == {0.02}
    assert {claim.decimals for claim in claims.values() if claim.id in cells} == {2}, "5.4.8: two, rounded"


def test_the_tables_are_consistent_with_what_the_chapter_computes_from_them(paper: papers.Paper) -> None:
    claims: dict[str, Any] = {claim.id: claim.expected for claim in paper.claims}
    assert claims["link-tcp-42"] == pytest.approx((409 + 395) / 882, abs=0.005)
    assert claims["buffer-scalable-42"] == pytest.approx((901 + 102 - 882) / 176, abs=0.005)
    assert claims["fairness-scalable-42"] == pytest.approx(1003**2 / 2 / (901**2 + 102**2), abs=0.005)
    for rtt in RTTS:
        assert claims[f"bdp-path-{rtt}"] == 21 * rtt
        assert claims[f"room-path-{rtt}"] == claims[f"bdp-path-{rtt}"] + claims[f"buffers-path-{rtt}"]


def test_the_quick_check(paper: papers.Paper, tmp_path: Path) -> None:
    # One test, so that the run is made once, however many processes share the tests.
    quick = papers.check(paper, quick=True)
    it_decides_what_42_ms_decide(quick)
    it_draws_the_figures_that_are_published(quick)
    its_json_holds_every_claim(paper, quick)
    a_number_changed_in_the_table_turns_its_verdict(paper, quick, tmp_path)


def it_decides_what_42_ms_decide(quick: papers.Reproduction) -> None:
    verdicts = {verdict.claim.id: verdict for verdict in quick.verdicts}
    for name, found in verdicts.items():
        measured = found.measured is not None
        assert measured or "42 ms only" in found.note, name
    at_42 = [found for name, found in verdicts.items() if name.endswith("-42")]
    assert all(found.measured is not None for found in at_42)
    for name in ("bdp-path-42", "buffers-path-42", "link-tcp-42", "fairness-scalable-42", "tcp-42-first"):
        assert verdicts[name].verdict == "reproduced", verdicts[name].finding
    assert verdicts["standard-timeout-time"].verdict == "not reproduced", "the model's timeout is 2 s"
    assert "over 3 varied runs" in verdicts["link-tcp-42"].note


def it_draws_the_figures_that_are_published(quick: papers.Reproduction) -> None:
    page = PUBLISHED.joinpath("figures.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\(figures/([\w-]+)\.json\)", page))
    assert shown == {figure.name for figure in quick.figures}
    assert {f"windows-{name}" for name in CONFIGURATIONS} <= shown


def its_json_holds_every_claim(paper: papers.Paper, quick: papers.Reproduction) -> None:
    document = json.loads(json.dumps(quick.document("somewhere")))
    assert [claim["id"] for claim in document["claims"]] == [claim.id for claim in paper.claims]
    assert all(claim["why"] and claim["place"] and claim["statement"] for claim in document["claims"])


def a_number_changed_in_the_table_turns_its_verdict(
    paper: papers.Paper, quick: papers.Reproduction, tmp_path: Path
) -> None:
    text = (paper.folder / "claims.toml").read_text(encoding="utf-8")
    broken = text.replace(
        'title = "TCP", values = [0.91, 0.89, 0.89]', 'title = "TCP", values = [0.97, 0.89, 0.89]'
    )
    assert broken != text
    (tmp_path / "claims.toml").write_text(broken, encoding="utf-8")
    changed = next(claim for claim in papers.load_paper(tmp_path).claims if claim.id == "link-tcp-42")
    found = next(verdict for verdict in quick.verdicts if verdict.claim.id == "link-tcp-42")
    assert isinstance(found.measured, float)
    assert found.verdict == "reproduced"
    assert judge(changed, Values([found.measured])).verdict == "not reproduced"


TIME = 0.1 * np.arange(10_001)
NOTHING = (np.empty(0), np.empty(0))
UNTUNED = (np.empty((0, 2)), np.empty((0, 2)))


def windows(module: ModuleType, first: Any, second: Any, drops: Any = NOTHING, alphas: Any = UNTUNED) -> Any:
    """Windows of our own, sampled every 0.1 s from 0 to 1000 s; numbers or arrays over TIME."""
    flows = [np.broadcast_to(np.asarray(cwnd, dtype=float), TIME.shape) for cwnd in (first, second)]
    return module.Windows(TIME, *flows, drops, alphas)


def test_convergence_is_read_off_windows_that_are_known(module: ModuleType) -> None:
    rising = windows(module, 400.0, np.clip(4 * (TIME - 250), 0, 400))
    assert rising.convergence_s(0.8) == pytest.approx(80, abs=0.5), "320 of 400 packets after 80 s"
    assert rising.end_ratio(100) == pytest.approx(1)
    assert not rising.converges_then_diverges()
    apart = windows(module, 400.0, 100.0)
    assert not apart.has_converged(0.8)
    assert apart.convergence_s(0.8) == 750
    back = windows(module, 400.0, np.where(TIME < 600, 390.0, 200.0))
    assert back.converges_then_diverges()


def test_flows_that_are_close_at_once_have_no_time_to_compare(module: ModuleType) -> None:
    # A mean over 20 s has its first value in their middle, however soon the flows came together.
    def run(begins_at_s: float) -> Any:
        second = np.where(250 + begins_at_s > TIME, 50.0, 390.0)
        return SimpleNamespace(windows=windows(module, 400.0, second))

    slow = {(name, rtt): run(400) for name in CONFIGURATIONS for rtt in RTTS}
    at_once = slow | {("ctcp", 42): run(0), ("fast-80", 42): run(0)}
    found = module.by_definition(at_once)
    assert isinstance(found["ctcp-scaling-90"], papers.Undecidable)
    assert isinstance(found["fast-fastest-90"], papers.Holds), "no later than the others at 162 and 324 ms"
    level = slow | {(name, rtt): run(rtt / 10) for name in ("fast-80",) for rtt in RTTS} | {
        (name, 42): run(0) for name in ("fast-80", "ctcp")
    }  # fmt: skip
    found = module.by_definition(level)
    assert isinstance(found["fast-fastest-90"], papers.Undecidable), "level at 42 ms, sooner at the others"
    times = {42: 40.0, 162: 150.0, 324: 100.0}
    found = module.by_definition(slow | {("ctcp", rtt): run(time) for rtt, time in times.items()})
    shares = {name: value for name, (value,) in found["ctcp-scaling-90"].samples.items()}
    assert shares == pytest.approx(
        {"162 ms": 150 / 40 / (162 / 42), "324 ms": 100 / 40 / (324 / 42)}, rel=0.2
    )
    at_42 = found["htcp-second-90"].note.partition(";")[0]
    assert "ctcp 48" in at_42
    assert "tcp 408" in at_42, "all that are not after H-TCP are told, not the next alone"


def test_a_sawtooth_is_read_off_as_beats(module: ModuleType) -> None:
    beats = windows(module, 500 + 10 * ((TIME + 25) % 50), 2.0).beats()
    assert [beat.duration_s for beat in beats] == pytest.approx([50] * 4, abs=0.11)
    assert beats[0].early_share() == pytest.approx(1 / 3, abs=0.01)
    assert beats[0].gain == pytest.approx(500, abs=2)


def test_what_windows_lack_is_told_from_what_losses_take(module: ModuleType) -> None:
    # Both together lack 100 packets always; a loss at 500 s, another at 900 s, and ten round trips are 10 s.
    lacking = windows(module, 400.0, 382.0, drops=(np.array([500.05]), np.array([900.05])))
    assert lacking.lacking_late(882, 10) == pytest.approx(1 - 20 / 750, abs=1e-3)
    assert lacking.lacking_late(700, 10) == 0, "nothing is lacking"
    often = windows(module, 400.0, 382.0, drops=(np.arange(250.0, 1000.0, 5.0), np.empty(0)))
    assert often.lacking_late(882, 10) == 0, "lost again before ten round trips are over"
    assert often.losses_per_s(0, 1000) == pytest.approx(0.15)
    assert often.losses_per_s(1, 1000) == 0
    assert lacking.losses_per_s(1, 1000) == pytest.approx(1 / 750), "the second flow is there from 250 s on"


def test_swings_and_tunings_are_read_off(module: ModuleType) -> None:
    swinging = windows(module, np.where(TIME % 10 < 5, 200.0, 400.0), 300.0)
    assert swinging.swings(0, 50) == pytest.approx([2] * 20)
    assert swinging.swings(1, 50) == pytest.approx([1] * 15)
    alphas = (np.array([[0.0, 200.0], [400.0, 20.0], [600.0, 8.0]]), np.array([[250.0, 200.0]]))
    assert windows(module, 1.0, 1.0, alphas=alphas).tuned_at(20) == (400, np.inf)
    assert windows(module, 1.0, 1.0).tuned_at(20) == (np.inf, np.inf)


@pytest.mark.parametrize("name", sorted(CONFIGURATIONS))
def test_no_caption_is_printed_over_another(module: ModuleType, name: str) -> None:
    def run(rtt: int) -> Any:
        # As wide as averages get.
        outcome = SimpleNamespace(windows=(8888.0, 8888.0), rtt_ms=rtt)
        return SimpleNamespace(outcome=outcome, windows=windows(module, 8888.0, 8888.0))

    figure = module.drawing.windows(name, {(name, rtt): run(rtt) for rtt in RTTS})
    figure.draw_without_rendering()
    for axes in figure.axes:
        legend = axes.get_legend()
        above = [axes._left_title, *axes.texts, *([legend] if legend else [])]
        boxes = [artist.get_window_extent() for artist in above]
        assert len(boxes) >= 2, "title and averages"
        for one, other in itertools.combinations([*boxes, axes.patch.get_window_extent()], 2):
            assert not one.overlaps(other), name
        assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
        assert all(box.y1 <= figure.bbox.y1 for box in boxes)


def test_every_number_of_the_three_tables_is_there(paper: papers.Paper) -> None:
    document = tomllib.loads((paper.folder / "claims.toml").read_text(encoding="utf-8"))
    assert sum(len(table["rows"]) * len(table["columns"]) for table in document["table"]) == 90
