"""The expected completion time of a file over a path with random loss, for a given slow start.

A renewal argument after Cardwell, Savage and Anderson (IEEE INFOCOM 2000), with the growth of Burst TCP as
well as that of standard slow start. A file proceeds in round trips. Its first loss is at packet j with
probability p (1 - p)^(j - 1); until then the window grows as without losses, packet by packet. The loss costs
a round trip if three packets after it arrive, and otherwise a timeout; the rest of the file begins with half
of the window. Further losses in the same window are left out.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ackclock.errors import InputError

__all__ = ["FileModel"]

DUPLICATES = 3
LEAST_THRESHOLD = 2.0


@dataclass(frozen=True)
class FileModel:
    """A path, and the sender of a file: standard slow start, or Burst TCP where `f` is given."""

    rtt_s: float
    initial_window: float = 1.0
    f: float | None = None
    """The smoothing-out factor of Burst TCP; none for standard slow start."""
    mice: float = 32.0
    """Its mice threshold, in packets."""
    timeout_s: float = 1.0
    """The timeout of a SYN, and the first retransmission timeout; both double on repetition."""
    handshake: bool = True

    def windows(self) -> Iterator[int]:
        """The packets of each round trip of a connection without losses."""
        return _rounds(self.initial_window, math.inf, self._step)

    def rounds(self, packets: int) -> int:
        """The round trips of a file without a loss, handshake included."""
        return int(self.handshake) + _rounds_for(packets, self.windows())

    def completion_s(self, packets: int, loss: float = 0.0) -> float:
        """The expected time from the SYN to the acknowledgment of the last packet.

        `loss` is the probability of each packet's loss, below a half: above that, doubling timeouts have no
        mean.
        """
        if packets < 1 or not 0 <= loss < 0.5:
            raise InputError(
                f"{packets} packets and a loss rate of {loss:g}: at least 1 is sent, at a rate below 0.5"
            )
        solve = _expected(self, loss)
        for rest in range(1, packets):
            # The shortest rest comes first, so that the recursion stays flat.
            for window in (1.0, LEAST_THRESHOLD):
                solve.time_s(rest, window, LEAST_THRESHOLD)
        opening = (self.rtt_s + loss * solve.wait_s) * self.handshake
        return opening + solve.first_s(packets)

    def _step(self, window: float) -> float:
        """The packets that an acknowledgment adds to the window."""
        if self.f is None or window >= self.mice:
            return 1.0
        return max(math.floor((self.mice - window) / self.f), 1) / window


class _Expected:
    """Expected times of the rest of a file, each computed once."""

    def __init__(self, model: FileModel, loss: float) -> None:
        self.model = model
        self.loss = loss
        self.wait_s = model.timeout_s / (1 - 2 * loss)
        """The time until a packet that the timer repeats arrives; repetitions may be lost, and the timer
        doubles."""
        self.time_s = functools.cache(self._time_s)

    def first_s(self, packets: int) -> float:
        """Of a whole file."""
        return self._after(packets, self.model.windows)

    def _time_s(self, packets: int, window: float, threshold: float) -> float:
        """The time of a rest that begins after a loss."""
        return self._after(packets, lambda: _rounds(window, threshold, lambda _: 1.0))

    def _after(self, packets: int, windows: Callable[[], Iterator[int]]) -> float:
        """The time of packets that leave in these windows until one is lost."""
        rtt, p = self.model.rtt_s, self.loss
        expected = (1 - p) ** packets * _rounds_for(packets, windows()) * rtt
        begun, elapsed = 0, rtt
        sizes = windows()
        size = next(sizes)
        for lost in range(1, packets + 1 if p > 0 else 1):
            if lost > begun + size:
                begun, elapsed, size = begun + size, elapsed + rtt, next(sizes)
            followers = min(size - 1, packets - lost)
            left = packets - lost - followers
            half = max(size / 2, LEAST_THRESHOLD)
            fast = _at_least(DUPLICATES, followers, 1 - p)
            by_duplicates = p * self.wait_s + self._rest(left, half, half)
            by_timer = self.wait_s + self._rest(left, 1.0, half)
            repair = rtt + fast * by_duplicates + (1 - fast) * by_timer
            expected += p * (1 - p) ** (lost - 1) * (elapsed + repair)
        return expected

    def _rest(self, packets: int, window: float, threshold: float) -> float:
        return self.time_s(packets, window, threshold) if packets > 0 else 0.0


@functools.lru_cache(maxsize=8)
def _expected(model: FileModel, loss: float) -> _Expected:
    """Kept, since what a file has left after a loss is what a shorter file has."""
    return _Expected(model, loss)


def _rounds(window: float, threshold: float, step: Callable[[float], float]) -> Iterator[int]:
    """Packets of each round trip: an acknowledgment adds `step`, or from the threshold on less than one."""
    while True:
        packets = int(window)
        yield packets
        for _ in range(packets):
            window += min(step(window), threshold - window) if window < threshold else 1 / window


def _rounds_for(packets: int, windows: Iterator[int]) -> int:
    """The round trips that this many packets take."""
    number = 0
    while packets > 0:
        packets -= next(windows)
        number += 1
    return number


@functools.cache
def _at_least(least: int, tries: int, share: float) -> float:
    """The probability of this many successes."""
    return sum(
        math.comb(tries, hits) * share**hits * (1 - share) ** (tries - hits)
        for hits in range(least, tries + 1)
    )
