"""RFC 9743, 5.2.2: with calls under congestion control, as harm (Ware et al., HotNets 2019)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ackclock.evaluation.criteria.real_time import CALL_LOSS
from ackclock.evaluation.criterion import Cell, Criterion, Measure, Settings
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import goodputs
from ackclock.measures.record import RunRecord

MEDIA = ("nada", "gcc", "scream2")

CALL_RATE = Measure("call_rate", "rate of the call", "Mbit/s", 1e-6, 2, "higher", 1e4)
CALL_DELAY = Measure("call_delay_95_s", "delay of the call, 95th percentile", "ms", 1e3, 1, "lower", 0.005)
DOWNLOAD = Measure("download", "goodput of the download", "Mbit/s", 1e-6, 2, "higher", 1e4)

LONG = flows("long")


def _call(name: str, algorithm: str) -> dict[str, object]:
    """A call with the encoder of RFC 8867, 4.3."""
    keys = {"variation": 0.1, "encoder_lag": "100 ms", "start_jitter": "1 s"}
    return {"name": name, "algorithm": algorithm, **keys}


def _scenario(buffer: float, seconds: float, downloads: int, calls: Sequence[Settings]) -> dict[str, object]:
    """Downloads and calls over 4 Mbit/s and 40 ms."""
    traffic = [{**LONG, "count": downloads}] if downloads else []
    table = dumbbell(4, 40, buffer, [*traffic, *calls], seconds=seconds)
    return {**table, "flow": traffic, **({"call": list(calls)} if calls else {})}


def cells(quick: bool) -> tuple[Cell, ...]:
    """A call next to a download; for harm, next to another call, and the download next to another one."""
    seconds = 30 if quick else 120
    found = []
    for buffer in (2,) if quick else (0.5, 2, 8):
        two = Cell(f"two downloads, buffer {buffer:g} BDP", _scenario(buffer, seconds, 2, []))
        for media in MEDIA:
            call = _call("call", media)
            calls = Cell(
                f"{media} next to {media}, buffer {buffer:g} BDP",
                _scenario(buffer, seconds, 0, [call, _call("other", media)]),
            )
            references = {
                CALL_RATE.key: calls,
                CALL_DELAY.key: calls,
                CALL_LOSS.key: calls,
                DOWNLOAD.key: two,
            }
            scenario = _scenario(buffer, seconds, 1, [call])
            found.append(Cell(f"{media}, buffer {buffer:g} BDP", scenario, references=references))
    return tuple(found)


def measure(result: RunRecord) -> Mapping[str, float]:
    """The call's rate, delay and losses, and the mean goodput of the downloads; 0 without either."""
    names = [str(name) for name in result.columns("flows")["name"]]
    calls = result.columns("calls")
    found = {CALL_RATE.key: 0.0, CALL_DELAY.key: 0.0, CALL_LOSS.key: 0.0}
    if "call" in names:
        row = [int(flow) for flow in np.asarray(calls["flow"])].index(names.index("call"))
        columns = {CALL_RATE.key: "rate_bit_per_s", CALL_DELAY.key: "delay_p95_s", CALL_LOSS.key: "loss"}
        found = {key: float(calls[column][row]) for key, column in columns.items()}
    rates = goodputs(result, "long")
    return {**found, DOWNLOAD.key: float(rates.mean()) if rates.size else 0.0}


CRITERION = Criterion(
    key="calls",
    section="5.2.2",
    title="With calls under congestion control",
    force="SHOULD",
    question="What does a call next to it lose, and what does it get next to a call?",
    experiment="A call of 150 kbit/s to 1.5 Mbit/s under NADA, GCC or SCReAMv2 shares 4 Mbit/s with a "
    "download. Harm is against the call next to another call, and the download next to another download.",
    measures=(CALL_RATE, CALL_DELAY, CALL_LOSS, DOWNLOAD),
    cells=cells,
    measure=measure,
)
