"""A link between two programs on this machine, for the logs in this folder.

python tests/qlogs/link.py 4434 4433

Datagrams to the first port go to the second one at 10 Mbit/s, with 20 ms of delay and a buffer of 30 packets;
the answers go back with the same delay. It ends when nothing has come for three seconds.
"""

import heapq
import select
import socket
import sys
import time

RATE_BIT_PER_S = 10e6
DELAY_S = 0.02
BUFFER_PACKETS = 30
HEADERS_BYTES = 28
IDLE_S = 3.0
HOST = "127.0.0.1"


class Link:
    """Both directions, of which the forward one has a rate and a buffer."""

    def __init__(self, listening: int, to: int) -> None:
        self.front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.front.bind((HOST, listening))
        self.back = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.peers: dict[socket.socket, tuple[str, int]] = {self.back: (HOST, to)}
        self.waiting: list[float] = []
        self.arrivals: list[tuple[float, int, socket.socket, bytes]] = []
        self.count = self.dropped = 0

    def take(self, ready: socket.socket, now: float) -> None:
        """Takes a datagram that has come, and drops it if the buffer is full."""
        data, sender = ready.recvfrom(65536)
        self.count += 1
        departs = now
        if ready is self.front:
            self.peers[self.front] = sender
            self.waiting = [at for at in self.waiting if at > now]
            if len(self.waiting) > BUFFER_PACKETS:
                self.dropped += 1
                return
            begins = max([*self.waiting[-1:], now])
            departs = begins + (len(data) + HEADERS_BYTES) * 8 / RATE_BIT_PER_S
            self.waiting.append(departs)
        onward = self.back if ready is self.front else self.front
        heapq.heappush(self.arrivals, (departs + DELAY_S, self.count, onward, data))

    def run(self) -> None:
        """Carries datagrams until there are no more."""
        last = None
        while last is None or time.monotonic() - last < IDLE_S:
            due = self.arrivals[0][0] - time.monotonic() if self.arrivals else IDLE_S
            ready, _, _ = select.select([self.front, self.back], [], [], max(due, 0.0))
            for each in ready:
                last = time.monotonic()
                self.take(each, last)
            while self.arrivals and self.arrivals[0][0] <= time.monotonic():
                _, _, onward, data = heapq.heappop(self.arrivals)
                onward.sendto(data, self.peers[onward])


if __name__ == "__main__":
    link = Link(int(sys.argv[1]), int(sys.argv[2]))
    link.run()
    print(f"{link.count} datagrams, {link.dropped} dropped", file=sys.stderr)
