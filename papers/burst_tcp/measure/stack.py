"""The senders and receivers under which each claim is judged: ns-2's of the time, and today's.

What the thesis printed fixes most of ns-2's settings: see the README on Table II.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ackclock import Scenario, load_scenario
from ackclock.papers import Competitor

from . import survey

VARIANTS = {"newreno": "NewReno", "btcp4": "B-TCP(4)", "btcp8": "B-TCP(8)"}
"""The variants of chapter 5, under its names. "newreno" stands for the standard TCP of every stack."""
Variant = str | Competitor
"""One of the thesis' by its name there, or one that the user adds."""
BOTTLENECK_RATE = "1.5 Mbit/s"
"""Of the thesis' bottlenecks, where a scenario lists its links."""


@dataclass(frozen=True)
class Stack:
    """A TCP, and what B-TCP becomes in it."""

    name: str
    short: str
    """For figures."""
    title: str
    standard: str
    """The specification of the TCP that B-TCP is compared with."""
    burst: str
    """That of B-TCP, with places for `f` and `mice`."""
    settings: Mapping[str, object]
    """The differences from the scenario files, which hold ns-2's settings."""
    bottleneck: Mapping[str, object] = field(default_factory=dict)
    """The differences of every bottleneck."""

    def algorithm(self, variant: Variant, mice: int = 32) -> str:
        """The specification of "newreno", of "btcp" with its smoothing-out factor, or of a competitor."""
        if isinstance(variant, Competitor):
            return variant.in_place_of(self.standard)
        if variant == "newreno":
            return self.standard
        return self.burst.format(f=variant.removeprefix("btcp"), mice=mice)

    def scenario(
        self, base: Scenario, variant: Variant, settings: Mapping[str, object] | None = None, mice: int = 32
    ) -> Scenario:
        """A scenario with all senders of this stack and variant, and other settings changed on top."""
        algorithm = {"tcp.algorithm": self.algorithm(variant, mice)}
        return load_scenario(base, {**self.changes(base), **algorithm, **(settings or {})})

    def changes(self, base: Scenario) -> dict[str, object]:
        """The differences from a scenario, but for the algorithm."""
        links = bottlenecks(base)
        return {
            **self.settings,
            **{f"{link}.{key}": value for link in links for key, value in self.bottleneck.items()},
        }


def bottlenecks(base: Scenario) -> list[str]:
    """The keys of a scenario's bottlenecks."""
    topology = json.loads(base.to_json())["topology"]
    if "dumbbell" in topology:
        return ["topology.dumbbell.bottleneck"]
    links = enumerate(topology["graph"]["link"])
    return [f"topology.graph.link.{number}" for number, link in links if link["rate"] == BOTTLENECK_RATE]


OPEN: dict[str, object] = {}
"""The changes that the search of settings makes to the thesis' own stack."""
EXPERIMENTS = {"syn_acknowledgment": "delayed", "udp_message": "two packets"}
"""Of factors that single experiments have: the levels of plans/settings.toml."""
QUICK_SEEDS = {"thesis": 4, "search": 12}
"""Of the stack that decides: in a quick run, and in one of a search."""
THESIS = Stack(
    "thesis",
    "as run",
    "as it was run: ns-2, and the annex's agent with its head start",
    "newreno+reno(limit=1)",
    "reno+btcp-annex(f={f},mice={mice},head_start=1)+reno(limit=1)",
    OPEN,
)
EVEN = Stack(
    "even",
    "no head start",
    "the same without the head start: all begin with ns-2's initial window of 2",
    "newreno+reno(limit=1)",
    "reno+btcp-annex(f={f},mice={mice})+reno(limit=1)",
    {},
)
DESCRIBED = Stack(
    "described",
    "as described",
    "as it is described: the pseudo-code, NewReno's recovery, and all begin with a window of 1",
    "newreno+reno(limit=1)",
    "newreno+btcp(f={f},mice={mice})+reno(limit=1)",
    {"tcp.initial_window": "1 packets"},
)
MODERN = Stack(
    "modern",
    "today's stack",
    "today: CUBIC with HyStart++, RACK-TLP, pacing, all begin with a window of 10, FQ-CoDel",
    "rack+hystart+cubic",
    "rack+btcp(f={f},mice={mice})+cubic",
    {
        "tcp.initial_window": "10 packets",
        "tcp.receive_window": "unlimited",
        "tcp.segments_per_ack": 2,
        "tcp.ack_delay": "200 ms",
        "tcp.delay_fin_ack": False,
        "tcp.delay_syn_ack": False,
        "tcp.rto_initial": "1 s",
        "tcp.syn_timeout": "1 s",
        "tcp.rto_min": "200 ms",
        "tcp.clock_granularity": "1 ms",
        "tcp.pacing": "auto",
        "tcp.dsack": True,
    },
    {"queue": "fq-codel", "buffer": "100 packets"},
)
"""Of today's Internet, in every experiment. Experiments about the size of a buffer keep theirs: a setting of
the experiment goes before that of the stack."""
STACKS = [THESIS, EVEN, DESCRIBED, MODERN]
"""The first decides on the claims; the results of the others are shown with it. A search runs the first."""


def use(points: Sequence[Mapping[str, str]], settings: Sequence[Mapping[str, object]]) -> list[str]:
    """Runs everything under a point of a plan of settings; returns the ending of its claims: any."""
    (point,), (changed,) = points, settings
    del STACKS[1:]
    QUICK_SEEDS["thesis"] = QUICK_SEEDS["search"]
    OPEN.clear()
    OPEN.update(changed)
    survey.SEEDS["search"] = QUICK_SEEDS["search"]
    for levels in (EXPERIMENTS, survey.LEVELS):
        levels.update({name: level for name, level in point.items() if name in levels})
    return [""]
