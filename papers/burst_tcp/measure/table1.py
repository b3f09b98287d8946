"""Table I of 3.3.4 by experiment: fourteen proposals, seven problems of short flows.

Each problem has one quantity, in which less is better, and a proposal solves the problem if the quantity is
at most `SOLVED` of standard TCP's, seed by seed. The quantities, and the users that they are measured on, who
fetch a page after the other between two hosts, are fixed here, before any run; the thesis has neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

import ackclock
from ackclock import Result
from ackclock.measures.statistics import mean_interval
from ackclock.papers import Context, Values

from . import table1_drawing
from .proposals import BURSTS, PROBLEMS, PROPOSALS, STANDARD, Proposal
from .stack import THESIS
from .study import ByStack, Study

__all__ = ["COUNT", "measure"]

COUNT = 1
SOLVED = 0.75
"""The share of standard TCP's quantity from which on a problem counts as solved: a quarter less."""
SEEDS, SEEDS_QUICK = 20, 4
LEARNED = 3
"""Pages of a user before those that count: what connections leave to others, they have left by then."""
PAGES = 6
SMALL = (4, 8, 16, 32)
"""Packets of mice."""
ODD_AND_EVEN = (2, 3, 5, 8, 13)
LOSSY = (4, 6, 8, 10)
"""Packets of mice of which one is lost."""
ELEPHANT = 128
ROOM = 16
"""Packets that the path of the second slow-start problem holds, and its buffer: 32, as in figure 6."""

TCP: dict[str, object] = {
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
acknowledgments, three duplicates and no limited transmit, an initial timeout of 3 s."""


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
    seed: int
    paths: tuple[Path, ...]
    think_s: float = 0.1
    narrow: bool = False
    """The bottleneck of the second slow-start problem, in place of a link that no page fills."""
    segments_per_ack: int = 2

    @property
    def delay_s(self) -> float:
        """One way, by the seed."""
        return float(np.random.default_rng(self.seed).uniform(0.02, 0.1))

    def run(self) -> Result:
        """The run, whose users have the numbers of their paths times `sources`."""
        link: dict[str, object] = {"rate": "10 Mbit/s", "delay": f"{self.delay_s:.9f} s"}
        if self.narrow:
            rate = ROOM * 1064 * 8 / (2 * self.delay_s)
            link = {**link, "rate": f"{rate:.0f} bit/s", "buffer": f"{ROOM} packets"}
            link |= (
                {"queue": self.proposal.queue(ROOM), "reverse": {"queue": "droptail"}}
                if self.proposal.queue
                else {}
            )
        links, flows = [], []
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
            flows += [{**user, "start": f"{0.03 * source} s"} for source in range(self.sources)]
        return ackclock.run(
            {
                "name": "table-1",
                "duration": f"{PAGES * (self.think_s + 4)} s",
                "seed": self.seed,
                "topology": {"graph": {"link": links}},
                "tcp": {**TCP, **self.proposal.tcp, "segments_per_ack": self.segments_per_ack},
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


# --- the quantities, each of a proposal, a number of sources, and a seed ---


def overhead(proposal: Proposal, sources: int, seed: int) -> float:
    """The time of a page of one packet, in s."""
    table = pages(Setting(proposal, sources, seed, (Path(1),)).run())
    return float(np.mean(by_path(learned(table), "time_s", sources)))


def probing(proposal: Proposal, sources: int, seed: int) -> float:
    """The time of a page's data over that of the first page between the same hosts."""
    table = pages(Setting(proposal, sources, seed, tuple(map(Path, SMALL))).run())
    first = by_path(table.filter((pl.col("page") == 0) & (pl.col("user") % sources == 0)), "data_s", sources)
    later = by_path(learned(table), "data_s", sources)
    return float(np.mean(np.array(later) / np.array(first)))


def recovery(proposal: Proposal, sources: int, seed: int) -> float:
    """The share of losses that a timeout repairs: of each packet of small pages alone."""
    whole = pages(Setting(proposal, sources, seed, tuple(map(Path, LOSSY))).run())
    cases = [
        (size, lost) for number, size in enumerate(LOSSY) for lost in _packets_of(whole, sources * number)
    ]
    paths = tuple(
        Path(size, {"scripted": {"flow": sources * number, "packets": [lost]}})
        for number, (size, lost) in enumerate(cases)
    )
    table = pages(Setting(proposal, sources, seed, paths).run())
    struck = table.filter((pl.col("page") == LEARNED) & (pl.col("user") % sources == 0))
    return float((struck["timeouts"] > 0).mean())  # type: ignore[arg-type]


def _packets_of(table: pl.DataFrame, user: int) -> range:
    """The numbers that the packets of a user's first page that counts have among all of the user's."""
    sent = table.filter(pl.col("user") == user).sort("page")["sent"].to_list()
    before = sum(sent[:LEARNED])
    return range(before + 1, before + sent[LEARNED] + 1)


def timeout(proposal: Proposal, sources: int, seed: int) -> float:
    """The time of a page of one packet of which the first transmission is lost, in s."""
    setting = Setting(proposal, sources, seed, (Path(1),), think_s=5.0)
    begins = pages(setting.run()).filter((pl.col("page") == LEARNED) & (pl.col("user") == 0))["start_s"][0]
    steps = [["0 s", 0.0], [f"{begins - 1e-3:.9f} s", 1.0], [f"{begins + setting.delay_s / 4:.9f} s", 0.0]]
    lossy = Setting(proposal, sources, seed, (Path(1, {"schedule": {"steps": steps}}),), think_s=5.0)
    struck = pages(lossy.run()).filter((pl.col("page") == LEARNED) & (pl.col("user") == 0))
    return float(struck["time_s"][0])


def delayed(proposal: Proposal, sources: int, seed: int) -> float:
    """The time that delayed acknowledgments add to a page's data, in s."""
    paths = tuple(map(Path, ODD_AND_EVEN))
    means = [
        np.mean(
            by_path(
                learned(pages(Setting(proposal, sources, seed, paths, segments_per_ack=every).run())),
                "data_s",
                sources,
            )
        )
        for every in (2, 1)
    ]
    return float(means[0] - means[1])


def slow(proposal: Proposal, sources: int, seed: int) -> float:
    """The time of a page's data on an idle path, in s, without delayed acknowledgments."""
    table = pages(Setting(proposal, sources, seed, tuple(map(Path, SMALL)), segments_per_ack=1).run())
    return float(np.mean(by_path(learned(table), "data_s", sources)))


def overshoot(proposal: Proposal, sources: int, seed: int) -> float:
    """Packets that a page of 128 packets loses where 32 find room."""
    setting = Setting(
        proposal, sources, seed, (Path(ELEPHANT),), think_s=2.0, narrow=True, segments_per_ack=1
    )
    return float(np.mean(learned(pages(setting.run()))["lost"].to_numpy()))


QUANTITIES: Mapping[str, Callable[[Proposal, int, int], float]] = {
    "overhead": overhead,
    "probing": probing,
    "recovery": recovery,
    "timeout": timeout,
    "delayed": delayed,
    "slow": slow,
    "overshoot": overshoot,
}


def measure(study: Study) -> ByStack:
    """Every cell, the table of them, and the figure."""
    context = study.context
    seeds = range(1, 1 + (SEEDS_QUICK if context.quick else SEEDS))
    found = _measured(context, (*PROPOSALS, *BURSTS), seeds)
    context.table("table-1", _table(found))
    context.figure(
        "table-1",
        table1_drawing.draw(found, SOLVED),
        "Table I by experiment: each quantity as a share of standard TCP's, with 95 % intervals over "
        "seeds. Left of the line a problem is solved. Filled: the thesis says Yes; open: No; B-TCP is not in "
        "its table.",
    )
    context.note(
        f"Table I: a problem counts as solved where its quantity is at most {SOLVED:g} of standard TCP's. "
        "The quantities and this share are ours; the thesis derives no cell."
    )
    return {
        THESIS.name: {
            f"table-1-{proposal.key}-{problem}": Values(found[proposal.key, problem])
            for proposal in PROPOSALS
            for problem in PROBLEMS
        }
    }


def _measured(
    context: Context, rows: Sequence[Proposal], seeds: Sequence[int]
) -> dict[tuple[str, str], list[float]]:
    """By proposal and problem: shares of standard TCP's quantity, a value per seed."""
    standards = [(STANDARD, sources) for sources in sorted({proposal.sources for proposal in rows})]
    wanted = [
        (problem, proposal, sources, seed)
        for problem in QUANTITIES
        for proposal, sources in (*standards, *((row, row.sources) for row in rows))
        for seed in seeds
    ]

    def work(item: tuple[str, Proposal, int, int], _: Callable[[float], bool]) -> float:
        problem, proposal, sources, seed = item
        return QUANTITIES[problem](proposal, sources, seed)

    values = context.each([(1.0, item) for item in wanted], work)
    by_item = {
        (problem, proposal.key, sources, seed): value
        for (problem, proposal, sources, seed), value in zip(wanted, values, strict=True)
    }
    return {
        (row.key, problem): [
            by_item[problem, row.key, row.sources, seed] / by_item[problem, STANDARD.key, row.sources, seed]
            for seed in seeds
        ]
        for row in rows
        for problem in QUANTITIES
    }


def _table(found: Mapping[tuple[str, str], list[float]]) -> pl.DataFrame:
    """A row per proposal: what the thesis says of each problem, and the share measured."""
    rows = []
    for proposal in (*PROPOSALS, *BURSTS):
        row = {"proposal": proposal.title, "changes": proposal.changes}
        for place, (problem, title) in enumerate(PROBLEMS.items()):
            says = {"Y": "Yes", "N": "No"}.get(proposal.solves[place : place + 1], "–")
            interval = mean_interval(found[proposal.key, problem])
            row[title] = f"{says}; {interval.estimate:.2f} ± {interval.half_width:.2f}"
        rows.append(row)
    return pl.DataFrame(rows)
