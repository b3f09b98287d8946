"""A browser that loads a page: when each object is found, asked for and complete (RFC 9112 to 9114, 9218).

"A client ought to limit the number of simultaneous open connections that it maintains to a given server"
(RFC 9112, 9.4). Without pipelining a connection of HTTP/1.1 carries one response after the other; there are
up to six. HTTP/2 multiplexes streams over one connection in frames of at most 2^14 bytes (RFC 9113, 4.2 and
5); HTTP/3 does so over QUIC, which sends what it chooses for each packet (RFC 9114, 2).

The server orders responses by RFC 9218, 10: those of higher urgency first; of one urgency, responses that
are not incremental one by one in the order of their requests, and incremental ones by sharing the bandwidth.
For both kinds at one urgency the RFC leaves the choice: here the first that is not incremental shares as
well.

The rest follows `docs/pages.md`: an object is found when its parent has arrived up to an offset and a delay
has passed. A TCP connection takes a round trip, and TLS another, with 500 bytes and 4000 back; the handshake
of QUIC contains it. The server decides on the next frame when its transport has sent the one before.

The path is a link of one rate and one delay in each direction that loses nothing and holds all that comes.
The window of a connection is constant, each segment is acknowledged, and objects are whole segments.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

__all__ = ["Browser", "Object", "Path", "Times"]

FRAME = 16_384
HELLO, CERTIFICATES = 500, 4000
CONNECTIONS = 6


@dataclass(frozen=True)
class Path:
    """The two directions between browser and server, and what all connections have in common."""

    rate: float
    """In bit/s."""
    delay_s: float
    window: int
    """Segments that may be under way, in each connection."""
    segment: int = 1024
    """Payload in bytes."""
    header: int = 40


@dataclass(frozen=True)
class Object:
    """An object of a page; the first one is the document."""

    size: int
    parent: int = 0
    offset: int | None = None
    """The bytes of the parent that must be there; all of it without a number."""
    delay_s: float = 0.0
    urgency: int = 3
    incremental: bool = False


@dataclass
class Times:
    """The times of an object, in seconds since the page is requested."""

    found: float = -1.0
    request: float = -1.0
    first_byte: float = -1.0
    finish: float = -1.0
    connection: int = -1


class Clock:
    """Events in the order of their times."""

    def __init__(self) -> None:
        self.now = 0.0
        self.count = 0
        self.events: list[tuple[float, int, Callable[[], None]]] = []

    def at(self, time: float, event: Callable[[], None]) -> None:
        """Lets something happen later."""
        self.count += 1
        heapq.heappush(self.events, (time, self.count, event))

    def run(self) -> None:
        """Lets everything happen."""
        while self.events:
            self.now, _, event = heapq.heappop(self.events)
            event()


class Direction:
    """A link that sends one packet after the other."""

    def __init__(self, clock: Clock, path: Path) -> None:
        self.clock, self.path = clock, path
        self.free = 0.0

    def send(self, payload: int, arrive: Callable[[], None]) -> None:
        """A packet joins the queue."""
        self.free = max(self.free, self.clock.now) + 8 * (payload + self.path.header) / self.path.rate
        self.clock.at(self.free + self.path.delay_s, arrive)


@dataclass
class Response:
    """A response that the server has not sent in full."""

    number: int
    left: int
    urgency: int
    incremental: bool


@dataclass
class Connection:
    """A connection, with the server at its end."""

    browser: Browser
    number: int
    takes_requests: bool = False
    is_open: bool = False
    written: list[int] = field(default_factory=list)
    """Requests that have not left."""
    asked: int = 0
    """Requests whose responses are not complete."""
    responses: list[Response] = field(default_factory=list)
    """In the order of the requests."""
    line: list[int] = field(default_factory=list)
    """Responses by their turn: a request joins at the end, and so does who writes a frame."""
    given: int = 0
    """Bytes that the transport has been given and has not sent, and whose they are."""
    owner: int = -1
    under_way: int = 0

    def hear(self, requests: list[int]) -> None:
        """Requests reach the server."""
        for number in requests:
            each = self.browser.page[number]
            self.responses.append(Response(number, each.size, each.urgency, each.incremental))
            self.line.append(number)
        self.send()

    def choose(self) -> Response | None:
        """The response of the next frame."""
        if not self.responses:
            return None
        urgency = min(each.urgency for each in self.responses)
        of_it = [each for each in self.responses if each.urgency == urgency]
        alone = [each for each in of_it if not each.incremental]
        sharing = [each for each in of_it if each.incremental] + alone[:1]
        return min(sharing, key=lambda each: self.line.index(each.number))

    def write(self) -> bool:
        """The server gives its transport a frame; false if it has nothing to send."""
        response = self.choose()
        if response is None:
            return False
        frame = {"1.1": response.left, "2": FRAME, "3": self.browser.path.segment}[self.browser.version]
        self.given = min(frame, response.left)
        self.owner = response.number
        response.left -= self.given
        if response.left == 0:
            self.responses.remove(response)
        self.line.remove(response.number)
        self.line.append(response.number)
        return True

    def send(self) -> None:
        """The transport sends while its window has room; the server writes as soon as all is sent."""
        path = self.browser.path
        while self.given or self.write():
            if self.under_way == path.window:
                return
            size = min(self.given, path.segment)
            self.given -= size
            self.under_way += 1
            self.browser.down.send(size, partial(self.arrive, self.owner, size))

    def arrive(self, owner: int, size: int) -> None:
        """A segment of a response reaches the browser, which acknowledges it."""
        self.browser.up.send(0, self.acknowledge)
        self.browser.receive(self, owner, size)

    def acknowledge(self) -> None:
        """An acknowledgment reaches the server."""
        self.under_way -= 1
        self.send()


class Browser:
    """A browser that loads one page over a version of HTTP, `"1.1"`, `"2"` or `"3"`."""

    def __init__(
        self, page: list[Object], version: str, path: Path, *, connections: int = CONNECTIONS
    ) -> None:
        self.page, self.version, self.path = page, version, path
        self.limit = connections if version == "1.1" else 1
        self.request_size = 500 if version == "1.1" else 100
        self.clock = Clock()
        self.up, self.down = Direction(self.clock, path), Direction(self.clock, path)
        self.connections: list[Connection] = []
        self.wanted: list[int] = []
        """Objects that are found and not asked for."""
        self.there = [0] * len(page)
        self.times = [Times() for _ in page]

    def load(self) -> list[Times]:
        """Loads the page."""
        self.find(0)
        self.clock.run()
        return self.times

    def find(self, number: int) -> None:
        """An object is found."""
        self.times[number].found = self.clock.now
        self.wanted.append(number)
        self.ask()

    def ask(self) -> None:
        """Asks for what can be asked for, and opens a connection where one lacks."""
        if self.version == "1.1":
            self.wanted.sort(key=lambda number: self.page[number].urgency)
        for connection in self.connections:
            while (
                self.wanted and connection.takes_requests and not (self.version == "1.1" and connection.asked)
            ):
                self.request(connection, self.wanted.pop(0))
        opening = sum(not connection.takes_requests for connection in self.connections)
        while len(self.wanted) > opening and len(self.connections) < self.limit:
            self.open(Connection(self, len(self.connections)))
            opening += 1

    def open(self, connection: Connection) -> None:
        """The handshake of the transport, then that of TLS."""
        self.connections.append(connection)
        # QUIC takes requests at once, and sends them after its handshake.
        connection.takes_requests = self.version == "3"

        def ready() -> None:
            connection.is_open = connection.takes_requests = True
            self.send(connection)
            self.ask()

        def synchronised() -> None:
            if self.version == "3":
                ready()
            else:
                self.up.send(HELLO, certify)

        def certify() -> None:
            whole, rest = divmod(CERTIFICATES, self.path.segment)
            for size in [self.path.segment] * whole:
                self.down.send(size, lambda: self.up.send(0, lambda: None))
            self.down.send(rest, ready)

        self.up.send(0, lambda: self.down.send(0, synchronised))
        if connection.takes_requests:
            self.ask()

    def request(self, connection: Connection, number: int) -> None:
        """Writes the request of an object to a connection. What is written at one time shares segments."""
        self.times[number].request = self.clock.now
        self.times[number].connection = connection.number
        connection.asked += 1
        if not connection.written:
            self.clock.at(self.clock.now, partial(self.send, connection))
        connection.written.append(number)

    def send(self, connection: Connection) -> None:
        """Sends the requests that a connection has been given, once it is open."""
        if not connection.is_open:
            return
        requests, connection.written = connection.written, []
        total, sent = self.request_size * len(requests), 0
        while sent < total:
            before, sent = sent, min(total, sent + self.path.segment)
            whole = requests[before // self.request_size : sent // self.request_size]
            self.up.send(sent - before, partial(connection.hear, whole))

    def receive(self, connection: Connection, number: int, size: int) -> None:
        """Bytes of an object arrive."""
        times = self.times[number]
        if self.there[number] == 0:
            times.first_byte = self.clock.now
        before, self.there[number] = self.there[number], self.there[number] + size
        is_complete = self.there[number] == self.page[number].size
        if is_complete:
            times.finish = self.clock.now
            connection.asked -= 1
        for child, each in enumerate(self.page):
            needed = self.page[number].size if each.offset is None else each.offset
            if child and each.parent == number and before < needed <= self.there[number]:
                self.clock.at(self.clock.now + each.delay_s, partial(self.find, child))
        if is_complete:
            # What has no delay is found before.
            self.clock.at(self.clock.now, self.ask)
