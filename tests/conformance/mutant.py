"""A mutant: an algorithm or a transport with a fault, and the case that it fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ackclock.conformance.judge import CaseVerdict, conform
from tests.conformance.readings import SOUND, Made

__all__ = ["Mutant", "without"]


@dataclass(frozen=True)
class Mutant:
    """An algorithm with a fault, and the case that it fails."""

    specification: str
    case: str
    fault: str
    algorithm: str | Made
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of the transport, where the fault is one of it."""

    def verdict(self) -> CaseVerdict:
        """The verdict of the case on the mutant."""
        return self._judged(self.algorithm)

    def sound_verdict(self) -> CaseVerdict | None:
        """The verdict on the reading without the fault; None if the mutant is no such reading."""
        sound = None if isinstance(self.algorithm, str) else SOUND.get(self.algorithm)
        return None if sound is None else self._judged(sound)

    def _judged(self, algorithm: str | Made) -> CaseVerdict:
        done = conform(algorithm, self.specification, only=[self.case], settings=self.settings, seeds=1)
        return done.verdicts[0]


def without(**tcp: object) -> dict[str, object]:
    """Settings of the transport by dotted paths."""
    return {f"tcp.{key}": value for key, value in tcp.items()}
