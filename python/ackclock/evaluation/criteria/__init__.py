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

__all__ = ["CRITERIA", "NOT_EVALUATED"]

CRITERIA: tuple[Criterion, ...] = (
    collapse.CRITERION,
    bufferbloat.CRITERION,
    loss.CRITERION,
    fairness.CRITERION,
    short_flows.CRITERION,
    lost_feedback.CRITERION,
    beside_standard.CRITERION,
    real_time.CRITERION,
    calls.CRITERION,
    pages.CRITERION,
    others_short_flows.CRITERION,
    others_pages.CRITERION,
    paths.CRITERION,
    tunnels.CRITERION,
    wireless.CRITERION,
    active_queues.CRITERION,
    circuit_breakers.CRITERION,
    varying_delay.CRITERION,
    constrained.CRITERION,
    high_delay.CRITERION,
    lost_acknowledgments.CRITERION,
    reordering.CRITERION,
    flash_crowd.CRITERION,
    path_changes.CRITERION,
    data_centre.CRITERION,
)

NOT_EVALUATED: tuple[NotEvaluated, ...] = (
    NotEvaluated(
        "5.3.1", "Deviations from RFC 2914 and RFC 7141", "MUST", "a text of the algorithm's author"
    ),
    NotEvaluated(
        "5.3.2", "Incremental deployment", "MUST", "a text of the author; the numbers are those of 5.2.1"
    ),
    NotEvaluated("7.10", "Multipath", "MUST", "no multipath transport is simulated; it concerns those alone"),
)
