"""The runs of the comparison: paths, algorithms, and the measures of each run."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ackclock
from ackclock import Result
from ackclock.errors import NoMarksWarning
from ackclock.evaluation.networks import BOTTLENECK
from ackclock.evaluation.quantities import goodputs
from ackclock.measures.statistics import Interval, mean_interval
from ackclock.scenarios.catalogue import list_entries
from verification.checks.runs import Settings

__all__ = [
    "CUBIC",
    "DATA_CENTRE",
    "LATER",
    "MEASURES",
    "Cells",
    "Measured",
    "algorithms",
    "measured",
    "paths",
    "scenario",
]

CUBIC = "cubic"
DATA_CENTRE = "datacentre"
"""A path that is a separate scenario."""
SECONDS, WARM_UP_S = 45, 5
"""The 40 s that count are a whole period of `mobile-handover`."""
LATER = ("allegro", "c4", "cdg", "cubic-linux", "vivace", "vivace-linux")
"""Algorithms that came after the published runs; the page says so."""
OWN, OTHER = "own", "other"

MEASURES = {
    "goodput": "goodput, Mbit/s",
    "delay": "mean queueing delay, ms",
    "beside": "goodput beside CUBIC, Mbit/s",
    "cubic": "goodput of that CUBIC, Mbit/s",
}


def paths() -> list[str]:
    """All typical paths of the catalogue, and the port of a data centre."""
    return [*(entry.name for entry in list_entries("paths")), DATA_CENTRE]


def algorithms() -> list[str]:
    """Recoveries with Reno's avoidance; avoidances and controllers alone; TFRC; CUBIC as in Linux.

    An avoidance with the name of a recovery runs as that recovery. The slow start is the standard one unless
    an avoidance brings its own. The abstract transport `acknak` is left out.
    """
    entries = list_entries("algorithms")
    names = [entry.name for entry in entries if entry.kind in ("recovery", "avoidance", "controller")]
    return [*(name for name in dict.fromkeys(names) if name not in LATER), "tfrc", "hystart-linux+cubic"]


def scenario(path: str, *, beside: bool) -> Settings:
    """One flow on a path, or this flow and one with CUBIC, each from its own host."""
    flows: list[Settings] = [{"name": OWN, "from": "src1", "to": "dst1", "start_jitter": "1 s"}]
    if beside:
        flows.append({"name": OTHER, "from": "src2", "to": "dst2", "start_jitter": "1 s", "algorithm": CUBIC})
    if path == DATA_CENTRE:
        return _data_centre(flows)
    return {
        "name": path,
        "duration": f"{SECONDS} s",
        "warm_up": f"{WARM_UP_S} s",
        "topology": {
            "dumbbell": {
                "pairs": 2,
                "bottleneck": {"path": path},
                "access": {"rate": "1 Gbit/s", "delay": "5 ms"},
            }
        },
        "tcp": {"receive_window": "100000 packets"},
        "flow": flows,
    }


def _data_centre(flows: Sequence[Settings]) -> Settings:
    """The port of the scenario `datacentre`, with its timers.

    Algorithms that do not answer marks fill its buffer.
    """
    return {
        "name": DATA_CENTRE,
        "duration": "300 ms",
        "warm_up": "100 ms",
        "topology": {
            "dumbbell": {
                "pairs": 2,
                "bottleneck": {
                    "rate": "10 Gbit/s",
                    "delay": "46 us",
                    "buffer": "400 packets",
                    "ecn_threshold": "40 packets",
                },
                "access": {"rate": "40 Gbit/s", "delay": "1 us"},
            }
        },
        "tcp": {
            "receive_window": "100000 packets",
            "rto_min": "10 ms",
            "rto_initial": "10 ms",
            "syn_timeout": "10 ms",
            "clock_granularity": "10 us",
        },
        "flow": [{**flow, "start_jitter": "1 ms"} for flow in flows],
    }


def of_flows(result: Result) -> Mapping[str, float]:
    """The goodput of each of the two flows, in bit/s."""
    names = [str(name) for name in result.columns("flows")["name"]]
    found = {OWN: float(np.sum(goodputs(result, OWN)))}
    return found | ({OTHER: float(np.sum(goodputs(result, OTHER)))} if OTHER in names else {})


@dataclass(frozen=True)
class Measured:
    """The results of an algorithm on a path: values by seed, in the units of `MEASURES`."""

    path: str
    algorithm: str
    values: Mapping[str, tuple[float, ...]]

    def interval(self, measure: str) -> Interval:
        """The mean with its 95 % interval."""
        return mean_interval(self.values[measure])

    def mean(self, measure: str) -> float:
        """The mean over seeds."""
        return self.interval(measure).estimate

    @property
    def share(self) -> float:
        """The algorithm's share of the goodput of both flows."""
        both = self.mean("beside") + self.mean("cubic")
        return self.mean("beside") / both if both else 0.0


Cells = Mapping[tuple[str, str], Measured]
"""By path and algorithm."""


def measured(store: Path, names: Sequence[str], algorithms: Sequence[str], seeds: int) -> Cells:
    """Executes the runs that the store lacks, and returns the measurements of all."""
    found = {}
    for path in names:
        tables = []
        for beside in (False, True):
            plan = {
                "name": path,
                "scenario": scenario(path, beside=beside),
                "algorithms": list(algorithms),
                "seeds": seeds,
                "bottleneck": BOTTLENECK,
            }
            with warnings.catch_warnings():
                # Algorithms that respond to marks intentionally run on links that do not mark.
                warnings.simplefilter("ignore", NoMarksWarning)
                runs = ackclock.sweep(plan, store, measure=of_flows).runs
            tables.append({name: runs.filter(label=name).sort("seed") for name in algorithms})
        alone, together = tables
        for name in algorithms:
            values = {
                "goodput": (alone[name][OWN] * 1e-6).to_list(),
                "delay": (alone[name]["queueing_delay_s"] * 1e3).to_list(),
                "beside": (together[name][OWN] * 1e-6).to_list(),
                "cubic": (together[name][OTHER] * 1e-6).to_list(),
            }
            found[path, name] = Measured(path, name, {key: tuple(each) for key, each in values.items()})
        print(f"{path}: done", flush=True)
    return found
