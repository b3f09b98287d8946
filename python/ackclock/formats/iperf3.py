"""The JSON of `iperf3 --json`, as its sources print it (`iperf_api.c`), written and read.

iperf3 states windows in bytes and round-trip times in microseconds. A quantity that a run does not record, as
the receiver's window, is left out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import polars as pl

from ackclock.formats.flows import FlowSeries, flow_series, segment_bytes
from ackclock.formats.measured import Measured, NothingMeasured, series
from ackclock.measures.record import RunRecord
from ackclock.provenance import scenario_facts, version

__all__ = ["NAME", "read", "recognises", "written"]

NAME = "the JSON of iperf3 --json"
PORT = 5201
ERROR_ALONE = re.compile(rb'\s*\{\s*"error"\s*:\s*"[^"\\]*(?:\\.[^"\\]*)*"\s*\}\s*')
STEP_S = 1.0
"""The interval of iperf3's reports."""


def written(result: RunRecord) -> bytes:
    """The document of a run, with a stream per flow. Raises InputError without series."""
    flows = flow_series(result)
    document = {
        "start": _start(result, flows),
        "intervals": list(_intervals(result, flows)),
        "end": _end(result, flows),
    }
    return (json.dumps(document, indent="\t", allow_nan=False) + "\n").encode()


def _socket(flow: FlowSeries) -> int:
    return int(flow.row["flow"]) + 5


def _start(result: RunRecord, flows: list[FlowSeries]) -> dict[str, object]:
    mss, _ = segment_bytes(result)
    times = flows[0].stepped(STEP_S)["time_s"].to_list()
    return {
        "connected": [
            {
                "socket": _socket(flow),
                "local_host": flow.row["source"],
                "local_port": PORT + 1 + place,
                "remote_host": flow.row["destination"],
                "remote_port": PORT,
            }
            for place, flow in enumerate(flows)
        ],
        "version": f"ackclock {version()}",
        "system_info": json.dumps(scenario_facts(result.scenario)),
        "timestamp": {"time": "Thu, 01 Jan 1970 00:00:00 GMT", "timesecs": 0},
        "connecting_to": {"host": flows[0].row["destination"], "port": PORT},
        "cookie": f"{result.label}, seed {result.seed}",
        "tcp_mss_default": mss,
        "target_bitrate": 0,
        "test_start": {
            "protocol": "TCP",
            "num_streams": len(flows),
            "blksize": mss,
            "omit": 0,
            "duration": result.scenario.duration_s,
            "bytes": 0,
            "blocks": 0,
            "reverse": 0,
            "tos": 0,
            "target_bitrate": 0,
            "interval": times[1] - times[0] if len(times) > 1 else result.scenario.duration_s,
        },
    }


def _intervals(result: RunRecord, flows: list[FlowSeries]) -> Iterator[dict[str, object]]:
    mss, mtu = segment_bytes(result)
    rows = [flow.stepped(STEP_S).rows(named=True) for flow in flows]
    before_s = 0.0
    sent_again = [0] * len(flows)
    for at_once in zip(*rows, strict=True):
        end_s = at_once[0]["time_s"]
        span = {"start": before_s, "end": end_s, "seconds": end_s - before_s}
        streams = []
        for place, row in enumerate(at_once):
            again = row["retransmissions"] - sent_again[place]
            sent_again[place] = row["retransmissions"]
            rate = row["goodput_bit_per_s"]
            streams.append(
                {
                    "socket": _socket(flows[place]),
                    **span,
                    "bytes": round(rate * span["seconds"] / 8),
                    "bits_per_second": rate,
                    "retransmits": again,
                    **_known("snd_cwnd", row["cwnd_packets"], mss),
                    **_known("rtt", row["srtt_s"], 1e6),
                    "pmtu": mtu,
                    "omitted": False,
                    "sender": True,
                }
            )
        yield {"streams": streams, "sum": {**span, **_sums(streams), "omitted": False, "sender": True}}
        before_s = end_s


def _known(name: str, value: float, factor: float) -> dict[str, int]:
    return {name: round(value * factor)} if math.isfinite(value) else {}


def _sums(streams: list[dict[str, Any]]) -> dict[str, float]:
    return {key: sum(one[key] for one in streams) for key in ("bytes", "bits_per_second", "retransmits")}


def _end(result: RunRecord, flows: list[FlowSeries]) -> dict[str, object]:
    mss, _ = segment_bytes(result)
    duration_s = result.scenario.duration_s
    span = {"start": 0, "end": duration_s, "seconds": duration_s}
    streams: list[dict[str, dict[str, Any]]] = []
    for flow in flows:
        row = flow.row
        sent = (row["packets_sent"] - row["retransmissions"]) * mss
        sender = {
            "socket": _socket(flow),
            **span,
            **_rate(sent, duration_s),
            "retransmits": row["retransmissions"],
            **_known("max_snd_cwnd", _largest(flow.series["cwnd_packets"]), mss),
            **_known("max_rtt", row["max_rtt_s"], 1e6),
            **_known("min_rtt", row["min_rtt_s"], 1e6),
            **_known("mean_rtt", row["mean_rtt_s"], 1e6),
            "sender": True,
        }
        receiver = {
            "socket": _socket(flow),
            **span,
            **_rate(row["bytes_delivered"], duration_s),
            "sender": True,
        }
        streams.append({"sender": sender, "receiver": receiver})
    received = sum(stream["receiver"]["bytes"] for stream in streams)
    # Simulated hosts have no processor; readers of the format expect the table.
    idle = dict.fromkeys(
        (f"{end}_{of}" for end in ("host", "remote") for of in ("total", "user", "system")), 0
    )
    return {
        "streams": streams,
        "sum_sent": {**span, **_sums([stream["sender"] for stream in streams]), "sender": True},
        "sum_received": {**span, **_rate(received, duration_s), "sender": True},
        "cpu_utilization_percent": idle,
        "sender_tcp_congestion": flows[0].row["algorithm"],
    }


def _largest(values: pl.Series) -> float:
    """The largest finite value; NaN if there is none."""
    return max((value for value in values.to_list() if math.isfinite(value)), default=math.nan)


def _rate(size: int, seconds: float) -> dict[str, float]:
    return {"bytes": size, "bits_per_second": size * 8 / seconds}


def recognises(data: bytes) -> bool:
    """True for an object with the keys that iperf3 prints, or with nothing but its error."""
    if data.lstrip()[:1] != b"{":
        return False
    return (b'"intervals"' in data and b'"start"' in data) or ERROR_ALONE.fullmatch(data) is not None


def read(data: bytes) -> Measured:
    """The intervals of every stream that `-O` does not omit. A window counts packets of the stated MSS.

    A goodput is the mean of an interval, and stands at its middle; the others are read at its end.
    """
    document = json.loads(data)
    if "error" in document:
        raise NothingMeasured(f"iperf3 could not measure: {str(document['error']).removeprefix('error - ')}")
    start = document["start"]
    mss = start.get("tcp_mss") or start.get("tcp_mss_default")
    rows: list[dict[str, object]] = []
    sent_again: dict[int, float] = {}
    for interval in document["intervals"]:
        for one in interval["streams"]:
            if one.get("omitted"):
                continue
            number = int(one["socket"])
            if "retransmits" in one:
                sent_again[number] = sent_again.get(number, 0.0) + one["retransmits"]
            middle_s = (one.get("start", one["end"]) + one["end"]) / 2
            flow = f"stream {number}"
            rows.append({"time_s": middle_s, "flow": flow, "goodput_bit_per_s": one["bits_per_second"]})
            rows.append(
                {
                    "time_s": one["end"],
                    "flow": flow,
                    "cwnd_packets": one["snd_cwnd"] / mss if mss and "snd_cwnd" in one else None,
                    "srtt_s": one["rtt"] * 1e-6 if one.get("rtt") else None,
                    "retransmissions": sent_again.get(number),
                }
            )
    if not rows:
        raise NothingMeasured("iperf3 has measured no interval of any stream")
    return Measured(str(start.get("version", "iperf3")), series(rows))
