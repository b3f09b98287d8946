"""draft-irtf-iccrg-tcpeval-01, 4.4: the basic scenarios, in which all traffic is of the algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ackclock.evaluation.criterion import Cell, Criterion
from ackclock.evaluation.tcpeval.networks import (
    BACKWARD_SHARE,
    Central,
    Edges,
    dumbbell,
    packets_of,
    sessions,
)
from ackclock.evaluation.tcpeval.quantities import BASIC, basic

LOADS = (0.6, 0.85, 1.1)
"""Moderate, high, overload."""


@dataclass(frozen=True)
class Basic:
    """A basic scenario: its central link, and how long it runs."""

    section: str
    key: str
    title: str
    central: Central
    edges: Edges
    quick_s: float
    full_s: float
    setting: str


DATA_CENTER_MS = ((0.01, 0.01, 0.1), (0.01, 0.1, 0.1))

SATELLITE_UPLINK = {"rate": "4 Mbit/s", "delay": "300 ms", "buffer": f"{packets_of(4, 1.0)} packets"}

REPEATING = {"impairments": ["retransmission(probability=0.05, after=2 ms)"]}

SCENARIOS = (
    Basic("4.4.1", "data-center", "Data center", Central(1000, 0, 0.01), Edges(1000, DATA_CENTER_MS), 2, 20,
          "1 Gbit/s, edges of 10 and 100 us"),
    Basic("4.4.2", "access-link", "Access link", Central(100, 2, 0.1), Edges(100), 20, 120,
          "100 Mbit/s, round trips of 8 to 204 ms"),
    Basic("4.4.3", "trans-oceanic", "Trans-oceanic link", Central(1000, 65, 0.1), Edges(1000), 8, 60,
          "1 Gbit/s, round trips of 134 to 330 ms"),
    Basic("4.4.4", "geo-satellite", "Geostationary satellite",
          Central(40, 300, 0.1, {"reverse": SATELLITE_UPLINK}), Edges(100), 60, 300,
          "40 Mbit/s down and 4 Mbit/s up, round trips of 604 to 800 ms"),
    Basic("4.4.5", "wireless-lan", "Wireless LAN", Central(6, 2, 0.1, REPEATING), Edges(100), 60, 600,
          "a link of 6 Mbit/s that repeats a twentieth of its packets, round trips of 8 to 204 ms"),
    Basic("4.4.6", "dial-up", "Dial-up link", Central(0.064, 5, 1.25), Edges(100), 1000, 10000,
          "64 kbit/s, round trips of 14 to 210 ms"),
)  # fmt: skip


def _cells(scenario: Basic) -> Callable[[bool], tuple[Cell, ...]]:
    def cells(quick: bool) -> tuple[Cell, ...]:
        return tuple(_cell(scenario, load, quick) for load in (LOADS[1:] if quick else LOADS))

    return cells


def _cell(scenario: Basic, load: float, quick: bool) -> Cell:
    seconds = scenario.quick_s if quick else scenario.full_s
    rate = scenario.central.rate_mbit_per_s
    traffic = [
        sessions("file", load, rate),
        sessions("back", load * BACKWARD_SHARE, rate, backward=True),
    ]
    network = dumbbell(scenario.central, scenario.edges, traffic, seconds=seconds, warm_up_s=seconds / 4)
    return Cell(f"load {load:.0%}", network)


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
