"""Runs, comparisons and results folders, through the public interface and the real engine.

Long because all its tests share a few runs.
"""

import json
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ackclock
from ackclock.errors import InputError
from ackclock.measures import metrics
from ackclock.runs.result import Comparison
from ackclock.scenarios import defaults, load

SMALL: dict[str, Any] = {
    "name": "small",
    "duration": "6 s",
    "warm_up": "1 s",
    "topology": {
        "dumbbell": {
            "pairs": 2,
            "bottleneck": {"rate": "2 Mbit/s", "delay": "20 ms", "buffer": "10 packets"},
            "access": {"rate": "10 Mbit/s", "delay": "10 ms"},
        }
    },
    "tcp": {"mss": "960 bytes"},
    "flow": [{"name": "tcp", "start_jitter": "1 s"}],
    "udp": [{"name": "udp", "rate": "1 Mbit/s", "packet": "1000 bytes", "pattern": "poisson"}],
}


@pytest.fixture(scope="module")
def race() -> Comparison:
    return ackclock.compare(["reno", "vegas"], SMALL, seeds=3, series=True)


def test_results_stand_in_the_order_asked_for_whatever_the_timing(race: Comparison) -> None:
    assert [(result.label, result.seed) for result in race.results] == [
        ("reno", 1), ("reno", 2), ("reno", 3), ("vegas", 1), ("vegas", 2), ("vegas", 3),
    ]  # fmt: skip
    assert race.labels == ("reno", "vegas")
    assert race.seeds == (1, 2, 3)


def test_a_run_that_is_not_there_is_said(race: Comparison) -> None:
    with pytest.raises(ackclock.InputError, match='no label is named "vega"; did you mean "vegas"'):
        race.result("vega")
    with pytest.raises(ackclock.InputError, match="no run of vegas has seed 9; there are 1, 2, 3"):
        race.result("vegas", 9)


def test_the_number_of_workers_changes_nothing() -> None:
    alone = ackclock.compare(["newreno", "sack"], SMALL, seeds=2, workers=1)
    together = ackclock.compare(["newreno", "sack"], SMALL, seeds=2, workers=4)
    for name in ("flows", "links", "drops"):
        assert_frame_equal(alone.table(name), together.table(name), check_exact=True)


def test_seeds_differ_and_repeat(race: Comparison) -> None:
    again = ackclock.run(SMALL, algorithm="reno", seed=2)
    assert_frame_equal(again.flows, race.result("reno", 2).flows, check_exact=True)
    assert (
        race.result("reno", 1).flows["bytes_delivered"][0]
        != race.result("reno", 2).flows["bytes_delivered"][0]
    )
    assert not race.seeds_alike


def test_algorithms_meet_the_same_traffic(race: Comparison) -> None:
    for seed in race.seeds:
        starts = [race.result(label, seed).flows["start_s"].to_list() for label in race.labels]
        sent = [race.result(label, seed).flows["packets_sent"][1] for label in race.labels]
        assert starts[0] == starts[1]
        assert sent[0] == sent[1]


def test_a_scenario_without_chance_is_said_to_have_none() -> None:
    fixed = {**SMALL, "flow": [{"name": "tcp"}], "udp": []}
    assert ackclock.replicate(fixed, seeds=2).seeds_alike


def test_a_flow_that_names_its_algorithm_keeps_it() -> None:
    mixed = {**SMALL, "flow": [{"name": "own", "algorithm": "tahoe"}, {"name": "other"}]}
    race = ackclock.compare(["sack", "vegas"], mixed)
    for label in race.labels:
        assert race.result(label).flows["algorithm"].to_list()[:2] == ["tahoe", label]


def test_series_are_recorded_for_the_first_seed_only(race: Comparison) -> None:
    assert race.result("reno", 1).flow_series.height > 100
    with pytest.raises(InputError, match="flow_series: not recorded in this run"):
        _ = race.result("reno", 2).flow_series


def test_series_do_not_change_what_happens(race: Comparison) -> None:
    without = ackclock.run(SMALL, algorithm="vegas", seed=1)
    assert_frame_equal(without.flows, race.result("vegas", 1).flows, check_exact=True)


@pytest.mark.parametrize(
    ("duration_s", "text"),
    [(100.0, "50 ms"), (60.0, "20 ms"), (6.0, "2 ms"), (0.1, "100 us"), (10_000.0, "5 s")],
)
def test_sampling_fits_the_duration(duration_s: float, text: str) -> None:
    assert load.duration_text(load.sampling_interval(duration_s)) == text


def test_a_sampling_interval_of_ones_own_is_kept() -> None:
    own = load.load_scenario(SMALL, {"trace.interval": "500 ms"})
    times = ackclock.run(own, series=True).flow_series["time_s"].unique().sort()
    assert np.diff(times.to_numpy()) == pytest.approx(0.5)


class Gentle:
    """Grows as Reno does, gives up an eighth."""

    def __init__(self, start: ackclock.Start) -> None:
        self.cwnd = start.initial_window
        self.ssthresh = 64.0

    def on_ack(self, ack: ackclock.Ack) -> None:
        if ack.may_grow:
            self.cwnd += 1 if self.cwnd < self.ssthresh else 1 / self.cwnd

    def on_congestion(self, event: ackclock.Congestion) -> None:
        self.ssthresh = max(event.flight * 7 / 8, 2.0)
        self.cwnd = 1.0 if event.restart else self.ssthresh


def test_a_python_class_takes_part_under_its_name() -> None:
    race = ackclock.compare(["newreno", Gentle], SMALL, series=True)
    assert race.labels == ("newreno", "gentle")
    flows = race.result("gentle").flows
    assert flows["algorithm"][0] == "gentle"
    assert flows["packets_delivered"][0] > 100
    assert 64.0 in race.result("gentle").flow_series["ssthresh_packets"].to_list()


def test_flows_can_name_a_python_class() -> None:
    mixed = {
        **SMALL,
        "flow": [{"name": "mine", "algorithm": "gentle"}, {"name": "other", "algorithm": "reno"}],
    }
    result = ackclock.run(mixed, algorithms={"gentle": Gentle})
    assert result.flows["algorithm"].to_list()[:2] == ["gentle", "reno"]


class Waker(Gentle):
    """Wants to be woken every second, and records when it was."""

    woken: ClassVar[list[float]] = []

    def __init__(self, start: ackclock.Start) -> None:
        super().__init__(start)
        self.wake = 1.0

    def on_deadline(self, now: float) -> None:
        self.woken.append(now)
        self.wake = now + 1.0


def test_a_python_class_is_woken_when_it_asks_for_it() -> None:
    Waker.woken.clear()
    ackclock.run(SMALL, algorithm=Waker, settings={"duration": "4.5 s"})
    assert Waker.woken[-3:] == [2.0, 3.0, 4.0]


class Listener(Gentle):
    """Records the events besides acknowledgments and congestion signals."""

    events: ClassVar[list[str]] = []

    def on_spurious(self) -> None:
        self.events.append("spurious")

    def on_idle_restart(self, restart_window: float) -> None:
        self.events.append(f"idle restart from {restart_window:g}")
        self.cwnd = min(self.cwnd, restart_window)


LINKS = {
    "bottleneck": {"rate": "1 Mbit/s", "delay": "10 ms", "buffer": "500 packets"},
    "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
}


def test_a_python_class_is_called_at_a_spurious_timeout() -> None:
    """A UDP burst delays acknowledgments beyond the RTO; timestamps show it (RFC 3522)."""
    Listener.events.clear()
    burst = {
        "name": "burst",
        "duration": "10 s",
        "topology": {"dumbbell": LINKS},
        "tcp": {"timestamps": True, "rto_min": "100 ms", "receive_window": "8 packets"},
        "flow": [{}],
        "udp": [{"rate": "30 Mbit/s", "start": "5 s", "stop": "5.1 s"}],
    }
    result = ackclock.run(burst, algorithm=Listener)
    assert result.flows["timeouts"][0] > 0
    assert Listener.events
    assert set(Listener.events) == {"spurious"}


def test_a_python_class_is_called_at_a_restart_after_idle_time() -> None:
    """A persistent connection between pages is idle for longer than an RTO (RFC 5681, 4.1)."""
    Listener.events.clear()
    reading = {"connections": 1, "persistent": True}
    pages = {
        "name": "pages",
        "duration": "10 s",
        "topology": {"dumbbell": LINKS},
        "flow": [{"packets": 20, "think": {"constant": "3 s"}, "pool": reading}],
    }
    ackclock.run(pages, algorithm=Listener)
    assert Listener.events
    assert set(Listener.events) == {"idle restart from 10"}


class Stubborn:
    """Begins with a window of its own."""

    cwnd = 3.0

    def on_ack(self, ack: ackclock.Ack) -> None:
        pass

    def on_congestion(self, event: ackclock.Congestion) -> None:
        pass


def test_a_class_that_takes_no_start_must_begin_as_the_scenario_does() -> None:
    three = {"tcp.initial_window": "3 packets"}
    assert ackclock.run(SMALL, algorithm=Stubborn, settings=three).flows["packets_delivered"][0] > 0
    with pytest.raises(ackclock.InputError, match=r"begins with 3 packets.*start.initial_window"):
        ackclock.run(SMALL, algorithm=Stubborn, settings={"tcp.initial_window": "4 packets"})


class Broken(Gentle):
    """Divides by zero at the first acknowledgment."""

    def on_ack(self, ack: ackclock.Ack) -> None:
        raise ZeroDivisionError(f"at {ack.now}")


def test_an_exception_of_a_python_class_ends_the_run_and_arrives() -> None:
    with pytest.raises(ZeroDivisionError, match="at 0"):
        ackclock.run(SMALL, algorithm=Broken)
    with pytest.raises(ZeroDivisionError, match="at 0"):
        ackclock.compare(["reno", Broken], SMALL, seeds=2)


def test_mistakes_are_told_before_anything_runs() -> None:
    with pytest.raises(ackclock.ScenarioError, match="vegas"):
        ackclock.compare(["reno", "vega"], SMALL)
    with pytest.raises(ackclock.InputError, match="twice"):
        ackclock.compare(["reno", "reno"], SMALL)
    with pytest.raises(ackclock.InputError, match="nothing to compare"):
        ackclock.compare([], SMALL)
    with pytest.raises(ackclock.InputError, match="once"):
        ackclock.compare(["reno"], SMALL, seeds=[1, 2, 1])
    with pytest.raises(ackclock.ScenarioError, match="mss"):
        ackclock.run(SMALL, settings={"tcp.mms": "1000 bytes"})


def test_progress_rises_to_the_whole() -> None:
    told: list[tuple[float, float]] = []
    ackclock.compare(
        ["reno", "sack"], SMALL, seeds=2, progress=lambda done, total: told.append((done, total))
    )
    assert told[-1] == (24.0, 24.0)
    assert all(before[0] <= after[0] for before, after in pairwise(told))


def test_an_interruption_keeps_what_is_finished() -> None:
    shortest = {**SMALL, "duration": "1 s", "warm_up": "0 s"}

    def interrupt(done: float, _: float) -> None:
        if done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(ackclock.Interrupted, match="finished") as caught:
        ackclock.compare(["reno", "sack"], shortest, seeds=2000, workers=1, progress=interrupt)
    partial = caught.value.partial
    assert partial.interrupted
    assert 2 <= len(partial.results) < 4000
    # Seeds run one after the other, so that what is finished can be compared.
    assert partial.labels == ("reno", "sack")
    assert all(result.finished_at_s == pytest.approx(1) for result in partial.results)
    assert threading.active_count() < 10


def test_summary_is_the_mean_of_the_runs(race: Comparison) -> None:
    goodputs = [race.result("vegas", seed).flows["goodput_bit_per_s"][0] for seed in race.seeds]
    row = race.summary.row(
        by_predicate=(pl.col("label") == "vegas") & (pl.col("metric") == "goodput_bit_per_s"), named=True
    )
    assert row["mean"] == pytest.approx(np.mean(goodputs))
    assert row["n"] == 3
    assert row["low"] < row["mean"] < row["high"]


def test_differences_are_paired_by_seed(race: Comparison) -> None:
    row = race.differences.row(by_predicate=pl.col("metric") == "goodput_bit_per_s", named=True)
    pairs = [
        race.result("reno", seed).flows["goodput_bit_per_s"][0]
        - race.result("vegas", seed).flows["goodput_bit_per_s"][0]
        for seed in race.seeds
    ]
    assert (row["first"], row["second"], row["n"]) == ("reno", "vegas", 3)
    assert row["mean"] == pytest.approx(np.mean(pairs))


def test_the_bottleneck_is_where_packets_wait(race: Comparison) -> None:
    assert race.bottleneck == "left->right"


def test_metrics_that_make_no_sense_are_left_out(race: Comparison) -> None:
    present = set(race.summary["metric"])
    assert "goodput_bit_per_s" in present
    assert "fairness" not in present  # one flow
    assert "completion_s" not in present  # no files
    assert {metric.key for metric in metrics.METRICS} >= present


def test_every_metric_has_a_value_in_some_run_and_every_value_is_a_metric(race: Comparison) -> None:
    users = {**SMALL, "flow": [{"count": 2, "packets": 20, "pool": {"connections": 2}}]}
    found = set(metrics.applicable(race.result("reno", 1), "left->right"))
    two = {**SMALL, "flow": [{"count": 2, "start_jitter": "1 s"}]}
    call = {**SMALL, "flow": [], "call": [{"algorithm": "nada"}]}
    for scenario in (users, two, call):
        found |= set(metrics.applicable(ackclock.run(scenario), "left->right"))
    missing, unknown = set(metrics.KEYS) - found, found - set(metrics.KEYS)
    assert not missing, f"give it a value in `applicable` of measures/metrics.py: {sorted(missing)}"
    assert not unknown, f"add a `Metric` to METRICS of measures/metrics.py: {sorted(unknown)}"


def test_files_have_a_completion_time() -> None:
    files = {**SMALL, "flow": [{"name": "file", "packets": 50}], "udp": []}
    result = ackclock.run(files)
    assert 0 < result.flows["finish_s"][0] < 6
    assert metrics.measure(result, "left->right")["completion_s"] == result.flows["finish_s"][0]


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def saved(race: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return race.save(tmp_path_factory.mktemp("results") / "race", report=False)


def test_a_results_folder_holds_scenario_provenance_and_tables(saved: Path) -> None:
    names = set(files_below(saved))
    assert {"scenarios/reno.toml", "scenarios/vegas.toml", "plan.toml", "provenance.json"} <= names
    series = ("flow_series", "link_series", "drops", "flow_events", "gauges")
    for table in ("flows", "links", *series, "runs", "summary"):
        assert f"tables/{table}.parquet" in names


def test_tables_are_byte_identical_and_free_of_the_machine(saved: Path, tmp_path: Path) -> None:
    again = ackclock.compare(["reno", "vegas"], SMALL, seeds=3, series=True, workers=1)
    other = files_below(again.save(tmp_path / "again", report=False))
    mine = files_below(saved)
    for name in mine:
        if name not in ("provenance.json", "SHA256SUMS"):
            assert mine[name] == other[name], name
    ours, theirs = json.loads(mine["provenance.json"]), json.loads(other["provenance.json"])
    assert ours["result"] == theirs["result"]
    assert "host" in ours["making"]
    assert "host" not in ours["result"]


def test_the_saved_scenario_gives_the_same_result(saved: Path, race: Comparison) -> None:
    again = ackclock.run(saved / "scenarios" / "vegas.toml")
    assert_frame_equal(again.flows, race.result("vegas", 1).flows, check_exact=True)
    assert_frame_equal(again.flow_series, race.result("vegas", 1).flow_series, check_exact=True)


def test_results_read_back_are_the_same(saved: Path, race: Comparison) -> None:
    again = ackclock.load(saved)
    assert (again.labels, again.seeds, again.bottleneck) == (race.labels, race.seeds, race.bottleneck)
    for name in ("runs", "summary", "differences"):
        assert_frame_equal(getattr(again, name), getattr(race, name), check_exact=True)
    for label in race.labels:
        assert_frame_equal(again.result(label, 2).flows, race.result(label, 2).flows, check_exact=True)
        assert again.result(label, 2).events == race.result(label, 2).events
    assert again.plot("window").axes[0].get_xlim() == race.plot("window").axes[0].get_xlim()


def test_results_read_back_are_saved_again(saved: Path, tmp_path: Path) -> None:
    again = ackclock.load(saved).save(tmp_path / "again")
    assert ackclock.load(again).summary.equals(ackclock.load(saved).summary)
    page = (again / "report.html").read_text(encoding="utf-8")
    assert "nan CPU s" not in page


def test_tables_read_back(saved: Path, race: Comparison) -> None:
    assert_frame_equal(pl.read_parquet(saved / "tables" / "flows.parquet"), race.table("flows"))


def test_captures_are_saved(tmp_path: Path) -> None:
    result = ackclock.run(SMALL, settings={"trace.packets": '["left->right"]', "duration": "2 s"})
    folder = result.save(tmp_path / "run", report=False)
    (capture,) = (folder / "captures").iterdir()
    assert capture.name == "small-seed1-left-to-right.pcapng"
    assert capture.read_bytes()[:4] == bytes([0x0A, 0x0D, 0x0D, 0x0A])  # a section header block


def test_results_are_replaced_but_nothing_else_is(race: Comparison, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "results"
    before = ackclock.run(SMALL, settings={"trace.packets": '["left->right"]', "duration": "2 s"})
    before.save(target, report=False)
    assert (target / "captures").is_dir()
    race.save(target, report=False)
    assert not (target / "captures").exists()
    assert [path.name for path in target.parent.iterdir()] == ["results"]

    foreign = tmp_path / "thesis"
    foreign.mkdir()
    (foreign / "chapter.tex").write_text("years of work")
    with pytest.raises(ackclock.OutputError, match="did not write"):
        race.save(foreign)
    assert (foreign / "chapter.tex").read_text() == "years of work"


def test_a_failure_leaves_nothing_behind(
    race: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no space")

    monkeypatch.setattr("ackclock.results_folder.ResultsFolder.write_table", fail)
    with pytest.raises(RuntimeError, match="no space"):
        race.save(tmp_path / "new" / "results")
    assert list(tmp_path.iterdir()) == []


def test_built_in_scenarios_all_load() -> None:
    entries = ackclock.list_scenarios()
    assert defaults.SCENARIO in [entry.name for entry in entries]
    for entry in entries:
        assert entry.title
        assert ackclock.load_scenario(entry.name).duration_s == entry.duration_s


def test_every_algorithm_has_a_source() -> None:
    algorithms = ackclock.list_algorithms()
    assert {"tahoe", "reno", "newreno", "sack", "vegas"} <= {algorithm.name for algorithm in algorithms}
    for algorithm in algorithms:
        assert algorithm.source
        for parameter in algorithm.parameters:
            assert parameter.default is not None
            assert parameter.minimum <= parameter.default <= parameter.maximum
            assert parameter.meaning


def test_the_public_interface_is_all_there() -> None:
    for name in ackclock.__all__:
        assert getattr(ackclock, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        ackclock.nonsense  # noqa: B018


def test_flows_that_never_begin_are_left_out() -> None:
    late = {
        **SMALL,
        "duration": "20 s",
        "warm_up": "0 s",
        "flow": [{"count": 40, "packets": 5, "arrivals": {"poisson": {"rate": "1 flows/s"}}}],
    }
    run = ackclock.replicate(late, seeds=1)
    flows = run.results[0].flows.filter(pl.col("kind") == "tcp")
    begun = flows.filter(pl.col("start_s") < 20.0)
    assert 5 < begun.height < 35
    assert flows.filter(pl.col("start_s") >= 20.0)["packets_sent"].sum() == 0
    assert run.runs["mean_rtt_s"].item() == pytest.approx(begun["mean_rtt_s"].mean())
    assert run.runs["goodput_bit_per_s"].item() > 0


def test_a_class_named_like_a_built_in_algorithm_is_refused() -> None:
    class Newreno:
        cwnd = 1.0

        def on_ack(self, ack: ackclock.Ack) -> None:
            """Does nothing."""

        def on_congestion(self, event: ackclock.Congestion) -> None:
            """Does nothing."""

    with pytest.raises(ackclock.InputError, match='a Python class is called "newreno"'):
        ackclock.run(SMALL, algorithm=Newreno)


@pytest.mark.parametrize("rate", [float("nan"), 0.0, -1.0])
def test_a_pacing_rate_that_is_none_is_refused(rate: float) -> None:
    class Paced:
        cwnd = 1.0
        pacing_rate = rate

        def on_ack(self, ack: ackclock.Ack) -> None:
            """Does nothing."""

        def on_congestion(self, event: ackclock.Congestion) -> None:
            """Does nothing."""

    with pytest.raises(ValueError, match=r"pacing_rate, after __init__: found .*; expected a number above"):
        ackclock.run(SMALL, algorithm=Paced)


def test_a_comparison_says_where_the_tables_of_a_run_are(race: Comparison) -> None:
    with pytest.raises(AttributeError, match=r"a Comparison has no flows; .* \.results\[0\]\.flows"):
        getattr(race, "flows")  # noqa: B009 - mypy knows that it has none
