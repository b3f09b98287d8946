"""The Common TCP Evaluation Suite, draft-irtf-iccrg-tcpeval-01, in the order of its sections.

A new experiment is a file with a `CRITERION`, or with several, and its name here.
"""

from __future__ import annotations

from ackclock.evaluation.suite import Suite
from ackclock.evaluation.tcpeval import (
    basic,
    fairness,
    impact,
    multiple_bottlenecks,
    ramp_up,
    tradeoff,
    transients,
)

__all__ = ["SUITE"]

SUITE = Suite(
    key="tcpeval",
    title="draft-irtf-iccrg-tcpeval-01",
    criteria=(
        *basic.CRITERIA,
        tradeoff.CRITERION,
        ramp_up.CRITERION,
        *transients.CRITERIA,
        impact.CRITERION,
        *fairness.CRITERIA,
        multiple_bottlenecks.CRITERION,
    ),
    not_evaluated=(),
    thresholds="The draft has no thresholds; these are Ackclock's.",
    replaced=(
        (
            "Tmix traces are replaced by files that arrive as a Poisson process, with lognormal sizes (of 10 "
            "packets in the median, 74 in the mean), so that the offered load is the draft's; a tenth of it "
            "goes the other way."
        ),
        "All packets have 1500 bytes, and there is a warm-up instead of the draft's prefilling.",
        (
            "The wireless LAN is a link of 6 Mbit/s in either direction that repeats corrupted frames, "
            "without a medium that both directions share."
        ),
        "The camps of 6.1 have equal loads, not equal files; the edges of 5.3 have 1 Gbit/s.",
        "Runs are shorter than the draft's, which are up to two days of simulated time.",
    ),
)
