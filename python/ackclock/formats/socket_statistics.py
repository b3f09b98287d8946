"""Logs of `ss -ti`, run again and again: the kernel's own facts about the sockets of TCP.

Every look at the sockets has a time: a line `Time: 1795880868.096` in it, with lines of `---` between the
looks, as Flent's `ss_iterate` writes them, or the time alone on a line before it, as `date +%s.%N` prints it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ackclock._native import TCP_INFO_COLUMNS
from ackclock.formats.measured import Measured, series

__all__ = ["NAME", "read", "recognises"]

NAME = "a log of ss -ti with times"
TIME = re.compile(r"^\s*(?:Time: *)?(\d{6,}(?:\.\d+)?)\s*$", re.MULTILINE)
SOCKET = re.compile(r"(?P<here>\S+[:.]\d+)\s+(?P<there>\S+[:.]\d+)")
PATTERNS = {
    "snd_cwnd": (re.compile(r"\bcwnd:(\d+)"), 1.0),
    "snd_ssthresh": (re.compile(r"\bssthresh:(\d+)"), 1.0),
    "rtt": (re.compile(r"\brtt:([\d.]+)/"), 1e3),
    "unacked": (re.compile(r"\bunacked:(\d+)"), 1.0),
    "total_retrans": (re.compile(r"\bretrans:\d+/(\d+)"), 1.0),
}
"""The pattern of each quantity by its name in `tcp_info`, and the factor that makes the kernel's unit of it.

`unacked` and `retrans` are missing if they are 0.
"""

FACTS = {
    column: (pattern, factor / per_unit)
    for name, column, per_unit in TCP_INFO_COLUMNS
    for pattern, factor in (PATTERNS[name],)
}
"""The pattern of each column, and the factor that makes its base unit of it."""

ACKNOWLEDGED = re.compile(r"\bbytes_acked:(\d+)")


def recognises(data: bytes) -> bool:
    """True for a text in which a socket has a congestion window."""
    return b"cwnd:" in data and TIME.search(data.decode("utf-8", "replace")) is not None


def read(data: bytes) -> Measured:
    """The samples of every socket. Its goodput is that of the bytes acknowledged since the sample before."""
    rows: list[dict[str, object]] = []
    before: dict[str, tuple[float, float]] = {}
    start_s: float | None = None
    for time_s, look in _looks(data.decode("utf-8", "replace")):
        start_s = time_s if start_s is None else start_s
        for name, facts in _sockets(look):
            row: dict[str, object] = {"time_s": time_s - start_s, "flow": name}
            for column, (pattern, factor) in FACTS.items():
                found = pattern.search(facts)
                row[column] = float(found[1]) * factor if found else None
            for count in ("in_flight_packets", "retransmissions"):
                row[count] = row[count] or 0.0
            acknowledged = ACKNOWLEDGED.search(facts)
            if acknowledged:
                now = (time_s, float(acknowledged[1]))
                # Less than before is of another connection between the same ends.
                if name in before and time_s > before[name][0] and now[1] >= before[name][1]:
                    row["goodput_bit_per_s"] = (now[1] - before[name][1]) * 8 / (time_s - before[name][0])
                before[name] = now
            rows.append(row)
    if not rows:
        raise ValueError("no socket with a time")
    return Measured("ss", series(rows))


def _looks(text: str) -> Iterator[tuple[float, str]]:
    """Each look at the sockets with its time in seconds."""
    if re.search(r"^---\s*$", text, re.MULTILINE):
        for look in re.split(r"^---\s*$", text, flags=re.MULTILINE):
            if found := TIME.search(look):
                yield float(found[1]), look
        return
    times = list(TIME.finditer(text))
    for found, following in zip(times, [*times[1:], None], strict=True):
        yield float(found[1]), text[found.end() : following.start() if following else len(text)]


def _sockets(look: str) -> Iterator[tuple[str, str]]:
    """The ends of each socket, and the facts about it, which are on the same line or on those after it."""
    name, facts = "", ""
    for line in look.splitlines():
        found = None if line[:1].isspace() else SOCKET.search(line)
        if found:
            if "cwnd:" in facts:
                yield name, facts
            name, facts = f"{found['here']} to {found['there']}", ""
        facts += f" {line}"
    if name and "cwnd:" in facts:
        yield name, facts
