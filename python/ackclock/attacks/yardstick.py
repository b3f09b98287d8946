"""The goodput and the round trip that a path has for a sender that knows everything in advance."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ackclock.attacks.networks import JITTER_S, OTHER, OWN, PACKET_BITS, PAYLOAD_BITS, Timeline, number
from ackclock.attacks.space import Path

__all__ = ["Yardstick", "omniscient"]

Floats = NDArray[np.float64]

STEP_S = 0.05

NEARLY = 0.98
"""The share of the rate that the omniscient sender uses, so that no queue builds up."""


class Yardstick:
    """The share of an omniscient sender over the time of a run.

    It has the rate of the link, or of the policer, less the datagrams and the random losses, divided by the
    flows that are there.
    """

    def __init__(self, path: Path, duration_s: float) -> None:
        self.path = path
        self.times = Timeline(path)
        self.duration_s = duration_s
        self.time_s = np.arange(0.0, duration_s, STEP_S) + STEP_S / 2
        self.flows = self._flows()
        self.capacity = self._capacity()

    def _stepped(self, steps: list[tuple[float, float]]) -> Floats:
        begins = np.array([at for at, _ in steps])
        values = np.array([value for _, value in steps])
        found: Floats = values[np.searchsorted(begins, self.time_s, side="right") - 1]
        return found

    def _flows(self) -> dict[str, Floats]:
        """The number of flows of a group at each time."""
        path, one = self.path, np.ones_like(self.time_s)
        own = number(path, "flows", "count", 1) * one
        if "latecomer" in path:
            own += self.time_s >= float(path["latecomer"]["at"])
        others = np.zeros_like(self.time_s)
        if "competitors" in path:
            change = path["competitors"]
            others += float(change["count"]) * (self.time_s >= float(change["at"]))
        return {OWN: own, OTHER: others}

    def _capacity(self) -> Floats:
        """The bits per second of payload that the path carries for all flows."""
        path, mbit = self.path, self._stepped(self.times.mbit)
        if "outage" in path:
            at, length = float(path["outage"]["at"]), float(path["outage"]["seconds"])
            mbit = np.where((self.time_s >= at) & (self.time_s < at + length), 0.0, mbit)
        first = self.times.mbit[0][1]
        if "policer" in path:
            mbit = np.minimum(mbit, float(path["policer"]["share"]) * first)
        if "bursts" in path:
            share, on, every = (float(path["bursts"][key]) for key in ("share", "on", "every"))
            mbit = np.maximum(mbit - share * first * min(on / every, 1.0), 0.0)
        kept = 1 - number(path, "loss", "share", 0.0)
        return mbit * 1e6 * kept * PAYLOAD_BITS / PACKET_BITS

    @property
    def rtt_s(self) -> Floats:
        """The round trip without a queue at each time, with the longest delays of the path's own."""
        path = self.path
        late = ("jitter", "aggregation", "reordering", "reordering-growth")
        more = sum(number(path, name, "ms", 0.0) for name in late)
        return (self._stepped(self.times.rtt_ms) + more) / 1e3

    def of_another(self) -> Floats:
        """The goodput of a flow that always has data at each time, in bits per second."""
        path = self.path
        each: Floats = self.capacity / np.maximum(self.flows[OWN] + self.flows[OTHER], 1)
        if "receive-window" in path:
            window = float(path["receive-window"]["packets"]) * PAYLOAD_BITS
            each = np.minimum(each, window / self.rtt_s)
        return each

    def of_a_flow(self) -> Floats:
        """The goodput of one flow of the algorithm at each time, in bits per second."""
        path, each = self.path, self.of_another()
        if "files" in path:
            bits = float(path["files"]["packets"]) * PAYLOAD_BITS
            pause = float(path["files"]["pause"]) / 1e3
            each = bits / (pause + self.transfer_s())
        return each

    def transfer_s(self) -> Floats:
        """The time of a file at each time: a handshake, and the data at the flow's rate."""
        bits = number(self.path, "files", "packets", 0) * PAYLOAD_BITS
        each = self.capacity / np.maximum(self.flows[OWN] + self.flows[OTHER], 1)
        return 2 * self.rtt_s + bits / np.maximum(each, 1.0)

    def bits(self) -> float:
        """The payload that all flows of the algorithm carry in the run."""
        return float(np.sum(self.of_a_flow() * self.flows[OWN]) * STEP_S)

    def bits_of_others(self) -> float:
        """The payload that all other flows carry in the run."""
        return float(np.sum(self.of_another() * self.flows[OTHER]) * STEP_S)

    def during(self, begin_s: float, end_s: float) -> float:
        """The mean goodput of one flow between two times."""
        inside = (self.time_s >= begin_s) & (self.time_s < end_s)
        return float(self.of_a_flow()[inside].mean()) if inside.any() else 0.0


def omniscient(path: Path, duration_s: float) -> list[dict[str, object]]:
    """The datagrams of the omniscient sender: one stream for all its flows, at the rate that the path has."""
    stick = Yardstick({name: each for name, each in path.items() if name != "bursts"}, duration_s)
    wire = stick.of_a_flow() * PACKET_BITS / PAYLOAD_BITS / (1 - number(path, "loss", "share", 0.0))
    wire = wire * stick.flows[OWN]
    changes = [0, *(np.flatnonzero(np.diff(wire)) + 1).tolist(), len(wire)]
    groups: list[dict[str, object]] = []
    for begin, end in pairwise(changes):
        if wire[begin] <= 0:
            continue
        group: dict[str, object] = {
            "name": f"{OWN}-{len(groups)}-",
            "rate": f"{NEARLY * wire[begin] / 1e6:.5g} Mbit/s",
            "packet": "1500 bytes",
            "start": f"{begin * STEP_S:.10g} s",
        }
        if begin == 0:
            group["start_jitter"] = f"{JITTER_S * 1e3:.0f} ms"
        if end < len(wire):
            group["stop"] = f"{end * STEP_S:.10g} s"
        groups.append(group)
    return groups
