"""The paths of RACK's cases, and the departures of packets that were sent again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ackclock.conformance.case import Settings
from ackclock.conformance.specifications.paths import (
    BOTTLENECK,
    FORWARD,
    client,
    losing,
    one_flow,
)
from ackclock.conformance.specifications.windows import lost
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Outcome, Verdict

__all__ = [
    "SILENCE",
    "SILENT",
    "TWICE_LOST",
    "WINDOW",
    "answers",
    "file_of",
    "loses_it_again",
    "nothing_sent",
    "of_the_last",
    "probes",
    "silence_begins_s",
]

WINDOW = 40
"""Packets: the threshold of paths with a window of about this size."""


def file_of(
    packets: int, *losses: int, rate: str = "100 Mbit/s", seconds: float = 2, **tcp: object
) -> dict[str, object]:
    """A file of this many packets on a path of 100 ms, with these packets lost."""
    return one_flow(
        rate,
        100,
        seconds,
        buffer="1000 packets",
        flow={"packets": packets},
        tcp={"segments_per_ack": 1, **tcp},
        watch=FORWARD,
        loss=lost(*losses),
    )


def answers(packets: int, think: str, **tcp: object) -> dict[str, object]:
    """A client that asks for responses of this size, whose sender is watched."""
    return one_flow(
        "100 Mbit/s",
        100,
        6,
        buffer="1000 packets",
        flow=client({"constant": f"{packets} packets"}, think),
        tcp={"segments_per_ack": 1, **tcp},
        watch=FORWARD,
    )


SILENCE = (2.0, 4.0)
"""The time in which every acknowledgment is lost, in seconds."""

SILENT = one_flow(
    "100 Mbit/s",
    100,
    6,
    buffer="1000 packets",
    tcp={"segments_per_ack": 1, "initial_ssthresh": f"{WINDOW} packets"},
    watch=FORWARD,
    reverse={"rate": "100 Mbit/s", "loss": losing(1.0, *SILENCE)},
)
"""A flow with enough data, whose acknowledgments stop."""

TWICE_LOST = one_flow(
    "100 Mbit/s",
    100,
    5,
    buffer="1000 packets",
    tcp={"segments_per_ack": 1, "initial_ssthresh": f"{WINDOW} packets"},
    watch=FORWARD,
    loss=lost(600),
)
"""A flow with enough data, which loses one packet."""


def loses_it_again(trace: Trace) -> Settings | None:
    """The first packet that is sent again is lost again."""
    again = trace.sent.is_again.nonzero()[0]
    return {f"{BOTTLENECK}.loss": lost(600, int(again[0]) + 1)} if again.size else None


def silence_begins_s(trace: Trace) -> float:
    """The arrival of the last acknowledgment before the silence."""
    arrived = trace.acknowledged_s
    return float(arrived[arrived < SILENCE[1]].max())


def of_the_last(trace: Trace, packets: int) -> Iterator[Verdict]:
    """The verdict that the first packet that is sent again is the last one of the file."""
    _, number = trace.sent.first_again()
    yield Verdict.same("first packet that is sent again, counted from 1", number + 1, packets)


def probes(packets: int, least: float, most: float) -> Callable[[Trace], Iterator[Verdict]]:
    """The last packet is sent again first, `least` to `most` round trips after the last acknowledgment."""

    def observe(trace: Trace) -> Iterator[Verdict]:
        yield from of_the_last(trace, packets)
        again, _ = trace.sent.first_again()
        wait = again - trace.acknowledged_before(again)
        yield Verdict.within("round trips from the last acknowledgment", wait / trace.path_rtt_s, least, most)

    return observe


def nothing_sent(what: str) -> Verdict:
    """The verdict on a sender that is silent where it should send."""
    return Verdict(what, "nothing was sent", "a packet", Outcome.FAILS)
