"""Logs of QUIC stacks in the format qlog, as far as congestion control is in them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ackclock.errors import InputError

__all__ = ["ENDINGS", "Log", "read_log"]

ENDINGS = (".qlog", ".sqlog")
"""The endings of the files that are taken for logs."""

LARGEST_BYTES = 100_000_000
"""The largest log that is read: its events take ten times as much memory."""

SEPARATOR = b"\x1e"
"""The beginning of each record of a JSON text sequence (RFC 7464)."""

METRICS = {"metrics_updated", "recovery_metrics_updated"}
WINDOW = ("congestion_window", "cwnd")
"""The field of the draft, and the one that aioquic writes."""

PER_SECOND = 1e3
"""Times are in milliseconds."""


@dataclass(frozen=True)
class Log:
    """The log of one sender, as far as congestion control is in it."""

    name: str
    packet_bytes: float
    """The largest packet sent."""
    time_s: np.ndarray
    """The times at which the window was written, from the first event on."""
    window_packets: np.ndarray
    """The window at these times, in packets of that size."""
    in_flight_packets: np.ndarray
    """The data in flight at these times, as it was last written; NaN before it was."""
    losses_s: np.ndarray
    """The times at which packets were declared lost."""
    packets_sent: int
    round_trip_s: float
    """The smallest round trip; NaN where the log has none."""

    def window_at(self, time_s: float) -> float:
        """The window at a time, as it was last written."""
        place = int(np.searchsorted(self.time_s, time_s, side="right")) - 1
        return float(self.window_packets[max(place, 0)])


def read_log(path: Path) -> Log:
    """Reads a log in qlog 0.3 or later, as JSON or as a sequence of JSON texts. Raises InputError."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise InputError(f"{path}: more than {LARGEST_BYTES} bytes, which is more than is read of a log")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return _log(path, list(_timed(*_events(data))))
    except InputError:
        raise
    except (ValueError, LookupError, ArithmeticError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{path}: this is no qlog of version 0.3 or later, as JSON or JSON-SEQ: {error}"
        ) from None


def _events(data: bytes) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """The fields that all events share, and the events of the first trace."""
    if data.lstrip()[:1] == SEPARATOR:
        header, *events = [json.loads(record) for record in data.split(SEPARATOR) if record.strip()]
        return header.get("trace", {}).get("common_fields", {}), events
    document = json.loads(data)
    trace = document["traces"][0]
    return trace.get("common_fields", {}), trace["events"]


def _timed(
    common: Mapping[str, Any], events: list[Mapping[str, Any]]
) -> Iterator[tuple[float, str, Mapping[str, Any]]]:
    """The time of each event in seconds from the first on, its name without the namespace, and its data."""
    is_difference = common.get("time_format") in ("delta", "relative_to_previous_event")
    now = begin = None
    for event in events:
        time = float(event["time"])
        now = time if now is None or not is_difference else now + time
        begin = now if begin is None else begin
        yield (now - begin) / PER_SECOND, str(event["name"]).rpartition(":")[2], event.get("data", {})


def _positive(value: Any) -> float:
    """A number of bytes. Raises ValueError."""
    number = float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"found a window of {number} bytes; expected a finite number above zero")
    return number


def _log(path: Path, events: list[tuple[float, str, Mapping[str, Any]]]) -> Log:
    windows, losses, sizes, trips = [], [], [], []
    flight = float("nan")
    for time, name, data in events:
        if name in METRICS:
            window = next((data[field] for field in WINDOW if field in data), None)
            flight = float(data.get("bytes_in_flight", flight))
            if window is not None:
                windows.append((time, _positive(window), flight))
            trips += [float(data[field]) for field in ("min_rtt", "latest_rtt") if data.get(field)]
        elif name == "packet_lost":
            losses.append(time)
        elif name == "packet_sent":
            sizes.append(float(data.get("raw", {}).get("length", 0)))
    if not windows:
        raise InputError(
            f"{path}: no event has a congestion window; expected events metrics_updated with "
            "congestion_window, of a sender"
        )
    if not sizes or max(sizes) <= 0:
        raise InputError(f"{path}: no event packet_sent has a raw.length, from which windows become packets")
    times, values, flights = np.array(windows).T
    return Log(
        path.name,
        max(sizes),
        times,
        values / max(sizes),
        flights / max(sizes),
        np.array(losses),
        len(sizes),
        min(trips, default=float("nan")) / PER_SECOND,
    )
