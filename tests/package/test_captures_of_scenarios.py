"""Captures of the built-in scenarios: what tshark reads in them is what the tables say.

Each scenario runs long enough for some thousands of packets of three senders, which are captured on all links
of these hosts.
"""

import json
import math
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ackclock

pytestmark = pytest.mark.skipif(
    shutil.which("tshark") is None or shutil.which("mergecap") is None,
    reason="tshark and mergecap are not installed (Debian: apt-get install tshark)",
)

SCENARIOS = [entry.name for entry in ackclock.list_scenarios()]
HOSTS = 3
PACKETS, LONGEST_S = 2000, 2.0
"""At most, of 1500 bytes, over the fastest captured link."""

SENT_AGAIN = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
"""What tshark calls data that it has seen before, or that others overtook: sent again, all of it."""

FIELDS = {
    "stream": "tcp.stream",
    "datagrams": "udp.stream",
    "payload": "tcp.len",
    "rtt_s": "tcp.analysis.ack_rtt",
    **{name: f"tcp.analysis.{name}" for name in SENT_AGAIN},
}


@dataclass(frozen=True)
class Captured:
    """A short run, and the hosts on whose links all packets were captured."""

    result: ackclock.Result
    hosts: tuple[str, ...]

    @property
    def tcp(self) -> pl.DataFrame:
        """The rows of `packets` of TCP, with `out` for those that leave a host."""
        flows = self.result.flows.filter(pl.col("kind") == "tcp").select("flow")
        leaving = pl.col("name").str.split("->").list.first().is_in(self.hosts)
        links = self.result.links.select("link", out=leaving)
        packets = self.result.packets.join(flows, on="flow", how="semi").join(links, on="link")
        return packets.sort("time_s", maintain_order=True)


def begun_at_once(name: str) -> dict[str, Any]:
    """The scenario with all flows from the beginning."""
    tree: dict[str, Any] = json.loads(ackclock.load_scenario(name).to_json())
    for group in (*tree.get("flow", []), *tree.get("udp", []), *tree.get("call", [])):
        group |= {"start": "0 s", "start_jitter": "0 s"}
        group.pop("stop", None)
    return tree | {"warm_up": "0 s"}


def captured(name: str) -> Captured:
    """A short run of the scenario, with the captures of some senders' links."""
    tree = begun_at_once(name)
    probe = ackclock.run({**tree, "duration": "1 ms"})
    ends: dict[str, set[str]] = {}
    for source, destination in probe.flows.select("source", "destination").iter_rows():
        ends.setdefault(source, set()).add(destination)
    hosts: list[str] = []
    for host, theirs in ends.items():
        # What passes between two of them would be captured twice.
        if len(hosts) < HOSTS and not any(other in theirs or host in ends[other] for other in hosts):
            hosts.append(host)
    links = probe.links.filter(pl.col("name").str.split("->").list.eval(pl.element().is_in(hosts)).list.any())
    rate = max((rate for rate in links["rate_bit_per_s"].to_list() if math.isfinite(rate)), default=1e7)
    micros = 1e6 * min(LONGEST_S, PACKETS * 12_000 / rate)
    tree["trace"] = {"packets": links["name"].to_list()}
    return Captured(ackclock.run({**tree, "duration": f"{micros:.0f} us"}), tuple(hosts))


def seen(result: ackclock.Result, folder: Path) -> pl.DataFrame:
    """What tshark says of each packet."""
    files = []
    for index, data in enumerate(result.captures.values()):
        files.append(folder / f"{index}.pcapng")
        files[-1].write_bytes(data)
    merged = folder / "all.pcapng"
    subprocess.run(["mergecap", "-w", merged, *files], check=True)
    rows = told(merged, FIELDS.values())
    columns = pl.DataFrame(rows, schema=dict.fromkeys(FIELDS, pl.String), orient="row")
    return columns.with_columns(
        pl.col("rtt_s").cast(pl.Float64, strict=False), pl.col("payload").cast(pl.Int64, strict=False)
    )


def told(capture: Path, fields: Iterable[str], packets: str = "") -> list[list[str]]:
    """The values of fields of the packets that pass a display filter, by tshark."""
    chosen = [word for field in fields for word in ("-e", field)]
    only = ["-Y", packets] if packets else []
    command = ["tshark", "-n", "-r", str(capture), *only, "-T", "fields", *chosen]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def sent_again(tcp: pl.DataFrame) -> int:
    """The packets with data that begin before the end of what has passed already."""
    ends: dict[tuple[int, int, bool], int] = {}
    count = 0
    columns = ("flow", "connection", "out", "sequence", "payload_bytes")
    for flow, connection, out, sequence, payload in (
        tcp.filter(pl.col("payload_bytes") > 0).select(columns).rows()
    ):
        end = ends.get((flow, connection, out), 0)
        count += sequence < end
        ends[flow, connection, out] = max(end, sequence + payload)
    return count


def round_trips(tcp: pl.DataFrame) -> set[int]:
    """Microseconds from data that was sent once to an acknowledgment of just that."""
    passed: dict[tuple[int, int, bool, int], float | None] = {}
    found = set()
    columns = ("flow", "connection", "out", "time_s", "sequence", "acknowledgment", "payload_bytes")
    for flow, connection, out, time_s, sequence, acknowledgment, payload in tcp.select(columns).rows():
        begun = passed.pop((flow, connection, not out, acknowledgment), None)
        if begun is not None:
            found.add(round((time_s - begun) * 1e6))
        if payload:
            key = (flow, connection, out, sequence + payload)
            passed[key] = None if key in passed else time_s
    return found


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.filterwarnings("ignore::ackclock.errors.NoMarksWarning")
def test_tshark_reads_what_the_tables_say(name: str, tmp_path: Path) -> None:
    run = captured(name)
    packets, tcp, rows = run.result.packets, run.tcp, seen(run.result, tmp_path)
    assert rows.height == packets.height

    others = packets.join(tcp.select("flow").unique(), on="flow", how="anti")
    assert rows.filter(pl.col("datagrams") != "")["datagrams"].n_unique() == _connections(others)
    segments = rows.filter(pl.col("stream") != "")
    streams = segments.group_by("stream").agg(pl.col("payload").sum())
    assert streams.height == _connections(tcp)
    of_each = tcp.group_by("flow", "connection").agg(pl.col("payload_bytes").sum())["payload_bytes"]
    assert streams["payload"].sort().to_list() == of_each.sort().to_list()

    again = segments.select(pl.any_horizontal(pl.col(SENT_AGAIN) != "").sum()).item()
    assert again == sent_again(tcp)
    if is_quiet(run):
        mine = run.result.flows.join(tcp.select("flow").unique(), on="flow", how="semi")
        assert again == mine["retransmissions"].sum()

    found = {round(seconds * 1e6) for seconds in segments["rtt_s"].drop_nulls()}
    expected = round_trips(tcp)
    unseen = {micros for micros in expected if not found & {micros - 1, micros, micros + 1}}
    # A receiver that acknowledges what has not arrived yet confuses one of a hundred.
    assert len(unseen) <= max(1, 0.01 * len(expected)), unseen


def _connections(packets: pl.DataFrame) -> int:
    return packets.select("flow", "connection").unique().height


def is_quiet(run: Captured) -> bool:
    """True if the captured links lose nothing and change no order: each packet sent is captured, as sent."""
    links = run.result.links.join(run.result.packets.select("link").unique(), on="link", how="semi")
    lost = sum(links["dropped_queue"].to_list()) + sum(links["dropped_loss"].to_list())
    return lost == 0 and "impairments" not in run.result.scenario.to_toml()


def test_connections_of_one_flow_have_ports_and_numbers_of_their_own(tmp_path: Path) -> None:
    settings = {"duration": "20 s", "trace.packets": '["src2->left"]'}
    result = ackclock.run("fast-open", settings=settings)
    assert result.packets["connection"].n_unique() > 20
    capture = tmp_path / "out.pcapng"
    capture.write_bytes(result.captures["src2->left"])
    fields = ("tcp.srcport", "tcp.seq_raw", "tcp.len", "tcp.options.tfo.request", "tcp.options.tfo.cookie")
    rows = told(capture, fields, "tcp.flags.syn == 1")
    assert len({row[0] for row in rows}) == len({row[1] for row in rows}) == len(rows) > 20
    # RFC 7413, 4.2: the first asks for a cookie, the others show it and have data.
    assert [bool(row[3]) for row in rows] == [True] + [False] * (len(rows) - 1)
    assert len({row[4] for row in rows[1:]}) == 1
    assert {row[2] for row in rows[1:]} == {"1460"}


def test_timestamps_tick_in_milliseconds(tmp_path: Path) -> None:
    settings = {"duration": "3 s", "tcp.timestamps": True, "trace.packets": '["src1->left", "left->src1"]'}
    result = ackclock.run("two-megabit", settings=settings)
    for name in ("src1->left", "left->src1"):
        capture = tmp_path / "capture.pcapng"
        capture.write_bytes(result.captures[name])
        fields = ("frame.time_epoch", "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr")
        rows = [tuple(map(float, row)) for row in told(capture, fields, "tcp")]
        # A packet takes less than 200 ms from the clock that stamped it, and an echo less than two of these.
        assert all(0 <= time * 1000 - value < 200 for time, value, _ in rows)
        assert all(0 <= time * 1000 - echo < 400 for time, _, echo in rows[1:])
        assert len(rows) > 100
