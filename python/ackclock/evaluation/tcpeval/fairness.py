"""draft-irtf-iccrg-tcpeval-01, 6.2: fairness between two flows of equal and of unequal round trips."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.quantities import LOSS, goodputs, loss_share
from ackclock.evaluation.tcpeval.two_flows import two_flows
from ackclock.measures.record import RunRecord

ROUND_TRIPS_MS = (10.0, 20.0, 40.0, 80.0, 160.0)
BUFFERS_BDP = (0.25, 0.5, 1.0, 2.0)
"""Of the BDP at 100 ms."""

RATIO = Measure("ratio", "throughput of the slower flow over the faster", "", 1, 3, "higher", 0.02)


def _cells(first_ms: float | None, round_trips_ms: tuple[float, ...]) -> Callable[[bool], tuple[Cell, ...]]:
    """Two flows that begin in the first tenth; without `first_ms` both have the same round trip."""

    def cells(quick: bool) -> tuple[Cell, ...]:
        seconds = 100 if quick else 600
        chosen = round_trips_ms[1::2] if quick else round_trips_ms
        jitter = f"{seconds / 20:g} s"
        return tuple(
            Cell(
                f"{rate:g} Mbit/s, round trips of {first_ms or other_ms:g} and {other_ms:g} ms, "
                f"buffer {buffer:.0%} of the BDP",
                two_flows(
                    rate, (first_ms or other_ms, other_ms), buffer * 0.1,
                    {"name": "first", "start_jitter": jitter},
                    {"name": "second", "start": jitter, "start_jitter": jitter},
                    seconds=seconds, warm_up_s=seconds / 10,
                ),
            )
            for rate in ((10,) if quick else (10, 1000))
            for other_ms in chosen
            for buffer in ((0.25, 1.0) if quick else BUFFERS_BDP)
        )  # fmt: skip

    return cells


def measure(result: RunRecord) -> Mapping[str, float]:
    """The quotient of the two throughputs, and the loss of the link."""
    rates = sorted(float(goodputs(result, name).sum()) for name in ("first", "second"))
    return {RATIO.key: rates[0] / rates[1] if rates[1] else 0.0, LOSS.key: loss_share(result)}


CRITERIA = (
    Criterion(
        key="intra-protocol",
        section="6.2.2.1",
        title="Intra-protocol fairness",
        force="",
        question="Do two flows with equal round trips share the link?",
        experiment="Two flows with round trips of 10 to 160 ms, and background at a load of one half.",
        measures=(RATIO, LOSS),
        cells=_cells(None, ROUND_TRIPS_MS),
        measure=measure,
    ),
    Criterion(
        key="inter-rtt",
        section="6.2.2.2",
        title="Inter-RTT fairness",
        force="",
        question="What does a flow get beside one whose round trip is up to sixteen times as long?",
        experiment="A flow with a round trip of 160 ms, another of 10 to 80 ms, and background at a load of "
        "one half.",
        measures=(RATIO, LOSS),
        cells=_cells(160.0, ROUND_TRIPS_MS[:-1]),
        measure=measure,
    ),
)
