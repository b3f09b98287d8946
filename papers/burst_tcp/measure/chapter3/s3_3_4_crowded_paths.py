"""Files together with an elephant, so that RIO-PS of Table I can have an effect.

Over paths that no others use, a queue of routers has nobody to prefer. The thesis has RIO-PS solve two
problems, of which it changes no sender's rule: files that others crowd wait less, and lose less. So both are
measured where every path is as narrow as that of the second slow-start problem, and one elephant of standard
TCP fills it. Files begin at times that the seed draws, each over a connection of its own.
"""

from __future__ import annotations

import numpy as np
import polars as pl

import ackclock

from .s3_3_4_proposals import Proposal
from .s3_3_4_users import ROOM, narrow_rate, one_way_s, senders

__all__ = ["crowded", "data_s", "waited_for_timer"]

FILES = 100
"""Of each size."""
BEGIN_S, FOR_S, REST_S = 10, 200, 30
"""The elephant is alone first; files begin for so long; the last are over after the rest."""
ENDLESS = 10**6
"""Packets of the elephant, which outlasts the run."""


def crowded(proposal: Proposal, seed: int, sizes: tuple[int, ...], segments_per_ack: int) -> pl.DataFrame:
    """A row per file: its path by number, the time of its data in s, and its timeouts."""
    delay_s = one_way_s(seed)
    link = {
        "rate": narrow_rate(delay_s),
        "delay": f"{delay_s:.9f} s",
        "buffer": f"{ROOM} packets",
        "queue": proposal.queue(ROOM) if proposal.queue else "droptail",
        "reverse": {"queue": "droptail"},
    }
    paths = [({"from": f"s{number}", "to": f"r{number}"}, size) for number, size in enumerate(sizes)]
    elephants = [{**ends, "packets": ENDLESS} for ends, _ in paths]
    files = [
        {
            **ends,
            "packets": size,
            "count": FILES,
            "start": f"{BEGIN_S} s",
            "start_jitter": f"{FOR_S} s",
        }
        for ends, size in paths
    ]
    result = ackclock.run(
        {
            "name": "table-1-crowded",
            "duration": f"{BEGIN_S + FOR_S + REST_S} s",
            "seed": seed,
            "topology": {"graph": {"link": [{**ends, **link} for ends, _ in paths]}},
            "tcp": {**senders(proposal), "segments_per_ack": segments_per_ack},
            "flow": [*elephants, *files],
        }
    )
    found = result.transfers.filter(pl.col("flow") >= len(sizes)).select(
        ((pl.col("flow") - len(sizes)) // FILES).alias("path"),
        (pl.col("finish_s") - pl.col("established_s")).alias("data_s"),
        "timeouts",
    )
    return found.filter(pl.col("data_s").is_finite())


def data_s(table: pl.DataFrame) -> float:
    """The mean over the paths of the mean time of a file's data."""
    return float(
        np.mean(table.group_by("path", maintain_order=True).agg(pl.col("data_s").mean())["data_s"].to_numpy())
    )


def waited_for_timer(table: pl.DataFrame) -> float:
    """The share of files that wait for a timeout."""
    return float((table["timeouts"] > 0).mean())  # type: ignore[arg-type]
