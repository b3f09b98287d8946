"""The facts by which a player chooses the quality of a segment.

Times are in seconds, sizes in bits, rates in bit/s. Qualities count from 0, the lowest.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Film:
    """A film, known from the beginning."""

    segment: float
    """The length of a segment."""
    rates: Sequence[float]
    """The mean rate of each quality, ascending."""
    shape: Sequence[float]
    """For each segment, the factor by which it is larger than the mean of its quality."""
    buffer: float
    """The most film that the player holds."""

    def bits(self, segment: int, quality: int) -> float:
        """The size of a segment."""
        return self.rates[quality] * self.segment * self.shape[segment]

    def highest_within(self, rate: float) -> int:
        """The highest quality whose mean rate is not above this rate, or the lowest."""
        return max((quality for quality, mean in enumerate(self.rates) if mean <= rate), default=0)


@dataclass(frozen=True, kw_only=True)
class Download:
    """A segment that has arrived."""

    bits: float
    time: float
    """From the request to the last packet."""

    @property
    def rate(self) -> float:
        """The measured rate."""
        return self.bits / self.time


@dataclass(frozen=True, kw_only=True)
class Moment:
    """The state of a player that may ask for its next segment: the buffer has room for it."""

    segment: int
    """The next segment, from 0."""
    buffer: float
    """The film in the buffer."""
    before: int | None
    """The quality of the segment before; None for the first."""
    downloads: Sequence[Download]
    """Of all segments that arrived, oldest first."""


def harmonic_mean(downloads: Sequence[Download]) -> float:
    """The harmonic mean of measured rates."""
    return len(downloads) / sum(1 / download.rate for download in downloads)
