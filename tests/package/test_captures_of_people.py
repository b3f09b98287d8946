"""Captures of calls, pages and films, as scapy reads them: conversations, and the headers of RTP."""

from collections import defaultdict
from itertools import pairwise

import polars as pl
import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.rtp import RTP
from scapy.packet import Packet
from scapy.utils import PcapNgReader

import ackclock
from ackclock import Result

SERVER_TO_READER, READER_TO_SERVER = "right->left", "left->right"

SCENARIO = {
    "name": "captured",
    "duration": "12 s",
    "topology": {
        "dumbbell": {
            "pairs": 5,
            "bottleneck": {"rate": "4 Mbit/s", "delay": "20 ms", "buffer": "100 ms"},
            "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        }
    },
    "flow": [
        {"name": "one", "page": "small", "http": "1.1"},
        {"name": "two", "page": "small", "http": "2", "start": "2 s"},
        {"name": "three", "page": "small", "http": "3", "start": "4 s"},
        {
            "name": "film",
            "film": {"ladder": ["600 kbit/s"]},
            "backward": True,
            "start": "6 s",
            "stop": "11 s",
        },
    ],
    "call": [{"algorithm": "gcc", "max_rate": "500 kbit/s", "stop": "11 s"}],
    "trace": {"packets": [SERVER_TO_READER, READER_TO_SERVER]},
}


@pytest.fixture(scope="module")
def result() -> Result:
    return ackclock.run(SCENARIO)


@pytest.fixture(scope="module")
def captures(result: Result, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Packet]]:
    """The packets of each direction."""
    folder = tmp_path_factory.mktemp("captures")
    found: dict[str, list[Packet]] = {}
    for link in (SERVER_TO_READER, READER_TO_SERVER):
        file = folder / f"{len(found)}.pcapng"
        file.write_bytes(result.captures[link])
        with PcapNgReader(str(file)) as reader:
            found[link] = reader.read_all().res
    return found


Connection = frozenset[tuple[str, int]]


def payloads(packets: list[Packet]) -> dict[Connection, int]:
    """The bytes of payload of each TCP connection and their sum over both ways, what was sent again once."""
    found: dict[Connection, dict[tuple[str, int, int], int]] = defaultdict(dict)
    for packet in packets:
        if TCP in packet:
            ip, tcp = packet[IP], packet[TCP]
            ends = frozenset({(ip.src, tcp.sport), (ip.dst, tcp.dport)})
            found[ends][ip.src, tcp.sport, tcp.seq] = ip.len - 4 * ip.ihl - 4 * tcp.dataofs
    return {ends: sum(lengths.values()) for ends, lengths in found.items()}


def test_every_connection_is_a_stream_of_its_own(result: Result, captures: dict[str, list[Packet]]) -> None:
    """Up to six of HTTP/1.1, one each of HTTP/2, HTTP/3 and the film; they have all that they deliver."""
    used = result.flows.filter((pl.col("kind") == "tcp") & (pl.col("bytes_delivered") > 0))
    expected = sorted(used["bytes_delivered"].to_list())
    assert len(expected) == result.objects.filter(pl.col("user") == 0)["connection"].n_unique() + 3
    assert sorted(payloads([*captures[SERVER_TO_READER], *captures[READER_TO_SERVER]]).values()) == expected


def test_a_call_is_rtp(result: Result, captures: dict[str, list[Packet]]) -> None:
    datagrams = [packet for packet in captures[READER_TO_SERVER] if UDP in packet]
    packets = [RTP(bytes(packet[UDP].payload)) for packet in datagrams]
    assert {packet.version for packet in packets} == {2}
    assert len({(packet.payload_type, packet.sourcesync) for packet in packets}) == 1
    numbers = [packet.sequence for packet in packets]
    # At the bottleneck's end those are missing that its queue dropped.
    assert len(numbers) >= result.calls["packets_delivered"][0]
    missing = sum((after - before) % 2**16 - 1 for before, after in pairwise(numbers))
    assert missing <= result.calls["packets_lost"][0]
    # A frame has one time, of a clock of 90 kHz, and a marker at its last packet.
    times = [packet.timestamp for packet in packets]
    frames = {time: [p.marker for p in packets if p.timestamp == time] for time in set(times)}
    assert all(marks[-1] == 1 and sum(marks) == 1 for marks in frames.values() if missing == 0)
    assert {after - before for before, after in pairwise(sorted(frames))} <= {2999, 3000, 3001}  # 30 frames/s


def test_its_reports_are_rtcp(captures: dict[str, list[Packet]]) -> None:
    """RFC 8888: transport-layer feedback (205) of format 11."""
    reports = [bytes(packet[UDP].payload) for packet in captures[SERVER_TO_READER] if UDP in packet]
    assert len(reports) > 50
    assert {(report[0] >> 6, report[0] & 31, report[1]) for report in reports} == {(2, 11, 205)}
