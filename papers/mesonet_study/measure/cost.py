"""The processor time of a run.

A store identifies runs by the file of their measure, so this module holds nothing else: it changes seldom.
"""

from __future__ import annotations

import ackclock


def processor_time(result: ackclock.Result) -> dict[str, float]:
    """Processor time in seconds, and events and packets, which it is spent on."""
    return {"cpu_s": result.cpu_s, "events": float(result.events), "packets": float(result.packets_delivered)}
