"""A chart in characters: what a comparison is about, before anyone reads its table."""

from __future__ import annotations

import polars as pl
from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ackclock.measures import metrics
from ackclock.measures.digits import number
from ackclock.report.text import for_terminal
from ackclock.runs.result import Comparison

__all__ = ["bars", "can_draw"]

DRAWN = (("goodput_bit_per_s",), ("call_delay_s", "page_median_s", "queueing_delay_s"))
"""The metrics with bars, the first of each that there is: what an algorithm gives its user, and its cost.

The cost is a person's wait, if the scenario has one who waits.
"""

WIDTH = 24
"""The characters of the longest bar."""


def can_draw(terminal: Console) -> bool:
    """True for a terminal that shows block characters and has room for two bars."""
    return terminal.is_terminal and terminal.encoding.startswith("utf") and terminal.width >= 80


def bars(comparison: Comparison) -> Table | None:
    """A row per label with a bar for each metric of `DRAWN`; None if the comparison has none of them."""
    drawn: dict[str, dict[str, float]] = {}
    for keys in DRAWN:
        means = {key: _means(comparison, key) for key in keys}
        known = {key: found for key, found in means.items() if any(value > 0 for value in found.values())}
        drawn |= dict(list(known.items())[:1])
    if not drawn:
        return None
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for key, found in drawn.items():
        metric = metrics.metric(key)
        unit = metrics.shown(metric, max(found.values()))[1]
        table.add_column(Text(f"{metric.title} [{unit}]"), min_width=WIDTH)
        table.add_column("", justify="right")
    for label in comparison.labels:
        cells: list[Text | Bar] = [Text(for_terminal(label))]
        for key, found in drawn.items():
            cells += _bar(metrics.metric(key), found.get(label, 0.0), max(found.values()))
        table.add_row(*cells)
    return table


def _means(comparison: Comparison, key: str) -> dict[str, float]:
    rows = comparison.summary.filter(pl.col("metric") == key)
    return dict(rows.select("label", "mean").iter_rows())


def _bar(metric: metrics.Metric, value: float, largest: float) -> list[Text | Bar]:
    factor, _ = metrics.shown(metric, largest)
    bar = Bar(largest, 0, value, width=WIDTH, color="green" if metric.better == "higher" else "red")
    return [bar, Text(number(value * factor, metrics.digits(metric, largest)))]
