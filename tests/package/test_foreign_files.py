"""Scenarios, plans and results of somebody else: they name no file elsewhere, and run no code unasked."""

import importlib.util
import json
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock.crosscheck.cases import Bottleneck, Case
from ackclock.crosscheck.measurement import Measurement
from ackclock.crosscheck.store import Runs
from ackclock.errors import InputError, OutputError, ScenarioError
from ackclock.results_folder import parsed_table

LINK = '{{ rate = {rate}, delay = "5 ms" }}'
LINE = "root:x:0:0:secret"
SETTINGS = {"duration": "2 s", "warm_up": "0 s"}
LOUD = """
open({mark!r}, "w").close()
class Loud:
    def __init__(self, start):
        self.cwnd = start.initial_window
    def on_ack(self, ack):
        pass
    def on_congestion(self, event):
        pass
"""


def scenario(rate: str = '"5 Mbit/s"', *, tcp: str = "", flow: str = "") -> str:
    return (
        f'name = "theirs"\nduration = "2 s"\n{tcp}\n[topology.dumbbell]\n'
        f'bottleneck = {LINK.format(rate=rate)}\naccess = {{ rate = "1 Gbit/s", delay = "1 ms" }}\n'
        f"[[flow]]\n{flow}\n"
    )


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A folder of somebody else's, next to files of its reader."""
    (tmp_path / "secret").write_text(f"{LINE}\n")
    (tmp_path / "mine.down").write_text("2\n5\n")
    (tmp_path / "mine.csv").write_text("size_packets\n3\n")
    (tmp_path / "mine.py").write_text(LOUD.format(mark=str(tmp_path / "it-ran")))
    folder = tmp_path / "theirs"
    (folder / "inside").mkdir(parents=True)
    (folder / "inside" / "own.down").write_text("2\n5\n")
    (folder / "link.down").symlink_to(tmp_path / "mine.down")
    (folder / "linked").symlink_to(tmp_path)
    return folder


def written(folder: Path, text: str) -> Path:
    file = folder / "scenario.toml"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "../secret", "../mine.down", "inside/../../mine.down", "link.down", "linked/mine.down",
     "../nothing-here.down", "/dev/zero", "linked/nothing-here"],
)  # fmt: skip
@pytest.mark.parametrize("place", ["trace", "schedule", "size", "arrivals"])
def test_a_scenario_names_no_file_elsewhere(theirs: Path, name: str, place: str) -> None:
    quoted = json.dumps(name)
    text = {
        "trace": scenario(f"{{ trace = {quoted} }}"),
        "schedule": scenario('"5 Mbit/s"').replace(
            'delay = "5 ms"', f'delay = "5 ms", schedule = {{ file = {quoted} }}'
        ),
        "size": scenario(flow=f"size = {{ table = {{ file = {quoted} }} }}"),
        "arrivals": scenario(flow=f"arrivals = {{ file = {quoted} }}"),
    }[place]
    with pytest.raises(ScenarioError, match=r"not below .*theirs.*--trust, or trust=True") as error:
        ackclock.load_scenario(written(theirs, text))
    said = f"{error.value} {error.value.found}"
    assert "x:0" not in said
    assert "mine.py" not in said, "nor are the names of files elsewhere listed"


@pytest.mark.parametrize("name", ["inside/own.down", "./inside/own.down", "inside/../inside/own.down"])
def test_a_scenario_names_files_of_its_folder(
    theirs: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(theirs, scenario(f"{{ trace = {json.dumps(name)} }}"))
    read = ackclock.load_scenario(file).to_json()
    assert '"opportunities":[2,5]' in read
    monkeypatch.chdir(theirs)
    assert ackclock.load_scenario("scenario.toml").to_json() == read
    absolute = written(theirs, scenario(f"{{ trace = {json.dumps(str(theirs / name))} }}"))
    assert ackclock.load_scenario(absolute).to_json() == read


def test_trust_lets_a_scenario_name_any_file(theirs: Path) -> None:
    file = written(theirs, scenario('{ trace = "../mine.down" }'))
    assert '"opportunities":[2,5]' in ackclock.load_scenario(file, trust=True).to_json()
    assert ackclock.run(file, trust=True).flows.height == 1


def test_what_the_user_names_may_lie_anywhere(theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(theirs, scenario())
    key = "topology.dumbbell.bottleneck.rate"
    trace = f'{{ trace = "{theirs.parent / "mine.down"}" }}'
    assert '"opportunities":[2,5]' in ackclock.load_scenario(file, {key: trace}).to_json()
    monkeypatch.chdir(theirs)
    tree = json.loads(ackclock.load_scenario(file).to_json())
    tree["topology"]["dumbbell"]["bottleneck"]["rate"] = {"trace": "../mine.down"}
    assert '"opportunities":[2,5]' in ackclock.load_scenario(tree).to_json()


@pytest.mark.parametrize("name", ["../mine.py:Loud", "linked/mine.py:Loud", "{parent}/mine.py:Loud"])
def test_a_scenario_runs_no_code_elsewhere(theirs: Path, name: str) -> None:
    name = name.format(parent=theirs.parent)
    file = written(theirs, scenario(tcp=f"[tcp]\nalgorithm = {json.dumps(name)}"))
    with pytest.raises(InputError, match=r"not below .*theirs.*names no code elsewhere.*--trust"):
        ackclock.run(file)
    assert not (theirs.parent / "it-ran").exists()
    ackclock.run(file, trust=True)
    assert (theirs.parent / "it-ran").exists()


PLANS = {
    "scenario": 'scenario = "../scenario.toml"',
    "scenario, absolute": 'scenario = "{parent}/scenario.toml"',
    "a device": 'scenario = "/dev/zero"',
    "scenario, inline": '[scenario]\nname = "x"\nduration = "1 s"\n'
    "flow = [{{}}]\n[scenario.topology.dumbbell]\n"
    'bottleneck = {{ rate = {{ trace = "../mine.down" }}, delay = "5 ms" }}\n'
    'access = {{ rate = "1 Gbit/s", delay = "1 ms" }}\n',
    "settings": 'scenario = "single-flow"\n[settings]\ntopology.dumbbell.bottleneck.rate = '
    "'{{ trace = \"{parent}/mine.down\" }}'",
    "grid": 'scenario = "single-flow"\n[grid]\ntopology.dumbbell.bottleneck.rate = '
    '["{{ trace = \\"../mine.down\\" }}"]',
    "cases": 'scenario = "single-flow"\n[cases.a]\nb = {{ topology.dumbbell.bottleneck.rate = '
    "'{{ trace = \"../mine.down\" }}' }}",
    "algorithms": 'scenario = "single-flow"\nalgorithms = ["../mine.py:Loud"]',
    "algorithms by label": 'scenario = "single-flow"\n[algorithms]\na = "{parent}/mine.py:Loud"',
}


@pytest.mark.parametrize("kind", PLANS)
def test_a_plan_names_no_file_elsewhere(theirs: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (theirs.parent / "scenario.toml").write_text(scenario())
    plan = theirs / "plan.toml"
    plan.write_text(PLANS[kind].format(parent=theirs.parent))
    monkeypatch.chdir(theirs)
    for place in (plan, "plan.toml"):
        with pytest.raises((InputError, ScenarioError), match=r"not below .*--trust"):
            ackclock.load_plan(place)
    assert not (theirs.parent / "it-ran").exists()
    if kind != "a device":
        assert ackclock.load_plan(plan, trust=True).runs == 1


def test_the_command_takes_trust(theirs: Path) -> None:
    file = written(theirs, scenario('{ trace = "../mine.down" }'))
    call = [sys.executable, "-m", "ackclock", "run", str(file), "--no-report", "-o", str(theirs / "out")]
    refused = subprocess.run(call, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--trust" in refused.stderr
    assert subprocess.run([*call, "--trust"], capture_output=True, check=False).returncode == 0


def saved_with_class(folder: Path) -> tuple[Path, Path]:
    """Results with a class, and the file that its code writes when it runs."""
    mark = folder.parent / "it-ran"
    source = folder.parent / "loud.py"
    source.write_text(LOUD.format(mark=str(mark)))
    ackclock.run("single-flow", algorithm=f"{source}:Loud", settings=SETTINGS).save(folder, report=False)
    source.unlink()
    mark.unlink()
    return folder, mark


def test_code_next_to_that_of_results_does_not_run(tmp_path: Path) -> None:
    """Python takes a file next to a class for the module of that name, listed or not."""
    folder, mark = saved_with_class(tmp_path / "results")
    (folder / "algorithms" / "loud" / "bokeh.py").write_text("print('theirs')\n")
    with pytest.raises(InputError, match=r"bokeh\.py.*no checksum.*does not run.*--trust"):
        ackclock.run(folder / "scenario.toml")
    assert not mark.exists()
    ackclock.run(folder / "scenario.toml", trust=True)
    assert mark.exists()


def test_compiled_code_is_not_taken_for_its_source(tmp_path: Path) -> None:
    """A compiled file may say that it needs no look at its source."""
    source, other = tmp_path / "mine.py", tmp_path / "other.py"
    source.write_text(LOUD.format(mark=str(tmp_path / "honest")))
    other.write_text(LOUD.format(mark=str(tmp_path / "compiled")))
    cache = Path(importlib.util.cache_from_source(str(source)))
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(other), cfile=str(cache), invalidation_mode=mode)
    ackclock.run("single-flow", algorithm=f"{source}:Loud", settings=SETTINGS)
    assert (tmp_path / "honest").exists()
    assert not (tmp_path / "compiled").exists()


def test_no_module_of_the_working_directory_runs(tmp_path: Path) -> None:
    """Figures are drawn by a process of their own, which finds no modules among somebody's results."""
    folder = ackclock.run("single-flow", settings=SETTINGS).save(tmp_path / "results", report=False)
    elsewhere = tmp_path / "theirs"
    elsewhere.mkdir()
    for name in ("matplotlib", "numpy", "polars", "io", "pickle", "tempfile"):
        (elsewhere / f"{name}.py").write_text(f"open({str(tmp_path / 'it-ran')!r}, 'a').write({name!r})\n")
    program = Path(sys.executable).with_name("ackclock")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for call in ([str(program)], [sys.executable, "-m", "ackclock"]):
        done = subprocess.run(
            [*call, "figures", str(folder)],
            cwd=elsewhere,
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert not (tmp_path / "it-ran").exists()
    assert list((folder / "figures").glob("*.svg"))


def test_a_run_by_the_hosts_clock_that_has_changed_is_named(tmp_path: Path) -> None:
    case = Case("reno", Bottleneck(20, 20, 80))
    Runs(tmp_path).add("quinn", case, 0, Measurement(19e6, None, 7, 0.05))
    file = tmp_path / "runs.jsonl"
    text = file.read_text()
    assert Runs(tmp_path).find("quinn", case, 0) is not None
    file.write_text(text.replace("19000000.0", "19000001.0"))
    with pytest.raises(OutputError, match=r"runs\.jsonl, line 1: this run is not what was written"):
        Runs(tmp_path)


def test_a_panic_of_the_reader_of_tables_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl  # noqa: PLC0415 - only this test looks into it

    def panics(_: object) -> None:
        raise pl.exceptions.PanicException("index out of bounds")

    assert not issubclass(pl.exceptions.PanicException, Exception)
    monkeypatch.setattr(pl, "read_parquet", panics)
    with pytest.raises(InputError, match=r"a\.parquet: this is no table that can be read: index out of"):
        parsed_table(b"", "a.parquet")
