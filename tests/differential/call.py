"""A media call whose packets have the delays that a test wants."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ackclock._native import MediaController
from reference import MEDIA, MediaDecision, MediaFrame, MediaPacket, MediaReport, MediaStart

UNLIMITED = 10**12
"""More bytes in flight than any window."""


class Compiled:
    """A compiled congestion control with the methods of its twin."""

    def __init__(self, name: str, start: MediaStart, **values: float) -> None:
        arguments = ",".join(f"{key}={value!r}" for key, value in values.items())
        self.native = MediaController(f"{name}({arguments})", start)

    def on_report(self, report: MediaReport) -> MediaDecision:
        """Feedback."""
        return decided(self.native.on_report(report))

    def on_frame(self, frame: MediaFrame) -> MediaDecision:
        """A frame."""
        return decided(self.native.on_frame(frame))

    def decision(self) -> MediaDecision:
        """The decision in force."""
        return decided(self.native.decision())


def decided(numbers: tuple[float, float, float]) -> MediaDecision:
    """The binding's answer as the reference has it."""
    target, pacing, window = numbers
    return MediaDecision(target=target, pacing=pacing, window=window)


def reading(name: str, start: MediaStart, **values: float) -> Any:
    """The second reading of a congestion control."""
    return MEDIA[name](start, **values)


MAKERS: dict[str, Callable[..., Any]] = {"reading": reading, "compiled": Compiled}


class Call:
    """A congestion control for media, and the packets that it is told of."""

    make: ClassVar[Callable[..., Any]] = staticmethod(reading)

    def __init__(
        self,
        name: str,
        *,
        initial_kbps: float = 500,
        max_kbps: float = 1500,
        now_ms: float = 0,
        l4s: bool = False,
        **values: float,
    ) -> None:
        start = MediaStart(
            min_rate=150e3,
            max_rate=max_kbps * 1e3,
            initial_rate=initial_kbps * 1e3,
            frame_period=1 / 30,
            mss=1000,
            l4s=l4s,
        )
        self.controller: Any = self.make(name, start, **values)
        self.next_ms = now_ms
        self.sequence = 0

    def report(
        self,
        delays_ms: Sequence[float | None],
        *,
        gap_ms: float,
        size: int = 1000,
        rtt_ms: float = 100,
        marked: int = 0,
        in_flight: int = UNLIMITED,
    ) -> MediaDecision:
        """Sends packets with a gap before each next, and reports them a round trip after the last.

        A packet without a delay is lost; the last `marked` packets arrive with a mark.
        """
        packets = []
        for place, delay in enumerate(delays_ms):
            sent = self.next_ms
            arrived = None if delay is None else (sent + delay) / 1e3
            is_marked = place >= len(delays_ms) - marked
            packets.append(
                MediaPacket(
                    sequence=self.sequence, size=size, sent=sent / 1e3, arrived=arrived, marked=is_marked
                )
            )
            self.sequence += 1
            self.next_ms += gap_ms
        now = packets[-1].sent + rtt_ms / 1e3
        decision = self.controller.on_report(
            MediaReport(
                now=now, packets=packets, rtt=rtt_ms / 1e3, in_flight=in_flight, most_in_flight=in_flight
            )
        )
        assert isinstance(decision, MediaDecision)
        return decision

    def frame(self, *, size: int = 0, queued_ms: float = 0, queued_bytes: int = 0) -> MediaDecision:
        """The encoder hands over a frame."""
        frame = MediaFrame(
            now=self.next_ms / 1e3, size=size, queued=queued_ms / 1e3, queued_bytes=queued_bytes
        )
        decision = self.controller.on_frame(frame)
        assert isinstance(decision, MediaDecision)
        return decision

    @property
    def kbps(self) -> float:
        """The target."""
        target = self.controller.decision().target
        assert isinstance(target, float)
        return target / 1e3
