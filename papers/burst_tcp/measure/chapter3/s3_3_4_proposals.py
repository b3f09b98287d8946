"""The fourteen proposals of Table I, and what the thesis says of each; B-TCP for comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from .. import survey

__all__ = ["BURSTS", "PROBLEMS", "PROPOSALS", "STANDARD", "WIDER_T_TCP", "Proposal", "rio"]

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

SHARING_CHANGES = {
    "t-tcp": "both ends",
    "spand": "sender, a gateway",
    "congestion-manager": "both ends",
}
"""What has to change for a way of sharing, where it is more than the sender.

The receiver of T/TCP caches and compares connection counts (3.3.1); SPAND's gateway observes the domain
(3.3.2); the Congestion Manager has a part at either end (3.3.4).
"""
OTHER_PROTOCOLS = ("sctp",)
"""Algorithms of another protocol than TCP, which both ends have to speak."""


@dataclass(frozen=True)
class Proposal:
    """A row of Table I, and the settings that it changes."""

    key: str
    title: str
    solves: str
    """The thesis' Yes or No for each problem, as Y and N; empty for those outside the table."""
    tcp: Mapping[str, object] = field(default_factory=dict)
    pool: Mapping[str, object] = field(default_factory=dict)
    """Of the users' connections."""
    queue: Callable[[int], str] | None = None
    """The discipline of routers, for a buffer of this many packets."""
    sources: int = 1
    """Concurrent users between two hosts: two for proposals about concurrent connections."""
    today: Mapping[str, object] = field(default_factory=dict)
    """Its settings on today's stack; where empty, those of `tcp` that are combined with a modern sender."""

    @property
    def changes(self) -> str:
        """What has to change for it, by its settings."""
        algorithm = str(self.tcp.get("algorithm", ""))
        if any(name in algorithm.split("+") for name in OTHER_PROTOCOLS):
            return "both ends"
        places = []
        if self.tcp:
            places.append(SHARING_CHANGES.get(str(self.tcp.get("sharing", "")), "sender"))
        if self.pool:
            places.append("application")
        if self.queue:
            places.append("routers")
        return ", ".join(places)

    def keeps_state(self) -> bool:
        """True if a connection leaves something to the next between the same hosts."""
        return "sharing" in self.tcp or bool(self.pool)


def _starts(slow_start: str) -> dict[str, object]:
    return {"algorithm": f"newreno+{slow_start}+reno(limit=1)"}


def rio(buffer: int) -> str:
    """RIO-PS for a buffer of this many packets; the thesis has no thresholds.

    In packets are the first of a flow, as many as mice have. They may fill the buffer; from half of it on all
    Out packets are dropped. Averages follow short queues within ten packets.
    """
    short = survey.packets("short_flows")
    return (
        f"rio(in_min={buffer / 2:g},in_max={buffer:g},in_p=0.02,"
        f"out_min={buffer / 5:g},out_max={buffer / 2:g},out_p=0.1,weight=0.1,short={short})"
    )


STANDARD = Proposal("standard", "standard TCP", "")

PROPOSALS = (
    # Today data goes in the SYN to a server whose cookie is known.
    Proposal("t-tcp", "T/TCP", "YYNNNNN", {"sharing": "t-tcp"}, today={"fast_open": True}),
    Proposal("p-http", "P-HTTP", "YYYNYYN", pool=PERSISTENT),
    Proposal("cbi", "CBI", "NYYYYYN", {"sharing": "ensemble"}, sources=2),
    Proposal(
        "fast-start",
        "TCP Fast Start",
        "NYYYYYY",
        {"sharing": "fast-start", "pacing": "auto"},
        queue=lambda _: "drop-priority",
    ),
    Proposal("spand", "TCP/SPAND", "NYYYYYY", {"sharing": "spand", "pacing": "auto"}),
    Proposal("tcp-cm", "TCP/CM", "NNYYYYY", {"sharing": "congestion-manager"}, sources=2),
    Proposal(
        "sctp",
        "SCTP",
        "YYYYYYN",
        {"algorithm": "sack+sctp", "initial_window": "4 packets"},
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
    Proposal("rio-ps", "RIO-PS", "NNYNNYN", queue=rio),
)
"""The rows of Table I, in its order."""

WIDER_T_TCP = replace(
    PROPOSALS[0],
    key="t-tcp-4k",
    title="T/TCP, 4 KB",
    tcp={**PROPOSALS[0].tcp, "initial_window": "4 packets"},
)
"""T/TCP with the initial window that 3.3.1 says it suggests, too; Table I has one row for both."""

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
