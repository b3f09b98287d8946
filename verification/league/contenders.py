"""The contenders of the league: every entry of the catalogue, with the parts that complete it.

The parts of the standard, `rack`, `standard` and `reno`, complete an entry, so that two contenders of one
kind differ in one part alone. An avoidance with a companion slow start keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ackclock.scenarios.catalogue import Entry, list_algorithms

__all__ = ["LEFT_OUT", "SKIPPED", "Contender", "contenders"]

_RUNS_AWAY = (
    "where no packet of a flow arrives, no interval has a utility and its rate grows without end: a run "
    "takes more than 8 GB"
)

SKIPPED: dict[tuple[str, str], str] = {
    **{("controller", name): _RUNS_AWAY for name in ("allegro", "vivace", "vivace-linux")},
    ("recovery", "rack"): "the recovery of all contenders of other kinds; with Reno it is `rack+reno`",
    (
        "slow start",
        "standard",
    ): "the slow start of those without another; with Reno it is `rack+reno`",
}
"""Entries without a row of their own, with the reason."""

_MANY_IN_FLIGHT = (
    "100 flows with a round trip of 200 ms, eight times Hybla's reference, add 255 packets to the window per "
    "acknowledgment in slow start; a run with the millions of packets lost takes more than five minutes"
)

_NO_STREAMS = "a page needs a transport that delivers a stream in order, as TCP and QUIC do"

LEFT_OUT: dict[tuple[str, str], dict[str, str]] = {
    **{("transport", name): {"pages": _NO_STREAMS} for name in ("acknak", "tfrc")},
    ("avoidance", "hybla"): {"collapse": _MANY_IN_FLIGHT},
    ("slow start", "hybla"): {"collapse": _MANY_IN_FLIGHT},
}
"""Criteria by which an entry is not evaluated, with the reason."""


@dataclass(frozen=True)
class Contender:
    """An entry of the catalogue, and the algorithm that is evaluated for it."""

    entry: Entry
    algorithm: str

    @property
    def key(self) -> str:
        """The name of its files, for example "slow-start-hystart"."""
        return f"{self.entry.kind.replace(' ', '-')}-{self.entry.name}"

    @property
    def left_out(self) -> Mapping[str, str]:
        """The criteria by which it is not evaluated, with the reason."""
        return LEFT_OUT.get((self.entry.kind, self.entry.name), {})


def contenders() -> tuple[Contender, ...]:
    """All contenders, in the order of the catalogue."""
    found = list_algorithms()
    recoveries = {entry.name for entry in found if entry.kind == "recovery"}
    return tuple(
        Contender(entry, _completed(entry, recoveries))
        for entry in found
        if (entry.kind, entry.name) not in SKIPPED
    )


def _completed(entry: Entry, recoveries: set[str]) -> str:
    if entry.kind == "recovery":
        return f"{entry.name}+reno"
    if entry.kind == "slow start":
        return f"rack+{entry.name}+reno"
    # A name that a recovery shares would select the recovery.
    return f"rack+{entry.name}" if entry.name in recoveries else entry.name
