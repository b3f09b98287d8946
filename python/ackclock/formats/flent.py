"""Flent's data files (`.flent.gz`), by the documentation of the format and version 4 of its reader.

A run is written as Flent's test `tcp_nup`, with a stream per flow, so that all plots of that test draw it. No
packet of a run is a ping: the series of pings has the mean of the flows' samples of the round-trip time.
"""

from __future__ import annotations

import datetime as dt
import gzip
import json
import statistics
from collections.abc import Iterator, Mapping
from typing import Any

from ackclock.formats.flows import FlowSeries, finite, flow_series
from ackclock.formats.measured import Measured, series
from ackclock.gzip_files import GZIP, unpacked
from ackclock.measures.record import RunRecord
from ackclock.measures.statistics import jain_index
from ackclock.provenance import scenario_hash, version

__all__ = ["NAME", "read", "recognises", "written"]

NAME = "a data file of Flent (.flent.gz)"
VERSION = 4
TEST = "tcp_nup"
STREAM = "TCP upload"
PING = "Ping (ms) ICMP"
STEP_S = 0.2
"""Flent's own step."""

SUMS = ("avg", "sum", "fairness", "totals")
"""The endings of series that Flent computes from others."""

BEGINNING = "1970-01-01T00:00:00.000000Z"
"""The date of a simulation, whose clock begins at 0."""


def written(result: RunRecord) -> bytes:
    """The data file of a run; equal runs have equal files. Raises InputError without series."""
    flows = flow_series(result)
    steps = [flow.stepped(STEP_S) for flow in flows]
    times = steps[0]["time_s"].to_list()
    goodputs = {
        f"{STREAM}::{number}": list(finite(each["goodput_bit_per_s"], 1e-6))
        for number, each in enumerate(steps, start=1)
    }
    at_each = [
        [value for value in values if value is not None] for values in zip(*goodputs.values(), strict=True)
    ]
    rtts = zip(*(finite(each["rtt_s"], 1e3) for each in steps), strict=True)
    results = {
        **goodputs,
        f"{STREAM} avg": [statistics.fmean(values) if values else None for values in at_each],
        f"{STREAM} sum": [sum(values) if values else None for values in at_each],
        f"{STREAM} fairness": [jain_index(values) if any(values) else None for values in at_each],
        PING: [statistics.fmean(known) if (known := _known(values)) else None for values in rtts],
    }
    raw = {name: list(_raw(flow)) for name, flow in zip(goodputs, flows, strict=True)}
    document = {
        "version": VERSION,
        "metadata": _metadata(result, flows, times),
        "x_values": times,
        "results": results,
        "raw_values": raw,
    }
    text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False)
    return gzip.compress(text.encode(), mtime=0)


def _known(values: tuple[float | None, ...]) -> list[float]:
    return [value for value in values if value is not None]


def _raw(flow: FlowSeries) -> Iterator[dict[str, float]]:
    """The samples of a flow, with Flent's names for what `ss` shows of a socket."""
    columns = {
        "val": finite(flow.series["goodput_bit_per_s"], 1e-6),
        "tcp_cwnd": finite(flow.series["cwnd_packets"]),
        "tcp_rtt": finite(flow.series["srtt_s"], 1e3),
    }
    for time_s, *values in zip(flow.series["time_s"].to_list(), *columns.values(), strict=True):
        row = {name: value for name, value in zip(columns, values, strict=True) if value is not None}
        yield {"t": time_s, **row}


def _metadata(result: RunRecord, flows: list[FlowSeries], times: list[float]) -> dict[str, object]:
    scenario = result.scenario
    hosts = list(dict.fromkeys(flow.row["destination"] for flow in flows))
    said = f"simulated by ackclock {version()}: scenario {scenario.name}, sha256 {scenario_hash(scenario)}"
    return {
        "NAME": TEST,
        "TITLE": f"{result.label}, seed {result.seed}",
        "NOTE": said,
        "HOST": hosts[0],
        "HOSTS": hosts,
        "LOCAL_HOST": flows[0].row["source"],
        "TIME": BEGINNING,
        "T0": BEGINNING,
        "LENGTH": scenario.duration_s,
        "TOTAL_LENGTH": scenario.duration_s,
        "STEP_SIZE": times[1] - times[0] if len(times) > 1 else scenario.duration_s,
        "TEST_PARAMETERS": {"upload_streams": str(len(flows))},
        "DATA_FILENAME": None,
        "FLENT_VERSION": f"ackclock {version()}",
        "IP_VERSION": 4,
        "BATCH_NAME": None,
        "BATCH_TIME": None,
        "BATCH_TITLE": None,
        "BATCH_UUID": None,
    }


def recognises(data: bytes) -> bool:
    """True for gzip, of which no other reader makes use."""
    return data.startswith(GZIP)


def read(data: bytes) -> Measured:
    """The streams of TCP, with what `ss` said of their sockets, and the pings, as a flow of their own."""
    document = json.loads(unpacked(data))
    found = int(document["version"])
    if found > VERSION:
        raise ValueError(f"found version {found} of the format; expected at most {VERSION}")
    times = document["x_values"]
    rows: list[Mapping[str, object]] = []
    for name, values in document["results"].items():
        if name.startswith("TCP ") and not name.endswith(SUMS):
            rows += _points(name, times, values, "goodput_bit_per_s", 1e6)
            rows += _sockets(name, document)
        elif name.startswith("Ping (ms)"):
            rows += _points(name, times, values, "rtt_s", 1e-3)
    if not rows:
        raise ValueError("no series of TCP and none of pings")
    return Measured(f"Flent {document['metadata'].get('FLENT_VERSION') or ''}".strip(), series(rows))


def _points(
    name: str, times: list[float], values: list[float | None], column: str, factor: float
) -> Iterator[dict[str, object]]:
    for time_s, value in zip(times, values, strict=True):
        if value is not None:
            yield {"time_s": time_s, "flow": name, column: value * factor}


def _sockets(name: str, document: dict[str, Any]) -> Iterator[dict[str, object]]:
    """The samples of a stream's socket, whose times are dates."""
    start_s = _start_s(document)
    for row in document["raw_values"].get(name, []):
        known = {
            "cwnd_packets": row.get("tcp_cwnd"),
            "srtt_s": row["tcp_rtt"] * 1e-3 if "tcp_rtt" in row else None,
        }
        if any(value is not None for value in known.values()):
            yield {"time_s": row["t"] - start_s, "flow": name, **known}


def _start_s(document: dict[str, Any]) -> float:
    """The date of the start. Old versions state it in local time: then it is that of the first sample."""
    stated = str(document["metadata"].get("T0") or "")
    if stated.endswith("Z"):
        return dt.datetime.fromisoformat(stated).timestamp()
    every = document["raw_values"].values()
    return min(float(row["t"]) for values in every for row in values if "t" in row)
