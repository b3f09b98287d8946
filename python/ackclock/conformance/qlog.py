"""Logs of QUIC stacks in the format qlog, as far as congestion control is in them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ackclock.errors import InputError, unreadable
from ackclock.gzip_files import LARGEST_BYTES, unpacked

__all__ = ["ENDINGS", "Log", "Loss", "name_of", "read_log"]

ENDINGS = (".qlog.gz", ".sqlog.gz", ".qlog", ".sqlog")
"""The endings of the files that are taken for logs."""

SEPARATOR = b"\x1e"
"""The beginning of each record of a JSON text sequence (RFC 7464)."""

METRICS = {"metrics_updated", "recovery_metrics_updated"}
WINDOW = ("congestion_window", "cwnd")
"""The field of the draft, and the one that aioquic writes."""

PER_SECOND = 1e3
"""Times are in milliseconds."""

ACK_DELAY_MS = 25.0
"""The longest delay of an acknowledgment, unless the peer names another (RFC 9000, 18.2)."""

GRANULARITY_MS = 1.0
"""The granularity of timers (RFC 9002, 6.1.2)."""

OF_DATA = {"0RTT", "1RTT"}
"""The types of packets that share the numbers of data."""

ASSUMED_MS = 333.0
"""The round trip that a stack assumes at first (RFC 9002, 6.2.2), and quinn writes."""


@dataclass(frozen=True)
class Event:
    """An event of a log."""

    time_ms: float
    name: str
    """Without its namespace."""
    data: Mapping[str, Any]
    is_of_tcp: bool


@dataclass(frozen=True)
class Loss:
    """A packet of data that was declared lost."""

    time_s: float
    number: int
    sent_s: float
    persistent_s: float
    """The duration of persistent congestion, by the round trips until then (RFC 9002, 7.6.1)."""


@dataclass(frozen=True)
class Log:
    """The log of one sender, as far as congestion control is in it."""

    name: str
    packet_bytes: float
    """The largest packet sent, of TCP without its headers."""
    time_s: np.ndarray
    """The times at which the window was written, from the first event on."""
    window_packets: np.ndarray
    """The window at these times, in packets of that size."""
    in_flight_packets: np.ndarray
    """The data in flight at these times, as it was last written; NaN before it was."""
    losses_s: np.ndarray
    """The times at which packets were declared lost."""
    losses: tuple[Loss, ...]
    """Those of packets of data whose sending and number the log has, after a round trip was measured."""
    sent_s: np.ndarray
    """The times at which packets were sent."""
    sent_packets: np.ndarray
    """The sizes of these, in packets of the largest size."""
    round_trip_s: float
    """The smallest round trip; NaN where the log has none."""
    is_of_tcp: bool
    """True for a log that names TCP as its protocol."""

    @property
    def packets_sent(self) -> int:
        """The number of packets sent."""
        return len(self.sent_s)

    def window_at(self, time_s: float) -> float:
        """The window at a time, as it was last written."""
        place = int(np.searchsorted(self.time_s, time_s, side="right")) - 1
        return float(self.window_packets[max(place, 0)])


def name_of(path: Path) -> str:
    """The name of a log without its ending."""
    return next((path.name.removesuffix(each) for each in ENDINGS if path.name.endswith(each)), path.name)


def read_log(path: Path) -> Log:
    """Reads a log in qlog 0.3 or later, as JSON or as a sequence of JSON texts. Raises InputError."""
    data = _unpacked(path)
    try:
        return _log(path, _of_the_sender(list(_traces(data))))
    except InputError:
        raise
    except (ValueError, LookupError, ArithmeticError, TypeError, AttributeError, RecursionError) as error:
        said = f"there is no {error}" if isinstance(error, KeyError) else error
        raise InputError(
            f"{path}: this is no qlog of version 0.3 or later, as JSON or JSON-SEQ: {said}"
        ) from None


def _unpacked(path: Path) -> bytes:
    """The bytes of a file, compressed by gzip or not. Raises InputError."""
    try:
        with path.open("rb") as opened:
            return unpacked(opened.read(LARGEST_BYTES + 1))
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _traces(data: bytes) -> Iterator[tuple[Mapping[str, Any], list[Mapping[str, Any]]]]:
    """For each trace the fields that its events share, and the events."""
    if data.lstrip()[:1] == SEPARATOR:
        first, *records = [record for record in data.split(SEPARATOR) if record.strip()]
        header = json.loads(first)
        yield header.get("trace", {}).get("common_fields", {}), list(_whole(records))
        return
    for trace in json.loads(data)["traces"]:
        if "events" in trace:  # the others are errors of a converter
            yield trace.get("common_fields", {}), trace["events"]


def _whole(records: list[bytes]) -> Iterator[Mapping[str, Any]]:
    """The records of a sequence, without the last one if its program ended while it wrote (RFC 7464, 2.3)."""
    for number, record in enumerate(records, 1):
        try:
            yield json.loads(record)
        except ValueError:
            if number < len(records) or record.endswith(b"\n"):
                raise


def _of_the_sender(traces: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]]) -> list[Event]:
    """The events of the connection and end that sent the most packets, of which a file may have several.

    Raises ValueError if it has none.
    """
    if not traces:
        raise ValueError("it has no trace with events")
    connections: dict[tuple[int, str], list[Event]] = {}
    for number, (common, events) in enumerate(traces):
        for group, event in _timed(common, events):
            connections.setdefault((number, group), []).append(event)
    return max(connections.values(), key=_sent, default=[])


def _sent(events: list[Event]) -> int:
    return sum(event.name == "packet_sent" for event in events)


def _timed(common: Mapping[str, Any], events: list[Mapping[str, Any]]) -> Iterator[tuple[str, Event]]:
    """The events, each with the group, which is the connection, that it names."""
    is_difference = common.get("time_format") in ("delta", "relative_to_previous_event")
    is_of_tcp = "TCP" in common.get("protocol_type", ())
    now = None
    for event in events:
        time = float(event["time"])
        now = time if now is None or not is_difference else now + time
        name = str(event["name"]).rpartition(":")[2]
        yield str(event.get("group_id")), Event(now, name, event.get("data", {}), is_of_tcp)


def _positive(value: Any) -> float:
    """A number of bytes. Raises ValueError."""
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"found a window of {number} bytes; expected a finite number above zero")
    return number


def _log(path: Path, events: list[Event]) -> Log:
    begin = events[0].time_ms if events else 0.0
    sent = [event for event in events if event.name == "packet_sent"]
    sizes = np.array([_size(event) for event in sent])
    windows, losses, trips = [], [], []
    flight = float("nan")
    for event in events:
        time, data = (event.time_ms - begin) / PER_SECOND, event.data
        if event.name in METRICS:
            window = next((data[field] for field in WINDOW if field in data), None)
            flight = float(data.get("bytes_in_flight", flight))
            if window is not None:
                windows.append((time, _positive(window), flight))
            trips += [float(data[field]) for field in ("min_rtt", "latest_rtt") if data.get(field)]
        elif event.name == "packet_lost":
            losses.append(time)
    if not windows:
        raise InputError(
            f"{path}: no event has a congestion window; expected events metrics_updated with "
            "congestion_window, of a sender"
        )
    if not sizes.size or sizes.max() <= 0:
        raise InputError(f"{path}: no event packet_sent has a raw.length, from which windows become packets")
    times, values, flights = np.array(windows).T
    largest = float(sizes.max())
    per_second = 1.0 if _is_in_seconds(sent, trips) else PER_SECOND
    return Log(
        name=path.name,
        packet_bytes=largest,
        time_s=times,
        window_packets=values / largest,
        in_flight_packets=flights / largest,
        losses_s=np.array(losses),
        losses=tuple(_losses(events, begin, per_second)),
        sent_s=np.array([(event.time_ms - begin) / PER_SECOND for event in sent]),
        sent_packets=sizes / largest,
        round_trip_s=min(trips, default=math.nan) / per_second,
        is_of_tcp=events[0].is_of_tcp,
    )


def _losses(events: list[Event], begin_ms: float, per_second: float) -> Iterator[Loss]:
    """The packets of data that were declared lost, with what was known of round trips then."""
    sent_ms: dict[int, float] = {}
    smoothed_s = variation_s = measured_ms = math.nan
    for event in events:
        data = event.data
        if event.name in METRICS:
            smoothed_s = float(data.get("smoothed_rtt", smoothed_s * per_second)) / per_second
            variation_s = float(data.get("rtt_variance", variation_s * per_second)) / per_second
            if math.isnan(measured_ms) and data.get("latest_rtt"):
                measured_ms = event.time_ms
            continue
        number = _number(data)
        if number is None:
            continue
        if event.name == "packet_sent":
            sent_ms[number] = event.time_ms
        elif event.name == "packet_lost" and sent_ms.get(number, -math.inf) > measured_ms:
            timeout_s = smoothed_s + max(4 * variation_s, GRANULARITY_MS / 1e3) + ACK_DELAY_MS / 1e3
            yield Loss(
                time_s=(event.time_ms - begin_ms) / PER_SECOND,
                number=number,
                sent_s=(sent_ms[number] - begin_ms) / PER_SECOND,
                persistent_s=3 * timeout_s,
            )


def _number(data: Mapping[str, Any]) -> int | None:
    """The number of a packet of data; aioquic writes it of lost packets without a header."""
    header = data.get("header", data)
    is_of_data = header.get("packet_type", header.get("type")) in OF_DATA
    return int(header["packet_number"]) if is_of_data and "packet_number" in header else None


def _size(event: Event) -> float:
    """The bytes of a packet, as the window counts them; quinn writes them into the header.

    The window of TCP counts data without headers (RFC 5681, 2).
    """
    data = event.data
    if event.is_of_tcp and "frames" in data:
        return float(sum(one.get("length", 0) for one in data["frames"] if one["frame_type"] == "stream"))
    return float(data.get("raw", {}).get("length") or data.get("header", {}).get("length", 0))


def _is_in_seconds(sent: list[Event], trips: list[float]) -> bool:
    """True for round trips in seconds, which quinn writes, along with sizes in headers."""
    is_of_quinn = all("raw" not in one.data and "length" in one.data.get("header", {}) for one in sent)
    return is_of_quinn and max(trips, default=math.nan) < ASSUMED_MS / 10
