"""The trace of a run that a case sees: series over time, gauges of the algorithm, facts of the path."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ackclock.conformance.packets import NotSeenError, Packets, first

if TYPE_CHECKING:
    from ackclock._native import Scenario
    from ackclock.runs.result import Result

__all__ = ["MissingGaugeError", "NotSeenError", "Phase", "Trace", "first"]


THRESHOLD = "ssthresh_packets"


class MissingGaugeError(LookupError):
    """A gauge that the algorithm does not offer; its name is the argument."""


@dataclass(frozen=True)
class Phase:
    """A time in which a gauge has one value."""

    value: int
    begin_s: float
    end_s: float
    is_whole: bool
    """False for the last one, which the end of the run cuts off."""

    @property
    def length_s(self) -> float:
        """Its length."""
        return self.end_s - self.begin_s


class Trace:
    """One run of the flow under test, which is the first of its scenario."""

    def __init__(self, result: Result) -> None:
        self._result = result

    @property
    def scenario(self) -> Scenario:
        """The scenario as it was run."""
        return self._result.scenario

    @cached_property
    def settings(self) -> Mapping[str, object]:
        """Its tables and keys."""
        settings: Mapping[str, object] = json.loads(self._result.scenario.to_json())
        return settings

    def _bytes(self, key: str, default: int) -> int:
        """A size of `[tcp]`, as "1460 bytes"."""
        tcp = self.settings.get("tcp", {})
        return int(str(tcp.get(key, default)).split()[0]) if isinstance(tcp, Mapping) else default

    @property
    def _is_told_a_threshold(self) -> bool:
        tcp = self.settings.get("tcp", {})
        return isinstance(tcp, Mapping) and "initial_ssthresh" in tcp

    @cached_property
    def payload_bits(self) -> float:
        """The data of a full packet."""
        return 8.0 * self._bytes("mss", 1460)

    @cached_property
    def packet_bits(self) -> float:
        """The size on the wire of a full packet."""
        return self.payload_bits + 8.0 * self._bytes("header", 40)

    @cached_property
    def _flow(self) -> int:
        """The number of the flow under test."""
        return int(np.asarray(self._result.columns("flows")["flow"])[0])

    @cached_property
    def _series(self) -> dict[str, np.ndarray]:
        table = self._result.columns("flow_series")
        mine = np.asarray(table["flow"]) == self._flow
        return {name: np.asarray(values)[mine] for name, values in table.items() if name != "flow"}

    @cached_property
    def _gauges(self) -> dict[str, np.ndarray]:
        """Each gauge at the times of the series, NaN before the first observation."""
        table = self._result.columns("gauges")
        names, flows = np.asarray(table["name"]), np.asarray(table["flow"])
        times, values = np.asarray(table["time_s"]), np.asarray(table["value"], dtype=float)
        found = {}
        for name in dict.fromkeys(names.tolist()):
            mine = (names == name) & (flows == self._flow)
            if not mine.any():
                continue  # a gauge of another algorithm that shares the path
            place = np.searchsorted(times[mine], self.time_s, side="right") - 1
            found[name] = np.where(place >= 0, values[mine][np.maximum(place, 0)], np.nan)
        return found

    @property
    def time_s(self) -> np.ndarray:
        """The times of the samples."""
        return self._series["time_s"]

    def series(self, name: str) -> np.ndarray:
        """A column of the table `flow_series`, at the times `time_s`. Raises MissingGaugeError.

        A sender that was told a threshold, and has none in the whole run, does not show its threshold.
        """
        values = self._series[name]
        if name == THRESHOLD and self._is_told_a_threshold and not np.isfinite(values).any():
            raise MissingGaugeError("ssthresh")
        return values

    def gauge(self, name: str) -> np.ndarray:
        """A gauge at the times `time_s`. Raises MissingGaugeError."""
        if name not in self._gauges:
            raise MissingGaugeError(name)
        return self._gauges[name]

    def any(self, name: str) -> np.ndarray:
        """A series or a gauge. Raises MissingGaugeError."""
        return self.series(name) if name in self._series else self.gauge(name)

    def _place(self, time_s: float) -> int:
        """The place of the last sample at a time."""
        return max(int(np.searchsorted(self.time_s, time_s + 1e-9, side="right")) - 1, 0)

    def at(self, name: str, time_s: float) -> float:
        """A series or a gauge at a time, as it was last sampled."""
        return float(self.any(name)[self._place(time_s)])

    def during(self, name: str, begin_s: float, end_s: float) -> np.ndarray:
        """A series or a gauge from one time to before another."""
        inside = (self.time_s >= begin_s - 1e-9) & (self.time_s < end_s - 1e-9)
        return self.any(name)[inside]

    def phases(self, name: str) -> tuple[Phase, ...]:
        """The times in which a gauge has one value, in order. Raises MissingGaugeError."""
        values, times = self.gauge(name), self.time_s
        known = np.flatnonzero(np.isfinite(values))
        if not known.size:
            return ()
        values, times = values[known[0] :], times[known[0] :]
        changes = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
        return tuple(
            Phase(
                int(values[begin]),
                float(times[begin]),
                float(times[min(end, len(times) - 1)]),
                end < len(values),
            )
            for begin, end in pairwise(changes)
        )

    def link(self, name: str, link: str = "left->right") -> np.ndarray:
        """A column of the table `link_series` for one link direction, at the times `time_s`."""
        links = self._result.columns("links")
        number = np.asarray(links["link"])[list(links["name"]).index(link)]
        table = self._result.columns("link_series")
        own = np.asarray(table["link"]) == number
        places = np.searchsorted(np.asarray(table["time_s"])[own], self.time_s)
        column: np.ndarray = np.asarray(table[name])[own][places]
        return column

    @cached_property
    def capacity_bit_per_s(self) -> np.ndarray:
        """The rate of the bottleneck from each of the times `time_s` on."""
        before = self.link("capacity_bit_per_s")
        return np.append(before[1:], before[-1])

    def rate_packets_per_s(self, time_s: float) -> float:
        """The rate of the bottleneck at a time, in full packets."""
        return float(self.capacity_bit_per_s[self._place(time_s)]) / self.packet_bits

    def rate_changed_s(self) -> float:
        """The time from which on the bottleneck's rate is beyond five times the first, or below a fifth.

        It is infinite without such a change.
        """
        shares = self.capacity_bit_per_s / self.capacity_bit_per_s[0]
        changed = np.flatnonzero((shares > 5) | (shares < 1 / 5))
        return float(self.time_s[changed[0]]) if changed.size else math.inf

    def idle_times(self, longer_than_s: float) -> list[tuple[float, float]]:
        """The last time before and the first time after each span of that length with nothing in flight."""
        busy = self.time_s[np.flatnonzero(self.series("in_flight_packets") > 0)]
        gaps = np.flatnonzero(np.diff(busy) > longer_than_s).tolist()
        return [(float(busy[gap]), float(busy[gap + 1])) for gap in gaps]

    @cached_property
    def path_rtt_s(self) -> float:
        """The shortest round trip that was measured."""
        return float(np.nanmin(self.series("rtt_s")))

    @cached_property
    def finished_s(self) -> float:
        """The time at which the last data of a file was acknowledged; infinite if it was not."""
        time_s = float(np.asarray(self._result.columns("flows")["finish_s"])[0])
        return time_s if np.isfinite(time_s) else math.inf

    @cached_property
    def _watched(self) -> list[str]:
        """The link directions whose packets are recorded."""
        trace = self.settings["trace"]
        return list(trace["packets"]) if isinstance(trace, Mapping) else []

    def _passed(self, place: int) -> dict[str, np.ndarray]:
        """The packets of the flow that passed one of the link directions that the scenario watches."""
        links = self._result.columns("links")
        number = np.asarray(links["link"])[list(links["name"]).index(self._watched[place])]
        table = {name: np.asarray(values) for name, values in self._result.columns("packets").items()}
        mine = (table["link"] == number) & (table["flow"] == self._flow)
        return {name: values[mine] for name, values in table.items()}

    def watched(self, place: int) -> Packets:
        """The data packets that passed one of the link directions that the scenario watches."""
        passed = self._passed(place)
        data = passed["payload_bytes"] > 0
        sequence = passed["sequence"][data].astype(np.int64)
        numbers = (sequence - sequence[:1].sum()) // int(self.payload_bits / 8)
        return Packets(passed["time_s"][data], numbers, passed["ecn"][data])

    @cached_property
    def sent(self) -> Packets:
        """The data packets that left the sender, of a scenario that watches it first."""
        return self.watched(0)

    @cached_property
    def acknowledged_s(self) -> np.ndarray:
        """The arrivals of acknowledgments at the sender, of a scenario that watches them second."""
        return self._passed(1)["time_s"]

    def acknowledged_before(self, time_s: float) -> float:
        """The arrival of the last acknowledgment before a packet was seen to leave. Raises NotSeenError."""
        return first(self.acknowledged_s[self.acknowledged_s < time_s][::-1], "an acknowledgment")

    def losses(self) -> np.ndarray:
        """The times at which packets were dropped or lost, of every flow of the run."""
        table = self._result.columns("drops")
        return np.asarray(table["time_s"], dtype=float)

    def retransmitted(self, begin_s: float, end_s: float) -> int:
        """The packets sent again between two times."""
        return int(self.at("retransmissions", end_s) - self.at("retransmissions", begin_s))

    def goodput_packets_per_s(self, begin_s: float, end_s: float) -> float:
        """The mean rate at which data arrived between two times, in full packets."""
        rates = self.during("goodput_bit_per_s", begin_s, end_s)
        return float(np.nanmean(rates)) / self.payload_bits if rates.size else 0.0

    def goodput_of_link(self, begin_s: float, end_s: float) -> float:
        """The goodput between two times in rates of the link, by its rate at the first."""
        return self.goodput_packets_per_s(begin_s, end_s) / self.rate_packets_per_s(begin_s)

    def named(self, names: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
        """The series and gauges of these names that the run has."""
        known = {**self._gauges, **self._series}
        for name in names:
            if name in known:
                yield name, known[name]
