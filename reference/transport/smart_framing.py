"""TCP Smart Framing for a file over an idle path, in slow start from a window of one segment.

"A TCP-SF source is allowed to send an initial window of 4 smaller segments, whose aggregate payload is equal
to the connection's MSS" (Mellia, Casetti and Meo 2001, abstract), and has "a number of in-flight segments
larger than 3" as long as its window is small (the same, 2005). Slow start is unchanged: the window and the
data sent double in each round trip.
"""

PARTS = 4


def segments(file_bytes: int, mss: int) -> list[int]:
    """The payloads of the segments, in the order in which they are sent."""
    sent: list[int] = []
    window, left = mss, file_bytes
    while left > 0:
        # A window of four segments and more needs no division.
        parts = max(PARTS, window // mss)
        for _ in range(parts):
            if left > 0:
                sent.append(min(window // parts, left))
                left -= sent[-1]
        window *= 2
    return sent


def needs_timeout(count: int, lost: int) -> bool:
    """True if the loss of one of this many segments, counted from one, waits for the retransmission timer.

    At least four are in flight while there is data, so the three that arrive after the lost one bring three
    duplicates.
    """
    return count - lost < PARTS - 1
