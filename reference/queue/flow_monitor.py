"""A gateway's inferences about flows: "TCP Behavior in Sub-Packet Regimes" (Chen et al.), 3.2, 3.3, 6.1, 6.2.

"Given (i) the aggregate loss rate at the bottleneck, (ii) the current state of a flow, and (iii) the size of
an epoch (flow RTT), the middlebox can track the number of packets within each epoch and predict the
probability that a flow could potentially hit a timeout state in the following epoch." Left open there, and
chosen as `docs/queues.md` states it: epochs follow each other from the first packet on, and begin anew with
the packet after a silence.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

__all__ = ["Arrival", "Flow", "FlowMonitor"]

FAST_RETRANSMIT_PACKETS = 4
"""Section 3.2: "no fast retransmission occurs in our model if a loss occurs when the sender's cwnd is smaller
than 4"."""
AVERAGED_PACKETS = 1000


@dataclass(frozen=True)
class Arrival:
    """A packet at the gateway."""

    time: int
    flow: object
    end: int | None
    """The sequence number after its last byte; None if it occupies no sequence number."""
    syn: bool = False


@dataclass
class Flow:
    """The known facts of a flow."""

    rtt: int | None = None
    """From its SYN to the packet after it."""
    opened: int | None = None
    """The time of the SYN, before another packet has come."""
    began: int = 0
    """The time at which the epoch under way began."""
    highest: int = 0
    count: int = 0
    count_before: int = 0
    drops: int = 0
    new_data: bool = False
    again: bool = False
    """Its latest packet is a retransmission."""
    backed_off: bool = False

    @property
    def window(self) -> int:
        """The packets in the previous epoch, or in the present one if it has more."""
        return max(self.count, self.count_before)

    @property
    def budget(self) -> int:
        """Section 3.2: from four packets on, "at most one loss" is recovered.

        The loss of a retransmission is not.
        """
        return 0 if self.again or self.drops or self.window < FAST_RETRANSMIT_PACKETS else 1

    def timeout_probability(self, loss: float) -> float:
        """The probability that the drop of one packet leads to a timeout."""
        return 1 - (1 - loss) ** self.window if self.budget else 1.0


@dataclass
class FlowMonitor:
    """The state of every flow, and the loss rate of them all."""

    epoch: int
    """The round-trip time of flows whose handshake did not pass."""
    flows: defaultdict[object, Flow] = field(default_factory=lambda: defaultdict(Flow))
    packets: int = 0
    loss: float = 0.0

    def arrive(self, packet: Arrival) -> Flow | None:
        """Records a packet; None if it occupies no sequence number."""
        self.packets = min(self.packets + 1, AVERAGED_PACKETS)
        self.loss -= self.loss / self.packets
        if packet.end is None:
            return None
        flow = self.flows[packet.flow]
        now = packet.time
        if packet.syn:
            flow.opened = now
        elif flow.opened is not None:
            flow.rtt, flow.opened = (now - flow.opened) or None, None
        silent = self._advance(flow, now)
        flow.count += 1
        flow.again = packet.end <= flow.highest
        if flow.again:
            flow.backed_off |= silent
        else:
            flow.highest = packet.end
            flow.new_data = True
        return flow

    def _advance(self, flow: Flow, now: int) -> bool:
        """Ends the epochs that are over; true if no packet came in one of them."""
        epoch = flow.rtt or self.epoch
        over = (now - flow.began) // epoch
        if over == 0:
            return False
        if flow.new_data and flow.drops == 0:
            flow.backed_off = False
        flow.count_before = flow.count if over == 1 else 0
        flow.count = flow.drops = 0
        flow.new_data = False
        flow.began = flow.began + epoch if over == 1 else now
        return over > 1

    def drop(self, name: object) -> None:
        """Records the drop of a packet of the flow."""
        self.loss += 1 / self.packets
        self.flows[name].drops += 1
