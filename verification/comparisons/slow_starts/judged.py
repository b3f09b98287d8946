"""Judgments of the race: quotients by path, their intervals, and the start that a rule recommends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ackclock.evaluation.coexistence import GOODPUT
from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.harm import Harm, harm
from ackclock.evaluation.quantities import LOSS
from ackclock.evaluation.verdict import CLASSES, Thresholds
from ackclock.measures.statistics import Interval, geometric_interval, proportion_interval
from verification.comparisons.slow_starts.paths import Path
from verification.comparisons.slow_starts.runs import Cells

__all__ = [
    "BASE",
    "FILES",
    "HARMS",
    "Group",
    "exits",
    "harms",
    "judged",
    "lost",
    "quotient",
    "times",
]

BASE = "hystart-linux"
"""The start that the others are measured against, which Linux ships."""
FILES = ("10 kB", "100 kB", "1 MB", "10 MB", "pages")
"""The transfers that end."""
WEB_TIME = Measure("web_s", "time of others' files", "s", 1, 2, "lower", 0.005)
HARMS = {"goodput": GOODPUT, "loss": LOSS, "web": WEB_TIME}
"""Harm to long flows in goodput and in losses, and to the files of web users in time."""
FINE_S = 0.001
"""A difference that does not matter, added to both times."""


def quotient(cells: Cells, path: Path, start: str, transfer: str, key: str = "time_s") -> float:
    """How many times the time of the base a start takes."""
    mine, base = (cells[path.number, name, transfer][key] for name in (start, BASE))
    return (mine + FINE_S) / (base + FINE_S)


def confidence(starts: Sequence[str]) -> float:
    """Of an interval, if all intervals of a column are to hold together at 95 % (Bonferroni)."""
    return 1 - 0.05 / max(len(starts) - 1, 1)


def times(
    cells: Cells, paths: Sequence[Path], start: str, transfer: str, sure: float, key: str = "time_s"
) -> Interval:
    """The geometric mean of the quotients over paths, with its interval."""
    return geometric_interval([quotient(cells, path, start, transfer, key) for path in paths], sure)


def overall(cells: Cells, path: Path, start: str) -> float:
    """The geometric mean of the quotients of all transfers that end."""
    return math.exp(math.fsum(math.log(quotient(cells, path, start, each)) for each in FILES) / len(FILES))


def lost(cells: Cells, path: Path, start: str) -> float:
    """The share of the packets of the largest file that were lost."""
    found = cells[path.number, start, "10 MB"]
    return found["lost"] / found["sent"] if found["sent"] else 0.0


def exits(cells: Cells, paths: Sequence[Path], start: str, round_trips: float = 2.0) -> dict[str, Interval]:
    """The shares of paths on which slow start ends too early, and too late.

    Too early: without a loss, more than two round trips before the flow reaches its capacity. Too late: after
    packets of its own were dropped.
    """
    early = late = 0
    for path in paths:
        found = cells[path.number, start, "long"]
        if found["lost_before"] > 0:
            late += 1
        elif found["left_s"] + round_trips * path.round_trip_ms / 1e3 < found["filled_s"]:
            early += 1
    return {
        "early": proportion_interval(early, len(paths)),
        "late": proportion_interval(late, len(paths)),
    }


def harms(cells: Cells, paths: Sequence[Path], start: str, sure: float = 0.95) -> dict[str, Harm]:
    """The harm to those who are there, of a long flow, where one of their own kind comes instead of it.

    The pairs are the paths, as the seeds are elsewhere.
    """
    rivals = [path for path in paths if path.rivals]
    crowded = [path for path in paths if path.web]
    found = {}
    for name, measure, chosen in (
        ("goodput", HARMS["goodput"], rivals),
        ("loss", HARMS["loss"], rivals),
        ("web", HARMS["web"], crowded),
    ):
        if len(chosen) > 1:
            beside, baseline = (
                {path.number: _value(cells, path, who, name) for path in chosen} for who in (start, BASE)
            )
            found[name] = harm(measure, beside, baseline, Thresholds(confidence=sure))
    return found


def _value(cells: Cells, path: Path, start: str, name: str) -> float:
    row = cells[path.number, start, "long"]
    if name == "goodput":
        return row["rival_bit_per_s"] / path.rivals
    if name == "loss":
        return row["rival_lost"] / row["rival_sent"] if row["rival_sent"] else 0.0
    return row["web_s"]


@dataclass(frozen=True)
class Group:
    """The judgment of a group of paths."""

    name: str
    paths: tuple[Path, ...]
    overall: Mapping[str, Interval]
    """The quotient over all transfers that end, by start."""
    losses: Mapping[str, Interval]
    """How many times the losses of the base, by start."""
    admitted: tuple[str, ...]
    """Those that neither lose more nor do more harm than the base, the fastest first."""
    alike: tuple[str, ...]
    """Admitted ones that the paths do not tell from the fastest."""
    fastest: str
    """The fastest of all, admitted or not."""


def judged(name: str, cells: Cells, paths: Sequence[Path], starts: Sequence[str]) -> Group:
    """The rule: of the starts that neither lose more nor do more harm than the base, the fastest."""
    sure = confidence(starts)
    by_path = {start: [overall(cells, path, start) for path in paths] for start in starts}
    whole = {start: geometric_interval(values, sure) for start, values in by_path.items()}
    losses = {
        start: geometric_interval(
            [
                (lost(cells, path, start) + LOSS.floor) / (lost(cells, path, BASE) + LOSS.floor)
                for path in paths
            ],
            sure,
        )
        for start in starts
    }
    limit = Thresholds().different
    admitted = [
        start
        for start in starts
        if not (losses[start].estimate > limit and losses[start].low > 1)
        and not any(each.verdict in CLASSES[2:] for each in harms(cells, paths, start, sure).values())
    ]
    admitted.sort(key=lambda start: whole[start].estimate)
    best = admitted[0]
    alike = tuple(
        start
        for start in admitted[1:]
        if geometric_interval(
            [mine / first for mine, first in zip(by_path[start], by_path[best], strict=True)], sure
        ).low
        <= 1
    )
    fastest = min(whole, key=lambda start: whole[start].estimate)
    return Group(name, tuple(paths), whole, losses, tuple(admitted), alike, fastest)
