"""`ackclock conform`: verdicts of each kind, its reports, and what a case must have."""

import json
import math
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli.app import app
from ackclock.conformance import documents, playground
from ackclock.conformance.case import Case, Specification
from ackclock.conformance.judge import FaultyCaseError, scenario_of
from ackclock.conformance.specifications import specifications
from ackclock.conformance.specifications.paths import FORWARD, one_flow
from ackclock.conformance.trace import NotSeenError, Trace
from ackclock.errors import InputError
from ackclock.measures.verdict import Outcome, Verdict

ROOT = Path(__file__).resolve().parents[2]
CASES = [(each, case) for each in specifications().values() for case in each.cases]


@pytest.mark.parametrize(("each", "case"), CASES, ids=lambda one: one.key)
def test_a_case_is_complete(each: Specification, case: Case) -> None:
    for text in (case.section, case.title, case.statement, case.rule, case.why):
        assert len(text) > 5, f"{each.key}/{case.key}"
    assert case.shown, "its figure shows something"
    ackclock.load_scenario({"name": case.key, **case.scenario})


@pytest.mark.filterwarnings("ignore::ackclock.errors.NoMarksWarning")
@pytest.mark.parametrize("each", specifications().values(), ids=lambda one: one.key)
def test_the_first_algorithm_offers_the_gauges_of_a_specification(each: Specification) -> None:
    for algorithm in each.algorithms[:1]:
        path = {"name": "path", **one_flow("10 Mbit/s", 40, 1), "tcp": {"algorithm": algorithm}}
        offered = set(ackclock.run(path).gauges["name"].unique())
        assert {gauge.name for gauge in each.gauges} <= offered
    names = [gauge.name for gauge in each.gauges]
    assert len(set(names)) == len(names)


class Fixed:
    """A window of twenty packets that nothing changes."""

    def __init__(self, start: ackclock.Start) -> None:
        self.cwnd = 2 * start.initial_window

    def on_ack(self, ack: object) -> None:
        pass

    def on_congestion(self, event: object) -> None:
        pass


def test_a_class_of_ones_own_is_judged_from_outside() -> None:
    done = ackclock.conform(Fixed, "reno", only=["initial-window", "slow-start", "halving"], seeds=2)
    assert [verdict.outcome for verdict in done.verdicts] == [Outcome.FAILS] * 3
    assert done.fails
    assert set(done.verdict("halving").checks) == {1, 2}


def test_a_case_without_its_gauge_says_what_is_missing() -> None:
    done = ackclock.conform(Fixed, "bbr", only=["drain-time", "startup-plateau"], seeds=1)
    lacking, seen = done.verdict("drain-time"), done.verdict("startup-plateau")
    assert lacking.outcome is Outcome.NOT_APPLICABLE
    assert "bbr3_state" in lacking.finding
    assert seen.outcome is Outcome.FAILS
    assert "bbr3_state" in seen.note


class Shares(Fixed):
    """A window that a loss leaves a share of; it shows no threshold."""

    share = 0.5

    def __init__(self, start: ackclock.Start) -> None:
        self.cwnd = 4 * start.initial_window

    def on_congestion(self, _event: object) -> None:
        self.cwnd *= self.share


class KeepsMore(Shares):
    share = 0.7


def test_a_sender_without_a_threshold_is_judged_by_its_window() -> None:
    def verdict(algorithm: type[Shares], spec: str, case: str) -> Outcome:
        (found,) = ackclock.conform(algorithm, spec, only=[case], seeds=1).verdicts
        assert "ssthresh" in found.note + found.finding
        return found.outcome

    assert verdict(Shares, "reno", "halving") is Outcome.HOLDS
    assert verdict(KeepsMore, "reno", "halving") is Outcome.FAILS
    assert verdict(KeepsMore, "cubic", "reduction") is Outcome.HOLDS
    assert verdict(Shares, "cubic", "reduction") is Outcome.FAILS
    assert verdict(Shares, "reno", "timeout") is Outcome.NOT_APPLICABLE


def test_seeds_that_disagree_leave_a_case_open() -> None:
    seen: list[int] = []

    class Sometimes(Fixed):
        def __init__(self, start: ackclock.Start) -> None:
            super().__init__(start)
            seen.append(1)
            self.cwnd = 8.0 if len(seen) == 1 else 20.0

    done = ackclock.conform(Sometimes, "reno", only=["initial-window"], seeds=2)
    assert done.verdict("initial-window").outcome is Outcome.UNDECIDED
    assert "1 of 2 seeds" in done.verdict("initial-window").finding


def test_equal_seeds_have_equal_verdicts() -> None:
    twice = [ackclock.conform("cubic", only=["reduction"], seeds=[5]) for _ in range(2)]
    assert documents.as_json(twice[0]) == documents.as_json(twice[1])


def test_the_specification_follows_from_the_last_part() -> None:
    def key(algorithm: str) -> str:
        return ackclock.conform(algorithm, only=["timeout"], seeds=1).specification.key

    assert key("hystart+cubic") == "cubic"
    assert key("sack") == "reno"
    with pytest.raises(InputError, match="no specification names it"):
        key("newreno+bic")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["vegas"], "--spec chooses one"),
        (["bbr3", "--spec", "bb"], 'did you mean "bbr"'),
        (["cubic", "--only", "plateaux"], 'did you mean "plateau"'),
        (["nothing.py:Mine", "--spec", "reno"], "no such file"),
    ],
)
def test_wrong_input_is_one_sentence(arguments: list[str], words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        CliRunner().invoke(
            app, ["conform", *arguments, "--output", str(tmp_path / "out")], catch_exceptions=False
        )


def test_the_command_reports_to_people_and_programs(tmp_path: Path) -> None:
    out, report = tmp_path / "out", tmp_path / "report.xml"
    arguments = [
        "conform",
        "rack+cubic",
        "--spec",
        "reno",
        "--only",
        "slow-start,halving,idle",
        "--seeds",
        "1",
    ]
    done = CliRunner().invoke(app, [*arguments, "--output", str(out), "--junit", str(report), "--json"])
    assert done.exit_code == 1
    document = json.loads(done.output)
    assert document["schema"] == "ackclock-conformance/1"
    assert document["counts"] == {"holds": 2, "fails": 1, "inconclusive": 0, "not applicable": 0}
    assert [case["verdict"] for case in document["cases"]] == ["holds", "fails", "holds"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3
    assert "scenarios/CASE.toml, which <code>ackclock run</code> takes" in page
    assert "A loss halves the window" in (out / "conformance.md").read_text(encoding="utf-8")
    assert 'tests="3" failures="1" skipped="0"' in report.read_text().splitlines()[0]
    alone = ackclock.run(out / "scenarios" / "halving.toml")
    assert alone.flows["packets_lost"].item() == 1
    assert len(alone.qlogs) == 1


@pytest.mark.skipif(shutil.which("node") is None, reason="the playground's pages need node")
@pytest.mark.parametrize("each", specifications().values(), ids=lambda one: one.key)
def test_the_playground_reads_the_address_of_each_case(each: Specification) -> None:
    """The page's own reader of addresses finds the scenario's tree."""
    algorithm = each.algorithms[0] if each.algorithms else "newreno"
    made = [scenario_of(case, algorithm, algorithm)[0] for case in each.cases]
    reader = (ROOT / "playground" / "src" / "scenario" / "address.js").as_uri()
    program = (
        f"const {{ read }} = await import({json.dumps(reader)});"
        "const found = [];"
        f"for (const each of {json.dumps([playground.fragment(one) for one in made])})"
        " found.push((await read(each, {})).tree);"
        "console.log(JSON.stringify(found));"
    )
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [json.loads(one.to_json()) for one in made]


def test_the_playground_has_no_classes_of_ones_own() -> None:
    assert playground.fragment(scenario_of(CASES[0][1], "Fixed", Fixed)[0]) is None


def test_the_page_links_each_case_to_the_playground(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["conform", "cubic", "--only", "reduction", "--seeds", "1", "--json", "--output", str(out)]
    done = CliRunner().invoke(app, arguments)
    (case,) = json.loads(done.output)["cases"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert re.findall('href="(http[^"]*)"', page) == [f"http://127.0.0.1:8000/{case['playground']}"]
    assert "ackclock playground --port 8000" in page


def test_the_command_prints_a_line_for_each_case(tmp_path: Path) -> None:
    arguments = ["conform", "cubic", "--only", "reduction,plateau", "--seeds", "1"]
    done = CliRunner().invoke(app, [*arguments, "--output", str(tmp_path / "out")])
    assert done.exit_code == 0
    assert "2 hold, 0 fail, 0 not applicable, 0 inconclusive" in done.output


class Gentle:
    """RFC 9438's threshold with FlightSize as RFC 5681 defines it, which counts a probe."""

    def __init__(self, start: ackclock.Start) -> None:
        self.cwnd, self.ssthresh = start.initial_window, start.initial_ssthresh

    def on_ack(self, ack: ackclock.Ack) -> None:
        if ack.may_grow:
            self.cwnd += ack.delivered if self.cwnd < self.ssthresh else 1 / self.cwnd

    def on_congestion(self, event: ackclock.Congestion) -> None:
        if not event.repeated:
            self.ssthresh = max(0.7 * event.flight, 2.0)
        self.cwnd = 1.0 if event.restart else self.ssthresh


def test_the_least_window_is_the_same_whether_a_probe_counts_or_not() -> None:
    for algorithm in (Gentle, "cubic", "newreno+cubic"):
        (verdict,) = ackclock.conform(algorithm, "cubic", only=["least-window"]).verdicts
        assert verdict.outcome is Outcome.HOLDS, verdict.finding


def test_one_value_that_is_expected_is_said_once() -> None:
    assert Verdict.within("window", 2.1, 2.0, 2.0).expectation == "2"
    assert Verdict.within("window", 2.1, 2.0, 2.5).expectation == "2 to 2.5"


def test_a_case_of_ones_own_class_is_run_alone(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "class Mine:\n    cwnd = 10.0\n    def on_ack(self, ack): pass\n"
        "    def on_congestion(self, event): pass\n"
    )
    out = tmp_path / "out"
    arguments = [
        "conform",
        f"sack+{tmp_path}/own.py:Mine",
        "--spec",
        "reno",
        "--only",
        "halving",
        "--seeds",
        "1",
    ]
    done = CliRunner().invoke(app, [*arguments, "--output", str(out)])
    assert done.exit_code == 0, done.output
    assert (out / "algorithms" / "mine" / "own.py").is_file()
    alone = ackclock.run(out / "scenarios" / "halving.toml")
    assert set(alone.flow_series["cwnd_packets"].to_list()) == {10.0}


def test_cases_that_fail_stand_first_and_those_that_do_not_apply_last(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [
        "conform",
        str(ROOT / "tests/qlogs/aioquic-cubic.qlog"),
        "--spec",
        "reno",
        "--output",
        str(out),
    ]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    rows = done.output.splitlines()
    verdicts = [row.split()[1] for row in rows if row.startswith(("halving", "once", "slow-start"))]
    assert verdicts == ["fails", "holds", "holds"]
    (reason,) = [row for row in rows if row.startswith("not applicable")]
    assert not (out / "scenarios").exists()
    assert "a log does not show it: " in reason
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "scenarios/CASE.toml" not in page
    assert (
        page.index('<section id="halving"')
        < page.index('<section id="once"')
        < page.index("not apply</summary>")
    )
    assert page.index("not apply</summary>") < page.index('<section id="limited-transmit"')


@pytest.mark.parametrize("name", ["q.toml", "q.json", "q.dat"])
def test_a_file_that_is_neither_an_algorithm_nor_a_log_is_said(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}")
    with pytest.raises(InputError, match="neither an algorithm nor a qlog"):
        CliRunner().invoke(app, ["conform", str(tmp_path / name), "--spec", "cubic"], catch_exceptions=False)


def test_specifications_are_listed_with_their_cases() -> None:
    done = CliRunner().invoke(app, ["list", "specifications", "--json"])
    listed = json.loads(done.output)["specifications"]
    assert {one["key"] for one in listed} == set(specifications())
    assert all(one["cases"][0]["statement"] for one in listed)


def test_a_run_in_which_nothing_happens_leaves_a_case_open() -> None:
    done = ackclock.conform("dctcp(alpha=0)", only=["decay"], seeds=1)
    assert done.verdict("decay").outcome is Outcome.UNDECIDED


def test_the_specification_that_names_an_algorithm_earliest_is_its_own() -> None:
    def key(algorithm: str, case: str) -> str:
        return ackclock.conform(algorithm, only=[case], seeds=1).specification.key

    assert key("rack", "example") == "rack"
    assert key("prr", "at-once") == "prr"
    assert key("newreno", "partial-acknowledgments") == "newreno"


def test_a_fault_of_a_case_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    known = specifications()["reno"]

    def divides(_: Trace) -> Iterator[Verdict]:
        yield Verdict.same("packets", 1, 1 // 0)

    faulty = replace(known, cases=(replace(known.cases[0], observe=divides),))
    monkeypatch.setattr("ackclock.conformance.judge.specification", lambda _: faulty)
    with pytest.raises(
        FaultyCaseError, match=r"^test_conform\.py, line \d+: case initial-window: ZeroDivisionError"
    ):
        ackclock.conform("newreno", "reno", seeds=1)


def test_what_is_found_before_a_case_waits_in_vain_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    known = specifications()["reno"]

    def waits(_: Trace) -> Iterator[Verdict]:
        yield Verdict.same("packets", 1, 2)
        raise NotSeenError("a packet that is sent again")

    patient = replace(known, cases=(replace(known.cases[0], observe=waits),))
    monkeypatch.setattr("ackclock.conformance.judge.specification", lambda _: patient)
    verdict = ackclock.conform("newreno", "reno", seeds=1).verdicts[0]
    assert verdict.outcome is Outcome.FAILS
    assert [check.outcome for check in verdict.checks[1]] == [Outcome.FAILS, Outcome.UNDECIDED]


def test_settings_apply_to_every_scenario() -> None:
    done = ackclock.conform("rack", only=["tail-probe"], seeds=1, settings={"tcp.loss_probes": False})
    assert done.verdicts[0].outcome is Outcome.FAILS
    scenario = done.verdicts[0].scenario
    assert scenario is not None
    assert "loss_probes = false" in scenario.to_toml()


def test_packets_that_pass_a_link_are_numbered_from_the_first() -> None:
    path = {"name": "path", **one_flow("10 Mbit/s", 40, 1, watch=FORWARD), "tcp": {"algorithm": "newreno"}}
    trace = Trace(ackclock.run(path))
    assert trace.sent.number[:3].tolist() == [0, 1, 2]
    assert not trace.sent.is_again.any()
    assert trace.acknowledged_before(trace.sent.times(12)[0]) < trace.sent.times(12)[0]


def test_phases_are_the_times_between_changes() -> None:
    path = {"name": "path", **one_flow("10 Mbit/s", 40, 3), "tcp": {"algorithm": "bbr3"}}
    phases = Trace(ackclock.run(path)).phases("bbr3_state")
    assert [phase.value for phase in phases[:2]] == [0, 1]
    assert all(before.end_s == after.begin_s for before, after in pairwise(phases))
    assert [phase.is_whole for phase in phases[-2:]] == [True, False]
    assert math.isclose(phases[-1].end_s, 3.0, abs_tol=0.002)


def test_an_interruption_says_that_there_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ackclock.conformance.judge.conform", interrupted)
    done = CliRunner().invoke(app, ["conform", "reno", "--output", str(tmp_path / "out")])
    assert "no verdict was written" in str(done.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("algorithm", "spec", "case"),
    [("rfc9002+reno", "reno", "timeout"), ("rfc9002+dctcp", "dctcp", "timeout")],
)
def test_cases_of_the_retransmission_timer_say_nothing_of_quics_loss_detection(
    algorithm: str, spec: str, case: str, tmp_path: Path
) -> None:
    """RFC 9002, 6.2: a probe timeout sends packets, and neither finds losses nor reduces the window."""
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    cwnd = 10.0\n    def on_ack(self, ack): pass\n"
        "    def on_congestion(self, event): pass\n",
        encoding="utf-8",
    )
    for tried in (algorithm, f"rfc9002+{tmp_path}/mine.py:Mine"):
        done = ackclock.conform(tried, spec, only=[case], seeds=1)
        [verdict] = done.verdicts
        assert verdict.word == "not applicable"
        assert verdict.finding == "rfc9002 has no retransmission timer (RFC 9002, 6.2)"
        assert not done.fails
    over_tcp = ackclock.conform(algorithm.replace("rfc9002", "rack"), spec, only=[case], seeds=1)
    assert over_tcp.verdict(case).word == "holds"
