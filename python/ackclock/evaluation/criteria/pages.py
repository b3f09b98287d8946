"""RFC 9743, 5.2.3: pages that the algorithm carries, next to a download of standard congestion control."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ackclock.evaluation.criterion import STANDARDS, Cell, Criterion, Measure
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import goodputs
from ackclock.measures import censored, users
from ackclock.measures.record import RunRecord

MEDIAN = Measure("page_50_s", "load time, median", "s", 1, 2, "lower", 0.05)
TAIL = Measure("page_95_s", "load time, 95th percentile", "s", 1, 2, "lower", 0.1)
DOWNLOAD = Measure("download", "goodput of the download", "Mbit/s", 1e-6, 2, "higher", 1e4)

PAGE, READERS = "median-desktop", 4


def next_to(buffer: float, seconds: float, *, pages: str | None, download: str | None) -> dict[str, object]:
    """Readers who load and read pages next to a download; None stands for the contender."""
    long = flows("long") | ({"algorithm": download} if download else {})
    readers = {
        "name": "reader",
        "count": READERS,
        "page": PAGE,
        "backward": True,
        # They begin with the time that counts.
        "start": "5 s",
        "start_jitter": "1 s",
        "think": {"exponential": {"mean": "5 s"}},
        **({"algorithm": pages} if pages else {}),
    }
    return dumbbell(20, 40, buffer, [long, readers], seconds=seconds)


def settings(quick: bool) -> tuple[tuple[float, str], ...]:
    """The depths of the buffer with each standard."""
    return tuple((buffer, standard) for buffer in ((2,) if quick else (0.5, 2, 8)) for standard in STANDARDS)


def length_s(quick: bool) -> float:
    """The length of a run in seconds."""
    return 60 if quick else 120


def cells(quick: bool) -> tuple[Cell, ...]:
    """Its pages next to a download by Reno and by CUBIC, compared with the standard's own pages there."""
    return tuple(
        Cell(
            f"a download by {standard}, buffer {buffer:g} BDP",
            next_to(buffer, length_s(quick), pages=None, download=standard),
            (standard,),
        )
        for buffer, standard in settings(quick)
    )


def measure(result: RunRecord) -> Mapping[str, float]:
    """Quantiles of the load times, and the goodput of the download.

    A page that is incomplete at the end counts as longer than until then; without any page, as long as the
    run.
    """
    pages = users.records(result)
    times, until_end = pages["time_s"].to_numpy(), pages["until_end_s"].to_numpy()
    is_there = np.isfinite(times)
    rates = goodputs(result, "long")

    def within(share: float) -> float:
        if not times.size:
            return result.scenario.duration_s
        return censored.quantile(times[is_there], until_end[~is_there], share)

    return {
        MEDIAN.key: within(0.5),
        TAIL.key: within(0.95),
        DOWNLOAD.key: float(rates.mean()) if rates.size else 0.0,
    }


CRITERION = Criterion(
    key="pages",
    section="5.2.3",
    title="Pages next to a download of others",
    force="MUST",
    question="How long do people wait for pages that it carries, next to a download by Reno or CUBIC?",
    experiment=f"{READERS} readers load pages over HTTP/2 and read each for 5 s in the mean, next to a "
    "download over 20 Mbit/s. Unfinished pages count as longer than until the end.",
    measures=(MEDIAN, TAIL, DOWNLOAD),
    cells=cells,
    measure=measure,
)
