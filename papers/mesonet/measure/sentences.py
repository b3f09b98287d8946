"""The sentences of section 5.4 on the runs, but for convergence, under the names of claims.toml."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ackclock.papers import Holds, Measured, Ordered, Undecidable, Values

from .convergence import FAST, LAST_S, Grid, by_definition
from .study import BUFFERS, RTTS_MS, bdp, is_near
from .traces import END_S, SECOND_START_S, STARTS_S, Beat, Windows

TUNED_ALPHA = 20.0
HEARTBEATS = {"third": 1 / 3, "half": 1 / 2}
"""The share of a gain that the first third of the time must bring; linear growth brings a third."""
FULL_LINK = 0.985
LIMITED_BUFFER = 0.35
MANY_LOSSES = 10
"""The ratio to standard TCP."""


def sentences(grid: Grid) -> dict[str, Measured]:
    """All claims of the text that the grid of runs decides."""
    there = {rtt for _, rtt in grid}
    parts: list[tuple[Sequence[int], Callable[[Grid], dict[str, Measured]]]] = [
        ((42,), at_42),
        ((42,), reasons),
        ((162,), at_162),
        (RTTS_MS, bic),
        (RTTS_MS, ctcp),
        (RTTS_MS, fast),
        (RTTS_MS, summary),
        (RTTS_MS, fairness),
        (RTTS_MS, surrogate),
    ]
    found = by_definition(grid)
    for needs, part in parts:
        if there >= set(needs):
            found |= part(grid)
    return found


def jain(grid: Grid, name: str, rtt: int) -> float:
    """Jain's index of the average windows."""
    return grid[name, rtt].outcome.fairness


def by_rtt(measure: Callable[[int], float]) -> dict[str, list[float]]:
    """A number for each round-trip time, named as the claims name them."""
    return {f"{rtt} ms": [measure(rtt)] for rtt in RTTS_MS}


def told(numbers: Mapping[str, float], unit: str = "") -> str:
    """Numbers with their names, for a note."""
    return ", ".join(f"{name} {number:.4g}" for name, number in numbers.items()) + unit


# --- 5.4.1 ---


def at_42(grid: Grid) -> dict[str, Measured]:
    """Figure 5-7, and what else needs 42 ms alone."""
    tcp, scalable = grid["tcp", 42], grid["scalable", 42].outcome.windows
    beats = tcp.windows.beats()
    both = tcp.outcome.windows
    short = {name: grid[name, 42].outcome.link for name in ("tcp", "ctcp", "fast-tuning", "fast-200")}
    return {
        "tcp-42-low": Values([float(np.mean([beat.cwnd[0] for beat in beats]))]),
        "tcp-42-high": Values([float(np.mean([beat.cwnd[-1] for beat in beats]))]),
        "tcp-42-average": Values([tcp.windows.average(0, 0, SECOND_START_S)]),
        "tcp-42-both": Values([sum(both) / 2]),
        "tcp-42-throughputs": Values([min(tcp.outcome.shares) / max(tcp.outcome.shares)]),
        "tcp-42-first": Values([max(both)]),
        "tcp-42-second": Values([min(both)]),
        "fast-tuning-oscillates": tuning_settles(grid["fast-tuning", 42].windows),
        "fast-200-oscillates": never_settles(grid["fast-200", 42].windows),
        "scalable-42-first": Values([max(scalable)]),
        "scalable-42-second": Values([min(scalable)]),
        "summary-short": Holds([value < 0.99 for value in short.values()], note=told(short)),
    }


def at_162(grid: Grid) -> dict[str, Measured]:
    """The measures that need 162 ms only."""
    tcp = grid["tcp", 162].windows
    four = grid["ctcp", 162].outcome.excess
    ends = {"first 100 s": SECOND_START_S, "last 100 s": END_S - 100}
    return {
        "tcp-162-begins": Ordered({name: [tcp.ratio(begin, begin + 100)] for name, begin in ends.items()}),
        "tcp-162-not-converged": Values([tcp.end_ratio(100)]),
        "ctcp-162-fairness": Ordered({name: [jain(grid, name, 162)] for name in ("ctcp", "tcp")}),
        "summary-ctcp": Values([four]),
    }


# --- 5.4.2 and 5.4.3 ---


def heartbeats(grid: Grid) -> list[Beat]:
    """BIC's, where sampling shows their shape: ten round trips or more, and a second or more."""
    return [
        beat
        for rtt in RTTS_MS
        for beat in grid["bic", rtt].windows.beats()
        if beat.duration_s > max(10 * rtt / 1e3, 1.0)
    ]


def bic(grid: Grid) -> dict[str, Measured]:
    """5.4.2, and how TCP slows down with delay."""
    shares = [beat.early_share() for beat in heartbeats(grid)]
    shape: dict[str, Measured] = {}
    if shares:
        note = f"{np.median(shares):.0%} of the gain in the first third, in the median"
        shape = {
            f"bic-heartbeat-{key}": Holds([share > least for share in shares], note=note)
            for key, least in HEARTBEATS.items()
        }
    return {
        "tcp-slower": Ordered(by_rtt(lambda rtt: grid["tcp", rtt].windows.growth_per_s())),
        **shape,
        "bic-324-unfair": Ordered({name: [jain(grid, name, 324)] for name in ("tcp", "bic")}),
    }


def ctcp(grid: Grid) -> dict[str, Measured]:
    """5.4.3."""
    recovery = {}
    for name in ("tcp", "ctcp"):
        beats = grid[name, 42].windows.beats()
        recovery[name] = float(np.mean([beat.duration_s for beat in beats])) if beats else float("nan")
    unlike = {f"{rtt} ms": jain(grid, "ctcp", rtt) - jain(grid, "tcp", rtt) for rtt in RTTS_MS}
    regained: Measured = Undecidable("CTCP has no two losses while it is alone")
    if np.isfinite(recovery["ctcp"]):
        regained = Values([recovery["ctcp"] / recovery["tcp"]], told(recovery, " s from loss to loss"))
    return {
        "ctcp-recovery": regained,
        "ctcp-similar-fairness": Holds(
            [abs(apart) <= 0.05 for apart in unlike.values()], note="CTCP's less TCP's: " + told(unlike)
        ),
    }


# --- 5.4.4 ---


def tuning_settles(windows: Windows) -> Measured:
    """True if each flow loses packets up to the first tuning, and none after it."""
    outcomes, moments = [], windows.tuned_at(TUNED_ALPHA)
    for flow, (begin, moment) in enumerate(zip(STARTS_S, moments, strict=True)):
        if not np.isfinite(moment):
            return Holds([False], note=f"alpha of flow {flow + 1} never becomes {TUNED_ALPHA:g}")
        settled = not windows.loses_between(flow, moment + 1, moment + 101)
        outcomes.append(windows.loses_between(flow, begin, begin + 200) and settled)
    return Holds(outcomes, note="alpha became 20 at {:.0f} and {:.0f} s".format(*moments))


def never_settles(windows: Windows) -> Measured:
    """True if each flow goes on losing packets to the end."""
    steps = [(flow, begin) for flow in (0, 1) for begin in np.arange(flow * SECOND_START_S, END_S, 50.0)]
    return Holds([windows.loses_between(flow, begin, begin + 50) for flow, begin in steps])


def of_tuning(grid: Grid) -> dict[str, Measured]:
    """The sentences on FAST's alpha tuning alone."""
    windows = {rtt: grid["fast-tuning", rtt].windows for rtt in RTTS_MS}
    return {
        **reasons_of_tuning(grid),
        "fast-tuning-oscillates": tuning_settles(windows[42]),
        "fast-tuning-diverges": Holds([each.converges_then_diverges() for each in windows.values()]),
        "summary-fast-tuning": Values([max(jain(grid, "fast-tuning", rtt) for rtt in RTTS_MS)]),
    }


def gap(grid: Grid, name: str, rtt: int) -> float:
    """By how much of the larger one the average windows of the last 500 s differ."""
    return 1 - grid[name, rtt].windows.end_ratio(LAST_S)


def fast(grid: Grid) -> dict[str, Measured]:
    """5.4.4, except for what needs 42 ms alone."""
    tuned = [grid["fast-tuning", rtt].windows for rtt in RTTS_MS]
    close = [gap(grid, "fast-200", rtt) for rtt in (162, 324)]
    return {
        "fast-tuning-diverges": Holds([windows.converges_then_diverges() for windows in tuned]),
        "fast-80-closest-averages": closest(lambda name, rtt: gap(grid, name, rtt)),
        "fast-80-closest-moments": closest(lambda name, rtt: grid[name, rtt].windows.apart(LAST_S)),
        "fast-80-closest-jain": closest(lambda name, rtt: 1 - round(jain(grid, name, rtt), 2), or_level=True),
        "fast-200-close": Holds([value <= 0.1 for value in close]),
    }


def closest(apart: Callable[[str, int], float], *, or_level: bool = False) -> Measured:
    """True if FAST's windows are least far apart with alpha = 80 at each delay."""
    found = {(name, rtt): apart(name, rtt) for rtt in RTTS_MS for name in FAST}
    least = {rtt: min(found[name, rtt] for name in FAST if name != "fast-80") for rtt in RTTS_MS}
    nearer = [
        found["fast-80", rtt] < other or (or_level and found["fast-80", rtt] == other)
        for rtt, other in least.items()
    ]
    return Holds(
        nearer, note="apart: " + told({f"{name} at {rtt} ms": gap for (name, rtt), gap in found.items()})
    )


# --- 5.4.8 ---


def reasons(grid: Grid) -> dict[str, Measured]:
    """Why links are not full at 42 ms."""
    usual = usual_losses(grid)
    large = grid["fast-200", 42].windows
    always = [large.losses_per_s(flow, END_S) for flow in (0, 1)]
    swings = [swing for flow in (0, 1) for swing in large.swings(flow, 50.0)]
    return {
        "summary-slow-recovery": slow_recovery(grid),
        **reasons_of_tuning(grid),
        "summary-200-high": Holds(
            [rate >= MANY_LOSSES * usual for rate in always] + [swing >= 1.5 for swing in swings],
            note=f"TCP {usual:.3g}, alpha = 200 {always[0]:.3g} and {always[1]:.3g} losses per s; "
            f"least swing {min(swings):.3g}",
        ),
    }


def usual_losses(grid: Grid) -> float:
    """Standard TCP's losses per second at 42 ms, the mean of both flows."""
    return sum(grid["tcp", 42].windows.losses_per_s(flow, END_S) for flow in (0, 1)) / 2


def reasons_of_tuning(grid: Grid) -> dict[str, Measured]:
    """Why FAST's links with alpha tuning are not full at 42 ms."""
    usual, tuned = usual_losses(grid), grid["fast-tuning", 42].windows
    until = [settled if np.isfinite(settled) else END_S for settled in tuned.tuned_at(TUNED_ALPHA)]
    early = [tuned.losses_per_s(flow, end) for flow, end in enumerate(until)]
    return {
        "summary-tuning-high": Holds(
            [rate >= MANY_LOSSES * usual for rate in early],
            note=f"TCP {usual:.3g}, with alpha tuning {early[0]:.3g} and {early[1]:.3g} per s",
        ),
        "summary-tuning-low": too_low(tuned),
    }


def slow_recovery(grid: Grid) -> Measured:
    """True if TCP's and CTCP's links are not full, and least full long after losses."""
    outcomes, late = [], {}
    for name in ("tcp", "ctcp"):
        run = grid[name, 42]
        late[name] = run.windows.lacking_late(bdp(42), 10 * 42e-3)
        outcomes.append(run.outcome.link < 0.99 and late[name] > 0.5)
    return Holds(outcomes, note="share of it that is lacking so late: " + told(late))


def too_low(windows: Windows) -> Measured:
    """True if both windows leave the link idle once alpha of both is 20."""
    settled = windows.tuned_at(TUNED_ALPHA)
    if not all(np.isfinite(settled)):
        never = [str(flow + 1) for flow in (0, 1) if not np.isfinite(settled[flow])]
        return Holds([False], note=f"alpha of flow {' and '.join(never)} never becomes {TUNED_ALPHA:g}")
    use = sum(windows.average(flow, max(settled), END_S) for flow in (0, 1)) / bdp(42)
    return Holds([use < 0.99], note=f"{use:.3g} of it")


def summary(grid: Grid) -> dict[str, Measured]:
    """Link and buffer utilisation, in words."""
    full = [name for name in dict.fromkeys(name for name, _ in grid) if name not in ("tcp", "ctcp")]
    long = {f"{name} at {rtt} ms": grid[name, rtt].outcome.link for name in full for rtt in (162, 324)}
    low, high = ("htcp", "hstcp", "fast-80"), ("bic", "scalable")
    apart = [
        max(grid[name, rtt].outcome.buffer for name in low)
        < min(grid[name, rtt].outcome.buffer for name in high)
        for rtt in (162, 324)
    ]
    at_all = {f"{n} at {rtt} ms": grid[n, rtt].outcome.link for n in low for rtt in RTTS_MS}
    slow = {
        f"{n} at {rtt} ms": grid[n, rtt].outcome.link
        for n, rtt in (("tcp", 162), ("tcp", 324), ("ctcp", 324))
    }
    buffers = [grid[name, rtt].outcome.buffer for name in ("htcp", "hstcp") for rtt in RTTS_MS]
    wanting = {name: value for name, value in long.items() if round(value, 2) < 1}
    lacking = {name: value for name, value in at_all.items() if value < FULL_LINK}
    return {
        "summary-long": Holds([round(value, 2) >= 1 for value in long.values()], note=told(wanting)),
        "summary-long-except": Holds([round(value, 2) < 1 for value in slow.values()], note=told(slow)),
        "summary-buffers": Holds(apart),
        "summary-full": Holds([value >= FULL_LINK for value in at_all.values()], note=told(lacking)),
        "summary-fast-limit": fast_limits(grid),
        "summary-limit": Values([max(buffers)]),
    }


def fast_limits(grid: Grid) -> Measured:
    """True if FAST limits the buffers in some runs with full links, and not in all."""
    runs = [grid[name, rtt].outcome for name in FAST for rtt in RTTS_MS]
    full = [run.buffer for run in runs if run.link >= FULL_LINK]
    limited = sum(buffer <= LIMITED_BUFFER for buffer in full)
    return Holds(
        [limited > 0, limited < len(full)], note=f"limited in {limited} of {len(full)} with full links"
    )


def fairness(grid: Grid) -> dict[str, Measured]:
    """Jain's index, in words."""
    fair = {
        f"{name} at {rtt} ms": jain(grid, name, rtt)
        for name in ("ctcp", "fast-80", "fast-200", "htcp")
        for rtt in RTTS_MS
    }
    unfair = {name: value for name, value in fair.items() if value < 0.985}
    return {
        "summary-scalable": Values([max(jain(grid, "scalable", rtt) for rtt in RTTS_MS)]),
        "summary-bic": Ordered(by_rtt(lambda rtt: jain(grid, "bic", rtt))),
        "summary-hstcp": Ordered(by_rtt(lambda rtt: jain(grid, "hstcp", rtt))),
        "summary-fast-tuning": Values([max(jain(grid, "fast-tuning", rtt) for rtt in RTTS_MS)]),
        "summary-fair": Holds([value >= 0.985 for value in fair.values()], note=told(unfair)),
    }


def surrogate(grid: Grid) -> dict[str, Measured]:
    """True if average windows show the state of the bottleneck."""
    pairs: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in ("link", "excess", "empty")}
    for (name, rtt), run in grid.items():
        where, outcome = f"{name} at {rtt} ms", run.outcome
        pairs["link"][where] = (outcome.link, outcome.utilisation)
        kind = "excess" if outcome.excess > 0 else "empty"
        pairs[kind][where] = (outcome.buffer, outcome.queue / BUFFERS[rtt])
    return {f"surrogate-{kind}": agreeing(found) for kind, found in pairs.items()}


def agreeing(pairs: Mapping[str, tuple[float, float]]) -> Measured:
    """True if two numbers agree by the rule for cells of the tables, with their largest difference."""
    if not pairs:
        return Undecidable("there is no such run")
    printed = {where: (round(one, 2), round(other, 2)) for where, (one, other) in pairs.items()}
    where = max(printed, key=lambda where: abs(printed[where][0] - printed[where][1]))
    note = "farthest: {}, {:.2f} by windows and {:.2f} measured".format(where, *pairs[where])
    return Holds([is_near(*two) for two in printed.values()], note=note)


def capacity(grid: Grid, sending_s: float) -> dict[str, Measured]:
    """Table 5-9, from the fullest bottleneck of each round-trip time."""
    found: dict[str, Measured] = {}
    for rtt in sorted({rtt for _, rtt in grid}):
        runs = [run.outcome for (_, its), run in grid.items() if its == rtt]
        rate = max(run.forwarded_per_s for run in runs)
        product = rate * (min(run.min_rtt_s for run in runs) - sending_s)
        buffers = float(max(run.longest_queue for run in runs))
        found |= {
            f"bdp-path-{rtt}": Values([product]),
            f"buffers-path-{rtt}": Values([buffers]),
            f"room-path-{rtt}": Values([product + buffers]),
        }
    return found
