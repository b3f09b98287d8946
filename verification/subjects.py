"""The subjects by name, in the order of the documentation."""

from __future__ import annotations

from typing import Protocol

import matplotlib as mpl

from ackclock.report import style
from verification import (
    conservation,
    determinism,
    fairness,
    loss_response,
    queueing,
    queues,
    recoveries,
    response_functions,
    sawtooth,
    slow_start,
    tfrc_rate,
    timeouts,
    vegas_queue,
)
from verification.evidence import Evidence


class Subject(Protocol):
    """An experiment that compares with theory or a standard."""

    def __call__(self, *, quick: bool) -> Evidence:
        """Carries it out; `quick` with fewer points and seeds."""


SUBJECTS: dict[str, Subject] = {
    "queueing": queueing.verify,
    "queues": queues.verify,
    "sawtooth": sawtooth.verify,
    "loss-response": loss_response.verify,
    "response-functions": response_functions.verify,
    "recoveries": recoveries.verify,
    "vegas-queue": vegas_queue.verify,
    "timeouts": timeouts.verify,
    "slow-start": slow_start.verify,
    "fairness": fairness.verify,
    "tfrc-rate": tfrc_rate.verify,
    "conservation": conservation.verify,
    "determinism": determinism.verify,
}


def carry_out(name: str, *, quick: bool) -> Evidence:
    """One subject, its figure in the style of all others."""
    with mpl.rc_context(dict(style.MATPLOTLIB)):
        return SUBJECTS[name](quick=quick)
