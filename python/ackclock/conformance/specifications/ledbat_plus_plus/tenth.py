"""Slowdowns take a tenth of the link at most."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.ledbat_plus_plus.slowdowns import ALONE, never_slowed, slowdowns
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """The goodput over whole cycles."""
    found = slowdowns(trace)
    if len(found) < 3:
        yield never_slowed(3)
        return
    begin, end = found[0].begin_s, found[-1].begin_s
    rate = trace.goodput_of_link(begin, end)
    yield Verdict.within("goodput in rates of the link, over whole cycles", rate, 0.9, 1.0)
    share = sum(each.back_s - each.begin_s for each in found[:-1]) / (end - begin)
    yield Verdict.within("share of the time in slowdowns", share, 0.08, 0.105)


CASE = Case(
    number=7,
    section="the draft, periodic slowdowns",
    title="Slowdowns take a tenth of the link at most",
    statement=(
        "Slowdowns cost a tenth of the link's use at most, since nine of ten parts of the time lie between."
    ),
    scenario=ALONE,
    rule=(
        "From the beginning of the first slowdown to that of the last the goodput is at least 90 % of the "
        "link, and 8 to 10.5 % of the time are slowdowns."
    ),
    why="Within a slowdown some data still goes.",
    observe=observe,
    shown=("cwnd_packets", "goodput_bit_per_s"),
)
