"""The benchmark measures what it says. How long anything takes is nobody's business here."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from benches.__main__ import main
from benches.cases import CASES, LARGE, PATHS, REPOSITORY, UNTUNED, Case, quantity
from benches.growth import LINES, WINDOW_LINE, draw, points, table, with_window
from benches.rounds import NotFinishedError, measure, ranged, run
from benches.simulators import Ackclock, Earlier, Ns2, Ns3, Simulator
from verification.peers.harness import is_ns3_installed

needs_cargo = pytest.mark.skipif(
    shutil.which("cargo") is None, reason="compiles a program, and there is no Rust"
)


@needs_cargo
def test_a_run_gives_a_table_and_json_by_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bench.json"
    options = ["--seconds", "2", "--rounds", "2", "--connections", "20000", "--without-peers", "--debug"]
    assert main(["S10", "D10", *options, "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "S10" in printed
    assert "D10" in printed
    results = json.loads(file.read_text(encoding="utf-8"))
    assert list(results) == ["S10", "D10", "idle", "commands", "provenance", "machine"]
    assert results["provenance"]["commit"]
    assert results["commands"]["comparison_cpu_s"] > results["commands"]["simulating_cpu_s"] > 0
    for key in ("S10", "D10"):
        case = results[key]
        assert 0.5 < case["utilisation"] < 1
        # A packet and its acknowledgment take an event each, whatever the number of hops; the last
        # are still under way at the end.
        assert 1.95 * case["packets"] < case["events"] < 2.2 * case["packets"]
        assert len(case["cpu_s_of_runs"]) == 2
        speeds = case["packets_per_cpu_s"]
        assert speeds["low"] <= speeds["median"] <= speeds["high"]
        assert speeds["high"] == pytest.approx(case["packets"] / min(case["cpu_s_of_runs"]), rel=0.01)
        assert case["packets_per_cpu_s_without_set_up"]["median"] > speeds["median"]
        assert case["peak_memory_bytes"] > case["data_bytes"] > case["flows"] * case["bytes_per_flow"] > 0
    assert 500 < results["idle"]["bytes_per_connection"] < 2048


def peers_installed() -> list[Simulator]:
    found: list[Simulator] = []
    if shutil.which("ns"):
        found.append(Ns2())
    if is_ns3_installed():
        found.append(Ns3())
    return found


@needs_cargo
@pytest.mark.parametrize("simulator", peers_installed(), ids=lambda simulator: simulator.name)
def test_all_simulators_do_the_same_work(simulator: Simulator) -> None:
    """The number of packets delivered in five seconds, from the start on: within a tenth of each other."""
    case = Case("S10", "ten-flows-shared", {"warm_up": "0 s", "duration": "5 s"})
    _, ours = run(Ackclock(release=False).command(case), patience=100)
    _, theirs = run(simulator.command(case), patience=100)
    assert theirs["packets"] == pytest.approx(ours["packets"], rel=0.1)


class Told:
    """A program that says in a file when it runs, and how many packets it had; without packets it fails."""

    def __init__(self, name: str, log: Path, packets: int) -> None:
        self.name, self._log, self._packets = name, log, packets

    def command(self, case: Case) -> list[str]:
        said = json.dumps({"packets": self._packets, "title": case.title})
        last = f"echo '{said}'" if self._packets else "false"
        return ["sh", "-c", f"echo {self.name} >>{self._log}; {last}"]


def test_programs_run_in_turn(tmp_path: Path) -> None:
    log = tmp_path / "log"
    programs = [Told("ours", log, 100), Told("other", log, 50), Told("broken", log, 0)]
    found = measure(CASES[0], programs, rounds=3, patience=10)
    assert log.read_text(encoding="utf-8").split() == ["ours", "other", "broken", *["ours", "other"] * 2]
    ratio = found["other"]["ratio"]
    assert 0 < ratio["low"] <= ratio["median"] <= ratio["high"]
    assert found["ours"]["utilisation"] == pytest.approx(2 * found["other"]["utilisation"], abs=1e-4)
    assert list(found["broken"]) == ["skipped"]


def test_an_earlier_build_is_asked_for_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    command = Earlier(Path("measure")).command(CASES[5])
    assert command[:3] == ["measure", "run", str(REPOSITORY / "scenarios" / "thousand-flows-shared.toml")]
    assert "flow.0.count=10000" in command
    with pytest.raises(SystemExit):
        main(["--earlier", "nowhere/measure"])
    assert "there is no such program" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("median", "low", "high", "text"),
    [
        (16.96, 16.49, 17.28, "17.0 (16.5 to 17.3)"),
        (8.68, 8.31, 9.42, "9 (8 to 9)"),
        # Three digits at most, however alike the rounds are.
        (1.2632, 1.2631, 1.2634, "1.26 (1.26 to 1.26)"),
        (0.0301, 0.0296, 0.0304, "0.0301 (0.0296 to 0.0304)"),
        # One run: two digits.
        (0.0062, 0.0062, 0.0062, "0.0062"),
        (412.0, 412.0, 412.0, "412"),
    ],
)
def test_no_digit_is_more_than_the_noise_allows(median: float, low: float, high: float, text: str) -> None:
    assert ranged({"median": median, "low": low, "high": high}) == text


@pytest.mark.parametrize("case", [*CASES, *UNTUNED, *PATHS, *LARGE], ids=lambda case: case.key)
def test_every_case_comes_down_to_numbers(case: Case) -> None:
    """What is read after the runs of a case must not fail then."""
    network = case.network()
    assert network.flows > 0
    assert network.seconds > 0


def test_a_run_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(NotFinishedError, match="not finished after 1 s"):
        run(["sh", "-c", "while :; do :; done"], patience=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["D11"], "no case is called D11; there are S10, D10"),
        (["--rounds", "0"], "--rounds"),
        (["--json", "no/such/folder/file"], "no/such/folder"),
    ],
)
def test_what_cannot_be_is_said_at_once(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_a_case_reads_as_numbers() -> None:
    networks = {case.key: case.network() for case in CASES}
    assert networks["D10"].layout == "dumbbell"
    # 250 Mbit/s x 42 ms / 1500 bytes = 875 packets, of which a fifth.
    assert networks["D10"].limit == 175
    assert networks["S10"].capacity == pytest.approx(250e6 * 100 / 12000)
    assert networks["D10000"].flows == 10_000
    assert networks["D10000"].rate == 10e9
    # 21 packets of 1500 bytes in a millisecond, for 1000 s.
    assert networks["M42"].capacity == pytest.approx(21e6)
    assert networks["M42"].flows == 2


def test_a_peer_runs_what_it_can() -> None:
    """A bare loop has no losses, varying rates, logs, files, datagrams or people: no share is printed."""
    cases = {case.key: case for case in (*CASES, *UNTUNED, *LARGE)}
    assert all(not case.peers for case in PATHS)
    without = {key for key, case in cases.items() if "bare loop" not in case.peers}
    assert without == {
        "1 % loss",
        "ramps",
        "qlog",
        "million files",
        "datagrams",
        "requests",
        "2000 web users",
        "2000 browsers",
        "1000 calls",
        "500 films",
    }
    assert {key for key, case in cases.items() if "htsim" in case.peers} == {
        "S10", "D10", "S1000", "D1000", "S10000", "D10000",
    }  # fmt: skip


@needs_cargo
@pytest.mark.parametrize("case", PATHS, ids=lambda case: case.key)
def test_paths_run(case: Case) -> None:
    # A value is checked when it is set: a warm-up must end before the run does.
    shorter = replace(case, changes={"warm_up": "0 s", **case.changes, "duration": "6 s"})
    _, facts = run(Ackclock(release=False).command(shorter), patience=100)
    assert facts["flows"] == case.network().flows
    assert facts["packets"] > 100


@needs_cargo
@pytest.mark.parametrize("case", LARGE, ids=lambda case: case.key)
def test_large_cases_run(case: Case) -> None:
    """Each with some hundred flows, for a short time."""
    few = max(100, case.network().flows // 1000)
    several = {
        "datagrams": ["udp.0"],
        "2000 browsers": ["flow.0", "flow.1", "flow.2"],
        "1000 calls": ["call.0", "call.1", "call.2"],
        "500 films": ["flow.0", "flow.1", "flow.2", "flow.3"],
    }
    less = {"warm_up": "0 s", "duration": "3 s"}
    for group in several.get(case.key, ["flow.0"]):
        less |= {f"{group}.count": str(few), f"{group}.start_jitter": "1 s"}
    if case.network().layout == "dumbbell":
        less["topology.dumbbell.pairs"] = str(few)
    smaller = replace(case, changes={**case.changes, **less})
    _, facts = run(Ackclock(release=False).command(smaller), patience=100)
    # Three groups of calls, four of films; a web user has four connections, browsers have six, one and one.
    assert facts["flows"] in (few, 3 * few, 4 * few, 8 * few)
    assert facts["packets"] > few


def test_the_large_cases_are_as_large_as_they_say() -> None:
    networks = {case.key: case.network() for case in LARGE}
    assert networks["million files"].flows == 1_000_000
    assert networks["million files"].capacity > 10e6
    assert networks["2000 web users"].flows == 2000
    # 20 Mbit/s in packets of 500 bytes, for 600 s.
    assert networks["2000 web users"].capacity == pytest.approx(20e6 / 4000 * 600)
    assert networks["2000 web users"].limit == pytest.approx(1000, abs=3)


@pytest.mark.parametrize(("text", "value"), [("1 Gbit/s", 1e9), ("20% bdp", 0.2), ("11 ms", 0.011)])
def test_quantities(text: str, value: float) -> None:
    assert quantity(text) == pytest.approx(value)


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="7 parsecs"):
        quantity("7 parsecs")


def test_growth_is_measured_at_every_size_of_every_line() -> None:
    todo = points((10, 1000), (100,))
    assert [(point.line, point.size) for point in todo] == [
        *((line, size) for line in LINES for size in (10, 1000)),
        (WINDOW_LINE, 100),
    ]
    # A megabit per second and flow, so that windows are the same at every size.
    assert [point.case.network().rate for point in todo[:-1]] == [10e6, 1e9] * len(LINES)
    assert [point.case.network().flows for point in todo[:-1]] == [10, 1000] * len(LINES)


def test_a_window_fits_its_link() -> None:
    network = with_window(100_000).network()
    in_flight = network.rate * 2 * network.delay / 8 / 1500
    assert in_flight > 10 * 100_000, "nothing waits, so that the window is all there is in flight"


def test_growth_is_drawn_by_line() -> None:
    measured = {"packets_per_cpu_s": 2e6, "events_per_packet": 2.0, "peak_memory_bytes": 4e6}
    results = [{"line": point.line, "size": point.size, **measured} for point in points((10, 100), (10,))]
    left, right = draw(results).axes
    assert [line.get_label() for line in left.lines] == list(LINES)
    assert [line.get_label() for line in right.lines] == [WINDOW_LINE]
    assert "million" in left.get_ylabel()
    assert table(results).row_count == len(results)


def test_the_help_names_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "1 % loss" in " ".join(capsys.readouterr().out.split())
