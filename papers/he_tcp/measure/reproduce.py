"""Measures what sections 3 and 4 of the paper claim; claims.toml holds the rules that judge it.

Claims under conditions that the paper does not show are in beyond.py, estimators in estimators.py.

`ackclock reproduce he-tcp` runs everything; `--quick` has two seeds, shorter runs and fewer loss rates;
`--part` runs one of `PARTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ackclock import Comparison
from ackclock.measures import statistics
from ackclock.papers import Context, Holds, Measured, Ordered, Undecidable, Values

from . import beyond, drawing, estimators
from .study import (
    ALGORITHMS,
    CHOSEN,
    HE_TCP,
    HS_TCP,
    LANDED_S,
    LENGTHS,
    LISTING,
    LOSS,
    OPEN,
    PAYLOAD_RATE,
    PIPE_PACKETS,
    RENO,
    STEP,
    TITLES,
    Fairness,
    Rise,
    Trace,
    pipe,
    share_of_first,
    share_of_link,
    written,
)

START_S = 30.0
"""Of the runs of a start."""
EARLY_S = 20.0
"""Up to here without random losses, only overshooting can lose packets."""
RISES_S = (10, 12, 15)
"""Rises so long show their phases, by one of three definitions."""
CONVERGED = {"90": 0.9, "95": 0.95, "99": 0.99}
"""Jain's index from which on two flows share, by one of three definitions."""
FREED_S = 40.0
"""When UDP leaves."""
FIGURE_3 = 1e-6
LOW_LOSS = 1e-7
SMALL_PIPE = {
    "topology.dumbbell.bottleneck.rate": "10 Mbit/s",
    "topology.dumbbell.bottleneck.delay": "18 ms",
    "topology.dumbbell.bottleneck.buffer": "25 packets",
    "topology.dumbbell.bottleneck.reverse.rate": "10 Mbit/s",
    "topology.dumbbell.bottleneck.reverse.delay": "18 ms",
}
"""50 packets fill it, and half as many may wait: no "ordinary small BDP network" is given."""
LOSSES = (1e-8, LOW_LOSS, FIGURE_3, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3)
QUICK_LOSSES = (1e-8, LOW_LOSS, 3e-6, 1e-5, 1e-4, 1e-3)


@dataclass(frozen=True)
class Effort:
    """The extent of the runs."""

    duration: str
    """Of a run of one flow; figure 3's has its own, `LENGTHS`."""
    two_flows: str
    small_pipe: str
    seeds: int
    losses: tuple[float, ...]
    figure_3_seeds: int
    start_seeds: int
    """Of what has nothing random but when it begins."""
    beyond: beyond.Effort

    @staticmethod
    def of(context: Context) -> Effort:
        """A minute's worth, or all of it."""
        if context.quick:
            return Effort("30 s", "50 s", "60 s", 2, QUICK_LOSSES, 2, 2, beyond.QUICK)
        return Effort("50 s", "80 s", "300 s", 10, LOSSES, 10, 10, beyond.FULL)


def measure(context: Context) -> Mapping[str, Measured]:
    """Every claim's measurement, by its id."""
    effort = Effort.of(context)
    context.expect(4 + len(effort.losses) + 3 + 2 + 2 + beyond.experiments(effort.beyond))
    found: dict[str, Measured] = {}
    for name, part in PARTS.items():
        if not context.parts or name in context.parts:
            found |= part(context, effort)
    return found


def traced(race: Comparison) -> dict[str, list[Trace]]:
    """The first flow of each run, by algorithm."""
    return {
        label: [Trace.of(result) for result in race.results if result.label == label] for label in race.labels
    }


def goodputs(race: Comparison) -> dict[str, list[float]]:
    """The share of the link in use, by algorithm, seed by seed."""
    return {
        label: [share_of_link(result) for result in race.results if result.label == label]
        for label in race.labels
    }


# --- 3.2: the start ---


def start(context: Context, effort: Effort) -> dict[str, Measured]:
    """The first seconds of a flow alone, without random losses; nothing is random but when it begins."""
    settings = {"duration": f"{START_S:g} s", "trace.interval": STEP}
    own = {
        HE_TCP: ALGORITHMS[HE_TCP],
        "standard slow start": ALGORITHMS[RENO],
        "slow start + HE-TCP": f"sack+hetcp({CHOSEN.replace('from_start=1', 'from_start=0')})",
    }
    variants = context.with_competitors(own, ALGORITHMS[RENO])
    traces = traced(context.compare(variants, pipe(context, settings), seeds=effort.start_seeds))
    caption = """The first 30 s of a flow alone: HE-TCP, standard slow start with TCP Reno, and standard slow
    start with HE-TCP after its first loss. Ticks: packets dropped by the full queue."""
    firsts = drawing.start({label: found[0] for label, found in traces.items()})
    context.figure("start", firsts, " ".join(caption.split()))
    drops = {label: [float(t.early_queue_drops(EARLY_S)) for t in found] for label, found in traces.items()}
    filled = {label: [t.filled_s() for t in found] for label, found in traces.items()}
    _answer(
        context,
        "The start, without random losses",
        {
            "queue drops up to 20 s": drops,
            "90 % of the path filled, s": filled,
        },
    )
    told_s = ", ".join(f"{label} {np.mean(filled[label]):.1f} s" for label in traces)
    return {
        "start-no-overshoot": Values(drops[HE_TCP]),
        "start-standard-overshoots": Ordered(drops),
        "start-fast": Ordered(
            {
                label: [trace.share(0.0, START_S) for trace in traces[label]]
                for label in (HE_TCP, "standard slow start")
            },
            f"90 % of the path filled after {told_s}",
        ),
    }


# --- Figures 1 and 3 ---


def figures_1_and_3(context: Context, effort: Effort) -> dict[str, Measured]:
    """The three algorithms at a loss rate of 1e-6."""
    settings = {"duration": LENGTHS["figure 3"], "trace.interval": STEP, LOSS: FIGURE_3}
    variants = context.with_competitors(ALGORITHMS, ALGORITHMS[RENO])
    race = context.compare(variants, pipe(context, settings), seeds=effort.figure_3_seeds)
    traces = traced(race)
    chosen = max(traces[HE_TCP], key=lambda trace: len(landed(trace)))
    context.figure("figure-1", drawing.figure_1(chosen), FIGURE_1_CAPTION)
    caption = (
        "Figure 3: congestion windows of the three with a loss rate of 1e-6. Dotted: path; path and queue."
    )
    context.figure("figure-3", drawing.figure_3({label: traces[label][0] for label in variants}), caption)
    shares = goodputs(race)
    _answer(context, "Figure 3: loss rate 1e-6", {"goodput, share of the link": shares})
    return {
        **phases(traces[HE_TCP]),
        "figure-3-maintained": Values(shares[HE_TCP]),
        "figure-3-order": Ordered(shares),
        "figure-3-slow-increase": climbs({label: traces[label] for label in ALGORITHMS}),
    }


FIGURE_1_CAPTION = (
    "Figure 1 on a measured window: SS up to the steepest growth of the first rise, RI while a round trip "
    "gains more than ten packets, CA from there on. Dotted: W_AB, the bandwidth-delay product. Of "
    "figure 3's runs, the first minute of the one in which most rises last ten seconds."
)


def climb(trace: Trace) -> float:
    """Packets per second gained in the first 5 s after losses past the start; NaN if there are none."""
    rises = [rise for rise in trace.rises() if rise.time[0] >= EARLY_S]
    return float(np.mean([rise.gained(5.0) for rise in rises])) if rises else float("nan")


def climbs(traces: Mapping[str, Sequence[Trace]]) -> Measured:
    """Growth after losses by algorithm, of the seeds with which each of them had a loss to grow after."""
    found = {label: [climb(trace) for trace in mine] for label, mine in traces.items()}
    complete = np.isfinite(np.array(list(found.values()))).all(axis=0)
    if not complete.any():
        return Undecidable("with no seed had each of the three a loss to grow after")
    kept = {
        label: [value for value, ok in zip(mine, complete, strict=True) if ok]
        for label, mine in found.items()
    }
    return Ordered(kept, f"all three had such a loss with {complete.sum()} of {complete.size} seeds")


def landed(trace: Trace, least_s: float = LANDED_S) -> list[Rise]:
    """Rises that lasted long enough to land."""
    return [rise for rise in trace.rises() if rise.duration_s >= least_s]


def phases(traces: Sequence[Trace]) -> dict[str, Measured]:
    """Figure 1 in numbers, and how rises end (3.4)."""
    long = [rise for trace in traces for rise in landed(trace)]
    levels = [float(np.mean(rise.ssthresh[rise.landing :])) for rise in long if rise.landing is not None]
    kept = [share for trace in traces for share in trace.kept()]
    braking = [
        float(np.mean(found))
        for trace in traces
        if (found := [rise.braking(0.95 * PIPE_PACKETS) for rise in landed(trace)])
    ]
    return {
        **{
            f"figure-1-phases-{least_s}": Holds(
                [in_order(rise) for t in traces for rise in landed(t, least_s)]
            )
            for least_s in RISES_S
        },
        "figure-1-level": Values(levels) if levels else Undecidable("no rise landed"),
        "figure-1-halved": Values(kept) if kept else Undecidable("no loss in CA"),
        "landing-brakes": Values([value for value in braking if not np.isnan(value)]),
        "landing-soft": Holds([not overshoots(trace) for trace in traces]),
        "figure-3-recovers": recoveries(traces),
    }


def recoveries(traces: Sequence[Trace]) -> Measured:
    """Seconds from a loss to 95 % of the path, where the next loss leaves ten seconds for it."""
    after = [
        rise
        for trace in traces
        for rise in trace.rises()
        if not rise.is_first and rise.cwnd[0] > 0.45 * PIPE_PACKETS
    ]
    counted = [rise for rise in after if rise.duration_s >= LANDED_S]
    short = [rise for rise in after if rise.duration_s < LANDED_S]
    missed = [rise.duration_s for rise in short if not np.isfinite(rise.time_to(0.95 * PIPE_PACKETS))]
    note = (
        f"{len(counted)} of {len(after)} losses; after the other {len(short)} came the next loss or the end "
        f"within {LANDED_S:g} s, after {len(short) - len(missed)} of them with 95 % reached before"
    )
    if missed:
        note += f", after the last {len(missed)} within {max(missed):.1f} s"
    back = [rise.time_to(0.95 * PIPE_PACKETS) for rise in counted]
    return Values(back, note) if back else Undecidable("no such loss")


def in_order(rise: Rise) -> bool:
    """True if a rise is rapid, then linear for a second, and linear from then on."""
    landing = rise.landing
    return landing is not None and float(np.max(rise.gain[: landing + 1])) > 100


def overshoots(trace: Trace) -> bool:
    """True if the queue drops anything while the window rises rapidly, or in the second after."""
    for rise in trace.rises():
        end = rise.time[-1] if rise.landing is None else rise.time[rise.landing] + 1
        if np.any((trace.queue_drops > rise.time[0]) & (trace.queue_drops <= end)):
            return True
    return False


# --- Figure 4 ---


def figure_4(context: Context, effort: Effort) -> dict[str, Measured]:
    """HE-TCP and HS-TCP over loss rates."""
    pair = {name: ALGORITHMS[name] for name in (HE_TCP, HS_TCP)}
    pair = context.with_competitors(pair, ALGORITHMS[RENO])
    shares: dict[float, dict[str, list[float]]] = {}
    for loss in effort.losses:
        settings = {"duration": effort.duration, LOSS: loss}
        shares[loss] = goodputs(context.compare(pair, pipe(context, settings), seeds=effort.seeds))
    table = figure_4_table(shares)
    context.table("figure-4", table)
    _answer(
        context,
        "Figure 4: goodput by loss rate, share of the link",
        {written(loss): both for loss, both in shares.items()},
    )
    caption = """Figure 4: HE-TCP's goodput over HS-TCP's, the geometric mean over seeds with the 95 %
    interval of the mean logarithm; and both as shares of the link, means with 95 % intervals; over the
    loss rate. Dotted: 1e-7 and 3e-6, between which the paper says nothing."""
    context.figure("figure-4", drawing.figure_4(table, list(pair)), " ".join(caption.split()))
    found: dict[str, Measured] = {
        "figure-4-full-hetcp": Values(shares[1e-8][HE_TCP]),
        "figure-4-full-hstcp": Values(shares[1e-8][HS_TCP]),
    }
    for name, loss in (("1e-8", 1e-8), ("1e-7", LOW_LOSS)):
        found[f"figure-4-same-{name}"] = Values(ratios(shares[loss]))
    for name in ("3e-6", "1e-5", "1e-4", "1e-3"):
        found[f"figure-4-better-{name}"] = Ordered(shares[float(name)])
    return found


def ratios(shares: Mapping[str, Sequence[float]]) -> list[float]:
    """HE-TCP's goodput over HS-TCP's, seed by seed."""
    return [he / hs for he, hs in zip(shares[HE_TCP], shares[HS_TCP], strict=True)]


def figure_4_table(shares: Mapping[float, Mapping[str, Sequence[float]]]) -> pl.DataFrame:
    """A row per loss rate: ratio and both shares, with intervals.

    The logarithms of ratios are averaged: double and half are then equally far from one, so that a few runs
    with many losses of HS-TCP do not dominate.
    """
    rows = []
    for loss, both in shares.items():
        of_logarithms = statistics.mean_interval(np.log(ratios(both)))
        row = {"loss": loss} | columns("ratio", *np.exp(bounds(of_logarithms)))
        for name, values in both.items():
            row |= columns(name, *bounds(statistics.mean_interval(values)))
        rows.append(row)
    return pl.DataFrame(rows).sort("loss")


def bounds(interval: statistics.Interval) -> tuple[float, float, float]:
    """The estimate and its interval."""
    return interval.estimate, interval.low, interval.high


def columns(name: str, estimate: float, low: float, high: float) -> dict[str, float]:
    """Of a table: the estimate, and the ends of its interval."""
    return {name: float(estimate), f"{name}_low": float(low), f"{name}_high": float(high)}


# --- Figure 5 ---


def figure_5(context: Context, effort: Effort) -> dict[str, Measured]:
    """A second flow joins: Jain's index over time."""
    pair = {name: ALGORITHMS[name] for name in (HE_TCP, HS_TCP)}
    pair = context.with_competitors(pair, ALGORITHMS[RENO])
    second = {"name": "second", "start": "20 s", "start_jitter": "1 s"}
    curves: dict[float, dict[str, list[Fairness]]] = {}
    found: dict[str, Measured] = {}
    for name, loss in (("1e-6", FIGURE_3), ("1e-7", LOW_LOSS)):
        settings = {"duration": effort.two_flows, "warm_up": "21 s", "trace.interval": "500 ms", LOSS: loss}
        race = context.compare(pair, pipe(context, settings, flows=[second]), seeds=effort.seeds)
        curves[loss] = {
            label: [Fairness.of(result) for result in race.results if result.label == label] for label in pair
        }
        for key, level in CONVERGED.items():
            found[f"figure-5-faster-{name}-{key}"] = faster(curves[loss], level)
    overall = {label: [float(c.so_far[-1]) for c in mine] for label, mine in curves[LOW_LOSS].items()}
    _answer(
        context,
        "Figure 5: Jain's index of two flows over all since the second began",
        {
            written(loss): {label: [float(c.so_far[-1]) for c in mine] for label, mine in both.items()}
            for loss, both in curves.items()
        },
    )
    caption = """Figure 5: Jain's index of two flows' goodputs over the last 10 s, since the second began;
    means over seeds with 95 % intervals. Thin: of all since the second began."""
    context.figure("figure-5", drawing.figure_5(curves), " ".join(caption.split()))
    return {**found, "figure-5-improved": Ordered(overall)}


def faster(curves: Mapping[str, Sequence[Fairness]], level: float) -> Measured:
    """Seconds until the index is this high, by algorithm."""
    recent, so_far = (
        {label: [c.converged_s(getattr(c, which), level) for c in mine] for label, mine in curves.items()}
        for which in ("recent", "so_far")
    )
    told = ", ".join(f"{label} {np.mean(values):.0f}" for label, values in so_far.items())
    least = sum(value <= Fairness.OVER_S for value in recent[HE_TCP])
    runs = len(recent[HE_TCP])
    note = f"by all since its start: {told} s; hetcp at the least, 10 s, in {least} of {runs} runs"
    return Ordered(recent, note)


# --- What has no figure ---


def freed(context: Context, effort: Effort) -> dict[str, Measured]:
    """Half of the link becomes free at 40 s, and nothing is lost."""
    settings = {"duration": "80 s", "trace.interval": "200 ms"}
    other = {"name": "cross", "rate": "400 Mbit/s", "stop": f"{FREED_S:g} s"}
    variants = context.with_competitors(ALGORITHMS, ALGORITHMS[RENO])
    race = context.compare(variants, pipe(context, settings, udp=other), seeds=effort.start_seeds)
    traces = traced(race)
    caption = """Half of the link becomes free at 40 s: goodput of a flow of each algorithm, without random
    losses. At 36 s HS-TCP has filled the queue; goodput waits for what is sent again, and then catches up."""
    context.figure("freed", drawing.freed({k: v[0] for k, v in traces.items()}), " ".join(caption.split()))
    seconds = [taken_after(trace) for trace in traces[HE_TCP]]
    note = "; ".join(f"{label} {np.mean([taken_after(t) for t in traces[label]]):.3g} s" for label in traces)
    return {"freed-bandwidth": Values(seconds, f"{note}; 40 s: not within the run")}


def taken_after(trace: Trace) -> float:
    """Seconds from UDP's end until a second's goodput has 90 % of what it left."""
    step = float(trace.time[1] - trace.time[0])
    rate = np.convolve(trace.goodput, np.ones(round(1 / step)) * step, "full")[: trace.time.size]
    there = np.flatnonzero((trace.time > FREED_S) & (rate >= 0.95 * PAYLOAD_RATE))
    return float(trace.time[there[0]] - FREED_S) if there.size else float(trace.time[-1] - FREED_S)


def round_trips(context: Context, effort: Effort) -> dict[str, Measured]:
    """Flows of 200 ms and 100 ms."""
    pair = context.with_competitors(ALGORITHMS, ALGORITHMS[RENO])
    settings = {**OPEN, "duration": effort.duration, "topology.graph.link.2.loss.bernoulli": FIGURE_3}
    scenario = context.scenario("two-round-trips", settings)
    race = context.compare(pair, scenario, seeds=effort.seeds)
    fair = {
        label: [
            statistics.jain_index(result.flows["goodput_bit_per_s"].to_list())
            for result in race.results
            if result.label == label
        ]
        for label in race.labels
    }
    shares = {label: np.mean([share_of_first(r) for r in race.results if r.label == label]) for label in pair}
    _answer(context, "Flows of 200 ms and 100 ms", {"Jain's index of the goodputs": fair})
    note = "the flow of 200 ms gets " + ", ".join(f"{share:.0%} ({label})" for label, share in shares.items())
    return {"rtt-fairness": Ordered(fair, note)}


def small_pipe(context: Context, effort: Effort) -> dict[str, Measured]:
    """10 Mbit/s and 40 ms: alone with random losses, then with TCP Reno without."""
    settings = {"duration": effort.small_pipe, "warm_up": "10 s", **SMALL_PIPE}
    variants = {
        RENO: ALGORITHMS[RENO],
        HE_TCP: ALGORITHMS[HE_TCP],
        HS_TCP: ALGORITHMS[HS_TCP],
        "HE-TCP by the listing": f"sack+{LISTING}",
    }
    variants = context.with_competitors(variants, ALGORITHMS[RENO])
    seeds = 2 * effort.seeds
    alone = goodputs(context.compare(variants, pipe(context, {**settings, LOSS: 1e-3}), seeds=seeds))
    ratio = {
        label: [value / reno for value, reno in zip(values, alone[RENO], strict=True)]
        for label, values in alone.items()
    }
    rival = {"name": "second", "algorithm": ALGORITHMS[RENO], "start_jitter": "1 s"}
    race = context.compare(variants, pipe(context, settings, flows=[rival]), seeds=seeds)
    beside = {
        label: [share_of_first(result) for result in race.results if result.label == label]
        for label in variants
    }
    _answer(
        context,
        "10 Mbit/s and 40 ms",
        {"alone, over TCP Reno's goodput": ratio, "beside TCP Reno, share of what both get": beside},
    )
    return {
        "small-pipe-alone": Values(ratio[HE_TCP], told(ratio)),
        "small-pipe-beside": Values(beside[HE_TCP], told(beside)),
    }


def _answer(context: Context, title: str, found: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
    """A table for those who add a competitor: a row per algorithm, a column per measure, means over seeds."""
    names = dict.fromkeys(name for by_name in found.values() for name in by_name)
    rows = [
        {
            "algorithm": TITLES.get(name, name),
            **{
                what: f"{np.mean(by_name[name]):.3g}" if name in by_name else "–"
                for what, by_name in found.items()
            },
        }
        for name in names
    ]
    context.answer(title, pl.DataFrame(rows))


def told(found: Mapping[str, Sequence[float]]) -> str:
    """Means by name, for a note."""
    return ", ".join(f"{label} {np.mean(values):.3f}" for label, values in found.items())


PARTS: dict[str, Callable[[Context, Effort], dict[str, Measured]]] = {
    "start": start,
    "figures-1-and-3": figures_1_and_3,
    "figure-4": figure_4,
    "figure-5": figure_5,
    "freed": freed,
    "round-trips": round_trips,
    "small-pipe": small_pipe,
    "beyond": lambda context, effort: beyond.report(context, effort.beyond),
    "estimators": lambda context, effort: estimators.report(context, effort.seeds),
}
"""Those that `ackclock reproduce he-tcp --part` can run alone."""
COMPARES = tuple(name for name in PARTS if name not in ("beyond", "estimators"))
"""The parts that take competitors: those of the paper's own experiments."""
