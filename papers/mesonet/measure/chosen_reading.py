"""Compound TCP's cells by the reading that the search of settings chooses, over the chapter's 1000 s.

`python -m papers.mesonet.measure.chosen_reading` prints them, in four minutes of one processor.
"""

from __future__ import annotations

from pathlib import Path

from ackclock.papers import Context, load_paper, searched

from . import readings
from .study import RTTS_MS, TABLES


def main() -> None:
    """Prints a line for each round-trip time."""
    paper = load_paper(Path(__file__).parents[1])
    table = paper.folder.parents[1] / "published" / "papers" / paper.key / "settings.csv"
    readings.LEVELS.update(searched.read(table).chosen.levels)
    context = Context(paper, quick=False, workers=1)
    for rtt in RTTS_MS:
        outcome = readings.compound(context, rtt, {"trace.interval": "100 ms"})
        print(f"{rtt} ms", *(f"{table} {outcome.value(table):.3f}" for table in TABLES))


if __name__ == "__main__":
    main()
