"""Tables for the terminal and the report."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl
from rich import box
from rich.table import Table
from rich.text import Text

from ackclock.measures import groups, metrics, statistics
from ackclock.measures.digits import with_interval
from ackclock.report.text import algorithm_in_full, few_seeds, for_terminal

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = [
    "Cell",
    "View",
    "difference_views",
    "entity_view",
    "flow_view",
    "group_view",
    "link_view",
    "mean_cell",
    "span_note",
    "with_span",
]

COUNTS = ("retransmissions", "fast_retransmits", "timeouts", "call_freezes", "pages")
"""Metrics that are whole numbers unless they are averaged."""

ROWS_SHOWN = 24
"""The most rows of a table displayed; the files have all."""


NARROWEST = 11
"""The least length, in characters, at which the heading of a column is broken."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    `is_best` marks the best of its column, `is_decided` a difference whose sign is certain at 95 %.
    """

    text: str
    is_best: bool = False
    is_decided: bool = False


@dataclass(frozen=True)
class View:
    """A table for display: the first column names the row, the others are numbers."""

    title: str
    columns: tuple[tuple[str, str], ...]
    """Heading and unit of each column."""
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def rich(self) -> Table:
        """The table for a terminal."""
        title = Text(for_terminal(self.title), style="bold") if self.title else None
        table = Table(
            title=title, title_justify="left", header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
        )
        for index, (heading, unit) in enumerate(self.columns):
            cells = max((len(for_terminal(row[index].text)) for row in self.rows), default=0)
            label = _broken(for_terminal(heading), max(cells, NARROWEST))
            label += f"\n[{for_terminal(unit)}]" if unit else ""
            table.add_column(Text(label), justify="left" if index == 0 else "right", vertical="bottom")
        for row in self.rows:
            table.add_row(*(Text(for_terminal(cell.text), style=_style(cell)) for cell in row))
        return table

    def part(self, columns: Sequence[int]) -> View:
        """The table with the names of the rows and some of the other columns."""
        kept = (0, *columns)
        rows = tuple(tuple(row[column] for column in kept) for row in self.rows)
        return replace(self, columns=tuple(self.columns[column] for column in kept), rows=rows)

    def transposed(self) -> View:
        """The table with rows and columns exchanged; units join the names."""
        heads = tuple((row[0].text, "") for row in self.rows)
        names = [f"{heading} [{unit}]" if unit else heading for heading, unit in self.columns[1:]]
        rows = tuple((Cell(name), *(row[index + 1] for row in self.rows)) for index, name in enumerate(names))
        return View(self.title, (("", ""), *heads), rows, self.note)


def _broken(heading: str, width: int) -> str:
    """The heading over several lines, so that it does not make its column wider than the cells."""
    return "\n".join(textwrap.wrap(heading, width, break_long_words=False, break_on_hyphens=False))


def _style(cell: Cell) -> str:
    return "bold" if cell.is_best or cell.is_decided else ""


def mean_cell(row: Mapping[str, float] | None, factor: float, digits: int, seeds_alike: bool) -> Cell:
    """The mean and its interval from a row of a summary, times `factor`; a dash without a row."""
    if row is None:
        return Cell("–")
    half = math.nan if seeds_alike else (row["high"] - row["low"]) / 2
    return Cell(with_interval(row["mean"] * factor, half * factor, digits))


def summary_view(
    comparison: ComparisonRecord, *, others: bool = False, keys: Sequence[str] | None = None
) -> View:
    """Means over seeds with intervals: a row per label, a column per main metric, or per other metric.

    What people notice comes first. Metrics that exist in no run have no column. `keys` are the metrics of
    the columns, in their order.
    """
    present = set(comparison.summary["metric"].to_list())
    chosen = [m for m in metrics.METRICS if m.key in present and m.is_main != others]
    chosen.sort(key=lambda metric: not metric.is_of_people)
    if keys is not None:
        chosen = [metrics.metric(key) for key in keys]
    columns, cells = [("", "")], {label: [Cell(label)] for label in comparison.labels}
    for metric in chosen:
        rows = {
            row["label"]: row
            for row in comparison.summary.filter(pl.col("metric") == metric.key).iter_rows(named=True)
        }
        largest = max(abs(row["mean"]) for row in rows.values())
        factor, unit = metrics.shown(metric, largest)
        is_count = metric.key in COUNTS and all(row["n"] == 1 for row in rows.values())
        digits = 0 if is_count else metrics.digits(metric, largest)
        best = _best(comparison, metric, {label: row["mean"] for label, row in rows.items()})
        columns.append((with_span(metric.title, _warm_up(comparison), metric.is_of_whole_run), unit))
        for label in comparison.labels:
            cell = mean_cell(rows.get(label), factor, digits, comparison.seeds_alike)
            cells[label].append(replace(cell, is_best=label in best))
    meanings = [f"{metric.title}: {metric.meaning}." for metric in chosen if metric.is_of_people]
    note = " ".join(
        filter(None, [*meanings, span_note(columns, _warm_up(comparison)), _interval_note(comparison)])
    )
    return View("", tuple(columns), tuple(tuple(row) for row in cells.values()), note)


def group_view(comparison: ComparisonRecord, links: Sequence[str] = ()) -> View:
    """A row per label and group of flows, or named link, with the quantities that any of them has."""
    found = groups.summary(groups.runs_table(comparison.results, links), comparison.labels)
    keys = found["metric"].unique(maintain_order=True).to_list()
    columns: list[tuple[str, str]] = [("", "")]
    shown = {}
    for key in keys:
        largest = float(found.filter(pl.col("metric") == key)["mean"].abs().max() or 0)  # type: ignore[arg-type]
        metric = _group_metric(key)
        is_count = key in COUNTS and found.filter(pl.col("metric") == key)["n"].max() == 1
        shown[key] = (metrics.shown(metric, largest)[0], 0 if is_count else metrics.digits(metric, largest))
        heading = with_span(metric.title, _warm_up(comparison), metric.is_of_whole_run)
        columns.append((heading, metrics.shown(metric, largest)[1]))
    rows = []
    for (label, group), mine in found.group_by(["label", "group"], maintain_order=True):
        values = {row["metric"]: row for row in mine.iter_rows(named=True)}
        name = f"{label}, {group}" if comparison.is_comparison else str(group)
        cells = [Cell(name)]
        for key in keys:
            factor, digits = shown[key]
            cells.append(mean_cell(values.get(key), factor, digits, comparison.seeds_alike))
        rows.append(tuple(cells))
    note = f"{span_note(columns, _warm_up(comparison))} {_interval_note(comparison)}".strip()
    return View("Groups of flows", tuple(columns), tuple(rows), note)


def _group_metric(key: str) -> metrics.Metric:
    """The metric of a column of `groups`; its percentiles are shown as completion times."""
    if key in metrics.KEYS:
        return metrics.metric(key)
    if key == "flows":
        return replace(metrics.metric("timeouts"), key=key, title="Flows", digits=0, is_of_whole_run=False)
    percent = key.removeprefix("completion_p").removesuffix("_s")
    return replace(metrics.metric("completion_s"), key=key, title=f"{percent} % within")


def compared_line(comparison: ComparisonRecord) -> str:
    """The lines above the table of a comparison: loss recoveries, and flows that no label changes."""
    groups = json.loads(comparison.scenario.to_json()).get("flow", [])
    keep = [f"{each.get('name', '')} ({each['algorithm']})" for each in groups if "algorithm" in each]
    kept = f" Flows that name an algorithm keep it: {', '.join(keep)}." if keep else ""
    return recovery_line(comparison.recoveries) + kept


def recovery_line(recoveries: Mapping[str, str]) -> str:
    """The line above the table with the loss recovery of each label, on which every number depends."""
    groups: dict[str, list[str]] = {}
    for label, recovery in recoveries.items():
        groups.setdefault(recovery, []).append(label)
    if len(groups) == 1:
        return f"Loss recovery: {next(iter(groups))}, the same for all.{_one_by_several_names(recoveries)}"
    said = "; ".join(
        recovery if labels == [recovery] else f"{recovery} ({', '.join(labels)})"
        for recovery, labels in groups.items()
    )
    return f"Loss recoveries differ, and the numbers with them: {said}.{_one_by_several_names(recoveries)}"


def _one_by_several_names(recoveries: Mapping[str, str]) -> str:
    """A sentence about labels that name one algorithm, as "rack" and "rack+reno"; empty without any."""
    named: dict[str, list[str]] = {}
    for label, recovery in recoveries.items():
        full = label if label.startswith(f"{recovery}+") else f"{recovery}+{label}"
        named.setdefault(f"{recovery}+reno" if label == recovery else full, []).append(label)
    same = [" and ".join(labels) for labels in named.values() if len(labels) > 1]
    return "".join(f" {labels} are one algorithm, by several names." for labels in same)


def with_span(heading: str, warm_ups_s: Collection[float], is_of_whole_run: bool) -> str:
    """The heading, with a sign if its quantity, unlike others of the table, includes a warm-up."""
    return f"{heading}†" if is_of_whole_run and any(warm_ups_s) else heading


def span_note(columns: Iterable[tuple[str, str]], warm_ups_s: Collection[float]) -> str:
    """The meaning of the sign of a heading, with the warm-up that all runs have; empty without the sign."""
    if not any(heading.endswith("†") for heading, _ in columns):
        return ""
    alike = set(warm_ups_s)
    begin = f"{alike.pop():g} s" if len(alike) == 1 else "the end of the warm-up"
    return f"† Over the whole run; the others from {begin} on."


def _warm_up(comparison: ComparisonRecord) -> tuple[float]:
    return (comparison.scenario.warm_up_s,)


ALIKE = (
    "All seeds gave the same numbers: nothing in this scenario is random, so there is no interval to give. "
    "A start_jitter for the flows, Poisson traffic or random loss would show how much depends on chance."
)


def _interval_note(comparison: ComparisonRecord) -> str:
    n = len(comparison.seeds)
    if comparison.seeds_alike:
        return ALIKE
    if n < 2:
        return ""
    said = f"Mean over {n} seeds ± half of the 95 % confidence interval (Student t)."
    return f"{said} {few_seeds(n)}".rstrip()


def _best(comparison: ComparisonRecord, metric: metrics.Metric, means: Mapping[str, float]) -> set[str]:
    """The label with the best mean, if its paired difference from every other is decided; else none.

    One seed decides nothing, nor do seeds that give the same numbers.
    """
    if not metric.better or len(means) < 2 or len(comparison.seeds) < 2 or comparison.seeds_alike:
        return set()
    best = (max if metric.better == "higher" else min)(means, key=means.__getitem__)
    rows = comparison.differences.filter(
        (pl.col("metric") == metric.key) & ((pl.col("first") == best) | (pl.col("second") == best))
    )
    decided = rows.filter((pl.col("low") > 0) | (pl.col("high") < 0))
    return {best} if rows.height == decided.height == len(means) - 1 else set()


def difference_views(comparison: ComparisonRecord, *, everything: bool = False) -> list[View]:
    """Matrices "row minus column" of mean paired differences: of the goodput, or of all metrics.

    There are none for a single seed.
    """
    if len(comparison.seeds) < 2 or not comparison.is_comparison or comparison.seeds_alike:
        return []
    present = comparison.differences["metric"].unique(maintain_order=True).to_list()
    keys = [key for key in present if everything or key == "goodput_bit_per_s"]
    return [_difference_view(comparison, key) for key in keys]


def _difference_view(comparison: ComparisonRecord, key: str) -> View:
    metric = metrics.metric(key)
    rows = comparison.differences.filter(pl.col("metric") == key)
    # The unit is that of the means, so that both can be compared.
    factor, unit = metrics.shown(metric, _largest(comparison, key))
    digits = metrics.digits(metric, _largest(comparison, key))
    found = {}
    for row in rows.iter_rows(named=True):
        interval = statistics.Interval(row["mean"], row["low"], row["high"], row["n"])
        found[row["first"], row["second"]] = (interval, 1.0)
        found[row["second"], row["first"]] = (interval, -1.0)
    body = []
    for first in comparison.labels:
        cells = [Cell(first)]
        for second in comparison.labels:
            pair = found.get((first, second))
            if pair is None:
                cells.append(Cell("" if first == second else "–"))
                continue
            interval, sign = pair
            text = with_interval(sign * interval.estimate * factor, interval.half_width * factor, digits, "+")
            cells.append(
                Cell(text + ("*" if interval.excludes_zero else ""), is_decided=interval.excludes_zero)
            )
        body.append(tuple(cells))
    title = f"{metric.title}{f' [{unit}]' if unit else ''}: row minus column, seed by seed"
    pairs = math.comb(len(comparison.labels), 2)
    together = f" ({pairs} pairs at 95 % together, by Bonferroni)" if pairs > 1 else ""
    note = f"* the 95 % interval of the mean difference excludes zero{together}"
    return View(title, (("", ""), *((label, "") for label in comparison.labels)), tuple(body), note)


def _largest(comparison: ComparisonRecord, key: str) -> float:
    """The largest mean of a metric, which sets its unit in every table."""
    rows = comparison.summary.filter(pl.col("metric") == key)["mean"].to_list()
    return max(map(abs, rows), default=0.0)


_FLOW_COLUMNS: tuple[tuple[str, str, str, float, int], ...] = (
    ("goodput_bit_per_s", "Goodput", "kbit/s", 1e-3, 1),
    ("throughput_bit_per_s", "Throughput", "kbit/s", 1e-3, 1),
    ("mean_rtt_s", "Mean RTT", "ms", 1e3, 1),
    ("mean_cwnd_packets", "Window", "packets", 1, 2),
    ("packets_sent", "Sent", "packets", 1, 0),
    ("packets_delivered", "Delivered", "packets", 1, 0),
    ("retransmissions", "Retransmissions", "packets", 1, 0),
    ("fast_retransmits", "Loss episodes", "", 1, 0),
    ("timeouts", "Timeouts", "", 1, 0),
    ("finish_s", "Finished", "s", 1, 3),
)

_LINK_COLUMNS: tuple[tuple[str, str, str, float, int], ...] = (
    ("utilisation", "Utilisation", "%", 100, 1),
    ("packets_forwarded", "Forwarded", "packets", 1, 0),
    ("dropped_queue", "Dropped, queue", "packets", 1, 0),
    ("dropped_loss", "Dropped, loss", "packets", 1, 0),
    ("mean_queue_packets", "Mean queue", "packets", 1, 2),
    ("max_queue_packets", "Longest queue", "packets", 1, 0),
    ("mean_queueing_delay_s", "Queueing delay", "ms", 1e3, 2),
)
_THINNED = ("thinned", "ACKs thinned", "packets", 1, 0)


def flow_view(comparison: ComparisonRecord) -> View:
    """Means over the seeds: a row per flow of a run."""
    flows = comparison.table("flows")
    is_tcp = pl.col("kind") != "udp"
    kind = pl.when(is_tcp).then("algorithm").otherwise("kind")
    is_said = flows.filter(is_tcp)["algorithm"].n_unique() > 1
    is_plain = (kind == pl.col("name")) | (is_tcp & (not is_said))
    said = kind.map_elements(algorithm_in_full, return_dtype=pl.String)
    row = pl.when(is_plain).then("name").otherwise(pl.format("{} ({})", "name", said))
    flows = flows.with_columns(row.alias("row"))
    return entity_view(comparison, "Flows", flows, ["label", "flow", "row"], _FLOW_COLUMNS)


def link_view(comparison: ComparisonRecord) -> View:
    """Means over the seeds: a row per link direction with drops or traffic, the bottleneck first."""
    links = comparison.table("links").with_columns(pl.col("name").alias("row"))
    dropped = pl.col("dropped_queue") + pl.col("dropped_loss")
    matters = (
        (dropped > 0) | (pl.col("utilisation") > 0.05) | (pl.col("name") == comparison.bottleneck)
    ).any()
    busy = links.filter(matters.over("link"))
    busy = busy.sort([pl.col("name") != comparison.bottleneck, -pl.col("utilisation")], maintain_order=True)
    thins = bool((busy["thinned"] > 0).any())
    columns = (*_LINK_COLUMNS, _THINNED) if thins else _LINK_COLUMNS
    view = entity_view(comparison, "Links", busy, ["label", "link", "row"], columns)
    idle = links["link"].n_unique() - busy["link"].n_unique()
    left_out = f"{idle} direction{'s' if idle > 1 else ''} below 5 % without drops left out." if idle else ""
    note = f"{view.note} {left_out}"
    return replace(view, note=note.strip())


WHOLE_RUN = (
    "packets_sent", "packets_delivered", "retransmissions", "fast_retransmits", "timeouts", "finish_s",
)  # fmt: skip
"""Columns of flows that count from the start of the run; the others begin after the warm-up."""


def _fitting(
    comparison: ComparisonRecord, column: tuple[str, str, str, float, int], values: list[list[float]]
) -> tuple[str, str, str, float, int]:
    """The column in its metric's unit in the summary, with decimals that suit its largest value."""
    key, heading, unit, factor, digits = column
    if key in metrics.KEYS and unit:
        metric = metrics.metric(key)
        largest = _largest(comparison, key)
        factor, unit = metrics.shown(metric, largest)
        digits = 0 if digits == 0 else metrics.digits(metric, largest)
    elif unit in metrics.TIMES:
        finite = [abs(value) for each in values for value in each if math.isfinite(value)]
        like = replace(metrics.METRICS[0], unit=unit, factor=factor, digits=digits)
        factor, unit = metrics.shown(like, max(finite, default=0.0))
        digits = metrics.digits(like, max(finite, default=0.0))
    return key, with_span(heading, _warm_up(comparison), key in WHOLE_RUN), unit, factor, digits


def entity_view(
    comparison: ComparisonRecord,
    title: str,
    table: pl.DataFrame,
    keys: list[str],
    columns: Sequence[tuple[str, str, str, float, int]],
) -> View:
    """Means over the seeds: a row per entity of `table`, whose column `row` has the entity's name.

    `columns` are keys with heading, unit, factor and decimals.
    """
    groups = table.group_by(keys, maintain_order=True).agg([pl.col(column[0]) for column in columns])
    total = groups.height
    useful = [
        _fitting(comparison, column, groups[column[0]].to_list())
        for column in columns
        if any(math.isfinite(v) for values in groups[column[0]].to_list() for v in values)
    ]
    rows = []
    for group in groups.head(ROWS_SHOWN).iter_rows(named=True):
        cells = [Cell(group["row"])]
        for key, _, _, factor, digits in useful:
            values = [value * factor for value in group[key]]
            if not all(math.isfinite(value) for value in values):
                cells.append(Cell("–"))
                continue
            interval = statistics.mean_interval(values)
            has_spread = len(values) > 1 and not comparison.seeds_alike
            digits_shown = digits + 1 if digits == 0 and has_spread else digits
            half = math.nan if comparison.seeds_alike else interval.half_width
            cells.append(Cell(with_interval(interval.estimate, half, digits_shown)))
        rows.append(tuple(cells))
    note = _interval_note(comparison)
    if total > ROWS_SHOWN:
        note = f"{note} The first {ROWS_SHOWN} of {total}; tables/ has all.".strip()
    heads = tuple((heading, unit) for _, heading, unit, _, _ in useful)
    note = f"{span_note(heads, _warm_up(comparison))} {note}".strip()
    return View(title, ((title.rstrip("s"), ""), *heads), tuple(rows), note)
