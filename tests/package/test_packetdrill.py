"""Scripts of packetdrill: those of our own pass, and the command reports what others show."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ackclock.cli.app import app
from ackclock.errors import InputError
from ackclock.packetdrill import TcpSender
from ackclock.packetdrill.scripts import FAILED, NOT_RUNNABLE, PASSED, find, run_script
from tests.package.packetdrill_mutants import MUTANTS, ROOT, Mutant

SCRIPTS = Path(__file__).resolve().parents[1] / "packetdrill"

OPENING = """
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 1000
+0 accept(3, ..., ...) = 4
+0 write(4, ..., 2000) = 2000
"""


OF_RFCS: dict[str, dict[str, object]] = {
    "rfc": {},
    "rfc7661": {"algorithm": "sack+standard(limit=inf)+reno", "limited_growth": "rfc7661"},
}
"""The keys of folders that are not of a system."""


@pytest.mark.parametrize("system", sorted(path.name for path in SCRIPTS.iterdir()))
def test_our_own_scripts_pass(system: str) -> None:
    keys = OF_RFCS.get(system, {"system": system})
    outcomes = [run_script(path, keys) for path in find([SCRIPTS / system])]
    assert [outcome for outcome in outcomes if outcome.verdict != PASSED] == []


@pytest.mark.parametrize("script", find([SCRIPTS / "rfc7661"]), ids=lambda path: path.stem)
def test_a_script_of_window_validation_fails_without_it(script: Path) -> None:
    keys = {**OF_RFCS["rfc7661"], "limited_growth": "rate-limited"}
    assert run_script(script, keys).verdict == FAILED


WITHOUT: dict[str, dict[str, object]] = {
    "growth of windows not used in full": {"limited_growth": "window"},
    "growth under reordering": {"grow_by_sack": False},
    "timeout above the round trip": {"rto_min_bounds": "timeout"},
    "probe of the tail": {"loss_probes": False},
    "wait of the probe": {"loss_probe_wait": "rfc8985"},
    "proportional reduction": {"proportional_rate": "rfc6937"},
    "response by the window": {"reduction_base": "flight"},
    "lost retransmission": {"reduce_again": True},
    "RACK": {"algorithm": "prr+hystart-linux+cubic-linux"},
    "RACK's round trip": {"rack_rtt": "latest-sent"},
    "F-RTO": {"frto": False},
    "DSACK": {"dsack": False},
    "HyStart": {"algorithm": "rack+standard(limit=1000)+cubic-linux"},
    "whole packets of CUBIC": {"algorithm": "rack+hystart-linux+cubic(limit=1000)"},
    "pacing": {"pacing": "algorithm"},
    "linear timeouts of SYNs": {"syn_linear_timeouts": 0},
    "restart after idle times": {"restart_after_idle": False},
    "quick acknowledgments": {"quick_acks": 0},
    "ECN-capable acknowledgments": {"ecn_control_packets": False},
    "fallback of ECN": {"ecn_fallback": False},
    "cycles of the counter of marks": {"accecn_cycles": "prevailing"},
    "acknowledgment of changed fields": {"accecn_ack_changes": False},
    "byte counters in every segment": {"accecn_option_always": False},
    "proportional reduction after marks": {"reduction_for_marks": False},
}
"""Mechanisms of Linux, and keys without them."""


@pytest.mark.parametrize("mechanism", WITHOUT)
def test_our_own_scripts_notice_what_is_missing(mechanism: str) -> None:
    keys = {"system": "linux", **WITHOUT[mechanism]}
    outcomes = [run_script(path, keys) for path in find([SCRIPTS / "linux"])]
    assert any(outcome.verdict == FAILED for outcome in outcomes)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.mechanism)
def test_each_fault_has_its_place(mutant: Mutant) -> None:
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.sound) == 1


@pytest.mark.parametrize(
    ("rest", "line", "expected", "seen"),
    [
        ("+0 > . 1:1001(1000) ack 1\n+0 > . 1001:3001(2000) ack 1", 11, "1001:3001", "1001:2001"),
        ("+.2 > P. 1:2001(2000) ack 1", 10, "at 0.300000", "at 0.100000"),
        ("+0 %{ assert tcpi_unacked == 3 }%", 10, "tcpi_unacked == 3", "tcpi_unacked = 2"),
        ("+0 read(4, ..., 100) = 100", 10, "read", "waits"),
        ("+0 > P. 1:2001(2000) ack 1 <nop,nop,TS val 1 ecr 1>", 10, "TS val", "Timestamps"),
    ],
)
def test_what_differs_is_said_with_its_line(
    rest: str, line: int, expected: str, seen: str, tmp_path: Path
) -> None:
    script = tmp_path / "one.pkt"
    script.write_text(OPENING + rest + "\n")
    outcome = run_script(script)
    assert (outcome.verdict, outcome.line) == (FAILED, line)
    assert expected in outcome.expected
    assert seen in outcome.seen
    assert outcome.context


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP) = 3", "IPv6"),
        ("0 socket(..., SOCK_STREAM, IPPROTO_MPTCP) = 3", "MPTCP"),
        ("0 epoll_create(1) = 4", "epoll_create"),
        ("0 `rm -rf /`", "rm"),
        ("0 `./missing.sh`", "missing.sh"),
        ("0 nonsense", "a packet or a call"),
        ("0 %{ assert " + "(" * 5000 + "1 }%", "deep"),
    ],
)
def test_what_is_not_run_is_said_with_its_reason(text: str, reason: str, tmp_path: Path) -> None:
    script = tmp_path / "one.pkt"
    script.write_text(text)
    outcome = run_script(script)
    assert (outcome.verdict, outcome.line) == (NOT_RUNNABLE, 1)
    assert reason in outcome.reason


def test_a_misspelt_call_fails_with_the_nearest_name(tmp_path: Path) -> None:
    """It was no failure but "not runnable, the call wriite"; a real call that is not made here stays that."""
    script = tmp_path / "script.pkt"
    script.write_text(OPENING.replace("write(4", "wriite(4"))
    outcome = run_script(script)
    assert (outcome.verdict, outcome.line) == (FAILED, 9)
    assert (outcome.expected, outcome.seen) == (
        "a call of packetdrill", 'the call "wriite"; did you mean "write"?',
    )  # fmt: skip
    script.write_text(OPENING.replace("write(4", "writev(4"))
    outcome = run_script(script)
    assert (outcome.verdict, outcome.reason) == (NOT_RUNNABLE, "the call writev is not made here")


def test_the_command_reports_to_people_and_programs(tmp_path: Path) -> None:
    (tmp_path / "a.pkt").write_text(OPENING + "+0 > P. 1:2001(2000) ack 1\n")
    (tmp_path / "b.pkt").write_text(OPENING + "+0 > P. 1:3001(3000) ack 1\n")
    (tmp_path / "c.pkt").write_text("0 poll() = 0\n")
    report = tmp_path / "report.xml"
    done = CliRunner().invoke(app, ["packetdrill", str(tmp_path), "--json", "--junit", str(report)])
    assert done.exit_code == 1
    document = json.loads(done.output)
    assert document["counts"] == {PASSED: 1, FAILED: 1, NOT_RUNNABLE: 1}
    assert [Path(row["script"]).name for row in document["scripts"]] == ["a.pkt", "b.pkt", "c.pkt"]
    head = report.read_text().splitlines()[0]
    assert 'tests="3" failures="1" skipped="1"' in head


def test_a_run_in_which_nothing_ran_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "c.pkt").write_text("0 poll() = 0\n")
    assert CliRunner().invoke(app, ["packetdrill", str(tmp_path)]).exit_code == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--system", "linus"], 'did you mean "linux"?'),
        (["--set", "algoritm=cubic"], 'did you mean "algorithm"?'),
        (["--set", "algorithm=mine.py:Mine"], "a class in Python does not run in scripts"),
    ],
)
def test_a_wrong_key_is_an_error_of_the_command(options: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "a.pkt").write_text(OPENING)
    done = CliRunner().invoke(app, ["packetdrill", str(tmp_path), *options])
    assert isinstance(done.exception, InputError)
    assert said in str(done.exception)


def test_the_keys_of_the_command_count_more_than_the_script(tmp_path: Path) -> None:
    script = tmp_path / "one.pkt"
    script.write_text(
        OPENING.replace("2000", "9000") + "+0 > . 1:3001(3000) ack 1\n+.01 %{ assert tcpi_unacked == 3 }%"
    )
    assert run_script(script).verdict == FAILED
    assert run_script(script, {"initial_window": "3 packets"}).verdict == PASSED
    assert "tcp.initial" in run_script(script, {"initial": 3}).reason


def test_growth_ends_at_its_bound_within_one_acknowledgment(tmp_path: Path) -> None:
    """draft-ietf-ccwg-ratelimited-increase, 3: "The sender MUST cap cwnd to be no larger than limit(maxFS)".

    The largest flight is the initial window of 10 packets: 18 and 10 packets make 20 and not 28.
    """
    rest = """+0 > . 1:8001(8000) ack 1
+.1 < . 1:1(0) ack 8001 win 1000
+0 %{ assert tcpi_snd_cwnd == 18 }%
+0 write(4, ..., 10000) = 10000
+0 > . 8001:18001(10000) ack 1
+.1 < . 1:1(0) ack 18001 win 1000
+0 %{ assert tcpi_snd_cwnd == 20 }%
"""
    script = tmp_path / "one.pkt"
    script.write_text(OPENING.replace("2000", "8000") + rest)
    keys = {"algorithm": "newreno+standard(limit=inf)+reno"}
    assert run_script(script, keys).verdict == PASSED
    assert "= 10" in run_script(script, keys | {"limited_growth": "window"}).seen


def test_growth_by_validation_needs_half_of_the_window_in_a_round_trip(tmp_path: Path) -> None:
    """RFC 7661, 4.2 to 4.4, with flights of 4, 4, 8, 8 and 8 packets from a window of 10.

    Before the first sample the phase is validated, so that three of four acknowledgments grow the window.
    Then 4 is less than half of 13; 8 is more than half of it, and up to 16 half of the window at least. A
    window that is not validated leaves in a round trip of 100 ms (4.4.2).
    """
    lines, sent = [OPENING.partition("+0 write")[0]], 1
    for flight, gap_s, window in ((4, 0, 13), (4, 0.0077, 13), (8, 0.0077, 14), (8, 0, 17), (8, 0.0059, 17)):
        first, sent = sent, sent + 1000 * flight
        lines.append(f"+0 write(4, ..., {1000 * flight}) = {1000 * flight}")
        lines += [
            f"+{gap_s if start > first else 0} > . {start}:{start + 1000}(1000) ack 1"
            for start in range(first, sent, 1000)
        ]
        for place, last in enumerate(range(first + 1000, sent + 1, 1000)):
            lines.append(f"+{0 if place else 0.1} < . 1:1(0) ack {last} win 1000")
        lines.append(f"+0 %{{ assert tcpi_snd_cwnd == {window}, tcpi_snd_cwnd }}%")
    script = tmp_path / "validated.pkt"
    script.write_text("\n".join(lines) + "\n")
    keys = {"algorithm": "newreno+standard(limit=inf)+reno", "limited_growth": "rfc7661"}
    outcome = run_script(script, keys)
    assert outcome.verdict == PASSED, (outcome.line, outcome.seen)


def test_the_page_lists_the_names_of_assertions() -> None:
    page = (ROOT / "docs" / "packetdrill.md").read_text(encoding="utf-8")
    names = set(TcpSender.of_system("linux").info())
    assert names <= {name.removeprefix("tcpi_") for name in re.findall(r"`(tcpi_\w+)`", page)}


def test_a_path_without_scripts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file in it ends in \.pkt"):
        find([tmp_path])
    with pytest.raises(InputError, match="no such file"):
        find([tmp_path / "missing"])


@pytest.mark.parametrize(
    "text", ["", "\n\n", "// a plan\n/* 0 socket(..) = 3\n*/\n", "--tolerance_usecs=5\n"]
)
def test_a_script_without_an_event_is_refused(text: str, tmp_path: Path) -> None:
    """It passed."""
    script = tmp_path / "empty.pkt"
    script.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"empty\.pkt: holds no event"):
        run_script(script)
