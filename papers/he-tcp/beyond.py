"""What the paper does not show: readings of its listing, company, acknowledgements that come otherwise."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import drawing
import numpy as np
import polars as pl
from study import (
    ALGORITHMS,
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

from ackclock import statistics
from ackclock.papers import Context, Measured

CUBIC = "cubic"
LOSSY = 1e-5
"""Here a loss comes every few seconds, and what an algorithm makes of it decides."""


@dataclass(frozen=True)
class Effort:
    """How much of it is run."""

    duration: str
    seeds: int
    readings: int
    """How many of the eight readings of the listing."""
    losses: tuple[float, ...]
    """Of flows in company."""
    conditions: tuple[str, ...]
    starts_together: bool
    longer_seeds: int
    """Of figure 3 over five minutes; none: left out."""


READINGS = [
    (f"hetcp(from_start={start},loss_estimate={estimate},smoothed={smoothed})", start, estimate, smoothed)
    for start, smoothed, estimate in itertools.product((1, 0), (0, 1), (0, 1))
]
"""Figure 2 first, to the letter."""


@dataclass(frozen=True)
class Condition:
    """What is otherwise than in the paper: settings, the first flow, further flows, UDP."""

    title: str
    settings: Mapping[str, object] = field(default_factory=dict)
    first: Mapping[str, object] | None = None
    flows: Sequence[Mapping[str, object]] = ()
    udp: Mapping[str, object] | None = None


SLOWER_ACKS = {"topology.dumbbell.bottleneck.reverse.rate": "100 Mbit/s"}
"""Room for three times the acknowledgements, and a datagram of 65,000 bytes holds them up for 5 ms."""


def among_acks(rate: str) -> dict[str, object]:
    """Large datagrams at random times on the way of the acknowledgements."""
    return {"rate": rate, "packet": "65000 bytes", "pattern": "poisson", "backward": True}


CONDITIONS = {
    "plain": Condition("the paper's path"),
    "delayed": Condition("delayed ACKs", {"tcp.ack_every": 2}),
    "reverse": Condition(
        "CUBIC the other way",
        flows=[{"name": "back", "backward": True, "algorithm": "sack+hystart+cubic", "start_jitter": "1 s"}],
    ),
    "processing": Condition(
        "random processing times", first={"processing": {"uniform": {"from": "0 us", "to": "16 us"}}}
    ),
    "poisson": Condition("10 % Poisson UDP", udp={"rate": "80 Mbit/s", "pattern": "poisson"}),
    "jitter": Condition("some jitter of ACKs", SLOWER_ACKS, udp=among_acks("40 Mbit/s")),
    "strong-jitter": Condition("much jitter of ACKs", SLOWER_ACKS, udp=among_acks("60 Mbit/s")),
}
QUICK = Effort("30 s", 1, 2, (1e-6,), ("plain", "delayed"), False, 0)
FULL = Effort("45 s", 8, len(READINGS), (1e-6,), tuple(CONDITIONS), True, 5)


def experiments(effort: Effort) -> int:
    """How many calls of `compare` there are to come."""
    always = 2 + 2 * len(effort.losses) + 2 * len(effort.conditions)
    return always + 2 * effort.starts_together + (effort.longer_seeds > 0)


def report(context: Context, effort: Effort) -> dict[str, Measured]:
    """Tables, figures and notes; nothing of it is a claim of the paper."""
    context.table("readings", readings(context, effort))
    shares = company(context, effort)
    context.table("company", shares)
    caption = """What a flow gets of the link beside another, from 20 s on; means over seeds with 95 %
    intervals. Beside its like it would be a half."""
    context.figure("company", drawing.company(shares), " ".join(caption.split()))
    found, traces = conditions(context, effort)
    context.table("conditions", found)
    caption = (
        "HE-TCP's first 30 s by what happens to its ACKs, without random losses. Ticks: drops by the queue."
    )
    context.figure("conditions", drawing.conditions(traces), caption)
    if effort.starts_together:
        together(context, effort)
    if effort.longer_seeds:
        context.table("longer", longer(context, effort.longer_seeds))
    return {}


# --- Readings ---


def readings(context: Context, effort: Effort) -> pl.DataFrame:
    """The listing, and where the text differs from it: the start alone, and losses of 1e-5."""
    chosen = READINGS[:: len(READINGS) // effort.readings]
    variants = {name: f"sack+{name}" for name, *_ in chosen}
    early = {"duration": "20 s", "warm_up": "0 s", "trace.interval": STEP}
    clean = context.compare(variants, pipe(context, early))
    lossy = context.compare(
        variants, pipe(context, {"duration": effort.duration, LOSS: LOSSY}), seeds=effort.seeds
    )
    rows = []
    for name, start, estimate, smoothed in chosen:
        trace = Trace.of(clean.result(name))
        rows.append(
            {
                "starts_with": "the estimate (figure 2)" if start else "slow start (figure 1)",
                "estimate_after_a_loss": "0 (figure 2)" if estimate == 0 else "1 (3.3)",
                "forgets_over": "smoothed RTT (1)" if smoothed else "base RTT (figure 2)",
                "s_to_90_percent": f"{trace.filled_s():.1f}",
                "dropped_by_the_queue_in_20_s": trace.early_queue_drops(20.0),
                "share_of_the_link_at_1e-5": interval_of(
                    [share_of_link(result) for result in lossy.results if result.label == name]
                ),
            }
        )
    return pl.DataFrame(rows)


def interval_of(values: Sequence[float]) -> str:
    """A mean with its interval, in words."""
    found = statistics.mean_interval(values)
    if np.isnan(found.low):
        return f"{found.estimate:.3f}"
    return f"{found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}]"


# --- Company ---


def company(context: Context, effort: Effort) -> pl.DataFrame:
    """HE-TCP beside Reno and CUBIC on one bottleneck, and HS-TCP for comparison: a row for each."""
    rows = []
    for rival, loss in itertools.product((RENO, CUBIC), effort.losses):
        algorithm = ALGORITHMS.get(rival, f"sack+{rival}")
        beside = {"name": "second", "algorithm": algorithm, "start_jitter": "1 s"}
        settings = {"duration": effort.duration, LOSS: loss}
        own = {name: ALGORITHMS[name] for name in (HE_TCP, HS_TCP)} | {rival: algorithm}
        race = context.compare(own, pipe(context, settings, flows=[beside]), seeds=effort.seeds)
        for label in own:
            mine = [result for result in race.results if result.label == label]
            interval = statistics.mean_interval([share_of_first(result) for result in mine])
            rows.append(
                {
                    "flow": TITLES.get(label, "CUBIC"),
                    "beside": TITLES.get(rival, "CUBIC"),
                    "loss": loss,
                    "share": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "its_share": interval_of([share_of_first(result) for result in mine]),
                    "both_of_the_link": interval_of([share_of_link(result) for result in mine]),
                }
            )
    return pl.DataFrame(rows)


# --- Acknowledgements that come otherwise ---


def conditions(context: Context, effort: Effort) -> tuple[pl.DataFrame, dict[str, Trace]]:
    """HE-TCP's start, and what it and HS-TCP make of losses of 1e-5, under each condition."""
    pair = {name: ALGORITHMS[name] for name in (HE_TCP, HS_TCP)}
    rows, traces = [], {}
    for name in effort.conditions:
        condition = CONDITIONS[name]
        scenario = pipe(
            context,
            condition.settings,
            first=condition.first,
            flows=condition.flows,
            udp=condition.udp,
        )
        settings = {"duration": "40 s", "trace.interval": STEP}
        clean = context.compare({HE_TCP: ALGORITHMS[HE_TCP]}, scenario, settings=settings)
        result = clean.results[0]
        trace = traces[condition.title] = Trace.of(result)
        back = result.links.row(by_predicate=pl.col("name") == "right->left", named=True)
        losses = {"duration": effort.duration, LOSS: LOSSY}
        lossy = context.compare(pair, scenario, settings=losses, seeds=effort.seeds)
        shares = {
            label: [share_of_link(result) for result in lossy.results if result.label == label]
            for label in pair
        }
        rows.append(
            {
                "condition": condition.title,
                "wait_of_ACKs_in_ms": float(back["mean_queueing_delay_s"]) * 1e3,
                "s_to_90_percent": f"{trace.filled_s():.1f}",
                "dropped_by_the_queue_in_20_s": trace.early_queue_drops(20.0),
                "highest_window": f"{np.max(trace.cwnd):.0f}",
                "he_tcp_at_1e-5": interval_of(shares[HE_TCP]),
                "hs_tcp_at_1e-5": interval_of(shares[HS_TCP]),
            }
        )
    return pl.DataFrame(rows), traces


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
            seconds = np.mean([curve.converged_s(curve.recent) for curve in curves])
            index = np.mean([curve.so_far[-1] for curve in curves])
            said.append(f"{TITLES[label]} {seconds:.0f} s and {index:.3f} at {written(loss)}")
    context.note(
        f"""Two flows that start within a second of each other, the other reading of figure 5: seconds until
        Jain's index over 10 s is 0.95, and the index over all the {effort.duration}: {"; ".join(said)}."""
    )


# --- Figure 3 for longer ---

STRETCHES_S = ((20, 60), (60, 150), (150, 300))
"""The first is what figure 3's claims are measured over."""


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
