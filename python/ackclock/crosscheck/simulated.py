"""The simulator's TCP, and QUIC stacks in its virtual time."""

from __future__ import annotations

import importlib.util

from ackclock._native import Scenario
from ackclock.crosscheck.cases import Case
from ackclock.crosscheck.measurement import Measurement, loss_period
from ackclock.errors import ScenarioError
from ackclock.runs import simulate
from ackclock.runs.stacks import QUIC

__all__ = ["Simulated"]

WIRE = 1500


class Simulated:
    """A flow of a scenario: of the simulator's TCP, or of a QUIC stack.

    `jitter_ms` is the mean of an exponential part of the delay each way, drawn by `seed`; the constant part
    is shorter by as much.
    """

    is_exact = True

    def __init__(
        self, stack: str | None = None, payload: int = 1440, jitter_ms: float = 0.0, seed: int = 1
    ) -> None:
        self.stack = stack
        self.payload = payload
        self.jitter_ms = jitter_ms
        self.seed = seed
        self.name = f"{stack}, virtual time" if stack else f"simulator, {payload} B"

    def lacks(self) -> str | None:
        """The package with the stacks."""
        if self.stack is None or importlib.util.find_spec(QUIC) is not None:
            return None
        return "the package ackclock-quic (make quic)"

    def refuses(self, case: Case) -> str | None:
        """The reason why the stack cannot carry a case."""
        try:
            self._scenario(case)
        except ScenarioError as error:
            return error.message
        return None

    def measure(self, case: Case) -> Measurement:
        """Simulates a case."""
        result = simulate.run(self._scenario(case))
        flows, drops_s = result.flows, [float(time) for time in result.drops["time_s"]]
        return Measurement(
            float(flows["goodput_bit_per_s"][0]),
            loss_period(drops_s, case.warm_up_s),
            sum(time >= case.warm_up_s for time in drops_s),
            float(flows["mean_rtt_s"][0]),
        )

    def _scenario(self, case: Case) -> Scenario:
        path = case.bottleneck
        stack = f'stack = "{self.stack}"' if self.stack else ""
        jitter = f'["jitter(exponential={self.jitter_ms} ms)"]' if self.jitter_ms else "[]"
        return Scenario.from_toml(
            f"""
            name = "crosscheck"
            seed = {self.seed}
            duration = "{case.duration_s} s"
            warm_up = "{case.warm_up_s} s"
            [[topology.graph.link]]
            from = "sender"
            to = "receiver"
            rate = "{path.megabits} Mbit/s"
            delay = "{path.delay_ms - self.jitter_ms} ms"
            buffer = "{path.buffer_packets} packets"
            impairments = {jitter}
            reverse = {{ impairments = {jitter} }}
            [tcp]
            mss = "{self.payload} B"
            header = "{WIRE - self.payload} B"
            ack_delay = "25 ms"
            segments_per_ack = {case.segments_per_ack}
            [[flow]]
            from = "sender"
            to = "receiver"
            algorithm = "{case.algorithm}"
            {stack}
            [trace]
            interval = "1 s"
            """
        )
