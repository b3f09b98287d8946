"""Sharing of control blocks: RFC 9040, and SPAND (burst-tcp, 3.3.2) as docs/algorithms/sharing.md chooses.

Connections are files over a path with a delay but no transmission times or losses. Their windows follow from
the acknowledged packets, and their times from the round trips of the windows.
"""

import math
from dataclasses import dataclass


@dataclass
class Block:
    """The part of a control block that can be shared (RFC 9040, 4), as far as it sets windows; in packets."""

    cwnd: float
    ssthresh: float = math.inf


def sent(packets: int, block: Block) -> tuple[int, Block]:
    """The round trips of a file that begins with these windows, without the handshake, and its last windows.

    RFC 5681, eq. 2 and 3, with an acknowledgment for each packet. The window grows while it holds the sender
    back (RFC 7661, 4.4).
    """
    cwnd, ssthresh = block.cwnd, block.ssthresh
    flight = left_at = min(int(cwnd), packets)
    round_trips = 1
    while left_at < packets:
        arriving, flight_then, round_trips = flight, flight, round_trips + 1
        for _ in range(arriving):
            if left_at < packets:
                cwnd += 1 if cwnd < ssthresh else 1 / cwnd
            flight_then -= 1
            more = min(int(cwnd) - flight_then, packets - left_at)
            flight_then, left_at = flight_then + more, left_at + more
        flight = flight_then
    return round_trips, Block(cwnd, ssthresh)


def temporal(own: Block, latest: Block | None) -> Block:
    """RFC 9040, 6: the threshold of the latest connection, if it has one; the window is the new one's own."""
    if latest is None or math.isinf(latest.ssthresh):
        return own
    return Block(own.cwnd, latest.ssthresh)


def ensemble(own: Block, open_blocks: list[Block], latest: Block | None) -> tuple[Block, list[Block]]:
    """RFC 9040, 7: with n others a connection has an (n + 1)th of the sum of their windows.

    The others give it up, so that their windows shrink. A share below the connection's own window is not
    used.
    """
    count = len(open_blocks)
    if count == 0:
        return temporal(own, latest), []
    share = sum(block.cwnd for block in open_blocks) / (count + 1)
    ssthresh = sum(block.ssthresh for block in open_blocks) / count
    mean = Block(own.cwnd, own.ssthresh if math.isinf(ssthresh) else ssthresh)
    if share <= own.cwnd:
        return mean, open_blocks
    kept = [Block(block.cwnd * count / (count + 1), block.ssthresh) for block in open_blocks]
    return Block(share, max(mean.ssthresh, share)), kept


@dataclass
class Gateway:
    """SPAND's performance gateway: a moving average over the windows of all connections of the domain."""

    window: float | None = None

    def begin(self, own: Block, packets: int) -> Block:
        """The share, as far as the file needs it; congestion avoidance continues from there."""
        if self.window is None or self.window <= own.cwnd:
            return own
        return Block(max(min(self.window, packets), own.cwnd), self.window)

    def learn(self, block: Block) -> None:
        """A connection without losses has ended, so that the share is at least its window."""
        if self.window is None:
            self.window = block.cwnd
        elif block.cwnd > self.window:
            self.window += (block.cwnd - self.window) / 4
