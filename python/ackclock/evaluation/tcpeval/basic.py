"""draft-irtf-iccrg-tcpeval-01, 4.4: the basic scenarios, in which all traffic is of the algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.networks import Table
from ackclock.evaluation.tcpeval.networks import BACKWARD_SHARE, EDGES_MS, dumbbell, packets_of, sessions
from ackclock.evaluation.tcpeval.quantities import BASIC, basic

LOADS = (0.6, 0.85, 1.1)
"""Moderate, high, overload."""


@dataclass(frozen=True)
class Basic:
    """A basic scenario: its central link, and how long it runs."""

    section: str
    key: str
    title: str
    rate_mbit_per_s: float
    delay_ms: float
    buffer_s: float
    edge_mbit_per_s: float
    quick_s: float
    full_s: float
    setting: str
    edges_ms: tuple[tuple[float, ...], tuple[float, ...]] = EDGES_MS
    central: Table = field(default_factory=dict)


FAST_EDGES_MS = ((0.01, 0.01, 0.1), (0.01, 0.1, 0.1))

SATELLITE_UPLINK = {"rate": "4 Mbit/s", "delay": "300 ms", "buffer": f"{packets_of(4, 1.0)} packets"}

SCENARIOS = (
    Basic("4.4.1", "data-center", "Data center", 1000, 0, 0.01, 1000, 2, 20,
          "1 Gbit/s, edges of 10 and 100 us", FAST_EDGES_MS),
    Basic("4.4.2", "access-link", "Access link", 100, 2, 0.1, 100, 20, 120,
          "100 Mbit/s, round trips of 8 to 204 ms"),
    Basic("4.4.3", "trans-oceanic", "Trans-oceanic link", 1000, 65, 0.1, 1000, 8, 60,
          "1 Gbit/s, round trips of 134 to 330 ms"),
    Basic("4.4.4", "geo-satellite", "Geostationary satellite", 40, 300, 0.1, 100, 60, 300,
          "40 Mbit/s down and 4 Mbit/s up, round trips of 604 to 800 ms",
          central={"reverse": SATELLITE_UPLINK}),
    Basic("4.4.5", "wireless-lan", "Wireless LAN", 6, 2, 0.1, 100, 60, 600,
          "a link of 6 Mbit/s that repeats a twentieth of its packets, round trips of 8 to 204 ms",
          central={"impairments": ["retransmission(probability=0.05, after=2 ms)"]}),
    Basic("4.4.6", "dial-up", "Dial-up link", 0.064, 5, 1.25, 100, 1000, 10000,
          "64 kbit/s, round trips of 14 to 210 ms"),
)  # fmt: skip


def _cells(scenario: Basic) -> Callable[[bool], tuple[Cell, ...]]:
    def cells(quick: bool) -> tuple[Cell, ...]:
        return tuple(_cell(scenario, load, quick) for load in (LOADS[1:] if quick else LOADS))

    return cells


def _cell(scenario: Basic, load: float, quick: bool) -> Cell:
    seconds = scenario.quick_s if quick else scenario.full_s
    back = sessions("back", load * BACKWARD_SHARE, scenario.rate_mbit_per_s, backward=True)
    return Cell(
        f"load {load:.0%}",
        dumbbell(
            scenario.rate_mbit_per_s,
            scenario.delay_ms,
            scenario.buffer_s,
            [sessions("file", load, scenario.rate_mbit_per_s), back],
            seconds=seconds,
            warm_up_s=seconds / 4,
            edge_mbit_per_s=scenario.edge_mbit_per_s,
            edges_ms=scenario.edges_ms,
            central=scenario.central,
        ),
    )


CRITERIA = tuple(
    Criterion(
        key=scenario.key,
        section=scenario.section,
        title=scenario.title,
        force="",
        question="How much of the link does traffic of the algorithm use, at which loss and delay?",
        experiment=f"Files at several loads over nine paths with one central link: {scenario.setting}.",
        measures=BASIC,
        cells=_cells(scenario),
        measure=basic,
    )
    for scenario in SCENARIOS
)
