"""The fourteen proposals of Table I, and what the thesis says of each; B-TCP beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["BURSTS", "PROBLEMS", "PROPOSALS", "STANDARD", "Proposal", "rio"]

PROBLEMS = {
    "overhead": "I/F overhead",
    "probing": "Indep. probing",
    "recovery": "FR/FR problem",
    "timeout": "Bad initial RTO",
    "delayed": "Delayed ACKs",
    "slow": "1st SS problem",
    "overshoot": "2nd SS problem",
}
"""The columns of Table I, by the names of their claims."""

PERSISTENT = {"persistent": True}


@dataclass(frozen=True)
class Proposal:
    """A row of Table I, and the settings that it changes."""

    key: str
    title: str
    solves: str
    """The thesis' Yes or No for each problem, as Y and N; empty for those beside the table."""
    tcp: Mapping[str, object] = field(default_factory=dict)
    changes: str = "sender"
    """What has to change for it, by its description in 3.3."""
    pool: Mapping[str, object] = field(default_factory=dict)
    """Of the users' connections."""
    queue: str = ""
    sources: int = 1
    """Users beside each other between two hosts: two for proposals about concurrent connections."""
    today: str = ""
    """Its algorithm on today's stack; that stack's own where empty."""


def _starts(slow_start: str) -> dict[str, object]:
    return {"algorithm": f"newreno+{slow_start}+reno(limit=1)"}


def rio(buffer: int) -> str:
    """RIO-PS for a buffer of so many packets; the thesis has no thresholds.

    In packets are the first 32 of a flow, those of mice. They may fill the buffer; from half of it on all Out
    packets are dropped. Averages follow short queues within ten packets.
    """
    return (
        f"rio(in_min={buffer / 2:g},in_max={buffer:g},in_p=0.02,"
        f"out_min={buffer / 5:g},out_max={buffer / 2:g},out_p=0.1,weight=0.1,short=32)"
    )


STANDARD = Proposal("standard", "standard TCP", "")

PROPOSALS = (
    Proposal("t-tcp", "T/TCP", "YYNNNNN", {"sharing": "t-tcp"}, "both ends"),
    Proposal("p-http", "P-HTTP", "YYYNYYN", changes="application", pool=PERSISTENT),
    Proposal("cbi", "CBI", "NYYYYYN", {"sharing": "ensemble"}, sources=2),
    Proposal(
        "fast-start",
        "TCP Fast Start",
        "NYYYYYY",
        {"sharing": "fast-start", "pacing": "auto"},
        "sender, routers",
    ),
    Proposal("spand", "TCP/SPAND", "NYYYYYY", {"sharing": "spand", "pacing": "auto"}, "sender, a gateway"),
    Proposal("tcp-cm", "TCP/CM", "NNYYYYY", {"sharing": "congestion-manager"}, "both ends", sources=2),
    Proposal(
        "sctp",
        "SCTP",
        "YYYYYYN",
        {"algorithm": "sack+sctp", "initial_window": "4 packets"},
        "both ends",
        PERSISTENT,
        today="sack+sctp",
    ),
    Proposal("iiw", "IIW", "NNYNYYN", {"initial_window": "4 packets"}),
    Proposal("tcp-sf", "TCP-SF", "NNYNYNN", {"smart_framing": True}),
    Proposal(
        "smooth-start",
        "Smooth Start",
        "NNNNNNY",
        {**_starts("smooth(depth=2)"), "initial_ssthresh": "64 packets"},
        today="rack+smooth(depth=2)+cubic",
    ),
    Proposal(
        "adaptive-start",
        "Adaptive Start",
        "NNYNYYY",
        {**_starts("adaptive"), "initial_ssthresh": "unlimited"},
        today="rack+adaptive+cubic",
    ),
    Proposal(
        "gallop-vegas",
        "Gallop-Vegas",
        "NNNNYNY",
        {"algorithm": "newreno+gallop-vegas+vegas"},
        today="rack+gallop-vegas+cubic",
    ),
    Proposal(
        "bc",
        "BC",
        "NNYNYYN",
        {**_starts("standard(limit=2)"), "count_acknowledgments": False},
        today="rack+standard(limit=2)+cubic",
    ),
    Proposal("rio-ps", "RIO-PS", "NNYNNYN", changes="routers", queue=rio(16)),
)
"""The rows of Table I, in its order."""

BURSTS = tuple(
    Proposal(f"btcp{f}", f"B-TCP({f})", "", _starts(f"btcp(f={f})"), today=f"rack+btcp(f={f})+cubic")
    for f in (4, 8)
)
