"""Logs of other stacks, judged by the cases that a log can show; `tests/qlogs/` says how they were made."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli.app import app
from ackclock.conformance.judge import conform_log
from ackclock.conformance.qlog import read_log
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.specifications.windows import lost
from ackclock.errors import InputError
from ackclock.measures.verdict import Outcome

LOGS = Path(__file__).resolve().parents[1] / "qlogs"


def outcomes(log: Path, spec: str) -> dict[str, Outcome]:
    """The verdicts that a log permits."""
    found = {one.what: one.outcome for one in conform_log(log, spec).verdicts}
    return {key: outcome for key, outcome in found.items() if outcome is not Outcome.NOT_APPLICABLE}


def test_reno_of_aioquic_meets_reno_and_not_cubic() -> None:
    log = LOGS / "aioquic-reno.qlog"
    found = outcomes(log, "reno")
    assert found.pop("once") is Outcome.UNDECIDED, "the log has one reduction"
    assert found == dict.fromkeys(("initial-window", "slow-start", "halving"), Outcome.HOLDS)
    assert outcomes(log, "cubic") == {"reduction": Outcome.FAILS}


def test_cubic_of_aioquic_meets_cubic_and_does_not_halve() -> None:
    log = LOGS / "aioquic-cubic.qlog"
    assert outcomes(log, "cubic") == {"reduction": Outcome.HOLDS}
    assert outcomes(log, "reno")["halving"] is Outcome.FAILS


@pytest.fixture
def own_log(tmp_path: Path) -> Path:
    """A log of the simulated TCP, as a sequence of JSON texts."""
    path = one_flow("20 Mbit/s", 40, 2, buffer="500 packets", loss=lost(400))
    settings = {"tcp": {"algorithm": "rack+reno", "initial_ssthresh": "60 packets"}}
    result = ackclock.run({"name": "log", **path, **settings, "trace": {"qlog": True}})
    file = tmp_path / "own.sqlog"
    file.write_bytes(next(iter(result.qlogs.values())))
    return file


def test_a_log_of_the_simulator_is_judged_too(own_log: Path) -> None:
    assert outcomes(own_log, "reno")["halving"] is Outcome.HOLDS
    assert outcomes(own_log, "cubic")["reduction"] is Outcome.FAILS


def test_a_sequence_and_a_document_of_the_same_events_are_read_alike(own_log: Path, tmp_path: Path) -> None:
    header, *events = [json.loads(one) for one in own_log.read_bytes().split(b"\x1e") if one.strip()]
    document = {**header, "traces": [{**header["trace"], "events": events}]}
    file = tmp_path / "own.qlog"
    file.write_text(json.dumps(document))
    assert read_log(file).window_packets.tolist() == read_log(own_log).window_packets.tolist()


def test_names_and_times_of_the_newest_drafts_are_read(tmp_path: Path) -> None:
    events = [
        {"time": time, "name": name, "data": data}
        for time, name, data in (
            (0.0, "quic:packet_sent", {"raw": {"length": 1200}}),
            (50.0, "quic:recovery_metrics_updated", {"congestion_window": 12000, "min_rtt": 50.0}),
            (50.0, "quic:recovery_metrics_updated", {"congestion_window": 24000}),
            (20.0, "quic:packet_lost", {}),
        )
    ]
    common = {"time_format": "relative_to_previous_event"}
    document = {
        "file_schema": "urn:ietf:params:qlog:file:contained",
        "traces": [{"common_fields": common, "events": events}],
    }
    file = tmp_path / "new.qlog"
    file.write_text(json.dumps(document))
    log = read_log(file)
    assert log.time_s.tolist() == [0.05, 0.1]
    assert log.window_packets.tolist() == [10, 20]
    assert log.losses_s.tolist() == [0.12]
    assert log.round_trip_s == 0.05


LOG = (
    '{"traces": [{"events": '
    '[{"time": 1, "name": "metrics_updated", "data": {"congestion_window": WINDOW}}]}]}'
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "no qlog of version 0.3"),
        ("not JSON", "no qlog of version 0.3"),
        ('{"traces": [{"events": [{"time": "x", "name": "a"}]}]}', "no qlog of version 0.3"),
        (
            '{"traces": [{"events": [{"time": 1, "name": "metrics_updated", "data": {"cwnd": "x"}}]}]}',
            "no qlog of version 0.3",
        ),
        (
            '{"traces": [{"events": [{"time": 1, "name": "packet_sent", "data": []}]}]}',
            "no qlog of version 0.3",
        ),
        ('{"traces": [{"events": []}]}', "no event has a congestion window"),
        (
            '{"traces": [{"events": [{"time": 1, "name": "metrics_updated", "data": {"cwnd": 1}}]}]}',
            "no event",
        ),
        ('{"traces": []}', "no qlog of version 0.3"),
        (LOG.replace("WINDOW", "0"), "a window of 0.0 bytes"),
        (LOG.replace("WINDOW", "NaN"), "a window of nan bytes"),
        (LOG.replace("WINDOW", "9" * 400), "no qlog of version 0.3"),
    ],
)
def test_what_is_no_log_of_a_sender_is_said(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "some.qlog"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        read_log(file)


def test_the_command_judges_a_log(tmp_path: Path) -> None:
    arguments = ["conform", str(LOGS / "aioquic-reno.qlog"), "--output", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, "--spec", "reno", "--json"])
    assert done.exit_code == 0
    document = json.loads(done.output)
    assert document["seeds"] == []
    assert document["counts"]["holds"] == 3
    with pytest.raises(InputError, match="--spec does"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
