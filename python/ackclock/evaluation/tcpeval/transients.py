"""draft-irtf-iccrg-tcpeval-01, 5.3: release of bandwidth, and arrival of many flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ackclock.evaluation.criterion import Cell, Criterion, Measure
from ackclock.evaluation.quantities import loss_of
from ackclock.evaluation.tcpeval.networks import PACKET_BITS, Central, Edges, dumbbell
from ackclock.measures.record import RunRecord

RATE_MBIT_PER_S = 100.0
EDGES = Edges(1000, ((0.0, 0.0), (0.0, 0.0)))
"""The draft has 100 Mbit/s here too: one flow alone would then queue at its own edge."""
ROUND_TRIP_S = 0.1
BUFFER_PACKETS = 1024
AT_S = 30.0
"""The time of the transient, long after slow start."""

BDP_PACKETS = RATE_MBIT_PER_S * 1e6 * ROUND_TRIP_S / PACKET_BITS

PARTS = (0.6, 0.8, 0.9)
TIMES = tuple(
    Measure(f"to_{part * 100:.0f}", f"time to a window of {part:.0%} of the BDP", "s", 1, 2, "lower", 0.1)
    for part in PARTS
)
DROPS = Measure("drops", "packets of the cross traffic lost", "%", 100, 3, "lower", 1e-4)


def _cell(name: str, datagrams: Sequence[Mapping[str, object]], after_s: float) -> Cell:
    central = Central(RATE_MBIT_PER_S, 50, BUFFER_PACKETS * PACKET_BITS / (RATE_MBIT_PER_S * 1e6))
    long = {"name": "long", "from": "n1", "to": "n4"}
    network = dumbbell(central, EDGES, [long], seconds=AT_S + after_s, warm_up_s=AT_S)
    return Cell(name, network | {"udp": list(datagrams), "trace": {"interval": "100 ms"}})


def _datagrams(name: str, mbit_per_s: float, **keys: object) -> dict[str, object]:
    packet = {"rate": f"{mbit_per_s:g} Mbit/s", "packet": "1500 bytes"}
    return {"name": name, "from": "n2", "to": "n5", **packet, **keys}


def release_cells(quick: bool) -> tuple[Cell, ...]:
    """75 Mbit/s of datagrams that cease."""
    del quick
    return (_cell("datagrams from 75 to 0 Mbit/s", [_datagrams("cross", 75, stop=f"{AT_S:g} s")], 100),)


def arrival_cells(quick: bool) -> tuple[Cell, ...]:
    """75 Mbit/s of datagrams at once, and in thirty steps of a second each."""
    after = 40 if quick else 100
    steps = [_datagrams(f"cross{step + 1}", 2.5, start=f"{AT_S + step:g} s") for step in range(30)]
    return (
        _cell("datagrams from 0 to 75 Mbit/s", [_datagrams("cross", 75, start=f"{AT_S:g} s")], after),
        _cell("datagrams from 0 to 75 Mbit/s in 30 s", steps, after),
    )


def times_to_window(result: RunRecord) -> Mapping[str, float]:
    """The times from the release until the window reaches these shares of the BDP.

    Until the end of the run for a share that it never reaches.
    """
    series = result.columns("flow_series")
    time = np.asarray(series["time_s"], dtype=float)
    window = np.asarray(series["cwnd_packets"], dtype=float)
    after = (time >= AT_S) & (np.asarray(series["flow"]) == 0)
    rest = result.scenario.duration_s - AT_S
    found = {}
    for measure, part in zip(TIMES, PARTS, strict=True):
        reached = time[after & (window >= part * BDP_PACKETS)]
        found[measure.key] = float(reached[0]) - AT_S if reached.size else rest
    return found


def cross_losses(result: RunRecord) -> Mapping[str, float]:
    """The share of the datagrams lost, all of which are sent after the transient's beginning."""
    return {DROPS.key: loss_of(result, "cross")}


CRITERIA = (
    Criterion(
        key="release",
        section="5.3",
        title="Transients: release of bandwidth",
        force="",
        question="How soon does it take capacity that has become free?",
        experiment="One flow over 100 Mbit/s, round trip 100 ms, buffer 1024 packets, beside 75 Mbit/s of "
        "datagrams that cease after 30 s.",
        measures=TIMES,
        cells=release_cells,
        measure=times_to_window,
    ),
    Criterion(
        key="arrival",
        section="5.3, arrival",
        title="Transients: arrival of many flows",
        force="",
        question="How much of new cross traffic is lost before it makes room?",
        experiment="One flow over 100 Mbit/s, round trip 100 ms, buffer 1024 packets; from 30 s on there are "
        "75 Mbit/s of datagrams, at once or in thirty steps.",
        measures=(DROPS,),
        cells=arrival_cells,
        measure=cross_losses,
    ),
)
