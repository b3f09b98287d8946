"""`ackclock path`: the path behind a capture."""

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scapy.layers.inet import IP, TCP, UDP, IPOption, fragment
from scapy.packet import Packet, Raw
from scapy.utils import RawPcapWriter

import ackclock
from ackclock.captures import round_trips
from ackclock.captures.conversations import Direction
from ackclock.captures.frames import Frame
from ackclock.captures.layers import packet_of
from ackclock.captures.path import CapturedPath, read_capture
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


def test_a_file_that_is_no_capture_is_quoted(tmp_path: Path) -> None:
    other = tmp_path / "lab.json"
    for content, shown in ((b'{"start": 1}', 'the letters {"st'), (b"\x7fELF", "the bytes 7f 45 4c 46")):
        other.write_bytes(content)
        with pytest.raises(ackclock.InputError) as caught:
            read_capture(other, 0.1)
        assert f"found a file that begins with {shown}; expected a capture" in str(caught.value)


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


def test_a_packet_of_the_netfilter_log_is_read_in_either_order() -> None:
    packet = bytes(IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=2) / Raw(b"seven.."))
    for order in "<>":
        mark = struct.pack(order + "HHI", 8, 5, 0)
        data = struct.pack("BBH", 2, 0, 0) + mark + struct.pack(order + "HH", 4 + len(packet), 9) + packet
        found = packet_of(Frame(0, 239, 0, data, len(data)))
        assert (found.total_bytes, found.protocol) == (35, 17)


def test_a_frame_check_sequence_is_no_part_of_the_link_type(tmp_path: Path) -> None:
    ends = [(time, b"\x0a\0\0\1", b"\x0a\0\0\2", 0, 0, 1000) for time in (0.0, 0.5, 1.0, 1.5)]
    capture = written(tmp_path / "sequence.pcap", ends)
    data = bytearray(capture.read_bytes())
    data[23] |= 0x24  # as on Ethernet, four bytes: the upper bits of the word of the link type
    capture.write_bytes(data)
    assert read_capture(capture, 0.5).packets == 4


def test_a_time_beyond_the_clock_is_damage(tmp_path: Path) -> None:
    def block(kind: int, body: bytes) -> bytes:
        length = struct.pack("<I", len(body) + 12)
        return struct.pack("<I", kind) + length + body + length

    packet = bytes(IP(src="10.0.0.1", dst="10.0.0.2") / UDP() / Raw(bytes(12)))
    times = (1_000_000, 0xFFFFFFFF_FFFFFFFF)
    out = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(
        1, struct.pack("<HHI", 101, 0, 0)
    )
    for ticks in times:
        head = struct.pack("<IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(packet), len(packet))
        out += block(6, head + packet)
    (tmp_path / "late.pcapng").write_bytes(out)
    with pytest.raises(InputError, match="damaged after its packet 1"):
        read_capture(tmp_path / "late.pcapng", 0.1)


def test_a_packet_out_of_order_turns_no_spin_bit() -> None:
    bits = [turn % 2 for turn in range(12) for _ in range(6)]
    bits[30], bits[31] = bits[31], bits[30]
    bits[35], bits[36] = bits[36], bits[35]
    first = [b"\xc3"] + [bytes([0x40 | bit << 5]) for bit in bits]
    times = list(range(0, len(first) * 1_000_000, 1_000_000))
    found = [
        rtt for _, rtt in round_trips.spun(Direction(times, [1200] * len(first), [None] * len(first), first))
    ]
    assert min(found) >= 5_000_000
    random_bits = [b"\xc3"] + [bytes([0x40 | bit << 5]) for bit in (0, 1, 1, 0, 1, 0, 0, 1) * 9]
    assert not list(round_trips.spun(Direction(times, [1200] * 73, [None] * 73, random_bits)))


def kept(file: Path, packets: list[Packet], snap: int) -> CapturedPath:
    """The path found from packets a millisecond apart, of which this many bytes were kept."""
    with RawPcapWriter(str(file), linktype=101) as writer:
        writer.write_header(None)
        for index, packet in enumerate(packets):
            data = bytes(packet)
            writer.write_packet(
                data[:snap], sec=0, usec=1000 * index, wirelen=len(data), caplen=min(snap, len(data))
            )
    return read_capture(file, 0.01)


def test_packets_without_ports_are_said_to_be_missing(tmp_path: Path) -> None:
    ends = {"src": "10.0.0.1", "dst": "10.0.0.2"}
    datagrams = [
        IP(**ends, id=index + 1, options=[IPOption(b"\x94\x04\x00\x00")] * (index % 2))
        / UDP(sport=1, dport=2)
        / Raw(bytes(972))
        for index in range(100)
    ]
    found = kept(tmp_path / "short.pcap", datagrams, 26)
    assert found.packets == 50
    assert found.notes == (
        "50 packets were cut before their ports: they are left out, and the rate is too low",
    )
    with pytest.raises(InputError, match="its packets of TCP and UDP were cut before their ports"):
        kept(tmp_path / "none.pcap", datagrams, 23)


def test_fragments_without_their_first_are_said_to_be_missing(tmp_path: Path) -> None:
    whole = IP(src="10.0.0.1", dst="10.0.0.2", id=7) / UDP(sport=1, dport=2) / Raw(bytes(972))
    others = [IP(src="10.0.0.1", dst="10.0.0.2", id=8 + index) / whole.payload for index in range(50)]
    found = kept(tmp_path / "rest.pcap", [*others, *fragment(whole, fragsize=488)[1:]], 65_535)
    assert found.packets == 50
    [note] = found.notes
    assert note.startswith("2 fragments belong to packets whose first fragment is not here")


def test_a_cut_header_of_tcp_is_why_there_are_no_round_trips(tmp_path: Path) -> None:
    there = {"src": "10.0.0.1", "dst": "10.0.0.2"}
    back = {"src": "10.0.0.2", "dst": "10.0.0.1"}
    packets = []
    for index in range(20):
        head = TCP(sport=1, dport=2, seq=1000 * index, flags="A")
        packets += [IP(**there, id=index + 1) / head / Raw(bytes(1000))]
        packets += [IP(**back, id=index + 1) / TCP(sport=2, dport=1, ack=1000 * index + 1000, flags="A")]
    assert kept(tmp_path / "whole.pcap", packets, 40).min_rtt_s == pytest.approx(0.001)
    found = kept(tmp_path / "cut.pcap", packets, 36)
    assert found.min_rtt_s is None
    assert found.rtt_source == "of no packet of TCP a whole header was kept"


def test_datagrams_of_which_headers_were_kept_are_no_copies(tmp_path: Path) -> None:
    ends = {"src": "10.0.0.1", "dst": "10.0.0.2"}
    with RawPcapWriter(str(tmp_path / "headers.pcap"), linktype=101) as writer:
        writer.write_header(None)
        for index in range(100):
            data = bytes(IP(**ends, id=0, flags="DF") / UDP(sport=1, dport=2) / Raw(bytes(972)))
            writer.write_packet(data[:28], sec=0, usec=10_000 * index, wirelen=1000, caplen=28)
    found = read_capture(tmp_path / "headers.pcap", 0.1)
    assert found.bytes == 100 * 1000
