"""RFC 9743, 5.1.5: short flows of the algorithm."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import completion_times
from ackclock.measures.record import RunRecord

MEDIAN = Measure("completion_50_s", "completion time, median", "ms", 1e3, 0, "lower", 0.01)
TAIL = Measure("completion_95_s", "completion time, 95th percentile", "ms", 1e3, 0, "lower", 0.02)


def among_long(long: int, packets: int, seconds: float, **keys: object) -> dict[str, object]:
    """Files that arrive as a Poisson process, a tenth of the capacity, among long flows of the contender."""
    per_s = 0.1 * 20e6 / 8 / 1500 / packets
    count = max(1, round(per_s * (seconds - 10)))
    files = {
        "name": "file",
        "count": count,
        "packets": packets,
        "start": "5 s",
        "arrivals": {"poisson": {"rate": f"{per_s:g} flows/s"}},
    }
    return dumbbell(20, 40, 1, [flows("long", long), files | keys], seconds=seconds, warm_up_s=0)


def cells(quick: bool) -> tuple[Cell, ...]:
    """Files of three sizes, among long flows of the same algorithm."""
    seconds = 40 if quick else 200
    return tuple(
        Cell(f"files of {packets} packets among {long} long flow{'s' if long > 1 else ''}",
             among_long(long, packets, seconds))
        for long in (1, 4)
        for packets in ((10, 100) if quick else (3, 10, 100, 1000))
    )  # fmt: skip


def measure(result: RunRecord) -> Mapping[str, float]:
    """Quantiles of the completion times."""
    times = completion_times(result, "file")
    middle, tail = np.quantile(times, [0.5, 0.95]) if times.size else (0.0, 0.0)
    return {MEDIAN.key: float(middle), TAIL.key: float(tail)}


CRITERION = Criterion(
    key="short-flows",
    section="5.1.5",
    title="Short flows",
    force="MUST",
    question="How long do short transfers take among long flows of the same algorithm?",
    experiment="Files arrive at random, a tenth of the load, among one and four long flows over 20 Mbit/s.",
    measures=(MEDIAN, TAIL),
    cells=cells,
    measure=measure,
)
