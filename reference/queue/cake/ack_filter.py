"""The filter of acknowledgments: `cake_ack_filter`, `cake_tcph_may_drop` and `cake_tcph_sack_compare`."""

from __future__ import annotations

from collections.abc import Sequence

from reference.queue.cake.packets import Packet, TcpHeader

__all__ = ["superfluous"]

Blocks = tuple[tuple[int, int], ...]


def superfluous(queue: Sequence[Packet], *, aggressive: bool) -> int | None:
    """The place of the packet to drop from a queue whose last packet has just arrived.

    It is the oldest acknowledgment that the arriving packet makes superfluous, if there is another one after
    it. In aggressive mode a single one goes as well, if the arriving packet is the next.
    """
    latest = queue[-1]
    new = latest.tcp
    if new is None or new.acknowledges is None or new.is_syn:
        return None
    found: int | None = None
    signals = (False, False)
    for place, packet in enumerate(list(queue)[:-1]):
        old = packet.tcp
        if old is None or packet.flow != latest.flow:
            continue
        if found is not None and (old.ece, old.cwr) != signals:
            # The one found is the last to say so.
            found = None
        if not is_superseded(old, new):
            continue
        if found is not None:
            return found
        found, signals = place, (old.ece, old.cwr)
    is_next = found is not None and found == len(queue) - 2
    return found if aggressive and is_next and signals == (new.ece, new.cwr) else None


def is_superseded(old: TcpHeader, new: TcpHeader) -> bool:
    """True if the new header says all that the old one says, and more."""
    if not old.is_plain or old.is_syn or old.acknowledges is None or new.acknowledges is None:
        return False
    limits = new.timestamps or (0, 0)
    if old.timestamps and (old.timestamps[0] > limits[0] or old.timestamps[1] > limits[1]):
        return False
    if old.acknowledges > new.acknowledges or not is_covered(old.sack, old.acknowledges, new.sack):
        return False
    return old.acknowledges < new.acknowledges or reported(new) > reported(old)


def is_covered(old: Blocks, acknowledges: int, new: Blocks) -> bool:
    """True if each old block lies in a new one, and none reports a duplicate."""
    return all(
        start >= acknowledges and any(first <= start and end <= last for first, last in new)
        for start, end in old
    )


def reported(header: TcpHeader) -> int:
    """The bytes in its blocks."""
    return sum(end - start for start, end in header.sack)
