"""Packet captures of whole runs, as Wireshark's own dissector reads them."""

import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

import ackclock

pytestmark = pytest.mark.skipif(
    shutil.which("tshark") is None or shutil.which("mergecap") is None,
    reason="tshark and mergecap are not installed (Debian: apt-get install tshark)",
)

TRANSFER = """
name = "captured"
duration = "60 s"

[topology.dumbbell]
pairs = 2
bottleneck = { rate = "2 Mbit/s", delay = "20 ms", buffer = "10 packets", loss = { bernoulli = 0.01 } }
access = { rate = "10 Mbit/s", delay = "5 ms" }

[tcp]
algorithm = "sack"
timestamps = true

[[flow]]
packets = 400

[[udp]]
rate = "500 kbit/s"
stop = "1 s"

[trace]
packets = ["src1->left", "left->src1", "src2->left"]
"""


@pytest.fixture(scope="module")
def result() -> ackclock.Result:
    """A transfer of 400 packets that loses some, and a UDP flow, captured at the senders."""
    return ackclock.run(ackclock.Scenario.from_toml(TRANSFER))


@pytest.fixture(scope="module")
def both_ways(result: ackclock.Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The segments that the TCP sender sent and received, in one file."""
    folder = tmp_path_factory.mktemp("captures")
    for name, link in (("out", "src1->left"), ("in", "left->src1")):
        (folder / name).write_bytes(result.captures[link])
    merged = folder / "both.pcapng"
    subprocess.run(["mergecap", "-w", merged, folder / "out", folder / "in"], check=True)
    return merged


def rows(capture: Path, display_filter: str, *fields: str) -> list[list[str]]:
    """The named fields of the packets that pass a display filter, checksums verified."""
    options = [word for header in ("ip", "tcp", "udp") for word in ("-o", f"{header}.check_checksum:TRUE")]
    chosen = [word for field in fields for word in ("-e", field)]
    command = ["tshark", "-r", str(capture), *options, "-Y", display_filter, "-T", "fields", *chosen]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_nothing_is_malformed_and_every_checksum_is_right(both_ways: Path) -> None:
    assert len(rows(both_ways, "tcp", "frame.number")) > 600
    wrong = (
        "_ws.malformed",
        "ip.checksum.status == 0",
        "tcp.checksum.status == 0",
        "tcp.analysis.ack_lost_segment",
    )
    assert rows(both_ways, " or ".join(wrong), "frame.number") == []


def test_wireshark_sees_the_retransmissions_counted(both_ways: Path, result: ackclock.Result) -> None:
    sent_again = result.flows.filter(pl.col("kind") == "tcp")["retransmissions"].item()
    assert sent_again > 3
    seen = rows(both_ways, "tcp.analysis.retransmission or tcp.analysis.out_of_order", "tcp.seq")
    assert len(seen) == sent_again


def test_the_connection_opens_and_closes_and_every_byte_goes_over(both_ways: Path) -> None:
    assert len(rows(both_ways, "tcp.flags.syn == 1", "tcp.seq")) == 2
    assert len(rows(both_ways, "tcp.flags.fin == 1", "tcp.seq")) == 2
    highest = max(int(row[0]) for row in rows(both_ways, "tcp.flags.fin == 1 and tcp.len > 0", "tcp.nxtseq"))
    assert highest == 1 + 400 * 1460 + 1, "the SYN, the data, the FIN"


def test_udp_is_read_too(result: ackclock.Result, tmp_path: Path) -> None:
    capture = tmp_path / "udp.pcapng"
    capture.write_bytes(result.captures["src2->left"])
    lengths = rows(capture, "udp and not _ws.malformed and not udp.checksum.status == 0", "udp.length")
    sent = result.flows.filter(pl.col("kind") == "udp")["packets_sent"].item()
    assert lengths == [["980"]] * sent, "1000 bytes on the wire, 20 of them IP's"
