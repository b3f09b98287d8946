"""Connections over paths that hold none of them back, and the packets that they send in each round trip."""

from collections import Counter
from typing import Any

import polars as pl

import ackclock

RTT_S = 0.1
INITIAL = 2
"""The initial window in packets."""


def run(
    sharing: str, flows: list[dict[str, Any]], link: dict[str, Any] | None = None, **tcp: str
) -> ackclock.Result:
    """Flows from a to b, or from c to d where they say so."""
    idle = {"rate": "10 Gbit/s", "delay": f"{RTT_S / 2} s", "buffer": "9999 packets", **(link or {})}
    return ackclock.run(
        {
            "name": "sharing",
            "duration": "100 s",
            "topology": {
                "graph": {"link": [{"from": "a", "to": "b", **idle}, {"from": "c", "to": "d", **idle}]}
            },
            "tcp": {
                "algorithm": "newreno",
                "mss": "1000 bytes",
                "initial_window": f"{INITIAL} packets",
                "segments_per_ack": 1,
                "limited_growth": "window",  # the rule of these proposals' time
                "sharing": sharing,
                **tcp,
            },
            "trace": {"packets": ["a->b", "c->d"]},
            "flow": [{"from": "a", "to": "b", **flow} for flow in flows],
        }
    )


def flights(result: ackclock.Result, flow: int) -> list[int]:
    """The packets that a connection sends in each round trip once it is established."""
    mine = pl.col("flow") == flow
    established_s = result.transfers.filter(mine)["established_s"][0]
    times_s = result.packets.filter(mine & (pl.col("payload_bytes") > 0))["time_s"].to_list()
    counts = Counter(int((time_s - established_s) / RTT_S - 0.49) for time_s in times_s)
    return [counts[number] for number in sorted(counts)]
