"""`ackclock path`: the path behind a capture."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scapy.layers.inet import IP, TCP
from scapy.packet import Raw
from scapy.utils import RawPcapWriter

import ackclock
from ackclock.captures.path import read_capture
from ackclock.errors import InputError

STEPS = [("0 s", "8 Mbit/s"), ("4 s", "2 Mbit/s"), ("7 s", "12 Mbit/s")]
SECONDS = 10
RATES = np.repeat([8e6, 2e6, 12e6], [4, 3, 3])
"""In each second."""


def scenario(link: dict[str, object]) -> dict[str, object]:
    """More datagrams than the link takes, captured on it."""
    ends = {"from": "a", "to": "b", "buffer": "100 packets"}
    return {
        "name": "captured",
        "duration": f"{SECONDS} s",
        "topology": {"graph": {"link": [ends | link]}},
        "udp": [{"from": "a", "to": "b", "rate": "30 Mbit/s", "packet": "1000 bytes"}],
        "trace": {"packets": ["a->b"]},
    }


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`ackclock path` with these arguments."""
    return subprocess.run(
        [sys.executable, "-m", "ackclock", "path", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_path_found_agrees_with_the_schedule(tmp_path: Path) -> None:
    link: dict[str, object] = {"rate": {"steps": [list(step) for step in STEPS]}, "delay": "5 ms"}
    ackclock.run(scenario(link)).save(tmp_path / "run", report=False)
    (capture,) = (tmp_path / "run" / "captures").glob("*.pcapng")
    done = command(capture, "--output", tmp_path / "found", "--bin", "500")
    assert done.returncode == 0, done.stderr
    assert "one direction only" in done.stdout
    rows = np.genfromtxt(tmp_path / "found.csv", delimiter=",", names=True)
    assert rows.dtype.names == ("time_s", "rate_bit_per_s")
    expected = np.repeat(RATES, 2)[: len(rows)]
    assert len(rows) == 2 * SECONDS - 1
    # A packet more or less in a bin of 500 ms: 0.8 % of the lowest rate.
    assert np.abs(rows["rate_bit_per_s"] / expected - 1).max() < 0.02
    assert b"<svg" in (tmp_path / "found.svg").read_bytes()
    again = ackclock.run(scenario({"schedule": {"file": str(tmp_path / "found.csv")}, "delay": "5 ms"}))
    assert again.links["bytes_forwarded"][0] * 8 == pytest.approx(RATES.sum(), rel=0.01)


def written(file: Path, packets: list[tuple[float, bytes, bytes, int, int, int]]) -> Path:
    """A capture of TCP packets: time, source, destination, sequence, acknowledgment, bytes of payload."""
    with RawPcapWriter(str(file), linktype=101) as writer:
        writer.write_header(None)
        for time, source, destination, sequence, acknowledgment, payload in packets:
            ends = {"src": ".".join(map(str, source)), "dst": ".".join(map(str, destination))}
            packet = IP(**ends) / TCP(sport=1, dport=1, seq=sequence, ack=acknowledgment, flags="A")
            data = bytes(packet / Raw(bytes(payload)))
            writer.write_packet(data, sec=int(time), usec=round(time % 1 * 1e6))
    return file


def test_round_trips_go_from_data_to_its_acknowledgment(tmp_path: Path) -> None:
    a, b = b"\x0a\0\0\1", b"\x0a\0\0\2"
    packets = [
        (0.0, a, b, 0, 0, 960),
        (0.04, b, a, 0, 960, 0),
        (0.5, a, b, 960, 0, 960),
        (0.6, a, b, 960, 0, 960),
        (0.61, b, a, 0, 1920, 0),
        (1.1, a, b, 1920, 0, 960),
        (1.15, b, a, 0, 2880, 0),
        (2.0, a, b, 2880, 0, 960),
    ]
    found = read_capture(written(tmp_path / "two.pcap", packets), 1.0)
    assert found.rate_bit_per_s.tolist() == [3 * 8000, 8000]
    assert found.min_rtt_s == pytest.approx(0.04), "the packet sent twice says nothing (Karn)"
    assert found.rtt_s.tolist() == pytest.approx([0.04, 0.05])
    assert found.csv().splitlines()[1] == "0.000000,24000,0.020000000"


def test_what_is_no_capture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.pcap").write_text("nothing of the kind", encoding="utf-8")
    done = command(tmp_path / "no.pcap")
    assert done.returncode == 2
    assert "pcapng" in done.stderr
    assert "Traceback" not in done.stderr
    assert command(tmp_path / "missing.pcap").returncode == 2
    empty = written(tmp_path / "empty.pcap", [])
    with pytest.raises(InputError, match="holds no packet"):
        read_capture(empty, 0.1)
    ends = [(time, b"\x0a\0\0\1", b"\x0a\0\0\2", 0, 0, 10) for time in (0.0, 4e9)]
    with pytest.raises(InputError, match="at most 1000000 bins"):
        read_capture(written(tmp_path / "damaged.pcap", ends), 0.1)
    one = written(tmp_path / "one.pcap", [(0.0, b"\x0a\0\0\1", b"\x0a\0\0\2", 0, 0, 10)])
    done = command(one)
    assert done.returncode == 2
    assert not list(tmp_path.glob("*.csv"))
    assert command(one, "--bin", "0").returncode == 2


def test_a_file_that_the_command_did_not_write_is_never_replaced(tmp_path: Path) -> None:
    ends = [(time, b"\x0a\0\0\1", b"\x0a\0\0\2", 0, 0, 1000) for time in (0.0, 0.5, 1.0, 1.5)]
    capture = written(tmp_path / "drive.pcap", ends)
    assert command(capture, "--output", tmp_path / "drive").returncode == 0
    assert command(capture, "--output", tmp_path / "drive").returncode == 0, "it replaces its own files"
    for name in ("drive.csv", "drive.svg"):
        kept = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(b"mine")
        done = command(capture, "--output", tmp_path / "drive")
        assert done.returncode == 2
        assert f"{name}: this file is not what Ackclock wrote" in done.stderr
        assert (tmp_path / name).read_bytes() == b"mine"
        (tmp_path / name).write_bytes(kept)
