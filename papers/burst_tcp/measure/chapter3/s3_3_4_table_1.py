"""Table I of 3.3.4 by experiment: fourteen proposals, seven problems of short flows.

Each problem has one quantity, in which less is better, and a proposal solves the problem if the quantity is
at most `SOLVED` of standard TCP's, seed by seed. The quantities, and the users that they are measured on, who
fetch a page after the other between two hosts, are fixed here, before any run; the thesis has neither.

A cell says nothing where the mechanism cannot act on what is measured. Two such cases are ruled out alike,
for Yes and for No: pages that are standard TCP's to the bit, and the independent probing of connections that
leave nothing to others. The claims of these cells are illustrations. Where the thesis says Yes and another
experiment lets the mechanism act, the cell has that one, `INSTEAD`, with the same share of standard TCP's to
decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import polars as pl

from ackclock.measures.statistics import mean_interval
from ackclock.papers import Context, Holds, Measured, Values

from .. import survey
from ..file_runs import ByStack, Study
from ..stack import THESIS
from . import s3_3_4_table_1_figure as drawing
from .s3_3_4_crowded_paths import crowded, data_s, waited_for_timer
from .s3_3_4_proposals import BURSTS, PROBLEMS, PROPOSALS, STANDARD, WIDER_T_TCP, Proposal
from .s3_3_4_users import LEARNED, Path, Setting, by_path, learned, pages

__all__ = ["COUNT", "measure"]

COUNT = 1
SOLVED = 0.75
"""The share of standard TCP's quantity from which on a problem counts as solved: a quarter less."""
SEEDS, SEEDS_QUICK = 20, 4
SMALL = (4, 8, 16, 32)
"""Packets of mice."""
ODD_AND_EVEN = (2, 3, 5, 8, 13)
LOSSY = (4, 6, 8, 10)
"""Packets of mice of which one is lost."""
LARGER = (10, 20)
"""Packets of the "little bigger mice" of 3.2.3, by the other level of the pages' sizes."""
ELEPHANT = 128


def of(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes of pages, by their level."""
    return LARGER if survey.LEVELS["pages"] == "10 and 20 packets" else sizes


# --- the quantities, each of a proposal, a number of sources, and a seed ---


def overhead(proposal: Proposal, sources: int, seed: int) -> float:
    """The time of a page of one packet, in s."""
    table = pages(Setting(proposal, sources, seed, (Path(1),)).run())
    return float(np.mean(by_path(learned(table), "time_s", sources)))


def probing(proposal: Proposal, sources: int, seed: int) -> float:
    """The time of a page's data over that of the first page between the same hosts."""
    table = pages(Setting(proposal, sources, seed, tuple(map(Path, of(SMALL)))).run())
    first = by_path(table.filter((pl.col("page") == 0) & (pl.col("user") % sources == 0)), "data_s", sources)
    later = by_path(learned(table), "data_s", sources)
    return float(np.mean(np.array(later) / np.array(first)))


def recovery(
    proposal: Proposal, sources: int, seed: int, sizes: Sequence[int] = (), segments_per_ack: int = 2
) -> float:
    """The share of losses that a timeout repairs: of each packet of small pages alone."""
    sizes = sizes or of(LOSSY)
    whole = pages(
        Setting(proposal, sources, seed, tuple(map(Path, sizes)), segments_per_ack=segments_per_ack).run()
    )
    cases = [
        (size, lost) for number, size in enumerate(sizes) for lost in _packets_of(whole, sources * number)
    ]
    paths = tuple(
        Path(size, {"scripted": {"flow": sources * number, "packets": [lost]}})
        for number, (size, lost) in enumerate(cases)
    )
    table = pages(Setting(proposal, sources, seed, paths, segments_per_ack=segments_per_ack).run())
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
    paths = tuple(map(Path, of(ODD_AND_EVEN)))
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
    table = pages(Setting(proposal, sources, seed, tuple(map(Path, of(SMALL))), segments_per_ack=1).run())
    return float(np.mean(by_path(learned(table), "data_s", sources)))


def overshoot(proposal: Proposal, sources: int, seed: int) -> float:
    """Packets that a page of 128 packets loses where 32 find room."""
    setting = Setting(
        proposal, sources, seed, (Path(ELEPHANT),), think_s=2.0, narrow=True, segments_per_ack=1
    )
    return float(np.mean(learned(pages(setting.run()))["lost"].to_numpy()))


def slow_delayed(proposal: Proposal, sources: int, seed: int) -> float:
    """The same with delayed acknowledgments, which byte counting is for."""
    table = pages(Setting(proposal, sources, seed, tuple(map(Path, of(SMALL))), segments_per_ack=2).run())
    return float(np.mean(by_path(learned(table), "data_s", sources)))


def recovery_crowded(proposal: Proposal, _sources: int, seed: int) -> float:
    """The share of small files, together with an elephant, that wait for a timeout."""
    return waited_for_timer(crowded(proposal, seed, of(LOSSY), segments_per_ack=2))


def slow_crowded(proposal: Proposal, _sources: int, seed: int) -> float:
    """The time of a file's data together with an elephant, in s, without delayed acknowledgments."""
    return data_s(crowded(proposal, seed, of(SMALL), segments_per_ack=1))


QUANTITIES: Mapping[str, Callable[[Proposal, int, int], float]] = {
    "overhead": overhead,
    "probing": probing,
    "recovery": recovery,
    "timeout": timeout,
    "delayed": delayed,
    "slow": slow,
    "overshoot": overshoot,
    "recovery-crowded": recovery_crowded,
    "slow-crowded": slow_crowded,
    "slow-delayed": slow_delayed,
}
INSTEAD = {
    ("rio-ps", "recovery"): "recovery-crowded",
    ("rio-ps", "slow"): "slow-crowded",
    ("bc", "slow"): "slow-delayed",
}
"""The quantities of cells whose mechanism cannot act in the experiment of their column."""
ROWS = (*PROPOSALS, WIDER_T_TCP, *BURSTS)


def quantity(proposal: Proposal, problem: str) -> str:
    """The name of a cell's quantity."""
    return INSTEAD.get((proposal.key, problem), problem)


def measure(study: Study) -> ByStack:
    """Every cell, the table of them, and the figure."""
    context = study.context
    seeds = range(1, 1 + (SEEDS_QUICK if context.quick else SEEDS))
    found = _measured(context, seeds)
    context.table("table-1", _table(found))
    context.figure(
        "table-1",
        drawing.draw(found, ROWS, SOLVED),
        "Table I by experiment: each quantity as a share of standard TCP's, with 95 % intervals over "
        "seeds. Left of the line a problem is solved. Filled: the thesis says Yes; open: No; B-TCP is not in "
        "its table. Byte counting's 1st SS problem is measured with delayed ACKs, RIO-PS' FR/FR and 1st SS "
        "problems beside an elephant.",
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
        | _changes()
    }


def _changes() -> dict[str, Measured]:
    """What 3.3.4 says has to change for five proposals, by their settings."""
    wanted = {
        "fast-start": "routers",
        "spand": "a gateway",
        "tcp-cm": "both ends",
        "smooth-start": "sender",
        "adaptive-start": "sender",
    }
    changes = {row.key: row.changes for row in PROPOSALS}
    return {
        f"changes-{key}": Holds(
            [changes[key] == place if place == "sender" else place in changes[key].split(", ")],
            note=changes[key],
        )
        for key, place in wanted.items()
    }


def _measured(context: Context, seeds: Sequence[int]) -> dict[tuple[str, str], list[float]]:
    """By proposal and problem: shares of standard TCP's quantity, a value per seed."""
    rows = {row.key: row for row in (STANDARD, *ROWS)}
    cells = {(row.key, problem): quantity(row, problem) for row in ROWS for problem in PROBLEMS}
    runs = dict.fromkeys(
        (name, one, rows[key].sources) for (key, _), name in cells.items() for one in (key, STANDARD.key)
    )
    wanted = [(run, seed) for run in runs for seed in seeds]

    def work(item: tuple[tuple[str, str, int], int], _: Callable[[float], bool]) -> float:
        (name, key, sources), seed = item
        return QUANTITIES[name](rows[key], sources, seed)

    values = dict(zip(wanted, context.each([(1.0, item) for item in wanted], work), strict=True))
    return {
        (key, problem): [
            values[(name, key, rows[key].sources), seed]
            / values[(name, STANDARD.key, rows[key].sources), seed]
            for seed in seeds
        ]
        for (key, problem), name in cells.items()
    }


def _table(found: Mapping[tuple[str, str], list[float]]) -> pl.DataFrame:
    """A row per proposal: what the thesis says of each problem, and the share measured."""
    rows = []
    for proposal in ROWS:
        row = {"proposal": proposal.title, "changes": proposal.changes}
        for place, (problem, title) in enumerate(PROBLEMS.items()):
            says = {"Y": "Yes", "N": "No"}.get(proposal.solves[place : place + 1], "–")
            interval = mean_interval(found[proposal.key, problem])
            row[title] = f"{says}; {interval.estimate:.2f} ± {interval.half_width:.2f}"
        rows.append(row)
    return pl.DataFrame(rows)
