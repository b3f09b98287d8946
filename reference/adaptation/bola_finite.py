"""BOLA-U and BOLA-O of Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016 and IEEE/ACM ToN 28(4), 2020.

The lines come from Algorithm 1 (figure 6 of the later text), with qualities from 1 there and from 0 here:

     2: t <- min[playtime from begin, playtime to end]
     3: t' <- max[t / 2, 3p]
     4: QD_max <- min[Q_max, t' / p]
     5: VD <- (QD_max - 1) / (u_M + gamma p)
     6: m*[n] <- arg max (VD u_m + VD gamma p - Q) / S_m
     7: if m*[n] > m*[n - 1] then
     8:   r <- bandwidth measured when downloading segment (n - 1)
     9:   m' <- max m such that S_m / p <= max[r, S_1 / p]
    10:   if m' >= m*[n] then m' <- m*[n]
    12:   else if m' < m*[n - 1] then m' <- m*[n - 1]
    14:   else if some utility sacrificed for fewer oscillations then (BOLA-O)
    15:     pause until (VD u_m' + VD gamma p - Q) / S_m' >= (VD u_m'+1 + VD gamma p - Q) / S_m'+1
    16:   else m' <- m' + 1 (BOLA-U)
    19:   m*[n] <- m'
    21: pause for max[p (Q - QD_max + 1), 0]

The conference's text counts qualities downwards, and has the same rules. Abandoned downloads (line 22) are
left out. Open points, and how they are read:

- The playtimes are those of the place of the segment in the film.
- The first segment has none before, so that lines 7 to 20 do not hold for it.
- Lines 15 and 21 pause one after the other, so that the wait is until the smaller of both buffers.
- With a small gamma p the buffer of line 15 is below zero: the pause ends when the buffer is empty.

The buffer of line 15, "the appropriate threshold", is where m' and m' + 1 are worth the same: V (gamma p -
alpha), with the alpha of VI-B. The authors' simulator Sabre ends the pause earlier, at VD (u_m' + gamma p);
there m' is worth nothing, and m' + 1 still more.
"""

from dataclasses import dataclass

from reference.adaptation.bola import control, most_worth, utility
from reference.adaptation.facts import Film, Moment
from reference.registered import adaptation

LEAST_BUFFER = 3
"""In segments."""


def dynamic_buffer(film: Film, segment: int) -> float:
    """QD_max: the buffer is smaller near both ends of the film. In segments."""
    playtime = min(segment, len(film.shape) - segment)
    return min(film.buffer / film.segment, max(playtime / 2, LEAST_BUFFER))


def indifferent(film: Film, quality: int, v: float, gp: float) -> float:
    """The buffer at which a quality and the next one are worth the same, in segments."""
    low, high = film.rates[quality], film.rates[quality + 1]
    return v * (gp + (high * utility(film, quality) - low * utility(film, quality + 1)) / (high - low))


def choose(film: Film, at: Moment, gp: float, *, fewer_oscillations: bool) -> tuple[int, float]:
    """Algorithm 1."""
    buffer, most = at.buffer / film.segment, dynamic_buffer(film, at.segment)
    v = control(film, most, gp)
    best, wanted = most_worth(film, v, gp, buffer), most - 1
    if at.before is not None and best > at.before:
        within = film.highest_within(at.downloads[-1].rate)
        if within < at.before:
            best = at.before
        elif within < best and fewer_oscillations:
            best = within
            wanted = min(wanted, max(indifferent(film, within, v, gp), 0.0))
        elif within < best:
            best = within + 1
    return best, film.segment * max(buffer - wanted, 0.0)


@adaptation("bola-u")
@dataclass
class BolaU:
    """A rise that goes at most one quality beyond the measured rate."""

    gp: float = 5.0

    def choose(self, film: Film, at: Moment) -> tuple[int, float]:
        """The quality of the next segment, and the wait before its request."""
        return choose(film, at, self.gp, fewer_oscillations=False)


@adaptation("bola-o")
@dataclass
class BolaO:
    """A rise within the measured rate, which waits until its quality is the best one."""

    gp: float = 5.0

    def choose(self, film: Film, at: Moment) -> tuple[int, float]:
        """The quality of the next segment, and the wait before its request."""
        return choose(film, at, self.gp, fewer_oscillations=True)
