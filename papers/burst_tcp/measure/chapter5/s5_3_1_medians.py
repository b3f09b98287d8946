"""Table II: which files its medians are, and so with which settings the thesis was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from ackclock.papers import Context, Values

from ..file_runs import ByStack, Floats, Study, label, median
from ..stack import STACKS, THESIS, VARIANTS, Stack, Variant
from .experiment import Contest

IDLE = {
    "newreno": (7, 8),
    "btcp4": (8,),
    "btcp8": (8, 9),
}
"""Packets of the files whose times over the idle path are medians of Table II, to the digit."""
MOST_PACKETS = 10
DRAWS = 400


def measure(study: Study, reverse: Mapping[str, Contest]) -> ByStack:
    """The medians with traffic both ways, which is given by stack, and the times of single files."""
    measured: ByStack = {stack.name: {} for stack in STACKS}
    for stack in STACKS:
        for variant in VARIANTS:
            for load in study.loads:
                runs = reverse[stack.name].found[variant, load]
                measured[stack.name][f"median-{load}-{variant}"] = Values(
                    [median(runs)], spread=resampled([run.mice_s for run in runs])
                )
    measured[THESIS.name] |= _single_files(study)
    _report(study, reverse)
    return measured


def resampled(runs: Sequence[Floats]) -> list[float]:
    """The 95 % bootstrap interval of the median over seeds."""
    source = np.random.default_rng(1)
    values = np.concatenate(runs)
    owner = np.repeat(np.arange(len(runs)), [mine.size for mine in runs])
    order = np.argsort(values, kind="stable")
    values, owner = values[order], owner[order]
    drawn = []
    for _ in range(DRAWS):
        times = np.bincount(source.integers(len(runs), size=len(runs)), minlength=len(runs))
        standing = np.cumsum(times[owner])
        drawn.append(float(values[np.searchsorted(standing, (standing[-1] + 1) // 2)]))
    return sorted(drawn)[DRAWS // 40 : -DRAWS // 40]


def idle_times(context: Context, variant: Variant, stack: Stack = THESIS) -> dict[int, float]:
    """Times in s of single files of 4 packets and more over the idle path."""
    base = context.scenario("base", {"flow.0.count": 1, "flow.0.start_jitter": "0 s", "duration": "10 s"})
    scenario = stack.scenario(base, variant)
    times = {}
    for packets in range(4, MOST_PACKETS + 1):
        settings = {"flow.0.size": f'{{ constant = "{packets} packets" }}'}
        file = context.run(scenario, settings=settings).transfers.row(0, named=True)
        times[int(file["packets"])] = float(file["finish_s"] - file["start_s"])
    return times


def _single_files(study: Study) -> dict[str, Values]:
    times = {label(variant): idle_times(study.context, variant) for variant in study.variants}
    columns = {
        VARIANTS.get(name, name): [f"{time:.6f}" for time in found.values()] for name, found in times.items()
    }
    study.context.table("single-files", pl.DataFrame({"packets": list(times["newreno"]), **columns}))
    note = "the settings were found by this number"
    return {
        f"file-{variant}-{packets}": Values([times[variant][packets]], note)
        for variant, sizes in IDLE.items()
        for packets in sizes
    }


def _report(study: Study, reverse: Mapping[str, Contest]) -> None:
    """The medians with every stack, and the thesis'."""
    published: Mapping[str, float] = {
        claim.id: float(claim.expected)  # type: ignore[arg-type]  # a table holds numbers
        for claim in study.context.paper.claims
        if claim.id.startswith("median-")
    }
    rows = [
        {
            "flows": load,
            "variant": VARIANTS.get(variant, variant),
            "Table II": f"{printed:.6f}" if (printed := published.get(f"median-{load}-{variant}")) else "–",
            **{stack.name: f"{median(reverse[stack.name].found[variant, load]):.6f}" for stack in STACKS},
        }
        for load in study.loads
        for variant in map(label, study.variants)
    ]
    table = pl.DataFrame(rows)
    study.context.table("medians", table)
    study.context.answer("Table II: medians of the mice's transfer times both ways, s, by stack", table)
