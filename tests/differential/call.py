"""A media call whose packets have the delays that a test wants."""

import math
from collections.abc import Sequence
from typing import Any

from reference import MEDIA, MediaDecision, MediaFrame, MediaPacket, MediaReport, MediaStart


class Call:
    """A congestion control for media, and the packets that it is told of."""

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
        self.controller: Any = MEDIA[name](start, **values)
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
        in_flight: float = math.inf,
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

    def frame(self, *, size: float = 0, queued_ms: float = 0, queued_bytes: float = 0) -> MediaDecision:
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
