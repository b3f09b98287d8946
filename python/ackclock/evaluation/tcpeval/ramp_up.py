"""draft-irtf-iccrg-tcpeval-01, 5.2: the time in which an existing flow makes room for a new one."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.quantities import completion_times
from ackclock.evaluation.tcpeval.two_flows import two_flows
from ackclock.measures.record import RunRecord

ROUND_TRIPS_MS = ((80.0, 80.0), (120.0, 30.0), (30.0, 120.0))
"""The round trip of the existing flow and of the new one."""

BUFFER_S = 0.08

NEW_STARTS_S = 20.0
"""The start of the new flow: the existing flow has left slow start long before."""

TIME = Measure("ramp_up_s", "time until the bytes are received", "s", 1, 2, "lower", 0.05)


def cells(quick: bool) -> tuple[Cell, ...]:
    """10 Mbit/s and, in full, 1 Gbit/s; the new flow without slow start, as the worst case."""
    new = {"start": f"{NEW_STARTS_S:g} s", "start_jitter": "1 s", "tcp": {"initial_ssthresh": "10 packets"}}
    return tuple(
        Cell(
            f"{rate:g} Mbit/s, round trips of {old_ms:g} and {new_ms:g} ms, {packets * 1500:,} bytes",
            two_flows(
                rate, (old_ms, new_ms), BUFFER_S, {"name": "old"}, {"name": "new", "packets": packets, **new},
                seconds=NEW_STARTS_S + (100 if quick else 300), warm_up_s=NEW_STARTS_S,
            ),
        )
        for rate in ((10,) if quick else (10, 1000))
        for old_ms, new_ms in ROUND_TRIPS_MS
        for packets in ((100, 1000) if quick else (10, 100, 1000, 10000))
    )  # fmt: skip


def measure(result: RunRecord) -> Mapping[str, float]:
    """The time from the new flow's start until its last byte is acknowledged."""
    return {TIME.key: float(completion_times(result, "new").mean())}


CRITERION = Criterion(
    key="ramp-up",
    section="5.2",
    title="Ramp-up time",
    force="",
    question="How soon has a new flow received this many bytes, beside one that is there already?",
    experiment="A long flow of the algorithm and background at a load of one half; after 20 s a new flow "
    "begins, its slow-start threshold at its initial window.",
    measures=(TIME,),
    cells=cells,
    measure=measure,
)
