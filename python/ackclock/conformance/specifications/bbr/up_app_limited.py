"""A probe lasts while the application limits the rate."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.app_limited import MOSTLY_SMALL, is_app_limited
from ackclock.conformance.specifications.bbr.states import STATE, UP, following, never_came, phases
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Each probe that begins limited by the application: why it ends."""
    begun = [
        probe
        for probe in phases(trace, UP)
        if is_app_limited(trace, probe.begin_s - 0.1, probe.begin_s + 0.1) and probe.length_s > 0.1
    ]
    if not begun:
        yield never_came(UP)
        return
    longest = max(probe.length_s for probe in begun)
    yield Verdict.within("longest probe limited by the application, in seconds", longest, 1.0, float("inf"))
    for probe in begun:
        free = not is_app_limited(trace, probe.end_s - 0.5, probe.end_s)
        after = following(trace, probe)
        found = f"{after}, {'a large' if free else 'no large'} response in the half second before"
        is_right = free or after == "ProbeRTT"
        yield Verdict.decided(
            "the end of a probe", found, "a large response before it, or ProbeRTT", is_right
        )


CASE = Case(
    number=7,
    section=(
        'appendix, "Never Exiting PROBE_UP (or STARTUP) When Application-Limited With No Loss"; 5.3.3.7'
    ),
    title="A probe lasts while the application limits the rate",
    statement="Rounds that the application limits never end a probe; one that does not, or ProbeRTT, does.",
    scenario=MOSTLY_SMALL,
    rule=(
        "A probe that begins limited by the application ends with ProbeRTT, or in the half second after a "
        "large response; at least one lasts a second."
    ),
    why="Three rounds of a large response take some 200 ms. Seeds draw when the large responses come.",
    observe=observe,
    shown=(STATE, "in_flight_packets"),
)
