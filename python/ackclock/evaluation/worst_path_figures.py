"""The figure of a worst path: the contender's run next to the standard's."""

from __future__ import annotations

from ackclock import provenance
from ackclock.attacks import figures
from ackclock.attacks.objective import QUANTITIES
from ackclock.attacks.parting import parting
from ackclock.evaluation.worst_paths import WorstPath
from ackclock.report.figures import image

__all__ = ["draw"]


def draw(path: WorstPath) -> bytes:
    """The figure as SVG. Raises InputError if nothing was found."""
    done = path.attack
    runs = done.run(), done.run(done.problem.beside)
    parted = parting(*runs, QUANTITIES[done.problem.quantity].column)
    about = {
        "Title": f"The worst path found for {done.label}: {path.title}",
        "Description": provenance.command_line(),
    }
    return image(figures.draw(*runs, parted), "svg", about)
