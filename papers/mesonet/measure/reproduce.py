"""Measures what sections 5.1.3.4 and 5.4 of the chapter claim; claims.toml holds the rules that judge it.

`ackclock reproduce mesonet` runs everything; `--quick` runs 42 ms only, and three jittered starts of
standard TCP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ackclock.papers import VERDICTS, Claim, Context, Measured, NotRun, Undecidable, Values, judge

from . import drawing, readings, round_trips, schematic
from .convergence import Grid, by_definition
from .sentences import capacity, sentences
from .study import (
    ABSTRACT,
    AVOIDANCES,
    BUFFERS,
    FULL,
    NEAR,
    RTTS_MS,
    TABLES,
    Cell,
    Outcome,
    dumbbell,
    grid,
    is_near,
    jain,
    of_paper,
    specification,
    starts,
    words,
)
from .traces import Windows

SENDING_S = 2 * (2 / 80 + 1 / 21 + 2 / 82) / 1e3
"""Time to send a packet and its acknowledgment over the five links of the path."""


QUANTITIES = {"link": "link utilisation", "buffer": "buffer utilisation", "fairness": "Jain's index"}
"""The quantities in the cells of `TABLES`."""


@dataclass(frozen=True)
class Effort:
    """The extent of the runs."""

    rtts: tuple[int, ...]
    starts: int
    varied: tuple[str, ...]
    """Configurations with jittered starts."""
    over_full_tcp: tuple[str, ...]
    """Configurations of the second study."""
    rtt_seeds: int
    """Of flows with different round-trip times."""

    @staticmethod
    def of(context: Context) -> Effort:
        """A minute's worth, or all of it."""
        if context.quick:
            return Effort((42,), 3, ("tcp",), ("tcp",), 2)
        return Effort(RTTS_MS, 20, tuple(AVOIDANCES), tuple(AVOIDANCES), 20)


PARTS = ("round-trips", "convergence")
"""The parts that `ackclock reproduce mesonet --part` runs alone."""
COMPARES = ()
"""Competitors take part in all runs, not in a part."""


def measure(context: Context) -> Mapping[str, Measured]:
    """Every claim's measurement, by its id."""
    effort = Effort.of(context)
    pairs = len(round_trips.BUFFERS)
    if context.parts == readings.SEARCHED:
        return readings.measure(context)
    if context.parts:
        return part(context, effort)
    configurations = len(effort.varied) + len(context.competitors)
    context.expect((2 + configurations) * len(effort.rtts) + pairs)
    flows = {
        name: schematic.run(context, f"figure-5-{number}")
        for number, name in ((4, "standard"), (5, "limited"))
    }
    abstract = grid(context, effort.rtts, ABSTRACT)
    full = grid(context, effort.rtts, FULL, effort.over_full_tcp)
    varied = starts(context, effort.rtts, effort.varied, effort.starts)
    measured = {
        **schematic.standard(flows["standard"]),
        **schematic.limited(flows["limited"]),
        **capacity(of_paper(abstract), SENDING_S),
        **cells(of_paper(abstract), varied),
        **sentences(of_paper(abstract)),
        **alone(context, effort.rtts),
        **round_trips.run(context, effort.rtt_seeds),
    }
    _figures(context, flows, abstract, full)
    _report(context, abstract, varied, full)
    missing = NotRun("the quick check runs 42 ms only") if context.quick else Undecidable("not measured")
    return {claim.id: measured.get(claim.id, missing) for claim in context.paper.claims}


def part(context: Context, effort: Effort) -> dict[str, Measured]:
    """The parts that are run alone; convergence needs the deterministic runs."""
    pairs, converges = (name in context.parts for name in PARTS)
    context.expect(pairs * len(round_trips.BUFFERS) + converges * len(effort.rtts))
    found = round_trips.run(context, effort.rtt_seeds) if pairs else {}
    return found | (by_definition(of_paper(grid(context, effort.rtts, ABSTRACT))) if converges else {})


def cells(runs: Grid, varied: Mapping[Cell, Sequence[Outcome]]) -> dict[str, Measured]:
    """Tables 5-10 and 5-11: the deterministic run, and the jittered ones."""
    return {
        f"{table}-{name}-{rtt}": Values(
            [run.outcome.value(table)],
            spread=[outcome.value(table) for outcome in varied.get((name, rtt), ())],
        )
        for (name, rtt), run in runs.items()
        for table in TABLES
    }


def alone(context: Context, rtts: Sequence[int]) -> dict[str, Measured]:
    """One TCP flow by itself: how its slow start ends, and its period at 162 ms."""
    found: dict[str, Measured] = {}
    for rtt in set(rtts) & {42, 162}:
        window = first_loss(context, rtt)
        found[f"tcp-{rtt}-slow-start"] = Values([window[0]])
        if rtt == 162:
            found["tcp-162-halved"] = Values([window[1]])
    if 162 in rtts:
        found["tcp-162-period"] = period(context)
    return found


def _single(context: Context, rtt: int, duration_s: int, interval: str) -> Windows:
    """The first flow alone, up to the last second of the run, when the second starts."""
    settings = {
        "duration": f"{duration_s} s",
        "warm_up": "0 s",
        "flow.1.start": f"{duration_s - 1} s",
        "trace.interval": interval,
        "tcp.algorithm": specification("tcp", ABSTRACT),
    }
    return Windows.of(context.run(dumbbell(context, rtt, settings)))


def first_loss(context: Context, rtt: int) -> tuple[float, float]:
    """The window when slow start ends, and the one after, in packets."""
    windows = _single(context, rtt, 60, "1 ms")
    cut = windows.cuts(end_s=59.0)[0]
    return float(windows.first[cut]), float(windows.first[cut + 1])


def period(context: Context) -> Measured:
    """From a lone flow's first loss to its second, at 162 ms."""
    windows = _single(context, 162, 800, "100 ms")
    times = windows.time[windows.cuts(end_s=799.0)]
    return Values([float(times[1] - times[0])]) if times.size > 1 else Undecidable("no second loss in 799 s")


def cell_table(claims: Sequence[Claim], runs: Grid, varied: Mapping[Cell, Sequence[Outcome]]) -> pl.DataFrame:
    """A row per cell of tables 5-10 and 5-11: published, ours, the range over starts, verdict."""
    by_id = {claim.id: claim for claim in claims}
    measured = cells(runs, varied)
    rows = []
    for table in TABLES:
        for (name, rtt), run in runs.items():
            claim = by_id.get(f"{table}-{name}-{rtt}")  # none of a competitor
            range_ = [outcome.value(table) for outcome in varied.get((name, rtt), ())]
            rows.append(
                {
                    "table": table,
                    "configuration": name,
                    "rtt_ms": rtt,
                    "published": float(claim.expected) if claim else float("nan"),  # type: ignore[arg-type]
                    "ours": run.outcome.value(table),
                    "least": min(range_, default=float("nan")),
                    "most": max(range_, default=float("nan")),
                    "verdict": judge(claim, measured[claim.id]).verdict if claim else "",
                }
            )
    return pl.DataFrame(rows)


def _published_table(table: pl.DataFrame, key: str) -> pl.DataFrame:
    """One published table for people: a row per configuration, a column per round-trip time."""
    rows = []
    for name in table["configuration"].unique(maintain_order=True):
        row = {"configuration": words(name)}
        for cell in table.filter((pl.col("configuration") == name) & (pl.col("table") == key)).to_dicts():
            mark = " ✗" if cell["verdict"] in VERDICTS[1:] else ""
            row[f"{cell['rtt_ms']} ms: published"] = f"{cell['published']:.2f}" if cell["verdict"] else "–"
            row[f"{cell['rtt_ms']} ms: ours"] = f"{cell['ours']:.2f}{mark}"
            known = not np.isnan(cell["least"])
            row[f"{cell['rtt_ms']} ms: starts"] = (
                f"{cell['least']:.2f} to {cell['most']:.2f}" if known else ""
            )
        rows.append(row)
    return pl.DataFrame(rows)


def measured_table(runs: Grid) -> pl.DataFrame:
    """What average windows say, and what happened at the bottleneck."""
    return pl.DataFrame(
        [
            {
                "configuration": words(name),
                "rtt_ms": rtt,
                "link_by_cwnd": f"{run.outcome.link:.3f}",
                "link_measured": f"{run.outcome.utilisation:.3f}",
                "buffer_by_cwnd": f"{run.outcome.buffer:.2f}",
                "queue_measured": f"{run.outcome.queue / BUFFERS[rtt]:.2f}",
                "jain_of_cwnd": f"{run.outcome.fairness:.3f}",
                "jain_of_goodput": f"{jain(run.outcome.shares):.3f}",
                "losses": run.outcome.losses,
            }
            for (name, rtt), run in runs.items()
        ]
    )


def transports_table(runs: Grid, full: Grid) -> pl.DataFrame:
    """The study over full TCP and over the abstract transport: `abstract / full` in every cell."""

    def two(cell: Cell, digits: int, value: str) -> str:
        ours, theirs = (getattr(which[cell].outcome, value) for which in (runs, full))
        return f"{ours:.{digits}f} / {theirs:.{digits}f}"

    return pl.DataFrame(
        [
            {
                "configuration": words(cell[0]),
                "rtt_ms": cell[1],
                "link_by_cwnd": two(cell, 2, "link"),
                "buffer_by_cwnd": two(cell, 2, "buffer"),
                "jain_of_cwnd": two(cell, 2, "fairness"),
                "link_measured": two(cell, 3, "utilisation"),
                "mean_queue": two(cell, 0, "queue"),
                "losses": two(cell, 0, "losses"),
            }
            for cell in full
        ]
    )


def _figures(context: Context, flows: Mapping[str, schematic.Schematic], runs: Grid, full: Grid) -> None:
    shown = {
        "Figure 5-4: standard slow start": flows["standard"],
        "Figure 5-5: limited slow start": flows["limited"],
    }
    context.figure("schematic", drawing.schematics(shown), "Figures 5-4 and 5-5 of the chapter, as runs.")
    for name in dict.fromkeys(name for name, _ in runs):
        caption = f"""{words(name)}: the chapter's figures, cwnd over time in units of 0.1 s, with the average
        windows while one flow transmits and while both do."""
        context.figure(f"windows-{name}", drawing.windows(name, runs), " ".join(caption.split()))
    caption = "What average windows say of the bottleneck, against what was measured there."
    context.figure("surrogate", drawing.surrogate(runs), caption)
    outcomes = [{cell: run.outcome for cell, run in which.items()} for which in (runs, full)]
    caption = "Each configuration over the abstract transport and over TCP with selective acknowledgments."
    context.figure("transports", drawing.transports(*outcomes), caption)


def _report(context: Context, runs: Grid, varied: Mapping[Cell, Sequence[Outcome]], full: Grid) -> None:
    table = cell_table(context.paper.claims, runs, varied)
    context.table("cells", table)
    for key, where in TABLES.items():
        published = _published_table(table, key)
        context.table(f"table-{key}", published)
        context.answer(f"{where}, {QUANTITIES[key]}: published, ours, and over jittered starts", published)
    context.table("measured", measured_table(runs))
    context.table("transports", transports_table(runs, full))
    caption = "Tables 5-10 and 5-11: published, ours, and the range over jittered starts."
    context.figure("cells", drawing.cells(table), caption)
    judged = table.filter(pl.col("verdict") != "")
    ours, printed = judged["ours"], judged["published"]
    far = judged.filter(pl.col("verdict") != "reproduced").to_dicts()
    which = ", ".join(
        f"{words(r['configuration'])} {r['rtt_ms']} ms {r['table']} {r['ours']:.2f} for {r['published']:.2f}"
        for r in far
    )
    context.note(
        f"""Of the {judged.height} cells of tables 5-10 and 5-11 that were run,
        {sum(map(is_near, ours.round(2), printed))} of the deterministic run are within {NEAR} of the
        published value at its two decimals ({sum(map(is_near, ours, printed))} if ours is not rounded).
        Not reproduced: {which or "none"}."""
    )
