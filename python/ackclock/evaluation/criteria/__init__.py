"""The criteria of RFC 9743 in the order of its sections.

A new one is a file with a `CRITERION`, and its name here.
"""

from __future__ import annotations

from ackclock.evaluation.criteria import (
    active_queues,
    beside_standard,
    bufferbloat,
    calls,
    circuit_breakers,
    collapse,
    constrained,
    data_centre,
    fairness,
    flash_crowd,
    high_delay,
    loss,
    lost_acknowledgments,
    lost_feedback,
    others_pages,
    others_short_flows,
    pages,
    path_changes,
    paths,
    real_time,
    reordering,
    short_flows,
    tunnels,
    varying_delay,
    wireless,
)
from ackclock.evaluation.criterion import Criterion, NotEvaluated

__all__ = ["CRITERIA", "NEWER", "NOT_EVALUATED"]

CRITERIA: tuple[Criterion, ...] = (
    collapse.CRITERION,
    bufferbloat.CRITERION,
    loss.CRITERION,
    fairness.CRITERION,
    short_flows.CRITERION,
    lost_feedback.CRITERION,
    beside_standard.CRITERION,
    real_time.CRITERION,
    others_short_flows.CRITERION,
    paths.CRITERION,
    wireless.CRITERION,
    active_queues.CRITERION,
    varying_delay.CRITERION,
    constrained.CRITERION,
    high_delay.CRITERION,
    lost_acknowledgments.CRITERION,
    reordering.CRITERION,
    flash_crowd.CRITERION,
    path_changes.CRITERION,
    data_centre.CRITERION,
)

NEWER: tuple[Criterion, ...] = (
    calls.CRITERION,
    pages.CRITERION,
    others_pages.CRITERION,
    tunnels.CRITERION,
    circuit_breakers.CRITERION,
)
"""Criteria of reports that the rows of the league do not have.

They become `CRITERIA` when all rows are evaluated again: rows are compared by the same criteria.
"""

NOT_EVALUATED: tuple[NotEvaluated, ...] = (
    NotEvaluated(
        "5.3.1", "Deviations from RFC 2914 and RFC 7141", "MUST", "a text of the algorithm's author"
    ),
    NotEvaluated(
        "5.3.2", "Incremental deployment", "MUST", "a text of the author; the numbers are those of 5.2.1"
    ),
    NotEvaluated("7.10", "Multipath", "MUST", "no multipath transport is simulated; it concerns those alone"),
)
