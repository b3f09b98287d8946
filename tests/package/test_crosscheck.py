"""The comparison of stacks: its measurements, its messages about absent stacks, and runs on real sockets."""

from __future__ import annotations

import csv
import dataclasses
import json
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock import cli
from ackclock.cli.folders import resumable
from ackclock.crosscheck import host
from ackclock.crosscheck.cases import FULL, QUICK, Bottleneck, Case
from ackclock.crosscheck.kernel import KernelsOwn, OursInKernel
from ackclock.crosscheck.measurement import Measurement, loss_period
from ackclock.crosscheck.simulated import Simulated
from ackclock.crosscheck.sockets import Sockets
from ackclock.crosscheck.stacks import COLUMNS, HEADINGS, compare
from ackclock.crosscheck.store import Runs
from ackclock.errors import InputError, OutputError

PATH = Bottleneck(10, 10, 20)
SHORT = Case("cubic", PATH, duration_s=8)


def test_a_loss_period_is_the_time_between_episodes_after_the_warm_up() -> None:
    # Episodes at 1.0 (in the warm-up), 5.0, 7.0 and 9.5 s; drops 0.3 s apart are of one episode.
    drops = [1.0, 5.0, 5.3, 5.6, 7.0, 9.5]
    assert loss_period(drops, 2.0) == pytest.approx((9.5 - 5.0) / 2)
    assert loss_period(drops, 6.0) is None, "two episodes"
    assert loss_period([], 0.0) is None


def test_the_simulator_is_measured_as_its_results_say() -> None:
    measured = Simulated().measure(SHORT)
    link = {"from": "a", "to": "b", "rate": "10 Mbit/s", "delay": "10 ms", "buffer": "20 packets"}
    flow = {"from": "a", "to": "b", "algorithm": "cubic"}
    tcp = {"mss": "1440 B", "header": "60 B", "ack_delay": "25 ms"}
    result = ackclock.run(
        {
            "name": "same",
            "duration": "8 s",
            "warm_up": "2 s",
            "topology": {"graph": {"link": [link]}},
            "tcp": tcp,
            "flow": [flow],
        }
    )
    assert measured.goodput_bit_per_s == float(result.flows["goodput_bit_per_s"][0])
    assert 0 < measured.retransmissions <= int(result.flows["retransmissions"][0])


def test_jitter_is_drawn_by_the_seed_and_keeps_the_mean_delay() -> None:
    exact = Simulated().measure(SHORT)
    one, other = (Simulated(jitter_ms=0.2, seed=seed).measure(SHORT) for seed in (1, 2))
    assert len({run.mean_rtt_s for run in (exact, one, other)}) == 3
    assert one.mean_rtt_s == pytest.approx(exact.mean_rtt_s, rel=0.1)
    assert Simulated(jitter_ms=0.2, seed=1).measure(SHORT) == one


class Fake:
    """A column that says what it is asked."""

    payload = 1440

    def __init__(self, name: str, *, lacks: str | None = None, refuses: str | None = None) -> None:
        self.name, self._lacks, self._refuses = name, lacks, refuses
        self.is_exact = False
        self.goodputs = iter([9.0e6, 9.2e6, 9.4e6])

    def lacks(self) -> str | None:
        return self._lacks

    def refuses(self, case: Case) -> str | None:  # noqa: ARG002
        return self._refuses

    def measure(self, case: Case) -> Measurement:  # noqa: ARG002
        return Measurement(next(self.goodputs), 2.0, 7, 0.025, 1e-4)


def test_a_row_has_the_mean_of_its_runs_and_a_stack_that_is_not_here_says_why() -> None:
    columns = [Fake("here"), Fake("gone", lacks="a moon"), Fake("picky", refuses="it sets a rate")]
    rows = [row.cells() for row in compare([SHORT], 3, columns)]
    here, gone, picky = (dict(zip(HEADINGS, row, strict=True)) for row in rows)
    # The standard error of three values 0.2 apart is 0.2 / sqrt(3), and t(0.975, 2) is 4.303.
    assert here["goodput, Mbit/s"] == "9.200 ± 0.497"
    assert here["loss period, s"] == "2.00 ± 0.00"
    assert here["host late, p99 in us"] == "100"
    assert gone["remark"] == "not here: needs a moon"
    assert not gone["goodput, Mbit/s"]
    assert picky["remark"] == "it sets a rate"


def test_a_run_in_which_the_host_was_late_is_repeated() -> None:
    class Late(Fake):
        runs = 0

        def measure(self, case: Case) -> Measurement:  # noqa: ARG002
            self.runs += 1
            return Measurement(9e6, None, 0, 0.02, 1e-2, on_time=self.runs > 2)

    late = Late("late")
    (row,) = compare([SHORT], 1, [late])
    assert (late.runs, row.remark) == (3, "")


def test_repeats_are_rounds_and_runs_that_are_there_are_not_made_again(tmp_path: Path) -> None:
    order: list[str] = []

    class Noted(Fake):
        def measure(self, case: Case) -> Measurement:
            if len(order) == 3:
                raise KeyboardInterrupt
            order.append(f"{self.name} {case.algorithm}")
            return super().measure(case)

    cases = [SHORT, dataclasses.replace(SHORT, algorithm="reno")]
    with pytest.raises(KeyboardInterrupt):
        compare(cases, 2, [Noted("one")], Runs(tmp_path))
    assert order == ["one cubic", "one reno", "one cubic"]
    order.clear()
    rows = compare(cases, 2, [Noted("one")], Runs(tmp_path))
    assert order == ["one reno"], "the three that were there are kept"
    # The mean of 9.0 and 9.4, then of 9.2 and the first of the new process.
    assert [[run.goodput_bit_per_s for run in row.runs] for row in rows] == [[9.0e6, 9.4e6], [9.2e6, 9.0e6]]


def test_runs_of_another_build_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = Measurement(9e6, None, 0, 0.02)
    Runs(tmp_path).add("here", SHORT, 0, measured)
    assert Runs(tmp_path).find("here", SHORT, 0) == measured
    assert Runs(tmp_path).find("here", SHORT, 1) is None
    monkeypatch.setattr("ackclock.crosscheck.store.git_commit", lambda: "another")
    assert Runs(tmp_path).find("here", SHORT, 0) is None


def test_the_table_is_saved_with_its_provenance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "stacks"
    options = ["--quick", "--duration", "10 s", "--stack", "simulator, 1440 B", "--output", str(folder)]
    monkeypatch.setattr(sys, "argv", ["ackclock", "crosscheck", "stacks", "cubic", *options])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    with (folder / "stacks.csv").open(newline="") as rows:
        table = list(csv.DictReader(rows))
    assert [row["stack"] for row in table] == ["simulator, 1440 B"] * 2, "one algorithm, two paths"
    provenance = json.loads((folder / "provenance.json").read_text())
    assert provenance["result"]["what"] == "comparison of stacks"
    assert {case["warm_up_s"] for case in provenance["result"]["cases"]} == {2}
    assert "commit" in provenance["making"]


def test_every_case_runs_in_the_simulator() -> None:
    full = {(case.algorithm, case.bottleneck) for case in FULL}
    assert {(case.algorithm, case.bottleneck) for case in QUICK} <= full
    assert all(Simulated().refuses(case) is None for case in FULL)
    assert "takes no rate" in str(Simulated("quinn").refuses(Case("bbr3", PATH)))
    assert "no dctcp" in str(KernelsOwn().refuses(Case("dctcp", PATH)))


def test_names_of_columns_differ() -> None:
    assert len({column.name for column in COLUMNS}) == len(COLUMNS)


def test_a_program_that_fails_is_a_sentence() -> None:
    with (
        host.running(["sh", "-c", "echo broken >&2; exit 3"]) as program,
        pytest.raises(InputError) as caught,
    ):
        program.output(10)
    assert str(caught.value) == "sh ended with 3: broken"


def unless_possible(lacks: str | None) -> None:
    """Skips a test of real sockets where the machine has not what it needs."""
    if lacks is not None:
        pytest.skip(f"needs {lacks}")


@pytest.mark.parametrize("stack", ["quinn", "noq"])
def test_a_controller_sends_over_real_sockets(stack: str) -> None:
    column = Sockets(stack)
    unless_possible(column.lacks())
    measured = column.measure(Case("reno(limit=inf)", PATH, duration_s=4))
    # The link has 10 Mbit/s. How much of them arrive depends on the load of the machine.
    assert 1e6 < measured.goodput_bit_per_s < 9.7e6
    assert measured.mean_rtt_s >= 0.02


@pytest.mark.parametrize("column", [KernelsOwn(), OursInKernel()])
def test_the_kernel_sends_over_an_emulated_link(column: KernelsOwn | OursInKernel) -> None:
    unless_possible(column.lacks())
    measured = column.measure(Case("cubic", PATH, duration_s=4))
    assert 1e6 < measured.goodput_bit_per_s < 9.7e6


def test_a_folder_of_the_same_kind_is_taken_again(tmp_path: Path) -> None:
    tmp_path.joinpath("provenance.json").write_text('{"result": {"what": "comparison of stacks"}}')
    assert resumable(tmp_path, "comparison of stacks") == tmp_path
    tmp_path.joinpath("store").mkdir()
    with pytest.raises(OutputError, match="no sweep"):
        resumable(tmp_path, "sweep")
    tmp_path.joinpath("provenance.json").unlink()
    assert resumable(tmp_path, "sweep") == tmp_path
