"""A sender of PCC that is told of acknowledgments and results by hand.

Packets have 1250 bytes, so that 1000 of them in a second are 10 Mbit/s. A round trip takes 100 ms.
"""

from typing import TypeVar

from reference import Ack, Congestion, RateSample, Signal, Start
from reference.controllers.vivace import Vivace
from reference.controllers.vivace_linux import VivaceLinux
from reference.monitor_intervals import Interval, MonitoredRate

MS = 1_000_000
START = Start(initial_window=10.0)


def ack(now_ms: int, *, lost: float = 0.0, limited: bool = False, rtt_ms: int | None = 100) -> Ack:
    """An acknowledgment of one packet."""
    rtt = None if rtt_ms is None else rtt_ms / 1e3
    rate = RateSample(rate=100.0, app_limited=limited)
    return Ack(
        now=now_ms / 1e3,
        delivered=1.0,
        lost=lost,
        in_flight=10.0,
        rtt=rtt,
        srtt=0.1,
        min_rtt=0.1,
        round=0,
        rate=rate,
    )


Rate = TypeVar("Rate", bound=MonitoredRate)


def begun(controller: Rate) -> Rate:
    """The sender that knows the round-trip time since 100 ms."""
    controller.begin(START)
    controller.on_ack(ack(100))
    return controller


def result(rate: float, lost: float = 0.0, slope: float = 0.0) -> Interval:
    """The result of 100 packets, 10 ms apart."""
    found = Interval(rate, 0, 0, delivered=100.0 - lost, lost=lost)
    found.rtts = [(10 * MS * place, round((100 + 10 * place * slope) * MS)) for place in range(100)]
    return found


def vivace(**values: float) -> Vivace:
    """Vivace with these packets."""
    return Vivace(packet_size=1250.0, **values)


def timed_out(controller: MonitoredRate | VivaceLinux) -> None:
    """The retransmission timer expires at 300 ms."""
    controller.on_congestion(
        Congestion(now=0.3, signal=Signal.TIMEOUT, flight=4.0, restart=True, repeated=False)
    )
