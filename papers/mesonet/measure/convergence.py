"""The sentences of section 5.4 on convergence, under several definitions of it: the chapter gives none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ackclock.papers import Holds, Measured, Ordered, Undecidable, Values

from .study import RTTS_MS, Cell, Run
from .traces import END_S

DEFINITIONS = {"70": 0.7, "80": 0.8, "90": 0.9}
"""Claims end in these. Converged: the smaller window over the larger, averaged over 20 s, reaches this."""
LAST_S = 500.0
"""Long after convergence: the last part of the run."""
SLOWER = ("tcp", "bic", "ctcp", "hstcp", "scalable")
"""All but FAST and H-TCP."""
FAST = ("fast-tuning", "fast-80", "fast-200")

Grid = Mapping[Cell, Run]


class Times:
    """Seconds from the second flow's start to convergence, by one definition."""

    def __init__(self, grid: Grid, level: float) -> None:
        self.grid = grid
        self.level = level

    def __call__(self, name: str, rtt: int) -> float:
        return self.grid[name, rtt].windows.convergence_s(self.level)

    def converged(self, name: str, rtt: int) -> bool:
        """True if the flows converge within the run."""
        return self.grid[name, rtt].windows.has_converged(self.level)

    def of_each_rtt(self, name: str) -> dict[str, list[float]]:
        """The times of a configuration, named as the claims name them."""
        return {f"{rtt} ms": [self(name, rtt)] for rtt in RTTS_MS}


def by_definition(grid: Grid) -> dict[str, Measured]:
    """All claims on convergence that the grid of runs decides, once for each definition."""
    there = {rtt for _, rtt in grid}
    parts: list[tuple[Sequence[int], Callable[[Times], dict[str, Measured]]]] = [
        ((42,), at_42),
        ((162,), at_162),
        (RTTS_MS, ctcp),
        (RTTS_MS, fast),
        (RTTS_MS, loss_based),
    ]
    found: dict[str, Measured] = {}
    for key, level in DEFINITIONS.items():
        times = Times(grid, level)
        for needs, part in parts:
            if there >= set(needs):
                found |= {f"{name}-{key}": measured for name, measured in part(times).items()}
    return found


def at_42(times: Times) -> dict[str, Measured]:
    """5.4.1 and 5.4.2 at 42 ms."""
    tcp, bic = times("tcp", 42), times("bic", 42)
    return {"tcp-42-convergence": Values([tcp]), "bic-42-convergence": Ordered({"tcp": [tcp], "bic": [bic]})}


def at_162(times: Times) -> dict[str, Measured]:
    """5.4.2 at 162 ms."""
    return {"bic-162-convergence": Ordered({name: [times(name, 162)] for name in ("tcp", "bic")})}


def ctcp(times: Times) -> dict[str, Measured]:
    """5.4.1 and 5.4.3."""
    seconds = {rtt: times("ctcp", rtt) for rtt in RTTS_MS}
    note = told({f"{rtt} ms": time for rtt, time in seconds.items()}) + " s to converge"
    return {
        "tcp-convergence-slower": Ordered(times.of_each_rtt("tcp")),
        "ctcp-convergence": Values([seconds[42] / times("tcp", 42)]),
        "ctcp-scaling": Values([seconds[162] / seconds[42] / (162 / 42)], note),
        "ctcp-sluggish": Holds([seconds[162] > 100, seconds[324] > 100], note=note),
    }


def fast(times: Times) -> dict[str, Measured]:
    """5.4.4."""
    first = [times("fast-80", rtt) < min(times(name, rtt) for name in (*SLOWER, "htcp")) for rtt in RTTS_MS]
    note = told({f"{rtt} ms": times("fast-80", rtt) for rtt in RTTS_MS}) + " s"
    return {"fast-fastest": Holds(first, note=note), "fast-all-fast": all_fast(times)}


def all_fast(times: Times) -> Measured:
    """True if each FAST run that comes to equilibrium does so sooner than all others at its delay."""
    sooner, seconds = [], {}
    for name, rtt in ((name, rtt) for name in FAST for rtt in RTTS_MS):
        windows = times.grid[name, rtt].windows
        losing = any(windows.loses_between(flow, END_S - LAST_S, END_S) for flow in (0, 1))
        if losing or not times.converged(name, rtt):
            continue
        soonest = min(times(other, rtt) for other in (*SLOWER, "htcp"))
        sooner.append(times(name, rtt) < soonest)
        seconds[f"{name} at {rtt} ms"] = times(name, rtt)
    return Holds(sooner, note=told(seconds) + " s") if sooner else Undecidable("no FAST run settles")


def loss_based(times: Times) -> dict[str, Measured]:
    """5.4.5 to 5.4.7: HSTCP, H-TCP and Scalable."""
    second, seconds = [], {}
    for rtt in RTTS_MS:
        others = {name: times(name, rtt) for name in SLOWER}
        nearest = min(others, key=lambda name: others[name])
        second.append(times("fast-80", rtt) < times("htcp", rtt) < others[nearest])
        seconds[f"{rtt} ms: H-TCP"] = times("htcp", rtt)
        seconds[f"{rtt} ms: next {nearest}"] = others[nearest]
    return {
        "hstcp-converges": Holds([times.converged("hstcp", rtt) for rtt in RTTS_MS]),
        "hstcp-slower": Ordered(times.of_each_rtt("hstcp")),
        "htcp-second": Holds(second, note=told(seconds) + " s"),
        "scalable-never": Holds([not times.converged("scalable", rtt) for rtt in RTTS_MS]),
    }


def told(numbers: Mapping[str, float]) -> str:
    """Numbers with their names, for a note."""
    return ", ".join(f"{name} {number:.4g}" for name, number in numbers.items())
