"""P-HTTP's pipelining, head-of-line blocking, and SCTP's streams: pages of several objects.

The users of [s3_3_base_experiment.py](s3_3_base_experiment.py) fetch one file after the other; these fetch
pages of one to nine files, equally many and equally large, over the bottleneck of the base experiment and
over today's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from ackclock import Result, Scenario, load_scenario, run
from ackclock.measures.statistics import mean_interval

from ..file_runs import Study, better
from ..stack import MODERN

__all__ = ["measure"]

USERS = 25
FLOWS = 1250
OBJECTS = '{ uniform = { from = "0 objects", to = "9 objects" } }'
"""Rounded up: one to nine."""
MEAN_OBJECTS = 5
CYCLE_S = 900 * USERS * MEAN_OBJECTS / FLOWS
"""The mean time from a page to the next that makes as many files as the base experiment has."""
SCTP_THESIS: dict[str, object] = {"tcp.algorithm": "sack+sctp", "tcp.initial_window": "4 packets"}
SCTP_TODAY: dict[str, object] = {"tcp.algorithm": "sack+sctp"}
ONE = "connections = 1, persistent = true"
STACKS = {"thesis": "the senders of chapter 5", "today": "today's stack"}


@dataclass(frozen=True)
class Way:
    """A way to fetch a page."""

    title: str
    pool: str
    is_sctp: bool = False
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


ALONE = Way("a connection for each object", "connections = 1")
WAYS = (
    ALONE,
    Way("four connections at a time", "connections = 4"),
    Way("P-HTTP, one request at a time", ONE),
    Way("P-HTTP, pipelining", f"{ONE}, pipelining = true"),
    Way("SCTP, one stream", f"{ONE}, pipelining = true", is_sctp=True),
    Way("SCTP, a stream for each object", f"{ONE}, pipelining = true, streams = true", is_sctp=True),
)


@dataclass(frozen=True)
class Pages:
    """The pages of one run, in means."""

    time_s: float
    stall_s: float
    """The longest time of a page without data that its user can have."""

    @staticmethod
    def of(result: Result) -> Pages:
        """Of the pages that came whole."""
        whole = result.pages.filter(pl.col("finish_s").is_finite())
        return Pages(
            float((whole["finish_s"] - whole["start_s"]).mean()),  # type: ignore[arg-type]
            float(whole["longest_stall_s"].mean()),  # type: ignore[arg-type]
        )


def scenario(base: Scenario, stack: str, way: Way) -> Scenario:
    """The base experiment with users who fetch pages this way."""
    users: dict[str, object] = {
        "flow.0.count": USERS,
        "flow.0.start_jitter": f"{CYCLE_S:g} s",
        "flow.0.stop": "900 s",
        "flow.0.think": f'{{ exponential = {{ mean = "{CYCLE_S - MEAN_OBJECTS:g} s" }} }}',
        "flow.0.pool": f"{{ {way.pool}, objects = {OBJECTS} }}",
    }
    if stack == "thesis":
        return load_scenario(base, {**users, **(SCTP_THESIS if way.is_sctp else {})})
    today = {"tcp.algorithm": MODERN.standard, **MODERN.changes(base)}
    return load_scenario(base, {**today, **users, **(SCTP_TODAY if way.is_sctp else {})})


def measure(study: Study, seeds: Sequence[int]) -> None:
    """The table; no claim depends on it."""
    context = study.context
    base = context.scenario("base", {"flow.0.count": FLOWS})
    scenarios = {(stack, way.title): scenario(base, stack, way) for stack in STACKS for way in WAYS}
    wanted = [(key, seed) for key in scenarios for seed in seeds]

    def work(item: tuple[tuple[str, str], int], told: Callable[[float], bool]) -> Pages:
        key, seed = item
        return Pages.of(run(scenarios[key], seed=seed, progress=told))

    found: dict[tuple[str, str], list[Pages]] = {}
    made = context.each([(base.duration_s, item) for item in wanted], work)
    for (key, _), pages in zip(wanted, made, strict=True):
        found.setdefault(key, []).append(pages)
    context.table("several-objects", _table(found))


def _table(found: Mapping[tuple[str, str], Sequence[Pages]]) -> pl.DataFrame:
    """A row per stack and way."""
    rows = []
    for (stack, title), pages in found.items():
        row: dict[str, object] = {"stack": STACKS[stack], "pages": title}
        for name, number in (("page", "time_s"), ("longest wait", "stall_s")):
            own, alone = (
                [float(getattr(one, number)) for one in runs] for runs in (pages, found[stack, ALONE.title])
            )
            gain = mean_interval(better(alone, own))
            row[f"{name}, ms"] = round(1000 * mean_interval(own).estimate, 1)
            row[f"{name}: gain, %"] = f"{gain.estimate:.1f} ± {gain.half_width:.1f}"
        rows.append(row)
    return pl.DataFrame(rows)
