"""The states of BBR as a gauge, the gauges that its cases read, and verdicts that several cases share."""

from __future__ import annotations

import math

from ackclock.conformance.case import Gauge
from ackclock.conformance.trace import Phase, Trace
from ackclock.measures.verdict import Outcome, Verdict

__all__ = [
    "BANDWIDTH",
    "CRUISE",
    "CWND_GAIN",
    "DOWN",
    "DRAIN",
    "EXTRA_ACKED",
    "FULL_ROUNDS",
    "GAUGES",
    "LONGTERM",
    "MAX_BANDWIDTH",
    "MIN_RTT",
    "NAMES",
    "PACING_GAIN",
    "PROBE_RTT",
    "REFILL",
    "ROUND",
    "SHORTTERM",
    "SHORTTERM_BANDWIDTH",
    "STARTUP",
    "STATE",
    "UP",
    "bdp_packets",
    "followed_by",
    "following",
    "never_came",
    "phases",
]

STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT = range(7)
NAMES = ("Startup", "Drain", "DOWN", "CRUISE", "REFILL", "UP", "ProbeRTT")

STATE = "bbr3_state"
BANDWIDTH = "bbr3_bandwidth_packet_per_s"
MAX_BANDWIDTH = "bbr3_max_bandwidth_packet_per_s"
SHORTTERM_BANDWIDTH = "bbr3_bandwidth_shortterm_packet_per_s"
MIN_RTT = "bbr3_min_rtt_s"
LONGTERM = "bbr3_inflight_longterm_packets"
SHORTTERM = "bbr3_inflight_shortterm_packets"
EXTRA_ACKED = "bbr3_extra_acked_packets"
PACING_GAIN = "bbr3_pacing_gain"
CWND_GAIN = "bbr3_cwnd_gain"
ROUND = "bbr3_round"
FULL_ROUNDS = "bbr3_full_bandwidth_rounds"

GAUGES = (
    Gauge(STATE, "", ", ".join(f"{number} {name}" for number, name in enumerate(NAMES)), NAMES),
    Gauge(BANDWIDTH, "packets/s", "BBR.bw, by which it paces"),
    Gauge(MAX_BANDWIDTH, "packets/s", "BBR.max_bw, the maximum of two cycles"),
    Gauge(SHORTTERM_BANDWIDTH, "packets/s", "BBR.bw_shortterm; infinite where no loss has set it"),
    Gauge(MIN_RTT, "s", "BBR.min_rtt"),
    Gauge(LONGTERM, "packets", "BBR.inflight_longterm; infinite where no loss has set it"),
    Gauge(SHORTTERM, "packets", "BBR.inflight_shortterm; infinite where no loss has set it"),
    Gauge(EXTRA_ACKED, "packets", "BBR.extra_acked, the degree of aggregation"),
    Gauge(PACING_GAIN, "", "BBR.pacing_gain"),
    Gauge(CWND_GAIN, "", "BBR.cwnd_gain"),
    Gauge(ROUND, "round trips", "BBR.round_count"),
    Gauge(FULL_ROUNDS, "round trips", "BBR.full_bw_count, rounds without growth of the delivery rate"),
)


def phases(trace: Trace, state: int) -> list[Phase]:
    """The times in a state that ended before the run did."""
    return [phase for phase in trace.phases(STATE) if phase.value == state and phase.is_whole]


def following(trace: Trace, phase: Phase) -> str:
    """The state after a time in one."""
    return next(NAMES[after.value] for after in trace.phases(STATE) if after.begin_s >= phase.end_s)


def followed_by(trace: Trace, phase: Phase, *states: int) -> Verdict:
    """The verdict on the state after a time in one."""
    found = following(trace, phase)
    expected = " or ".join(NAMES[state] for state in states)
    return Verdict.decided(
        f"the state after {NAMES[phase.value]}", found, expected, found in {NAMES[state] for state in states}
    )


def never_came(state: int) -> Verdict:
    """The open verdict on a run that was never in a state, or not to its end."""
    return Verdict(NAMES[state], "the run has none that ends", "at least one", Outcome.UNDECIDED)


def bdp_packets(trace: Trace, time_s: float, bandwidth: str = BANDWIDTH) -> float:
    """The estimated bandwidth-delay product at a time, by the algorithm's own gauges."""
    product = trace.at(bandwidth, time_s) * trace.at(MIN_RTT, time_s)
    return product if math.isfinite(product) else math.nan
