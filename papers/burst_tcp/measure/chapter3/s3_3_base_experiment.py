"""What the thesis does not compare: the proposals of Table I and B-TCP, in its base experiment.

Once on the senders of chapter 5, once on today's stack (`stack.MODERN`). A proposal that replaces a part of
that stack does so there, too. Its routers have FQ-CoDel; what a proposal requires of routers replaces it, and
is compared with standard TCP over a drop-tail queue of the same buffer. P-HTTP and SCTP need files that
follow each other between two hosts: 25 users fetch one after the other, as many files and as large ones as in
the base experiment, over a connection that stays open, compared with the same users with a connection for
each file. Files of one page, with pipelining and streams, are in [s3_3_1_pages.py](s3_3_1_pages.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import polars as pl

from ackclock import Result, Scenario, load_scenario, run
from ackclock.measures import transfers
from ackclock.measures.statistics import mean_interval

from ..file_runs import ByStack, Outcome, Study, better, numbers
from ..stack import MODERN
from . import s3_3_1_pages
from . import s3_3_base_experiment_figure as drawing
from .s3_3_4_proposals import BURSTS, PROPOSALS, STANDARD, Proposal

__all__ = ["COUNT", "measure"]

COUNT = 2
FLOWS = 1250
STACKS = {
    "thesis": "the senders of chapter 5",
    "today": "today's stack",
    "today-fifo": "today's, one queue",
}
MEASURES = {"mice_transfer_s": "mice", "elephants_transfer_s": "elephants"}
"""Mean times of files of up to 32 packets, and of larger ones."""
USERS = 25
CYCLE_S = 900 * USERS / FLOWS
"""The mean time from a user's file to the next that makes as many files as there are flows."""
FETCHING = replace(STANDARD, key="fetching", title="standard TCP, users", pool={"persistent": False})
"""The users of P-HTTP and SCTP without them."""
ROWS = (STANDARD, *BURSTS, FETCHING, *PROPOSALS)
BUFFERS = {"thesis": 6, "today-fifo": 100}
"""Packets that wait at the bottleneck."""


def rows_of(stack: str) -> tuple[Proposal, ...]:
    """The proposals run on a stack; one queue for all packets is for those that need routers."""
    if stack == "today":
        return tuple(row for row in ROWS if row.changes != "routers")
    if stack == "today-fifo":
        return tuple(row for row in ROWS if row is STANDARD or row.queue)
    return ROWS


def settings(base: Scenario, proposal: Proposal, stack: str) -> dict[str, object]:
    """The changes of the base scenario."""
    users = _users(proposal) if proposal.pool else {}
    queue: dict[str, object] = {}
    if stack in BUFFERS:
        discipline = proposal.queue(BUFFERS[stack]) if proposal.queue else "droptail"
        queue = {"topology.dumbbell.bottleneck.queue": discipline}
    if stack == "thesis":
        return _of_tcp(proposal.tcp) | users | queue
    modern = {key: value for key, value in proposal.tcp.items() if key in ("sharing", "smart_framing")}
    today = {"tcp.algorithm": MODERN.standard, **MODERN.changes(base)}
    return {**today, **_of_tcp(proposal.today or modern), **queue, **users}


def _of_tcp(keys: Mapping[str, object]) -> dict[str, object]:
    return {f"tcp.{key}": value for key, value in keys.items()}


def _users(proposal: Proposal) -> dict[str, object]:
    """Users instead of files at random times; a user's file takes some of the time from one to the next."""
    persistent = str(proposal.pool["persistent"]).lower()
    return {
        "flow.0.count": USERS,
        "flow.0.start_jitter": "0 s",
        "flow.0.stop": "900 s",
        "flow.0.think": f'{{ exponential = {{ mean = "{CYCLE_S - 1:g} s" }} }}',
        "flow.0.pool": f"{{ connections = 1, persistent = {persistent} }}",
    }


def _outcome(result: Result, row: Proposal) -> Outcome:
    """The files of a run; files of users are complete when they arrive.

    A connection that stays open sends no FIN: the acknowledgment of its last packet may be a delayed one.
    """
    files = transfers.records(result)
    if row.pool:
        pages = result.pages.select(flow="user", start_s="start_s", there_s="finish_s")
        files = files.join(pages, on=["flow", "start_s"], how="left", maintain_order="left")
        there = pl.col("there_s").fill_null(float("nan"))
        files = files.with_columns(finish_s=there, time_s=there - pl.col("start_s"))
    return Outcome.of_files(files)


def _standard_of(row: Proposal) -> Proposal:
    return FETCHING if row.pool else STANDARD


def measure(study: Study) -> ByStack:
    """The table and the figure; no claim depends on them."""
    context = study.context
    base = context.scenario("base", {"flow.0.count": FLOWS})
    seeds = range(1, 1 + (2 if context.quick else 20))
    wanted = [(stack, row, seed) for stack in STACKS for row in rows_of(stack) for seed in seeds]
    scenarios = {
        (stack, row.key): load_scenario(base, settings(base, row, stack))
        for stack in STACKS
        for row in rows_of(stack)
    }

    def work(item: tuple[str, Proposal, int], told: Callable[[float], bool]) -> Outcome:
        stack, row, seed = item
        scenario: Scenario = scenarios[stack, row.key]
        return _outcome(run(scenario, seed=seed, progress=told), row)

    made = context.each([(base.duration_s, item) for item in wanted], work)
    found: dict[tuple[str, str], list[Outcome]] = {}
    for (stack, row, _), outcome in zip(wanted, made, strict=True):
        found.setdefault((stack, row.key), []).append(outcome)
    gains = _gains(found)
    context.table("beside", _table(found, gains))
    context.figure(
        "beside",
        drawing.draw(gains, ROWS, STACKS, MEASURES),
        "The proposals of Table I beside B-TCP in the base experiment of 1250 files: by how much "
        "standard TCP's mean transfer time is above the proposal's, with 95 % intervals over seeds. "
        "Today's bottleneck has FQ-CoDel; below it a single queue, drop-tail for standard TCP. The axis of "
        "today's stack ends at 7 %: what lies beyond is written at its edge. Users of P-HTTP and SCTP fetch "
        "one file after the other, beside those of standard TCP; what pipelining and streams add has a table "
        "of its own.",
    )
    s3_3_1_pages.measure(study, seeds)
    return {}


def _gains(
    found: Mapping[tuple[str, str], Sequence[Outcome]],
) -> dict[tuple[str, str, str], list[float]]:
    """By stack, proposal and class: the standard's time above the proposal's in per cent, per seed."""
    return {
        (stack, row.key, name): better(
            numbers(found[stack, _standard_of(row).key], name), numbers(found[stack, row.key], name)
        )
        for stack in STACKS
        for row in rows_of(stack)
        for name in MEASURES
    }


def _table(
    found: Mapping[tuple[str, str], Sequence[Outcome]],
    gains: Mapping[tuple[str, str, str], Sequence[float]],
) -> pl.DataFrame:
    """A row per stack and proposal: times, gains over the standard, and losses."""
    made = []
    for stack, title in STACKS.items():
        for row in rows_of(stack):
            cell: dict[str, object] = {"stack": title, "proposal": row.title}
            for name, of in MEASURES.items():
                time = mean_interval(numbers(found[stack, row.key], name))
                gain = mean_interval(gains[stack, row.key, name])
                cell[f"{of}, ms"] = round(1000 * time.estimate, 1)
                cell[f"{of}: gain, %"] = f"{gain.estimate:.1f} ± {gain.half_width:.1f}"
            for of in MEASURES.values():
                lost = [100 * outcome.lost[of] for outcome in found[stack, row.key]]
                cell[f"{of}: lost, %"] = round(mean_interval(lost).estimate, 2)
            made.append(cell)
    return pl.DataFrame(made)
