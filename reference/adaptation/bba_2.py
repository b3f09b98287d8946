"""BBA-2 of Huang, Johari, McKeown, Trunnell and Watson, SIGCOMM 2014, sections 5 (BBA-1) and 6.

The protection from outages of 7.1 is left out. The rules from which the lines come:

- Chunk map: linear from the mean size of the lowest quality at the reservoir to that of the highest at the
  end of the cushion. The quality stays, in the words of Huang's thesis, "as long as the chunk size
  suggested by the map does not pass the size of the next upcoming chunk at the next highest available video
  rate (Rate+) or the next lowest available video rate (Rate-)".
- Reservoir: film that the client consumes less what it can resupply while it fetches the segments of the
  next twice the buffer at a capacity of the lowest rate. The paper bounds it by 8 s, two segments, and 140
  s of 240 s.
- Start-up: "BBA-2 only picks the next highest video rate, if the Delta B increases by more than 0.875V s.
  Since Delta B = V - ChunkSize/c[k]"; by the time the cushion is full, half of V is enough, and between
  them the threshold "decreases linearly, from the first chunk until the cushion is full". It lasts "until
  (1) the buffer is decreasing, or (2) the chunk map suggests a higher rate".

Open points, and how they are read: the lower bound of the reservoir holds against the upper one; fewer
segments than twice the buffer count near the film's end; a rise by the map, whose value may lie between
sizes of this segment, never ends below the quality before, and a fall never above.
"""

from dataclasses import dataclass, field

from reference.adaptation.bba_0 import algorithm_1, cushion_end, linear
from reference.adaptation.facts import Film, Moment
from reference.registered import adaptation

LEAST_RESERVOIR = 2
"""In segments: the 8 s of the paper."""


def reservoir(film: Film, segment: int, largest: float) -> float:
    """The buffer that pays for the large segments ahead."""
    ahead = range(segment, min(segment + int(2 * film.buffer / film.segment), len(film.shape)))
    short = sum(film.bits(number, 0) / film.rates[0] - film.segment for number in ahead)
    return max(min(short, largest), LEAST_RESERVOIR * film.segment)


def by_chunk_map(film: Film, at: Moment, largest_reservoir: float, end: float) -> int:
    """The quality of BBA-1."""
    start, before = reservoir(film, at.segment, largest_reservoir), at.before or 0
    if at.buffer <= start:
        return 0
    if at.buffer >= end:
        return len(film.rates) - 1
    wanted = linear(at.buffer, (start, film.rates[0] * film.segment), (end, film.rates[-1] * film.segment))
    sizes = [film.bits(at.segment, quality) for quality in range(len(film.rates))]
    chosen = algorithm_1(sizes, wanted, before)
    return max(chosen, before) if wanted >= sizes[min(before + 1, len(sizes) - 1)] else min(chosen, before)


@adaptation("bba-2")
@dataclass
class Bba2:
    """The size of the next segment rises with the buffer; at first, fast downloads raise the quality."""

    reservoir: float = 140 / 240
    full: float = 0.9
    first: float = 0.875
    last: float = 0.5
    starting: bool = field(default=True, init=False)

    def choose(self, film: Film, at: Moment) -> tuple[int, float]:
        """The quality of the next segment, and the wait before its request."""
        end = cushion_end(film, self.full)
        mapped = by_chunk_map(film, at, self.reservoir * film.buffer, end)
        if self.starting:
            started = self.in_start_up(film, at, end)
            self.starting = started is not None and mapped <= started
            if started is not None and self.starting:
                return started, 0.0
        return mapped, 0.0

    def in_start_up(self, film: Film, at: Moment, end: float) -> int | None:
        """The quality of the start-up; None when the buffer is decreasing."""
        if not at.downloads or at.before is None:
            return 0
        growth = film.segment - at.downloads[-1].time
        if growth < 0:
            return None
        needed = linear(min(at.buffer, end), (0, self.first), (end, self.last)) if end else self.last
        return min(at.before + 1, len(film.rates) - 1) if growth > needed * film.segment else at.before
