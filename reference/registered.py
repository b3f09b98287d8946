"""The algorithms of this folder by the names of the registry, which decorators at their classes give them."""

from collections.abc import Callable
from typing import Any, TypeVar

from reference.windowed import Avoidance, SlowStart

SLOW_STARTS: dict[str, Callable[..., SlowStart]] = {}
AVOIDANCES: dict[str, Callable[..., Avoidance]] = {}
CONTROLLERS: dict[str, Callable[..., Any]] = {}
"""The algorithms have no common base; `begin(start)` replaces the arguments that `Windowed` gets."""
MEDIA: dict[str, Callable[..., Any]] = {}
"""Congestion controls for real-time media, which are made from a `MediaStart` and their parameters."""
ADAPTATIONS: dict[str, Callable[..., Any]] = {}
"""Bit-rate adaptations of films: each object chooses for one film."""

Class = TypeVar("Class", bound=type)


def _into(registered: dict[str, Any]) -> Callable[[str], Callable[[Class], Class]]:
    def named(name: str) -> Callable[[Class], Class]:
        def register(cls: Class) -> Class:
            registered[name] = cls
            return cls

        return register

    return named


slow_start = _into(SLOW_STARTS)
avoidance = _into(AVOIDANCES)
controller = _into(CONTROLLERS)
media = _into(MEDIA)
adaptation = _into(ADAPTATIONS)
