"""Sweeps: plans and their errors, resuming, extending, and the same bytes whoever did the work."""

import itertools
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ackclock
from ackclock.runs.result import Result
from ackclock.sweeps import cluster, figures, heat_maps, report
from ackclock.sweeps.plan import Axis, load_plan
from ackclock.sweeps.store import Store

BUFFER = "topology.dumbbell.bottleneck.buffer"
PLAN: dict[str, Any] = {
    "name": "small",
    "scenario": "two-megabit",
    "algorithms": ["newreno", "vegas"],
    "seeds": 2,
    "settings": {"duration": "4 s"},
    "grid": {BUFFER: ["3 packets", "12 packets"]},
}


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "tables").iterdir())}


def execute(plan: dict[str, Any], folder: Path, **options: Any) -> ackclock.Sweep:
    done = ackclock.sweep(plan, folder / "store", **options)
    report.write(done, folder, report=False)
    return done


def test_every_combination_is_run_once_in_the_plans_order(tmp_path: Path) -> None:
    done = ackclock.sweep(PLAN, tmp_path)
    assert done.runs.select(BUFFER, "label", "seed").rows() == [
        (buffer, label, seed)
        for buffer in ("3 packets", "12 packets")
        for label in ("newreno", "vegas")
        for seed in (1, 2)
    ]
    alone = ackclock.run(
        "two-megabit", settings={"duration": "4 s", BUFFER: "12 packets"}, algorithm="vegas", seed=2
    )
    tcp = alone.flows.filter(pl.col("kind") == "tcp")
    assert done.runs["goodput_bit_per_s"][-1] == pytest.approx(tcp["goodput_bit_per_s"].item())


def test_runs_are_the_same_with_series_that_nobody_keeps(tmp_path: Path) -> None:
    """Series are recorded for tables that are kept and for measures, and change no metric."""
    plain = ackclock.sweep(PLAN, tmp_path / "plain")
    kept = ackclock.sweep({**PLAN, "keep": ["flow_series"]}, tmp_path / "kept")
    assert_frame_equal(plain.runs, kept.runs)
    assert kept.tables["flow_series"].height > 0


def test_nothing_is_run_twice_and_a_longer_plan_goes_on(tmp_path: Path) -> None:
    first = ackclock.sweep(PLAN, tmp_path)
    again = ackclock.sweep(PLAN, tmp_path)
    assert (first.new_runs, again.new_runs) == (8, 0)
    assert_frame_equal(first.runs, again.runs, check_exact=True)
    longer = ackclock.sweep({**PLAN, "seeds": 3, "algorithms": ["newreno", "vegas", "sack"]}, tmp_path)
    assert longer.new_runs == 2 * 3 * 3 - 8
    shorter = ackclock.sweep({**PLAN, "algorithms": ["sack"]}, tmp_path)
    assert (shorter.new_runs, shorter.runs.height) == (0, 4)


class SecondRunWaits:
    """A measure of nothing: the second run ends only after the progress of the first was reported."""

    def __init__(self) -> None:
        self.reported = threading.Event()
        self.runs = itertools.count()

    def __repr__(self) -> str:
        return "nothing"

    def __call__(self, result: Result) -> dict[str, float]:
        assert next(self.runs) == 0 or self.reported.wait(60), result.label
        return {}


def test_interrupted_and_resumed_gives_the_same_bytes(tmp_path: Path) -> None:
    measure = SecondRunWaits()

    def stop(done: float, _total: float) -> None:
        if done >= 4:
            measure.reported.set()
            raise KeyboardInterrupt

    interrupted = tmp_path / "interrupted"
    with pytest.raises(KeyboardInterrupt) as raised:
        execute(PLAN, interrupted, workers=1, progress=stop, measure=measure)
    partial = raised.value.partial  # type: ignore[attr-defined]
    assert 0 < partial.runs.height < 8
    resumed = execute(PLAN, interrupted, measure=measure)
    assert resumed.new_runs == 8 - partial.runs.height
    execute(PLAN, tmp_path / "straight", measure=measure)
    assert files(interrupted) == files(tmp_path / "straight")


def test_own_measures_stand_beside_the_metrics(tmp_path: Path) -> None:
    def sent(result: Result) -> dict[str, float]:
        return {"sent_packets": float(result.flows["packets_sent"].sum())}

    done = ackclock.sweep({**PLAN, "keep": ["links"]}, tmp_path, measure=sent)
    assert done.measured[-1] == "sent_packets"
    assert done.summary.filter(pl.col("metric") == "sent_packets").height == 4
    assert "sent_packets" in figures.main_metrics(done)
    assert done.tables["links"].select("point", "label", "seed").n_unique() == 8
    assert "sent_packets" not in ackclock.sweep(PLAN, tmp_path).runs.columns


def test_cases_change_settings_together(tmp_path: Path) -> None:
    cases = {
        "path": {
            "short": {"flow": {"0": {"start": "1 s"}}, BUFFER: "9 packets"},
            "long": {BUFFER: "2 packets"},
        }
    }
    plan = load_plan({**PLAN, "cases": cases, "grid": {}})
    assert [point.values["path"] for point in plan.points] == ["short", "long"]
    assert 'start = "1 s"' in plan.points[0].scenario.to_toml()
    assert ackclock.sweep(plan, tmp_path).runs["path"].unique(maintain_order=True).to_list() == [
        "short",
        "long",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"algoritms": []}, 'algoritms: unknown key; did you mean "algorithms"?'),
        ({"algorithms": ["newrno"]}, 'did you mean "newreno"?'),
        ({"seeds": 0}, "seeds: found 0; expected 1 to 1000000 seeds"),
        ({"seeds": [1, 1]}, "every seed once"),
        ({"scenario": "two-megabyte"}, 'did you mean "two-megabit"?'),
        ({"grid": {"topology.dumbbell.botleneck.buffer": ["1 packets"]}}, 'did you mean "bottleneck"'),
        ({"grid": {BUFFER: "3 packets"}}, "expected a list of values"),
        ({"grid": {BUFFER: ["3 packets", "3 packets"]}}, "every value once"),
        ({"grid": {BUFFER: ["3 pakets"]}}, f"{BUFFER} = 3 pakets"),
        ({"keep": ["linkz"]}, "no table is named"),
        ({"cases": {"load": {"light": 3}}}, "cases.load.light: found 3"),
    ],
)
def test_a_bad_plan_is_refused_in_words(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        ackclock.sweep({**PLAN, **change}, tmp_path)


def test_a_store_with_many_files_is_merged(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in range(205):
        store.append({"runs": pl.DataFrame({"run": [str(number)], "x": [float(number)]})})
    store.append({"runs": pl.DataFrame({"run": ["7"], "x": [7.0]})})
    store.tidy()
    assert len(list(tmp_path.iterdir())) == 1
    table = store.read("runs")
    assert table is not None
    assert sorted(table["x"].to_list()) == [float(number) for number in range(205)]


def damage(file: Path, how: str) -> None:
    data = file.read_bytes()
    middle = len(data) // 2
    flipped = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    file.write_bytes({"empty": b"", "truncated": data[:middle], "foreign": b"PAR1", "flipped": flipped}[how])


@pytest.mark.parametrize("how", ["empty", "truncated", "foreign", "flipped"])
def test_a_damaged_file_of_a_store_is_named_set_aside_and_run_again(tmp_path: Path, how: str) -> None:
    plan = {**PLAN, "keep": ["links"], "algorithms": ["reno"], "seeds": 1}
    first = ackclock.sweep(plan, tmp_path)
    file = min(tmp_path.glob("*.runs.zip"))
    damage(file, how)
    with pytest.warns(UserWarning, match=f"{file.name}: damaged"):
        again = ackclock.sweep(plan, tmp_path)
    assert again.new_runs > 0
    assert (tmp_path / "damaged" / file.name).is_file()
    assert_frame_equal(first.runs, again.runs, check_exact=True)
    assert_frame_equal(first.tables["links"], again.tables["links"], check_exact=True)
    assert ackclock.sweep(plan, tmp_path).new_runs == 0


APPENDING = """
import sys, warnings
from pathlib import Path
import polars as pl
from ackclock.sweeps import store
warnings.simplefilter("error")
store.MANY = 3
for number in range(25):
    opened = store.Store(Path(sys.argv[1]))
    opened.tidy()
    opened.append({"runs": pl.DataFrame({"run": [f"{sys.argv[2]}-{number}"], "x": [1.0]})})
    assert f"{sys.argv[2]}-{number}" in opened.keys()
"""


def test_processes_share_a_store(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", APPENDING, str(tmp_path), str(n)]) for n in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert Store(tmp_path).keys() == {f"{n}-{number}" for n in range(3) for number in range(25)}


def test_what_a_dead_process_was_writing_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".0123abcd.partial").write_bytes(b"half")
    assert Store(tmp_path).keys() == set()
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_one_sentence_and_keeps_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {**PLAN, "seeds": 1}
    before = ackclock.sweep(plan, tmp_path)

    def full(_path: Path, _data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ackclock.atomic.write_file", full)
    with pytest.raises(ackclock.OutputError, match="No space left on device"):
        ackclock.sweep({**plan, "seeds": 2}, tmp_path)
    monkeypatch.undo()
    assert ackclock.sweep({**plan, "seeds": 2}, tmp_path).new_runs == before.runs.height


def test_a_smaller_plan_leaves_nothing_of_the_larger_one(tmp_path: Path) -> None:
    execute({**PLAN, "keep": ["links"]}, tmp_path)
    assert (tmp_path / "tables/links.parquet").is_file()
    execute({**PLAN, "grid": {}}, tmp_path)
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        "runs.parquet",
        "summary.parquet",
    ]
    assert [path.name for path in (tmp_path / "scenarios").iterdir()] == ["0.toml"]


@pytest.mark.parametrize("name", ["../elsewhere", "/tmp/x", "a/b", "..", "x" * 300])  # noqa: S108
def test_a_plan_named_by_a_path_is_refused(name: str) -> None:
    with pytest.raises(ackclock.InputError, match=r"name: found .* expected a plain name"):
        load_plan({**PLAN, "name": name})


def test_a_comparison_does_not_replace_a_sweep(tmp_path: Path) -> None:
    execute({**PLAN, "seeds": 1}, tmp_path / "sweep")
    race = ackclock.compare(["reno"], "two-megabit", settings={"duration": "2 s"})
    with pytest.raises(ackclock.OutputError, match=r"files of another command \(sweep"):
        race.save(tmp_path / "sweep")
    assert list((tmp_path / "sweep/store").glob("*.runs.zip"))


EDITED = """
import ackclock
class Mine:
    def __init__(self):
        self.cwnd = 1.0
    def on_ack(self, ack):
        self.cwnd += GAIN / self.cwnd
    def on_congestion(self, event):
        self.cwnd = max(2.0, self.cwnd / 2)
plan = {"name": "p", "scenario": "two-megabit", "settings": {"duration": "4 s"}, "algorithms": {"mine": Mine}}
print(ackclock.sweep(plan, "store").new_runs)
"""


def test_an_edited_class_is_run_again(tmp_path: Path) -> None:
    def new_runs(gain: str) -> str:
        script = tmp_path / "mine.py"
        script.write_text(EDITED.replace("GAIN", gain))
        done = subprocess.run(
            [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert [new_runs(gain) for gain in ("1.0", "1.0", "2.0")] == ["1", "0", "1"]


def test_a_changed_build_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = {**PLAN, "seeds": 1, "grid": {}}
    ackclock.sweep(plan, tmp_path)
    monkeypatch.setattr("ackclock.sweeps.identity.of_build", lambda: "another")
    assert ackclock.sweep(plan, tmp_path).new_runs == 2


def test_the_axis_of_figures_is_numeric_where_units_agree() -> None:
    plan = load_plan(
        {**PLAN, "grid": {BUFFER: ["3 packets", "40 packets"], "tcp.algorithm": ["reno", "sack"]}}
    )
    buffer, algorithm = map(figures.scale_of, plan.axes)
    assert (buffer.unit, buffer.is_logarithmic, algorithm.is_numeric) == ("packets", True, False)


def test_axes_are_named_by_what_tells_them_apart() -> None:
    names = [
        "topology.dumbbell.bottleneck.rate",
        "topology.dumbbell.access.rate",
        "udp.0.rate",
        "tcp.segments_per_ack",
        "flow.0.packets",
        "flow.1.packets",
    ]
    axes = tuple(Axis(name, ()) for name in names)
    assert list(replace(load_plan(PLAN), axes=axes).titles.values()) == [
        "bottleneck rate",
        "access rate",
        "udp 0 rate",
        "segments per ack",
        "flow 0 packets",
        "flow 1 packets",
    ]


def test_what_users_notice_comes_first(tmp_path: Path) -> None:
    users = {"scenario": "web-users", "settings": {"duration": "62 s", "warm_up": "20 s", "flow.0.count": 12}}
    plan = {**PLAN, **users, "algorithms": ["newreno"], "seeds": 1, "grid": {BUFFER: ["20 packets"]}}
    headings = [name for name, _ in report.summary_view(execute(plan, tmp_path)).columns]
    assert headings[:5] == ["Algorithm", "Page load time", "Longest stall", "Pages got", "Pages finished"]


def test_a_plan_without_algorithms_has_no_column_of_them(tmp_path: Path) -> None:
    plan = {name: value for name, value in PLAN.items() if name != "algorithms"}
    view = report.summary_view(execute({**plan, "seeds": 1}, tmp_path))
    assert [name for name, _ in view.columns][:2] == ["Buffer", "Goodput"]
    assert all(len(row) == len(view.columns) for row in view.rows)


def test_a_summary_counts_what_it_leaves_out(tmp_path: Path) -> None:
    sweep = execute(PLAN, tmp_path)
    columns = len(figures.main_metrics(sweep))
    rows = sweep.plan.runs // len(sweep.plan.seeds)
    for has_report, places in (
        (True, "The report and tables/summary.parquet have"),
        (False, "tables/summary.parquet has"),
    ):
        view = report.summary_view(sweep, rows - 2, columns - 1, has_report=has_report)
        assert view.note.startswith(f"{places} 2 rows and 1 quantity more.")


def test_two_axes_make_a_heat_map_of_every_mean(tmp_path: Path) -> None:
    plan = {
        **PLAN,
        "settings": {"duration": "2 s"},
        "seeds": 2,
        "grid": {
            BUFFER: ["2 packets", "4 packets", "8 packets"],
            "tcp.initial_window": ["1 packets", "2 packets", "4 packets", "8 packets"],
            "tcp.segments_per_ack": [1, 2],
        },
    }
    done = ackclock.sweep(plan, tmp_path)
    maps = heat_maps.draw(done, "utilisation")
    assert [said for said, _ in maps] == ["segments per ack 1", "segments per ack 2"]
    panels = [panel for panel in maps[1][1].axes if panel.get_visible()]
    assert [panel.get_title("left") for panel in panels] == list(done.plan.algorithms)
    cell = done.summary.row(
        by_predicate=(pl.col("metric") == "utilisation")
        & (pl.col("label") == next(iter(done.plan.algorithms)))
        & (pl.col("tcp.segments_per_ack") == 2)
        & (pl.col(BUFFER) == "8 packets")
        & (pl.col("tcp.initial_window") == "4 packets"),
        named=True,
    )
    shown = np.asarray(panels[0].get_images()[0].get_array())
    assert shown.shape == (3, 4)
    assert shown[2, 2] == pytest.approx(100 * cell["mean"])
    assert f"{100 * cell['mean']:.1f}" in {text.get_text() for text in panels[0].texts}
    assert heat_maps.draw(ackclock.sweep({**plan, "grid": {}}, tmp_path), "utilisation") == []


def test_the_command_prints_saves_and_goes_on(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'name = "cli"\nscenario = "two-megabit"\nalgorithms = ["reno", "sack"]\nsettings.duration = "2 s"\n'
        f'[grid]\n{BUFFER} = ["3 packets", "40 packets"]\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "ackclock", "sweep", str(plan), "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "4 runs" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.count('<figure class="drawn"') >= 5
    assert "http://" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "4 of them known before" in again.stdout
    foreign = subprocess.run([*command[:-1], str(tmp_path)], capture_output=True, text=True, check=False)
    assert (foreign.returncode, "Traceback" in foreign.stderr) == (2, False)


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A Dask scheduler and two worker processes on this machine."""
    pytest.importorskip("distributed")
    where = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    processes = [start([*dask, "--scheduler-file", str(where)], tmp_path)]
    deadline = time.monotonic() + 60
    while not where.exists() or not where.read_text(encoding="utf-8").strip():
        assert time.monotonic() < deadline, "the scheduler did not start"
        time.sleep(0.1)
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(where)]
    options = ["--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(tmp_path)]
    processes += [start([*worker, *options], tmp_path) for _ in range(2)]
    address = str(pl.read_json(where.read_bytes())["address"][0])
    yield address, processes[1:]
    for process in reversed(processes):
        process.kill()
        process.wait()


def start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_a_cluster_that_loses_a_worker_gives_the_bytes_of_a_local_run(
    tmp_path: Path, scheduler: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, (victim, survivor) = scheduler
    plan = {**PLAN, "seeds": 12, "keep": ["links"]}
    killed: list[float] = []

    def kill_in_the_middle(done: float, total: float) -> None:
        if done >= total / 4 and not killed:
            victim.send_signal(signal.SIGKILL)
            killed.append(done)

    distributed: Any = pytest.importorskip("distributed")
    with distributed.Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    done = execute(plan, tmp_path / "cluster", address=address, progress=kill_in_the_middle)
    assert killed
    assert killed[0] < 48 * 4
    assert victim.wait(10) == -signal.SIGKILL
    assert survivor.poll() is None
    assert (done.new_runs, done.runs.height) == (48, 48)
    assert done.runs.select("point", "label", "seed").is_unique().all()
    execute(plan, tmp_path / "local")
    assert files(tmp_path / "cluster") == files(tmp_path / "local")


def test_a_signal_keeps_what_a_cluster_has_finished(
    tmp_path: Path, scheduler: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, _ = scheduler
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'name = "cluster"\nscenario = "two-megabit"\nalgorithms = ["newreno"]\nseeds = 500\n'
        f'settings.duration = "400 s"\n[grid]\n{BUFFER} = ["3 packets"]\n',
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "ackclock", "sweep", str(plan), "-o", "out", "--cluster", address]
    kept = 0
    # Each sweep goes on from where the signal before has ended it; the last one gets its signal twice.
    for signals in ([signal.SIGINT], [signal.SIGTERM], [signal.SIGHUP], [signal.SIGTERM, signal.SIGTERM]):
        if any(signal.getsignal(number) is signal.SIG_IGN for number in signals):
            continue  # as under nohup
        store = tmp_path / "out" / "store"
        before = len(list(store.glob("*.runs.zip")))
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        deadline = time.monotonic() + 60
        while len(list(store.glob("*.runs.zip"))) == before and time.monotonic() < deadline:
            time.sleep(0.05)
        for number in signals:
            process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert "Traceback" not in err
        assert "of 500 runs are finished; the same command goes on from there" in " ".join(err.split())
        found = pl.read_parquet(tmp_path / "out" / "tables" / "runs.parquet")
        assert kept < found.height < 500
        assert found.select("point", "label", "seed").is_unique().all()
        kept = found.height


def test_no_scheduler_is_said_to_be_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "CONNECT_WITHIN", "1 s")
    with pytest.raises(ackclock.InputError, match="no Dask scheduler answers"):
        ackclock.sweep(PLAN, tmp_path, address="tcp://127.0.0.1:9")
