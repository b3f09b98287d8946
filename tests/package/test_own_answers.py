"""What a class of one's own answers wrongly: one sentence with file, class, method, found and right."""

import importlib.util
import pickle
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from types import ModuleType

import pytest

import ackclock
from ackclock import cli
from ackclock.runs import crew

SHORT = {"duration": "3 s", "warm_up": "0 s", "trace.interval": "1 s"}

CLASS = """
import numpy as np

class Own:
    def __init__(self, start):
        self.cwnd = start.initial_window
        {begins}

    def on_ack(self, ack):
        {acts}

    def on_congestion(self, event):
        self.cwnd = 2.0

    {more}
"""

WRONG: dict[str, tuple[dict[str, str], str]] = {
    # What stands in the class, and what the sentence says after the file.
    "a text": ({"acts": "self.cwnd = '10'"}, "Own.cwnd, after on_ack: found '10'; expected a finite number"),
    "none": ({"begins": "self.cwnd = None"}, "Own.cwnd, after __init__: found None; expected a finite"),
    "an array": ({"acts": "self.cwnd = np.ones(1)"}, "Own.cwnd, after on_ack: found array([1.]); expected"),
    "a flag": ({"acts": "self.cwnd = True"}, "Own.cwnd, after on_ack: found True; expected a finite"),
    "not a number": ({"acts": "self.cwnd = float('nan')"}, "Own.cwnd, after on_ack: found nan; expected"),
    "infinite": (
        {"acts": "self.cwnd = float('inf')"},
        "Own.cwnd, after on_ack: found inf; expected a finite",
    ),
    "zero": (
        {"acts": "self.cwnd = 0"},
        "Own.cwnd, after on_ack: found 0; expected a finite number above zero",
    ),
    "too large": ({"acts": "self.cwnd = 10 ** 400"}, "Own.cwnd, after on_ack: found 1000000"),
    "complex": ({"acts": "self.cwnd = 1j"}, "Own.cwnd, after on_ack: found 1j; expected a finite"),
    "a word": (
        {"begins": "self.pacing_rate = 'fast'"},
        "Own.pacing_rate, after __init__: found 'fast'; expected a number above zero, in packets per second",
    ),
    "no rate": ({"acts": "self.pacing_rate = 0.0"}, "Own.pacing_rate, after on_ack: found 0.0; expected a"),
    "no time": (
        {"begins": "self.wake = float('nan')"},
        "Own.wake, after __init__: found nan; expected a time in seconds since the start, or None",
    ),
    "a time before": ({"begins": "self.wake = -1"}, "Own.wake, after __init__: found -1; expected a time"),
    "a time kept": (
        {"begins": "self.wake = 1.0", "more": "def on_deadline(self, now): pass"},
        "Own.wake, after on_deadline: found 1.0; expected a time after 1 s, which has passed, or None",
    ),
    "a time that nobody moves": ({"begins": "self.wake = 1.0"}, "Own.wake, after on_deadline: found 1.0"),
    "a threshold": ({"begins": "self.ssthresh = []"}, "Own.ssthresh, after __init__: found []; expected a"),
    "a list of gauges": (
        {"more": "def observe(self): return [1, 2]"},
        "Own.observe: found [1, 2]; expected a dict of numbers by their names",
    ),
    "a text as a gauge": (
        {"more": "def observe(self): return {'x': 'y'}"},
        """Own.observe()["x"]: found 'y'; expected a number""",
    ),
    "a number as a name": (
        {"more": "def observe(self): return {1: 2}"},
        "Own.observe: found 1; expected a dict",
    ),
    "a dict in place of observe": (
        {"begins": "self.observe = {}"},
        "Own.observe: found {}; expected a method",
    ),
    "ever new gauges": (
        {"more": "def observe(self): return {f'{self.cwnd}-{n}': 1 for n in range(10_001)}"},
        "expected at most 10000 names of gauges",
    ),
    "no parameter": (
        {"more": "def on_ack(self): pass"},
        "on_ack() takes 1 positional argument but 2 were given; expected on_ack(self, ack)",
    ),
    "no method": ({"more": "on_ack = 5"}, "Own.on_ack: found 5; expected a method on_ack(self, ack)"),
    "a coroutine": ({"more": "async def on_ack(self, ack): pass"}, "Own.on_ack: found <coroutine"),
    "a generator": ({"more": "def on_ack(self, ack): yield"}, "Own.on_ack: found <generator"),
    "a deadline without time": (
        {"begins": "self.wake = 1.0", "more": "def on_deadline(self): pass"},
        "on_deadline() takes 1 positional argument but 2 were given; expected on_deadline(self, now)",
    ),
    "a word as a flag": ({"more": "l4s = 'no'"}, "Own.l4s: found 'no'; expected True or False"),
    "two parameters": (
        {"more": "def __init__(self, start, gain): pass"},
        "missing 1 required positional argument: 'gain'; expected __init__(self, start)",
    ),
    "a misspelt method": (
        {"more": "def on_spurous(self, now): pass"},
        'on_congestion(event) and cwnd: it has on_spurous; did you mean "on_spurious"?',
    ),
    "no congestion": ({"more": "on_congestion = property()"}, "it has no on_congestion"),
}


def written(folder: Path, parts: dict[str, str]) -> Path:
    file = folder / "own.py"
    file.write_text(CLASS.format(**{"begins": "pass", "acts": "pass", "more": "", **parts}), encoding="utf-8")
    return file


def imported(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("own_answers", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore:coroutine.*was never awaited")
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_one_sentence(tmp_path: Path, case: str) -> None:
    parts, said = WRONG[case]
    made = imported(written(tmp_path, parts)).Own
    with pytest.raises(ackclock.InputError) as error:
        ackclock.run("single-flow", algorithm=made, settings=SHORT)
    text = str(error.value)
    assert text.startswith("own.py: Own")
    assert said in text
    assert "\n" not in text


def test_too_many_gauges_of_one_run_leave_the_next_its_own(tmp_path: Path) -> None:
    parts, said = WRONG["ever new gauges"]
    with pytest.raises(ackclock.InputError, match=said):
        ackclock.run("single-flow", algorithm=imported(written(tmp_path, parts)).Own, settings=SHORT)
    good = imported(written(tmp_path, {"more": "def observe(self): return {'of the next run': 1}"})).Own
    gauges = ackclock.run("single-flow", algorithm=good, settings=SHORT).gauges
    assert set(gauges["name"]) >= {"of the next run"}


@pytest.mark.parametrize("command", ["run", "compare", "sweep", "evaluate", "coexist"])
def test_every_command_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    written(tmp_path, {"acts": "self.cwnd = '10'"})
    (tmp_path / "plan.toml").write_text(
        'scenario = "single-flow"\nalgorithms = ["own.py:Own"]\n'
        '[settings]\nduration = "3 s"\nwarm_up = "0 s"\n'
    )
    monkeypatch.chdir(tmp_path)
    short = ["--duration", "3 s", "--set", "warm_up=0 s"]
    words = {
        "run": ["single-flow", "--algorithm", "own.py:Own", *short],
        "compare": ["own.py:Own", "reno", "-s", "single-flow", *short],
        "sweep": ["plan.toml"],
        "evaluate": ["own.py:Own", "--quick", "--only", "short-flows"],
        "coexist": ["own.py:Own", "reno", "--quick", "--buffer", "1"],
    }[command]
    monkeypatch.setattr(sys, "argv", ["ackclock", command, *words])
    with pytest.raises(SystemExit) as end:
        cli.main()
    said = capsys.readouterr()
    assert end.value.code == 2
    assert "ackclock: own.py: Own.cwnd, after on_ack: found '10'; expected a finite number" in said.err
    assert "(on_ack begins in line 9)" in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert not list(tmp_path.glob("results/*/report.html"))


def test_a_property_that_fails_is_no_missing_attribute(tmp_path: Path) -> None:
    more = "@property\n    def pacing_rate(self): return self.misspelt"
    made = imported(written(tmp_path, {"more": more})).Own
    with pytest.raises(AttributeError, match="misspelt"):
        ackclock.run("single-flow", algorithm=made, settings=SHORT)


@pytest.mark.parametrize("name", ["nan", "3", "true"])
def test_a_class_may_be_called_like_a_number(tmp_path: Path, name: str) -> None:
    made = imported(written(tmp_path, {"acts": "pass", "more": f"name = {name!r}"})).Own
    assert list(ackclock.run("single-flow", algorithm=made, settings=SHORT).classes) == [name]


def test_a_function_that_makes_no_controller_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, {})
    file.write_text("def make(start): return start.initial_window\n")
    with pytest.raises(ackclock.InputError) as error:
        ackclock.run("single-flow", algorithm=f"{file}:make", settings=SHORT)
    assert "own.py: make: found 10.0; expected a controller" in str(error.value)


def test_a_class_that_ends_the_program_is_said(tmp_path: Path) -> None:
    file = written(tmp_path, {"acts": "raise SystemExit"})
    with pytest.raises(ackclock.InputError, match=r"own\.py: Own.*SystemExit"):
        ackclock.run("single-flow", algorithm=f"{file}:Own", settings=SHORT)


def test_numbers_of_other_libraries_are_numbers(tmp_path: Path) -> None:
    acts = "self.cwnd = np.float64(10); self.wake = None; self.ssthresh = np.int64(5)"
    made = imported(written(tmp_path, {"acts": acts, "more": "l4s = np.False_"})).Own
    assert ackclock.run("single-flow", algorithm=made, settings=SHORT).packets_delivered > 100


def test_a_misspelt_fact_gets_the_nearest_name(tmp_path: Path) -> None:
    made = imported(written(tmp_path, {"acts": "self.cwnd += ack.may_gow"})).Own
    with pytest.raises(AttributeError, match=r'Ack has no may_gow; did you mean "may_grow"\?') as caught:
        ackclock.run("single-flow", algorithm=made, settings=SHORT)
    printed = "".join(traceback.format_exception(caught.value))
    assert printed.count("id you mean") == 1, "Python has an advice of its own"


def test_an_error_of_a_scenario_has_the_name_by_which_it_is_imported() -> None:
    with pytest.raises(ackclock.ScenarioError) as caught:
        ackclock.run("single-flow", settings={"tcp.algoritm": "reno"})
    assert traceback.format_exception_only(caught.value)[0].startswith("ackclock.ScenarioError: ")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 - it is ours


def test_facts_are_printed_with_their_values(tmp_path: Path) -> None:
    made = imported(written(tmp_path, {"acts": "raise ValueError(repr(ack))"})).Own
    with pytest.raises(
        ValueError, match=r"^Ack\(now=0\.\d+, .*delivered=\d+, .*rate=RateSample\(|^Ack\(now="
    ):
        ackclock.run("single-flow", algorithm=made, settings=SHORT)


def interrupts(_done: float, _total: float) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("acts", "left"),
    [
        ("while True: pass", False),
        ("for _ in iter(int, 1): _ = [_]", False),
        ("__import__('time').sleep(30)", True),
    ],
)
def test_a_method_that_does_not_return_is_ended_or_left_behind(
    tmp_path: Path, recwarn: pytest.WarningsRecorder, acts: str, left: bool
) -> None:
    file = written(tmp_path, {"acts": acts})
    with pytest.raises(ackclock.Interrupted):
        ackclock.compare([f"{file}:Own"], "single-flow", seeds=3, workers=2, progress=interrupts)
    said = [str(warning.message) for warning in recwarn]  # the text of both threads is one warning
    expected = "a run could not be stopped and is left behind: on_ack, line 10 of own.py, does not return"
    assert set(said) == ({expected} if left else set())


def test_a_method_that_does_not_return_ends_the_runs_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "CALL_S", 0.3)
    file = written(tmp_path, {"acts": "while True: __import__('time').sleep(0.01)"})
    with pytest.raises(ackclock.InputError, match=r"on_ack, line 10 of own\.py, has not returned for 0 s"):
        ackclock.compare(["reno", f"{file}:Own"], "single-flow", settings=SHORT)


def test_many_calls_of_a_slow_method_are_none_that_does_not_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crew, "CALL_S", 0.4)
    file = written(tmp_path, {"acts": "__import__('time').sleep(0.04)"})
    few = {"duration": "1 s", "warm_up": "0 s", "topology.dumbbell.bottleneck.rate": "400 kbit/s"}
    assert ackclock.compare([f"{file}:Own"], "single-flow", settings=few).results[0].packets_delivered > 10


@pytest.mark.skipif(not hasattr(signal, "SIGTERM") or sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("acts", ["sum(itertools.repeat(1))", "time.sleep(1000)"])
def test_a_signal_ends_the_program_whatever_a_class_does(tmp_path: Path, acts: str) -> None:
    begun = f"import itertools, time; open({str(tmp_path / 'begun')!r}, 'w').close(); {acts}"
    file = written(tmp_path, {"acts": begun})
    words = ["run", "single-flow", "--algorithm", f"{file}:Own", "--no-report"]
    program = subprocess.Popen(
        [sys.executable, "-m", "ackclock", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "begun").exists():  # the runner's guard bounds it
        time.sleep(0.05)
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate()
    assert program.returncode in (130, 143)
    assert "does not return" in said
    assert not list((tmp_path / "results").glob("[!.]*"))
