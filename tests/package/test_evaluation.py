"""Evaluations by RFC 9743: rude and useless algorithms, what the literature knows, guards, and resuming."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli import app
from ackclock.errors import InputError
from ackclock.evaluation import report
from ackclock.evaluation.criteria import CRITERIA, NOT_EVALUATED
from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.evaluate import Evaluation, Judged, evaluate
from ackclock.evaluation.figures import draw
from ackclock.evaluation.sentences import sentence, worst
from ackclock.evaluation.verdict import (
    BETTER,
    MUCH_WORSE,
    SAME,
    WORSE,
    Compared,
    Thresholds,
    classify,
    cost,
    load_thresholds,
)
from ackclock.measures.statistics import Interval


class Rude:
    """It grows by a packet per packet, and never backs off."""

    def __init__(self) -> None:
        self.cwnd = 10.0

    def on_ack(self, ack: Any) -> None:
        self.cwnd = min(self.cwnd + ack.delivered, 1000.0)

    def on_congestion(self, event: Any) -> None:
        """Takes no notice."""


class Useless:
    """One packet per round trip."""

    cwnd = 1.0

    def __init__(self, start: Any) -> None:
        """Begins with its own window."""

    def on_ack(self, ack: Any) -> None:
        """Takes no notice."""

    def on_congestion(self, event: Any) -> None:
        """Takes no notice."""


MINE = """
class Mine:
    def __init__(self, start):
        self.cwnd, self.ssthresh = start.initial_window, start.initial_ssthresh

    def on_ack(self, ack):
        if ack.may_grow:
            self.cwnd += ack.delivered / self.cwnd

    def on_congestion(self, event):
        self.cwnd = self.ssthresh = max(event.flight / 2, 2.0)
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store for all: the standards run once."""
    return tmp_path_factory.mktemp("evaluation") / "store"


def judged(evaluation: Evaluation) -> dict[str, Judged]:
    return {each.criterion.key: each for each in evaluation.judged}


def quick(algorithm: Any, store: Path, *only: str, seeds: int = 3) -> dict[str, Judged]:
    return judged(evaluate(algorithm, store, against=[], only=only, quick=True, seeds=seeds))


def mean(found: Judged, cell: str, label: str, measure: str) -> float:
    (chosen,) = [each.name for each in found.cells if each.name == cell]
    values = [row[measure] for row in found.values[chosen, label].values()]
    return math.fsum(values) / len(values)


def test_a_rude_algorithm_is_much_worse_where_it_hurts(store: Path) -> None:
    found = quick(Rude, store, "loss", "others-short-flows", seeds=2)
    assert {key: each.verdict for key, each in found.items()} == {
        "loss": MUCH_WORSE,
        "others-short-flows": MUCH_WORSE,
    }


def test_a_useless_algorithm_hurts_nobody_and_is_much_worse_for_itself(store: Path) -> None:
    found = quick(Useless, store, "short-flows", "wireless", "loss", "beside-standard")
    assert found["loss"].verdict == found["beside-standard"].verdict == BETTER
    assert found["wireless"].verdict == MUCH_WORSE
    long = [
        compared.verdict
        for cell, compared in zip(found["short-flows"].cells, found["short-flows"].by_cell, strict=True)
        if "100 packets" in cell.name
    ]
    assert set(long) == {MUCH_WORSE}, "a hundred packets take a hundred round trips"


def test_packets_without_feedback_are_those_of_the_timer(store: Path) -> None:
    """RFC 6298, 5.5: a timer of 200 to 500 ms doubles, and expires at 1, 3, 7, 15, 31 times its length.

    Two to four of these times are 1 to 10 s. TFRC halves its rate instead (RFC 5348, 4.4).
    """
    found = quick("tfrc", store, "lost-feedback", seeds=2)["lost-feedback"]
    rounds = 9 / 0.040
    for cell in found.cells:
        reno = mean(found, cell.name, "rack+reno", "blind") * rounds
        assert 2 <= reno <= 4
        assert mean(found, cell.name, "tfrc", "blind") * rounds > 2 * reno
    assert found.verdict in {WORSE, MUCH_WORSE}


def test_a_standard_in_its_own_place_is_no_different(store: Path) -> None:
    alone = quick("rack+reno", store, "beside-standard")["beside-standard"]
    own = [c for cell, c in zip(alone.cells, alone.by_cell, strict=True) if cell.standards == ("rack+reno",)]
    assert {c.verdict for c in own} == {SAME}
    assert {c.times_worse.estimate for c in own} == {1.0}


def test_bbr_1_loses_far_more_than_bbr_3_where_several_share_a_shallow_buffer(store: Path) -> None:
    cell = "8 flows, buffer 0.1 BDP"
    first = quick("bbr1", store, "loss")["loss"]
    third = quick("bbr3", store, "loss")["loss"]
    assert mean(first, cell, "bbr1", "loss") > 1.5 * mean(third, cell, "bbr3", "loss")
    assert mean(first, cell, "bbr1", "loss") > 2 * mean(first, cell, "rack+reno", "loss")


def test_bbr_1_triggers_a_circuit_breaker_where_standards_do_not(store: Path) -> None:
    found = quick("bbr1", store, "circuit-breakers")["circuit-breakers"]
    assert found.verdict == MUCH_WORSE
    for cell in ("4 flows, buffer 100 % of the BDP", "4 flows, rate from 20 to 1 Mbit/s"):
        assert mean(found, cell, "bbr1", "removed") >= 0.25
        assert mean(found, cell, "rack+reno", "removed") == 0
    assert mean(found, "4 flows beside datagrams at 150 %", "rack+reno", "goodput") > 15e6, (
        "the datagrams are removed"
    )


def test_a_call_keeps_its_rate_next_to_vegas_and_loses_it_to_reno(store: Path) -> None:
    """A short queue leaves room to flows that measure delay; Reno fills the buffer of 80 ms."""
    vegas = quick("vegas", store, "calls", seeds=2)["calls"]
    reno = quick("rack+reno", store, "calls", seeds=2)["calls"]
    assert vegas.verdict == BETTER
    cell = "scream2, buffer 2 BDP"
    assert reno.harm[cell, "call_rate"].interval.estimate > 0.5
    assert abs(vegas.harm[cell, "call_rate"].interval.estimate) < 0.1
    # A call takes 1.5 of 4 Mbit/s at most, and another download takes two.
    assert reno.harm[cell, "download"].interval.estimate < -0.2
    assert vegas.values["two downloads, buffer 2 BDP", "vegas"][1]["call_rate"] == 0


def test_vegas_carries_pages_slowly_and_harms_those_of_others_least(store: Path) -> None:
    """It leaves the link to Reno and CUBIC, whoever has the download."""
    found = quick("vegas", store, "pages", "others-pages", seeds=2)
    assert {key: each.verdict for key, each in found.items()} == {"pages": MUCH_WORSE, "others-pages": BETTER}
    for standard in ("rack+reno", "cubic"):
        # The standard in both places is the comparison: the same pages next to the same download.
        own, other = (
            mean(found[key], f"{words}, buffer 2 BDP", standard, "page_50_s")
            for key, words in (
                ("pages", f"a download by {standard}"),
                ("others-pages", f"pages of {standard}"),
            )
        )
        assert own == other


def test_pages_that_never_come_are_counted(store: Path) -> None:
    """A window of one packet carries a page of 1.9 MB in 53 s at the least: 1330 packets, 40 ms each."""
    found = quick(Useless, store, "pages", seeds=1)["pages"]
    assert found.whole.times_worse.estimate > 2
    for cell in found.cells:
        (row,) = found.values[cell.name, "useless"].values()
        # The longest wait, from the first request to the end: a bound from below.
        assert 53 < row["page_50_s"] <= 55


def test_a_transport_that_carries_no_page_is_judged_by_those_of_others(store: Path) -> None:
    evaluation = evaluate("tfrc", store, against=[], only=("pages", "others-pages"), quick=True, seeds=1)
    assert [each.criterion.key for each in evaluation.judged] == ["others-pages"]
    reasons = {each.title: each.reason for each in evaluation.suite.not_evaluated}
    assert "only TCP does" in reasons["Pages next to a download of others"]


def test_reno_and_cubic_fill_whatever_buffer_there_is_and_vegas_does_not(store: Path) -> None:
    found = quick("vegas", store, "bufferbloat")["bufferbloat"]
    assert found.verdict == BETTER
    cell = "4 flows, buffer 10 BDP"  # 400 ms
    assert mean(found, cell, "rack+reno", "delay_95_s") > 0.25
    assert mean(found, cell, "cubic", "delay_95_s") > 0.35
    assert mean(found, cell, "vegas", "delay_95_s") < 0.05


def test_vegas_leaves_the_link_to_reno(store: Path) -> None:
    found = quick("vegas", store, "beside-standard")["beside-standard"]
    assert found.verdict == BETTER
    cell = "4 of rack+reno beside 4 newcomers, buffer 2 BDP"
    share = mean(found, cell, "vegas", "incumbents") * 4 / 20e6
    assert share > 0.7, "of the link, where half is fair"


def test_three_duplicates_take_reordering_for_loss_and_rack_does_not(store: Path) -> None:
    cell = "1 % of the packets 4 ms late"
    old = quick("newreno+reno", store, "reordering", seeds=2)["reordering"]
    assert mean(old, cell, "newreno+reno", "goodput") < 0.6 * mean(old, cell, "rack+reno", "goodput")


def test_vegas_takes_a_longer_path_for_a_queue(store: Path) -> None:
    cell = "2 flows, delay 20 ms more from 10 s on"
    found = quick("vegas", store, "varying-delay", seeds=2)["varying-delay"]
    assert mean(found, cell, "vegas", "utilisation") < 0.8 * mean(found, cell, "cubic", "utilisation")


PACKETS = Measure("lost", "lost", "", 1, 0, "lower", 1.0)
RATE = Measure("rate", "rate", "", 1, 0, "higher", 0.0)


@pytest.mark.parametrize(
    ("measure", "value", "standard", "expected"),
    [
        (PACKETS, 3, 1, math.log(2)),
        (PACKETS, 0, 0, 0.0),
        (RATE, 2, 4, math.log(2)),
        (RATE, 8, 4, -math.log(2)),
    ],
)
def test_the_cost_is_the_logarithm_of_times_worse(
    measure: Measure, value: float, standard: float, expected: float
) -> None:
    assert cost(measure, value, standard) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((10, 10.1, 9.9), SAME),  # between the standards
        ((16, 16.5, 16.2), WORSE),
        ((40, 41, 42), MUCH_WORSE),
        ((4, 4.1, 4.2), BETTER),
        ((12.2, 12.3, 12.1), SAME),  # worse than both by less than a tenth
        ((1, 60, 900), SAME),  # no sign is certain
    ],
)
def test_worse_is_worse_than_both_standards(values: tuple[float, ...], expected: str) -> None:
    delay = Measure("delay", "delay", "s", 1, 0, "lower", 0.0)
    rows = {
        ("cell", label): {seed: {"delay": value} for seed, value in enumerate(found)}
        for label, found in {"rack+reno": (8, 8, 8), "cubic": (12, 12, 12), "mine": values}.items()
    }
    assert classify([Cell("cell", {})], [delay], rows, "mine", Thresholds()).verdict == expected


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((9, 9, 9), "between the standards, thus no different: 1.12 [1.12, 1.12] times the cost of a."),
        ((7.6, 8, 8.6), "no different from the standards, but the interval is inconclusive: 1.01"),
        ((8.1, 8.2, 8.1), "no different from the standards: 1.02 [1.00, 1.03] times the cost of a."),
        ((36, 36, 36), "much worse than the standards: 3.00 [3.00, 3.00] times the cost of b."),
    ],
)
def test_a_sentence_names_the_standard_of_its_number(values: tuple[float, ...], said: str) -> None:
    delay = Measure("delay", "delay", "s", 1, 0, "lower", 0.0)
    rows = {
        ("cell", label): {seed: {"delay": value} for seed, value in enumerate(found)}
        for label, found in {"a": (8, 8, 8), "b": (12, 12, 12), "mine": values}.items()
    }
    cells = (Cell("cell", {}, ("a", "b")),)
    whole = classify(cells, [delay], rows, "mine", Thresholds())
    judged = Judged(replace(CRITERIA[0], measures=(delay,)), cells, rows, whole, (whole,), {})
    assert sentence(judged, "mine", Thresholds()).startswith(f"mine is {said}")


def test_a_setting_that_equals_the_standard_is_said_once() -> None:
    index = Measure("index", "Jain's index", "", 1, 3, "higher", 0.0)
    rows = {("cell", label): {1: {"index": 1.0}} for label in ("a", "mine")}
    cells = (Cell("cell", {}, ("a",)),)
    whole = classify(cells, [index], rows, "mine", Thresholds())
    found = Judged(replace(CRITERIA[0], measures=(index,)), cells, rows, whole, (whole,), {})
    assert worst(found, "mine") == "Nowhere worse; as good as a with cell: Jain's index 1.000."


def test_axis_titles_stay_within_a_figure_whose_settings_have_long_names() -> None:
    fairness = next(each for each in CRITERIA if each.key == "fairness")
    cells = fairness.cells(True)
    rows = {(c.name, "mine"): {1: {m.key: 0.9 for m in fairness.measures}} for c in cells}
    whole = Compared(SAME, Interval(1, 1, 1, 1, 0.95))
    figure = draw(Judged(fairness, cells, rows, whole, (whole,) * len(cells), {}), ("mine",))
    figure.draw_without_rendering()
    right = max(axis.xaxis.label.get_window_extent().x1 for axis in figure.axes)
    assert right <= figure.bbox.x1


def test_the_scenarios_of_an_own_class_run_as_they_are(in_folder: Path) -> None:
    (in_folder / "mine.py").write_text(MINE, encoding="utf-8")
    command = ["evaluate", "mine.py:Mine", "--quick", "--only", "constrained", "--seeds", "1"]
    assert CliRunner().invoke(app, command).exit_code == 0
    place = in_folder / "results" / "mine-evaluation" / "scenarios" / "constrained" / "1.toml"
    assert ackclock.run(place).conserved
    assert ackclock.load_scenario(place).name == "constrained-1"


@pytest.mark.parametrize(("algorithm", "is_said"), [("cubic", True), ("vegas", False)])
def test_a_standard_is_not_compared_with_itself_in_silence(
    algorithm: str, is_said: bool, tmp_path: Path
) -> None:
    done = ackclock.evaluate(algorithm, tmp_path, quick=True, only=["constrained"], seeds=1)
    said = f"{algorithm} is itself one of the standards"
    assert (said in report.summary_view(done).note) is is_said


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_writes_everything_and_resumes_and_guards(in_folder: Path) -> None:
    runner = CliRunner()
    command = ["evaluate", "vegas", "--quick", "--only", "data-centre,constrained", "--seeds", "2", "--json"]
    first = runner.invoke(app, command)
    assert first.exit_code == 0, first.output
    document = json.loads(first.stdout)
    assert document["schema"] == "ackclock-evaluation/1"
    assert [each["key"] for each in document["criteria"]] == ["constrained", "data-centre"]
    folder = in_folder / "results" / "vegas-evaluation"
    for name in ("report.html", "evaluation.json", "evaluation.md", "evaluation.tex", "provenance.json"):
        assert (folder / name).is_file()
    scenario = folder / document["criteria"][0]["cells"][0]["scenario"]
    assert ackclock.run(scenario).conserved
    before = (folder / "evaluation.json").read_bytes()
    again = runner.invoke(app, command)
    assert (again.exit_code, (folder / "evaluation.json").read_bytes()) == (0, before)
    kind = document["criteria"][0]["class"]
    guarded = runner.invoke(app, [*command, "--fail-on", f"constrained: {kind if kind != BETTER else WORSE}"])
    assert guarded.exit_code == (0 if kind == BETTER else 1)
    alike = runner.invoke(app, [*command, "--baseline", str(folder)])
    assert (alike.exit_code, alike.stderr) == (0, "")
    # As if a measure had been better once: the same runs are a regression now.
    measure = document["criteria"][0]["cells"][0]["measures"]["sent_per_delivered"]
    measure["vegas"]["mean"] *= 0.5
    document["criteria"][1]["class"] = BETTER
    (in_folder / "known.json").write_text(json.dumps(document), encoding="utf-8")
    worse = runner.invoke(app, [*command, "--baseline", "known.json", "--tolerance", "5%"])
    assert worse.exit_code == 1
    said = worse.stderr.splitlines()
    assert len(said) == 2
    assert said[0].startswith("ackclock: failed: constrained, ")
    assert ": packets sent per packet delivered 1." in said[0]
    assert said[0].endswith("% worse)")
    assert said[1].startswith("ackclock: failed: data-centre: ")
    assert said[1].endswith(", was better")
    assert runner.invoke(app, [*command, "--baseline", "known.json", "--tolerance", "200%"]).exit_code == 1
    document["seeds"] = [1, 2, 3]
    (in_folder / "known.json").write_text(json.dumps(document), encoding="utf-8")
    others = runner.invoke(app, [*command, "--baseline", "known.json"])
    assert "--baseline: found seeds [1, 2, 3]; expected [1, 2], as here" in str(others.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "bufferbloatt"], 'bufferbloat"'),
        (["--fail-on", "bufferbloat"], "a criterion and a class"),
        (["--fail-on", "bufferbloat: bad"], "much worse"),
        (["--tolerance", "2%"], "name its folder with --baseline"),
        (["--baseline", "nowhere"], "nowhere: there is no such file"),
        (["--baseline", "."], ".: this is no evaluation; expected a folder of ackclock evaluate"),
    ],
)
@pytest.mark.usefixtures("in_folder")
def test_a_mistake_is_said_before_anything_runs(arguments: list[str], message: str) -> None:
    outcome = CliRunner().invoke(app, ["evaluate", "reno", *arguments])
    assert isinstance(outcome.exception, InputError)
    assert message in str(outcome.exception)


def test_thresholds_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "evaluation.toml"
    file.write_text("different = 1.2\nmuch = 3\n", encoding="utf-8")
    assert load_thresholds(file) == Thresholds(different=1.2, much=3.0)
    file.write_text("diferent = 1.2\n", encoding="utf-8")
    with pytest.raises(InputError, match='did you mean "different"'):
        load_thresholds(file)
    file.write_text("different = 0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="expected 1 < different"):
        load_thresholds(file)


def test_criteria_are_in_the_order_of_the_rfc_and_have_cells_of_one_name_each() -> None:
    for full in (True, False):
        for criterion in CRITERIA:
            names = [cell.name for cell in criterion.cells(full)]
            assert len(set(names)) == len(names), criterion.key
    sections = [[int(part) for part in c.section.split(",")[0].split(".")] for c in CRITERIA]
    assert sections == sorted(sections)
    every = [each.section for each in CRITERIA] + [each.section for each in NOT_EVALUATED]
    twice = {section for section in every if every.count(section) > 1}
    assert twice == {
        "5.2.2",  # datagrams of a constant rate, and calls that yield
        "5.2.3",  # files of others, and pages both ways
    }
