"""A compiled controller and its plain-Python twin, told the same: what differential tests have in common."""

import functools
import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from ackclock._native import Controller, list_entries
from reference import Ack, Congestion, Signal

# No round number, so that no difference of rates lies on a threshold by construction: there the last bit of
# either computation would decide.
BASE_RTT_NS = 49_999_711
TOLERANCE = 1e-9


@functools.cache
def registered(kind: str) -> dict[str, list[dict[str, Any]]]:
    """The parameters of each algorithm of that kind."""
    return {
        cast("str", entry["name"]): cast("list[dict[str, Any]]", entry["parameters"])
        for entry in list_entries()
        if entry["kind"] == kind
    }


def parameters_agree(kind: str, twins: Mapping[str, Any]) -> bool:
    """True if every algorithm of a kind has a twin with the same parameters and defaults."""
    found = {
        name: {key: value.default for key, value in inspect.signature(twin).parameters.items()}
        for name, twin in twins.items()
    }
    expected = {
        name: {parameter["name"]: parameter["default"] for parameter in parameters}
        for name, parameters in registered(kind).items()
    }
    return found == expected


@dataclass
class DifferentialPair:
    """Both controllers, and the time that passes for them."""

    compared: ClassVar[str]
    """The state compared after every event."""

    compiled: Controller
    twin: Any
    now_ns: int = 0
    round: int = 0
    srtt_ns: int = 0
    min_rtt_ns: int = 0
    timed_out: bool = False
    told: list[object] = field(default_factory=list)
    """The events so far, written out where a comparison fails: to write each takes longer than to compare."""

    def outcomes(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The answers of the compiled controller and of its second reading."""
        raise NotImplementedError

    def measure(self, rtt_ns: int) -> None:
        """Takes a round-trip time into the averages that an acknowledgment tells."""
        self.srtt_ns = (self.srtt_ns * 7 + rtt_ns) // 8 if self.srtt_ns else rtt_ns
        self.min_rtt_ns = min(self.min_rtt_ns, rtt_ns) if self.min_rtt_ns else rtt_ns

    def acknowledge(self, ack: Ack) -> None:
        """An acknowledgment with these facts."""
        self.compiled.on_ack(ack)
        self.twin.on_ack(ack)
        self.compare(ack)

    def congestion(self, signal: Signal, packets: float, *, restart: bool, repeated: bool = False) -> None:
        """A loss, a mark or a timeout with this many packets in flight."""
        event = Congestion(
            now=self.now_ns / 1e9, signal=signal, flight=packets, restart=restart, repeated=repeated
        )
        self.compiled.on_congestion(event)
        self.twin.on_congestion(event)
        self.compare(event)

    def expire(self, packets: float) -> None:
        """The retransmission timer expires, a second later."""
        self.now_ns += 1_000_000_000
        self.congestion(Signal.TIMEOUT, packets, restart=True, repeated=self.timed_out)
        self.timed_out = True

    def spurious(self) -> None:
        """The last reduction is found to have been for nothing; a timeout after it is a first one."""
        self.timed_out = False
        self.compiled.on_spurious()
        self.twin.on_spurious()
        self.compare("spurious")

    def idle(self, restart_window: float) -> None:
        """The sender begins again after a silence."""
        self.compiled.on_idle_restart(restart_window)
        self.twin.on_idle_restart(restart_window)
        self.compare(f"idle {restart_window=}")

    def not_validated(self, window: float, ssthresh: float) -> None:
        """The window was not validated."""
        self.compiled.on_not_validated(window, ssthresh)
        self.twin.on_not_validated(window, ssthresh)
        self.compare(f"not validated {window=} {ssthresh=}")

    def compare(self, event: object) -> None:
        """Both say the same after an event."""
        self.told.append(event)
        found, expected = self.outcomes()
        if found == expected:
            return
        for compiled, twin in zip(found, expected, strict=True):
            assert math.isclose(compiled, twin, rel_tol=TOLERANCE), (
                f"{self.compared} are {found}, the reference has {expected} after\n"
                + "\n".join(map(str, self.told[-20:]))
            )
