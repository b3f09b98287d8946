"""The tables of the page: how each dumbbell is shared, and how each algorithm's windows grow and shrink."""

from __future__ import annotations

from collections.abc import Mapping

from verification.comparisons.high_speed.dumbbell import Dumbbell
from verification.comparisons.high_speed.measures import Growth, Sharing, kept, stretches
from verification.comparisons.high_speed.simulators import Trace
from verification.comparisons.publication import Rows

DELTAS_S = (0.75, 2, 3, 4, 8)
WINDOWS = (500, 600, 800, 1000)
BEGUN_S = 2
"""The time at which slow starts are over."""
LONG_S, SHORT_S = 0.5, 0.1
"""The time over which a slope is taken: Scalable's windows rise for only a third of a second."""

SHARING = ["algorithm", "run", "kept", "first", "second", "Jain", "goodput %", "queue", "lost %"]


def sharing(title: str, traces: Mapping[str, Trace], dumbbell: Dumbbell) -> Rows:
    """A row for each run: the part kept at losses, windows, fairness, use of the link."""
    rows = []
    for name, trace in traces.items():
        run = Sharing.of(trace, dumbbell)
        rows.append(
            [
                title,
                name,
                span(*kept(stretches(trace))),
                f"{run.windows[0]:.0f}",
                f"{run.windows[1]:.0f}",
                f"{run.jain:.3f}",
                f"{100 * run.goodput:.1f}",
                f"{run.queue:.1f}",
                f"{100 * run.loss:.2f}",
            ]
        )
    return rows


def growth(key: str, traces: Mapping[str, Trace], dumbbell: Dumbbell) -> Rows:
    """The growth of windows, by the variable of the algorithm's rule; the first row names the columns."""
    return {"htcp": _by_time, "bic": _extremes, "hstcp": _by_window, "scalable": _by_packet}[key](
        traces, dumbbell
    )


def _by_time(traces: Mapping[str, Trace], dumbbell: Dumbbell) -> Rows:
    rows = [["run", *(f"{seconds:g} s" for seconds in DELTAS_S)]]
    for name, trace in traces.items():
        # Only the first flow counts while it is alone, after the losses that end its slow start, at which all
        # algorithms keep half.
        parts = [part for part in stretches(trace) if part.flow == 0 and part.begin_s < BEGUN_S]
        found = Growth.of(parts, dumbbell, LONG_S)
        rows.append([name, *(number(found.at(seconds), 2) for seconds in DELTAS_S)])
    return rows


def _extremes(traces: Mapping[str, Trace], dumbbell: Dumbbell) -> Rows:
    rows = [["run", "near the target", "at most", "losses per minute"]]
    for name, trace in traces.items():
        parts = stretches(trace)
        found = Growth.of(parts, dumbbell, LONG_S)
        losses = 60 * sum(not part.first for part in parts) / dumbbell.end_s
        rows.append([name, number(found.slowest(), 2), number(found.fastest(), 1), f"{losses:.0f}"])
    return rows


def _by_window(traces: Mapping[str, Trace], dumbbell: Dumbbell) -> Rows:
    rows = [["run", *(f"window {window}" for window in WINDOWS)]]
    for name, trace in traces.items():
        found = Growth.of(stretches(trace), dumbbell, LONG_S)
        rows.append([name, *(number(found.around(window), 2) for window in WINDOWS)])
    return rows


def _by_packet(traces: Mapping[str, Trace], dumbbell: Dumbbell) -> Rows:
    rows = [["run", "per acknowledgment", "losses per minute"]]
    for name, trace in traces.items():
        parts = stretches(trace)
        found = Growth.of(parts, dumbbell, SHORT_S)
        losses = 60 * sum(not part.first for part in parts) / dumbbell.end_s
        rows.append([name, number(found.per_packet(), 4), f"{losses:.0f}"])
    return rows


def number(value: float, digits: int) -> str:
    """A rounded number; a dash without a measurement."""
    return f"{value:.{digits}f}" if value == value else "–"


def span(low: float, high: float) -> str:
    """Two numbers, or one if both round to the same."""
    one, other = number(low, 2), number(high, 2)
    return one if one == other else f"{one} to {other}"
