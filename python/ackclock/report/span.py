"""The part of a run that figures over time show: until nothing happens any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ackclock.measures.record import RunRecord

__all__ = ["shown_until_s"]

ACTIVE = (
    ("flow_series", ("goodput_bit_per_s", "in_flight_packets")),
    ("network_series", ("goodput_bit_per_s",)),
    ("link_series", ("queue_packets",)),
)
"""The series and their columns that are above zero while packets are on their way."""

ROOM = 1.05
"""The axis ends this much later than the last event."""

WORTH = 0.8
"""An axis is cut if this share of the run is enough."""


def shown_until_s(results: Sequence[RunRecord]) -> float:
    """The end of the time axis in s: the end of the run, or soon after the last packet if it is far earlier.

    A film goes on when its last packet is there, and so does its axis.
    """
    duration_s = results[0].scenario.duration_s
    last_s = 0.0
    for result in results:
        if "films" in result.tables and result.tables["films"].height:
            return duration_s
        for table, columns in ACTIVE:
            if table not in result.tables:
                continue
            series = result.columns(table)
            for column in columns:
                busy = np.asarray(series[column], dtype=float) > 0
                if busy.any():
                    last_s = max(last_s, float(np.asarray(series["time_s"], dtype=float)[busy].max()))
    end_s = ROOM * last_s
    return end_s if 0 < end_s < WORTH * duration_s else duration_s
