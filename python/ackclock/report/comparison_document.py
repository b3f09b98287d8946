"""The JSON document of a run or a comparison, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ackclock.provenance import scenario_hash, version
from ackclock.report.experience import experience_document

if TYPE_CHECKING:
    from ackclock.report.record import ComparisonRecord

__all__ = ["comparison_document"]


def _competition(comparison: ComparisonRecord) -> dict[str, object]:
    """The quantities of each competitor in the runs that all share, as a part of the document.

    Empty without competitors.
    """
    if comparison.shared_run is None:
        return {}
    found: dict[str, dict[str, object]] = {label: {} for label in comparison.competitors}
    for row in comparison.competition_summary.iter_rows(named=True):
        found[row["label"]][row["metric"]] = {key: row[key] for key in ("n", "mean", "low", "high")}
    return {"together": found}


def comparison_document(
    comparison: ComparisonRecord,
    command: str,
    folder: str | None = None,
    has_report: bool = False,
    failures: Sequence[str] = (),
) -> dict[str, object]:
    """The document that `--json` prints for a run or a comparison. The keys name the values' base units."""
    summary: dict[str, dict[str, object]] = {label: {} for label in comparison.labels}
    for row in comparison.summary.iter_rows(named=True):
        summary[row["label"]][row["metric"]] = {
            key: row[key] for key in ("n", "mean", "low", "high", "standard_deviation", "median")
        }
    document: dict[str, object] = {
        "schema": "ackclock-comparison/1",
        "command": command,
        "version": version(),
        "scenario": {
            "name": comparison.scenario.name,
            "sha256": scenario_hash(comparison.scenario),
            "duration_s": comparison.scenario.duration_s,
            "warm_up_s": comparison.scenario.warm_up_s,
        },
        "labels": comparison.labels,
        "seeds": comparison.seeds,
        "seeds_alike": comparison.seeds_alike,
        "interrupted": comparison.interrupted,
        "recoveries": dict(comparison.recoveries),
        "bottleneck": comparison.bottleneck,
        "confidence": 0.95,
        "summary": summary,
        "differences": comparison.differences.to_dicts(),
        **_competition(comparison),
        "experience": experience_document(comparison),
        "runs": comparison.runs.to_dicts(),
        "flows": comparison.table("flows").to_dicts(),
        "links": comparison.table("links").to_dicts(),
        "conserved": all(result.conserved for result in comparison.results),
        "failures": list(failures),
        "folder": folder,
        "report": f"{folder}/report.html" if has_report else None,
    }
    return document
