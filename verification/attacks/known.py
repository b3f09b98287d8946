"""The weaknesses that papers and reports describe, which an attack must find by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as File
from typing import Any

from ackclock.attacks.attack import Attack
from ackclock.attacks.shrink import Finding
from ackclock.attacks.space import Path

__all__ = ["BUDGET", "FINDINGS", "KNOWN", "PUBLISHED", "Known", "published"]

BUDGET = "1 min"
"""The budget of each search: 90,000 simulated seconds."""

FINDINGS = 6
"""The paths that each search asks for."""


PUBLISHED = File(__file__).resolve().parents[2] / "published" / "attacks"


@dataclass(frozen=True)
class Known:
    """A weakness, and the threshold that counts as found."""

    key: str
    algorithm: str
    options: Mapping[str, str]
    """The objective of the search, as arguments of `ackclock.attack`."""
    needs: tuple[str, ...]
    """Changes of which the path has one."""
    below: float
    """The share that the path leaves at most."""
    source: str
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Bounds of the keys of this change."""

    def found(self, attack: Attack) -> Finding | None:
        """The finding that shows the weakness, if there is one."""
        for finding in attack.findings:
            if finding.share < self.below and self.shows(finding.path):
                return finding
        return None

    def shows(self, path: Path) -> bool:
        """True for a path with one of the changes, within the bounds."""
        return any(
            all(low <= float(path[change][key]) <= high for key, (low, high) in self.bounds.items())
            for change in self.needs
            if change in path
        )


KNOWN = (
    Known(
        "bbr1-shallow-buffers",
        "bbr1",
        {"hurt": "loss", "than": "cubic"},
        ("buffer",),
        0.9,
        "Hock, Bless and Zitterbart, ICNP 2017",
        {"packets": (1, 40)},
    ),
    Known(
        "low-rate-attack",
        "newreno",
        {"hurt": "goodput"},
        ("bursts",),
        0.3,
        "Kuzmanovic and Knightly, SIGCOMM 2003",
    ),
    Known(
        "copa-mode-confusion",
        "copa",
        {"hurt": "delay"},
        ("buffer",),
        0.3,
        "Arun, Alizadeh and Balakrishnan, SIGCOMM 2022",
    ),
    Known(
        "copa-too-low-minimum",
        "copa(competitive=0)",
        {"hurt": "goodput", "than": "rack+reno"},
        ("delay-dips",),
        0.5,
        "Arun, Alizadeh and Balakrishnan, SIGCOMM 2022",
    ),
    Known(
        "vegas-rerouting",
        "vegas",
        {"hurt": "goodput", "than": "rack+reno"},
        ("delay-step",),
        0.5,
        "Mo, La, Anantharam and Walrand, INFOCOM 1999",
        {"factor": (1, 10)},
    ),
    Known(
        "ledbat-latecomer",
        "ledbat",
        {"breaks": "ledbat"},
        ("latecomer",),
        0.7,
        "Rossi, Testa, Valenti and Muscariello, ICCCN 2010",
    ),
    Known(
        "bbr3-stale-maximum",
        "bbr3",
        {"hurt": "delay"},
        ("rate-step", "second-rate-step"),
        0.2,
        "draft-ietf-ccwg-bbr-06, as its pseudocode has it",
        {"factor": (0, 0.5)},
    ),
    Known(
        "cubic-policer",
        "cubic",
        {"hurt": "goodput"},
        ("policer",),
        0.8,
        "Flach and others, SIGCOMM 2016",
    ),
    Known(
        "rack-reordering",
        "rack+reno",
        {"hurt": "goodput", "than": "sack+reno"},
        ("reordering-growth",),
        0.6,
        "RFC 8985, 6.2",
    ),
)
"""All of them."""


def published(known: Known) -> dict[str, Any] | None:
    """The published outcome of the search for a weakness, if there is one."""
    file = PUBLISHED / f"{known.key}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
