"""The checks by name, in the order of the documentation."""

from __future__ import annotations

from typing import Protocol

import matplotlib as mpl

from ackclock.report import style
from verification.checks import (
    capacity,
    conservation,
    determinism,
    dualpi2,
    fairness,
    loss_response,
    policing,
    queueing,
    queues,
    recoveries,
    response_functions,
    sawtooth,
    slow_start,
    spurious,
    tfrc_rate,
    timeouts,
    vegas_queue,
)
from verification.report import Report


class Check(Protocol):
    """An experiment that compares with theory or a standard."""

    def __call__(self, *, quick: bool) -> Report:
        """Runs it; `quick` with fewer points and seeds."""


CHECKS: dict[str, Check] = {
    "queueing": queueing.verify,
    "queues": queues.verify,
    "dualpi2": dualpi2.verify,
    "capacity": capacity.verify,
    "policing": policing.verify,
    "sawtooth": sawtooth.verify,
    "loss-response": loss_response.verify,
    "response-functions": response_functions.verify,
    "recoveries": recoveries.verify,
    "spurious": spurious.verify,
    "vegas-queue": vegas_queue.verify,
    "timeouts": timeouts.verify,
    "slow-start": slow_start.verify,
    "fairness": fairness.verify,
    "tfrc-rate": tfrc_rate.verify,
    "conservation": conservation.verify,
    "determinism": determinism.verify,
}


def run_check(name: str, *, quick: bool) -> Report:
    """Runs one check, with its figure in the style of all others."""
    with mpl.rc_context(dict(style.MATPLOTLIB)):
        return CHECKS[name](quick=quick)
