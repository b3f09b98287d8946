"""Services that share a bottleneck: an application with a congestion control, written `film:cubic`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ackclock.errors import InputError, unknown

__all__ = ["APPLICATIONS", "DEFAULTS", "LADDER", "Service", "service"]

LADDER = (235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800)
"""The fixed ladder of Netflix in kbit/s ("Per-Title Encode Optimization", 2015)."""

CALL_RATE = "2.5 Mbit/s"
"""The highest rate of a call: about that of a group call in high definition."""

PAGE, PAGE_THINK = "median-desktop", "5 s"
"""The page that a reader loads again and again, and the mean time to read it."""

Groups = Mapping[str, list[Mapping[str, object]]]
"""Groups of a scenario by the table that holds them."""


def _bulk(name: str, algorithm: str) -> Groups:
    return {"flow": [_begun(name, algorithm)]}


def _film(name: str, algorithm: str) -> Groups:
    film = {"adaptation": "bola", "ladder": [f"{rate} kbit/s" for rate in LADDER]}
    return {"flow": [{**_begun(name, algorithm), "film": film}]}


def _call(name: str, algorithm: str) -> Groups:
    return {"call": [{**_begun(name, algorithm), "max_rate": CALL_RATE}]}


def _page(name: str, algorithm: str) -> Groups:
    """A reader of pages over HTTP/2. Its server is where those of other services are."""
    think = {"exponential": {"mean": PAGE_THINK}}
    return {"flow": [{**_begun(name, algorithm), "page": PAGE, "think": think, "backward": True}]}


def _begun(name: str, algorithm: str) -> dict[str, object]:
    """Services begin within a second, so that neither is the first."""
    return {"name": name, "algorithm": algorithm, "start_jitter": "1 s"}


APPLICATIONS: Mapping[str, Callable[[str, str], Groups]] = {
    "bulk": _bulk,
    "film": _film,
    "call": _call,
    "page": _page,
}
"""The applications of services: from the name of a group and its algorithm to its groups."""

DEFAULTS = ("bulk:cubic", "bulk:bbr1", "bulk:bbr3", "film:cubic", "film:bbr1", "call:gcc", "page:cubic")


@dataclass(frozen=True)
class Service:
    """An application with its congestion control."""

    application: str
    algorithm: str

    @property
    def name(self) -> str:
        """As it is written."""
        return f"{self.application}:{self.algorithm}"

    def groups(self, name: str) -> Groups:
        """The groups of a scenario that are this service."""
        return APPLICATIONS[self.application](name, self.algorithm)


def service(text: str) -> Service:
    """A service from its name. Raises InputError; the algorithm is checked with the scenario."""
    application, colon, algorithm = text.strip().partition(":")
    if not colon or not algorithm:
        raise InputError(
            f'service: found "{text}"; expected an application and an algorithm, as "film:cubic"'
        )
    if application not in APPLICATIONS:
        raise unknown("application", application, APPLICATIONS)
    return Service(application, algorithm)
