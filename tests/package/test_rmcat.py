"""The test cases of calls: RFC 8867's numbers in the scenarios, controllers that must fail, and a report."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli import app
from ackclock.errors import InputError
from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.plan import Measured
from ackclock.evaluation.rmcat import CASES, figures
from ackclock.evaluation.rmcat.case import Case, Expectation
from ackclock.evaluation.rmcat.evaluate import evaluate_calls, placed
from ackclock.evaluation.rmcat.outcome import FAILS, HOLDS, UNDECIDED, JudgedCase, judge
from ackclock.evaluation.rmcat.quantities import Calls
from ackclock.runs.result import Result

BY_KEY = {case.key: case for case in CASES}
FAST, SLOW = "constant(rate=1500000)", "constant(rate=150000)"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rmcat") / "store"


def judged(algorithm: str, store: Path, *only: str, seeds: int = 1) -> dict[str, JudgedCase]:
    done = evaluate_calls(algorithm, store, only=only, quick=True, seeds=seeds)
    return {each.case.key: each for each in done.judged}


def verdicts(case: JudgedCase) -> dict[str, str]:
    return {each.expectation.measure: each.verdict for each in case.found}


def ran(key: str, algorithm: str) -> Result:
    cell = BY_KEY[key].cells(True)[0]
    return ackclock.run(placed(cell, algorithm, algorithm)[0])


def test_every_scenario_of_the_quick_and_of_the_full_run_is_valid() -> None:
    for case in CASES:
        for quick in (True, False):
            cells = case.cells(quick)
            assert len({cell.name for cell in cells}) == len(cells)
            for cell in cells:
                placed(cell, "nada", "nada")
        full = {cell.name for cell in case.cells(False)}
        for expectation in case.expectations:
            assert {*expectation.cells, *filter(None, [expectation.relative_to])} <= full
            assert expectation.measure in {measure.key for measure in case.measures}


def test_the_scenarios_have_the_numbers_of_rfc_8867() -> None:
    """Sections 5.1 to 5.8: durations, and the capacities of tables 1 to 4, in Mbit/s by their start."""
    rates = {
        "variable-capacity": (100, {0: 1.0, 40: 2.5, 60: 0.6, 80: 1.0}),
        "variable-capacity-shared": (125, {0: 4.0, 25: 2.0, 50: 3.5, 75: 1.0, 100: 2.0}),
        "congested-feedback": (100, {0: 2.0, 20: 1.0, 40: 0.5, 60: 2.0}),
    }
    for key, (duration, steps) in rates.items():
        scenario = placed(BY_KEY[key].cells(False)[0], "nada", "nada")[0]
        assert scenario.duration_s == duration
        link = json.loads(scenario.to_json())["topology"]["dumbbell"]["bottleneck"]
        assert {float(at[:-2]): rate for at, rate in link["rate"]["steps"]} == {
            at: f"{rate:g} Mbit/s" if rate >= 1 else f"{rate * 1e3:g} kbit/s" for at, rate in steps.items()
        }
        assert link["buffer"] == "300 ms"
    durations = {
        "competing-calls": 120,
        "round-trip-fairness": 300,
        "long-tcp": 120,
        "short-tcp": 300,
        "pause": 120,
    }
    for key, seconds in durations.items():
        assert placed(BY_KEY[key].cells(False)[0], "nada", "nada")[0].duration_s == seconds
    assert [c.name.split("of ")[1] for c in BY_KEY["long-tcp"].cells(True)] == ["300 ms", "1000 ms"]


def test_calls_of_5_5_and_5_7_start_and_travel_as_the_rfc_says() -> None:
    trips = ran("round-trip-fairness", SLOW)
    assert Calls(trips).starts == [0, 10, 20, 30, 40]
    # Beyond the propagation there are at most 8 ms of transmission and of the least jitter.
    for delay, one_way in zip(trips.calls["delay_min_s"], (10, 25, 50, 100, 150), strict=True):
        assert one_way < 1e3 * delay < one_way + 8
    short = ran("short-tcp", SLOW)
    assert Calls(short).starts == [5, 5]
    sizes = np.asarray(short.columns("transfers")["packets"], dtype=float)
    # 30 and 50 kB in packets of 1460 bytes; the last files may be cut off.
    assert 20 < np.median(sizes) < 35
    assert sizes.max() <= 35


def test_the_jitter_is_that_of_rfc_8868() -> None:
    """4.5.3: a standard deviation of 5 ms, cut off at three: 30 ms from the least delay to the largest."""
    calls = ran("competing-calls", SLOW).calls
    spread = calls["delay_max_s"][0] - calls["delay_min_s"][0]
    assert 0.024 < spread < 0.034
    # Of a Gaussian, 95 % lie below its mean and 1.64 deviations.
    assert 0.006 < calls["delay_p95_s"][0] - calls["delay_p50_s"][0] < 0.012


def test_rates_are_those_on_the_wire() -> None:
    calls = Calls(ran("variable-capacity", "constant(rate=500000)"))
    assert calls.rate(0, (10, 99)) == pytest.approx(500e3, rel=0.02)


def test_a_capacity_above_the_axis_is_said_in_the_legend() -> None:
    """5.8 pauses one of three calls on 3.5 Mbit/s, and a call takes 0.5 Mbit/s; 5.1 falls to 0.6."""
    for key, said in (
        ("pause", "capacity, 3.5 Mbit/s, above the axis"),
        ("variable-capacity", "capacity"),
    ):
        (case,) = [each for each in CASES if each.key == key]
        drawn = figures.strip(case, ran(key, "constant(rate=500000)"))
        assert drawn.axes[0].get_legend_handles_labels()[1][-1] == said


def test_a_call_that_never_yields_fails_where_the_capacity_falls(store: Path) -> None:
    found = judged(FAST, store, "variable-capacity", "competing-calls", "short-tcp")
    assert verdicts(found["variable-capacity"])["queue_95_s"] == FAILS
    competing = verdicts(found["competing-calls"])
    assert competing["call_lost"] == competing["queue_95_s"] == FAILS
    assert competing["used"] == HOLDS
    assert verdicts(found["short-tcp"])["rate_after"] == HOLDS


def test_a_call_that_never_grows_fails_to_use_the_capacity(store: Path) -> None:
    found = judged(SLOW, store, "variable-capacity", "variable-capacity-shared", "pause", "competing-calls")
    alone = verdicts(found["variable-capacity"])
    assert alone["least_share"] == FAILS
    assert alone["most_share"] == alone["queue_95_s"] == HOLDS
    assert verdicts(found["variable-capacity-shared"])["around_maximum"] == FAILS
    assert verdicts(found["pause"])["rate_in_pause"] == FAILS
    assert verdicts(found["competing-calls"])["used"] == FAILS


def _case(values: list[float], low: float = -math.inf, high: float = math.inf) -> str:
    measure = Measure("x", "x", "", 1, 2, "higher", 0)
    cells = (Cell("c", {}, ()),)
    case = Case(
        "k", "1", "t", "", "?", ".", (measure,), lambda _: cells, lambda _: {},
        (Expectation("RFC", "quote", "x", low, high),), {},
    )  # fmt: skip
    rows = {("c", "a"): {seed: {"x": value} for seed, value in enumerate(values)}}
    return judge(Measured(case, cells, rows), "a").verdict


def test_an_interval_over_a_bound_is_undecided() -> None:
    assert _case([0.8, 0.82, 0.84], low=0.7) == HOLDS
    assert _case([0.5, 0.52, 0.54], low=0.7) == FAILS
    # The mean is 0.72, and the 95 % interval of three values 0.62 to 0.82.
    assert _case([0.68, 0.72, 0.76], low=0.7) == UNDECIDED
    assert _case([0.72], low=0.7) == HOLDS
    assert _case([1.2], high=1.05) == FAILS


def test_the_suite_follows_the_kind_of_the_algorithm(tmp_path: Path) -> None:
    def refused(*words: str) -> str:
        found = CliRunner().invoke(app, ["evaluate", *words, "-o", str(tmp_path / "x")])
        assert isinstance(found.exception, InputError)
        return str(found.exception)

    assert "congestion controls of TCP, and nada is one of calls" in refused("nada", "--suite", "rfc9743")
    assert "congestion controls of calls, and cubic is one of TCP" in refused("cubic", "--suite", "rmcat")
    assert 'did you mean "nada"?' in refused("nadar", "--suite", "rmcat")
    assert "--attack" in refused("nada", "--attack")
    assert 'did you mean "pause"?' in refused("nada", "--only", "pauses")


def test_the_command_writes_a_report_and_fails_on_a_condition(tmp_path: Path) -> None:
    words = ["evaluate", SLOW, "--quick", "--seeds", "1", "--only", "pause", "--against", "nada"]
    out = tmp_path / "out"
    found = CliRunner().invoke(app, [*words, "-o", str(out), "--fail-on", "pause: fails"])
    assert found.exit_code == 1, found.output
    assert "failed: pause is fails" in found.stderr
    document = json.loads((out / "evaluation.json").read_text())
    assert document["schema"] == "ackclock-calls/1"
    (case,) = document["cases"]
    assert case["verdict"] == "fails"
    assert case["expectations"][0]["bound"] == "ours"
    assert "reach the maximum media bit rate" in (out / "report.html").read_text()
    assert (out / "figures" / "pause.svg").exists()
    assert ackclock.load_scenario(out / case["cells"][0]["scenario"]).duration_s == 120
