"""Fairness between round-trip times (5.4.3): what the study that the chapter cites measured of CTCP."""

from __future__ import annotations

import polars as pl

from ackclock.measures.statistics import jain_index
from ackclock.papers import Context, Measured, Ordered, Values

from .study import ABSTRACT, specifications

BUFFERS = {"small": "20% bdp", "large": "100% bdp"}
"""The chapter's own, and a whole bandwidth-delay product."""


PAIR = ("tcp", "ctcp")


def run(context: Context, seeds: int) -> dict[str, Measured]:
    """Two flows of 42 and 162 ms, both of standard TCP or both of CTCP, on the path of the plan for them."""
    path = context.paper.folder.parent / "mesonet_study" / "scenarios" / "two-rtts.toml"
    pair = specifications(context, ABSTRACT, PAIR)
    index: dict[str, dict[str, list[float]]] = {}
    rows = []
    for size, buffer in BUFFERS.items():
        scenario = context.load(path, {"topology.graph.link.2.buffer": buffer})
        race = context.compare(pair, scenario, seeds=seeds)
        index[size] = {}
        for name in pair:
            shares = [
                tuple(result.flows.sort("flow")["goodput_bit_per_s"].to_list())
                for result in race.results
                if result.label == name
            ]
            index[size][name] = [jain_index(two) for two in shares]
            long = [second / (first + second) for first, second in shares]
            rows.append(
                {
                    "buffer": buffer,
                    "flows": name.upper() if name in PAIR else name,
                    "share_of_162_ms": f"{sum(long) / len(long):.3f}",
                    "least": f"{min(long):.3f}",
                    "most": f"{max(long):.3f}",
                }
            )
    table = pl.DataFrame(rows)
    context.table("round-trips", table)
    context.answer("Two flows of 42 and 162 ms: the share of the longer", table)
    large = index["large"]
    return {
        "ctcp-rtt-similar": Values(
            [ours - theirs for ours, theirs in zip(large["ctcp"], large["tcp"], strict=True)]
        ),
        "ctcp-rtt-small-buffers": Ordered(index["small"]),
    }
