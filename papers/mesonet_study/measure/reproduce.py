"""Measures what the chapter expects of larger networks; claims.toml holds the rules that judge it.

`ackclock reproduce mesonet-study` runs the design on two networks, and standard TCP on a third; runs that
are in `results/mesonet-study` are not made again. `--quick` runs 16 settings of a smaller network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ackclock import Sweep
from ackclock.measures import statistics
from ackclock.papers import Context, Measured, NotRun

from . import drawing, largest
from .sentences import capacity, round_trips, sentences
from .study import (
    LARGER,
    SIZED,
    TITLES,
    Study,
    design,
    larger_design,
    largest_design,
    of_size,
    two_round_trips,
)

RESPONSES = (
    "flows_active",
    "flows_completed_per_s",
    "given_up_share",
    "retransmission_rate",
    "timeouts_per_s",
    "window_packets",
    "smoothed_rtt_s",
    "goodput_all_bit_per_s",
    "utilisation_backbone",
    "utilisation_pop",
    "utilisation_access",
    "queueing_delay_access_s",
    "loss_access",
    "goodput_web_bit_per_s",
    "goodput_document_bit_per_s",
    "goodput_long-a_bit_per_s",
    "fairness_long-a",
)
"""The responses that every setting has, and that tables and figures show together."""


PARTS = ("capacity", "hundred-thousand")
"""The parts that `ackclock reproduce mesonet-study --part` runs alone."""


def measure(context: Context) -> Mapping[str, Measured]:
    """Every claim's measurement, by its id."""
    if context.parts == ("hundred-thousand",):
        return _of_largest(context)
    if context.parts:
        return capacity({}) if context.quick else _of_larger(context)
    study = Study(design(context))
    _figures(context, study, "")
    _report(context, study, "")
    found = {f"{name}-hundreds": measured for name, measured in sentences(study).items()}
    if context.quick:
        later = NotRun("the design with 10^4 active flows takes three hours of one processor")
        found |= {name.replace("-hundreds", "-ten-thousand"): later for name in found}
        return {**found, **round_trips(two_round_trips(context)), **capacity({})}
    larger = Study(larger_design(context))
    _figures(context, larger, "-ten-thousand")
    _report(context, larger, "-ten-thousand")
    found |= {f"{name}-ten-thousand": measured for name, measured in sentences(larger).items()}
    return {**found, **round_trips(two_round_trips(context)), **_of_larger(context)}


def _of_larger(context: Context) -> dict[str, Measured]:
    """The claim on the number of active flows, by standard TCP on larger networks."""
    others = {
        (name, speed): of_size(context, size, setting, ["tcp"])
        for name, size in LARGER.items()
        for speed, setting in SIZED.items()
    }
    context.table("sizes", size_table(others))
    return capacity(others)


def _of_largest(context: Context) -> dict[str, Measured]:
    """The design with 10^5 active flows: tables and a figure, which judge no claim."""
    few, many = largest.few_settings(context), largest_design(context, ("tcp",))
    context.table("hundred-thousand", largest.settings_table(many))
    context.table("hundred-thousand-effects", largest.effects_table(few, many))
    context.figure("hundred-thousand", *largest.effects_figure(few, many))
    context.note(largest.note(many))
    return {}


def _figures(context: Context, study: Study, ending: str) -> None:
    size = f"{len(study.sweep.plan.points)} settings{_network(ending)}"
    for name, metric, about in (
        ("active", "flows_active", "flows active at a time"),
        ("retransmissions", "retransmission_rate", "retransmissions, of the data packets sent"),
        ("web", "goodput_web_bit_per_s", "goodput of web files"),
        ("documents", "goodput_document_bit_per_s", "goodput of documents"),
    ):
        # A class that has no finished file at some setting has no effects.
        for _, figure in study.sweep.design_figures(metric)[:1]:
            context.figure(
                name + ending, figure, f"The mean over {size} at both levels of each factor: {about}."
            )
    half = study.sweep.design_figures("utilisation_access")[1][1]
    effects = "Effects on the utilisation of access links, by size; filled: decided."
    drawn = {
        "half-normal": (half, effects),
        **drawing.together(study, [name for name in RESPONSES if _has(study, name)]),
        "against-tcp": drawing.against_tcp(study),
        "classes": drawing.classes(study),
        "fairness": drawing.fairness(study),
    }
    for name, (figure, caption) in drawn.items():
        context.figure(name + ending, figure, caption.removesuffix(".") + _network(ending) + ".")


def _network(ending: str) -> str:
    return " of the network with 10^4 active flows" if ending else ""


def _has(study: Study, name: str) -> bool:
    column = study.sweep.runs[name]
    return bool(column.is_finite().all()) and column.n_unique() > 1


def _report(context: Context, study: Study, ending: str) -> None:
    context.table("responses" + ending, response_table(study))
    context.table("proposals" + ending, ratio_table(study))
    runs = study.sweep.runs.height
    plan, active = study.sweep.plan, float(np.mean(study.sweep.runs["flows_active"].to_numpy()))
    context.note(
        f"The design has {len(plan.points)} settings and {runs} runs of {plan.scenario.duration_s:g} s, one "
        f"for each mechanism, setting and seed of {', '.join(map(str, plan.seeds))}; on average "
        f"{active:.0f} flows are active. Intervals are over settings, each the mean over its seeds."
    )


def response_table(study: Study) -> pl.DataFrame:
    """The mean of each response over all settings, by mechanism."""
    rows = []
    for label, title in TITLES.items():
        means = {name: float(study.values(name, label).mean()) for name in RESPONSES if _has(study, name)}
        rows.append({"mechanism": title, **means})
    return pl.DataFrame(rows)


def ratio_table(study: Study) -> pl.DataFrame:
    """Each mechanism's larger files and long flows beside standard TCP's, with intervals over settings."""
    rows = []
    for label, title in TITLES.items():
        if label == "tcp":
            continue
        row: dict[str, object] = {"mechanism": title}
        for speed in ("slow", "fast"):
            for metric, name in (
                ("goodput_web_bit_per_s", "web"),
                ("goodput_document_bit_per_s", "documents"),
                ("goodput_long", "long flows"),
                ("retransmission_rate", "retransmissions"),
            ):
                row[f"{name}, {speed}"] = _in_words(study.ratios(metric, label, speed=speed))
        rows.append(row)
    return pl.DataFrame(rows)


def _in_words(values: Sequence[float]) -> str:
    """A mean with its interval."""
    if not values:
        return ""
    interval = statistics.mean_interval(values)
    return f"{interval.estimate:.2f} ({interval.low:.2f} to {interval.high:.2f})"


def size_table(others: Mapping[tuple[str, str], Sweep]) -> pl.DataFrame:
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
