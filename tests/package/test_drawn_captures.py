"""Captures of many tools, drawn by seed: what the reader finds is what tshark finds."""

import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from ackclock.captures.conversations import conversations
from ackclock.captures.frames import read_frames
from ackclock.captures.path import read_capture
from ackclock.errors import InputError
from tests.captures.answers import FILE
from tests.captures.drawn import Drawn, draw

with FILE.open(encoding="utf-8") as opened:
    ANSWERS = {int(row["seed"]): (int(row["packets"]), int(row["bytes"])) for row in csv.DictReader(opened)}

GROUPS = 4
SHOWN = int(os.environ.get("CAPTURES", "120"))
"""Of the seeds with an answer, as many as take some seconds; CAPTURES=2000 takes them all, ten minutes."""

TOLD = (809, 940, 1435, 1458)
"""Seeds whose headers are cut where nothing was said of it."""


def found(file: Path) -> tuple[int, int]:
    """Packets and bytes from the host that sent most to the one it sent that to."""
    packets: Counter[tuple[bytes, bytes]] = Counter()
    sizes: Counter[tuple[bytes, bytes]] = Counter()
    for (_, source, _, destination, _), each in conversations(read_frames(file).frames).directions.items():
        packets[source, destination] += len(each.sizes)
        sizes[source, destination] += sum(each.sizes)
    most = max(sizes, key=lambda ends: sizes[ends], default=None)
    return (packets[most], sizes[most]) if most else (0, 0)


def complaint(drawn: Drawn, expected: tuple[int, int], file: Path) -> str:
    """What is wrong with what was found in a capture; empty where nothing is."""
    try:
        value = found(file)
    except InputError as error:
        return "" if drawn.is_damaged or expected == (0, 0) else f"refused: {error}"
    # Behind a long header of the radio a short snap length leaves less than a header of IP, or than ports.
    traffic = conversations(read_frames(file).frames)
    if drawn.is_damaged or traffic.unreadable:
        return ""
    if traffic.portless:
        is_said = any("cut before their ports" in note for note in read_capture(file, 0.002).notes)
        return (
            "" if is_said and value <= expected else f"found {value}, tshark {expected}, and nothing is said"
        )
    if value != expected:
        return f"found {value}, tshark {expected}"
    if not drawn.shows_rtt or value == (0, 0):
        return ""
    path = read_capture(file, 0.002)
    if path.rtt_source == "of no packet of TCP a whole header was kept":
        return "" if "snapped" in drawn.about else f"no whole header: {drawn.about}"
    rtt = path.min_rtt_s
    # Timestamps of TCP are in milliseconds.
    return "" if rtt is not None and abs(rtt - drawn.rtt_s) < 0.0015 else f"RTT {rtt}, not {drawn.rtt_s}"


@pytest.mark.parametrize("group", range(GROUPS))
def test_drawn_captures_are_read_as_tshark_reads_them(group: int, tmp_path: Path) -> None:
    wrong = []
    for seed in sorted({*range(SHOWN), *TOLD})[group::GROUPS]:
        drawn = draw(seed)
        file = tmp_path / "drawn.pcap"
        file.write_bytes(drawn.data)
        if said := complaint(drawn, ANSWERS[seed], file):
            wrong.append(f"{seed} ({drawn.about}): {said}")
    assert not wrong, "\n".join(wrong)
