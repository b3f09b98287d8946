"""Python classes in files: by name on the command line and in plans, and their source in keys and folders."""

import importlib
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ackclock
from ackclock.cli.progress import ProgressBar
from ackclock.errors import InputError, ScenarioError
from ackclock.scenarios import own_code
from ackclock.sweeps import cluster
from ackclock.sweeps.plan import load_plan
from ackclock.sweeps.planned import planned
from ackclock.sweeps.shards import Shard
from ackclock.sweeps.task import execute_remotely

MINE = """
from helper import gain
class Mine:
    def __init__(self, start):
        self.cwnd = start.initial_window
    def on_ack(self, ack):
        self.cwnd += gain() * ack.delivered / self.cwnd if ack.may_grow else 0.0
    def on_congestion(self, event):
        self.cwnd = 1.0 if event.restart else max(event.flight * 7 / 8, 2.0)
"""
SETTINGS = {"duration": "10 s", "warm_up": "0 s"}


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "helper.py").write_text("import deeper\ndef gain(): return deeper.GAIN\n", encoding="utf-8")
    (tmp_path / "deeper.py").write_text("GAIN = 1.0\n", encoding="utf-8")
    return tmp_path / "mine.py"


def test_a_class_as_a_setting_is_refused_with_the_right_option() -> None:
    with pytest.raises(ackclock.InputError, match=r"tcp.algorithm: mine.py:Mine is a class .* --algorithm"):
        ackclock.run("two-megabit", settings={"tcp.algorithm": "mine.py:Mine"})


def test_an_edit_of_what_a_class_imports_from_beside_it_is_run_again(mine: Path) -> None:
    plan = {"scenario": "single-flow", "algorithms": [f"{mine}:Mine"], "settings": SETTINGS}
    store = mine.parent / "store"
    before = ackclock.sweep(plan, store)
    assert ackclock.sweep(plan, store).new_runs == 0
    (mine.parent / "deeper.py").write_text("GAIN = 4.0\n", encoding="utf-8")
    after = ackclock.sweep(plan, store)
    assert after.new_runs == 1
    assert after.runs["mean_cwnd_packets"].item() > before.runs["mean_cwnd_packets"].item() + 1


def test_the_folder_of_a_comparison_runs_again_from_itself(mine: Path) -> None:
    race = ackclock.compare(["cubic", f"sack+{mine}:Mine"], "single-flow", settings=SETTINGS, seeds=2)
    assert race.labels == ("cubic", "sack+mine")
    folder = race.save(mine.parent / "race", report=False)
    classes = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["result"]["classes"]
    assert classes["mine"].keys() == {"class", "mine.py", "helper.py", "deeper.py"}
    for file in ("mine.py", "helper.py", "deeper.py"):  # nothing of the first place is used
        (mine.parent / file).unlink()
    again = ackclock.sweep(folder / "plan.toml", mine.parent / "store")
    columns = ["label", "seed", "goodput_bit_per_s", "mean_rtt_s", "retransmissions"]
    assert again.runs.select(columns).equals(race.runs.select(columns))


@pytest.mark.parametrize("others", [[], ["cubic"]])
def test_each_scenario_of_a_folder_runs_its_own_algorithm_again(mine: Path, others: list[str]) -> None:
    race = ackclock.compare([*others, f"sack+{mine}:Mine"], "single-flow", settings=SETTINGS)
    folder = race.save(mine.parent / "race", report=False)
    for file in ("mine.py", "helper.py", "deeper.py"):  # nothing of the first place is used
        (mine.parent / file).unlink()
    place = folder / ("scenarios/sack+mine.toml" if others else "scenario.toml")
    columns = ["goodput_bit_per_s", "mean_cwnd_packets", "packets_sent", "retransmissions"]
    again = ackclock.run(place)
    assert again.flows.select(columns).equals(race.result("sack+mine").flows.select(columns))
    assert again.recovery == "sack"
    if others:
        assert ackclock.run(folder / "scenarios" / "cubic.toml").flows.equals(race.result("cubic").flows)
    assert ackclock.load(folder).runs.equals(race.runs)
    # Saved again from what was read, and read again from there.
    second = ackclock.replicate(place).save(mine.parent / "second", report=False)
    assert ackclock.run(second / "scenario.toml").flows.select(columns).equals(again.flows.select(columns))


def test_a_worker_of_a_cluster_needs_no_file_of_a_class(mine: Path) -> None:
    """Dask itself would send the name of a module that only the sender has."""
    pytest.importorskip("cloudpickle")
    plan = load_plan({"scenario": "single-flow", "algorithms": [f"{mine}:Mine"], "settings": SETTINGS})
    task, *_ = planned(plan, None, Shard(1, 1), trust=False)
    here = execute_remotely(task).run
    packed = cluster._packer([task])(task)
    for name in [name for name in sys.modules if name.startswith("_ackclock_mine")]:
        del sys.modules[name]
    for file in mine.parent.glob("*.py"):
        file.unlink()
    own_code._origins.clear()  # as in another process
    there = cluster._unpacked(execute_remotely, packed).run
    assert there["goodput_bit_per_s"] == here["goodput_bit_per_s"]


def ran(folder: Path) -> Path:
    """A class in a results folder that says when its code runs; the file that it then writes."""
    source = folder.parent / "loud.py"
    mark = folder.parent / "it-ran"
    source.write_text(
        f"open({str(mark)!r}, 'w').close()\n"
        "class Loud:\n"
        "    def __init__(self, start):\n"
        "        self.cwnd = start.initial_window\n"
        "    def on_ack(self, ack):\n"
        "        pass\n"
        "    def on_congestion(self, event):\n"
        "        pass\n"
    )
    ackclock.compare(["cubic", f"{source}:Loud"], "single-flow", settings=SETTINGS).save(folder, report=False)
    source.unlink()
    mark.unlink()
    return mark


def test_reading_results_runs_no_code(tmp_path: Path) -> None:
    folder = tmp_path / "race"
    mark = ran(folder)
    race = ackclock.load(folder)
    assert race.summary.height
    race.plot("window")
    again = ackclock.load(race.save(tmp_path / "again", report=False))
    assert again.runs.equals(race.runs)
    assert not mark.exists()
    mine = race.result("loud")
    repeated = ackclock.run(mine.scenario)
    assert mark.exists()
    columns = ["goodput_bit_per_s", "packets_sent"]
    assert repeated.flows.select(columns).equals(mine.flows.select(columns))


def test_changed_code_of_results_does_not_run(tmp_path: Path) -> None:
    folder = tmp_path / "race"
    mark = ran(folder)
    code = folder / "algorithms" / "loud" / "loud.py"
    code.write_text(code.read_text() + "\n")
    for scenario in (ackclock.load(folder).result("loud").scenario, folder / "scenarios" / "loud.toml"):
        with pytest.raises(
            ackclock.InputError, match=r"loud\.py: this file is not what was written.*does not run"
        ):
            ackclock.run(scenario)
    assert not mark.exists()
    trusted = ackclock.load(folder, trust=True).result("loud")
    ackclock.run("single-flow", algorithm=trusted.classes[next(iter(trusted.classes))], settings=SETTINGS)
    assert mark.exists()


def test_a_scenario_without_its_class_never_runs_another_algorithm(mine: Path) -> None:
    race = ackclock.compare(["cubic", f"{mine}:Mine"], "single-flow", settings=SETTINGS)
    folder = race.save(mine.parent / "race", report=False)
    place = folder / "scenarios" / "mine.toml"
    for file in (folder / "algorithms" / "mine").iterdir():
        file.unlink()
    with pytest.raises(ackclock.InputError, match=r"mine\.py: there is no such file"):
        ackclock.run(place)
    text = place.read_text().replace("../algorithms/mine/mine.py:Mine", "mine")
    place.write_text(text)
    with pytest.raises(
        ackclock.InputError, match=r"mine\.toml: this file of results is not what was written"
    ):
        ackclock.run(place)
    with pytest.raises(ScenarioError, match='unknown algorithm "mine"'):
        ackclock.run(place, trust=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nowhere.py:Mine", "there is no such file"),
        ("mine.py:Mina", 'no class is named "Mina"; did you mean "Mine"'),
        ("broken.py:Mine", "cannot be imported: SyntaxError: invalid syntax (broken.py, line 1)"),
        ("broken.py", "broken.py: cannot be read as Python: invalid syntax (broken.py, line 1)"),
        (
            "needs.py:Mine",
            "needs.py: ModuleNotFoundError: No module named 'nowhere_at_all'\n  needs.py, line 2, in",
        ),
    ],
)
def test_what_is_no_class_in_a_file_is_said(
    mine: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(mine.parent)
    Path("broken.py").write_text("class Mine(:\n", encoding="utf-8")
    Path("needs.py").write_text("import math\nimport nowhere_at_all\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        ackclock.compare([text], "single-flow", settings=SETTINGS)
    assert said in str(error.value)


def test_commands_take_a_class_in_a_file(mine: Path) -> None:
    def command(*words: str) -> dict[str, object]:
        words = (*words, "--duration", "5 s", "--set", "warm_up=0 s", "--no-report", "--json")
        call = [sys.executable, "-m", "ackclock", *words]
        done = subprocess.run(call, cwd=mine.parent, capture_output=True, text=True, check=True)
        found: dict[str, object] = json.loads(done.stdout)
        return found

    assert command("compare", "cubic", "mine.py:Mine", "-s", "single-flow")["labels"] == ["cubic", "mine"]
    ran = command("run", "single-flow", "--algorithm", "sack+mine.py:Mine")
    assert ran["flows"][0]["algorithm"] == "sack+mine"  # type: ignore[index]


def rule(helper: str) -> str:
    return MINE.replace("from helper import gain", helper)


def test_a_file_next_to_a_class_hides_no_library(mine: Path) -> None:
    """Only what a class imports is of its folder; `colorsys` is a module that nobody has imported."""
    (mine.parent / "colorsys.py").write_text("raise RuntimeError('not this one')\n", encoding="utf-8")
    own_code.load("mine.py:Mine", mine.parent)
    assert str(mine.parent) not in sys.path
    sys.modules.pop("colorsys", None)
    assert hasattr(importlib.import_module("colorsys"), "rgb_to_hsv")


def test_two_classes_have_modules_of_one_name(mine: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.py").write_text(rule("from helper import gain, OTHER"), encoding="utf-8")
    (other / "helper.py").write_text("OTHER = True\ndef gain(): return 0.0\n", encoding="utf-8")
    _, first = own_code.load("mine.py:Mine", mine.parent)
    _, second = own_code.load("mine.py:Mine", other)
    gains = [
        ackclock.run("single-flow", algorithm=each, settings=SETTINGS) for each in (first, second, first)
    ]
    windows = [each.flows["mean_cwnd_packets"].item() for each in gains]
    assert windows[0] == windows[2] > windows[1]


@pytest.mark.parametrize(
    "helper",
    [
        "import importlib; gain = importlib.import_module('help' + 'er').gain",
        "def gain():\n    from helper import gain\n    return gain()",
    ],
)
def test_a_class_may_import_when_it_runs_and_by_a_computed_name(mine: Path, helper: str) -> None:
    mine.write_text(rule(helper), encoding="utf-8")
    for name in ("helper", "deeper"):
        sys.modules.pop(name, None)
    _, made = own_code.load("mine.py:Mine", mine.parent)
    assert (
        ackclock.run("single-flow", algorithm=made, settings=SETTINGS).flows["goodput_bit_per_s"].item() > 0
    )


def test_what_a_class_prints_is_not_amid_the_output_of_a_command(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stood within the JSON that a command prints."""
    text = MINE.replace("on_ack(self, ack):\n", 'on_ack(self, ack):\n        print("told", ack.delivered)\n')
    mine.write_text(text, encoding="utf-8")
    ackclock.run("two-megabit", algorithm=f"{mine}:Mine", settings={"duration": "1 s", "warm_up": "0 s"})
    said = capsys.readouterr()
    assert not said.out
    assert "told 1.0\n" in said.err


def test_a_long_command_says_once_what_a_class_costs(
    mine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(own_code, "PREFIX", "_ackclock_none_yet_")
    for loaded in (False, True):
        bar = ProgressBar("Simulating")
        for _ in range(3):
            clock[0] += 6.0
            bar.tell(0.5, 2)
        assert capsys.readouterr().err.count("for each acknowledgment, which takes some 3 µs") == loaded
        own_code.load(f"{mine}:Mine", Path())
