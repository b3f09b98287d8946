"""Second readings with one fault each, as `conform` takes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reference import AVOIDANCES, CONTROLLERS, SLOW_STARTS, Start, Windowed
from reference.slow_start.careful_resume import CarefulResume, Phase
from reference.slow_start.search import Search

__all__ = ["SOUND", "Made", "whole", "windowed"]

Made = Callable[[Start], object]

SOUND: dict[Made, Made] = {}
"""For each reading with a fault the one without it, which has to meet the case."""


RESUMING = (
    Phase.NORMAL,
    Phase.RECONNAISSANCE,
    Phase.UNVALIDATED,
    Phase.VALIDATING,
    Phase.SAFE_RETREAT,
)
"""The phases of Careful Resume by the numbers of its gauge."""


class _Seen(Windowed):
    """The gauges of a slow start and of an avoidance, by the names under which cases read them."""

    def observe(self) -> dict[str, float]:
        """Those that the parts have."""
        found = {}
        if hasattr(self.slow_start, "in_css"):
            found["hystart_conservative"] = float(self.slow_start.in_css)
        if hasattr(self.avoidance, "alpha"):
            found["dctcp_alpha"] = float(self.avoidance.alpha)
        if isinstance(self.slow_start, Search):
            found["search_draining"] = float(self.slow_start.target is not None)
        if isinstance(self.slow_start, CarefulResume):
            phase = RESUMING.index(self.slow_start.phase)
            found["careful_resume_phase"] = float(phase)
            found["careful_resume_pipe_size"] = self.slow_start.pipe_size if phase > 1 else 0.0
        return found


C4_STATES = ("initial", "recovery", "cruising", "pushing")
ALLEGRO_STATES = ("starting", "deciding", "adjusting")


def _of_c4(self: Any) -> dict[str, float]:
    return {
        "c4_state": float(C4_STATES.index(self.state)),
        "c4_nominal_rate_packet_per_s": self.nominal_rate,
        "c4_nominal_max_rtt_s": self.nominal_max_rtt,
        "c4_alpha": self.alpha_current,
        "c4_probe_level": float(self.probe_level),
    }


def _of_allegro(self: Any) -> dict[str, float]:
    if self.began is None:
        return {}
    return {
        "allegro_state": float(ALLEGRO_STATES.index(self.state)),
        "allegro_rate_packet_per_s": self.rate if self.state == "deciding" else self.plan[-1],
        "allegro_epsilon": getattr(self, "epsilon", self.epsilon_min),
    }


def _of_vivace(self: Any) -> dict[str, float]:
    if self.began is None:
        return {}
    return {"vivace_is_starting": float(self.doubles), "vivace_rate_packet_per_s": self.rate}


WHOLE: dict[str, Callable[[Any], dict[str, float]]] = {
    "allegro": _of_allegro,
    "c4": _of_c4,
    "copa": lambda self: {"copa_delta": 1 / self.inverse_delta},
    "prague": lambda self: {"prague_alpha": self.alpha},
    "vivace": _of_vivace,
}
"""The gauges of whole controllers whose readings have no `observe`."""


def _altered(kind: Any, changed: Mapping[str, object]) -> Any:
    """The class with these methods and attributes instead of its own."""
    return type("Altered", (kind,), dict(changed))


def windowed(
    avoidance: str = "reno",
    slow_start: str = "standard",
    *,
    parameters: Mapping[str, float] | None = None,
    ss_parameters: Mapping[str, float] | None = None,
    **faults: object,
) -> Made:
    """A slow start and an avoidance, with these methods or attributes instead of the reading's own.

    A fault belongs to the part that its name begins with: `ss_` to the slow start, `window_` to the
    windows of both, any other to the avoidance, which has the parameters too. The reading without the
    faults keeps `ss_parameters`.
    """

    def of(prefix: str) -> dict[str, object]:
        return {name.removeprefix(prefix): fault for name, fault in faults.items() if name.startswith(prefix)}

    own = {name: fault for name, fault in faults.items() if not name.startswith(("ss_", "window_"))}
    begin = _altered(SLOW_STARTS[slow_start], of("ss_"))
    avoid = _altered(AVOIDANCES[avoidance], own)
    both = _altered(_Seen, of("window_"))

    def reading(start: Start) -> object:
        return both(begin(**(ss_parameters or {})), avoid(**(parameters or {})), start)

    if faults or parameters:
        SOUND[reading] = windowed(avoidance, slow_start, ss_parameters=ss_parameters)
    return reading


def whole(controller: str, *, parameters: Mapping[str, float] | None = None, **faults: object) -> Made:
    """A whole controller, with these methods or attributes instead of the reading's own."""
    observed = {"observe": WHOLE[controller]} if controller in WHOLE else {}
    kind = _altered(CONTROLLERS[controller], {**observed, **faults})

    def reading(start: Start) -> object:
        twin = kind(**(parameters or {}))
        twin.begin(start)
        return twin

    if faults or parameters:
        SOUND[reading] = whole(controller)
    return reading
