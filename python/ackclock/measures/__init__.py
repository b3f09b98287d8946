"""Measures of finished runs: metrics and their statistics, and studies of one aspect each.

- `metrics`: the numbers that every run has, their means over seeds, and their paired differences;
- `statistics`: confidence intervals, distributions, fairness indices;
- `transfers`, `users`: times of files, of pages and of the people who wait for them;
- `verdict`: a finding, what was expected, and the outcome;
- `epochs`, `short_term_fairness`: what flows get in short times;
- `over_time`: the series of a flow at every sample of a run, also where the flow does not live;
- `response_vector`: what designed experiments on large networks read, by tier and class;
- `heavy_tail`: whether sizes have a heavy tail, and where it begins;
- `groups`: the flows of a group, or of a competitor, together; links by name;
- `elephants`: the few flows that carry most of the traffic.
"""

from ackclock.measures import (
    elephants,
    epochs,
    groups,
    heavy_tail,
    metrics,
    over_time,
    response_vector,
    short_term_fairness,
    statistics,
    transfers,
    users,
    verdict,
)

__all__ = [
    "elephants",
    "epochs",
    "groups",
    "heavy_tail",
    "metrics",
    "over_time",
    "response_vector",
    "short_term_fairness",
    "statistics",
    "transfers",
    "users",
    "verdict",
]
