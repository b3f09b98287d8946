"""A packet as CAKE sees it."""

from __future__ import annotations

from dataclasses import dataclass

from reference.queue.codel import Waiting

__all__ = ["Packet", "TcpHeader"]


@dataclass(frozen=True)
class TcpHeader:
    """The fields that the filter of acknowledgments reads."""

    acknowledges: int | None = None
    """The acknowledgment number; None without the flag ACK."""
    is_plain: bool = True
    """It has no data, no flag but ACK, ECE and CWR, and no option but MD5, timestamps and SACK blocks."""
    is_syn: bool = False
    ece: bool = False
    cwr: bool = False
    sack: tuple[tuple[int, int], ...] = ()
    """Blocks of SACK: the first sequence number, and the one after the last."""
    timestamps: tuple[int, int] | None = None
    """The sender's time, and the time that it echoes."""


@dataclass(frozen=True)
class Packet(Waiting):
    """A packet with its time of arrival in nanoseconds."""

    flow: object = None
    """The five fields that tell one flow from another."""
    source: object = None
    """The sending host."""
    destination: object = None
    dscp: int = 0
    """The codepoint of the Diffserv field."""
    tcp: TcpHeader | None = None
