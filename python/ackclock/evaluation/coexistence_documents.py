"""A coexistence as tables, sentences and JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict

from ackclock import provenance
from ackclock.evaluation.coexistence import (
    HARMS,
    NEWCOMERS_START_S,
    SHARE,
    WARM_UP_S,
    Coexistence,
    Pair,
)
from ackclock.evaluation.criterion import Measure, flow_count
from ackclock.evaluation.harm import Harm
from ackclock.evaluation.sentences import shown
from ackclock.evaluation.verdict import MUCH_WORSE, SAME, WORSE
from ackclock.measures.digits import number, with_interval
from ackclock.report import latex
from ackclock.report.tables import Cell, View, recovery_line

__all__ = [
    "SCHEMA",
    "as_json",
    "as_latex",
    "as_markdown",
    "conditions",
    "harm_view",
    "notes",
    "scenario_file",
    "sentence",
    "share_view",
]

SCHEMA = "ackclock-coexistence/1"
"""The schema of the JSON document, which docs/evaluation.md describes."""


def share_view(coexistence: Coexistence) -> View:
    """The incumbents' share of the goodput: a row for each incumbent and buffer, a column per newcomer."""

    def cell(pair: Pair) -> Cell:
        half = pair.share.half_width
        text = with_interval(pair.share.estimate * SHARE.factor, half * SHARE.factor, SHARE.digits)
        return Cell(text, is_decided=math.isfinite(half) and 0.5 not in pair.share)

    return _matrix(coexistence, "Share of the incumbents [%]", cell)


def harm_view(coexistence: Coexistence, measure: Measure, *, alone: bool = False) -> View:
    """Harm to the incumbents in one measure; bold where a class is other than "no different"."""

    def cell(pair: Pair) -> Cell:
        found = (pair.harm_alone if alone else pair.harm)[measure.key]
        is_own = pair.incumbent == pair.newcomer and not alone
        return Cell("–" if is_own else _harm_text(found), is_decided=found.verdict != SAME)

    against = ", against the link to itself" if alone else ""
    return _matrix(coexistence, f"Harm to the incumbents, {measure.title}{against}", cell)


def _matrix(coexistence: Coexistence, title: str, cell: Callable[[Pair], Cell]) -> View:
    columns = (
        ("Incumbent", ""),
        ("Buffer", "BDP"),
        *((f"beside {label}", "") for label in coexistence.labels),
    )
    rows = tuple(
        (
            Cell(incumbent),
            Cell(f"{buffer:g}"),
            *(cell(coexistence.pair(incumbent, newcomer, buffer)) for newcomer in coexistence.labels),
        )
        for incumbent in coexistence.labels
        for buffer in coexistence.setting.buffers_bdp
    )
    return View(title, columns, rows)


def _harm_text(found: Harm) -> str:
    low, high = found.interval.low, found.interval.high
    text = _signed(found.interval.estimate)
    return f"{text} ({_signed(low)} to {_signed(high)})" if math.isfinite(low) else text


def _signed(value: float) -> str:
    return number(value, 2) if abs(value) >= 0.005 else "0.00"


def sentence(coexistence: Coexistence, measure: Measure) -> str:
    """The worst harm in one measure, and the number of pairs that are worse."""
    if len(coexistence.seeds) == 1:
        return "One seed decides no class: --seeds 10 shows which harm is certain."
    pairs = [pair for pair in coexistence.pairs if pair.incumbent != pair.newcomer]
    worse = [pair for pair in pairs if pair.harm[measure.key].verdict in (WORSE, MUCH_WORSE)]
    if not worse:
        return (
            f"In none of {len(pairs)} pairs and buffers is a newcomer worse for the incumbents than their "
            "own kind."
        )
    much = sum(pair.harm[measure.key].verdict == MUCH_WORSE for pair in worse)
    worst = max(worse, key=lambda pair: pair.harm[measure.key].interval.estimate)
    own = coexistence.pair(worst.incumbent, worst.incumbent, worst.buffer_bdp)
    return (
        f"{worst.newcomer} harms {worst.incumbent} most, by {_harm_text(worst.harm[measure.key])} in a "
        f"buffer of {worst.buffer_bdp:g} BDP: {shown(measure, worst.mean(measure))} beside it, "
        f"{shown(measure, own.mean(measure))} beside its own kind. Of {len(pairs)} pairs and buffers, "
        f"{len(worse)} {'is' if len(worse) == 1 else 'are'} worse than the incumbents' own kind, "
        f"{much} much worse."
    )


def conditions(coexistence: Coexistence) -> str:
    """The setting in one line."""
    setting, seeds = coexistence.setting, len(coexistence.seeds)
    each = f"{flow_count(setting.flows)} of each"
    link = f"{setting.rate_mbit_per_s:g} Mbit/s, round trip {setting.round_trip_ms:g} ms"
    how = f"{seeds} seed{'s' if seeds > 1 else ''}{', quick' if coexistence.quick else ''}"
    return f"{each}, {link}, {how}"


def notes(coexistence: Coexistence) -> tuple[str, ...]:
    """The notes that explain the numbers."""
    limits = coexistence.thresholds
    several = len(coexistence.seeds) > 1
    interval = f", with the {limits.confidence:.0%} interval over seeds" if several else ""
    return (
        recovery_line(coexistence.recoveries),
        (
            f"Newcomers begin {NEWCOMERS_START_S} s after the incumbents; averages leave out the first "
            f"{WARM_UP_S} s."
        ),
        (
            "Harm is 0 for none, near 1 for ruin, below 0 where the newcomer is kinder than as many flows of "
            f"the incumbents' own kind on the same seeds{interval}."
        ),
        (
            f"Bold: a share other than one half; a harm of more than {1 - 1 / limits.different:.2f} or less "
            f"than {1 - limits.different:.2f} that is certain over the seeds."
        ),
    )


def as_markdown(coexistence: Coexistence) -> str:
    """The shares and harms as Markdown tables, with their notes."""
    made = provenance.described_version(provenance.git_commit())
    lines = [
        f"# {', '.join(coexistence.labels)} on one bottleneck",
        "",
        f"{made}, {conditions(coexistence)}.",
    ]
    for view, said in _tables(coexistence):
        heads = [f"{name} [{unit}]" if unit else name for name, unit in view.columns]
        lines += ["", f"## {view.title}", ""]
        lines += [said, ""] if said else []
        lines += [_row(heads), "|---" * len(heads) + "|"]
        lines += [_row([cell.text for cell in row]) for row in view.rows]
    return "\n".join([*lines, "", *notes(coexistence)]) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def as_latex(coexistence: Coexistence) -> str:
    """The same tables for LaTeX (package booktabs)."""
    return "\n".join(latex.table(view) for view, _ in _tables(coexistence)) + "\n"


def _tables(coexistence: Coexistence) -> list[tuple[View, str]]:
    harms = [(harm_view(coexistence, measure), sentence(coexistence, measure)) for measure in HARMS]
    return [(share_view(coexistence), ""), *harms]


def scenario_file(coexistence: Coexistence, pair: Pair) -> str:
    """The file of a pair's scenario in the folder of results."""
    return f"scenarios/{coexistence.pairs.index(pair) + 1}.toml"


def as_json(coexistence: Coexistence, folder: str = "") -> dict[str, object]:
    """The outcome as a JSON object, in base units."""
    return {
        "schema": SCHEMA,
        "version": provenance.version(),
        "algorithms": list(coexistence.labels),
        "recoveries": dict(coexistence.recoveries),
        "setting": asdict(coexistence.setting),
        "quick": coexistence.quick,
        "seeds": list(coexistence.seeds),
        "thresholds": asdict(coexistence.thresholds),
        "pairs": [_pair(coexistence, pair) for pair in coexistence.pairs],
        **({"folder": folder} if folder else {}),
    }


def _pair(coexistence: Coexistence, pair: Pair) -> dict[str, object]:
    return {
        "incumbent": pair.incumbent,
        "newcomer": pair.newcomer,
        "buffer_bdp": pair.buffer_bdp,
        "scenario": scenario_file(coexistence, pair),
        "share": pair.share.as_json(),
        "means": {measure.key: pair.mean(measure) for measure in HARMS},
        "harm": {key: _harm(found) for key, found in pair.harm.items()},
        "harm_alone": {key: _harm(found) for key, found in pair.harm_alone.items()},
    }


def _harm(found: Harm) -> dict[str, object]:
    return {**found.interval.as_json(), "class": found.verdict}
