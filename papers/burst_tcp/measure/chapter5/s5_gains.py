"""The gain of B-TCP under every stack, over all experiments of chapter 5."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from matplotlib import rc_context
from matplotlib.figure import Figure

from ackclock.measures.statistics import mean_interval
from ackclock.report.style import BLUE, GREEN, MATPLOTLIB, ORANGE, VERMILION

from ..file_runs import LOADS
from ..stack import STACKS, VARIANTS
from .experiment import Contest

LOOKS = {
    "thesis": (VERMILION, "-"),
    "even": (ORANGE, "--"),
    "described": (GREEN, "-."),
    "modern": (BLUE, ":"),
}
CAPTION = (
    "By how many per cent the standard TCP's mean transfer time of mice is above that of B-TCP, for every "
    "experiment and stack, with bands of 95 % over seeds. Below zero B-TCP is slower."
)


def table(experiments: Mapping[str, Mapping[str, Contest]]) -> pl.DataFrame:
    """A row per experiment, stack, variant and number of flows: the gain in per cent with its interval."""
    rows = []
    for experiment, contests in experiments.items():
        for stack in STACKS:
            contest = contests[stack.name]
            for variant in contest.rivals():
                for point in contest.points:
                    interval = mean_interval(contest.gains(variant, point))
                    rows.append(
                        {
                            "experiment": experiment,
                            "stack": stack.name,
                            "variant": variant,
                            "flows": int(point),
                            "standard_s": contest.time("newreno", point),
                            "btcp_s": contest.time(variant, point),
                            "gain_percent": interval.estimate,
                            "low": interval.low,
                            "high": interval.high,
                        }
                    )
    return pl.DataFrame(rows)


def in_words(gains: pl.DataFrame) -> pl.DataFrame:
    """A row per experiment, variant and end of the range of loads, a column per stack."""
    rows = []
    for (experiment, variant), mine in gains.group_by("experiment", "variant", maintain_order=True):
        counts: list[int] = mine["flows"].to_list()
        for flows in sorted({min(counts), max(n for n in counts if n <= LOADS[-1]), max(counts)}):
            row = {
                "experiment": experiment,
                "variant": VARIANTS.get(str(variant), str(variant)),
                "flows": str(flows),
            }
            for stack in STACKS:
                cell = mine.filter((pl.col("stack") == stack.name) & (pl.col("flows") == flows)).to_dicts()[0]
                half = (cell["high"] - cell["low"]) / 2
                row[stack.short] = f"{cell['gain_percent']:+.0f} ± {half:.0f} %"
            rows.append(row)
    return pl.DataFrame(rows)


def figure(gains: pl.DataFrame) -> Figure:
    """A panel per experiment and variant, a line per stack."""
    experiments, variants = (
        gains[key].unique(maintain_order=True).to_list() for key in ("experiment", "variant")
    )
    with rc_context(MATPLOTLIB):
        drawn = Figure(figsize=(6.3, 1.0 + 1.35 * len(experiments)), layout="constrained")
        panels = drawn.subplots(len(experiments), len(variants), sharey="row", squeeze=False)
        for row, experiment in zip(panels, experiments, strict=True):
            for axes, variant in zip(row, variants, strict=True):
                for stack in STACKS:
                    colour, style = LOOKS[stack.name]
                    mine = gains.filter(
                        (pl.col("experiment") == experiment)
                        & (pl.col("stack") == stack.name)
                        & (pl.col("variant") == variant)
                    )
                    axes.plot(mine["flows"], mine["gain_percent"], color=colour, ls=style, label=stack.short)
                    ends = [mine[name].to_numpy() for name in ("low", "high")]
                    axes.fill_between(mine["flows"], *ends, color=colour, alpha=0.2, lw=0)
                axes.axhline(0, color="#7a7a7a", lw=0.8)
                axes.set_title(f"{experiment}: {VARIANTS.get(variant, variant)}")
                axes.locator_params(nbins=4)
                axes.grid(visible=False)
            row[0].set_ylabel("gain in %")
        for axes in panels[-1]:
            axes.set_xlabel("number of flows")
        handles, labels = panels[0][0].get_legend_handles_labels()
        drawn.legend(handles, labels, loc="outside upper center", ncols=len(STACKS))
    return drawn
