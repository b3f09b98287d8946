"""Tables and figures do not invite conclusions that the runs do not bear."""

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.errors import NoMarksWarning
from ackclock.measures import metrics
from ackclock.report import figures, tables

SHORT = {"duration": "12 s"}


def scenario(**keys: Any) -> dict[str, Any]:
    dumbbell = {
        "pairs": 2,
        "bottleneck": {"rate": "5 Mbit/s", "delay": "20 ms", "buffer": "20 packets"},
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
    }
    flows = [{"name": "tcp", "count": 2, "start_jitter": "1 s"}]
    return {"name": "small", "duration": "10 s", "topology": {"dumbbell": dumbbell}, "flow": flows} | keys


def test_no_panel_of_a_figure_is_cut_at_the_top_of_the_first() -> None:
    """A window of 10 packets in the first panel, of more than 100 in the second."""
    small, large = "standard", "sack+base(b=3)"
    race = ackclock.compare(
        [small, large], scenario(tcp={"receive_window": "200 packets"}), series=True, seeds=1
    )
    for name, figure in figures.draw_all(race).items():
        for axis in figure.axes:
            for line in axis.get_lines():
                heights = np.asarray(line.get_ydata(), dtype=float)
                highest = np.nanmax(heights) if np.isfinite(heights).any() else 0.0
                assert highest <= max(axis.get_ylim()), (name, axis.get_title())


def test_two_seeds_have_a_note_that_intervals_are_wide() -> None:
    for seeds, is_said in ((2, True), (3, False)):
        view = tables.summary_view(ackclock.compare(["reno"], "two-megabit", settings=SHORT, seeds=seeds))
        assert ("The interval of two seeds is wide: take five or more." in view.note) is is_said


def test_one_seed_and_overlapping_intervals_have_no_best() -> None:
    def best(seeds: int, *algorithms: str) -> list[tuple[str, ...]]:
        view = tables.summary_view(ackclock.compare(algorithms, "two-megabit", settings=SHORT, seeds=seeds))
        return [tuple(cell.text for cell in row if cell.is_best) for row in view.rows]

    assert best(1, "newreno", "vegas") == [(), ()]
    close = {"a": "sack+reno", "b": "sack+reno(limit=2)"}
    race = ackclock.compare(close, "two-megabit", settings=SHORT, seeds=3)
    rows = race.differences.filter(pl.col("metric") == "goodput_bit_per_s").row(0, named=True)
    marked = any(cell.is_best for row in tables.summary_view(race).rows for cell in row[1:2])
    assert marked == (rows["low"] > 0 or rows["high"] < 0)
    assert any(best(5, "newreno", "vegas"))


def test_intervals_of_many_pairs_hold_together() -> None:
    """Of ten algorithms without a difference, two of 45 intervals at 95 % leave out zero."""
    rng = np.random.default_rng(1)
    labels = [f"a{number}" for number in range(10)]
    wrong = alone = 0
    for _ in range(40):
        values = {key: rng.normal(size=80) for key in metrics.KEYS}
        runs = pl.DataFrame({"label": np.repeat(labels, 8), "seed": np.tile(np.arange(8), 10), **values})
        found = metrics.differences(runs, labels).filter(pl.col("metric") == metrics.KEYS[0])
        wrong += found.filter((pl.col("low") > 0) | (pl.col("high") < 0)).height > 0
        two = metrics.differences(runs, labels[:2]).filter(pl.col("metric") == metrics.KEYS[0])
        alone += two.filter((pl.col("low") > 0) | (pl.col("high") < 0)).height
    assert wrong <= 6
    assert alone <= 6


@pytest.mark.parametrize(
    ("change", "has_index"),
    [
        ({}, True),
        ({"flow": [{"name": "long"}, {"name": "file", "packets": 100}]}, False),
        (
            {
                "flow": [
                    {"name": "file", "count": 3, "size": {"pareto": {"mean": "10 packets", "shape": 1.5}}}
                ]
            },
            False,
        ),
        ({"flow": [{"name": "first"}, {"name": "second", "start": "5 s"}]}, False),
        ({"flow": [{"name": "a", "algorithm": "cubic"}, {"name": "b", "algorithm": "vegas"}]}, True),
        ({"flow": [{"name": "a"}], "call": [{"name": "b"}]}, False),
    ],
)
def test_jains_index_is_of_flows_that_ask_for_the_same(change: dict[str, Any], *, has_index: bool) -> None:
    race = ackclock.replicate(scenario(**change))
    assert math.isfinite(race.runs["fairness"].item()) == has_index


@pytest.mark.parametrize(("delay", "has_index"), [("5 ms", True), ("50 ms", False)])
def test_flows_on_unlike_paths_of_a_graph_have_no_index(delay: str, *, has_index: bool) -> None:
    links = [
        {"from": "near", "to": "left", "rate": "10 Mbit/s", "delay": "5 ms"},
        {"from": "far", "to": "left", "rate": "10 Mbit/s", "delay": delay},
        {"from": "left", "to": "right", "rate": "2 Mbit/s", "delay": "5 ms", "buffer": "20 packets"},
    ]
    flows = [{"name": end, "from": end, "to": "right"} for end in ("near", "far")]
    race = ackclock.replicate(scenario(topology={"graph": {"link": links}}, flow=flows))
    assert math.isfinite(race.runs["fairness"].item()) == has_index


def test_flows_over_one_hop_and_over_all_have_no_index() -> None:
    race = ackclock.replicate("parking-lot", settings=SHORT | {"warm_up": "1 s"})
    assert math.isnan(race.runs["fairness"].item())


def test_small_times_have_a_unit_and_decimals_that_show_them() -> None:
    race = ackclock.compare(["dctcp", "cubic"], "datacentre", seeds=2)
    summary, flows = tables.summary_view(race), tables.flow_view(race)
    place = [heading for heading, _ in summary.columns].index("Mean RTT")
    assert summary.columns[place][1] == "ms"
    assert summary.rows[0][place].text.startswith("0.14")
    assert metrics.shown(metrics.metric("queueing_delay_s"), 4.5e-5) == (1e6, "us")
    assert metrics.digits(metrics.metric("mean_rtt_s"), 1.43e-4) == 3
    units = dict(summary.columns) | {"Goodput": dict(flows.columns)["Goodput"]}
    assert units["Goodput"] == dict(summary.columns)["Goodput"] == "Gbit/s"
    assert all("[Gbit/s]" in matrix.title for matrix in tables.difference_views(race))


def test_numbers_of_the_whole_run_are_marked_beside_those_after_the_warm_up() -> None:
    race = ackclock.compare(["sack", "cubic"], scenario(warm_up="2 s"))
    view = tables.summary_view(race)
    marked = {heading for heading, _ in view.columns if heading.endswith("†")}
    assert marked == {"Retransmissions†", "Timeouts†"}
    assert view.note.startswith("† Over the whole run; the others from 2 s on.")
    assert "†" not in tables.summary_view(ackclock.compare(["sack", "cubic"], scenario())).note


def test_dctcp_without_marks_is_said_and_with_marks_is_not() -> None:
    with pytest.warns(NoMarksWarning, match="dctcp responds to marks, and no link marked a packet in small"):
        ackclock.run(scenario(), algorithm="dctcp")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ackclock.run(
            scenario(),
            algorithm="dctcp",
            settings={"topology.dumbbell.bottleneck.ecn_threshold": "5 packets"},
        )
        ackclock.run(scenario(), algorithm="cubic")


def test_another_command_does_not_replace_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ackclock.cli import main  # noqa: PLC0415 - needs the command line of this test

    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> None:
        short = ["--scenario", "two-megabit", "--no-report", "--duration", "5 s"]
        monkeypatch.setattr("sys.argv", ["ackclock", "compare", *words, *short])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert not stopped.value.code

    command("sack", "cubic")
    command("sack", "vegas")
    command("sack", "cubic")
    assert sorted(path.name for path in Path("results").iterdir()) == [
        "two-megabit-compare", "two-megabit-compare-2",
    ]  # fmt: skip
    labels = pl.read_parquet("results/two-megabit-compare/tables/runs.parquet")["label"]
    assert labels.to_list() == ["sack", "cubic"]
