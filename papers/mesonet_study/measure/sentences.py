"""The chapter's sentences on larger networks, measured over the settings of the design."""

from __future__ import annotations

import numpy as np
import polars as pl

from ackclock import Sweep
from ackclock.papers import Each, Holds, Measured, NotRun, Ordered, Undecidable, Values

from .study import BESIDE, FILES, PROPOSALS, Study

FAST = {"speed": "fast"}
"""The faster of the two networks, which has no congestion to speak of."""
SLOW = {"speed": "slow"}
LONG_PIPES = {"speed": "fast", "delay": "long"}
BUFFER = "topology.graph.link.2.buffer"
THRESHOLDS = ("bic", "ctcp", "hstcp", "scalable")
"""The proposals that have a low-window threshold (5.2)."""


def sentences(study: Study) -> dict[str, Measured]:
    """Every claim that the design measures, by its id."""
    return {
        **_of_tcp(study),
        **_of_proposals(study),
        **_of_each(study),
        **_of_fairness(study),
        **_beside(study),
    }


def _of_tcp(study: Study) -> dict[str, Measured]:
    return {
        "underutilisation": Values(study.against_proposals("utilisation_access", **LONG_PIPES)),
        "rates": Values(study.against_proposals("goodput_long", **LONG_PIPES)),
        **_small_threshold(study),
    }


def _small_threshold(study: Study) -> dict[str, Measured]:
    """The main effect of sst_INT on standard TCP, in shares of the mean."""
    found = {}
    for name in ("web", *FILES):
        mine = study.sweep.effects(f"goodput_{name}_bit_per_s")
        chosen = mine.filter((mine["label"] == "tcp") & (mine["factors"] == "threshold"))
        if chosen.is_empty():
            why = Undecidable(f"no file of the class {name} has finished at some setting")
            return {"small-threshold": why, "small-threshold-size": why}
        row = chosen.row(0, named=True)
        mean = float(np.nanmean(study.values(f"goodput_{name}_bit_per_s", "tcp")))
        found[name] = (row["effect"] / mean, row["low"] / mean)
    larger = found["software"]
    note = ", ".join(f"{name} {100 * share:+.0f} %" for name, (share, _) in found.items())
    return {
        "small-threshold": Holds([larger[1] > 0], larger[0], note),
        "small-threshold-size": Holds([larger[0] > found["web"][0]], larger[0] - found["web"][0], note),
    }


def _of_proposals(study: Study) -> dict[str, Measured]:
    return {
        "proposals-utilisation": Each(
            {name: study.ratios("utilisation_access", name, **FAST) for name in PROPOSALS}
        ),
        "proposals-performance": Each({name: _of_files(study, name, **FAST) for name in PROPOSALS}),
        "threshold": Each({name: study.ratios("goodput_web_bit_per_s", name) for name in THRESHOLDS}),
    }


def _of_files(study: Study, label: str, **levels: str) -> list[float]:
    """Goodputs of larger files beside standard TCP's, setting by setting."""
    both = [study.ratios(f"goodput_{name}_bit_per_s", label, **levels) for name in FILES]
    return [float(value) for ratios in both for value in ratios]


def _of_each(study: Study) -> dict[str, Measured]:
    def long_flows(label: str, **levels: str) -> Values:
        return Values(study.ratios("goodput_long", label, **levels))

    return {
        "hstcp-permits": long_flows("hstcp", **FAST),
        "hstcp-congested": Values(
            _of_files(study, "hstcp", **SLOW) + study.ratios("goodput_long", "hstcp", **SLOW)
        ),
        "ctcp-window": Values(study.ratios("window_packets", "ctcp", **FAST)),
        "htcp-uncongested": long_flows("htcp", **LONG_PIPES),
        "scalable-quick": long_flows("scalable", **FAST),
        "fast-floods": Values(study.ratios("retransmission_rate", "fast", buffers="small")),
        "fast-lossless": Values(study.ratios("retransmission_rate", "fast", buffers="large", **FAST)),
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
        "beside-performance": Each({name: _of_files(study, name, **FAST) for name in BESIDE}),
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


def capacity(runs: dict[str, Sweep]) -> dict[str, Measured]:
    """The number of active flows of the largest network."""
    if "10^5" not in runs:
        return {"capacity": NotRun("the network of 10^5 active flows takes minutes of one processor")}
    return {"capacity": Values([float(runs["10^5"].runs["flows_active"][0])])}
