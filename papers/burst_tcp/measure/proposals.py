"""The fourteen proposals of Table I, and what the thesis says of each; B-TCP beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    queue: Callable[[int], str] | None = None
    """The discipline of routers, for a buffer of so many packets."""
    sources: int = 1
    """Users beside each other between two hosts: two for proposals about concurrent connections."""
    today: Mapping[str, object] = field(default_factory=dict)
    """Its settings on today's stack; where empty, those of `tcp` that stand beside a modern sender."""


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
    # Today data goes in the SYN to a server whose cookie is known.
    Proposal("t-tcp", "T/TCP", "YYNNNNN", {"sharing": "t-tcp"}, "both ends", today={"fast_open": True}),
    Proposal("p-http", "P-HTTP", "YYYNYYN", changes="application", pool=PERSISTENT),
    Proposal("cbi", "CBI", "NYYYYYN", {"sharing": "ensemble"}, sources=2),
    Proposal(
        "fast-start",
        "TCP Fast Start",
        "NYYYYYY",
        {"sharing": "fast-start", "pacing": "auto"},
        "sender, routers",
        queue=lambda _: "drop-priority",
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
        today={"algorithm": "sack+sctp"},
    ),
    # Ten packets are today's: twice that.
    Proposal(
        "iiw",
        "IIW",
        "NNYNYYN",
        {"initial_window": "4 packets"},
        today={"initial_window": "20 packets"},
    ),
    Proposal("tcp-sf", "TCP-SF", "NNYNYNN", {"smart_framing": True}),
    Proposal(
        "smooth-start",
        "Smooth Start",
        "NNNNNNY",
        {**_starts("smooth(depth=2)"), "initial_ssthresh": "64 packets"},
        today={"algorithm": "rack+smooth(depth=2)+cubic", "initial_ssthresh": "64 packets"},
    ),
    Proposal(
        "adaptive-start",
        "Adaptive Start",
        "NNYNYYY",
        {**_starts("adaptive"), "initial_ssthresh": "unlimited"},
        today={"algorithm": "rack+adaptive+cubic"},
    ),
    Proposal(
        "gallop-vegas",
        "Gallop-Vegas",
        "NNNNYNY",
        {"algorithm": "newreno+gallop-vegas+vegas"},
        today={"algorithm": "rack+gallop-vegas+cubic"},
    ),
    Proposal(
        "bc",
        "BC",
        "NNYNYYN",
        {**_starts("standard(limit=2)"), "count_acknowledgments": False},
        today={"algorithm": "rack+standard(limit=2)+cubic"},
    ),
    Proposal("rio-ps", "RIO-PS", "NNYNNYN", changes="routers", queue=rio),
)
"""The rows of Table I, in its order."""

BURSTS = tuple(
    Proposal(
        f"btcp{f}",
        f"B-TCP({f})",
        "",
        _starts(f"btcp(f={f})"),
        today={"algorithm": f"rack+btcp(f={f})+cubic"},
    )
    for f in (4, 8)
)
