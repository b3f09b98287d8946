"""Results, sweeps, scenarios and plans show themselves, and figures have the width of a paper's column."""

import math
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import ackclock
from ackclock.errors import InputError
from ackclock.report import figures, style
from ackclock.report.text import counted
from ackclock.runs.result import Comparison

SHORT = {"duration": "5 s"}
PLAN = {
    "name": "buffers",
    "scenario": "two-megabit",
    "algorithms": ["sack", "vegas"],
    "seeds": 2,
    "settings": SHORT,
    "grid": {"topology.dumbbell.bottleneck.buffer": ["5 packets", "9 packets"]},
    "cases": {"load": {"light": {"flow.0.packets": 20}, "heavy": {"tcp.segments_per_ack": 2}}},
}


@pytest.fixture(scope="module")
def race() -> Comparison:
    return ackclock.compare(["sack", "vegas"], "two-megabit", settings=SHORT, seeds=3)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> ackclock.Sweep:
    return ackclock.sweep(PLAN, tmp_path_factory.mktemp("sweep") / "store")


def everything(race: Comparison, swept: ackclock.Sweep) -> list[Any]:
    return [race, race.results[0], swept, swept.plan, race.scenario]


def test_everything_has_html_latex_a_figure_and_a_hash(race: Comparison, swept: ackclock.Sweep) -> None:
    for shown in everything(race, swept):
        assert "<table" in shown._repr_html_()
        latex = shown.to_latex()
        assert latex.count(r"\begin{tabular}") == latex.count(r"\bottomrule") == 1
        assert isinstance(shown.plot(), Figure)
        assert {shown: 1}[shown] == 1


def test_one_of_a_kind_is_in_the_singular() -> None:
    assert [counted(number, "seed") for number in (0, 1, 2)] == ["0 seeds", "1 seed", "2 seeds"]
    plan = ackclock.load_plan({"name": "one", "scenario": "two-megabit", "algorithms": ["cubic"], "seeds": 1})
    assert "1 run: 1 point, 1 algorithm, 1 seed<" in plan._repr_html_()
    scenario: Any = ackclock.load_scenario("single-flow")
    assert "single-flow, 1 flow<" in scenario._repr_html_()


def test_equal_scenarios_are_equal_and_have_equal_hashes() -> None:
    first, second = (ackclock.load_scenario("two-megabit") for _ in range(2))
    other = ackclock.load_scenario("two-megabit", SHORT)
    assert first == second
    assert len({first, second, other}) == 2
    assert first != object()


def test_latex_has_the_means_with_intervals_of_the_summary(race: Comparison) -> None:
    rows = [line for line in race.to_latex().splitlines() if line.startswith(("sack ", "vegas "))]
    row = race.summary.filter((pl.col("label") == "sack") & (pl.col("metric") == "goodput_bit_per_s"))
    half = (row["high"].item() - row["low"].item()) / 2
    said = rf"{row['mean'].item() / 1e3:.1f} $\pm$ {half / 1e3:.1f}"
    assert said.replace(",", "") in rows[0].replace(r"\,", "")
    columns = race.to_latex().partition("{tabular}{")[2].partition("}")[0]
    assert {line.count(" & ") for line in rows} == {len(columns) - 1}


@pytest.mark.parametrize(
    ("what", "needs"),
    [
        ("competition", "competition: this figure needs runs that all algorithms share (together=True)"),
        ("users", "users: this figure needs 10 users or more; there are "),
        ("call_freezes", "call_freezes: no run of two-megabit has it; there are goodput, "),
        ("goodputt", 'no figure is named "goodputt"; did you mean "goodput"?'),
    ],
)
def test_a_figure_that_the_runs_do_not_have_says_what_it_needs(
    race: Comparison, what: str, needs: str
) -> None:
    with pytest.raises(InputError) as caught:
        race.plot(what)
    assert str(caught.value).startswith(needs)


def test_latex_of_a_comparison_has_the_metrics_asked_for(race: Comparison) -> None:
    """Nine columns stood 600 points beyond a column of a paper."""
    text = race.to_latex(metrics=["mean_rtt", "goodput_bit_per_s"])
    assert r" & Mean RTT & Goodput \\" in text
    assert r"\begin{tabular}{lrr}" in text
    assert r"\multicolumn" not in text, "a note within the table widens its last column"
    with pytest.raises(InputError, match='did you mean "goodput"'):
        race.to_latex(metrics=["goodputt"])
    with pytest.raises(InputError, match="metrics: no run has call_freezes; expected goodput, "):
        race.to_latex(metrics=["call_freezes"])


def test_pandas_is_optional_and_its_absence_is_said(
    race: Comparison, swept: ackclock.Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for shown in everything(race, swept):
        with pytest.raises(InputError, match="pip install pandas"):
            shown.to_pandas()
    stand_in = types.SimpleNamespace(DataFrame=lambda columns: columns)
    monkeypatch.setitem(sys.modules, "pandas", stand_in)
    for shown in everything(race, swept):
        assert len({len(values) for values in shown.to_pandas().values()}) == 1
    runs = race.to_pandas()
    assert list(runs["label"]) == race.runs["label"].to_list()
    assert np.array_equal(runs["timeouts"], race.runs["timeouts"].to_numpy())
    with pytest.raises(InputError, match='no table is named "flow"; did you mean "flows"'):
        race.to_pandas("flow")


def test_pandas_has_the_same_tables(
    race: Comparison, swept: ackclock.Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pl.DataFrame, "to_pandas", None)  # it needs pyarrow
    pandas = pytest.importorskip("pandas", reason="needs pandas: pip install pandas")
    for shown in everything(race, swept):
        frame = shown.to_pandas()
        assert isinstance(frame, pandas.DataFrame)
        assert len(frame)
    runs = race.to_pandas()
    assert list(runs.columns) == race.runs.columns
    goodput = race.runs.group_by("label").agg(pl.col("goodput_bit_per_s").mean())
    means = runs.groupby("label")["goodput_bit_per_s"].mean()
    assert {label: means[label] for label in means.index} == pytest.approx(dict(goodput.iter_rows()))


def test_a_saved_plan_and_scenario_are_the_same_again(swept: ackclock.Sweep, tmp_path: Path) -> None:
    again = ackclock.load_plan(swept.plan.save(tmp_path / "plan"))
    assert [point.scenario for point in again.points] == [point.scenario for point in swept.plan.points]
    assert [dict(point.values) for point in again.points] == [dict(p.values) for p in swept.plan.points]
    assert (dict(again.algorithms), again.seeds) == (dict(swept.plan.algorithms), swept.plan.seeds)
    scenario = swept.plan.points[0].scenario
    assert ackclock.load_scenario(scenario.save(tmp_path)) == scenario


def test_a_sweep_is_saved_from_python_as_by_the_command(swept: ackclock.Sweep, tmp_path: Path) -> None:
    folder = swept.save(tmp_path / "out", figure_formats=["pdf"], width="acm-column")
    assert (folder / "report.html").is_file()
    assert list(folder.glob("figures/*.pdf"))
    assert pl.read_parquet(folder / "tables" / "runs.parquet").equals(swept.runs)
    with pytest.raises(InputError, match="no metric is named"):
        swept.plot("speed")


@pytest.mark.parametrize(
    ("width", "inches"),
    [("ieee-column", 3.5), ("acm-column", 3.33), ("slide", 10.0), (4, 4.0), ("2.5", 2.5), (None, 6.3)],
)
def test_figures_have_the_width_asked_for(race: Comparison, width: Any, inches: float) -> None:
    assert race.plot(width=width).get_size_inches()[0] == pytest.approx(inches)


def test_a_width_that_does_not_exist_is_refused(race: Comparison) -> None:
    with pytest.raises(InputError, match='"ieee-colum"; did you mean "ieee-column"'):
        race.plot(width="ieee-colum")
    with pytest.raises(InputError, match="expected 2 to 40 inches"):
        race.plot(width=0.1)


@pytest.mark.parametrize("company", [["cubic"], ["bbr3", "reno", "vegas"], ["fast", "htcp", "prague", "xcp"]])
def test_a_class_of_ones_own_keeps_its_look_in_any_company(company: list[str]) -> None:
    alone = style.looks(["mine"])["mine"]
    assert style.looks(["mine", *company])["mine"] == alone
    assert style.looks([*company, "rack+mine"])["rack+mine"] == alone
    others = style.looks([*company, "mine"])
    assert alone.marker not in {others[name].marker for name in company}
    assert len(set(style.looks(["mine", "other", "third", "fourth"]).values())) == 4


def test_known_algorithms_look_the_same_in_every_figure() -> None:
    alone = style.looks(["cubic"])["cubic"]
    assert style.looks(["mine", "sack+cubic", "bbr3"])["sack+cubic"] == alone
    assert style.looks(["rack+cubic(c=0.4)"])["rack+cubic(c=0.4)"] == alone
    both = style.looks(["sack+cubic", "cubic", "newreno+cubic"])
    assert both["cubic"] == alone
    assert len(set(both.values())) == 3
    known = ["cubic", "bbr1", "bbr3", "dctcp", "reno", "newreno", "sack", "vegas", "tahoe", "htcp", "bic"]
    known += ["compound", "fast", "westwood"]
    assert len(set(style.looks(known).values())) == len(known)
    assert style.looks(known) == {name: style.looks([name])[name] for name in known}


def test_noise_does_not_fill_an_axis() -> None:
    """Goodputs within 1 % lie in the middle of the axis; those that differ by a factor span it."""
    low, high = style.limits([9.40, 9.45], [0.02, 0.03])
    assert low < 9.40 - 1
    assert high > 9.45 + 1
    low, high = style.limits([0.0, 10.0])
    assert -0.5 < low <= 0
    assert 10 <= high < 11.5
    low, high = style.limits([1000.0, 1001.0], [50.0])
    assert high - low >= 400


def test_the_goodputs_figure_shows_the_capacity_and_each_seed(race: Comparison) -> None:
    figure = race.plot("goodput")
    axis = figure.axes[0]
    lines = [np.asarray(line.get_xdata(), dtype=float) for line in axis.get_lines()]
    capacity = 2e3 * 1000 / 1040  # kbit/s of payload, of packets with 1000 of 1040 bytes
    assert any(line.size and np.allclose(line, capacity) for line in lines)
    values = race.runs["goodput_bit_per_s"].to_numpy() / 1e3
    drawn = np.concatenate(lines)
    assert all(np.isclose(drawn, value).any() for value in values)
    begin, end = axis.get_xlim()
    assert begin <= values.min()
    assert end >= capacity


def test_shares_of_like_flows_stand_beside_the_fair_one() -> None:
    settings = {"duration": "40 s", "warm_up": "20 s"}
    race = ackclock.compare(["reno", "cubic"], "ten-flows-shared", settings=settings, seeds=1)
    drawn = figures.draw_all(race)
    axis = drawn["shares"].axes[0]
    rate = float(race.results[0].links.filter(pl.col("name") == race.bottleneck)["rate_bit_per_s"][0])
    fair = rate * 1460 / 1500 / 10
    lines = [np.asarray(line.get_xdata(), dtype=float) for line in axis.get_lines()]
    factor = 1e-6 if fair >= 1e6 else 1e-3
    assert any(line.size and np.allclose(line, fair * factor) for line in lines)
    assert math.isclose(sum(line.size for line in lines), 2 * (10 + 2) + 2)
