"""A controller whose window a policy sets at an acknowledgment, once per smoothed round-trip time.

Plain Python that needs no other file: `Policy.export` writes this module with the weights of a policy below
it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

ACTIVATIONS: Mapping[str, Callable[[float], float]] = {
    "identity": float,
    "relu": lambda value: max(value, 0.0),
    "tanh": math.tanh,
}


class Learnt:
    """Counts the facts of a step as `ackclock.gym` does; `layers` are those of its policy."""

    inputs: Sequence[str] = ()
    layers: Sequence[Mapping[str, Any]] = ()
    largest_window_packets = 10_000.0
    segment_bytes = 1460

    @classmethod
    def policy_weights(cls) -> str:
        """The weights as JSON, by which the simulator runs the same rule compiled.

        Empty if a subclass overrides the rule.
        """
        rules = [name for name, thing in vars(Learnt).items() if callable(thing)]
        is_own = any(getattr(cls, name) is not getattr(Learnt, name) for name in rules)
        if is_own or not cls.layers or cls.segment_bytes != Learnt.segment_bytes:
            return ""
        largest = cls.largest_window_packets
        policy = {"observe": list(cls.inputs), "layers": list(cls.layers), "largest_window_packets": largest}
        return json.dumps(policy)

    def __init__(self, start: Any) -> None:
        self.cwnd: float = start.initial_window
        self.restart: float = start.restart_window
        self.most = self.excess = 0.0
        self.begun = self.ends = self.rtt_last = 0.0
        self.begin()

    def begin(self) -> None:
        """Begins the counts of a step."""
        self.delivered = self.lost = self.rtt_sum = self.rtt_count = self.signals = self.timeouts = 0.0

    def on_ack(self, ack: Any) -> None:
        """Counts the acknowledgment; at the end of a step, carries out the action of the policy."""
        self.delivered += ack.delivered
        self.lost += ack.lost
        if ack.rtt is not None:
            self.rtt_sum += ack.rtt
            self.rtt_count += 1.0
            self.rtt_last = ack.rtt
        if self.ends == 0.0:
            # As in the environment, the first step ends a round trip after the first measurement.
            self.ends = ack.now + ack.srtt if ack.srtt > 0 else 0.0
        elif ack.now >= self.ends:
            known = self.observations(ack)
            action = self.act([known[name] for name in self.inputs])
            asked = self.cwnd * 2.0 ** min(max(action, -1.0), 1.0)
            self.cwnd = min(max(asked, 1.0), self.largest_window_packets)
            self.begin()
            self.excess = max(asked - self.largest_window_packets, 0.0)
            self.begun, self.ends = ack.now, ack.now + ack.srtt

    def on_congestion(self, event: Any) -> None:
        """Counts the signal; begins again from one packet after a timeout."""
        self.signals += 1.0
        if event.signal == "timeout":
            self.timeouts += 1.0
        if event.restart:
            self.cwnd = self.restart

    def on_idle_restart(self, restart_window: float) -> None:
        """Begins again from a window of at most this many packets."""
        self.cwnd = min(self.cwnd, restart_window)

    def on_not_validated(self, window: float, ssthresh: float) -> None:  # noqa: ARG002  it has no threshold
        """Has a window of at most this many packets from now on."""
        self.cwnd = min(self.cwnd, window)

    def on_segment_size(self, from_bytes: int, to_bytes: int) -> None:
        """Keeps the window's bytes."""
        self.cwnd *= from_bytes / to_bytes
        self.segment_bytes = to_bytes

    def observations(self, ack: Any) -> dict[str, float]:
        """The observations of an agent at the end of a step."""
        duration = ack.now - self.begun
        goodput = self.delivered / duration if duration > 0 else 0.0
        self.most = max(self.most, goodput)
        mean = self.rtt_sum / self.rtt_count if self.rtt_count > 0 else ack.srtt
        counted = self.delivered + self.lost
        return {
            "duration_s": duration,
            "delivered_packets": self.delivered,
            "lost_packets": self.lost,
            "loss_share": self.lost / counted if counted > 0 else 0.0,
            "goodput_packets_per_s": goodput,
            "goodput_bit_per_s": goodput * self.segment_bytes * 8,
            "goodput_share": goodput / self.most if self.most > 0 else 0.0,
            "rtt_mean_s": mean,
            "rtt_last_s": self.rtt_last,
            "rtt_min_s": ack.min_rtt,
            "srtt_s": ack.srtt,
            "rtt_share": mean / ack.min_rtt if ack.min_rtt > 0 else 0.0,
            "queueing_s": max(mean - ack.min_rtt, 0.0),
            "in_flight_packets": ack.in_flight,
            "may_grow": float(ack.may_grow),
            "cwnd_packets": self.cwnd,
            "congestion_signals": self.signals,
            "timeouts": self.timeouts,
            "segment_bytes": float(self.segment_bytes),
            "most_goodput_packets_per_s": self.most,
            "window_excess_packets": self.excess,
        }

    def act(self, observed: list[float]) -> float:
        """The action of the policy: weighted sums of observations, layer by layer."""
        values = observed
        for layer in self.layers:
            shape = ACTIVATIONS[layer["activation"]]
            values = [
                shape(sum(map(float.__mul__, row, values)) + bias)
                for row, bias in zip(layer["weights"], layer["bias"], strict=True)
            ]
        return values[0]
