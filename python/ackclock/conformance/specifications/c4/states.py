"""The gauges of C4, its states, and the paths of its cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from ackclock.conformance.case import Settings
from ackclock.conformance.specifications.paths import BOTTLENECK, one_flow, stepped
from ackclock.conformance.trace import NotSeenError, Phase, Trace
from ackclock.measures.verdict import Verdict

__all__ = [
    "ALONE",
    "ALPHA",
    "CRUISING",
    "EACH",
    "INITIAL",
    "LEVEL",
    "MAX_RTT",
    "PUSHING",
    "RATE",
    "RECOVERY",
    "STATE",
    "in_cruising",
    "longer_by",
    "path",
    "reduced_in_recovery",
    "repaired",
    "round_trips",
    "whole_phases",
]

STATE = "c4_state"
RATE = "c4_nominal_rate_packet_per_s"
MAX_RTT = "c4_nominal_max_rtt_s"
ALPHA = "c4_alpha"
LEVEL = "c4_probe_level"

INITIAL, RECOVERY, CRUISING, PUSHING = range(4)

EACH: Mapping[str, object] = {"segments_per_ack": 1}
"""An acknowledgment for each packet, of which none is late."""


def path(rate: object, rtt_ms: float, seconds: float, **more: object) -> dict[str, object]:
    """One flow that is acknowledged packet by packet, over a buffer of one bandwidth-delay product."""
    return one_flow(rate, rtt_ms, seconds, **{"buffer": "100 % bdp", "tcp": EACH, **more})  # type: ignore[arg-type]


ALONE = path("20 Mbit/s", 80, 12)


def whole_phases(trace: Trace, state: int) -> list[Phase]:
    """The phases of a state from the first to the last that is whole. Raises NotSeenError."""
    found = [each for each in trace.phases(STATE) if each.value == state and each.is_whole]
    if not found:
        raise NotSeenError(f"come to the end of {('Initial', 'Recovery', 'Cruising', 'Pushing')[state]}")
    return found


def repaired(trace: Trace, state: int) -> list[Phase]:
    """The whole phases of a state from 2 s on, when the losses of the initial state are repaired."""
    return [each for each in whole_phases(trace, state) if each.begin_s > 2.0]


def in_cruising(changed: Callable[[float], Settings]) -> Callable[[Trace], Settings | None]:
    """Settings of a second run, made from a time in a cruising phase that begins after 4 s."""

    def then(trace: Trace) -> Settings | None:
        for each in trace.phases(STATE):
            if each.value == CRUISING and each.begin_s > 4.0 and each.length_s > 2 * trace.path_rtt_s:
                middle = each.begin_s + 1.2 * trace.path_rtt_s
                return changed(middle)
        return None

    return then


def delay_threshold_s(trace: Trace, at_s: float) -> float:
    """The excess of a round trip over the nominal max RTT that is congestion, by the draft."""
    rate = trace.at(RATE, at_s) * trace.payload_bits / 8
    sensitivity = float(np.interp(rate, (50e3, 1e6, 10e6), (0.0, 0.92, 1.0)))
    fraction = 1 / 16 + (1 - sensitivity) * 3 / 16
    return min(0.025, fraction * trace.at(MAX_RTT, at_s))


def longer_by(thresholds: float, one_way_ms: float) -> Callable[[Trace], Settings | None]:
    """In a cruising phase the round trip becomes the nominal max RTT and this part of the threshold."""

    def then(trace: Trace) -> Settings | None:
        def changed(at: float) -> Settings:
            seen = at + trace.at("rtt_s", at)  # when the sender measures it
            added_s = trace.at(MAX_RTT, seen) - trace.at("rtt_s", seen)
            added_s += thresholds * delay_threshold_s(trace, seen)
            after = f"{one_way_ms + 1000 * added_s:.3f} ms"
            return {f"{BOTTLENECK}.delay": stepped(f"{one_way_ms:g} ms", (at, after))}

        return in_cruising(changed)(trace)

    return then


def round_trips(trace: Trace, begin_s: float, end_s: float) -> float:
    """The round trips that a time lasts; one ends when what was sent at its beginning is acknowledged."""
    inside = (trace.time_s >= begin_s) & np.isfinite(trace.series("rtt_s"))
    times, sent = trace.time_s[inside], (trace.time_s - trace.series("rtt_s"))[inside]
    count, at = 0, begin_s
    while True:
        answered = np.flatnonzero(sent >= at)
        if not answered.size:
            return float(count)
        after = float(times[answered[0]])
        if after >= end_s:
            return count + (end_s - at) / (after - at)
        count, at = count + 1, after


def changed_s(trace: Trace) -> float:
    """The time at which the delay or the losses of the second run change."""
    link = trace.settings["topology"]["dumbbell"]["bottleneck"]  # type: ignore[index]
    changed = link["loss"]["schedule"] if "loss" in link else link["delay"]
    return float(str(changed["steps"][1][0]).split()[0])


def reduced_in_recovery(trace: Trace, low: float, high: float, *, recovers: bool = True) -> Iterator[Verdict]:
    """The state and the share of the nominal rate two round trips after the change of the second run."""
    at = changed_s(trace)
    before = trace.at(RATE, at)
    end = at + 2 * trace.at("rtt_s", at)
    states = trace.during(STATE, at, end)
    begins = bool(((states[1:] == RECOVERY) & (states[:-1] == CRUISING)).any())
    yield Verdict.same("Recovery begins from Cruising", begins, recovers)
    yield Verdict.within("nominal rate in that before", trace.at(RATE, end) / before, low, high)
