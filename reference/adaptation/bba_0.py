"""BBA-0 of Huang, Johari, McKeown, Trunnell and Watson, SIGCOMM 2014, section 4 and Algorithm 1.

The rate map is linear from the lowest rate at the reservoir to the highest at the end of the cushion.
"Rate+" and "Rate-" are the next rates above and below the one before. The shares are those of the paper's
buffer of 240 s: 90 s and 216 s. The paper leaves two points open, and is read as follows:

- The rate before the first segment is the lowest.
- The cushion ends a segment below the whole buffer at the latest, since a player that asks has room for
  one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reference.adaptation.facts import Film, Moment
from reference.registered import adaptation


def algorithm_1(values: Sequence[float], wanted: float, before: int) -> int:
    """The part of Algorithm 1 between the reservoir and the end of the cushion.

    `values` are of each quality what `wanted`, the map's value, is compared with.
    """
    above, below = min(before + 1, len(values) - 1), max(before - 1, 0)
    if wanted >= values[above]:  # "else if f(Buf_now) >= Rate+ then Rate_next = max{R_i : R_i < f(Buf_now)}"
        return max((quality for quality, value in enumerate(values) if value < wanted), default=0)
    if wanted <= values[below]:  # "else if f(Buf_now) <= Rate- then Rate_next = min{R_i : R_i > f(Buf_now)}"
        return min((quality for quality, value in enumerate(values) if value > wanted), default=before)
    return before


def linear(at: float, start: tuple[float, float], end: tuple[float, float]) -> float:
    """The line through two points."""
    return start[1] + (at - start[0]) / (end[0] - start[0]) * (end[1] - start[1])


def cushion_end(film: Film, full: float) -> float:
    """The buffer from which the highest quality is taken."""
    return min(full * film.buffer, film.buffer - film.segment)


@adaptation("bba-0")
@dataclass
class Bba0:
    """The rate rises linearly with the buffer."""

    reservoir: float = 0.375
    full: float = 0.9

    def choose(self, film: Film, at: Moment) -> tuple[int, float]:
        """The quality of the next segment, and the wait before its request."""
        reservoir, end = self.reservoir * film.buffer, cushion_end(film, self.full)
        if at.buffer <= reservoir:
            return 0, 0.0
        if at.buffer >= end:
            return len(film.rates) - 1, 0.0
        wanted = linear(at.buffer, (reservoir, film.rates[0]), (end, film.rates[-1]))
        return algorithm_1(film.rates, wanted, at.before or 0), 0.0
