"""The times at which a source of regular datagrams sends."""

from collections.abc import Iterator
from itertools import count, takewhile


def departures_ns(rate: int, size: int, start_ns: int, stop_ns: int) -> Iterator[int]:
    """From the start until before the stop: every `size` bytes at `rate` bit/s, each rounded to a nanosecond.

    Fractions of a nanosecond add up, so the rate is exact.
    """
    bits = size * 8_000_000_000
    times = (start_ns + (number * bits + rate // 2) // rate for number in count())
    return takewhile(lambda time: time < stop_ns, times)
