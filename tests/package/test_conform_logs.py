"""Logs of other stacks, judged by the cases that a log can show; `tests/qlogs/` says how they were made."""

import gzip
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

SEQUENTIAL = "urn:ietf:params:qlog:file:sequential"
HOLDS, FAILS, UNDECIDED = Outcome.HOLDS, Outcome.FAILS, Outcome.UNDECIDED

OF_STACKS = [
    # The log, its qlog_version, file_schema and form; then its verdicts: the first window, slow start,
    # halving, one reduction in a round trip and the bursts by `reno`, and the reduction by `cubic`.
    ("aioquic-reno.qlog", "0.3", None, "JSON", (HOLDS, HOLDS, HOLDS, UNDECIDED, HOLDS), FAILS),
    ("aioquic-cubic.qlog", "0.3", None, "JSON", (HOLDS, HOLDS, FAILS, HOLDS, HOLDS), HOLDS),
    ("aioquic-outage.qlog", "0.3", None, "JSON", (HOLDS, HOLDS, HOLDS, HOLDS, HOLDS), FAILS),
    ("ngtcp2-reno.sqlog.gz", "0.3", None, "JSON-SEQ", (HOLDS, HOLDS, HOLDS, HOLDS, HOLDS), FAILS),
    ("ngtcp2-cubic.sqlog.gz", "0.3", None, "JSON-SEQ", (HOLDS, HOLDS, FAILS, HOLDS, FAILS), HOLDS),
    ("quic-go-0.48.sqlog.gz", "0.3", None, "JSON-SEQ", (FAILS, HOLDS, FAILS, HOLDS, HOLDS), HOLDS),
    ("quic-go-0.65.sqlog.gz", "0.3", SEQUENTIAL, "JSON-SEQ", (FAILS, HOLDS, FAILS, HOLDS, HOLDS), HOLDS),
    ("quinn-reno.sqlog.gz", "0.3", None, "JSON-SEQ", (HOLDS, HOLDS, HOLDS, HOLDS, HOLDS), FAILS),
    ("quinn-cubic.sqlog.gz", "0.3", None, "JSON-SEQ", (HOLDS, HOLDS, FAILS, HOLDS, HOLDS), HOLDS),
    ("noq-reno.sqlog.gz", None, SEQUENTIAL, "JSON-SEQ", (HOLDS, HOLDS, HOLDS, HOLDS, HOLDS), FAILS),
    ("noq-cubic.sqlog.gz", None, SEQUENTIAL, "JSON-SEQ", (HOLDS, HOLDS, FAILS, HOLDS, HOLDS), HOLDS),
]
CASES_OF_LOGS = ("initial-window", "slow-start", "halving", "once", "idle")
COLLAPSED = ("aioquic-outage.qlog",)
"""The logs with persistent congestion, which leaves the least window."""


def outcomes(log: Path, spec: str) -> dict[str, Outcome]:
    """The verdicts that a log permits."""
    found = {one.what: one.outcome for one in conform_log(log, spec).verdicts}
    return {key: outcome for key, outcome in found.items() if outcome is not Outcome.NOT_APPLICABLE}


def head_of(log: Path) -> dict[str, object]:
    """What stands before the events."""
    data = log.read_bytes()
    data = gzip.decompress(data) if log.suffix == ".gz" else data
    head: dict[str, object] = json.loads(data.split(b"\x1e")[1] if data.startswith(b"\x1e") else data)
    return head


@pytest.mark.parametrize(
    ("name", "version", "schema", "form", "by_reno", "by_cubic"), OF_STACKS, ids=[row[0] for row in OF_STACKS]
)
def test_a_log_of_a_stack_is_judged(
    name: str,
    version: str | None,
    schema: str | None,
    form: str,
    by_reno: tuple[Outcome, ...],
    by_cubic: Outcome,
) -> None:
    head = head_of(LOGS / name)
    assert (head.get("qlog_version"), head.get("file_schema")) == (version, schema)
    assert head.get("qlog_format", form) == form
    least = HOLDS if name in COLLAPSED else UNDECIDED
    found = dict(zip(CASES_OF_LOGS, by_reno, strict=True))
    assert outcomes(LOGS / name, "reno") == {**found, "timeout": least, "least-threshold": least}
    found = {"reduction": by_cubic, "timeout": least, "least-window": least}
    assert outcomes(LOGS / name, "cubic") == found
    assert outcomes(LOGS / name, "bbr") == {"sub-packet": UNDECIDED}
    log = read_log(LOGS / name)
    assert log.packet_bytes >= 1200
    # The link has 20 ms each way.
    assert 0.04 <= log.round_trip_s < 0.045


def test_each_log_is_in_the_table() -> None:
    files = {file.name for file in LOGS.iterdir() if ".qlog" in file.name or ".sqlog" in file.name}
    assert {row[0] for row in OF_STACKS} == files
    assert all((LOGS / name).stat().st_size < 300_000 for name in files)


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


def test_the_window_of_tcp_counts_data_without_headers(own_log: Path) -> None:
    """The first window of RFC 6928 is ten segments of data."""
    assert read_log(own_log).packet_bytes == 1460
    assert read_log(own_log).window_packets[0] == 10
    assert outcomes(own_log, "reno")["initial-window"] is Outcome.HOLDS


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


def sent(count: int, window: int, **more: object) -> list[dict[str, object]]:
    """The events of an end that sends this many packets with a window."""
    packets = [
        {"time": 1.0 * number, "name": "quic:packet_sent", "data": {"raw": {"length": 1200}}, **more}
        for number in range(count)
    ]
    data = {"congestion_window": window, "min_rtt": 50.0}
    return [*packets, {"time": 9.0, "name": "quic:recovery_metrics_updated", "data": data, **more}]


def test_the_end_that_sends_most_is_judged_of_a_file_with_both(tmp_path: Path) -> None:
    """A trace for each end, as the converter of xquic writes them, and one that is an error instead."""
    failed = {"error_description": "no log"}
    traces = [failed, {"events": sent(2, 12000)}, {"events": sent(4, 24000)}]
    file = tmp_path / "both.qlog"
    file.write_text(json.dumps({"qlog_version": "0.4", "traces": traces}))
    assert read_log(file).window_packets.tolist() == [20]


def test_the_connection_that_sends_most_is_judged_of_an_endpoint(tmp_path: Path) -> None:
    """All connections of an endpoint in one sequence, each with its group, as quinn writes them."""
    events = [*sent(2, 12000, group_id="a"), *sent(4, 24000, group_id="b"), *sent(3, 36000, group_id="c")]
    file = tmp_path / "endpoint.sqlog"
    file.write_text("".join(f"\x1e{json.dumps(record)}\n" for record in [{"trace": {}}, *events]))
    log = read_log(file)
    assert log.window_packets.tolist() == [20]
    assert log.packets_sent == 4


def test_a_record_that_its_program_did_not_finish_is_left_out(tmp_path: Path) -> None:
    records = "".join(f"\x1e{json.dumps(record)}\n" for record in [{"trace": {}}, *sent(2, 12000)])
    file = tmp_path / "killed.sqlog"
    file.write_text(records + '\x1e{"time": 10.0, "na')
    assert read_log(file).window_packets.tolist() == [10]
    file.write_text(records + '\x1e{"time": 10.0, "na\n\x1e{}\n')
    with pytest.raises(InputError, match="no qlog of version"):
        read_log(file)


def test_quinn_writes_sizes_into_headers_and_round_trips_in_seconds(tmp_path: Path) -> None:
    events = [
        {"time": time, "name": name, "data": data}
        for time, name, data in (
            (0.0, "transport:packet_sent", {"header": {"packet_type": "initial", "length": 1200}}),
            (0.0, "recovery:metrics_updated", {"min_rtt": 0.333, "congestion_window": 12000}),
            (41.0, "recovery:metrics_updated", {"min_rtt": 0.041}),
        )
    ]
    file = tmp_path / "quinn.sqlog"
    file.write_text("".join(f"\x1e{json.dumps(record)}\n" for record in [{"trace": {}}, *events]))
    log = read_log(file)
    assert (log.packet_bytes, log.round_trip_s) == (1200, 0.041)


@pytest.mark.parametrize("damage", [b"", b"\x1f\x8b", gzip.compress(b"{}", mtime=0)[:-6]])
def test_a_damaged_file_is_said(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "damaged.qlog.gz"
    file.write_bytes(damage)
    with pytest.raises(InputError, match=r"damaged\.qlog\.gz: (gzip cannot unpack it|this is no qlog)"):
        read_log(file)


LOG = (
    '{"traces": [{"events": '
    '[{"time": 1, "name": "metrics_updated", "data": {"congestion_window": WINDOW}}]}]}'
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "no qlog of version 0.3"),
        ('{"qlog_version": "0.3"}', "JSON-SEQ: there is no 'traces'"),
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
        ('{"traces": []}', "it has no trace with events"),
        ('{"traces": [{"error_description": "x"}]}', "it has no trace with events"),
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
    assert document["counts"]["holds"] == 4
    with pytest.raises(InputError, match="--spec does"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
