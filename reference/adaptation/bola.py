"""BOLA-BASIC of Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016 and IEEE/ACM ToN 28(4), 2020.

Sections IV and V: "For any slot we choose the segment bitrate to maximize (V u_m + V gamma p - Q) / S_m",
where Q is the buffer in segments and u_m = ln(S_m / S_1). "For a given Q_max we can set V = (Q_max - 1) /
(u_M + gamma p)." Before a full buffer, "a dynamic wait until Q(t_k) <= V (u_M + gamma p)". The paper leaves
ties open: they go to the lower quality. S_m is the mean size of a quality, so that its place does not
depend on the segment.
"""

import math
from dataclasses import dataclass

from reference.adaptation.facts import Film, Moment
from reference.registered import adaptation


def utility(film: Film, quality: int) -> float:
    """The logarithm of the size, in sizes of the lowest quality."""
    return math.log(film.rates[quality] / film.rates[0])


def control(film: Film, most: float, gp: float) -> float:
    """V, for a buffer of this many segments."""
    return (most - 1) / (utility(film, len(film.rates) - 1) + gp)


def worth(film: Film, quality: int, v: float, gp: float, buffer: float) -> float:
    """The value that a choice makes largest; the buffer is in segments."""
    return (v * (utility(film, quality) + gp) - buffer) / (film.rates[quality] * film.segment)


def most_worth(film: Film, v: float, gp: float, buffer: float) -> int:
    """The quality with the largest value."""
    return max(range(len(film.rates)), key=lambda quality: worth(film, quality, v, gp, buffer))


@adaptation("bola")
@dataclass
class Bola:
    """The most utility per bit, less the price of the buffer."""

    gp: float = 5.0

    def choose(self, film: Film, at: Moment) -> tuple[int, float]:
        """The quality of the next segment, and the wait before its request."""
        buffer, most = at.buffer / film.segment, film.buffer / film.segment
        quality = most_worth(film, control(film, most, self.gp), self.gp, buffer)
        return quality, film.segment * max(buffer - (most - 1), 0.0)
