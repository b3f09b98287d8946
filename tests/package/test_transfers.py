"""Transfers by class of size: by hand from small tables, and in sweeps."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ackclock
from ackclock.measures import transfers
from ackclock.report import charts, figures, transfer_figures
from ackclock.runs.result import Result

SCENARIO: dict[str, Any] = {
    "name": "files",
    "duration": "60 s",
    "topology": {
        "dumbbell": {
            "pairs": 4,
            "access": {"rate": "100 Mbit/s", "delay": "1 ms", "buffer": "500 packets"},
            "bottleneck": {"rate": "2 Mbit/s", "delay": "20 ms", "buffer": "10 packets"},
        }
    },
    "flow": [
        {"name": "short", "count": 30, "packets": 5, "start_jitter": "20 s"},
        {"name": "long", "count": 10, "packets": 100, "start_jitter": "20 s"},
    ],
}
FILES = pl.DataFrame(
    {
        "flow": [0, 1, 2, 3],
        "start_s": [0.0, 1.0, 2.0, 3.0],
        "finish_s": [2.0, 5.0, 8.0, math.nan],
        "packets": [10, 20, 30, 40],
        "packets_sent": [10, 25, 30, 35],
        "packets_lost": [0, 5, 0, 15],
        "time_s": [2.0, 4.0, 6.0, math.nan],
        "until_end_s": [10.0, 9.0, 8.0, 7.0],
        "payload_bits": [100.0, 200.0, 300.0, 400.0],
    }
)


@pytest.fixture(scope="module")
def result() -> Result:
    return ackclock.run(SCENARIO)


def test_every_quantity_of_a_class_by_hand() -> None:
    found = transfers.measured(FILES)
    assert found == pytest.approx(
        {
            "transfers": 4,
            "finished_share": 0.75,
            "transfer_s": 4,
            "median_transfer_s": 5,  # of 2, 4, 6, and one that takes longer than 7
            "transfer_cov": 0.5,  # 2, 4, 6: standard deviation 2
            "loss_share": 0.2,
            "goodput_bit_per_s": 50,
        }
    )
    assert set(found) == set(transfers.QUANTITIES)


def test_the_threshold_itself_is_a_mouse() -> None:
    classes = transfers.by_class(FILES, 20)
    assert classes["mice"]["packets"].to_list() == [10, 20]
    assert classes["elephants"]["packets"].to_list() == [30, 40]


def test_without_a_threshold_there_are_no_classes() -> None:
    assert math.isnan(transfers.threshold_packets(FILES, "aest"))
    assert all(files.is_empty() for files in transfers.by_class(FILES, math.nan).values())


def test_aest_draws_the_line_where_the_tail_begins() -> None:
    source = np.random.default_rng(2)
    sizes = np.ceil(4 * (1 + source.pareto(1.2, 60_000))).astype(int)
    files = pl.DataFrame({"start_s": np.arange(60_000.0), "flow": np.arange(60_000), "packets": sizes})
    assert 50 < transfers.threshold_packets(files, "aest") < 200


def test_a_run_without_a_tail_has_no_numbers_by_class(result: Result) -> None:
    assert all(math.isnan(value) for value in transfers.ByClass("aest")(result).values())


def test_an_empty_class_has_no_times() -> None:
    found = transfers.measured(FILES.clear())
    assert found.pop("transfers") == 0
    assert all(math.isnan(value) for value in found.values())


def test_what_never_finishes_keeps_the_distribution_below_one() -> None:
    times, shares = transfers.time_cdf(FILES)
    assert times.tolist() == [2, 4, 6]
    assert shares.tolist() == [0.25, 0.5, 0.75]


def test_the_measure_agrees_with_the_tables_of_a_run(result: Result) -> None:
    found = pickle.loads(pickle.dumps(transfers.ByClass(20)))(result)  # noqa: S301 - as it travels
    assert (found["mice_transfers"], found["elephants_transfers"]) == (30, 10)
    flows = result.flows.with_columns((pl.col("finish_s") - pl.col("start_s")).alias("time_s"))
    long = flows.filter(pl.col("packets_delivered") == 100)
    assert long.height == 10
    assert found["elephants_transfer_s"] == pytest.approx(long["time_s"].mean())
    lost, sent, seconds = (
        float(long[name].to_numpy().sum()) for name in ("packets_lost", "packets_sent", "time_s")
    )
    assert found["elephants_loss_share"] == lost / sent > 0
    assert found["elephants_goodput_bit_per_s"] == pytest.approx(10 * 100 * 1460 * 8 / seconds)


def test_what_begins_in_the_warm_up_is_not_counted() -> None:
    later = ackclock.run(SCENARIO, settings={"warm_up": "10 s"})
    begun = later.flows.filter(pl.col("start_s") >= 10).height
    assert 0 < begun < 40
    assert transfers.records(later).height == begun


def test_classes_without_rows_are_refused() -> None:
    bare = ackclock.run(SCENARIO, settings={"trace.transfers": False})
    with pytest.raises(ackclock.InputError, match="row for every transfer"):
        transfers.ByClass(20)(bare)


def test_means_over_runs_are_means_of_their_means() -> None:
    runs = [ackclock.run(SCENARIO, seed=seed) for seed in (1, 2, 3)]
    table = transfers.summary(runs, 20)
    assert table["class"].to_list() == ["mice", "elephants"]
    means = [transfers.ByClass(20)(run)["mice_transfer_s"] for run in runs]
    mice = table.row(0, named=True)
    assert mice["runs"] == 3
    assert mice["transfer_s"] == pytest.approx(np.mean(means))
    assert mice["transfer_s_high"] - mice["transfer_s"] == pytest.approx(
        4.3027 * np.std(means, ddof=1) / math.sqrt(3), rel=1e-4
    )
    assert mice["median_transfer_s_low"] <= mice["median_transfer_s"] <= mice["median_transfer_s_high"]


def test_a_plan_asks_for_classes(tmp_path: Path) -> None:
    plan = {"scenario": SCENARIO, "seeds": 2, "classes": {"mice": 20}}
    done = ackclock.sweep(plan, tmp_path)
    row = done.runs.row(1, named=True)
    assert row["mice_transfers"] == 30
    assert row["mice_transfer_s"] == transfers.ByClass(20)(ackclock.run(SCENARIO, seed=2))["mice_transfer_s"]
    assert done.summary.filter(metric="elephants_loss_share")["n"].item() == 2
    # Another threshold measures something else, so nothing of the first is taken for it.
    other = ackclock.sweep({**plan, "classes": {"mice": 3}}, tmp_path)
    assert other.new_runs == 2
    assert other.runs["mice_transfers"].to_list() == [0, 0]


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ({"mice": 0}, "classes.mice: found 0; expected the packets"),
        ({"mice": "aset"}, "classes.mice: found 'aset'"),
        ({"mice": True}, "classes.mice: found True"),
        ({}, "classes.mice: found None"),
        ({"mouse": 3}, "classes.mouse: unknown key"),
    ],
)
def test_bad_classes_are_refused_in_words(classes: dict[str, Any], said: str) -> None:
    with pytest.raises(ackclock.InputError, match=said):
        ackclock.load_plan({"scenario": SCENARIO, "classes": classes})


def test_transfer_times_are_drawn_by_class_where_sizes_have_a_tail() -> None:
    pareto = {"pareto": {"scale": "4 packets", "shape": 1.2}}
    flow = {"count": 300, "size": pareto, "start_jitter": "50 s"}
    many = ackclock.compare(["newreno", "sack"], {**SCENARIO, "flow": [flow]}, seeds=30)
    drawn = transfer_figures.transfer_figure(many)
    assert drawn is not None
    mice, elephants = drawn.panels
    assert mice.title.startswith("mice, up to ")
    assert [curve.label for curve in elephants.curves] == ["newreno", "sack"]
    for curve in (*mice.curves, *elephants.curves):
        assert curve.share[0] == 0
        assert curve.share[-1] <= 1
        assert (np.diff(curve.share) >= 0).all()
        assert (np.diff(curve.time_s) >= 0).all()
    assert np.median(elephants.curves[0].time_s) > np.median(mice.curves[0].time_s)
    assert "transfers" in [group.key for group in charts.charts(many)]
    figure = figures.draw_all(many)["transfer-times"]
    assert [axis.get_xlabel() for axis in figure.axes] == ["flow completion time [s]"] * 2


def test_the_curve_of_a_run_is_the_distribution_of_its_files(result: Result) -> None:
    once = ackclock.replicate(SCENARIO)
    drawn = transfer_figures.transfer_figure(once)
    assert drawn is not None
    (panel,) = drawn.panels  # two sizes have no tail
    (curve,) = panel.curves
    times = transfers.records(result)["time_s"].to_numpy()
    assert curve.share[-1] == np.isfinite(times).mean()
    assert curve.time_s[-1] == np.nanmax(times)


def test_a_few_files_are_no_distribution() -> None:
    few = {**SCENARIO, "flow": [{"count": 9, "packets": 5, "start_jitter": "20 s"}]}
    assert transfer_figures.transfer_figure(ackclock.replicate(few)) is None
