"""The tables and sentences of the race."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ackclock.measures.statistics import Interval, mean_interval
from verification.comparisons.publication import Rows
from verification.comparisons.slow_starts.judged import (
    BASE,
    FILES,
    Group,
    confidence,
    exits,
    harms,
    lost,
    times,
)
from verification.comparisons.slow_starts.paths import Path
from verification.comparisons.slow_starts.runs import Cells

__all__ = ["costs", "drawn_paths", "groups", "sentences", "speeds"]


def speeds(cells: Cells, paths: Sequence[Path], starts: Sequence[str]) -> Rows:
    """A row per start: its time over the base's, for each transfer, and the time to the capacity."""
    sure = confidence(starts)
    alone = [path for path in paths if not path.rivals and not path.web]
    rows = [["start", *FILES, "95 % of the capacity"]]
    for start in starts:
        row = [f"`{start}`", *(_times(times(cells, paths, start, each, sure)) for each in FILES)]
        rows.append([*row, _times(times(cells, alone, start, "long", sure, "filled_s"))])
    return rows


def costs(cells: Cells, paths: Sequence[Path], starts: Sequence[str]) -> Rows:
    """A row per start: losses, ends of slow start, and harm."""
    rows = [["start", "lost of 10 MB, %", "too early, %", "too late, %"]]
    rows[0] += ["harm: goodput", "harm: losses", "harm: web users"]
    for start in starts:
        share = mean_interval([100 * lost(cells, path, start) for path in paths])
        row = [f"`{start}`", f"{share.estimate:.2f} ± {share.half_width:.2f}"]
        if start == "bbr3":
            row += ["–", "–"]
        else:
            found = exits(cells, paths, start)
            row += [_share(found["early"]), _share(found["late"])]
        done = harms(cells, paths, start)
        row += [
            f"{_signed(done[name].interval)}, {done[name].verdict}" for name in ("goodput", "loss", "web")
        ]
        rows.append(row)
    return rows


def groups(found: Sequence[Group]) -> Rows:
    """A row per group of paths: the start of the rule, those not told from it, and the fastest of all."""
    rows = [
        [
            "paths",
            "number",
            "recommended",
            "time",
            "not told from it",
            "fastest of all",
            "its time",
            "its losses",
        ]
    ]
    for group in found:
        best = group.admitted[0]
        rows.append(
            [
                group.name,
                str(len(group.paths)),
                f"`{best}`",
                _times(group.overall[best]),
                ", ".join(f"`{name}`" for name in group.alike) or "–",
                f"`{group.fastest}`",
                _times(group.overall[group.fastest]),
                f"× {_times(group.losses[group.fastest])}",
            ]
        )
    return rows


def sentences(found: Sequence[Group]) -> str:
    """The recommendations in words, a line per group."""
    return "".join(f"- {_sentence(group)}\n" for group in found)


def _sentence(group: Group) -> str:
    best = group.admitted[0]
    change = "which Linux ships" if best == BASE else _change(group.overall[best])
    parts = [f"**{group.name}** ({len(group.paths)} paths): `{best}`, {change}"]
    if group.alike:
        names = ", ".join(f"`{name}`" for name in group.alike)
        parts.append(f"The paths do not tell it from {names}")
    if group.fastest != best:
        worse = group.losses[group.fastest]
        parts.append(
            f"`{group.fastest}` is the fastest, {_change(group.overall[group.fastest])}, "
            f"and loses {worse.estimate:.1f} times as many packets ({worse.low:.1f} to {worse.high:.1f}) "
            "or does more harm"
        )
    return ". ".join(parts) + "."


def _change(interval: Interval) -> str:
    faster = 100 * (1 - interval.estimate)
    low, high = 100 * (1 - interval.high), 100 * (1 - interval.low)
    if low <= 0 <= high:
        return f"as fast as what Linux ships within {max(-low, high):.0f} %"
    word = "less" if faster > 0 else "more"
    near, far = sorted((abs(low), abs(high)))
    return f"{abs(faster):.0f} % {word} time than what Linux ships ({near:.0f} to {far:.0f} %)"


def drawn_paths(paths: Sequence[Path]) -> Rows:
    """A row per path."""
    rows = [
        ["path", "kind", "rate, Mbit/s", "round trip, ms", "buffer, BDP", "queue", "jitter, ms", "others"]
    ]
    return rows + list(_rows(paths))


def _rows(paths: Sequence[Path]) -> Iterator[list[str]]:
    for path in paths:
        others = "web users" if path.web else f"{path.rivals} long" if path.rivals else "–"
        wired = path.kind == "wired"
        yield [
            str(path.number),
            path.kind,
            f"{path.rate_mbit_per_s:.3g}",
            f"{path.round_trip_ms:.3g}",
            f"{path.buffer_bdp:.2f}" if wired else "–",
            path.queue or "–",
            f"{path.jitter_ms:g}" if wired else "–",
            others,
        ]


def _times(interval: Interval) -> str:
    return f"{interval.estimate:.2f} ({interval.low:.2f} to {interval.high:.2f})"


def _share(interval: Interval) -> str:
    return f"{100 * interval.estimate:.0f} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def _signed(interval: Interval) -> str:
    return f"{interval.estimate:.2f} ({interval.low:.2f} to {interval.high:.2f})".replace("-", "−")
