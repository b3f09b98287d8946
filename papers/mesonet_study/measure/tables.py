"""The tables of the study: responses, ratios, seeds, effects, alphas of FAST, short runs, and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ackclock import Sweep
from ackclock.papers import Measured, Values

from .drawing import geometric
from .sentences import sentences
from .study import TITLES, Study

RATIOS = {
    "goodput_web_bit_per_s": "web",
    "goodput_document_bit_per_s": "documents",
    "goodput_long": "long flows",
    "retransmission_rate": "retransmissions",
}


def has(study: Study, name: str) -> bool:
    """True if a response has a value in every run, and varies."""
    column = study.sweep.runs[name]
    return bool(column.is_finite().all()) and column.n_unique() > 1


def responses(study: Study, names: Sequence[str]) -> pl.DataFrame:
    """The mean of each response over all settings, by mechanism."""
    rows = []
    for label, title in TITLES.items():
        means = {name: float(study.values(name, label).mean()) for name in names}
        rows.append({"mechanism": title, **means})
    return pl.DataFrame(rows)


def ratios(study: Study) -> pl.DataFrame:
    """Larger files and long flows relative to standard TCP's, with intervals over settings."""
    rows = []
    for label, title in TITLES.items():
        if label == "tcp":
            continue
        row: dict[str, object] = {"mechanism": title}
        for speed in ("slow", "fast"):
            for metric, name in RATIOS.items():
                row[f"{name}, {speed}"] = in_words(study.ratios(metric, label, speed=speed))
        rows.append(row)
    return pl.DataFrame(rows)


def by_seed(study: Study, whole: Mapping[str, Measured]) -> pl.DataFrame:
    """Sentences that one ratio judges: its mean and interval over settings, over seeds, and each seed's.

    Means are geometric. The rules take the interval over settings, each the mean over its seeds; that over
    seeds says what other random traffic would change.
    """
    alone = {seed: sentences(study.of_seed(seed)) for seed in study.sweep.plan.seeds}
    rows = []
    for name, measured in whole.items():
        means = {seed: geometric(_samples(found[name])) for seed, found in alone.items()}
        estimates = {seed: mean.estimate for seed, mean in means.items() if mean is not None}
        row = {
            "sentence": name,
            "over settings": in_words(_samples(measured), 3),
            "over seeds": in_words(list(estimates.values()), 3),
        }
        rows.append(row | {f"seed {seed}": f"{estimates[seed]:.3f}" for seed in alone if seed in estimates})
    return pl.DataFrame(rows)


def _samples(measured: Measured) -> Sequence[float]:
    return measured.samples if isinstance(measured, Values) else []


def in_words(values: Sequence[float], digits: int = 2) -> str:
    """The geometric mean of ratios with its interval."""
    interval = geometric(values)
    if interval is None:
        return ""
    return f"{interval.estimate:.{digits}f} ({interval.low:.{digits}f} to {interval.high:.{digits}f})"


def effects(study: Study, names: Sequence[str]) -> pl.DataFrame:
    """The main effects on standard TCP's responses in % of the mean: a row for each response."""
    rows = []
    for name in names:
        found = study.sweep.effects(name).filter(label="tcp").filter(pl.col("term").str.len_chars() == 1)
        mean = float(study.values(name, "tcp").mean())
        row: dict[str, object] = {"response": name.removesuffix("_bit_per_s").replace("_", " ")}
        for effect in found.iter_rows(named=True):
            percent, low, high = (100 * effect[key] / mean for key in ("effect", "low", "high"))
            heading = f"{effect['term']}: {effect['factors'].replace('_', ' ')}"
            row[heading] = f"{round(percent):+d} ({round(low):+d} to {round(high):+d})"
        rows.append(row)
    return pl.DataFrame(rows)


def alphas(study: Study) -> pl.DataFrame:
    """FAST by its alpha, relative to standard TCP: what is sent again, and the wait at access links."""
    rows = []
    for label in study.sweep.plan.algorithms:
        sent = 100 * study.values("retransmission_rate", label)
        wait = 1e3 * study.values("queueing_delay_access_s", label)
        found = [] if label == "tcp" else study.ratios("retransmission_rate", label)
        rows.append(
            {
                "mechanism": TITLES.get(label, label.replace("alpha-", "FAST, alpha = ")),
                "retransmissions, % of packets": f"{sent.mean():.2f}",
                "over standard TCP's, geometric mean": in_words(found),
                "mean": f"{np.mean(found):.2f}" if found else "",
                "median": f"{np.median(found):.2f}" if found else "",
                "settings with a ratio": f"{len(found)} of {sent.size}" if found else "",
                "wait at access links, ms": f"{wait.mean():.1f}",
            }
        )
    return pl.DataFrame(rows)


def short_runs(study: Study) -> pl.DataFrame:
    """H-TCP and CTCP relative to standard TCP in runs of 6 s on the fast network, hundreds of flows."""
    long_pipes = {"speed": "fast", "delay": "long"}
    return pl.DataFrame(
        [
            {
                "mechanism": TITLES[label],
                "long flows": in_words(study.ratios("goodput_long", label)),
                "long flows, long delay": in_words(study.ratios("goodput_long", label, **long_pipes)),
                "mean window": in_words(study.ratios("window_packets", label)),
            }
            for label in study.sweep.plan.algorithms
            if label != "tcp"
        ]
    )


def sizes(others: Mapping[tuple[str, str], Sweep]) -> pl.DataFrame:
    """The larger networks: active flows, packets and processor time of each run."""
    return pl.DataFrame(
        [
            {
                "size": name,
                "speed": speed,
                "mechanism": TITLES[run["label"]],
                "active": run["flows_active"],
                "packets_million": run["packets"] / 1e6,
                "cpu_s": run["cpu_s"],
                "retransmissions_percent": 100 * run["retransmission_rate"],
                "utilisation_percent": 100 * run["utilisation_access"],
                "web_kbit_per_s": run["goodput_web_bit_per_s"] / 1e3,
            }
            for (name, speed), sweep in others.items()
            for run in sweep.runs.iter_rows(named=True)
        ]
    )
