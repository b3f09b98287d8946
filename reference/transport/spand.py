"""TCP/SPAND (3.3.2 of burst-tcp): the windows with which connections of a domain begin.

"This information can be used to estimate the fair share of network resources for each connection"; the
initial parameters are derived from the estimate "and previous knowledge of the transfer size". There is no
formula. `docs/algorithms/sharing.md` has a moving average over the connections of all pairs of hosts, with a
weight of 1/4 for the latest; a window is at most the file. A connection that met no limit counts if its
window is above the average, or if a loss has set its threshold. A window is used if it is above the initial
one, and it is the threshold too. The page had neither of these two rules; both were settled by the results of
the compiled code.
"""

from __future__ import annotations

from math import inf

from reference.transport.control_block_sharing import Sender

__all__ = ["Gateway"]

WEIGHT = 0.25
"""The weight of the latest connection."""


class Gateway:
    """The performance gateway of a domain."""

    def __init__(self) -> None:
        self.share: float | None = None

    def begin(self, file_packets: float, initial_window: float) -> Sender:
        """A new connection."""
        window = min(self.share or 0.0, file_packets)
        return Sender(window, window) if window > initial_window else Sender(initial_window, inf)

    def on_close(self, window: float, *, loss_set_threshold: bool = False) -> None:
        """The transfer of a connection is over."""
        if self.share is None:
            self.share = window
        elif window > self.share or loss_set_threshold:
            self.share += WEIGHT * (window - self.share)
