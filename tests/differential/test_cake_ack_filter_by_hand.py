"""The acknowledgments that CAKE drops, by hand, from `cake_ack_filter` of `net/sched/sch_cake.c`."""

from dataclasses import replace

import pytest

from reference.queue.cake.ack_filter import superfluous
from reference.queue.cake.departures import departures
from reference.queue.cake.packets import Packet, TcpHeader
from reference.queue.cake.scheduler import Cake, Settings

EIGHT = Settings(rate=8_000_000, diffserv="besteffort")
"""At this rate a byte takes 1 µs."""


def ack(number: int, *, sack: tuple[tuple[int, int], ...] = (), flow: int = 1, **fields: object) -> Packet:
    """A pure acknowledgment."""
    header = TcpHeader(acknowledges=number, sack=sack, **fields)  # type: ignore[arg-type]
    return Packet(0, 40, number, flow=flow, tcp=header)


DATA = ack(100, is_plain=False)
"""A segment with data, and with an acknowledgment as all have."""
BLOCK, LONGER, OTHER = ((200, 300),), ((200, 400),), ((500, 900),)


@pytest.mark.parametrize(
    ("queue", "on", "aggressive"),
    [
        # Two that are superfluous: the older one goes. One: it goes in aggressive mode only.
        ([ack(100), ack(200), ack(300)], 0, 0),
        ([ack(100), ack(200)], None, 0),
        ([ack(100)], None, None),
        ([DATA, ack(100), ack(200), ack(300)], 1, 1),
        # Duplicates stay, and numbers beyond that of the arriving packet.
        ([ack(100), ack(100), ack(100)], None, None),
        ([ack(300), ack(300), ack(200)], None, None),
        # A segment with data makes acknowledgments superfluous, but is never dropped.
        ([ack(100), ack(200), ack(300, is_plain=False)], 0, 0),
        ([DATA, DATA, ack(300)], None, None),
        # In aggressive mode nothing may be in between.
        ([ack(100), DATA, ack(200)], None, None),
        # A SYN is neither; nor is a packet without an acknowledgment, or of another flow.
        ([ack(100, is_syn=True), ack(200, is_syn=True), ack(300)], None, None),
        ([ack(100), ack(200), ack(300, is_syn=True)], None, None),
        ([ack(100), ack(200), Packet(0, 40, flow=1)], None, None),
        ([ack(100), ack(200), Packet(0, 40, flow=1, tcp=TcpHeader())], None, None),
        ([ack(100, flow=2), ack(200, flow=2), ack(300)], None, None),
        ([ack(100), ack(150, flow=2), ack(200), ack(300)], 0, 0),
        # What ECE and CWR say is kept: the last of each kind, in a sequence.
        ([ack(100), ack(200, ece=True), ack(300)], None, None),
        ([ack(100), ack(200, cwr=True), ack(300, cwr=True)], None, 1),
        ([ack(100), ack(200, ece=True), ack(300, ece=True), ack(400)], 1, 1),
        ([ack(100), ack(200), ack(300, ece=True)], 0, 0),
        # A packet that may not go itself can still end a sequence.
        ([ack(100), ack(100, is_plain=False, ece=True), ack(200), ack(300)], None, 2),
        # Blocks: a duplicate goes if the arriving packet reports more.
        ([ack(100, sack=BLOCK), ack(100, sack=LONGER)], None, 0),
        ([ack(100), ack(100, sack=BLOCK)], None, 0),
        ([ack(100, sack=BLOCK), ack(100, sack=BLOCK)], None, None),
        ([ack(100, sack=BLOCK), ack(110, sack=BLOCK)], None, 0),
        # It stays if its block is not in one of the new ones, or reports a duplicate.
        ([ack(100, sack=LONGER), ack(110, sack=BLOCK)], None, None),
        ([ack(100, sack=BLOCK), ack(110, sack=OTHER)], None, None),
        ([ack(100, sack=BLOCK), ack(400)], None, None),
        ([ack(100, sack=((50, 60),)), ack(200, sack=((50, 60),))], None, None),
        # Timestamps must not go back; none count as zero.
        ([ack(100, timestamps=(4, 2)), ack(200, timestamps=(4, 2))], None, 0),
        ([ack(100, timestamps=(4, 2)), ack(200, timestamps=(5, 1))], None, None),
        ([ack(100, timestamps=(4, 2)), ack(200)], None, None),
    ],
)  # fmt: skip
def test_which_acknowledgment_is_superfluous(
    queue: list[Packet], on: int | None, aggressive: int | None
) -> None:
    assert superfluous(queue, aggressive=False) == on
    assert superfluous(queue, aggressive=True) == aggressive


@pytest.mark.parametrize(
    ("mode", "left"),
    [("off", [100, 200, 300, 400, 500]), ("on", [100, 400, 500]), ("aggressive", [100, 500])],
)
def test_the_filter_thins_out_a_queue_of_acknowledgments(mode: str, left: list[int]) -> None:
    """The first one leaves at once; of the others two stay in the queue, or one."""
    cake = Cake(replace(EIGHT, ack_filter=mode))  # type: ignore[arg-type]
    sent = departures(cake, [ack(number) for number in (100, 200, 300, 400, 500)])
    assert [packet.name for _, packet in sent] == left
    assert len(cake.filtered) == 5 - len(left)
    assert cake.used == 0


def test_a_filtered_acknowledgment_costs_time_at_the_ingress() -> None:
    """40 bytes take 40 µs. After that of 100, which leaves at once, two are dropped and two wait."""
    cake = Cake(replace(EIGHT, ack_filter="on", ingress=True))
    sent = departures(cake, [ack(number) for number in (100, 200, 300, 400, 500)])
    assert [(time // 1000, packet.name) for time, packet in sent] == [(0, 100), (60, 400), (120, 500)]
