"""RobustMPC of Yin, Jindal, Sekar and Sinopoli, SIGCOMM 2015, sections 4 and 5.2.

The quality of experience of a plan is the sum of its rates, less `switches` (lambda) times their changes,
less `stalls` (mu) times the time without film; q(R) = R. The player knows the buffer and, from the harmonic
mean of the latest rates, a rate C that is lowered to C / (1 + err), with err the largest of the latest
relative errors. The buffer follows B_k+1 = ((B_k - d_k / C)+ + L - Delta t_k)+, where Delta t_k is the wait
for room.

The paper leaves these points open, and is read as follows: a change of the first rate of the plan counts
from the rate before, and is none for the first segment; err is taken anew from the same kind of prediction
for each of the latest downloads, and the first download, which nothing predicted, has none; the first
segment has the lowest quality; a plan ends with the film. The term of the start-up's length is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reference.adaptation.facts import Download, Film, Moment, harmonic_mean
from reference.registered import adaptation


@adaptation("robust-mpc")
@dataclass
class RobustMpc:
    """A plan of the next segments at a cautious rate."""

    horizon: float = 5.0
    samples: float = 5.0
    switches: float = 1.0
    stalls: float = 3000.0
    """In kbit/s for each second."""

    def choose(self, film: Film, at: Moment) -> tuple[int, float]:
        """The quality of the next segment, and the wait before its request."""
        if not at.downloads:
            return 0, 0.0
        values = self.values(film, at)
        return values.index(max(values)), 0.0

    def values(self, film: Film, at: Moment) -> list[float]:
        """For each quality of the next segment, the value of the best plan that begins with it."""
        rate, end = self.rate(at.downloads), min(at.segment + int(self.horizon), len(film.shape))
        qualities = range(len(film.rates))

        def value(segment: int, quality: int, before: int | None, buffer: float) -> float:
            time = film.bits(segment, quality) / rate
            change = 0.0 if before is None else abs(film.rates[quality] - film.rates[before])
            here = film.rates[quality] - self.switches * change - self.stalls * 1000 * max(time - buffer, 0.0)
            if segment + 1 == end:
                return here
            left = min(max(buffer - time, 0.0) + film.segment, film.buffer)
            return here + max(value(segment + 1, following, quality, left) for following in qualities)

        return [value(at.segment, quality, at.before, at.buffer) for quality in qualities]

    def rate(self, downloads: Sequence[Download]) -> float:
        """The lower bound of the predicted rate."""
        samples = int(self.samples)

        def error(number: int) -> float:
            before = downloads[max(number - samples, 0) : number]
            actual = downloads[number].rate
            return abs(harmonic_mean(before) - actual) / actual if before else 0.0

        latest = range(max(len(downloads) - samples, 0), len(downloads))
        return harmonic_mean(downloads[-samples:]) / (1 + max(error(number) for number in latest))
