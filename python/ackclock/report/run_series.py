"""Figures over time of a single run: a curve per flow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ackclock.measures.groups import group_names, groups_of
from ackclock.report import style
from ackclock.report.curves import Panel, TimeFigure
from ackclock.report.quantities import QUANTITIES, THRESHOLD
from ackclock.report.series_reader import FLOWS_SHOWN
from ackclock.report.text import algorithm_in_full

if TYPE_CHECKING:
    from ackclock.report.series_reader import SeriesReader

__all__ = ["RunSeries"]


class RunSeries:
    """The figures of one run.

    A few TCP flows have a curve each, of every group before a second of any, labelled with their algorithms
    where these differ.
    """

    def __init__(self, reader: SeriesReader) -> None:
        self.reader = reader
        self.result = reader.results[0]
        tcp = reader.tcp[self.result.label]
        groups = groups_of(tcp["name"], group_names(self.result.scenario))
        shown = tcp[_in_turn(groups, FLOWS_SHOWN)]
        self.flows: list[int] = shown["flow"].to_list()
        names, algorithms = shown["name"].to_list(), shown["algorithm"].to_list()
        pairs = zip(names, algorithms, strict=True)
        is_said = tcp["algorithm"].n_unique() > 1
        self.names = [
            f"{name} ({algorithm_in_full(which)})" if is_said and which != name else name
            for name, which in pairs
        ]
        are_distinct = len(set(algorithms)) == len(algorithms)
        chosen = style.looks(algorithms if are_distinct else names)
        self.looks = [chosen[label] for label in (algorithms if are_distinct else names)]
        first = "The first" if len(set(groups)) == 1 else "Of each group in turn,"
        self.note = f"{first} {FLOWS_SHOWN} of {tcp.height} TCP flows." if tcp.height > FLOWS_SHOWN else ""

    def window(self) -> TimeFigure:
        """The congestion windows; of a single flow also the slow-start threshold."""
        curves = [
            self.reader.curve(name, look, self.reader.state(self.result, flow, "cwnd_packets"))
            for flow, name, look in zip(self.flows, self.names, self.looks, strict=True)
        ]
        note = self.note
        if len(self.flows) == 1:
            series = self.reader.state(self.result, self.flows[0], "ssthresh_packets")
            curves.append(self.reader.threshold(self.looks[0], series))
            note = THRESHOLD
        return TimeFigure(QUANTITIES["window"], (Panel("", tuple(curves)),), note)

    def of_flows(self, key: str, column: str, *, is_rate: bool = False) -> TimeFigure:
        """A quantity of the flows; a rate is averaged over bins."""
        quantity = QUANTITIES[key]
        curves = []
        for flow, name, look in zip(self.flows, self.names, self.looks, strict=True):
            if is_rate:
                series = self.reader.binned(self.reader.of_flow(self.result, flow, column))
            else:
                series = self.reader.state(self.result, flow, column)
            curves.append(self.reader.curve(name, look, series, quantity.factor))
        return TimeFigure(quantity, (Panel("", tuple(curves)),), self.note)

    def queue(self) -> TimeFigure:
        """The queue at the bottleneck."""
        link, look = self.reader.bottleneck, style.Look(style.BLUE, ".", ())
        return TimeFigure(QUANTITIES["queue"], (self.reader.queue_panel(self.result, link, look),))

    def drops(self) -> TimeFigure:
        """The number of drops at the bottleneck."""
        link, look = self.reader.bottleneck, style.Look(style.VERMILION, ".", ())
        return TimeFigure(
            QUANTITIES["drops"], (Panel("", (self.reader.drop_curve(self.result, link, look),)),)
        )


def _in_turn(groups: Sequence[str], most: int) -> list[int]:
    """The places of some flows, in their order: the first of each group, then the second of each."""
    seen: Counter[str] = Counter()
    turns = []
    for place, group in enumerate(groups):
        turns.append((seen[group], place))
        seen[group] += 1
    return sorted(place for _, place in sorted(turns)[:most])
