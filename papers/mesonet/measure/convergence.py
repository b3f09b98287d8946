"""The sentences of section 5.4 on convergence, under several definitions of it: the chapter gives none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ackclock.papers import Each, Holds, Measured, Ordered, Undecidable, Values

from .study import RTTS_MS, Cell, Run
from .traces import AVERAGED_S, END_S

DEFINITIONS = {"70": 0.7, "80": 0.8, "90": 0.9}
"""Claims end in these. Converged: the smaller window over the larger, averaged over 20 s, reaches this."""
LEAST_S = AVERAGED_S / 2 + 0.1
"""The middle of the first stretch of 20 s: no flows converge sooner."""
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

    def is_at_once(self, name: str, rtt: int) -> bool:
        """True if windows are this close from the first on: no mean tells how much sooner they were."""
        return self(name, rtt) <= LEAST_S

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
        "ctcp-scaling": ctcp_scaling(times, seconds, note),
        "ctcp-sluggish": Holds([seconds[162] > 100, seconds[324] > 100], note=note),
    }


def ctcp_scaling(times: Times, seconds: Mapping[int, float], note: str) -> Measured:
    """The times at the longer delays over that at 42 ms, as shares of the ratios of the products."""
    if times.is_at_once("ctcp", 42):
        return Undecidable(f"at 42 ms no time is told: as close in the first {AVERAGED_S:g} s; {note}")
    shares = {f"{rtt} ms": [seconds[rtt] / seconds[42] / (rtt / 42)] for rtt in (162, 324)}
    return Each(shares, note)


def fast(times: Times) -> dict[str, Measured]:
    """5.4.4."""
    runs = [("fast-80", rtt) for rtt in RTTS_MS]
    settled = [(name, rtt) for name in FAST for rtt in RTTS_MS if settles(times, name, rtt)]
    return {"fast-fastest": soonest(times, runs), "fast-all-fast": soonest(times, settled)}


def settles(times: Times, name: str, rtt: int) -> bool:
    """True if a run comes to equilibrium: its flows converge, and lose nothing in the end."""
    windows = times.grid[name, rtt].windows
    losing = any(windows.loses_between(flow, END_S - LAST_S, END_S) for flow in (0, 1))
    return times.converged(name, rtt) and not losing


def soonest(times: Times, runs: Sequence[Cell]) -> Measured:
    """True if each of these runs of FAST converges sooner than all others at its delay."""
    if not runs:
        return Undecidable("no FAST run settles")
    sooner, level = [], []
    for name, rtt in runs:
        nearest = min((*SLOWER, "htcp"), key=lambda other: times(other, rtt))
        if times.is_at_once(name, rtt) and times.is_at_once(nearest, rtt):
            level.append(f"{name} and {nearest} at {rtt} ms")
        else:
            sooner.append(times(name, rtt) < times(nearest, rtt))
    note = told({f"{name} at {rtt} ms": times(name, rtt) for name, rtt in runs}) + " s"
    if level and all(sooner):
        return Undecidable(f"as close in the first {AVERAGED_S:g} s: {', '.join(level)}; {note}")
    return Holds(sooner, note=note)


def loss_based(times: Times) -> dict[str, Measured]:
    """5.4.5 to 5.4.7: HSTCP, H-TCP and Scalable."""
    second, notes = [], []
    for rtt in RTTS_MS:
        others = {name: times(name, rtt) for name in SLOWER}
        ours = times("htcp", rtt)
        second.append(times("fast-80", rtt) < ours < min(others.values()))
        before = {name: time for name, time in others.items() if time <= ours}
        notes.append(f"{rtt} ms: {told({'H-TCP': ours})}, before it {told(before) or 'no other'}")
    return {
        "hstcp-converges": Holds([times.converged("hstcp", rtt) for rtt in RTTS_MS]),
        "hstcp-slower": Ordered(times.of_each_rtt("hstcp")),
        "htcp-second": Holds(second, note="; ".join(notes) + " s"),
        "scalable-never": Holds([not times.converged("scalable", rtt) for rtt in RTTS_MS]),
    }


def told(numbers: Mapping[str, float]) -> str:
    """Numbers with their names, for a note."""
    return ", ".join(f"{name} {number:.4g}" for name, number in numbers.items())
