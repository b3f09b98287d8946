"""RFC 9743, 5.2.3: pages of standard congestion control, next to a download of the algorithm."""

from __future__ import annotations

from ackclock.evaluation.criteria.pages import MEDIAN, TAIL, length_s, measure, next_to, settings
from ackclock.evaluation.criterion import Cell, Criterion


def cells(quick: bool) -> tuple[Cell, ...]:
    """Pages of Reno and of CUBIC next to its download, compared with those next to the standard's own."""
    return tuple(
        Cell(
            f"pages of {standard}, buffer {buffer:g} BDP",
            next_to(buffer, length_s(quick), pages=standard, download=None),
            (standard,),
        )
        for buffer, standard in settings(quick)
    )


CRITERION = Criterion(
    key="others-pages",
    section="5.2.3",
    title="Pages of others next to its download",
    force="MUST",
    question="How much longer do people wait for pages of Reno and CUBIC if the download is its?",
    experiment="As for pages, with the roles exchanged; the standard of comparison has the download too.",
    measures=(MEDIAN, TAIL),
    cells=cells,
    measure=measure,
)
