"""RFC 9743, 5.2.3: short flows of standard congestion control among long flows of the algorithm."""

from __future__ import annotations

from ackclock.evaluation.criteria.short_flows import MEDIAN, TAIL, among_long, measure
from ackclock.evaluation.criterion import STANDARDS, Cell, Criterion


def cells(quick: bool) -> tuple[Cell, ...]:
    """Files of Reno and CUBIC."""
    seconds = 40 if quick else 200
    return tuple(
        Cell(
            f"{standard}'s files of {packets} packets among {long} of its long flows",
            among_long(long, packets, seconds, algorithm=standard),
            (standard,),
        )
        for standard in STANDARDS
        for long in ((4,) if quick else (1, 4))
        for packets in ((10, 100) if quick else (3, 10, 100, 1000))
    )


CRITERION = Criterion(
    key="others-short-flows",
    section="5.2.3",
    title="Short flows of others",
    force="MUST",
    question="What do short transfers of Reno and CUBIC lose if the long flows beside them are its?",
    experiment="As for short flows, with files of Reno or CUBIC; the standard of comparison has long flows "
    "of their kind.",
    measures=(MEDIAN, TAIL),
    cells=cells,
    measure=measure,
)
