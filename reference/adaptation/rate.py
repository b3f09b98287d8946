"""The rate-based choice "RB" of Yin, Jindal, Sekar and Sinopoli, SIGCOMM 2015, 7.1.2.

It picks the highest rate below the predicted throughput, the harmonic mean of the past five segments. The
paper leaves the first segment open: it has the lowest quality. A rate that is just the prediction counts as
within it. `share` is not from the paper, which has all of the prediction.
"""

from dataclasses import dataclass

from reference.adaptation.facts import Film, Moment, harmonic_mean
from reference.registered import adaptation


@adaptation("rate")
@dataclass
class Rate:
    """The highest rate within a share of the harmonic mean of the latest downloads."""

    samples: float = 5.0
    share: float = 1.0

    def choose(self, film: Film, at: Moment) -> tuple[int, float]:
        """The quality of the next segment, and the wait before its request."""
        if not at.downloads:
            return 0, 0.0
        return film.highest_within(self.share * harmonic_mean(at.downloads[-int(self.samples) :])), 0.0
