"""The quantities of the calls of a run, in one number each: of the call that has it worst.

A conversation is often several calls, one for each direction, and the mean of a direction that waits and
another that does not is nobody's delay.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = ["measured"]


def measured(result: RunRecord) -> dict[str, float]:
    """The quantities of the calls of one run; empty without a call.

    They are `call_delay_s`, the longest of the delays that 95 % of the packets of a call do not exceed;
    `call_loss_share`, the largest share of packets lost; and `call_freezes`, the freezes of all calls. What
    no call has is NaN: streams of datagrams have no picture that freezes.
    """
    calls = result.columns("calls") if "calls" in result.tables else {}
    if not calls or not len(calls["flow"]):
        return {}
    return {
        "call_delay_s": _of_known(calls["delay_p95_s"], np.max),
        "call_loss_share": _of_known(calls["loss"], np.max),
        "call_freezes": _of_known(calls["stalls"], np.sum),
    }


def _of_known(column: object, reduce: Callable[[np.ndarray], float]) -> float:
    values = np.asarray(column, dtype=float)
    known = values[np.isfinite(values)]
    return float(reduce(known)) if known.size else math.nan
