"""The users of Table I: two hosts, a page after the other, over paths which no others use.

The quantities of [s3_3_4_table_1.py](s3_3_4_table_1.py) are measured on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

import ackclock
from ackclock import Result

from .. import survey
from .s3_3_4_proposals import STANDARD, Proposal

__all__ = [
    "LEARNED",
    "PAGES",
    "ROOM",
    "Path",
    "Setting",
    "by_path",
    "learned",
    "narrow_rate",
    "one_way_s",
    "pages",
    "senders",
]

LEARNED = 3
"""Pages of a user before those that count: what connections leave to others, they have left by then."""
PAGES = 6
ROOM = 16
"""Packets that the path of the second slow-start problem holds, and its buffer: 32, as in figure 6."""

TCP: dict[str, object] = {
    "limited_growth": "window",  # the rules before 2026
    "window_after_lost_syn": "rfc5681",
    "algorithm": "newreno+reno(limit=1)",
    "mss": "1024 bytes",
    "header": "40 bytes",
    "initial_window": "1 packets",
    "initial_ssthresh": "64 packets",
    "receive_window": "64 packets",
    "segments_per_ack": 2,
    "ack_delay": "200 ms",
    "limited_transmit": False,
    "count_acknowledgments": True,
    "rto_initial": "3 s",
    "syn_timeout": "3 s",
    "rto_min": "1 s",
    "clock_granularity": "10 ms",
}
"""Standard TCP as 2.3 and 3.2 describe it: a window of one packet, a threshold of 64 (figure 6), delayed
acknowledgments, three duplicates, an initial timeout of 3 s. Recovery, limited transmit and the least timeout
are replaced by those of `survey.LEVELS`."""


def senders(proposal: Proposal = STANDARD) -> dict[str, object]:
    """The TCP of a proposal's users."""
    levels = survey.LEVELS
    tcp = {
        **TCP,
        "limited_transmit": levels["limited_transmit"] == "with",
        "rto_min": levels["users_timeout"],
        **proposal.tcp,
        **_own_levels(proposal),
    }
    recovery, _, rest = str(tcp["algorithm"]).partition("+")
    if recovery == "newreno":
        tcp["algorithm"] = f"{levels['recovery']}+{rest}"
    return tcp


def _own_levels(proposal: Proposal) -> dict[str, object]:
    """The settings that a proposal alone leaves open; empty where they are as it has them."""
    levels = survey.LEVELS
    if proposal.key == "t-tcp" and levels["t_tcp"] == "4 KB":
        return {"initial_window": "4 packets"}
    if proposal.key == "sctp":
        return {"initial_window": levels["sctp"]}
    if proposal.key == "bc" and levels["byte_count"] == "unlimited":
        return {"algorithm": "newreno+standard(limit=inf)+reno(limit=1)"}
    return {}


def one_way_s(seed: int) -> float:
    """The delay of the paths of a seed."""
    return float(np.random.default_rng(seed).uniform(0.02, 0.1))


def narrow_rate(delay_s: float) -> str:
    """The rate at which a path holds `ROOM` packets."""
    return f"{ROOM * 1064 * 8 / (2 * delay_s):.0f} bit/s"


@dataclass(frozen=True)
class Path:
    """The path between two hosts, which no others use, and the size of the pages over it."""

    packets: int
    loss: Mapping[str, object] | None = None


@dataclass(frozen=True)
class Setting:
    """Users over paths, each between hosts of its own."""

    proposal: Proposal
    sources: int
    """Users between the same hosts: one, or two."""
    seed: int
    paths: tuple[Path, ...]
    think_s: float = 0.1
    narrow: bool = False
    """The bottleneck of the second slow-start problem, instead of a link that no page fills."""
    segments_per_ack: int = 2

    @property
    def delay_s(self) -> float:
        """One way, by the seed."""
        return one_way_s(self.seed)

    def second_starts(self) -> dict[int, float]:
        """The start of the second user by the size of the pages, in s: any part of a cycle after the first.

        The part is drawn by the seed. A cycle is the time of a user of standard TCP alone, from the beginning
        of a page to the beginning of the next, so that every proposal has the same starts.
        """
        part = float(np.random.default_rng([self.seed, 1]).uniform())
        sizes = sorted({path.packets for path in self.paths})
        alone = replace(self, proposal=STANDARD, sources=1, paths=tuple(map(Path, sizes)))
        table = pages(alone.run()).sort("user", "page")
        starts = {
            user: table.filter((pl.col("user") == user) & pl.col("page").is_in((LEARNED, LEARNED + 1)))
            for user in range(len(sizes))
        }
        return {
            size: part * float(starts[user]["start_s"][1] - starts[user]["start_s"][0])
            for user, size in enumerate(sizes)
        }

    def run(self) -> Result:
        """The run, whose users have the numbers of their paths times `sources`."""
        link: dict[str, object] = {"rate": survey.LEVELS["rate"], "delay": f"{self.delay_s:.9f} s"}
        if self.narrow:
            link = {**link, "rate": narrow_rate(self.delay_s), "buffer": f"{ROOM} packets"}
            link |= (
                {"queue": self.proposal.queue(ROOM), "reverse": {"queue": "droptail"}}
                if self.proposal.queue
                else {}
            )
        links, flows = [], []
        second = self.second_starts() if self.sources > 1 else {}
        for number, path in enumerate(self.paths):
            ends = {"from": f"s{number}", "to": f"r{number}"}
            loss = {"loss": path.loss, "reverse": {"loss": {"bernoulli": 0.0}}} if path.loss else {}
            links.append({**ends, **link, **loss})
            user = {
                **ends,
                "packets": path.packets,
                "pool": {"connections": 1, **self.proposal.pool},
                "think": {"constant": f"{self.think_s} s"},
                "think_first": False,
            }
            starts = [0.0, second[path.packets]] if second else [0.0]
            flows += [{**user, "start": f"{start:.9f} s"} for start in starts]
        return ackclock.run(
            {
                "name": "table-1",
                "duration": f"{(PAGES + 1) * (self.think_s + 4)} s",
                "seed": self.seed,
                "topology": {"graph": {"link": links}},
                "tcp": {**senders(self.proposal), "segments_per_ack": self.segments_per_ack},
                "flow": flows,
            }
        )


def pages(result: Result) -> pl.DataFrame:
    """A row per page: its user, its number, the time to its last packet, and that from the handshake on."""
    found = result.pages.with_columns(pl.int_range(pl.len()).over("user").alias("page"))
    sent = result.transfers.sort("flow", "start_s", maintain_order=True)
    sent = sent.select(
        pl.col("flow").alias("user"),
        pl.int_range(pl.len()).over("flow").alias("page"),
        pl.max_horizontal("established_s", "start_s").alias("open_s"),
        pl.col("packets_sent").alias("sent"),
        pl.col("packets_lost").alias("lost"),
        "timeouts",
    )
    joined = found.join(sent, on=["user", "page"], maintain_order="left")
    return joined.select(
        "user",
        "page",
        "start_s",
        "sent",
        "lost",
        "timeouts",
        (pl.col("finish_s") - pl.col("start_s")).alias("time_s"),
        (pl.col("finish_s") - pl.col("open_s")).alias("data_s"),
    ).filter(pl.col("time_s").is_finite())


def learned(table: pl.DataFrame) -> pl.DataFrame:
    """The pages that count."""
    return table.filter(pl.col("page").is_between(LEARNED, PAGES - 1))


def by_path(table: pl.DataFrame, column: str, sources: int) -> list[float]:
    """Means over the pages of each path."""
    means = table.group_by(pl.col("user") // sources).agg(pl.col(column).mean()).sort("user")
    return means[column].to_list()
