"""A trained policy as a congestion controller, for `run`, `compare` and `evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ackclock.errors import InputError
from ackclock.gym import observations
from ackclock.gym.actions import decide
from ackclock.gym.observations import FACTS, Step
from ackclock.scenarios.algorithms import Ack, Congestion, Start

__all__ = ["LinearPolicy", "controller"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LinearPolicy:
    """The hyperbolic tangent of a weighted sum of observations; the last weight is the constant."""

    weights: tuple[float, ...]
    observe: tuple[str, ...] = observations.DEFAULT

    def __post_init__(self) -> None:
        observations.checked(self.observe)
        if len(self.weights) != len(self.observe) + 1:
            raise InputError(
                f"{len(self.weights)} weights; {len(self.observe)} observations and a constant need one each"
            )

    def __call__(self, observed: Array) -> Array:
        """The action of each row of observations."""
        return np.asarray(np.tanh(observed @ np.array(self.weights[:-1]) + self.weights[-1]))


class Controller(Protocol):
    """The attributes that every controller has."""

    cwnd: float

    def on_ack(self, ack: Ack) -> None:
        """Takes the facts of an acknowledgment."""

    def on_congestion(self, event: Congestion) -> None:
        """Takes the start of a congestion episode."""


def controller(
    policy: Callable[[Array], Array],
    observe: Sequence[str] = observations.DEFAULT,
    *,
    name: str = "policy",
    largest_window_packets: float = 10_000.0,
    segment_bytes: int = 1460,
) -> Callable[[Start], Controller]:
    """A class whose window a policy sets once a smoothed round-trip time, by the action `factor`.

    `policy` gives an action for each row of observations. `segment_bytes` matters to observations in bits.
    """
    chosen = observations.checked(observe)

    class Policy:
        """Counts the facts of a step as the environment does."""

        def __init__(self, start: Start) -> None:
            self.cwnd = start.initial_window
            self._restart = start.restart_window
            self._facts = np.zeros((1, len(FACTS)))
            self._facts[0, FACTS["segment_bytes"]] = segment_bytes
            self._most = np.zeros(1)
            self._rtts: list[float] = []
            self._begun = self._ends = 0.0

        def on_ack(self, ack: Ack) -> None:
            """Counts; at the end of a step, asks the policy."""
            self._add("delivered_packets", ack.delivered)
            self._add("lost_packets", ack.lost)
            if ack.rtt is not None:
                self._rtts.append(ack.rtt)
                self._set("rtt_last_s", ack.rtt)
            self._set("rtt_min_s", ack.min_rtt)
            self._set("srtt_s", ack.srtt)
            self._set("in_flight_packets", ack.in_flight)
            if self._ends == 0.0:
                # As in the environment, the first step ends a round trip after the first measurement.
                self._ends = ack.now + ack.srtt if ack.srtt > 0 else 0.0
            elif ack.now >= self._ends:
                self._act(ack)

        def on_congestion(self, event: Congestion) -> None:
            """Counts; begins again from one packet after a timeout."""
            self._add("congestion_signals", 1.0)
            if event.signal == "timeout":
                self._add("timeouts", 1.0)
            if event.restart:
                self.cwnd = self._restart

        def _act(self, ack: Ack) -> None:
            self._set("rtt_mean_s", sum(self._rtts) / len(self._rtts) if self._rtts else ack.srtt)
            self._set("duration_s", ack.now - self._begun)
            self._set("cwnd_packets", self.cwnd)
            step = Step(self._facts, self._most)
            self._most = step.most_packets_per_s = np.maximum(self._most, step["goodput_packets_per_s"])
            action = np.asarray(policy(observations.observe(step, chosen)), dtype=float).reshape(1)
            rows, _ = decide("factor", action, np.array([self.cwnd]), largest_window_packets, 0.0)
            self.cwnd = float(rows[0, 0])
            for count in ("delivered_packets", "lost_packets", "congestion_signals", "timeouts"):
                self._set(count, 0.0)
            self._rtts = []
            self._begun, self._ends = ack.now, ack.now + ack.srtt

        def _set(self, fact: str, value: float) -> None:
            self._facts[0, FACTS[fact]] = value

        def _add(self, fact: str, value: float) -> None:
            self._facts[0, FACTS[fact]] += value

    Policy.__name__ = Policy.__qualname__ = name
    return Policy
