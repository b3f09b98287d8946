"""The chapter's sentences on larger networks, measured over the settings of the design."""

from __future__ import annotations

import numpy as np
import polars as pl

from ackclock import Sweep
from ackclock.papers import Each, Measured, NotRun, Ordered, Undecidable, Values

from .study import BESIDE, FILES, PROPOSALS, TITLES, Study

FAST = {"speed": "fast"}
"""The faster of the two networks, which has no congestion to speak of."""
SLOW = {"speed": "slow"}
LONG_PIPES = {"speed": "fast", "delay": "long"}
BUFFER = "topology.graph.link.2.buffer"
THRESHOLDS = ("bic", "ctcp", "hstcp", "scalable")
"""The proposals that have a low-window threshold (5.2)."""


def sentences(study: Study) -> dict[str, Measured]:
    """Every claim that a run of the design measures, by its id without the way."""
    found = {
        **_of_tcp(study),
        **_of_proposals(study),
        **_of_each(study),
        **_of_fairness(study),
        **_beside(study),
    }
    return {name: _decidable(measured) for name, measured in found.items()}


def _decidable(measured: Measured) -> Measured:
    """The measurement, or why there is none: a response may have no value at nearly every setting."""
    match measured:
        case Values(samples):
            lists = [samples]
        case Each(by_name):
            lists = list(by_name.values())
        case Ordered(by_name):
            finite = np.isfinite(list(by_name.values())).all(axis=0)
            kept = {name: [float(x) for x in np.array(row)[finite]] for name, row in by_name.items()}
            measured, lists = Ordered(kept, measured.note), list(kept.values())
        case _:
            return measured
    if min(map(len, lists)) < 2:
        return Undecidable("fewer than two settings have a response: no such file finished at the others")
    return measured


def _of_tcp(study: Study) -> dict[str, Measured]:
    return {
        "underutilisation": Values(study.against_proposals("utilisation_access", **LONG_PIPES)),
        "rates": Values(study.against_proposals("goodput_long", **LONG_PIPES)),
        **_small_threshold(study),
    }


def _small_threshold(study: Study) -> dict[str, Measured]:
    """The main effect of a large sst_INT on standard TCP's goodput, in shares of the mean, by seed."""
    effects = {
        name: study.effect_by_seed(f"goodput_{name}_bit_per_s", "tcp", "threshold", ("small", "large"))
        for name in ("web", *FILES)
    }
    seeds = set.intersection(*map(set, effects.values()))
    if len(seeds) < 2:
        why = Undecidable("in fewer than two seeds a file of each class has finished at every setting")
        return {"small-threshold": why, "small-threshold-size": why}
    found = {name: [by_seed[seed] for seed in sorted(seeds)] for name, by_seed in effects.items()}
    note = ", ".join(f"{name} {100 * np.mean(shares):+.0f} %" for name, shares in found.items())
    return {
        "small-threshold": Values(found["software"], note),
        "small-threshold-size": Ordered({name: found[name] for name in ("software", "web")}, note),
    }


def _of_proposals(study: Study) -> dict[str, Measured]:
    return {
        "proposals-utilisation": Each(
            {name: study.ratios("utilisation_access", name, **FAST) for name in PROPOSALS}
        ),
        "proposals-performance": _each_of_files(study, PROPOSALS, **FAST),
        "threshold": Each({name: study.ratios("goodput_web_bit_per_s", name) for name in THRESHOLDS}),
    }


def _each_of_files(study: Study, labels: tuple[str, ...], **levels: str) -> Each:
    """Goodputs of larger files, with a note on settings where a class has no finished file."""
    said = [
        f"{TITLES[label]}'s {name}, {left_out}"
        for label in labels
        for name in FILES
        if (left_out := study.left_out(f"goodput_{name}_bit_per_s", label, **levels))
    ]
    return Each({label: _of_files(study, label, **levels) for label in labels}, "; ".join(said))


def compared(study: Study, metric: str, label: str, **levels: str) -> Values:
    """A response over standard TCP's, with a note on settings where there is no ratio."""
    return Values(study.ratios(metric, label, **levels), study.left_out(metric, label, **levels))


def _of_files(study: Study, label: str, **levels: str) -> list[float]:
    """Goodputs of larger files relative to standard TCP's, setting by setting."""
    both = [study.ratios(f"goodput_{name}_bit_per_s", label, **levels) for name in FILES]
    return [float(value) for ratios in both for value in ratios]


def _of_each(study: Study) -> dict[str, Measured]:
    def long_flows(label: str, **levels: str) -> Values:
        return compared(study, "goodput_long", label, **levels)

    return {
        "hstcp-permits": long_flows("hstcp", **FAST),
        "hstcp-congested": Values(
            _of_files(study, "hstcp", **SLOW) + study.ratios("goodput_long", "hstcp", **SLOW),
            _each_of_files(study, ("hstcp",), **SLOW).note,
        ),
        "ctcp-window": compared(study, "window_packets", "ctcp", **FAST),
        "htcp-uncongested": long_flows("htcp", **LONG_PIPES),
        "scalable-quick": long_flows("scalable", **FAST),
        "fast-floods": compared(study, "retransmission_rate", "fast", buffers="small"),
        "fast-lossless": compared(study, "retransmission_rate", "fast", buffers="large", **FAST),
        "buffers": _buffers(study),
    }


def _buffers(study: Study) -> Measured:
    def waits(names: tuple[str, ...]) -> list[float]:
        chosen = [study.values("queueing_delay_access_s", name)[study.where(**FAST)] for name in names]
        return [1e3 * float(value) for value in np.mean(chosen, axis=0)]

    return Ordered({"high": waits(("bic", "scalable")), "low": waits(("htcp", "hstcp", "fast"))})


def _of_fairness(study: Study) -> dict[str, Measured]:
    def indices(label: str) -> list[float]:
        return [float(value) for value in study.values("fairness_long", label)[study.where(**FAST)]]

    return {
        "fair": Each({name: indices(name) for name in ("ctcp", "fast", "htcp")}),
        "scalable-unfair": Ordered({name: indices(name) for name in ("tcp", "scalable")}),
    }


def _beside(study: Study) -> dict[str, Measured]:
    return {
        "beside-utilisation": Each(
            {name: study.ratios("utilisation_access", name, **FAST) for name in BESIDE}
        ),
        "beside-performance": _each_of_files(study, BESIDE, **FAST),
    }


def of_short_runs(study: Study) -> dict[str, Measured]:
    """The two sentences on growing quickly, in runs that are as short as those with 10^4 active flows."""
    return {
        "ctcp-window": compared(study, "window_packets", "ctcp", **FAST),
        "htcp-uncongested": compared(study, "goodput_long", "htcp", **LONG_PIPES),
    }


def round_trips(sweep: Sweep) -> dict[str, Measured]:
    """The goodput of the flow with the long round trip over that of the other, by mechanism and buffer."""
    runs = sweep.runs.with_columns(ratio=pl.col("goodput_long_bit_per_s") / pl.col("goodput_short_bit_per_s"))

    def ratios(label: str, buffer: str) -> list[float]:
        mine = runs.filter((pl.col("label") == label) & (pl.col(BUFFER) == buffer)).sort("seed")
        return [float(value) for value in mine["ratio"]]

    small = {label: ratios(label, "20% bdp") for label in ("ctcp", "tcp")}
    large = {label: ratios(label, "100% bdp") for label in ("ctcp", "tcp")}
    beside = [ctcp / tcp for ctcp, tcp in zip(large["ctcp"], large["tcp"], strict=True)]
    note = f"TCP's own ratio is {np.mean(large['tcp']):.2f}"
    return {"rtt-fairness-similar": Values(beside, note), "rtt-fairness-small": Ordered(small)}


def capacity(runs: dict[tuple[str, str], Sweep]) -> dict[str, Measured]:
    """The number of active flows of the largest network, at its busiest setting."""
    if ("10^5", "slow") not in runs:
        return {"capacity": NotRun("the network of 10^5 active flows takes minutes of one processor")}
    return {"capacity": Values([float(runs["10^5", "slow"].runs["flows_active"][0])])}
