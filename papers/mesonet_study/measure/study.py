"""The designed experiment of plans/study.toml: its runs, other sizes of its network, settings in pairs."""

from __future__ import annotations

import copy
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import ackclock
from ackclock import Sweep
from ackclock.papers import Context

from .cost import processor_time

PAPER = Path(__file__).resolve().parents[1]
PLAN = PAPER / "plans" / "study.toml"
STORE = Path("results/mesonet-study")
"""Where finished runs are kept: the same command resumes an interrupted study."""

PROPOSALS = ("bic", "ctcp", "fast", "hstcp", "htcp", "scalable")
"""The chapter's. FAST's alpha is tuned every 200 s, which no run lasts: tuning would change nothing."""
BESIDE = ("cubic", "bbr3", "he-tcp")
TITLES = {
    "tcp": "standard TCP",
    "bic": "BIC",
    "ctcp": "CTCP",
    "fast": "FAST",
    "hstcp": "HSTCP",
    "htcp": "H-TCP",
    "scalable": "Scalable TCP",
    "cubic": "CUBIC",
    "bbr3": "BBR 3",
    "he-tcp": "HE-TCP",
}
FILES = ("document", "software")
"""The file classes that finish at nearly every setting and are larger than the thresholds of 5.2."""
LONG = ("long-a", "long-b")

QUICK = 0.25
"""The network of a quick check, relative to that of the plan."""
SIZED = {"slow": 21, "fast": 60}
"""The settings of the runs on networks of other sizes, by their links: many active flows on long paths."""
LARGE = 21.0
"""The network on which the design is run again, with 10^4 active flows, relative to that of the plan."""
FEW = 2.0
"""The smaller network, for comparison with that of 10^5 active flows: files of each class finish at each
setting."""
LARGER = {"10^4": LARGE, "10^5": 10 * LARGE}
"""Networks by about how many flows are active, and their sizes; standard TCP has runs on each."""
EARLIER_SURGE = (("0 s", 2), ("4.6 s", 22), ("5.2 s", 2))
"""Documents per second and unit of size in a run of 6 s: 8 on average in the last two seconds."""

Floats = NDArray[np.float64]


def design(context: Context) -> Sweep:
    """The runs of the design, ten seeds each; in a quick check 16 settings of a smaller network of 9 s."""
    if not context.quick:
        return ackclock.sweep(PLAN, STORE, workers=context.workers, progress=context.progress)
    document = resized(QUICK) | {"seeds": 1, "settings": {"duration": "9 s"}}
    document["design"] = {"kind": "fractional-factorial", "runs": 16}
    with tempfile.TemporaryDirectory() as scratch:
        return ackclock.sweep(document, scratch, workers=context.workers, progress=context.progress)


def larger_design(context: Context) -> Sweep:
    """The runs of the design with 10^4 active flows, five seeds each, of 6 s, of which the last two count.

    They take seven hours of one processor.
    """
    document = resized(LARGE) | {"seeds": 5, "settings": {"duration": "6 s"}}
    return ackclock.sweep(document, STORE, workers=context.workers, progress=context.progress)


def short_design(context: Context, labels: Sequence[str]) -> Sweep:
    """The fast settings with hundreds of active flows, for as long as those with 10^4: 6 s."""
    document = resized(1) | {"settings": {"duration": "6 s"}}
    plan = ackclock.load_plan(document)
    fast = tuple(point for point in plan.points if point.values["speed"] == "fast")
    algorithms = {label: plan.algorithms[label] for label in labels}
    plan = replace(plan, points=fast, algorithms=algorithms)
    return ackclock.sweep(plan, STORE, workers=context.workers, progress=context.progress)


def of_standard_tcp(context: Context) -> Sweep:
    """The runs of the design under standard TCP alone, ten seeds each."""
    plan = ackclock.load_plan(PLAN)
    plan = replace(plan, algorithms={"tcp": plan.algorithms["tcp"]})
    return ackclock.sweep(plan, STORE, workers=context.workers, progress=context.progress)


def of_alpha(context: Context) -> Sweep:
    """FAST with four values of alpha, and standard TCP, on fast networks with large buffers."""
    plan = ackclock.load_plan(PLAN.with_name("fast-alpha.toml"))
    return ackclock.sweep(plan, STORE, workers=context.workers, progress=context.progress)


def twelve_settings(context: Context, size: float) -> Sweep:
    """Standard TCP at twelve settings of the eleven factors, after Plackett and Burman.

    With 10^5 active flows they take an hour of one processor. The surge of documents falls into the last two
    seconds of the six, which count.
    """
    document = resized(size) | {"seeds": 1, "settings": {"duration": "6 s"}}
    document["design"] = {"kind": "plackett-burman"}
    document["algorithms"] = {"tcp": document["algorithms"]["tcp"]}
    surge = document["cases"]["load"]["surge"]["flow"]["4"]["arrivals"]["poisson"]
    surge["rates"] = [[start, f"{size * rate:g} flows/s"] for start, rate in EARLIER_SURGE]
    return ackclock.sweep(
        document, STORE, measure=processor_time, workers=context.workers, progress=context.progress
    )


def two_round_trips(context: Context) -> Sweep:
    """Standard TCP and CTCP where two flows have different round-trip times, for 5.4.3."""
    plan = tomllib.loads(PLAN.with_name("two-rtts.toml").read_text(encoding="utf-8"))
    plan["scenario"] = str(PAPER / "scenarios" / "two-rtts.toml")
    if not context.quick:
        return ackclock.sweep(plan, STORE, workers=context.workers, progress=context.progress)
    plan |= {"seeds": 2, "settings": {"duration": "90 s", "warm_up": "30 s"}}
    with tempfile.TemporaryDirectory() as scratch:
        return ackclock.sweep(plan, scratch, workers=context.workers, progress=context.progress)


def of_size(context: Context, size: float, setting: int, labels: Sequence[str]) -> Sweep:
    """One setting on a network of another size, for 6 s, of which the last two count."""
    document = resized(size)
    point = ackclock.load_plan(document).points[setting]
    plan = {
        "name": f"size-{size:g}-{setting}",
        "scenario": tomllib.loads(point.scenario.to_toml()),
        "algorithms": {label: document["algorithms"][label] for label in labels},
        "settings": {"duration": "6 s"},
        "responses": True,
    }
    return ackclock.sweep(
        plan, STORE, measure=processor_time, workers=context.workers, progress=context.progress
    )


def resized(size: float) -> dict[str, Any]:
    """The plan with `size` times the access routers and sources, and POP and backbone links as much faster.

    Each access router has its load whatever the size, so that flows meet like conditions.
    """
    document = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    scenario = tomllib.loads((PLAN.parent / document["scenario"]).read_text(encoding="utf-8"))
    document["scenario"] = scenario
    if size == 1:
        return document
    sized: dict[str, Any] = _times(copy.deepcopy(document), size, ())
    tiers = sized["scenario"]["topology"]["three_tier"]
    tiers["access"]["count"] = max(2, round(tiers["access"]["count"] * size))
    if size < 1:
        # Half as many POPs, half as many access routers at each: the ends of the long flows move with them.
        tiers["pop"]["count"] //= 2
        ends = sized["scenario"]["flow"][-1]
        ends["from"], ends["to"] = "b2.p1.a2", "b4.p1.a2"
    return sized


def _times(node: Any, size: float, path: tuple[str, ...]) -> Any:
    """A tree with rates of upper tiers, numbers of sources and rates of arrivals `size` times as large."""
    if isinstance(node, dict):
        return {key: _times(value, size, (*path, key)) for key, value in node.items()}
    if path[-1:] == ("rates",):
        return [[time, _scaled(rate, size)] for time, rate in node]
    if isinstance(node, list):
        return [_times(value, size, (*path, str(place))) for place, value in enumerate(node)]
    if path[-2:] == ("link", "rate") and path[-3] in ("backbone", "pop"):
        return _scaled(node, size)
    is_count = path[-1:] == ("count",) and "flow" in path
    return max(1, round(node * size)) if is_count and node > 2 else node


def _scaled(quantity: str, size: float) -> str:
    number, unit = quantity.split()
    return f"{float(number) * size:g} {unit}"


@dataclass(frozen=True)
class Study:
    """The responses of the design, by mechanism and setting, each the mean over seeds."""

    sweep: Sweep

    def values(self, metric: str, label: str) -> Floats:
        """A response at every setting, over the seeds that have it; not a number where none has."""
        parts = {"goodput_long": "goodput_{}_bit_per_s", "fairness_long": "fairness_{}"}
        if metric in parts:
            mean: Floats = np.mean([self.values(parts[metric].format(name), label) for name in LONG], axis=0)
            return mean
        rows = self.sweep.runs.filter(pl.col("label") == label)
        means = (
            rows.group_by("point").agg(pl.col(metric).cast(pl.Float64).fill_nan(None).mean()).sort("point")
        )
        return means[metric].fill_null(np.nan).to_numpy()

    def of_seed(self, seed: int) -> Study:
        """The responses of one seed."""
        return Study(replace(self.sweep, runs=self.sweep.runs.filter(pl.col("seed") == seed)))

    @property
    def titled(self) -> Sweep:
        """The sweep with the mechanisms by their titles, for figures."""
        plan = self.sweep.plan
        algorithms = {TITLES[label]: algorithm for label, algorithm in plan.algorithms.items()}
        runs = self.sweep.runs.with_columns(pl.col("label").replace_strict(TITLES))
        return replace(self.sweep, plan=replace(plan, algorithms=algorithms), runs=runs)

    def where(self, **levels: str) -> NDArray[np.bool_]:
        """The settings with these levels of factors."""
        points = self.sweep.plan.points
        return np.array(
            [all(point.values[name] == level for name, level in levels.items()) for point in points]
        )

    def ratios(self, metric: str, label: str, base: str = "tcp", **levels: str) -> list[float]:
        """The response of a mechanism over that of another, at each setting where both have one."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (self.values(metric, label) / self.values(metric, base))[self.where(**levels)]
        return [float(ratio) for ratio in found if np.isfinite(ratio)]

    def left_out(self, metric: str, label: str, base: str = "tcp", **levels: str) -> str:
        """The settings of which `ratios` has none, and why, in words; nothing if it has all."""
        chosen = self.where(**levels)
        mine, theirs = self.values(metric, label)[chosen], self.values(metric, base)[chosen]
        missing = int((~np.isfinite(mine) | ~np.isfinite(theirs)).sum())
        nothing = int(((theirs == 0) & np.isfinite(mine)).sum())
        said = [f"{nothing} where {TITLES[base]}'s is 0"] * (nothing > 0)
        said += [f"{missing} where one has no value"] * (missing > 0)
        return f"of {mine.size} settings left out: {' and '.join(said)}" if said else ""

    def against_proposals(self, metric: str, **levels: str) -> list[float]:
        """Standard TCP's response over the mean of the proposals', setting by setting."""
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.mean([self.values(metric, name) for name in PROPOSALS], axis=0)
            found = (self.values(metric, "tcp") / mean)[self.where(**levels)]
        return [float(ratio) for ratio in found if np.isfinite(ratio)]

    def effect_by_seed(
        self, metric: str, label: str, factor: str, levels: tuple[str, str]
    ) -> dict[int, float]:
        """The main effect of the step from the first level to the second, over the mean, by seed.

        Seeds in which the response has no value at some setting are left out.
        """
        mine = self.sweep.runs.filter(pl.col("label") == label)
        effects = {}
        for seed in sorted(mine["seed"].unique()):
            values = mine.filter(pl.col("seed") == seed).sort("point")[metric].to_numpy().astype(float)
            if np.isfinite(values).all():
                low, high = (values[self.where(**{factor: level})].mean() for level in levels)
                effects[seed] = float((high - low) / values.mean())
        return effects

    def only(self, metrics: Sequence[str]) -> Sweep:
        """The sweep with these responses alone, for correlation, components and clusters."""
        titled = self.titled
        first = ["point", *(axis.name for axis in titled.plan.axes), "label", "seed", "bottleneck"]
        return replace(titled, runs=titled.runs.select([*first, *metrics]))
