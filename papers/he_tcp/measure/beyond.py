"""Beyond the paper: readings of its listing, competing flows, delayed acknowledgments.

Its general sentences are claims there too. They are judged by seeds of their own, with which nothing had been
run when their rules were written.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from ackclock import Scenario
from ackclock.measures import statistics
from ackclock.papers import Context, Holds, Measured, Ordered, Values

from . import drawing
from .study import (
    ALGORITHMS,
    CHOSEN,
    HE_TCP,
    HS_TCP,
    LOSS,
    RENO,
    STEP,
    TITLES,
    Fairness,
    Trace,
    pipe,
    share_of_first,
    share_of_link,
    written,
)

CUBIC = "cubic"
LOSSY = 1e-5
"""Here a loss comes every few seconds, and what an algorithm makes of it decides."""
EARLY_S = 20.0
"""Up to here without random losses, only overshooting can lose packets."""
FIRST_SEED = 101
"""Of what claims under other conditions are judged by."""


@dataclass(frozen=True)
class Effort:
    """The extent of the runs."""

    duration: str
    start_s: int
    """Of runs without random losses, for what happens at the start."""
    seeds: int
    judged_seeds: int
    """Of what is judged."""
    every_reading: int
    """1: all readings of the listing; n: one of n."""
    losses: tuple[float, ...]
    """Of flows in company."""
    conditions: tuple[str, ...]
    starts_together: bool
    longer_seeds: int
    """Of figure 3 over five minutes; none: left out."""

    @property
    def judged(self) -> range:
        """The seeds of what is judged."""
        return range(FIRST_SEED, FIRST_SEED + self.judged_seeds)


READINGS = [
    (f"hetcp(from_start={start},loss_estimate={estimate},smoothed={smoothed})", start, estimate, smoothed, 0)
    for start, smoothed, estimate in itertools.product((1, 0), (0, 1), (0, 1))
]
READINGS.append((f"hetcp({CHOSEN})", 1, 1, 1, 100))
"""Figure 2 first, to the letter; last the setting of the verdicts."""


@dataclass(frozen=True)
class Condition:
    """The differences from the paper: settings, the first flow, further flows, UDP."""

    title: str
    left: float = 1.0
    """The part of the link that UDP does not take."""
    settings: Mapping[str, object] = field(default_factory=dict)
    first: Mapping[str, object] | None = None
    flows: Sequence[Mapping[str, object]] = ()
    udp: Mapping[str, object] | None = None


SLOWER_ACKS = {"topology.dumbbell.bottleneck.reverse.rate": "100 Mbit/s"}
"""Room for three times the acknowledgments, and a datagram of 65,000 bytes holds them up for 5 ms."""


def among_acks(rate: str) -> dict[str, object]:
    """Large datagrams at random times on the way of the acknowledgments."""
    return {"rate": rate, "packet": "65000 bytes", "pattern": "poisson", "backward": True}


CONDITIONS = {
    "plain": Condition("the paper's path"),
    "delayed": Condition("delayed ACKs", settings={"tcp.segments_per_ack": 2}),
    "reverse": Condition(
        "CUBIC the other way",
        flows=[{"name": "back", "backward": True, "algorithm": "sack+hystart+cubic", "start_jitter": "1 s"}],
    ),
    "processing": Condition(
        "random processing times", first={"send_overhead": {"uniform": {"from": "0 us", "to": "16 us"}}}
    ),
    "poisson": Condition("10 % Poisson UDP", left=0.9, udp={"rate": "80 Mbit/s", "pattern": "poisson"}),
    "jitter": Condition("some jitter of ACKs", settings=SLOWER_ACKS, udp=among_acks("40 Mbit/s")),
    "strong-jitter": Condition("much jitter of ACKs", settings=SLOWER_ACKS, udp=among_acks("60 Mbit/s")),
}
QUICK = Effort("26 s", 22, 1, 2, 4, (1e-6,), tuple(CONDITIONS), False, 0)
FULL = Effort("45 s", 40, 8, 8, 1, (1e-6,), tuple(CONDITIONS), True, 5)


def experiments(effort: Effort) -> int:
    """The number of calls of `compare`."""
    always = 2 + 2 * len(effort.losses) + 2 * len(effort.conditions)
    return always + 2 * effort.starts_together + (effort.longer_seeds > 0)


def report(context: Context, effort: Effort) -> dict[str, Measured]:
    """Tables, figures and notes, and what becomes of the paper's general claims."""
    context.table("readings", readings(context, effort))
    shares, in_company = company(context, effort)
    context.table("company", shares)
    caption = """What a flow gets of the link beside another, from 20 s on; means over seeds with 95 %
    intervals. Beside its like it would be a half."""
    context.figure("company", drawing.company(shares), " ".join(caption.split()))
    found, otherwise, traces = conditions(context, effort)
    context.table("conditions", found)
    caption = (
        "HE-TCP's start by what happens to its ACKs, without random losses; one run of each. "
        "Ticks: data dropped by the queue."
    )
    context.figure("conditions", drawing.conditions(traces), caption)
    if effort.starts_together:
        together(context, effort)
    if effort.longer_seeds:
        context.table("longer", longer(context, effort.longer_seeds))
    context.note(
        """Other algorithms on this path, over loss rates and buffers, alone and four together:
        docs/comparisons/long-fat-pipe.md."""
    )
    return {**in_company, **otherwise}


# --- Readings ---


def readings(context: Context, effort: Effort) -> pl.DataFrame:
    """The listing, and where the text differs from it: the start alone, and losses of 1e-5."""
    chosen = READINGS[:: effort.every_reading]
    variants = {name: f"sack+{name}" for name, *_ in chosen}
    early = {"duration": "20 s", "warm_up": "0 s", "trace.interval": STEP}
    clean = context.compare(variants, pipe(context, early))
    lossy = context.compare(
        variants, pipe(context, {"duration": effort.duration, LOSS: LOSSY}), seeds=effort.seeds
    )
    rows = []
    for name, start, estimate, smoothed, low_window in chosen:
        trace = Trace.of(clean.result(name))
        rows.append(
            {
                "starts_with": "the estimate (figure 2)" if start else "slow start (figure 1)",
                "estimate_after_a_loss": "0 (figure 2)" if estimate == 0 else "1 (3.3)",
                "forgets_over": "smoothed RTT (1)" if smoothed else "base RTT (figure 2)",
                "standard_TCP": f"up to {low_window} packets (3.4)" if low_window else "never (figure 2)",
                "s_to_90_percent": f"{trace.filled_s():.1f}",
                "dropped_by_the_queue_in_20_s": trace.early_queue_drops(20.0),
                "share_of_the_link_at_1e-5": interval_of(
                    [share_of_link(result) for result in lossy.results if result.label == name]
                ),
            }
        )
    return pl.DataFrame(rows)


def interval_of(values: Sequence[float], decimals: int = 3) -> str:
    """A mean with its interval, in words; without it if all values are equal."""
    found = statistics.mean_interval(values)
    mean, low, high = (f"{number:.{decimals}f}" for number in (found.estimate, found.low, found.high))
    return mean if np.isnan(found.low) or found.low == found.high else f"{mean} [{low}, {high}]"


# --- Company ---


def company(context: Context, effort: Effort) -> tuple[pl.DataFrame, dict[str, Measured]]:
    """HE-TCP in competition with Reno and CUBIC on one bottleneck, and HS-TCP for comparison: a row for each.

    Compatible is what takes no more than its half.
    """
    rows, claims = [], dict[str, Measured]()
    for rival, loss in itertools.product((RENO, CUBIC), effort.losses):
        algorithm = ALGORITHMS.get(rival, f"sack+{rival}")
        beside = {"name": "second", "algorithm": algorithm, "start_jitter": "1 s"}
        settings = {"duration": effort.duration, LOSS: loss}
        own = {name: ALGORITHMS[name] for name in (HE_TCP, HS_TCP)} | {rival: algorithm}
        race = context.compare(own, pipe(context, settings, flows=[beside]), seeds=effort.judged)
        for label in own:
            mine = [result for result in race.results if result.label == label]
            shares = [share_of_first(result) for result in mine]
            interval = statistics.mean_interval(shares)
            if label == HE_TCP:
                claims[f"company-{rival}-compatible"] = Values(shares)
            rows.append(
                {
                    "flow": TITLES.get(label, "CUBIC"),
                    "beside": TITLES.get(rival, "CUBIC"),
                    "loss": loss,
                    "share": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "its_share": interval_of(shares),
                    "both_of_the_link": interval_of([share_of_link(result) for result in mine]),
                }
            )
    return pl.DataFrame(rows), claims


# --- Acknowledgments that come otherwise ---


def conditions(
    context: Context, effort: Effort
) -> tuple[pl.DataFrame, dict[str, Measured], dict[str, Trace]]:
    """HE-TCP's start, and what it and HS-TCP make of losses of 1e-5, under each condition.

    A table of all, the claims under those that are not the paper's, and one start of each to draw.
    """
    rows, claims, drawn = [], dict[str, Measured](), dict[str, Trace]()
    for name in effort.conditions:
        condition = CONDITIONS[name]
        scenario = pipe(
            context,
            condition.settings,
            first=condition.first,
            flows=condition.flows,
            udp=condition.udp,
        )
        early = starts(context, scenario, effort, condition.left)
        shares = lossy_shares(context, scenario, effort)
        drawn[condition.title] = early.traces[0]
        rows.append(
            {
                "condition": condition.title,
                "wait_of_ACKs_in_ms": interval_of(early.wait_ms, 1),
                "s_to_90_percent": interval_of(early.filled_s, 1),
                "dropped_by_the_queue_in_20_s": interval_of(early.dropped, 0),
                "highest_window": interval_of([float(np.max(trace.cwnd)) for trace in early.traces], 0),
                "he_tcp_at_1e-5": interval_of(shares[HE_TCP]),
                "hs_tcp_at_1e-5": interval_of(shares[HS_TCP]),
            }
        )
        if name != "plain":
            claims[f"{name}-no-overshoot"] = Holds(
                [count == 0 for count in early.dropped], float(np.mean(early.dropped)), span(early.dropped)
            )
            claims[f"{name}-start-fast"] = Values(early.filled_s, span(early.filled_s))
            claims[f"{name}-better-1e-5"] = Ordered(shares)
    return pl.DataFrame(rows), claims, drawn


@dataclass(frozen=True)
class Starts:
    """HE-TCP's start without random losses, seed by seed."""

    traces: list[Trace]
    filled_s: list[float]
    """Until 90 % of what is left of the path is filled; the end of the run if it never is."""
    dropped: list[float]
    """Packets of data, by the queue, in the first 20 s."""
    wait_ms: list[float]
    """Of acknowledgments before the link back."""


def starts(context: Context, scenario: Scenario, effort: Effort, left: float) -> Starts:
    """A flow of HE-TCP with nothing lost at random; `left` is the part of the link it can have."""
    settings = {"duration": f"{effort.start_s} s", "trace.interval": STEP}
    race = context.compare({HE_TCP: ALGORITHMS[HE_TCP]}, scenario, settings=settings, seeds=effort.judged)
    traces = [Trace.of(result) for result in race.results]
    back = [
        result.links.row(by_predicate=pl.col("name") == "right->left", named=True) for result in race.results
    ]
    return Starts(
        traces,
        [min(trace.filled_s(left), float(effort.start_s)) for trace in traces],
        [float(trace.early_queue_drops(EARLY_S)) for trace in traces],
        [float(link["mean_queueing_delay_s"]) * 1e3 for link in back],
    )


def lossy_shares(context: Context, scenario: Scenario, effort: Effort) -> dict[str, list[float]]:
    """The shares of HE-TCP and HS-TCP where one packet in 100,000 is lost, seed by seed."""
    pair = {name: ALGORITHMS[name] for name in (HE_TCP, HS_TCP)}
    settings = {"duration": effort.duration, LOSS: LOSSY}
    race = context.compare(pair, scenario, settings=settings, seeds=effort.judged)
    return {
        label: [share_of_link(result) for result in race.results if result.label == label] for label in pair
    }


def span(values: Sequence[float]) -> str:
    """The least and the most in single runs, where they differ: one run in eight may decide."""
    least, most = (f"{value:,.4g}" for value in (min(values), max(values)))
    return f"{least} to {most} in single runs" if least != most else ""


# --- Figure 5 from another start ---


def together(context: Context, effort: Effort) -> None:
    """Two flows that start within a second of each other."""
    pair = {name: ALGORITHMS[name] for name in (HE_TCP, HS_TCP)}
    said = []
    for loss in (1e-6, 1e-7):
        settings = {"duration": effort.duration, "trace.interval": "500 ms", LOSS: loss}
        second = {"name": "second", "start_jitter": "1 s"}
        race = context.compare(pair, pipe(context, settings, flows=[second]), seeds=effort.seeds)
        for label in pair:
            curves = [Fairness.of(result) for result in race.results if result.label == label]
            seconds = [curve.converged_s(curve.recent) for curve in curves]
            index = [float(curve.so_far[-1]) for curve in curves]
            said.append(
                f"{TITLES[label]} {interval_of(seconds, 1)} s and {interval_of(index)} at {written(loss)}"
            )
    context.note(
        f"""Two flows that start within a second of each other, the other reading of figure 5: seconds until
        Jain's index over the last {Fairness.OVER_S:g} s is 0.95, which cannot be told before
        {Fairness.OVER_S:g} s have passed, so that {Fairness.OVER_S:g} s mean at once (it is looked at
        twice a second); and the index over all the {effort.duration}; means with 95 % intervals:
        {"; ".join(said)}."""
    )


# --- Figure 3 for longer ---

STRETCHES_S = ((20, 60), (60, 180), (180, 300))
"""The first two are what figure 3's claims are measured over."""


def longer(context: Context, seeds: int) -> pl.DataFrame:
    """HE-TCP and HS-TCP at figure 3's loss rate over five minutes: a row each, a column per stretch."""
    pair = {name: ALGORITHMS[name] for name in (HE_TCP, HS_TCP)}
    settings = {"duration": f"{STRETCHES_S[-1][1]} s", "trace.interval": "1 s", LOSS: 1e-6}
    race = context.compare(pair, pipe(context, settings), seeds=seeds)
    rows = []
    for label in pair:
        traces = [Trace.of(result) for result in race.results if result.label == label]
        row = {"flow": TITLES[label]}
        for first, last in STRETCHES_S:
            row[f"from_{first}_s_to_{last}_s"] = interval_of([trace.share(first, last) for trace in traces])
        rows.append(row)
    return pl.DataFrame(rows)
