"""The flows that are active at a link, by the rule of `docs/queues.md`.

A flow is active for `memory` after each of its packets. Ten times in that time, when a packet comes, the
flows that are no longer active are forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ActiveFlows"]


@dataclass
class ActiveFlows:
    """Times are whole numbers of one unit."""

    memory: int
    latest: dict[object, int] = field(default_factory=dict)
    looked: int = 0

    def forget(self, now: int) -> None:
        """Looks for flows that have been silent, at most ten times in the memory."""
        if now - self.looked < self.memory // 10:
            return
        self.looked = now
        for flow in [flow for flow, came in self.latest.items() if now - came >= self.memory]:
            del self.latest[flow]
